/* Prints kernels of single PTX instructions, made of a table of families (tests/instructions/table says how it reads), or
 * random ones of fences; each kernel in a line of its own, so that a driver can leave out those that ptxas does not take.
 *
 *   instructions TABLE count
 *   instructions TABLE ARCH SHAPE FIRST COUNT      SHAPE: plain, fenced, waiting, calling; of rows with operands alone, and with
 *                                                  numbers in the place of one: last, negative, first; or one operand: same
 *   instructions - ARCH fences SEED COUNT */
#include "fences.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024, GROUPS = 6 };

typedef struct instruction {
  char row[LINE]; /* of the table, its alternatives in place */
  char chosen[GROUPS][64];
  unsigned groups;
  unsigned long number;
} instruction;

typedef struct printer {
  const char *shape; /* NULL: counts only */
  unsigned long first, count, number;
} printer;

/* --- types --- */

typedef struct type_row {
  const char *name, *letter, *stored;
  const char *number, *negative; /* as operands; NULL: it has none */
} type_row;

static const type_row types[] = {
    {"u8", "r", "b32", "5", "-7"},
    {"s8", "r", "b32", "5", "-7"},
    {"u16", "h", "b16", "3", "-9"},
    {"s16", "h", "b16", "3", "-9"},
    {"b16", "h", "b16", "3", "-9"},
    {"f16", "h", "b16", NULL, NULL},
    {"bf16", "h", "b16", NULL, NULL},
    {"u32", "r", "b32", "0x12345678", "-7"},
    {"s32", "r", "b32", "5", "-7"},
    {"b32", "r", "b32", "5", "-7"},
    {"f16x2", "r", "b32", "0x40003c00", NULL},
    {"bf16x2", "r", "b32", "0x40003f80", NULL},
    {"f32x2", "rd", "b64", NULL, NULL},
    {"u64", "rd", "b64", "0x123456789ab", "-5"},
    {"s64", "rd", "b64", "9", "-5"},
    {"b64", "rd", "b64", "9", "-5"},
    {"f32", "f", "f32", "0f40400000", "0fBF8CCCCD"},
    {"f64", "g", "f64", "0d4008000000000000", "0dBFF199999999999A"},
};

/* The type that a name ends with; 32 bits where it is none. */
static const type_row *type_of(const char *name) {
  const char *const dot = strrchr(name, '.');
  const char *const last = dot ? dot + 1 : name;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, last) == 0)
      return &types[i];
  return type_of("b32");
}

/* --- bodies --- */

/* The coordinates that a tensor ("3d" for $C) or a texture ($T) of so many dimensions has. */
static void print_coordinates(char kind, const char *dimensions) {
  static const char *const texture[] = {"", "%r3", "%r3,%r4", "%r3,%r4,%r5,%r5"};
  const unsigned n = (unsigned)(dimensions[0] - '0');
  if (kind == 'T') {
    printf("{%s}", texture[n]);
    return;
  }
  printf("{%%r3");
  for (unsigned i = 1; i < n; i++)
    printf(",%%r3");
  printf("}");
}

static void print_reference(const instruction *it, char kind, unsigned group) {
  const char *const chosen = it->chosen[group];
  if (kind == 'R')
    printf("%s", type_of(chosen)->letter);
  else if (kind == 'S')
    printf("%s", type_of(chosen)->stored);
  else
    print_coordinates(kind, chosen);
}

/* What a $ stands for; gives what follows it. */
static const char *print_dollar(const instruction *it, const char *at) {
  if (*at == '0') {
    printf("%lu", it->number);
  } else if (*at >= '1' && *at <= '9') {
    printf("%s", it->chosen[*at - '1']);
  } else {
    print_reference(it, at[0], (unsigned)(at[1] - '1'));
    return at + 2;
  }
  return at + 1;
}

static void print_text(const instruction *it, const char *text) {
  while (*text) {
    if (*text == '$') {
      text = print_dollar(it, text + 1);
    } else {
      putchar(*text);
      text++;
    }
  }
}

/* What stands in the place of a loaded operand. */
typedef enum operands {
  OPERANDS_LOADED,
  OPERANDS_LAST,     /* the last one is a number */
  OPERANDS_NEGATIVE, /* a negative one */
  OPERANDS_FIRST,    /* the first of several is a number */
  OPERANDS_SAME      /* all of several are the first */
} operands;

/* The number in the place of an operand, NULL: none. */
static const char *operation_number(const type_row *type, operands how, int operand, int count) {
  if (how == OPERANDS_FIRST)
    return operand == 1 && count > 1 ? type->number : NULL;
  if (operand != count)
    return NULL;
  return how == OPERANDS_LAST ? type->number : how == OPERANDS_NEGATIVE ? type->negative : NULL;
}

/* Whether a row has the operands that a shape asks for. */
static bool operation_has(const char *row, operands how) {
  if (how == OPERANDS_LOADED)
    return true;
  if (row[0] == '=')
    return false;
  const int count = row[0] - '0';
  const type_row *const type = type_of(strchr(row, ' ') + 1);
  if (how == OPERANDS_SAME)
    return count > 1;
  for (int i = 1; i <= count; i++)
    if (operation_number(type, how, i, count))
      return true;
  return false;
}

/* "2>u32 name" */
static void print_operation(const instruction *it, operands how) {
  const char *const name = strchr(it->row, ' ') + 1;
  const type_row *const operand = type_of(name);
  const type_row *result = operand;
  if (it->row[1] == '>') {
    char said[64];
    snprintf(said, sizeof said, "%.*s", (int)(name - it->row) - 3, it->row + 2);
    result = type_of(said[0] == '$' ? it->chosen[said[1] - '1'] : said);
  }
  const int count = it->row[0] - '0';
  for (int i = 1; i <= count; i++)
    printf("ld.global.%s %%%s1%d,[%%rd1+%d]; ", operand->stored, operand->letter, i, i * 8);
  printf("%s %%%s19", name, result->letter);
  for (int i = 1; i <= count; i++) {
    const char *const number = operation_number(operand, how, i, count);
    if (number)
      printf(",%s", number);
    else
      printf(",%%%s1%d", operand->letter, how == OPERANDS_SAME ? 1 : i);
  }
  printf("; st.global.%s [%%rd0],%%%s19;", result->stored, result->letter);
}

typedef struct shape_row {
  const char *name, *before, *behind;
  operands how;
} shape_row;

static const shape_row shapes[] = {
    {"plain", "", "", OPERANDS_LOADED},
    {"last", "", "", OPERANDS_LAST},
    {"negative", "", "", OPERANDS_NEGATIVE},
    {"first", "", "", OPERANDS_FIRST},
    {"same", "", "", OPERANDS_SAME},
    {"fenced", "fence.sc.gpu; ", " membar.gl; st.global.u32 [%rd0+32],%r1;", OPERANDS_LOADED},
    {"waiting", "mbarrier.arrive.shared.b64 %rd50,[mb]; U: mbarrier.try_wait.shared.b64 %p8,[mb],%rd50; @!%p8 bra U; ",
     " fence.acq_rel.gpu; st.global.u32 [%rd0+32],%r1;", OPERANDS_LOADED},
    {"calling", "",
     " { .param .b32 x; .param .b32 y; st.param.b32 [x],%r1; call.uni (y),f,(x); ld.param.b32 %r40,[y]; } "
     "st.global.u32 [%rd0+32],%r40;",
     OPERANDS_LOADED},
};

static const shape_row *shape_of(const char *name) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (strcmp(shapes[i].name, name) == 0)
      return &shapes[i];
  fprintf(stderr, "instructions: no shape %s\n", name);
  exit(2);
}

static void print_kernel(const instruction *it, const shape_row *shape) {
  printf(".visible .entry k%lu(.param .u64 p0, .param .u64 p1) { .reg .b16 %%h<50>; .reg .b32 %%r<60>; .reg .b64 "
         "%%rd<60>; "
         ".reg .f32 %%f<60>; .reg .f64 %%g<60>; .reg .pred %%p<9>; .shared .align 128 .b8 sh[1024]; "
         ".shared .align 8 .b64 mb; .local .align 16 .b8 lo[64]; ld.param.u64 %%rd0,[p0]; ld.param.u64 %%rd1,[p1]; ",
         it->number);
  for (int i = 1; i <= 5; i++)
    printf("ld.global.b32 %%r%d,[%%rd1+%d]; ld.global.f32 %%f%d,[%%rd1+%d]; ", i, 256 + 4 * i, i, 320 + 4 * i);
  printf("ld.global.f64 %%g3,[%%rd1+400]; ld.global.b16 %%h1,[%%rd1+410]; ld.global.b16 %%h2,[%%rd1+412]; "
         "ld.global.b16 %%h3,[%%rd1+414]; ld.global.b64 %%rd3,[%%rd1+416]; setp.gt.u32 %%p1,%%r5,7; %s",
         shape->before);
  if (it->row[0] == '=')
    print_text(it, it->row + 2);
  else
    print_operation(it, shape->how);
  printf("%s ret; }\n", shape->behind);
}

/* --- the table --- */

/* Puts each alternative of the first <a|b> in its place, and so on; prints what has none left. */
static void expand(printer *p, const instruction *it) {
  const char *const open = strchr(it->row, '<'), *const close = open ? strchr(open, '>') : NULL;
  if (!open || !close) {
    instruction one = *it;
    one.number = p->number++;
    const shape_row *const shape = p->shape ? shape_of(p->shape) : NULL;
    if (shape && one.number >= p->first && one.number - p->first < p->count && operation_has(one.row, shape->how))
      print_kernel(&one, shape);
    return;
  }
  for (const char *from = open + 1; from <= close;) {
    const size_t length = strcspn(from, "|>");
    instruction next = *it;
    if (next.groups == GROUPS || length >= sizeof next.chosen[0])
      exit(2);
    snprintf(next.chosen[next.groups++], sizeof next.chosen[0], "%.*s", (int)length, from);
    const int size =
        snprintf(next.row, sizeof next.row, "%.*s%.*s%s", (int)(open - it->row), it->row, (int)length, from, close + 1);
    if (size < 0 || (size_t)size >= sizeof next.row)
      exit(2);
    expand(p, &next);
    from += length + 1;
  }
}

static bool read_table(const char *path, printer *p) {
  FILE *const file = fopen(path, "re");
  if (!file)
    return false;
  instruction it = {.groups = 0};
  while (fgets(it.row, sizeof it.row, file)) {
    it.row[strcspn(it.row, "\n")] = 0;
    if (it.row[0] && it.row[0] != '#')
      expand(p, &it);
  }
  fclose(file);
  return true;
}

int main(int count, char **arguments) {
  if (count != 3 && count != 6)
    return 2;
  if (count == 6)
    printf(".version 9.0\n.target %s\n.address_size 64\n.const .align 16 .b8 co[64];\n"
           ".extern .func (.param .b32 y) f(.param .b32 x);\n",
           arguments[2]);
  if (count == 6 && strcmp(arguments[3], "fences") == 0) {
    print_fences(strtoul(arguments[4], NULL, 10), strtoul(arguments[5], NULL, 10));
    return 0;
  }
  printer p = {.shape = count == 6 ? arguments[3] : NULL};
  if (count == 6) {
    p.first = strtoul(arguments[4], NULL, 10);
    p.count = strtoul(arguments[5], NULL, 10);
  }
  if (!read_table(arguments[1], &p)) {
    fprintf(stderr, "instructions: %s: cannot be read\n", arguments[1]);
    return 1;
  }
  if (count == 3)
    printf("%lu\n", p.number);
  return 0;
}
