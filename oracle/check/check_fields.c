/* What each relocation type writes (R2 to R9, relocations.md section 12): one letter a type for the part of the value, and
 * the bits from the doubters' table of types. Written bit by bit; bits behind the end of the section are lost (R9a). */
#include "check_parts.h"

#include "ref_names.h"

/* v value, l low half, h high half, q value / 4, c constant offset / 4 and bank, C constant offset and bank, s the
 * symbol's auxiliary word, 0..7 a byte, p value less the field's place, z zero, y removed without a write, . left to the
 * loader. */
static const char formulas[] = ".vv..v....lhvlhvvvvsssqqccsvvqq.....CCcCppvlhvv...cq..Cvlh.vv...cqC.yylhzzv.01234567"
                               "................v.vv01234567lh.C";
enum { FORMULAS = sizeof formulas - 1, BYTE_BITS = 8 };

static char check_formula_of(uint32_t type) {
  return type < FORMULAS ? formulas[type] : '.';
}

bool check_type_is_applied(uint32_t type) {
  const char formula = check_formula_of(type);
  return formula != '.' && formula != 'y';
}

bool check_type_is_runtime(uint32_t type) {
  return check_formula_of(type) == '.';
}

uint32_t check_type_rewritten(uint32_t type) {
  static const struct {
    uint32_t from, to, becomes;
  } rows[] = {{102, 102, 2}, {103, 103, 1}, {104, 111, 76}, {112, 113, 56}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (type >= rows[i].from && type <= rows[i].to) {
      return rows[i].becomes + (type - rows[i].from);
    }
  }
  return type;
}

static uint64_t check_get_bits(const uint8_t *bytes, uint64_t size, uint64_t at, ref_field field) {
  uint64_t value = 0;
  for (unsigned i = 0; i < field.width; i++) {
    const uint64_t byte = at + (field.start + i) / BYTE_BITS;
    if (byte < size) {
      value |= (uint64_t)(bytes[byte] >> (field.start + i) % BYTE_BITS & 1) << i;
    }
  }
  return value;
}

static void check_put_bits(uint8_t *bytes, uint64_t size, uint64_t at, ref_field field, uint64_t value) {
  for (unsigned i = 0; i < field.width; i++) {
    const uint64_t byte = at + (field.start + i) / BYTE_BITS;
    const unsigned mask = 1U << (field.start + i) % BYTE_BITS;
    if (byte < size) {
      bytes[byte] = (uint8_t)((value >> i & 1) != 0 ? bytes[byte] | mask : bytes[byte] & ~mask);
    }
  }
}

/* The value of the first field, before it is cut to its width. */
static uint64_t check_first_value(char formula, uint64_t v, uint64_t old, uint64_t aux) {
  switch (formula) {
  case 'l':
    return (v + old) & UINT32_MAX;
  case 'h':
    return (v >> 32) + old;
  case 'q':
  case 'c':
    return (v >> 2) + old;
  case 's':
    return aux + old;
  case 'z':
    return 0;
  case 'v':
  case 'p': /* the place is in S already */
  case 'C':
    return v + old;
  default:
    return (v + old) >> (BYTE_BITS * (unsigned)(formula - '0'));
  }
}

void check_write_field(uint8_t *bytes, uint64_t size, uint64_t at, uint32_t type, const check_formula *formula) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  const char letter = check_formula_of(type);
  if (row == NULL || !check_type_is_applied(type)) {
    return;
  }
  const uint64_t old = formula->adds_old ? check_get_bits(bytes, size, at, row->fields[0]) : 0;
  const uint64_t A = formula->A;
  check_put_bits(bytes, size, at, row->fields[0], check_first_value(letter, formula->S + A, old, formula->aux + A));
  if (letter != 'c' && letter != 'C') {
    return;
  }
  for (size_t i = 1, below = 0; i < REF_FIELDS_MAX; i++) { /* a bank in two fields: the old bits are added in each */
    const uint64_t old_bank = formula->adds_old ? check_get_bits(bytes, size, at, row->fields[i]) : 0;
    check_put_bits(bytes, size, at, row->fields[i], (formula->bank >> below) + old_bank);
    below += row->fields[i].width;
  }
}

unsigned check_solve_field(const uint8_t *made, const uint8_t *input, uint64_t size, uint64_t at, uint32_t type,
                           const check_formula *formula, uint64_t *S) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  const char letter = check_formula_of(type);
  if (row == NULL || (letter != 'v' && letter != 'l' && letter != 'C' && letter != 'c' && letter != 'q')) {
    return 0;
  }
  const uint64_t old = formula->adds_old ? check_get_bits(input, size, at, row->fields[0]) : 0;
  const uint64_t A = formula->A;
  const uint64_t field = check_get_bits(made, size, at, row->fields[0]) - old;
  const bool quarter = letter == 'c' || letter == 'q';
  const unsigned width = row->fields[0].width + (quarter ? 2U : 0U);
  const uint64_t value = quarter ? (field << 2) + (A & 3) - A : field - A;
  *S = width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
  return width;
}

bool check_field_limit(uint32_t type, uint64_t *limit) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  const char letter = check_formula_of(type);
  if (row == NULL || (letter != 'v' && letter != 'C' && letter != 'c' && letter != 'q')) {
    return false;
  }
  const unsigned width = row->fields[0].width + (letter == 'c' || letter == 'q' ? 2U : 0U);
  *limit = UINT64_C(1) << (width < 63 ? width : 63);
  return true;
}

void check_copy_field(uint8_t *to, const uint8_t *from, uint64_t size, uint64_t at, uint32_t type) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  for (size_t i = 0; row != NULL && check_type_is_applied(type) && i < REF_FIELDS_MAX; i++) {
    check_put_bits(to, size, at, row->fields[i], check_get_bits(from, size, at, row->fields[i]));
  }
}
