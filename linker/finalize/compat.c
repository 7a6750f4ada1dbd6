/* The attribute of .nv.compat that nvlink's finalizer writes (M18): whether code of sm_100 may go on as it is for sm_103.
 *
 * It is computed anew in every link, from the code that is in the output and from the other attributes; what the inputs say
 * of it is not read (I66). Doubles forbid it, and one form of FSETP (L990). nvlink looks at Mercury's instructions: at the
 * SASS words that those are derived from, and at the records of the others. So a double with an immediate, which has a
 * record, is not known from its SASS word. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"

#include <string.h>

enum { COMPAT_FASTPATH = 11, COMPAT_RECORD = 12 };
enum { FASTPATH_ANY = 1, FASTPATH_100 = 9, FASTPATH_120 = 0x50 };
enum { OPCODE_MASK = 0xfff, SM_100 = 100, SM_103 = 103, SM_120 = 120 };

/* Of a comparison's second word: the operation that joins the other condition; whether there is neither a second result nor
 * another condition. */
#define TEST_OPERATION (UINT64_C(3) << 10)
#define TEST_IS_SHORT (UINT64_C(7) << 20 | UINT64_C(7) << 23)

/* L990: SASS words of doubles that a Mercury instruction is derived from, and FSETP with an immediate. */
static bool compat_word_forbids(const uint8_t *word) {
  enum { DSETP = 0x22a, DSETP_UNIFORM = 0xe2a, FSETP_IMMEDIATE = 0x80b };
  static const uint16_t doubles[] = {0x228, 0x229, 0x22b, 0xc28, 0xc2b, 0xe29, 0xe2b}; /* DMUL, DADD, DFMA */
  const uint16_t opcode = tl_get16(word) & OPCODE_MASK;
  const uint64_t second = tl_get64(word + 8);
  const bool is_short = (second & TEST_IS_SHORT) == TEST_IS_SHORT, joins = second & TEST_OPERATION;
  if (opcode == DSETP || opcode == DSETP_UNIFORM)
    return !is_short || !joins;
  return opcode == FSETP_IMMEDIATE ? is_short && !joins : TL_AMONG16(doubles, opcode);
}

/* L990: records of doubles with an immediate, and of products of matrices of doubles. */
static bool compat_record_forbids(const uint8_t *record) {
  enum { RECORD_UNITS = 0xf };
  static const uint8_t heads[][3] = {{0x0c, 0x1e, 0x0e}, {0x0d, 0x1a, 0x0e}, {0x0d, 0x1c, 0x0e}, {0x0f, 0x12, 0x0e},
                                     {0x10, 0x0a, 0x0e}, {0x5a, 0x04, 0x26}, {0x5a, 0x08, 0x26}, {0x5a, 0x10, 0x26}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if ((record[0] & RECORD_UNITS) && memcmp(record + 1, heads[i], sizeof heads[i]) == 0)
      return true;
  return false;
}

static bool compat_text_forbids(finalizer *f, uint32_t text) {
  const tl_code *const code = final_code_map_of(f, text);
  const uint8_t *const capsule = final_view_bytes(f->mercury, text);
  const uint8_t *const sass = final_view_bytes(f->sass, f->sass_section[text]);
  for (size_t i = 0; code && i < code->count; i++) {
    const tl_code_place *const place = &code->items[i];
    if (place->code && (place->derived ? compat_word_forbids(sass + place->sass)
                                       : place->record && compat_record_forbids(capsule + place->record)))
      return true;
  }
  return false;
}

/* Instructions that do not count for the attribute, but whose times are others on sm_103: conversions of 64 bits, POPC, and
 * MUFU.EX2 of floats and halves (L991). */
static bool compat_text_waits(const finalizer *f, uint32_t text) {
  enum { FIRST = 0x110, LAST = 0x113, POPC = 0x109, MUFU = 0x108, SHORT_MASK = 0x1ff, EX2 = 2 };
  const uint8_t *const sass = final_view_bytes(f->sass, f->sass_section[text]);
  const uint64_t size = final_view_size(f->sass, f->sass_section[text]);
  for (uint64_t at = 0; at + TL_CODE_INSTRUCTION <= size; at += TL_CODE_INSTRUCTION) {
    const uint16_t opcode = tl_get16(sass + at) & SHORT_MASK;
    if ((opcode >= FIRST && opcode <= LAST) || opcode == POPC ||
        (opcode == MUFU && (tl_get64(sass + at + 8) >> 10 & 0xf) == EX2))
      return true;
  }
  return false;
}

/* A text of the output with a body of some file. */
static bool compat_has_text(const finalizer *f, uint32_t section) {
  const tl_module *const m = f->mercury->module;
  return m->sections.items[section].flags & SHF_EXECINSTR && f->sass_section[section] != TL_NONE &&
         section != m->jump_slots && final_plain_index(f, section) && final_standing_file(f, section) != TL_NONE;
}

static bool compat_has_code(const finalizer *f) {
  for (uint32_t i = 0; i < f->mercury->module->sections.count; i++)
    if (compat_has_text(f, i))
      return true;
  return false;
}

void final_check_family(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  bool *const waits = tl_arena_new(f->arena, bool, m->file_count);
  for (uint32_t i = 0; m->arch == SM_103 && i < m->sections.count; i++)
    if (compat_has_text(f, i) && (compat_text_forbids(f, i) || compat_text_waits(f, i)))
      waits[final_standing_file(f, i)] = true;
  for (uint32_t i = 0; m->arch == SM_103 && i < m->file_count; i++)
    if ((m->files[i].flags >> 8 & 0xffff) == SM_100 && waits[i])
      tl_diagnostics_add(m->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE),
                         (tl_site){m->files[i].path, NULL, NULL, TL_NO_OFFSET}, NULL, m->files[i].path,
                         "its code is scheduled for sm_100, and sm_103 needs another schedule; compile it for sm_103");
}

/* I66: the class of instructions is 4, or one of the two levels of tensor instructions is 2. */
static bool compat_attributes_forbid(const uint8_t *records, uint64_t size) {
  enum { CLASS = 2, TENSOR = 5, FORBIDDEN_CLASS = 4, LEVEL_MASK = 3, FORBIDDEN_LEVEL = 2, SIZED = 4, HEAD = 4 };
  for (uint64_t at = 0; at + HEAD <= size;
       at += HEAD + (uint64_t)(records[at] == SIZED ? tl_get16(records + at + 2) : 0)) {
    const uint8_t code = records[at + 1], value = records[at + 2];
    if (code == CLASS && value == FORBIDDEN_CLASS)
      return true;
    if (code == TENSOR && ((value & LEVEL_MASK) == FORBIDDEN_LEVEL || (value >> 2 & LEVEL_MASK) == FORBIDDEN_LEVEL))
      return true;
  }
  return false;
}

/* Without code the attribute is 0, also where functions are declared (L1571). */
static uint32_t compat_fastpath(finalizer *f, const uint8_t *records, uint64_t size) {
  const tl_module *const m = f->mercury->module;
  if (!compat_has_code(f))
    return 0;
  if (m->arch != SM_100)
    return m->arch == SM_120 ? FASTPATH_120 : 0;
  bool forbidden = compat_attributes_forbid(records, size);
  for (uint32_t i = 0; !forbidden && i < m->sections.count; i++)
    forbidden = compat_has_text(f, i) && compat_text_forbids(f, i);
  return forbidden ? FASTPATH_ANY : FASTPATH_100;
}

const uint8_t *final_compat(finalizer *f, uint64_t *size) {
  const tl_module *const m = f->mercury->module;
  const uint64_t own = final_view_size(f->mercury, m->compat_section);
  uint8_t *const bytes = final_new(f, own + COMPAT_RECORD);
  memcpy(bytes, final_view_bytes(f->mercury, m->compat_section), own);
  bytes[own] = 4;
  bytes[own + 1] = COMPAT_FASTPATH;
  tl_put16(bytes + own + 2, 8);
  tl_put32(bytes + own + 4, compat_fastpath(f, bytes, own));
  *size = own + COMPAT_RECORD;
  return bytes;
}
