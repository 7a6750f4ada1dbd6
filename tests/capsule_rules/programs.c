#include "programs.h"

#include "tests/harness/harness.h"

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
static void write_switch(FILE *to, const capsule_form *form) {
  const int cases = form->number, step = form->step;
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          form->linkage);
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
  write_kernel(to, form->kernel);
}

/* Two tables, of four cases and of `cases`. */
static void write_two_switches(FILE *to, const capsule_form *form) {
  const int cases = form->number;
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          form->linkage);
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
  write_kernel(to, form->kernel);
}

static void write_plain_body(FILE *to, const capsule_form *form) {
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{ .reg .u32 %%r<2>;\n"
          " ld.param.u32 %%r1,[a]; add.u32 %%r1,%%r1,1; st.param.u32 [r],%%r1; ret; }\n",
          form->linkage);
  write_kernel(to, form->kernel);
}

/* Two tables in one function: ptxas gives each a symbol of its own in the compiler constants. */
static void write_two_tables(FILE *to, const capsule_form *form) {
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
  write_kernel(to, form->kernel);
}

/* --- a kernel with a jump table of its own; what it calls makes sure that its text is the input's (M42) --- */

static void write_own_table(FILE *to, const capsule_form *form) {
  const int cases = form->number;
  fprintf(to,
          ".extern .func (.param .u32 r) called(.param .u32 a);\n"
          "%s .entry own(.param .u64 q, .param .u32 a)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a];\n"
          " { .param .u32 x; .param .u32 z;\n"
          "   st.param.u32 [x],%%r1; call (z),called,(x); ld.param.u32 %%r1,[z]; }\n",
          form->linkage);
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
static void write_loads(FILE *to, const capsule_form *form) {
  const int loads = form->number;
  fprintf(to,
          "%s .func (.param .u32 r) f(.param .u32 a, .param .u64 q)\n{\n"
          " .reg .u32 %%r<4>; .reg .u64 %%rd<4>; .local .align 4 .b8 s[64];\n"
          " ld.param.u32 %%r1,[a]; ld.param.u64 %%rd1,[q];\n",
          form->linkage);
  for (int i = 0; i < loads; i++)
    fprintf(to, " ld.volatile.global.u32 %%r2,[%%rd1+%d];\n mad.lo.u32 %%r1,%%r1,%%r2,%d;\n", 4 * i, i + 1);
  if (form->stack)
    fprintf(to, " and.b32 %%r3,%%r1,60; cvt.u64.u32 %%rd2,%%r3; mov.u64 %%rd3,s; add.u64 %%rd3,%%rd3,%%rd2;\n"
                " st.local.u32 [%%rd3],%%r1;\n ld.local.u32 %%r1,[s+8];\n");
  fprintf(to, " st.param.u32 [r],%%r1;\n ret;\n}\n");
  write_kernel(to, form->kernel);
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

/* Its frame begins behind a guarded exit. */
static void write_framed(FILE *to) {
  fprintf(to, ".extern .func (.param .u32 r) called(.param .u32 a);\n"
              ".visible .entry framed(.param .u64 q, .param .u32 a)\n{\n"
              " .local .align 16 .b8 d[80]; .reg .pred %%p<4>; .reg .u32 %%r<6>; .reg .u64 %%rd<6>;\n"
              " ld.param.u64 %%rd1,[q]; ld.param.u32 %%r1,[a]; setp.gt.u32 %%p1,%%r1,7; @%%p1 exit;\n"
              " mov.u64 %%rd2,d; mul.wide.u32 %%rd3,%%r1,4; add.u64 %%rd4,%%rd2,%%rd3; st.local.u32 [%%rd4],%%r1;\n"
              " { .param .u32 x; .param .u32 z; st.param.u32 [x],%%r1; call (z),called,(x); ld.param.u32 %%r2,[z]; }\n"
              " ld.local.u32 %%r3,[%%rd4+4]; add.u32 %%r4,%%r2,%%r3; setp.eq.u32 %%p2,%%r4,9; @%%p2 exit;\n"
              " st.global.u32 [%%rd1],%%r4; ret;\n}\n");
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

static void write_call(FILE *to, const capsule_form *form) {
  fprintf(to,
          ".extern .func (.param .u32 r) %s(.param .u32 a);\n"
          ".visible .entry %s(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<2>;\n"
          " ld.param.u64 %%rd1,[q]; ld.global.u32 %%r1,[%%rd1];\n"
          " { .param .u32 x; .param .u32 z; st.param.u32 [x],%%r1; call (z),%s,(x); ld.param.u32 %%r1,[z]; }\n"
          " st.global.u32 [%%rd1],%%r1; ret; }\n",
          form->function, form->kernel, form->function);
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

static void write_leaf(FILE *to, const capsule_form *form) {
  fprintf(to,
          ".visible .entry %s(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<2>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u32 %%r1,%%tid.x; st.global.u32 [%%rd1],%%r1; ret; }\n",
          form->kernel);
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

/* Two counts of bits, and two powers of two: the second one waits for another time on sm_103. */
static void write_pair(FILE *to, const capsule_form *form) {
  fprintf(to, ".visible .entry %s(.param .u64 q)\n{ .reg .b32 %%r<5>; .reg .u64 %%rd<2>;\n", form->kernel);
  fprintf(to,
          " ld.param.u64 %%rd1,[q]; ld.global.b32 %%r1,[%%rd1]; ld.global.b32 %%r2,[%%rd1+4];\n"
          " %s %%r3,%%r1; %s %%r4,%%r2; st.global.b32 [%%rd1],%%r3; st.global.b32 [%%rd1+4],%%r4; ret; }\n",
          form->function, form->function);
}

/* --- global memory whose alignment shows where the file of step 1 puts it --- */

/* `bytes` of initialised memory lie between the text and it. */
static void write_aligned(FILE *to, const capsule_form *form) {
  const int bytes = form->number;
  fprintf(to, ".global .align 64 .b8 g[64];\n.global .align 1 .b8 h[%d] = {1", bytes);
  for (int i = 1; i < bytes; i++)
    fprintf(to, ",%d", i + 1);
  fprintf(to,
          "};\n.visible .entry %s(.param .u64 q)\n{\n"
          " .reg .u32 %%r<3>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; mov.u64 %%rd2,g; ld.global.u32 %%r1,[%%rd1]; ld.global.u8 %%r2,[h];\n"
          " mul.lo.u32 %%r1,%%r1,%%r2; st.global.u32 [%%rd2],%%r1; ret;\n}\n",
          form->kernel);
}

/* More user constants in two files than a program may have. */
static void write_large(FILE *to, const capsule_form *form) {
  const int file = form->number;
  enum { BYTES = 41000 };
  fprintf(to,
          ".const .align 4 .b8 large%d[%d] = {1};\n"
          ".visible .entry reads%d(.param .u64 q)\n{ .reg .u32 %%r<2>; .reg .u64 %%rd<3>;\n"
          " ld.param.u64 %%rd1,[q]; ld.const.u32 %%r1,[large%d]; st.global.u32 [%%rd1],%%r1; ret; }\n",
          file, (int)BYTES, file, file);
}

static const capsule_source sources[] = {
    {"weak_5", NULL, NULL, write_switch, {.linkage = ".weak", .number = 5, .step = 1, .kernel = "k5"}},
    {"weak_7", NULL, NULL, write_switch, {.linkage = ".weak", .number = 7, .step = 2, .kernel = "k7"}},
    {"strong_5", NULL, NULL, write_switch, {.linkage = ".visible", .number = 5, .step = 1, .kernel = "ks"}},
    {"weak_two", NULL, NULL, write_two_switches, {.linkage = ".weak", .number = 6, .kernel = "kt"}},
    {"strong_two", NULL, NULL, write_two_switches, {.linkage = ".visible", .number = 5, .kernel = "ks"}},
    {"strong_7", NULL, NULL, write_switch, {.linkage = ".visible", .number = 7, .step = 2, .kernel = "ks"}},
    {"weak_plain", NULL, NULL, write_plain_body, {.linkage = ".weak", .kernel = "kw"}},
    {"strong_plain", NULL, NULL, write_plain_body, {.linkage = ".visible", .kernel = "kp"}},
    {"two_tables_1", NULL, NULL, write_two_tables, {.kernel = "kt1"}},
    {"two_tables_2", NULL, NULL, write_two_tables, {.kernel = "kt2"}},
    {"sampled", "-O0", write_sampled, NULL, {0}},
    {"sampled_by_load", NULL, write_sampled, NULL, {0}},
    {"parameters", NULL, write_parameters, NULL, {0}},
    {"syscalls", "-pic=true", write_syscalls, NULL, {0}},
    {"guarded", NULL, write_guarded, NULL, {0}},
    {"framed", NULL, write_framed, NULL, {0}},
    {"guarded_unoptimised", "-O0", write_guarded, NULL, {0}},
    {"open_shared", NULL, write_open_shared, NULL, {0}},
    {"static_shared", NULL, write_static_shared, NULL, {0}},
    {"own_weak_0", NULL, NULL, write_own_table, {.linkage = ".weak", .number = 0}},
    {"own_weak_5", NULL, NULL, write_own_table, {.linkage = ".weak", .number = 5}},
    {"own_strong_0", NULL, NULL, write_own_table, {.linkage = ".visible", .number = 0}},
    {"own_strong_7", NULL, NULL, write_own_table, {.linkage = ".visible", .number = 7}},
    {"called", NULL, write_called, NULL, {0}},
    {"pointer", NULL, write_pointer, NULL, {0}},
    {"variable", NULL, write_variable, NULL, {0}},
    {"weak_loads_1", "-lineinfo", NULL, write_loads, {.linkage = ".weak", .number = 1, .stack = true, .kernel = "kw1"}},
    {"weak_loads_4",
     "-lineinfo",
     NULL,
     write_loads,
     {.linkage = ".weak", .number = 4, .stack = false, .kernel = "kw4"}},
    {"strong_loads_1",
     "-lineinfo",
     NULL,
     write_loads,
     {.linkage = ".visible", .number = 1, .stack = true, .kernel = "ks1"}},
    {"strong_loads_4",
     "-lineinfo",
     NULL,
     write_loads,
     {.linkage = ".visible", .number = 4, .stack = true, .kernel = "ks4"}},
    {"constants", NULL, write_constants, NULL, {0}},
    {"constants_pic", "-pic=true", write_constants, NULL, {0}},
    {"alias", NULL, write_alias, NULL, {0}},
    {"alias_lines", "-lineinfo", write_alias, NULL, {0}},
    {"calls_second", NULL, NULL, write_call, {.kernel = "kc", .function = "second"}},
    {"calls_first", NULL, NULL, write_call, {.kernel = "kf", .function = "f"}},
    {"aligned", NULL, NULL, write_aligned, {.number = 1, .kernel = "aligned1"}},
    {"aligned_odd", NULL, NULL, write_aligned, {.number = 15, .kernel = "aligned2"}},
    {"large_1", NULL, NULL, write_large, {.number = 1}},
    {"large_2", NULL, NULL, write_large, {.number = 2}},
    {"leaf", NULL, NULL, write_leaf, {.kernel = "leaf1"}},
    {"leaf_errors", "-make-errors-visible-at-exit", NULL, write_leaf, {.kernel = "leaf2"}},
    {"doubles", NULL, write_doubles, NULL, {0}},
    {"conversions", NULL, write_conversions, NULL, {0}},
    {"counts", NULL, NULL, write_pair, {.kernel = "counts", .function = "popc.b32"}},
    {"exponents", NULL, NULL, write_pair, {.kernel = "exponents", .function = "ex2.approx.f16x2"}},
    {"weak_doubles", NULL, write_weak_doubles, NULL, {0}},
    {"addressed", NULL, write_addressed, NULL, {0}},
    {"late_shared", NULL, write_late_shared, NULL, {0}},
    {"called_sanitized", "-sanitize=memcheck", write_called, NULL, {0}},
    {"calls_called", NULL, NULL, write_call, {.kernel = "kd", .function = "called"}},
    {"spills", "-maxrregcount=24", write_spills, NULL, {0}},
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
  if (source->form)
    source->form(to, &source->with);
  else
    source->write(to);
}
