/* The additions of REL (R3), written out for a solver: linker/relocate/apply.c's function from value and old content to
 * the field's new content, beside an adder that goes bit by bit with its carry. One question a part of the value: are
 * there numbers for which the two differ? z3 must answer "unsat" for the linker's source, and "sat" for every copy with a
 * planted fault. addition.sh asks; additions.c tries random numbers where no solver is installed. */
#include "symbol.h"

#include <string.h>

extern "C" {
#include "catalog/relocation.h"
}

const char *symbol_broken;
unsigned symbol_definitions;

/* The two records as far as the function reads them, with unknown numbers. */
struct symbol_patch {
  symbol value, bank, auxiliary;
};
struct symbol_field {
  int part;
  unsigned shift;
};

#define tl_patch symbol_patch
#define tl_field symbol_field
#define uint64_t symbol
namespace engine {
#include "addition.inc"
}
namespace fault_or {
#include "addition_or.inc"
}
namespace fault_scale {
#include "addition_scale.inc"
}
namespace fault_after {
#include "addition_after.inc"
}
namespace fault_condition {
#include "addition_condition.inc"
}
namespace fault_width {
#include "addition_width.inc"
}
#undef uint64_t
#undef tl_patch
#undef tl_field

typedef symbol adding(const symbol_patch *patch, const symbol_field *field, symbol old);

enum { BITS = 64 };

/* Names the sum of (`of` >> `from`) and `old`, made bit by bit; bit n of it is "PREFIXs<n>". */
static void write_adder(const char *prefix, const char *of, unsigned from) {
  printf("(define-fun %sc0 () (_ BitVec 1) #b0)\n", prefix);
  for (unsigned i = 0; i < BITS; i++) {
    char bit[64] = "#b0";
    if (i + from < BITS)
      snprintf(bit, sizeof bit, "((_ extract %u %u) %s)", i + from, i + from, of);
    printf("(define-fun %sa%u () (_ BitVec 1) %s)\n", prefix, i, bit);
    printf("(define-fun %so%u () (_ BitVec 1) ((_ extract %u %u) old))\n", prefix, i, i, i);
    printf("(define-fun %ss%u () (_ BitVec 1) (bvxor %sa%u %so%u %sc%u))\n", prefix, i, prefix, i, prefix, i, prefix,
           i);
    printf("(define-fun %sc%u () (_ BitVec 1) (bvor (bvand %sa%u %so%u) (bvand %sc%u (bvor %sa%u %so%u))))\n", prefix,
           i + 1, prefix, i, prefix, i, prefix, i, prefix, i, prefix, i);
  }
}

/* One part of the value, as R2 to R7 say it: of which number, from which bit on, which bits of the sum are the result. */
static const struct part_row {
  int part;
  const char *of;
  unsigned from, first, width;
  unsigned shift;
} parts[] = {
    {TL_PART_ALL, "value", 0, 0, 64, 0},     {TL_PART_LOW, "value", 0, 0, 32, 0},
    {TL_PART_HIGH, "value", 32, 0, 64, 0},   {TL_PART_DWORD, "value", 2, 0, 64, 0},
    {TL_PART_BYTE, "value", 0, 0, 8, 0},     {TL_PART_BYTE, "value", 0, 8, 8, 8},
    {TL_PART_BYTE, "value", 0, 16, 8, 16},   {TL_PART_BYTE, "value", 0, 24, 8, 24},
    {TL_PART_BYTE, "value", 0, 32, 8, 32},   {TL_PART_BYTE, "value", 0, 40, 8, 40},
    {TL_PART_BYTE, "value", 0, 48, 8, 48},   {TL_PART_BYTE, "value", 0, 56, 8, 56},
    {TL_PART_BANK, "bank", 0, 0, 64, 0},     {TL_PART_BANK_TOP, "bank", 4, 0, 64, 0},
    {TL_PART_AUX, "auxiliary", 0, 0, 64, 0}, {TL_PART_ZERO, "value", 0, 0, 0, 0},
};

/* Asks whether the function and the adder differ for any numbers; the answer is z3's next line. */
static void ask(adding *add, const part_row *row) {
  printf("(push)\n");
  symbol_patch patch;
  patch.value = symbol::named("value");
  patch.bank = symbol::named("bank");
  patch.auxiliary = symbol::named("auxiliary");
  const symbol_field field = {row->part, row->shift};
  const symbol result = add(&patch, &field, symbol::named("old"));
  write_adder("x", row->of, row->from);
  printf("(define-fun expected () (_ BitVec 64) (concat");
  for (unsigned i = BITS; i-- > 0;) {
    if (i < row->width)
      printf(" xs%u", i + row->first);
    else
      printf(" #b0");
  }
  printf("))\n(assert (distinct expected %s))\n(check-sat)\n(pop)\n", result.text);
}

enum { EVERY_PART = -1 };

/* Of a planted fault only the part that it is in; then one line that is no question. */
static void ask_all(const char *name, adding *add, int part) {
  symbol_broken = nullptr;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (part == EVERY_PART || part == parts[i].part)
      ask(add, &parts[i]);
  printf("(echo \"%s: %s\")\n", name, symbol_broken ? symbol_broken : "asked");
}

int main() {
  printf("(declare-const value (_ BitVec 64))\n(declare-const old (_ BitVec 64))\n"
         "(declare-const bank (_ BitVec 64))\n(declare-const auxiliary (_ BitVec 64))\n");
  ask_all("engine", engine::apply_part, EVERY_PART);
  ask_all("an or in place of the sum", fault_or::apply_part, TL_PART_ALL);
  ask_all("the old content scaled too", fault_scale::apply_part, TL_PART_DWORD);
  ask_all("the old content added after the part was taken", fault_after::apply_part, TL_PART_BYTE);
  ask_all("if (v == K)", fault_condition::apply_part, TL_PART_ALL);
  ask_all("one bit of the value lost", fault_width::apply_part, TL_PART_HIGH);
  return 0;
}
