#include "programs.h"

#include "tests/harness/harness.h"

#include <stdbool.h>
#include <string.h>

/* --- a device function with a jump table, and a kernel that calls it --- */

static void write_kernel(FILE *to, const char *kernel) {
  fprintf(to,
          ".visible .entry %s(.param .u64 q, .param .u32 a)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a];\n"
          " { .param .u32 x; .param .u64 y; .param .u32 z;\n"
          "   st.param.u32 [x],%%r1; st.param.u64 [y],%%rd1; call (z),f,(x,y); ld.param.u32 %%r1,[z]; }\n"
          " st.global.u32 [%%rd1],%%r1; ret;\n}\n",
          kernel);
}

/* `step` makes the cases different from those of another body. */
static void write_switch(FILE *to, const char *linkage, int cases, int step, const char *kernel) {
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          linkage);
  if (step > 1)
    fprintf(to, " mad.lo.u32 %%r1,%%r1,1234567,%%r1; xor.b32 %%r1,%%r1,99991;\n");
  fprintf(to, " min.u32 %%r1,%%r1,%d;\n table: .branchtargets L0", cases - 1);
  for (int i = 1; i < cases; i++)
    fprintf(to, ",L%d", i);
  fprintf(to, ";\n brx.idx %%r1, table;\n");
  for (int i = 0; i < cases; i++) {
    fprintf(to, "L%d: ld.volatile.u32 %%r2,[%%rd1+%d];\n", i, 4 * i);
    for (int j = 0; j < step; j++)
      fprintf(to, " mul.lo.u32 %%r2,%%r2,%d; add.u32 %%r2,%%r2,%d;\n", step + i * 37 + j, step + i + j);
    fprintf(to, " bra.uni D;\n");
  }
  fprintf(to, "D: st.param.u32 [r],%%r2; ret;\n}\n");
  write_kernel(to, kernel);
}

/* Two tables, of four cases and of `cases`. */
static void write_two_switches(FILE *to, const char *linkage, int cases, const char *kernel) {
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          linkage);
  for (int table = 0; table < 2; table++) {
    const int count = table ? cases : 4;
    fprintf(to, " min.u32 %%r1,%%r1,%d;\n table%d: .branchtargets M%d_0", count - 1, table, table);
    for (int i = 1; i < count; i++)
      fprintf(to, ",M%d_%d", table, i);
    fprintf(to, ";\n brx.idx %%r1, table%d;\n", table);
    for (int i = 0; i < count; i++)
      fprintf(to, "M%d_%d: ld.volatile.u32 %%r2,[%%rd1+%d]; mul.lo.u32 %%r1,%%r2,%d;\n bra.uni D%d;\n", table, i, 4 * i,
              3 + i * 37 + cases, table);
    fprintf(to, "D%d: add.u32 %%r1,%%r1,1;\n", table);
  }
  fprintf(to, " st.param.u32 [r],%%r1; ret;\n}\n");
  write_kernel(to, kernel);
}

static void write_plain_body(FILE *to, const char *linkage, const char *kernel) {
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{ .reg .u32 %%r<2>;\n"
          " ld.param.u32 %%r1,[a]; add.u32 %%r1,%%r1,1; st.param.u32 [r],%%r1; ret; }\n",
          linkage);
  write_kernel(to, kernel);
}

static void write_weak_5(FILE *to) {
  write_switch(to, ".weak", 5, 1, "k5");
}
static void write_weak_7(FILE *to) {
  write_switch(to, ".weak", 7, 2, "k7");
}
static void write_strong_5(FILE *to) {
  write_switch(to, ".visible", 5, 1, "ks");
}
static void write_strong_7(FILE *to) {
  write_switch(to, ".visible", 7, 2, "ks");
}
static void write_weak_two(FILE *to) {
  write_two_switches(to, ".weak", 6, "kt");
}
static void write_strong_two(FILE *to) {
  write_two_switches(to, ".visible", 5, "ks");
}
static void write_weak_plain(FILE *to) {
  write_plain_body(to, ".weak", "kw");
}
static void write_strong_plain(FILE *to) {
  write_plain_body(to, ".visible", "kp");
}

/* Two tables in one function: ptxas gives each a symbol of its own in the compiler constants. */
static void write_two_tables(FILE *to, const char *kernel) {
  fprintf(to, ".weak .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
              " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n");
  for (int table = 0; table < 2; table++) {
    fprintf(to, " min.u32 %%r1,%%r1,3;\n table%d: .branchtargets L%d0,L%d1,L%d2,L%d3;\n brx.idx %%r1, table%d;\n",
            table, table, table, table, table, table);
    for (int i = 0; i < 4; i++)
      fprintf(to, "L%d%d: ld.volatile.u32 %%r2,[%%rd1+%d]; mul.lo.u32 %%r1,%%r2,%d; bra.uni D%d;\n", table, i, 4 * i,
              17 * i + 3, table);
    fprintf(to, "D%d: st.u32 [%%rd1+64],%%r1;\n", table);
  }
  fprintf(to, " st.param.u32 [r],%%r1; ret;\n}\n");
  write_kernel(to, kernel);
}

static void write_two_tables_1(FILE *to) {
  write_two_tables(to, "kt1");
}
static void write_two_tables_2(FILE *to) {
  write_two_tables(to, "kt2");
}

/* --- a kernel with a jump table of its own; what it calls makes sure that its text is the input's (M42) --- */

static void write_own_table(FILE *to, const char *linkage, int cases) {
  fprintf(to,
          ".extern .func (.param .u32 r) called(.param .u32 a);\n"
          "%s .entry own(.param .u64 q, .param .u32 a)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a];\n"
          " { .param .u32 x; .param .u32 z;\n"
          "   st.param.u32 [x],%%r1; call (z),called,(x); ld.param.u32 %%r1,[z]; }\n",
          linkage);
  if (cases)
    fprintf(to, " min.u32 %%r1,%%r1,%d;\n table: .branchtargets L0", cases - 1);
  for (int i = 1; i < cases; i++)
    fprintf(to, ",L%d", i);
  if (cases)
    fprintf(to, ";\n brx.idx %%r1, table;\n");
  for (int i = 0; i < cases; i++)
    fprintf(to, "L%d: ld.volatile.u32 %%r1,[%%rd1+%d]; mul.lo.u32 %%r1,%%r1,%d; bra.uni D;\n", i, 4 * i, 37 * i + 1);
  fprintf(to, "D: st.global.u32 [%%rd1],%%r1; ret;\n}\n");
}

static void write_own_weak_0(FILE *to) {
  write_own_table(to, ".weak", 0);
}
static void write_own_weak_5(FILE *to) {
  write_own_table(to, ".weak", 5);
}
static void write_own_strong_0(FILE *to) {
  write_own_table(to, ".visible", 0);
}
static void write_own_strong_7(FILE *to) {
  write_own_table(to, ".visible", 7);
}
/* A pointer in constant memory to a variable that a strong one replaces. */
static void write_pointer(FILE *to) {
  fputs(".weak .global .align 4 .u32 g = 5;\n"
        ".visible .const .align 8 .u64 p = g;\n"
        ".visible .entry pointer(.param .u64 o)\n{\n\t.reg .b64 %r<4>;\n\tld.param.u64 %r1, [o];\n"
        "\tld.const.u64 %r2, [p];\n\tst.global.u64 [%r1], %r2;\n\tret;\n}\n",
        to);
}

static void write_variable(FILE *to) {
  fputs(".visible .global .align 4 .u32 g = 7;\n", to);
}

static void write_called(FILE *to) {
  fprintf(to, ".visible .func (.param .u32 r) called(.param .u32 a)\n{ .reg .u32 %%r<2>;\n"
              " ld.param.u32 %%r1,[a]; add.u32 %%r1,%%r1,1; st.param.u32 [r],%%r1; ret; }\n");
}

/* --- bodies without relocations: a replaced one's line and frame records stay --- */

/* Both the line rows and the frame depend on `loads` and on whether there is a stack. */
static void write_loads(FILE *to, const char *linkage, int loads, bool stack, const char *kernel) {
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<4>; .reg .u64 %%rd<4>; .local .align 4 .b8 s[64];\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          linkage);
  for (int i = 0; i < loads; i++)
    fprintf(to, " ld.volatile.global.u32 %%r2,[%%rd1+%d];\n mad.lo.u32 %%r1,%%r1,%%r2,%d;\n", 4 * i, i + 1);
  if (stack)
    fprintf(to, " and.b32 %%r3,%%r1,60; cvt.u64.u32 %%rd2,%%r3; mov.u64 %%rd3,s; add.u64 %%rd3,%%rd3,%%rd2;\n"
                " st.local.u32 [%%rd3],%%r1;\n ld.local.u32 %%r1,[s+8];\n");
  fprintf(to, " st.param.u32 [r],%%r1;\n ret;\n}\n");
  write_kernel(to, kernel);
}

static void write_weak_loads_1(FILE *to) {
  write_loads(to, ".weak", 1, true, "kw1");
}
static void write_weak_loads_4(FILE *to) {
  write_loads(to, ".weak", 4, false, "kw4");
}
static void write_strong_loads_1(FILE *to) {
  write_loads(to, ".visible", 1, true, "ks1");
}
static void write_strong_loads_4(FILE *to) {
  write_loads(to, ".visible", 4, true, "ks4");
}

/* --- constants, textures --- */

static void write_constants(FILE *to) {
  fprintf(to, ".visible .const .u32 pad[3] = {1,2,3};\n"
              ".visible .const .u32 c[9] = {1,2,3};\n"
              ".visible .global .texref t;\n"
              ".visible .entry constants(.param .u64 q, .param .u32 a)\n{\n"
              " .reg .u32 %%r<9>; .reg .u64 %%rd<9>; .reg .f32 %%f<9>;\n"
              " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a];\n"
              " mul.wide.u32 %%rd2,%%r1,4; mov.u64 %%rd3,c; add.u64 %%rd3,%%rd3,%%rd2;\n"
              " ld.const.u32 %%r2,[%%rd3]; ld.const.u32 %%r3,[c+8]; ld.const.u32 %%r4,[pad+4];\n"
              " tex.2d.v4.f32.s32 {%%f1,%%f2,%%f3,%%f4},[t,{%%r1,%%r2}];\n"
              " mov.b32 %%r5,%%f1; add.u32 %%r5,%%r5,%%r3; add.u32 %%r5,%%r5,%%r4;\n"
              " st.global.u32 [%%rd1],%%r5; ret;\n}\n");
}

/* A sampler beside the texture (.target ..., texmode_independent). */
static void write_sampled(FILE *to) {
  fprintf(to, ".visible .global .texref sampled;\n"
              ".visible .global .samplerref sampler;\n"
              ".visible .entry samples(.param .u64 q)\n{\n"
              " .reg .u32 %%r<9>; .reg .u64 %%rd<9>; .reg .f32 %%f<9>;\n"
              " ld.param.u64 %%rd1,[q]; mov.u32 %%r1,%%tid.x; cvt.rn.f32.u32 %%f1,%%r1;\n"
              " tex.2d.v4.f32.f32 {%%f1,%%f2,%%f3,%%f4},[sampled,sampler,{%%f1,%%f1}];\n"
              " st.global.f32 [%%rd1],%%f2; ret;\n}\n");
}

/* More parameters than any other kernel has: bindless tables of relocatable outputs come behind them (L137). */
static void write_parameters(FILE *to) {
  fprintf(to, ".visible .entry many(.param .u64 p, .param .u64 q, .param .u64 r)\n{ ret; }\n");
}

/* Two calls of what the driver provides; with -pic their places are an attribute (L530). */
static void write_syscalls(FILE *to) {
  fprintf(to,
          ".extern .func (.param .u64 r) malloc(.param .u64 n);\n"
          ".extern .func free(.param .u64 p);\n"
          ".visible .entry syscalls(.param .u64 n)\n{\n"
          " .reg .u64 %%rd<2>; ld.param.u64 %%rd1,[n];\n"
          " { .param .u64 x; .param .u64 z; st.param.u64 [x],%%rd1; call (z),malloc,(x); ld.param.u64 %%rd1,[z]; }\n"
          " st.u32 [%%rd1],7;\n"
          " { .param .u64 x; st.param.u64 [x],%%rd1; call free,(x); }\n"
          " ret;\n}\n");
}

/* Guarded exits, a loop and branches over them, a call behind them. */
static void write_guarded(FILE *to) {
  fprintf(to,
          ".extern .func (.param .u32 r) called(.param .u32 a);\n"
          ".visible .entry guarded(.param .u64 q, .param .u32 a)\n{\n"
          " .reg .pred %%p<4>; .reg .u32 %%r<5>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a]; setp.gt.u32 %%p1,%%r1,7; @!%%p1 exit;\n"
          " ld.global.u32 %%r2,[%%rd1]; setp.eq.u32 %%p2,%%r2,9; @%%p2 bra A; st.global.u32 [%%rd1+4],%%r1;\n"
          "L: ld.volatile.global.u32 %%r3,[%%rd1+8]; add.u32 %%r2,%%r2,%%r3; setp.lt.u32 %%p3,%%r2,77; @%%p3 bra L;\n"
          " exit;\n"
          "A: { .param .u32 x; .param .u32 z; st.param.u32 [x],%%r1; call (z),called,(x); ld.param.u32 %%r1,[z]; }\n"
          " st.global.u32 [%%rd1],%%r1; ret;\n}\n");
}

/* Shared memory whose size the launch gives. */
static void write_open_shared(FILE *to) {
  fprintf(to, ".extern .shared .align 4 .u32 open[];\n"
              ".visible .entry opens(.param .u64 q)\n{ .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
              " ld.param.u64 %%rd1,[q]; ld.shared.u32 %%r1,[open+16]; st.global.u32 [%%rd1],%%r1; ret; }\n");
}

static void write_static_shared(FILE *to) {
  fprintf(to, ".shared .align 4 .b8 block[64];\n"
              ".visible .entry holds(.param .u64 q)\n{ .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
              " ld.param.u64 %%rd1,[q]; mov.u32 %%r1,block; st.global.u32 [%%rd1],%%r1; ret; }\n");
}

/* --- a function with a second name --- */

static void write_alias(FILE *to) {
  fprintf(to, ".visible .func (.param .u32 r) f(.param .u32 a)\n{ .reg .u32 %%r<2>;\n"
              " ld.param.u32 %%r1,[a]; add.u32 %%r1,%%r1,1; st.param.u32 [r],%%r1; ret; }\n"
              ".visible .func (.param .u32 r) second(.param .u32 a);\n"
              ".alias second, f;\n");
}

static void write_call(FILE *to, const char *kernel, const char *function) {
  fprintf(to,
          ".extern .func (.param .u32 r) %s(.param .u32 a);\n"
          ".visible .entry %s(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<2>;\n"
          " ld.param.u64 %%rd1,[q]; ld.global.u32 %%r1,[%%rd1];\n"
          " { .param .u32 x; .param .u32 z; st.param.u32 [x],%%r1; call (z),%s,(x); ld.param.u32 %%r1,[z]; }\n"
          " st.global.u32 [%%rd1],%%r1; ret; }\n",
          function, kernel, function);
}

static void write_calls_second(FILE *to) {
  write_call(to, "kc", "second");
}
static void write_calls_first(FILE *to) {
  write_call(to, "kf", "f");
}

static void write_calls_called(FILE *to) {
  write_call(to, "kd", "called");
}

/* --- kernels of which -kernels-used names one --- */

static void write_sampling_kernel(FILE *to, const char *kernel, const char *texture) {
  fprintf(to,
          ".visible .global .texref %s;\n"
          ".visible .entry %s(.param .u64 q)\n{ .reg .u32 %%r<3>; .reg .u64 %%rd<3>; .reg .f32 %%f<9>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u32 %%r1,%%tid.x;\n"
          " tex.1d.v4.f32.s32 {%%f1,%%f2,%%f3,%%f4},[%s,{%%r1}];\n st.global.f32 [%%rd1],%%f2; ret; }\n",
          texture, kernel, texture);
}

/* The other kernel lives, as its address is taken. */
static void write_addressed(FILE *to) {
  write_sampling_kernel(to, "sampling", "first");
  write_sampling_kernel(to, "unnamed", "second");
  fputs(".visible .entry named(.param .u64 q)\n{ .reg .u64 %rd<3>;\n"
        " ld.param.u64 %rd1,[q]; mov.u64 %rd2,unnamed; st.global.u64 [%rd1],%rd2; ret; }\n",
        to);
}

/* The other kernel has shared memory and a texture. */
static void write_late_shared(FILE *to) {
  write_sampling_kernel(to, "named", "first");
  fputs(".shared .align 4 .b8 block[64];\n"
        ".visible .entry unnamed(.param .u64 q)\n{ .reg .u32 %r<3>; .reg .u64 %rd<3>;\n"
        " ld.param.u64 %rd1,[q]; mov.u32 %r1,block; st.global.u32 [%rd1],%r1; ret; }\n",
        to);
}

/* --- leaf kernels --- */

static void write_leaf(FILE *to, const char *kernel) {
  fprintf(to,
          ".visible .entry %s(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<2>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u32 %%r1,%%tid.x; st.global.u32 [%%rd1],%%r1; ret; }\n",
          kernel);
}

static void write_leaf_1(FILE *to) {
  write_leaf(to, "leaf1");
}
static void write_leaf_2(FILE *to) {
  write_leaf(to, "leaf2");
}

/* More values at once than there are registers. */
static void write_spills(FILE *to) {
  enum { VALUES = 40 };
  fprintf(to,
          ".visible .func (.param .u32 r) spills(.param .u64 q)\n{ .reg .u32 %%r<%d>; .reg .u64 %%rd<2>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u32 %%r%d,0;\n",
          VALUES + 1, VALUES);
  for (int i = 0; i < VALUES; i++)
    fprintf(to, " ld.volatile.u32 %%r%d,[%%rd1+%d];\n", i, 4 * i);
  for (int i = 0; i < VALUES; i++)
    fprintf(to, " mad.lo.u32 %%r%d,%%r%d,%%r%d,%%r%d;\n", VALUES, i, VALUES - 1 - i, VALUES);
  fprintf(to, " st.param.u32 [r],%%r%d; ret; }\n", VALUES);
}

static void write_doubles(FILE *to) {
  fprintf(to, ".visible .entry doubles(.param .u64 q)\n{ .reg .f64 %%f<4>; .reg .u64 %%rd<2>;\n"
              " ld.param.u64 %%rd1,[q]; ld.global.f64 %%f1,[%%rd1]; ld.global.f64 %%f2,[%%rd1+8];\n"
              " fma.rn.f64 %%f3,%%f1,%%f2,%%f1; add.f64 %%f3,%%f3,%%f2; st.global.f64 [%%rd1],%%f3; ret; }\n");
}
/* A function that uses doubles, which a strong one without them replaces. */
static void write_weak_doubles(FILE *to) {
  fputs(".weak .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{ .reg .u32 %r<2>; .reg .f64 %f<4>; .reg .u64 "
        "%rd<2>;\n"
        " ld.param.u32 %r1,[a]; ld.param.u64 %rd1,[q]; ld.f64 %f1,[%rd1]; ld.f64 %f2,[%rd1+8];\n"
        " fma.rn.f64 %f3,%f1,%f2,%f1; add.f64 %f3,%f3,%f2; st.f64 [%rd1],%f3; st.param.u32 [r],%r1; ret; }\n",
        to);
  write_kernel(to, "kwd");
}

static void write_conversions(FILE *to) {
  fprintf(to, ".visible .entry conversions(.param .u64 q)\n{ .reg .f32 %%f<2>; .reg .u64 %%rd<3>;\n"
              " ld.param.u64 %%rd1,[q]; ld.global.u64 %%rd2,[%%rd1]; cvt.rn.f32.u64 %%f1,%%rd2;\n"
              " st.global.f32 [%%rd1],%%f1; ret; }\n");
}

/* --- global memory whose alignment shows where the file of step 1 puts it --- */

/* `bytes` of initialised memory lie between the text and it. */
static void write_aligned(FILE *to, int bytes, const char *kernel) {
  fprintf(to, ".global .align 64 .b8 g[64];\n.global .align 1 .b8 h[%d] = {1", bytes);
  for (int i = 1; i < bytes; i++)
    fprintf(to, ",%d", i + 1);
  fprintf(to,
          "};\n.visible .entry %s(.param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u64 %%rd2,g; ld.global.u32 %%r1,[%%rd1]; ld.global.u8 %%r2,[h];\n"
          " mul.lo.u32 %%r1,%%r1,%%r2; st.global.u32 [%%rd2],%%r1; ret;\n}\n",
          kernel);
}

/* More user constants in two files than a program may have. */
static void write_large(FILE *to, int file) {
  enum { BYTES = 41000 };
  fprintf(to,
          ".const .align 4 .b8 large%d[%d] = {1};\n"
          ".visible .entry reads%d(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.const.u32 %%r1,[large%d]; st.global.u32 [%%rd1],%%r1; ret; }\n",
          file, (int)BYTES, file, file);
}
static void write_large_1(FILE *to) {
  write_large(to, 1);
}
static void write_large_2(FILE *to) {
  write_large(to, 2);
}

static void write_aligned_1(FILE *to) {
  write_aligned(to, 1, "aligned1");
}

static void write_aligned_2(FILE *to) {
  write_aligned(to, 15, "aligned2");
}

static const capsule_source sources[] = {
    {"weak_5", NULL, write_weak_5},
    {"weak_7", NULL, write_weak_7},
    {"strong_5", NULL, write_strong_5},
    {"weak_two", NULL, write_weak_two},
    {"strong_two", NULL, write_strong_two},
    {"strong_7", NULL, write_strong_7},
    {"weak_plain", NULL, write_weak_plain},
    {"strong_plain", NULL, write_strong_plain},
    {"two_tables_1", NULL, write_two_tables_1},
    {"two_tables_2", NULL, write_two_tables_2},
    {"sampled", "-O0", write_sampled},
    {"sampled_by_load", NULL, write_sampled},
    {"parameters", NULL, write_parameters},
    {"syscalls", "-pic=true", write_syscalls},
    {"guarded", NULL, write_guarded},
    {"guarded_unoptimised", "-O0", write_guarded},
    {"open_shared", NULL, write_open_shared},
    {"static_shared", NULL, write_static_shared},
    {"own_weak_0", NULL, write_own_weak_0},
    {"own_weak_5", NULL, write_own_weak_5},
    {"own_strong_0", NULL, write_own_strong_0},
    {"own_strong_7", NULL, write_own_strong_7},
    {"called", NULL, write_called},
    {"pointer", NULL, write_pointer},
    {"variable", NULL, write_variable},
    {"weak_loads_1", "-lineinfo", write_weak_loads_1},
    {"weak_loads_4", "-lineinfo", write_weak_loads_4},
    {"strong_loads_1", "-lineinfo", write_strong_loads_1},
    {"strong_loads_4", "-lineinfo", write_strong_loads_4},
    {"constants", NULL, write_constants},
    {"constants_pic", "-pic=true", write_constants},
    {"alias", NULL, write_alias},
    {"alias_lines", "-lineinfo", write_alias},
    {"calls_second", NULL, write_calls_second},
    {"calls_first", NULL, write_calls_first},
    {"aligned", NULL, write_aligned_1},
    {"aligned_odd", NULL, write_aligned_2},
    {"large_1", NULL, write_large_1},
    {"large_2", NULL, write_large_2},
    {"leaf", NULL, write_leaf_1},
    {"leaf_errors", "-make-errors-visible-at-exit", write_leaf_2},
    {"doubles", NULL, write_doubles},
    {"conversions", NULL, write_conversions},
    {"weak_doubles", NULL, write_weak_doubles},
    {"addressed", NULL, write_addressed},
    {"late_shared", NULL, write_late_shared},
    {"called_sanitized", "-sanitize=memcheck", write_called},
    {"calls_called", NULL, write_calls_called},
    {"spills", "-maxrregcount=24", write_spills},
};

const capsule_source *capsule_find_source(const char *name) {
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    if (strcmp(sources[i].name, name) == 0)
      return &sources[i];
  harness_stop("no source %s", name);
}

void capsule_write_source(const capsule_source *source, const char *architecture, FILE *to) {
  const char *const mode = source->write == write_sampled ? ", texmode_independent" : "";
  fprintf(to, ".version 9.0\n.target sm_%s%s\n.address_size 64\n", architecture, mode);
  source->write(to);
}
