/* SASS sides that are made of both views: .nv.info.F (M19, I41), relocation sections (M21), .nv.compat (M18). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "cubin/known.h"

#include <string.h>

/* --- .nv.info.F --- */

enum { INFO_TABLE = 8 }; /* bytes behind a kernel with a bindless table */

typedef enum info_rule {
  INFO_COPY,    /* as in the Mercury view */
  INFO_MERCURY, /* not on the SASS side */
  INFO_SASS     /* instruction offsets, or computed from the code: the SASS view's record of that code */
} info_rule;

typedef struct info_row {
  uint8_t code;
  info_rule rule;
} info_row;

static const info_row info_rows[] = {
    {0x43, INFO_MERCURY}, {0x48, INFO_MERCURY}, {0x5a, INFO_MERCURY}, {0x15, INFO_SASS}, {0x16, INFO_SASS},
    {0x1c, INFO_SASS},    {0x28, INFO_SASS},    {0x2e, INFO_SASS},    {0x31, INFO_SASS}, {0x34, INFO_SASS},
    {0x39, INFO_SASS},    {0x40, INFO_SASS},    {0x44, INFO_SASS},    {0x46, INFO_SASS}, {0x47, INFO_SASS},
    {0x4a, INFO_SASS},    {0x55, INFO_SASS},    {0x57, INFO_SASS},
};

/* What only the SASS side has, at its end in this order (M19). */
static const uint8_t info_last[] = {0x19, EIATTR_PARAM_CBANK, 0x36};

static info_rule info_rule_of(uint8_t code) {
  for (size_t i = 0; i < sizeof info_rows / sizeof *info_rows; i++)
    if (info_rows[i].code == code)
      return info_rows[i].rule;
  return INFO_COPY;
}

/* The next record of that code in a written list, from *position on; NULL behind the last. */
static const uint8_t *info_next(const uint8_t *list, uint64_t size, uint8_t code, uint64_t *position,
                                uint64_t *length) {
  while (*position + 4 <= size) {
    const uint8_t *const at = list + *position;
    *length = at[0] == 4 ? 4 + (uint64_t)tl_get16(at + 2) : 4;
    *position += *length;
    if (at[1] == code)
      return at;
  }
  return NULL;
}

typedef struct info_writer {
  uint8_t *bytes;
  uint64_t size;
} info_writer;

static void info_put(info_writer *w, const uint8_t *record, uint64_t length) {
  memcpy(w->bytes + w->size, record, length);
  w->size += length;
}

/* The records of info_last; the symbol of PARAM_CBANK is that of the bank in the output. */
static void info_put_last(const finalizer *f, info_writer *w, const uint8_t *list, uint64_t size, uint32_t text) {
  for (size_t i = 0; i < sizeof info_last; i++) {
    uint64_t position = 0, length;
    const uint8_t *const record = info_next(list, size, info_last[i], &position, &length);
    if (!record)
      continue;
    uint8_t *const at = w->bytes + w->size;
    info_put(w, record, length);
    const uint32_t bank = final_sass(f, f->sass_section[text])->constant0;
    if (info_last[i] == EIATTR_PARAM_CBANK && length >= 8 && bank != TL_NONE)
      tl_put32(at + 4, final_symbol_index(f, final_sass(f, bank)->symbol));
  }
  static const uint8_t table[] = {2, 0x15, 0, 0, 2, 0x16, 0, 0};
  const uint32_t slots = final_mercury(f, text)->constant0;
  if (slots != TL_NONE && (f->has_slots[slots] || final_mercury(f, slots)->pieces.count)) /* M19, L749 */
    info_put(w, table, sizeof table);
}

/* L727, D115: a text has one count of CTA counters on the SASS side, that of its last record. All jump slots are one text. */
static void info_share_count(const finalizer *f, uint32_t text, const info_writer *w) {
  enum { COUNT = 0x4a, RECORD = 4 };
  const tl_module *const m = f->mercury->module;
  uint8_t last[RECORD] = {0};
  uint64_t length;
  const uint8_t *record;
  for (uint64_t position = 0; (record = info_next(w->bytes, w->size, COUNT, &position, &length));)
    memcpy(last, record, RECORD);
  for (uint64_t position = 0; (record = info_next(w->bytes, w->size, COUNT, &position, &length));) {
    if (length != RECORD || memcmp(record, last, RECORD) == 0)
      continue;
    if (text != m->jump_slots || tl_defect_matched(m->options, TL_DEFECT_D115))
      memcpy(w->bytes + (record - w->bytes), last, RECORD);
    else
      tl_defect_note(m->diagnostics, TL_DEFECT_D115, NULL);
  }
}

const uint8_t *final_info(finalizer *f, uint32_t section, uint64_t *size) {
  const uint8_t *const from = final_view_bytes(f->mercury, section);
  const uint64_t from_size = final_view_size(f->mercury, section);
  const uint32_t sass = f->sass_section[section], text = final_mercury(f, section)->about;
  const uint8_t *const other = sass == TL_NONE ? NULL : final_view_bytes(f->sass, sass);
  const uint64_t other_size = sass == TL_NONE ? 0 : final_view_size(f->sass, sass);
  uint64_t next[256] = {0};
  info_writer w = {final_new(f, from_size + other_size + INFO_TABLE), 0};
  for (uint64_t position = 0; position + 4 <= from_size;) {
    const uint8_t *record = from + position;
    const uint8_t code = record[1];
    uint64_t length = record[0] == 4 ? 4 + (uint64_t)tl_get16(record + 2) : 4;
    position += length;
    const info_rule rule = info_rule_of(code);
    if (rule == INFO_MERCURY)
      continue;
    if (rule == INFO_SASS) {
      uint64_t own;
      const uint8_t *const same = info_next(other, other_size, code, &next[code], &own);
      record = same ? same : record;
      length = same ? own : length;
    }
    if (length <= from_size + other_size - w.size)
      info_put(&w, record, length);
  }
  if (other)
    info_put_last(f, &w, other, other_size, text);
  info_share_count(f, text, &w);
  *size = w.size;
  return w.bytes;
}

/* --- relocation sections --- */

uint32_t final_symbol_index(const finalizer *f, uint32_t symbol) {
  const tl_symbol *const s = &f->sass->module->symbols.items[symbol];
  const tl_emitted *const e = f->mercury->emitted;
  if (tl_type_of(s) != STT_SECTION)
    return f->mercury_symbol[symbol] == TL_NONE ? 0 : e->symbol_index[f->mercury_symbol[symbol]];
  if (f->constant_symbol[s->section])
    return f->constant_symbol[s->section];
  const uint32_t section = f->mercury_section[s->section];
  const uint32_t own = section == TL_NONE ? TL_NONE : final_mercury(f, section)->symbol;
  return own == TL_NONE ? 0 : e->symbol_index[own];
}

/* L906, D113: the records of all functions of a name are in the first one's section, and nvlink's finalizer reads each
 * against that one's code: it stands at the instruction there, with one type at moves and another at all others. */
static void table_read_foreign(finalizer *f, uint32_t section, const tl_kept *mercury, uint8_t *at) {
  enum { ADDRESS = TL_R_MERCURY + 3, OPERATION = 0x1ff, R_CUDA_ABS32_32 = 55, R_CUDA_ABS24_40 = 74 };
  static const uint32_t moves[] = {0x002, 0x082, 0x0ca};
  const uint32_t text = final_mercury(f, section)->about;
  if (!mercury->foreign || mercury->type != ADDRESS)
    return;
  if (!tl_defect_matched(f->mercury->module->options, TL_DEFECT_D113)) {
    tl_defect_note(f->mercury->module->diagnostics, TL_DEFECT_D113,
                   tl_module_text(f->mercury->module, final_mercury(f, text)->name));
    return;
  }
  const tl_code *const code = final_code_map_of(f, text);
  const tl_code_place *const place = code ? tl_code_find(code, mercury->offset) : NULL;
  const uint8_t *const sass = place ? final_view_bytes(f->sass, f->sass_section[text]) : NULL;
  if (!place || place->sass >= final_view_size(f->sass, f->sass_section[text]))
    return;
  const uint64_t own = place->sass + (uint64_t)tl_code_known_of(sass, place).own * TL_CODE_INSTRUCTION;
  const uint32_t operation = tl_get16(sass + own) & OPERATION;
  tl_put64(at, own);
  tl_put32(at + 8, TL_AMONG32(moves, operation) ? R_CUDA_ABS32_32 : R_CUDA_ABS24_40);
}

const uint8_t *final_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const final_entry_list list = final_entries_of(&f->sass_entries, f->sass_section[section]);
  const final_entry_list mercury = final_entries_of(&f->mercury_entries, section);
  const bool records = final_mercury(f, section)->type == SHT_CUDA_RESOLVEDRELA && mercury.count == list.count;
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  final_places places = {0};
  *size = list.count * ELF_RELA_SIZE;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    uint8_t *const at = bytes + i * ELF_RELA_SIZE;
    tl_put64(at, kept->offset);
    tl_put64(at + 8, (uint64_t)final_symbol_index(f, kept->symbol) << 32 | kept->type);
    tl_put64(at + 16, (uint64_t)final_debug_addend(f, section, kept, &places));
    if (records)
      table_read_foreign(f, section, mercury.items[i], at);
  }
  return bytes;
}

/* L808, D140: beside the entries of the inputs, in a section of their own, nvlink writes them for the link's slots, too. */
static uint32_t table_entries_of(const finalizer *f, uint32_t section) {
  const uint32_t laid = final_mercury(f, final_mercury(f, section)->about)->laid_out;
  if (laid == TL_NONE || laid == section || !f->mercury->emitted->relocated->container_used[laid])
    return section;
  if (tl_defect_matched(f->mercury->module->options, TL_DEFECT_D140))
    return laid;
  tl_defect_note(f->mercury->module->diagnostics, TL_DEFECT_D140,
                 tl_module_text(f->mercury->module, final_mercury(f, section)->name));
  return section;
}

/* M27: the entries of a kernel's bindless table, which lies behind its parameters here. */
const uint8_t *final_table_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  static const uint32_t types[] = {6, 101, 52}; /* of R_MERCURY 11, 12, 13 (R63) */
  const uint64_t base = final_laid_base(f);     /* L767, L808 */
  const uint32_t entries = table_entries_of(f, section);
  const uint64_t own = final_view_size(f->mercury, entries);
  uint8_t *const bytes = final_new(f, own);
  memcpy(bytes, final_view_bytes(f->mercury, entries), own);
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= own; at += ELF_RELA_SIZE) {
    const uint32_t kind = tl_get32(bytes + at + 8) - (TL_R_MERCURY + 11);
    tl_put64(bytes + at, tl_get64(bytes + at) + base);
    if (kind < sizeof types / sizeof *types)
      tl_put32(bytes + at + 8, types[kind]);
  }
  *size = own;
  return bytes;
}

/* --- .nv.compat --- */

enum { COMPAT_FASTPATH = 11, COMPAT_RECORD = 12 };

enum { FASTPATH_ANY = 1, FASTPATH_100 = 9, FASTPATH_120 = 0x50 };

/* M18: floating point of certain kinds in one text of an input. */
static bool compat_has_floats(const tl_cubin_section *text) {
  static const uint16_t opcodes[] = {0x21, 0x0b, 0x28, 0x29, 0x2a, 0x2b}; /* 9 bits: FADD, FSETP, FP64 */
  for (uint64_t at = 0; at + 16 <= text->size; at += 16)
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
      if ((tl_get16(text->data + at) & 0x1ff) == opcodes[i])
        return true;
  return false;
}

/* The attribute in an input, 0 where it has none. */
static uint32_t compat_input(const finalizer *f, const tl_cubin *cubin) {
  const tl_module *const s = f->sass->module;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    uint64_t position = 0;
    tl_record record;
    while (cubin->sections[i].type == SHT_CUDA_COMPAT &&
           tl_record_next(cubin, i, &position, &record, s->names, f->mercury->module->diagnostics))
      if (record.code == COMPAT_FASTPATH && record.format == 4 && record.size >= 4)
        return tl_get32(record.data);
  }
  return 0;
}

static bool compat_is_code(const tl_cubin_section *section) {
  return section->flags & SHF_EXECINSTR && section->type == SHT_PROGBITS;
}

/* Whether a text of an input is in the output. */
static bool compat_is_live(const finalizer *f, uint32_t file, uint32_t section) {
  const tl_module *const s = f->sass->module;
  const tl_cubin *const cubin = &s->files[file];
  const uint32_t primary = tl_cubin_primary(cubin, section);
  if (primary >= cubin->symbol_count)
    return false;
  const tl_body *const body = &s->resolution->bodies[file][primary];
  return body->function != TL_NONE && s->resolution->functions.items[body->function].live &&
         body->role != TL_BODY_LOSES && !body->replaced;
}

/* What one file says: 9, unless live code forbids it; all bits when the file gives no live code. */
static uint32_t compat_of_file(const finalizer *f, uint32_t file) {
  const tl_cubin *const cubin = &f->sass->module->files[file];
  bool any = false, live_floats = false, dead_floats = false;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const text = &cubin->sections[i];
    if (!compat_is_code(text))
      continue;
    const bool live = compat_is_live(f, file, i);
    any |= live;
    *(live ? &live_floats : &dead_floats) |= compat_has_floats(text);
  }
  const uint32_t said = compat_input(f, cubin);
  if (!any)
    return UINT32_MAX;
  return said == FASTPATH_ANY && !live_floats && dead_floats ? FASTPATH_100 : said;
}

/* 64-bit conversions, which wait for the FP64 unit too although attribute 11 does not count them. */
static bool compat_has_wide_conversions(const finalizer *f, uint32_t file) {
  enum { FIRST = 0x110, LAST = 0x113 }; /* 9 bits: F2F, F2I, I2F, FRND */
  const tl_cubin *const cubin = &f->sass->module->files[file];
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const text = &cubin->sections[i];
    if (!compat_is_code(text) || !compat_is_live(f, file, i))
      continue;
    for (uint64_t at = 0; at + 16 <= text->size; at += 16)
      if ((tl_get16(text->data + at) & 0x1ff) >= FIRST && (tl_get16(text->data + at) & 0x1ff) <= LAST)
        return true;
  }
  return false;
}

void final_check_family(const finalizer *f) {
  enum { KEPT_FOR_103 = 8, SM_100 = 100, SM_103 = 103 };
  const tl_module *const m = f->mercury->module;
  for (uint32_t i = 0; m->arch == SM_103 && i < m->file_count; i++) {
    const char *const path = m->files[i].path;
    if ((m->files[i].flags >> 8 & 0xffff) == SM_100 &&
        (!(compat_of_file(f, i) & KEPT_FOR_103) || compat_has_wide_conversions(f, i)))
      tl_diagnostics_add(m->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE),
                         (tl_site){path, NULL, NULL, TL_NO_OFFSET}, NULL, path,
                         "its code is scheduled for sm_100, and sm_103 needs another schedule; compile it for sm_103");
  }
}

static uint32_t compat_fastpath(const finalizer *f) {
  const tl_module *const m = f->mercury->module;
  if (!m->functions.count)
    return 0;
  if (m->arch == 120)
    return FASTPATH_120;
  uint32_t value = FASTPATH_100;
  for (uint32_t i = 0; m->arch == 100 && i < m->file_count; i++)
    value &= compat_of_file(f, i);
  return m->arch == 100 ? value : 0;
}

const uint8_t *final_compat(finalizer *f, uint64_t *size) {
  const tl_module *const m = f->mercury->module;
  const uint64_t own = final_view_size(f->mercury, m->compat_section);
  uint8_t *const bytes = final_new(f, own + COMPAT_RECORD);
  memcpy(bytes, final_view_bytes(f->mercury, m->compat_section), own);
  bytes[own] = 4;
  bytes[own + 1] = COMPAT_FASTPATH;
  tl_put16(bytes + own + 2, 8);
  tl_put32(bytes + own + 4, compat_fastpath(f));
  *size = own + COMPAT_RECORD;
  return bytes;
}
