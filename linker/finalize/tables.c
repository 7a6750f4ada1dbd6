/* SASS sides that are made of both views: .nv.info.F (M19, I41) and relocation sections (M21). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/sass_type.h"
#include "cubin/attribute.h"
#include "cubin/derive.h"
#include "cubin/elf.h"
#include "cubin/known.h"

#include <string.h>

/* --- .nv.info.F --- */

enum { INFO_TABLE = 8 };            /* bytes behind a kernel with a bindless table */
enum { SM_120 = 120, AVOIDED = 8 }; /* what code of older machines has to avoid */

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
  while (list && *position + 4 <= size) {
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

/* Whether entries of a table that ptxas laid out stay (L1744). */
static bool info_has_entries(const finalizer *f, uint32_t table) {
  const tl_section *const m = final_mercury(f, table);
  return final_entries_of(&f->mercury_entries, m->relocations[1]).count ||
         final_entries_of(&f->mercury_entries, m->laid_out).count;
}

static uint64_t info_count(const uint8_t *list, uint64_t size, uint8_t code) {
  uint64_t position = 0, length, count = 0;
  while (info_next(list, size, code, &position, &length))
    count++;
  return count;
}

/* The records of info_last, where the SASS side has more of them than Mercury's (L1798); the symbol of PARAM_CBANK is that of the bank in the output. */
static void info_put_last(const finalizer *f, info_writer *w, uint32_t section, uint32_t text) {
  const uint32_t sass = f->sass_section[section];
  const uint8_t *const list = final_view_bytes(f->sass, sass);
  for (size_t i = 0; i < sizeof info_last; i++) {
    uint64_t position = 0, length;
    const uint8_t *const record = info_next(list, final_view_size(f->sass, sass), info_last[i], &position, &length);
    const uint8_t *const mercury = final_view_bytes(f->mercury, section);
    const uint64_t size = final_view_size(f->mercury, section);
    if (!record || tl_records_have_whole(mercury, size, info_last[i]) || /* L1535 */
        info_count(list, final_view_size(f->sass, sass), info_last[i]) <= info_count(mercury, size, info_last[i]))
      continue;
    uint8_t *const at = w->bytes + w->size;
    info_put(w, record, length);
    const uint32_t bank = final_sass(f, f->sass_section[text])->constant0;
    if (info_last[i] == EIATTR_PARAM_CBANK && length >= 8 && bank != TL_NONE)
      tl_put32(at + 4, final_symbol_index(f, final_sass(f, bank)->symbol));
  }
  static const uint8_t table[] = {2, 0x15, 0, 0, 2, 0x16, 0, 0};
  const uint32_t slots = final_mercury(f, text)->constant0;
  if (slots != TL_NONE && (f->has_slots[slots] || info_has_entries(f, slots))) /* M19, L749 */
    info_put(w, table, sizeof table);
}

/* L727, D115: a text has one count of CTA counters on the SASS side, that of its last record. All jump slots are one text. */
static void info_share_count(const finalizer *f, uint32_t text, const info_writer *w) {
  enum { COUNT = 0x4a, RECORD = 4, VALUE = 2, BYTE = 2 }; /* other formats say none (L1733) */
  const tl_module *const m = f->mercury->module;
  uint8_t last[RECORD] = {0};
  uint64_t length;
  const uint8_t *record;
  for (uint64_t position = 0; (record = info_next(w->bytes, w->size, COUNT, &position, &length));)
    if (record[0] == BYTE)
      memcpy(last, record, RECORD);
  for (uint64_t position = 0; (record = info_next(w->bytes, w->size, COUNT, &position, &length));) {
    if (record[0] != BYTE || memcmp(record + VALUE, last + VALUE, RECORD - VALUE) == 0)
      continue;
    if (text != m->jump_slots || tl_defect_matched(m->options, TL_DEFECT_D115))
      memcpy(w->bytes + (record - w->bytes) + VALUE, last + VALUE, RECORD - VALUE);
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
    if (length > from_size + other_size - w.size)
      continue;
    info_put(&w, record, length);
    if (code == info_last[2] && record[0] == 4 && length >= 8) /* L1798 */
      w.bytes[w.size - length + 4] |= f->mercury->module->arch < SM_120 ? AVOIDED : 0;
  }
  if (other)
    info_put_last(f, &w, section, text);
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

/* Where the instruction is whose place in decoded code a record of an applied entry has, and the number that the record has there:
 * an address of 32 bits has one at moves and loads of constants and another at all others (L906, L1488). */
static void table_put_record_place(const tl_code *code, const uint8_t *text, const tl_kept *mercury, uint8_t *at) {
  enum { ADDRESS = TL_R_MERCURY + 3, OPCODE = 0xfff, LOAD_UNIFORM = 0x7ac, R_CUDA_ABS32_32 = 55, R_CUDA_ABS24_40 = 74 };
  static const uint16_t moves[] = {0x202, 0x2ca, 0x7ac, 0x802, 0x882, 0x919, 0x9c3, 0xb82, 0xc02};
  const tl_code_place *const place = tl_code_find(code, mercury->offset);
  if (!place || !place->count)
    return;
  const uint64_t own = place->sass + (uint64_t)tl_code_known_of(text, place).own * TL_CODE_INSTRUCTION;
  const uint16_t opcode = tl_get16(text + own) & OPCODE;
  const bool load = place->record && opcode == LOAD_UNIFORM; /* L1550 */
  const uint32_t address = !load && TL_AMONG16(moves, opcode) ? R_CUDA_ABS32_32 : R_CUDA_ABS24_40;
  tl_put64(at, own);
  tl_put32(at + 8, mercury->type == ADDRESS ? address : tl_sass_type_in_code(mercury->type, opcode));
}

/* L906, D113: the records of all functions of a name are in the first one's section, and nvlink's finalizer reads each
 * against that one's code. By default they stay where their own functions have them. */
static bool table_is_foreign(const finalizer *f, const tl_kept *mercury, uint32_t text) {
  if (!mercury->foreign || tl_defect_matched(f->mercury->module->options, TL_DEFECT_D113))
    return false;
  tl_defect_note(f->mercury->module->diagnostics, TL_DEFECT_D113,
                 tl_module_text(f->mercury->module, final_mercury(f, text)->name));
  return true;
}

/* The records of what was applied in a text are made of Mercury's, but for places in the code (L1488). */
static const uint8_t *table_records(finalizer *f, uint32_t section, uint64_t *size) {
  const final_entry_list own = final_entries_of(&f->sass_entries, f->sass_section[section]);
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  const uint32_t text = final_mercury(f, section)->about;
  const tl_code *const code = final_code_map_of(f, text);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  *size = 0;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i], *const beside = own.count == list.count ? own.items[i] : NULL;
    uint8_t *const at = bytes + *size;
    if (tl_relocation_is_code_place(tl_relocation_in_view(kept->type, true)))
      continue;
    tl_put64(at, beside ? beside->offset : 0);
    tl_put64(at + 8, (uint64_t)f->mercury->emitted->symbol_index[kept->symbol] << 32 |
                         (beside ? beside->type : tl_sass_type_in_data(kept->type)));
    tl_put64(at + 16, (uint64_t)kept->addend);
    if (code && !table_is_foreign(f, kept, text))
      table_put_record_place(code, final_code_text(f, text), kept, at);
    *size += ELF_RELA_SIZE;
  }
  return bytes;
}

/* Of several half places at an instruction the one that stands furthest behind its beginning counts, and of those the last one
 * in the output, which was read first (L1540): by instruction its number in the list. */
static tl_map table_find_halves(const finalizer *f, const tl_code *code, final_entry_list list) {
  tl_map halves;
  tl_map_init(&halves, f->arena);
  for (uint32_t i = 0; i < list.count; i++) {
    const tl_code_place *const place =
        tl_code_is_half_place(list.items[i]->type) ? tl_code_find(code, list.items[i]->offset) : NULL;
    const uint32_t known = place ? tl_map_get(&halves, place->sass) : TL_NONE;
    if (place && (known == TL_NONE || list.items[known]->offset <= list.items[i]->offset))
      tl_map_set(&halves, place->sass, i);
  }
  return halves;
}

/* Whether the SASS side has no entry beside one that stays in Mercury's view: places in the code, what says nothing, and what is
 * about reserved shared memory, whose number the instruction has, but for loads of constants. */
static bool table_is_silent(const finalizer *f, const tl_kept *kept, uint16_t opcode) {
  enum { NONE = TL_R_MERCURY, ADDRESS = TL_R_MERCURY + 3, LOAD = 0x7ac };
  const tl_module *const m = f->mercury->module;
  const tl_symbol *const symbol = &m->symbols.items[kept->symbol];
  if (kept->type == 0 || kept->type == NONE || tl_relocation_is_code_place(tl_relocation_in_view(kept->type, true)))
    return true;
  if (kept->type != ADDRESS || opcode == LOAD)
    return false;
  if (symbol->section == TL_NONE)
    return tl_text_behind(tl_module_text(m, symbol->name), ".nv.reservedSmem");
  return m->mode->final && m->sections.items[symbol->section].type == SHT_CUDA_RESERVED_SHARED;
}

/* By default a relocatable output keeps entries that nvlink carries out (D1, D92), and each side its own. */
static bool table_keeps_more(const tl_module *m) {
  return !m->mode->final && !m->options->bug_compatible;
}

/* L1542: the SASS side's entries of code are made of those that stay in Mercury's view, in their order. NULL where the places of
 * the code are not known. */
static const uint8_t *table_code_entries(finalizer *f, uint32_t section, uint64_t *size) {
  enum { OPCODE = 0xfff };
  const uint32_t text = final_mercury(f, section)->about;
  const tl_code *const code = final_code_map_of(f, text);
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  if (!code || text == f->mercury->module->jump_slots || table_keeps_more(f->mercury->module))
    return NULL;
  const uint8_t *const words = final_code_text(f, text);
  const uint64_t words_size = final_view_size(f->sass, f->sass_section[text]) & ~(uint64_t)1;
  const tl_map halves = table_find_halves(f, code, list);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  uint64_t done = 0;
  for (uint32_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    const tl_code_place *const place = tl_code_find(code, kept->offset);
    const tl_symbol *const symbol = &f->mercury->module->symbols.items[kept->symbol];
    if (!place)
      return NULL;
    const uint16_t opcode = place->sass < words_size ? tl_get16(words + place->sass) & OPCODE : 0;
    if (table_is_silent(f, kept, opcode))
      continue;
    const bool kernel = tl_type_of(symbol) == STT_FUNC && symbol->other & STO_ENTRY;
    uint64_t addend = (uint64_t)kept->addend;
    if (tl_code_is_half_place(kept->type) && tl_map_get(&halves, place->sass) == i)
      tl_derive_half_addend(code, opcode, addend, &addend);
    uint8_t *const at = bytes + done;
    tl_put64(at, place->sass);
    tl_put64(at + 8, (uint64_t)f->mercury->emitted->symbol_index[kept->symbol] << 32 |
                         tl_derive_type_in_code(kept->type, opcode, kernel));
    tl_put64(at + 16, addend);
    done += ELF_RELA_SIZE;
  }
  *size = done;
  return bytes;
}

const uint8_t *final_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const tl_section *const m = final_mercury(f, section);
  if (m->type == SHT_CUDA_RESOLVEDRELA && m->about != TL_NONE && final_mercury(f, m->about)->flags & SHF_EXECINSTR)
    return table_records(f, section, size);
  const bool code = m->type == SHT_RELA && m->about != TL_NONE && final_mercury(f, m->about)->flags & SHF_EXECINSTR;
  const uint8_t *const made = code ? table_code_entries(f, section, size) : NULL;
  if (made)
    return made;
  const final_entry_list list = final_entries_of(&f->sass_entries, f->sass_section[section]);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  *size = list.count * ELF_RELA_SIZE;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    uint8_t *const at = bytes + i * ELF_RELA_SIZE;
    tl_put64(at, kept->offset);
    tl_put64(at + 8, (uint64_t)final_symbol_index(f, kept->symbol) << 32 | kept->type);
    tl_put64(at + 16, (uint64_t)kept->addend);
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

/* M27: the entries of a kernel's bindless table, which lies behind its parameters here. Places in the code have none on the SASS
 * side (L1200). */
const uint8_t *final_table_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const uint64_t base = final_laid_base(f); /* L767, L808 */
  const uint32_t entries = table_entries_of(f, section);
  const uint64_t own = final_view_size(f->mercury, entries);
  const uint8_t *const from = final_view_bytes(f->mercury, entries);
  uint8_t *const bytes = final_new(f, own);
  uint64_t done = 0;
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= own; at += ELF_RELA_SIZE) {
    const uint32_t type = tl_get32(from + at + 8);
    const bool nothing = type == 0 || type == TL_R_MERCURY; /* L1543 */
    if (nothing || tl_relocation_is_code_place(tl_relocation_in_view(type, true)))
      continue;
    memcpy(bytes + done, from + at, ELF_RELA_SIZE);
    tl_put64(bytes + done, tl_get64(from + at) + base);
    tl_put32(bytes + done + 8, tl_sass_type_in_data(type));
    done += ELF_RELA_SIZE;
  }
  *size = done;
  return bytes;
}
