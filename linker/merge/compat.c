/* .nv.compat of several files (I60-I70, F56, F65-F72): each attribute has its own merge, the order is that of the first
 * file's records, and a missing one is appended with its default after the file that lacks it. The target's variant
 * (attribute 9) comes first whatever the inputs say. */
#include "base/bytes.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "merge/merging.h"

typedef enum compat_rule { COMPAT_ISA_CLASS, COMPAT_OR, COMPAT_TCGEN05, COMPAT_EQUAL, COMPAT_MAXIMUM } compat_rule;

typedef struct compat_row {
  uint8_t code, format;
  compat_rule rule;
  uint16_t missing; /* default */
  bool always;      /* written when no file has it */
} compat_row;

static const compat_row compat_rows[] = {
    {2, 2, COMPAT_ISA_CLASS, 0, true},    /* I60 */
    {3, 2, COMPAT_OR, 3, true},           /* I61 */
    {5, 2, COMPAT_TCGEN05, 0, true},      /* I62 */
    {6, 2, COMPAT_EQUAL, 1, true},        /* I63 */
    {7, 3, COMPAT_MAXIMUM, 0x0100, true}, /* I64 */
    {8, 3, COMPAT_MAXIMUM, 0, false},     /* I64 */
};
enum { COMPAT_VARIANT = 9 }; /* F56 */
enum { COMPAT_ROWS = sizeof compat_rows / sizeof *compat_rows };

static const compat_row *compat_find(uint8_t code) {
  for (int i = 0; i < COMPAT_ROWS; i++)
    if (compat_rows[i].code == code)
      return &compat_rows[i];
  return NULL;
}

/* The larger of the two, or 0 when one is 0. */
static unsigned compat_weakest(unsigned a, unsigned b) {
  return a && b ? (unsigned)tl_larger(a, b) : 0;
}

static uint16_t compat_merge(compat_rule rule, uint16_t a, uint16_t b) {
  switch (rule) {
  case COMPAT_ISA_CLASS:
    return (uint16_t)compat_weakest(a, b);
  case COMPAT_OR:
    return a | b;
  case COMPAT_TCGEN05:
    return (uint16_t)((a & 0xf0u) | compat_weakest(a & 3u, b & 3u) | compat_weakest(a >> 2 & 3u, b >> 2 & 3u) << 2);
  case COMPAT_EQUAL:
    return a == b ? a : 1;
  case COMPAT_MAXIMUM:
    break;
  }
  return (uint16_t)tl_larger(a, b);
}

static uint8_t *compat_record(const tl_module *module, uint8_t code) {
  for (uint32_t at = 0; at < module->compat_size; at += 4)
    if (module->compat[at + 1] == code)
      return module->compat + at;
  return NULL;
}

/* Takes a value of a file; one of format 2 has no more than a byte, and so has what two of them become. */
static void compat_take(tl_module *module, const compat_row *row, uint16_t value) {
  uint8_t *at = compat_record(module, row->code);
  if (at) {
    tl_put16(at + 2, compat_merge(row->rule, tl_get16(at + 2), value));
    return;
  }
  at = module->compat + module->compat_size;
  module->compat_size += 4;
  at[0] = row->format;
  at[1] = row->code;
  tl_put16(at + 2, value);
}

/* The value stands in the third byte, or in the u16 there, whatever the format says (I68). */
static uint16_t compat_value(const compat_row *row, const tl_record *record) {
  const uint16_t word = record->format == 4 ? record->size : tl_get16(record->data);
  return row->format == 2 ? word & 0xff : word;
}

void tl_merge_compat_begin(tl_module *module) {
  module->compat = tl_arena_new(module->arena, uint8_t, 4 * (COMPAT_ROWS + 1));
  module->compat[0] = 2;
  module->compat[1] = COMPAT_VARIANT;
  module->compat[2] = module->accelerated;
  module->compat_size = 4;
}

void tl_merge_compat(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  if (module->compat_section == TL_NONE)
    return;
  bool present[COMPAT_ROWS] = {false};
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next(m->cubin, section, &position, &record, module->names, module->diagnostics)) {
    const compat_row *const row = compat_find(record.code);
    if (!row) /* I66, I67; the variant is known, but is not the inputs' to say */
      continue;
    compat_take(module, row, compat_value(row, &record));
    present[row - compat_rows] = true;
  }
  for (int i = 0; i < COMPAT_ROWS; i++)
    if (!present[i] && compat_rows[i].always)
      compat_take(module, &compat_rows[i], compat_rows[i].missing);
}

/* Also of a file whose merge fails, which is read to its end. */
static bool compat_has_isa_class(const tl_merging *m, uint32_t section) {
  uint64_t position = 0;
  tl_record record;
  bool has = false;
  while (tl_record_next(m->cubin, section, &position, &record, m->module->names, m->module->diagnostics)) {
    has |= record.code == 2;
    if (m->module->compat_section != TL_NONE && record.code != COMPAT_VARIANT && !compat_find(record.code))
      tl_trace(m->module->diagnostics, TL_TRACE_UNKNOWN_COMPAT, (uint64_t)record.code);
  }
  return has;
}

/* A file without such a section needs none (L224, L1075), and each is asked (L1078). */
void tl_merge_check_isa_class(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  const tl_site site = {m->cubin->path, ".nv.compat", NULL, TL_NO_OFFSET};
  if (!compat_has_isa_class(m, section))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_ISA_CLASS), site, NULL,
                       (uint64_t)module->arch, m->cubin->path);
}
