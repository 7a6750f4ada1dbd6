/* nvlink's finalizer decodes every capsule of a file, dead ones too, and follows the places that the Mercury sections name
 * in the decoded code: it crashes, or says something about its own insides, where a record is none, where a place lies in no
 * instruction, and where frames do not follow one another (L493 to L496). Here all of this is looked at before anything is
 * linked; what is merely unusual stays. */
#include "cubin/mercury.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "cubin/attribute.h"
#include "cubin/call_frame.h"
#include "cubin/capsule.h"
#include "cubin/code.h"
#include "cubin/elf.h"

#include <string.h>

enum { WORD = 4 };

/* A function behind the beginning of a text: a local one in the text of a kernel, as an -ewp object has it (L720). */
typedef struct inner_function {
  uint64_t value;
  uint32_t symbol;
  uint32_t next; /* of the same text, TL_NONE */
} inner_function;

typedef struct checker {
  const tl_cubin *cubin;
  const tl_names *names;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  tl_code code; /* of the text in hand */
  tl_cubin_about about;
  uint32_t sass_symbols;    /* sections, 0 where there are none: the SASS side's symbols */
  uint32_t wide_indices;    /* their 32-bit section indices */
  uint32_t mercury_symbols; /* and Mercury's symbols, whose section this is */
  const tl_cubin_section *symbols;
  TL_VECTOR(inner_function) inner;
  tl_map lost;        /* functions of bodies that lost (L1065) */
  tl_map first_inner; /* by section: the last of its inner functions */
  tl_map starts;      /* where they begin: section and place */
  uint64_t *sizes;    /* by section: of the decoded code that its functions are */
  tl_map texts;       /* by name: a capsule's code that was met */
  bool namesake;      /* the text in hand is not the first of its name (L656) */
} checker;

static void mercury_fail(const checker *c, uint32_t section, uint64_t offset, const char *what) {
  tl_cubin_damaged(c->cubin, c->names, c->diagnostics, section, offset, what);
}

static const tl_cubin_section *mercury_section(const checker *c, uint32_t index) {
  return tl_cubin_section_at(c->cubin, index);
}

static void mercury_index(checker *c) {
  c->about = tl_cubin_find_about(c->cubin, c->arena);
  c->sass_symbols = tl_cubin_find_section(c->cubin, SHT_SYMTAB);
  c->wide_indices = tl_cubin_find_section(c->cubin, SHT_SYMTAB_SHNDX);
  c->mercury_symbols = tl_cubin_find_section(c->cubin, SHT_CUDA_MERCURY_SYMTAB);
  c->symbols = mercury_section(c, c->mercury_symbols);
}

/* L1567: where both sides are linked nvlink's finalizer, which ends over it, comes behind what the link says. */
static void mercury_fail_later(const checker *c, uint32_t section, uint64_t offset, const char *what) {
  (c->cubin->role.joined ? tl_cubin_suspect : tl_cubin_damaged)(c->cubin, c->names, c->diagnostics, section, offset,
                                                                what);
}

static uint64_t mercury_symbol_count(const tl_cubin_section *table) {
  return table->size / ELF_SYMBOL_SIZE;
}

/* A symbol of Mercury's, NULL where the number is none's. */
static const uint8_t *mercury_symbol(const checker *c, uint32_t index) {
  return index < mercury_symbol_count(c->symbols) ? c->symbols->data + (uint64_t)index * ELF_SYMBOL_SIZE : NULL;
}

static bool mercury_is_section(const uint8_t *symbol) {
  return symbol && (symbol[4] & 15) == STT_SECTION;
}

/* L1065: functions that a body that lost brought, as a relocatable output of twinlink's says; nvlink divides the text at
 * them. */
static void mercury_index_lost(checker *c) {
  enum { LOST = 5 };
  tl_map_init(&c->lost, c->arena);
  for (uint32_t i = 1; i < c->cubin->section_count && !c->diagnostics->options->bug_compatible; i++) {
    const tl_cubin_section *const section = mercury_section(c, i);
    const bool ours = section->type == SHT_CUDA_RESOLVEDRELA &&
                      strcmp(tl_names_text(c->names, section->name), ".nv.resolvedrela.bodies") == 0;
    for (uint64_t at = 0; ours && at + ELF_RELA_SIZE <= section->size; at += ELF_RELA_SIZE)
      if (tl_get32(section->data + at + 8) == LOST)
        tl_set_add(&c->lost, tl_get32(section->data + at + 12));
  }
}

static void mercury_index_inner(checker *c) {
  tl_map_init(&c->texts, c->arena);
  tl_map_init(&c->first_inner, c->arena);
  tl_map_init(&c->starts, c->arena);
  c->sizes = tl_arena_new(c->arena, uint64_t, c->cubin->section_count);
  for (uint32_t i = 1; i < mercury_symbol_count(c->symbols); i++) {
    const uint8_t *const symbol = mercury_symbol(c, i);
    const uint64_t value = tl_get64(symbol + 8);
    const uint32_t section = tl_get16(symbol + 6);
    if ((symbol[4] & 15) != STT_FUNC || section >= c->cubin->section_count)
      continue;
    c->sizes[section] = tl_larger(c->sizes[section], tl_get64(symbol + 16));
    if (!value || value > UINT32_MAX || tl_set_has(&c->lost, i))
      continue;
    *tl_vector_push(c->arena, &c->inner) = (inner_function){value, i, tl_map_get(&c->first_inner, section)};
    tl_map_set(&c->first_inner, section, (uint32_t)(c->inner.count - 1));
    tl_set_add(&c->starts, tl_pair_key(section, (uint32_t)value));
  }
}

/* --- code --- */

/* Branches and calls. */
static bool mercury_is_control(uint16_t opcode) {
  enum { CONTROL_MASK = 0x160, CONTROL = 0x140 };
  return (opcode & CONTROL_MASK) == CONTROL;
}

static bool mercury_is_move(uint16_t opcode) {
  enum { MOVE = 0x802, MOVE_UNIFORM = 0x882 };
  return opcode == MOVE || opcode == MOVE_UNIFORM;
}

/* Whether an entry may stand at an instruction without a record: moves of an immediate, branches and calls. */
static bool mercury_holds_value(uint16_t opcode) {
  return mercury_is_move(opcode) || mercury_is_control(opcode);
}

/* The two halves of a return address name the instruction behind a call, or the function (L512). */
static bool mercury_returns_there(const checker *c, const uint8_t *entry, const tl_cubin_section *sass) {
  const uint64_t place = tl_code_whole(tl_get64(entry + 16));
  if (!tl_code_is_half_place(tl_get32(entry + 8)) || place == 0)
    return true;
  const tl_code_place *const behind = tl_code_find(&c->code, place);
  const tl_code_place *const call = behind && behind->mercury ? tl_code_find(&c->code, behind->mercury - 1) : NULL;
  return call && mercury_is_control(tl_code_opcode(call, sass));
}

static int mercury_compare_sass(const void *a, const void *b) {
  return tl_compare(((const tl_code_place *)a)->sass, ((const tl_code_place *)b)->sass);
}

/* Whether a Mercury instruction begins at a place of the SASS text. */
static bool mercury_begins_at(const checker *c, uint64_t sass) {
  const tl_code_place key = {.sass = sass};
  return tl_sorted_find(&key, c->code.items, c->code.count, sizeof key, mercury_compare_sass) != NULL;
}

/* An address of the program. */
static bool mercury_is_of_program(uint32_t type) {
  enum { FIRST = 8, LAST = 10 };
  return type >= TL_R_MERCURY + FIRST && type <= TL_R_MERCURY + LAST;
}

/* Whether the addend of an address of the program is no place of an instruction in the decoded code, and not its end: cut to
 * whole instructions nvlink looks it up, and crashes over what is none (L1134). */
static bool mercury_lies_nowhere(const checker *c, const uint8_t *entry) {
  const uint64_t place = tl_code_whole(tl_get64(entry + 16));
  if (!mercury_is_of_program(tl_get32(entry + 8)) || place == c->code.mercury_size)
    return false;
  const tl_code_place *const at = tl_code_find(&c->code, place);
  return !at || at->mercury != place;
}

/* Where half a return address or an address of the program is moved to a register, what stands there in the SASS text is a
 * place at which a Mercury instruction begins: nvlink looks it up, though the entry says another, and crashes over what is
 * none (L622, L1271). */
static bool mercury_holds_place(const checker *c, uint32_t type, const tl_code_place *place,
                                const tl_cubin_section *sass) {
  const bool looked_up = tl_code_is_half_place(type) || mercury_is_of_program(type);
  if (!looked_up || !place->derived || !mercury_is_move(tl_code_opcode(place, sass)))
    return true;
  return mercury_begins_at(c, tl_get32(sass->data + place->sass + WORD));
}

/* The halves of an address. */
static bool mercury_is_half(uint32_t type) {
  return type == TL_R_MERCURY + 0x05 || type == TL_R_MERCURY + 0x06;
}

/* Whether half an address is that of a variable with initial values that is said to be thread-local (L605). */
static bool mercury_names_thread_local(const checker *c, const uint8_t *entry) {
  enum { TLS = 6, TYPE = 15 };
  const uint8_t *const symbol = mercury_symbol(c, tl_get32(entry + 12));
  return mercury_is_half(tl_get32(entry + 8)) && symbol && (symbol[4] & TYPE) == TLS &&
         mercury_section(c, tl_get16(symbol + 6))->type == SHT_CUDA_GLOBAL_INIT;
}

/* Whether half an address is that of a symbol of a type that has none: it is neither a function, a variable, a section nor
 * a texture, and becomes symbol 0 (L614). Of other types a label is none, wherever it is, and symbol 0 (L1133). */
static bool mercury_names_nothing(const checker *c, const uint8_t *entry) {
  enum { TYPE = 15 };
  const uint8_t *const symbol = mercury_symbol(c, tl_get32(entry + 12));
  const unsigned type = symbol ? symbol[4] & TYPE : STT_SECTION;
  const bool has_place = type == STT_FUNC || type == STT_SECTION || type == STT_OBJECT || type == STT_CUDA_OBJECT ||
                         tl_type_is_texture(type);
  const uint32_t needs = tl_get32(entry + 8);
  return (mercury_is_half(needs) && !has_place) || (tl_code_needs_place(needs) && type == STT_NOTYPE);
}

/* Whether an entry is about symbol 0, of whatever type it is: nvlink ends by a signal over it before it says what is undefined (L1701). */
static bool mercury_names_symbol_zero(const uint8_t *entry) {
  return tl_get32(entry + 12) == 0 && tl_get32(entry + 8) != TL_R_MERCURY;
}

/* Whether an entry of code is about the symbol of a section that nvlink finds no place for: those that need one about the
 * call graph's, and the halves of a return address about a note's too (L608, L1133). */
static bool mercury_names_no_place(const checker *c, const uint8_t *entry) {
  const uint32_t type = tl_get32(entry + 8);
  const uint8_t *const symbol = mercury_symbol(c, tl_get32(entry + 12));
  const uint32_t kind = mercury_is_section(symbol) ? mercury_section(c, tl_get16(symbol + 6))->type : SHT_NULL;
  const bool back = tl_code_is_half_place(type);
  const bool graph = kind == SHT_CUDA_CALLGRAPH || kind == SHT_CUDA_PROTOTYPE;
  return (graph && (tl_code_needs_place(type) || back)) || (back && kind == SHT_NOTE);
}

/* Whether entries about a symbol stay, so that nothing is written in the instruction: functions, what is in global memory, and
 * what no section holds (L1201). */
static bool mercury_is_kept(const checker *c, const uint8_t *symbol) {
  const uint32_t section = symbol ? tl_get16(symbol + 6) : SHN_UNDEF;
  const uint32_t type = mercury_section(c, section)->type;
  return symbol && ((symbol[4] & 15) == STT_FUNC || section == SHN_UNDEF || type == SHT_CUDA_GLOBAL ||
                    type == SHT_CUDA_GLOBAL_INIT || type == SHT_CUDA_RESERVED_SHARED);
}

/* Where in a decoded instruction the frequent types stand that are written there: calls in the third word, values in the last
 * (L512). Elsewhere they may stay (L1201). */
static bool mercury_stands_in_place(const checker *c, const uint8_t *entry) {
  enum { INSTRUCTION = 16, THIRD_WORD = 8, LAST_WORD = 12 };
  const uint64_t word = tl_get64(entry) % INSTRUCTION;
  const uint32_t type = tl_get32(entry + 8);
  const bool call = type == TL_R_MERCURY + 0x02, value = type == TL_R_MERCURY + 0x03 || type == TL_R_MERCURY + 0x04;
  const bool distance = type == TL_R_MERCURY + 0x32 && !c->diagnostics->options->relocatable; /* L1276 */
  if ((!call && !value && !distance) || !c->cubin->role.joined ||
      tl_get64(entry) >= c->code.mercury_size) /* E61, E63 */
    return true;
  return (distance ? word != LAST_WORD : word == (call ? THIRD_WORD : LAST_WORD)) ||
         mercury_is_kept(c, mercury_symbol(c, tl_get32(entry + 12)));
}

/* An entry at the first instruction stands there because that holds a value; behind it nvlink changes what it finds
 * (L494). A namesake's entries are those of another function, and stand at any; so are the places that
 * they are about (L903). */
static void mercury_check_entries(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  const tl_cubin_section *const entries = mercury_section(c, section);
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const uint8_t *const entry = entries->data + at;
    if (!mercury_stands_in_place(c, entry))
      mercury_fail_later(c, section, at, "an entry stands in the wrong word of an instruction (L512)");
    if (mercury_names_symbol_zero(entry))
      mercury_fail(c, section, at, "an entry of code is about no symbol (L1701)");
    if (mercury_names_thread_local(c, entry))
      mercury_fail(c, section, at, "an entry names a symbol of initialised variables that is no object (L605)");
    if (mercury_names_nothing(c, entry))
      mercury_fail_later(c, section, at, "an entry of code is about a symbol that has no place (L614, L1133)");
    if (c->cubin->role.joined && mercury_names_no_place(c, entry))
      mercury_fail_later(c, section, at, "an entry of code is about a section that has no place (L608)");
    if (!c->namesake && mercury_lies_nowhere(c, entry))
      mercury_fail(c, section, at, "an address of the program is no place of an instruction (L1134)");
    if (!c->namesake && !mercury_returns_there(c, entry, sass))
      mercury_fail(c, section, at, "a return address is not that behind a call (L512)");
    const tl_code_place *const place = tl_code_find(&c->code, tl_get64(entry));
    if (place && !mercury_holds_place(c, tl_get32(entry + 8), place, sass))
      mercury_fail(c, tl_get32(mercury_section(c, mercury_section(c, section)->info)->data), place->sass,
                   "what an address in the code is put in for is no place of an instruction (L622, L1271)");
    const bool first = place && !place->mercury && place->derived && !c->namesake;
    if (first && !mercury_holds_value(tl_code_opcode(place, sass)))
      mercury_fail(c, section, at, "an entry stands at an instruction that holds no value (L494)");
  }
}

/* How the record of a SASS instruction begins: its first byte, its second and its fourth; the third says more of the
 * instruction (a load's cache and order, say), and 0 stands for any. Of the many forms these are frequent ones that have no
 * others. One of a store in local memory's window has one form (L1970). */
typedef struct mercury_record {
  uint16_t opcode;
  uint8_t first, second, fourth, third;
} mercury_record;

static const mercury_record mercury_records[] = {
    {0x950, 0x42, 0x33, 0x0e, 0}, {0x943, 0x42, 0x0a, 0x0e, 0}, {0x387, 0x02, 0x38, 0x06, 0},
    {0x983, 0x02, 0x22, 0x06, 0}, {0x980, 0x02, 0x22, 0x32, 0}, {0x985, 0x02, 0x38, 0x32, 0},
    {0x986, 0x02, 0x38, 0x32, 0}, {0x919, 0x01, 0x0b, 0x0a, 0}, {0x9c3, 0x01, 0x0b, 0x0a, 0},
    {0x81c, 0x01, 0x10, 0x0a, 0}, {0x835, 0x02, 0x0c, 0x0e, 0}, {0xb82, 0x01, 0x0b, 0x0a, 0},
    {0xb82, 0x02, 0x22, 0x06, 0}, {0x7ac, 0x01, 0x0b, 0x0a, 0}, {0x7ac, 0x02, 0x22, 0x06, 0},
    {0x81c, 0x02, 0x10, 0x14, 0}, {0x986, 0x42, 0x38, 0x32, 0}, {0x985, 0x02, 0x38, 0x06, 0x40},
};

/* Forms of instructions, by their records' first, second and fourth byte: bit n stands for the third byte 2 * n. Only those
 * of which other bytes of a record do not change what nvlink knows. */
typedef struct mercury_form {
  uint8_t first, second, fourth;
  uint64_t thirds;
} mercury_form;

static const mercury_form mercury_forms[] = {
    {0x01, 0x0b, 0x0a, UINT64_C(0x15accf)},
    {0x01, 0x10, 0x0a, UINT64_C(0x2a00402a0001b018)},
    {0x01, 0x29, 0x04, UINT64_C(0x700111)},
    {0x01, 0x2b, 0x0a, UINT64_C(0x1c15)},
    {0x01, 0x47, 0x0a, UINT64_C(0x19c0140000000149)},
    {0x01, 0x47, 0x16, UINT64_C(0x280000000280)},
    {0x02, 0x22, 0x06, UINT64_C(0x3fe35f800f0)},
    {0x02, 0x23, 0x34, UINT64_C(0x3d000000)},
    {0x02, 0x29, 0x06, UINT64_C(0x330cc)},
    {0x02, 0x38, 0x06, UINT64_C(0x1fff79f800c)},
    {0x02, 0x38, 0x32, UINT64_C(0x1e0008607ff3)},
    {0x02, 0x3a, 0x26, UINT64_C(0x1)},
    {0x02, 0x3d, 0x26, UINT64_C(0x2)},
    {0x02, 0x3e, 0x14, UINT64_C(0x3)},
    {0x02, 0x3f, 0x26, UINT64_C(0x1)},
    {0x41, 0x00, 0x0a, UINT64_C(0x195)},
    {0x41, 0x47, 0x0a, UINT64_C(0x1980100000000100)},
    {0x42, 0x0a, 0x0e, UINT64_C(0xb7)},
};

/* nvlink crashes over a form that it does not know (L1035). */
static bool mercury_is_form(const uint8_t *record) {
  enum { THIRDS = 128 };
  for (size_t i = 0; i < sizeof mercury_forms / sizeof *mercury_forms; i++) {
    const mercury_form *const form = &mercury_forms[i];
    if (record[0] == form->first && record[1] == form->second && record[3] == form->fourth)
      return record[2] < THIRDS && form->thirds >> record[2] / 2 & 1;
  }
  return true;
}

/* Whether the record of an instruction that reads a special register names one. Mercury numbers them otherwise than SASS.
 * Of one that is none nvlink makes a word of zeros, or its schedule of the code comes to no end (L1033). */
static bool mercury_has_register(uint16_t opcode, const uint8_t *record, uint64_t left) {
  enum { READ = 0x919, READ_UNIFORM = 0x9c3, NUMBER = 12, OTHERS = 0xc00, FIRST = 0x200, COUNT = 0x32 };
  const uint64_t uniform = UINT64_C(0x3fc00fffff070); /* of a warp or a group */
  if ((opcode != READ && opcode != READ_UNIFORM) || left < NUMBER + sizeof(uint32_t))
    return true;
  const uint32_t word = tl_get32(record + NUMBER), number = (word & 0x3ff) - FIRST;
  return word & OTHERS || (number < COUNT && (opcode == READ || uniform >> number & 1));
}

/* nvlink decodes records and crashes over most that are of another instruction than the SASS text has (L498). The third
 * byte of none is odd. */
static void mercury_check_records(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  enum { RETURN = 0x950 };
  const uint8_t *const bytes = mercury_section(c, section)->data;
  for (size_t i = 0; i < c->code.count; i++) {
    const tl_code_place *const place = &c->code.items[i];
    if (!place->record || !place->code || place->count != 1)
      continue;
    const uint16_t opcode = tl_code_opcode(place, sass);
    const uint8_t *const record = bytes + place->record;
    const bool returns = opcode == RETURN && record[2] >= 8; /* L637 */
    bool listed = false, fits = false;
    for (size_t k = 0; k < sizeof mercury_records / sizeof *mercury_records; k++) {
      const mercury_record *const row = &mercury_records[k];
      listed |= row->opcode == opcode;
      fits |= row->opcode == opcode && record[0] == row->first && record[1] == row->second &&
              record[3] == row->fourth && (!row->third || record[2] == row->third);
    }
    if ((listed && !fits) || record[2] & 1 || returns)
      mercury_fail(c, section, place->record, "a record is not that of its instruction (L498)");
    if (!mercury_is_form(record))
      mercury_fail(c, section, place->record, "a record has a form that no instruction has (L1035)");
    if (!mercury_has_register(opcode, record, mercury_section(c, section)->size - place->record))
      mercury_fail(c, section, place->record, "a record names a special register that there is not (L1033)");
  }
}

enum { CALL_ABSOLUTE = 0x943 };

/* The branches and calls whose distance has 58 bits. */
static bool mercury_goes_far(uint16_t opcode) {
  enum { BRANCH = 0x947, BRANCH_INDIRECT = 0x949, BRANCH_UNIFORM = 0x547, CALL = 0x944 };
  return opcode == BRANCH || opcode == BRANCH_INDIRECT || opcode == BRANCH_UNIFORM || opcode == CALL;
}

/* Where a branch goes that nvlink derives from the SASS text there is an instruction of it (L545), and so where a call goes
 * that an entry gives its function, with a record, too: not to itself (L1037). */
static void mercury_check_branches(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  enum { INSTRUCTION = TL_CODE_INSTRUCTION };
  const uint64_t sign = UINT64_C(1) << 57, high_bits = (UINT64_C(1) << 48) - 1;
  for (size_t i = 0; i < c->code.count; i++) {
    const tl_code_place *const place = &c->code.items[i];
    const uint8_t *const word = sass->data + place->sass;
    const bool known = place->derived || (place->record && place->code && place->count == 1);
    const uint16_t opcode = known ? tl_code_opcode(place, sass) : 0;
    const bool call = opcode == CALL_ABSOLUTE;
    if (!call && (!place->derived || !mercury_goes_far(opcode)))
      continue;
    const uint64_t distance = ((tl_get64(word + 4) >> 2 & high_bits) << 8 | word[2]) << 2; /* signed */
    const uint64_t target = place->sass + INSTRUCTION + ((distance ^ sign) - sign);
    if (target % INSTRUCTION || target >= sass->size || (call && target == place->sass))
      mercury_fail(c, section, TL_NO_OFFSET, "a branch goes to no instruction (L545)");
  }
}

/* Instructions that go elsewhere: calls, returns, branches, EXIT and KILL, and what goes on where lanes meet. */
static bool mercury_goes_elsewhere(uint16_t opcode) {
  static const uint16_t list[] = {0x343, 0x344, 0x941, 0x942, 0x943, 0x944, 0x947, 0x949,
                                  0x94a, 0x94c, 0x94d, 0x950, 0x958, 0x959, 0x95b};
  return TL_AMONG16(list, opcode);
}

/* LEPC of a place names the next one or one behind it, to which nothing but the last instruction before it goes elsewhere,
 * as the code of -pic and -sanitize does. `last`: the last one of which that holds. */
static bool mercury_names_near(const tl_cubin_section *sass, uint64_t place, uint64_t last) {
  enum { INSTRUCTION = TL_CODE_INSTRUCTION, FIELD = 24, HIGH_BITS = 18 };
  const uint64_t high = tl_get64(sass->data + place + 8) & ((UINT64_C(1) << HIGH_BITS) - 1);
  const uint64_t distance = tl_get64(sass->data + place) >> FIELD | high << (64 - FIELD);
  return distance % INSTRUCTION == 0 && place + INSTRUCTION + distance <= last;
}

/* nvlink makes other code where LEPC names another place, or crashes (L761). From the last instruction on, so that each is
 * looked at once. */
static void mercury_check_places(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  enum { OPCODE = 0xfff, PLACE_OF_CODE = 0x94e, INSTRUCTION = TL_CODE_INSTRUCTION };
  uint64_t at = sass->size - INSTRUCTION, last = at; /* of a text without instructions nothing is looked at */
  for (size_t i = c->code.count; i-- > 0;) {
    const tl_code_place *const place = &c->code.items[i];
    if (!place->derived || tl_code_opcode(place, sass) != PLACE_OF_CODE)
      continue;
    for (; at > place->sass + INSTRUCTION; at -= INSTRUCTION)
      if (mercury_goes_elsewhere(tl_get16(sass->data + at - INSTRUCTION) & OPCODE))
        last = at;
    if (!mercury_names_near(sass, place->sass, last))
      mercury_fail(c, tl_get32(mercury_section(c, section)->data), place->sass,
                   "a place in code is not one that the code goes on to (L761)");
  }
}

/* A word that is no instruction nvlink leaves out where it derives Mercury's from the SASS text, and over those that the
 * architecture does not have it crashes (L621). */
static void mercury_check_derived(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  const uint32_t sm = c->cubin->flags >> 8 & 0xffff;
  for (size_t i = 0; i < c->code.count; i++) {
    const tl_code_place *const place = &c->code.items[i];
    if (place->derived && !tl_code_is_instruction(sass->data + place->sass, sm))
      mercury_fail(c, tl_get32(mercury_section(c, section)->data), place->sass,
                   "a word that an instruction is derived from is none (L621)");
  }
}

static const tl_code_place *mercury_instruction_at(const tl_code *code, uint64_t place) {
  const tl_code_place *const found = tl_code_find(code, place);
  return found && found->mercury == place ? found : NULL;
}

/* Lists of targets: the place of an indirect branch, a word, their number, and they (L495). */
static void mercury_check_targets(const checker *c, uint32_t section, const tl_record *record,
                                  const tl_cubin_section *sass) {
  enum { CONTROL_MASK = 0xf60, CONTROL = 0x940 };
  uint64_t position = 0;
  tl_targets list;
  while (tl_targets_next(record->data, record->size, &position, &list)) {
    const tl_code_place *const branch = mercury_instruction_at(&c->code, tl_get32(record->data + list.branch));
    if (!branch || !branch->count || (tl_code_opcode(branch, sass) & CONTROL_MASK) != CONTROL)
      mercury_fail(c, section, record->offset, "a list of branch targets is about no branch (L495)");
    for (uint64_t i = 0; i < list.count; i++)
      if (!mercury_instruction_at(&c->code, tl_get32(record->data + list.first + i * WORD)))
        mercury_fail(c, section, record->offset, "a branch target is no instruction (L495)");
  }
  if (position != record->size)
    mercury_fail(c, section, record->offset, "a list of branch targets is incomplete (L495)");
}

/* Where a program ends: places in its code, which nvlink looks up in a table of them (L511). */
static void mercury_check_exits(const checker *c, uint32_t section, const tl_record *record) {
  for (uint64_t at = 0; at + WORD <= record->size; at += WORD)
    if (tl_get32(record->data + at) >= c->code.mercury_size)
      mercury_fail(c, section, record->offset, "the place of an exit lies behind the code (L511)");
}

static void mercury_check_attributes(const checker *c, uint32_t section, const tl_cubin_section *sass) {
  enum { EXITS = 0x1c, INDIRECT_BRANCH_TARGETS = 0x34 };
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(mercury_section(c, section), &position, &record))
    if (record.code == INDIRECT_BRANCH_TARGETS && record.format == TL_RECORD_WHOLE)
      mercury_check_targets(c, section, &record, sass);
    else if (record.code == EXITS)
      mercury_check_exits(c, section, &record);
  if (mercury_section(c, section)->size >= position + WORD)
    mercury_fail(c, section, position, "an attribute record runs past its section (L499)");
}

/* A capsule's second word has a low byte that only texts without entries may have otherwise (L445). */
static void mercury_check_word(const checker *c, uint32_t section, uint32_t entries) {
  const uint8_t low = mercury_section(c, section)->data[WORD];
  if (low > 1 && mercury_section(c, entries)->size)
    tl_diagnostics_add(
        c->diagnostics, tl_message_row_of(TL_MESSAGE_RELOC_NOT_FOUND),
        (tl_site){c->cubin->path, tl_names_text(c->names, mercury_section(c, entries)->name), NULL, TL_NO_OFFSET},
        NULL);
}

/* L724: nvlink divides the text where Mercury's symbols say that functions begin, and looks for an instruction where the
 * SASS side says so. */
static void mercury_check_inner(const checker *c, uint32_t section) {
  const tl_cubin_section *const symbols = mercury_section(c, c->sass_symbols);
  for (uint32_t i = tl_map_get(&c->first_inner, section); i != TL_NONE; i = c->inner.items[i].next) {
    const inner_function *const one = &c->inner.items[i];
    const uint64_t at = (uint64_t)one->symbol * ELF_SYMBOL_SIZE;
    const uint64_t value = at + ELF_SYMBOL_SIZE <= symbols->size ? tl_get64(symbols->data + at + 8) : UINT64_MAX;
    if (!value && one->value >= c->code.mercury_size) /* of a body that lost in an earlier link (L1064) */
      continue;
    if (!mercury_instruction_at(&c->code, one->value) || !mercury_begins_at(c, value))
      mercury_fail(c, c->sass_symbols, at, "a function in a kernel's text does not begin at an instruction (L724)");
  }
}

static void mercury_check_text(checker *c, uint32_t section) {
  const tl_cubin_section *const text = mercury_section(c, section);
  const tl_cubin_section *const sass = mercury_section(c, tl_get32(text->data));
  if (!sass->data || !tl_code_read(&c->code, text->data, text->size, sass->data, sass->size, c->arena))
    mercury_fail(c, section, TL_NO_OFFSET, "a capsule's records do not make its text (L493)");
  c->namesake = tl_map_get(&c->texts, text->name) != TL_NONE;
  tl_map_set(&c->texts, text->name, section);
  mercury_check_inner(c, section);
  mercury_check_derived(c, section, sass);
  mercury_check_branches(c, section, sass);
  mercury_check_places(c, section, sass);
  mercury_check_records(c, section, sass);
  for (uint32_t i = c->about.last[section]; i; i = c->about.previous[i]) {
    if (mercury_section(c, i)->type == SHT_CUDA_MERCURY_RELA) {
      mercury_check_word(c, section, i);
      mercury_check_entries(c, i, sass);
    } else if (mercury_section(c, i)->type == SHT_CUDA_MERCURY_INFO) {
      mercury_check_attributes(c, i, sass);
    }
  }
}

/* --- frames --- */

/* Whether an address of code in the frames is one that nvlink's finalizer cannot find (L513). In a text of several functions it is where
 * one begins, at the address of that one's frame, which says the same (L724): nvlink finds a frame's function by what is stored there. */
static bool mercury_is_lost_address(const checker *c, uint32_t frames, const uint8_t *entry, const uint8_t *symbol) {
  const tl_cubin_section *const section = mercury_section(c, frames);
  const uint64_t at = tl_get64(entry), addend = tl_get64(entry + 16);
  const uint32_t text = symbol ? tl_get16(symbol + 6) : SHN_UNDEF;
  const bool function = symbol && (symbol[4] & 15) == STT_FUNC,
             capsule = mercury_section(c, text)->type == SHT_CUDA_CAPSULE;
  if (!function && !(capsule && mercury_is_section(symbol)))
    return false;
  if (capsule && tl_map_get(&c->first_inner, text) == TL_NONE)
    return false; /* for finalize/frames.c to say, of what is live */
  if (!addend)
    return !function;
  return !function || addend > UINT32_MAX || section->size - at < 8 || tl_get64(section->data + at) != addend ||
         !tl_set_has(&c->starts, tl_pair_key(text, (uint32_t)addend));
}

/* The entries of a frame's code name a function and nothing behind it (L513), and lie in the frames (L709). */
static void mercury_check_frame_entries(const checker *c, uint32_t index) {
  enum { CODE_ADDRESS = TL_R_MERCURY + 0x3d };
  const tl_cubin_section *const entries = mercury_section(c, index);
  const uint64_t frames = mercury_section(c, entries->info)->size; /* what they are about was looked up */
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const uint8_t *const entry = entries->data + at;
    const uint8_t *const symbol = mercury_symbol(c, tl_get32(entry + 12));
    if (tl_get64(entry) >= frames)
      mercury_fail(c, index, at, "an entry of a frame lies behind the frames (L709)");
    if (!tl_get32(entry + 12))
      mercury_fail(c, index, at, "an entry of a frame is about no function (L608)");
    if (tl_get32(entry + 8) == CODE_ADDRESS && mercury_is_lost_address(c, entries->info, entry, symbol))
      mercury_fail(c, index, at, "the address of a frame's code lies in no function (L513)");
  }
}

/* Whether an entry stands at a place of the frames. */
static bool mercury_has_entry(const checker *c, uint32_t index, uint64_t place) {
  for (uint32_t i = c->about.last[index]; i; i = c->about.previous[i]) {
    const tl_cubin_section *const entries = mercury_section(c, i);
    for (uint64_t at = 0; entries->type == SHT_CUDA_MERCURY_RELA && at + ELF_RELA_SIZE <= entries->size;
         at += ELF_RELA_SIZE)
      if (tl_get64(entries->data + at) == place)
        return true;
  }
  return false;
}

/* Each frame begins with ff ff ff ff, a length and its CIE's place, which only counts where an entry gives it (L663); a CIE has ones there
 * (L1722). nvlink crashes over another order, and says `Dwarf version 2 is not supported` of other first words (L496). */
static void mercury_check_frames(const checker *c, uint32_t index) {
  enum { LARGEST_HEAD = 0x10000 }; /* nvlink reads all of it, and crashes over more (L1725) */
  const tl_cubin_section *const section = mercury_section(c, index);
  bool headed = false;
  tl_call_frame frame;
  tl_call_frame_kind kind = TL_FRAME_WHOLE;
  for (uint64_t at = 0; at < section->size && kind == TL_FRAME_WHOLE;) {
    const uint64_t start = at;
    kind = tl_call_frame_next(section->data, section->size, &at, &frame);
    if (kind == TL_FRAME_NONE)
      mercury_fail(c, index, start, "frames do not follow one another (L496)");
    headed |= frame.cie;
    if (!headed)
      mercury_fail(c, index, start, "a frame has no CIE (L496)");
    if (kind == TL_FRAME_LAST && frame.cie && frame.size > LARGEST_HEAD)
      mercury_fail(c, index, start, "the head of a frame ends far behind its section (L1725)");
    if (frame.ends && mercury_has_entry(c, index, start + TL_FRAME_ADDRESS))
      mercury_fail(c, index, start, "a frame ends behind its section (L1725)");
    if (frame.ends)
      break;
  }
  for (uint32_t i = c->about.last[index]; i; i = c->about.previous[i])
    if (mercury_section(c, i)->type == SHT_CUDA_MERCURY_RELA)
      mercury_check_frame_entries(c, i);
}

/* --- tables --- */

/* A place in the code is that of a text; nvlink crashes over others (L494). */
static void mercury_check_constants(const checker *c, uint32_t section) {
  enum { PLACE = TL_R_MERCURY + 8 };
  const tl_cubin_section *const entries = mercury_section(c, section);
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const uint8_t *const symbol = mercury_symbol(c, tl_get32(entries->data + at + 12));
    const bool text = symbol && tl_cubin_section_at(c->cubin, tl_get16(symbol + 6))->type == SHT_CUDA_CAPSULE;
    if (tl_get32(entries->data + at + 8) == PLACE && !text)
      mercury_fail(c, section, at, "an entry of compiler constants is about no function (L494)");
  }
}

/* Symbols of both tables lie in sections that there are; nvlink takes the others' from behind its table (L171). No section
 * is common (L544). */
static bool mercury_has_section(const checker *c, const uint8_t *symbol) {
  const uint32_t section = tl_get16(symbol + 6);
  return section < c->cubin->section_count || (section == SHN_COMMON && (symbol[4] & 15) != STT_SECTION);
}

/* Of a capsule that is finalized before it is linked the output has neither the parameters of the SASS side as they were
 * nor Mercury's symbols: nvlink crashes over symbols of those sections (L544). */
static bool mercury_names_remade(const checker *c, const uint8_t *symbol) {
  const bool remade = (symbol[4] & 15) == STT_SECTION && c->cubin->role.finalized && !c->cubin->role.joined;
  const uint32_t type = mercury_section(c, tl_get16(symbol + 6))->type;
  return remade && (type == SHT_CUDA_CONSTANT0 || type == SHT_CUDA_MERCURY_SYMTAB);
}

static void mercury_check_symbols(const checker *c, uint32_t index) {
  const tl_cubin_section *const table = mercury_section(c, index);
  if (table->entry_size != ELF_SYMBOL_SIZE)
    mercury_fail(c, index, TL_NO_OFFSET, "sh_entsize of Mercury's symbols is not 24 (L499)");
  for (uint64_t at = 0; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE) {
    const uint8_t *const symbol = table->data + at;
    const bool null = at == 0 && tl_get16(symbol + 6) != SHN_XINDEX;
    if (!null && !c->wide_indices && !mercury_has_section(c, symbol))
      mercury_fail(c, index, at, "a symbol's section does not exist");
    if (mercury_names_remade(c, symbol))
      mercury_fail(c, index, at, "a section symbol of Mercury's is of a section that is made anew (L544)");
    const bool named = at && ((symbol[4] & 15) != STT_SECTION || !c->cubin->role.joined);
    if (named && !tl_cubin_text_in(c->cubin, table->link, tl_get32(symbol)))
      mercury_fail(c, index, at, "a symbol's name lies outside .strtab (D40: nvlink reads on behind it)");
  }
}

/* The SASS side of a function begins its own text, and is a function; of other symbols the place of a section's is looked at
 * (L499). */
static void mercury_check_sass_symbol(const checker *c, uint64_t at, const uint8_t *mercury) {
  const uint8_t *const symbol = mercury_section(c, c->sass_symbols)->data + at;
  const uint32_t section = mercury ? tl_get16(mercury + 6) : SHN_UNDEF;
  const bool text = mercury && (mercury[4] & 15) == STT_FUNC && mercury_section(c, section)->type == SHT_CUDA_CAPSULE &&
                    tl_get64(mercury + 8) == 0;
  if ((!mercury || (mercury[4] & 15) == STT_SECTION) && !mercury_has_section(c, symbol) &&
      tl_get16(symbol + 6) != SHN_XINDEX)
    mercury_fail(c, c->sass_symbols, at, "a symbol's section does not exist");
  if (text && ((symbol[4] & 15) != STT_FUNC || tl_get64(symbol + 8) != 0 ||
               tl_get16(symbol + 6) != tl_get32(mercury_section(c, section)->data)))
    mercury_fail(c, c->sass_symbols, at, "a function of the SASS side does not begin its text (L499)");
}

static void mercury_check_sass_symbols(const checker *c) {
  if (!c->mercury_symbols)
    return;
  for (uint32_t i = 1; i < mercury_symbol_count(mercury_section(c, c->sass_symbols)); i++)
    mercury_check_sass_symbol(c, (uint64_t)i * ELF_SYMBOL_SIZE, mercury_symbol(c, i));
}

/* Of the file's attributes on the SASS side the registers and the frames must be about something that lies in a text
 * (L499). */
static void mercury_check_sass_attributes(const checker *c, uint32_t index) {
  const tl_cubin_section *const symbols = mercury_section(c, c->sass_symbols);
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(mercury_section(c, index), &position, &record)) {
    if ((record.code != EIATTR_REGCOUNT && record.code != EIATTR_FRAME_SIZE) || record.size < WORD)
      continue;
    const uint64_t symbol = tl_get32(record.data);
    const uint32_t section =
        symbol < mercury_symbol_count(symbols) ? tl_get16(symbols->data + symbol * ELF_SYMBOL_SIZE + 6) : SHN_UNDEF;
    if (!(mercury_section(c, section)->flags & SHF_EXECINSTR)) /* section 0 has no flags */
      mercury_fail(c, index, record.offset, "attributes of the SASS side are about no function (L499)");
  }
}

/* Relocation sections of both sides are about sections that there are, and have entries of their size (L499). */
static void mercury_check_relocations(const checker *c, uint32_t index) {
  const tl_cubin_section *const section = mercury_section(c, index);
  if (section->info >= c->cubin->section_count)
    mercury_fail(c, index, TL_NO_OFFSET, "sh_info names no section");
  if (section->entry_size < ELF_RELA_SIZE)
    mercury_fail(c, index, TL_NO_OFFSET, "sh_entsize is less than an entry has");
}

/* nvlink takes every SASS section with this flag for the text of a function, and crashes (L505). */
static bool mercury_is_false_text(const tl_cubin_section *section, const char *name) {
  const bool code = section->flags & SHF_EXECINSTR && !(section->flags & SHF_CUDA_MERCURY);
  return code && !tl_text_behind(name, ".text.") && !tl_text_behind(name, ".nv.uft");
}

/* Of a shorter note nvlink reads the toolkit's number behind it, `newer than toolkit`, or has other bytes (L692). */
static void mercury_check_note(const checker *c, uint32_t index) {
  enum { THROUGH_TOOLKIT = 0x1d };
  if (mercury_section(c, index)->size < THROUGH_TOOLKIT)
    mercury_fail(c, index, TL_NO_OFFSET, "sh_size ends before the toolkit's number (L692)");
}

static void mercury_check_section(checker *c, uint32_t index) {
  const tl_cubin_section *const section = mercury_section(c, index);
  const char *const name = tl_names_text(c->names, section->name);
  if (strcmp(name, ".note.nv.cuinfo") == 0)
    mercury_check_note(c, index);
  if (mercury_is_false_text(section, name))
    mercury_fail(c, index, TL_NO_OFFSET, "sh_flags are those of code, and sh_name is not (L505)");
  if (tl_text_behind(name, ".nv.capmerc.") && section->type != SHT_CUDA_CAPSULE)
    mercury_fail(c, index, TL_NO_OFFSET, "sh_type is not that of a capsule, as its name says (L499)");
  if (section->type == SHT_CUDA_CAPSULE)
    mercury_check_text(c, index);
  if (section->type == SHT_RELA || section->type == SHT_CUDA_MERCURY_RELA)
    mercury_check_relocations(c, index);
  if (section->type == SHT_CUDA_MERCURY_SYMTAB)
    mercury_check_symbols(c, index);
  if (section->type == SHT_CUDA_INFO && !section->info)
    mercury_check_sass_attributes(c, index);
  if (section->type == SHT_CUDA_MERCURY_RELA && mercury_section(c, section->info)->type == SHT_CUDA_OPTIMIZER_CONSTANT)
    mercury_check_constants(c, index);
  if (section->type == SHT_PROGBITS && strcmp(name, ".nv.merc.debug_frame") == 0)
    mercury_check_frames(c, index);
}

static void mercury_check_order(const checker *c) {
  bool behind = false;
  for (uint32_t i = 1; i < c->cubin->section_count; i++) {
    const bool mercury = mercury_section(c, i)->flags & SHF_CUDA_MERCURY;
    if (behind && !mercury)
      mercury_fail(c, i, TL_NO_OFFSET, "a section of the SASS side stands behind one of Mercury's (L1132)");
    behind |= mercury;
  }
}

void tl_mercury_check_words(const tl_cubin *cubin, const tl_names *names, tl_arena *arena,
                            tl_diagnostics *diagnostics) {
  checker c = {.cubin = cubin, .names = names, .arena = arena, .diagnostics = diagnostics};
  mercury_index(&c);
  for (uint32_t section = 1; section < cubin->section_count; section++)
    for (uint32_t i = c.about.last[section]; i && mercury_section(&c, section)->type == SHT_CUDA_CAPSULE;
         i = c.about.previous[i])
      if (mercury_section(&c, i)->type == SHT_CUDA_MERCURY_RELA)
        mercury_check_word(&c, section, i);
}

void tl_mercury_check(const tl_cubin *cubin, const tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics) {
  checker c = {.cubin = cubin, .names = names, .arena = arena, .diagnostics = diagnostics};
  mercury_check_order(&c);
  mercury_index(&c);
  mercury_index_lost(&c);
  mercury_index_inner(&c);
  for (uint32_t i = 1; i < cubin->section_count; i++)
    mercury_check_section(&c, i);
  mercury_check_sass_symbols(&c);
}
