/* PTX of the shapes: `functions` has many small functions that call each other in chains of ten and across files, and read
 * a table of their own or of the next file; `text` has few functions of straight code with line information. `many` is
 * `functions` thirteen times under other names: compiling that takes minutes, so two files are compiled and the rest are
 * copies in which every name has another number of as many digits. */
#include "bench_shape.h"

#include <stdio.h>
#include <string.h>

enum { FUNCTIONS = 200, CHAIN = 10, KERNELS = 16, STATEMENTS = 1150, TABLE = 64 };

static void shape_write_head(text_buffer *text) {
  text_add(text, ".version 8.0\n.target %s\n.address_size 64\n", BENCH_ARCH);
}

/* A call of `callee` with %r<from>; its result goes to %r<to>. */
static void shape_write_call(text_buffer *text, unsigned file, unsigned function, unsigned from, unsigned to) {
  text_add(text,
           "  {\n  .param .b32 a; .param .b32 b;\n  st.param.b32 [a], %%r%u;\n  call (b), f_%u_%u, (a);\n"
           "  ld.param.b32 %%r%u, [b];\n  }\n",
           from, file, function, to);
}

static void shape_write_function(text_buffer *text, unsigned file, unsigned function, bool last) {
  unsigned table = file + (function % 3 == 0 && !last);
  text_add(text, ".visible .func (.param .b32 r) f_%u_%u (.param .b32 x)\n{\n", file, function);
  text_add(text, "  .reg .b32 %%r<9>; .reg .b64 %%d<5>;\n  ld.param.u32 %%r1, [x];\n  mov.u64 %%d1, table_%u;\n",
           table);
  text_add(text, "  and.b32 %%r2, %%r1, %u;\n  mul.wide.u32 %%d2, %%r2, 4;\n  add.u64 %%d3, %%d1, %%d2;\n", TABLE - 1);
  text_add(text, "  ld.global.u32 %%r3, [%%d3];\n  mad.lo.u32 %%r4, %%r3, %u, %%r1;\n", function + 3);
  if (function % CHAIN != CHAIN - 1)
    shape_write_call(text, file, function + 1, 4, 5);
  else if (!last)
    shape_write_call(text, file + 1, function + 1 - CHAIN, 4, 5);
  else
    text_add(text, "  mov.u32 %%r5, %%r4;\n");
  text_add(text, "  xor.b32 %%r6, %%r5, %%r3;\n  st.param.b32 [r], %%r6;\n  ret;\n}\n");
}

static void shape_write_functions(text_buffer *text, unsigned file, bool last) {
  shape_write_head(text);
  if (!last)
    text_add(text, ".extern .global .align 4 .b32 table_%u[%u];\n", file + 1, TABLE);
  for (unsigned i = 0; !last && i < FUNCTIONS; i += CHAIN)
    text_add(text, ".extern .func (.param .b32 r) f_%u_%u (.param .b32 x);\n", file + 1, i);
  text_add(text, ".visible .global .align 4 .b32 table_%u[%u] = {", file, TABLE);
  for (unsigned i = 0; i < TABLE; i++)
    text_add(text, "%s%u", i ? ", " : "", i * file);
  text_add(text, "};\n");
  for (unsigned i = 0; i < FUNCTIONS; i++)
    text_add(text, ".visible .func (.param .b32 r) f_%u_%u (.param .b32 x);\n", file, i);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    shape_write_function(text, file, i, last);
  text_add(text, ".visible .entry k_%u (.param .u64 p)\n{\n  .reg .b32 %%r<3>; .reg .b64 %%d<3>;\n", file);
  text_add(text, "  ld.param.u64 %%d1, [p];\n  ld.global.u32 %%r1, [%%d1];\n");
  for (unsigned i = 0; i < FUNCTIONS; i += CHAIN)
    shape_write_call(text, file, i, 1, 1);
  text_add(text, "  st.global.u32 [%%d1], %%r1;\n  ret;\n}\n");
}

static void shape_write_text(text_buffer *text, unsigned file, bool last) {
  (void)last;
  shape_write_head(text);
  text_add(text, ".file 1 \"text_%u.cu\"\n", file);
  for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
    text_add(text, ".visible .entry t_%u_%u (.param .u64 p)\n{\n  .reg .b32 %%r<3>; .reg .b64 %%d<3>;\n", file, kernel);
    text_add(text, "  ld.param.u64 %%d1, [p];\n  ld.global.u32 %%r1, [%%d1];\n  ld.global.u32 %%r2, [%%d1+4];\n");
    for (unsigned i = 0; i < STATEMENTS; i++) {
      if (i % 8 == 0)
        text_add(text, "  .loc 1 %u 1\n", kernel * 2000 + i + 1);
      text_add(text, "  mad.lo.u32 %%r%u, %%r%u, %%r%u, %u;\n", 1 + i % 2, 2 - i % 2, 1 + i % 2,
               (i * 2654435761u + file * 7 + kernel) >> 1);
    }
    text_add(text, "  st.global.u32 [%%d1], %%r1;\n  st.global.u32 [%%d1+4], %%r2;\n  ret;\n}\n");
  }
}

bool bench_shape_is_last(const bench_shape *shape, unsigned number) {
  return (number - shape->first + 1) % BENCH_FILES == 0;
}

static void shape_replace(char *bytes, size_t size, const char *from, const char *to) {
  size_t length = strlen(from);
  for (size_t i = 0; i + length <= size; i++) {
    char *found = memchr(bytes + i, from[0], size - length + 1 - i);
    if (!found)
      return;
    i = (size_t)(found - bytes);
    if (memcmp(found, from, length) == 0)
      memcpy(found, to, length);
  }
}

void bench_shape_rename(char *bytes, size_t size, unsigned original, unsigned number) {
  static const char *const patterns[] = {"f_%u_", "table_%u", "k_%u"};
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
    for (unsigned next = 2;
         next-- > 0;) { /* the next file's names first: after a renaming they could be taken for ours */
      char from[32], to[32];
      snprintf(from, sizeof from, patterns[i], original + next);
      snprintf(to, sizeof to, patterns[i], number + next);
      shape_replace(bytes, size, from, to);
    }
}

const bench_shape bench_shapes[] = {
    {.name = "functions",
     .purpose = "40 cubins with 8,000 small functions in all",
     .write = shape_write_functions,
     .files = BENCH_FILES,
     .share = 0.25},
    {.name = "text",
     .purpose = "40 cubins with 300 KB of code and debug sections each",
     .ptxas_option = "-lineinfo",
     .write = shape_write_text,
     .files = BENCH_FILES,
     .share = 1},
    {.name = "many",
     .purpose = "520 cubins with 104,000 small functions in all",
     .write = shape_write_functions,
     .files = 520,
     .share = 0.3,
     .first = 100,
     .copied = true,
     .asked = true},
};
const size_t bench_shape_count = sizeof bench_shapes / sizeof *bench_shapes;
