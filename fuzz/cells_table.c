/* Which cells there are, and which no input reaches, by rule. */
#include "fuzz/cells.h"

#include <string.h>

_Static_assert(FUZZ_CELLS <= FUZZ_CELLS_LIMIT, "the counters are at most 64 Ki");

const char *const fuzz_mode_names[FUZZ_MODES] = {"executable", "-r", "-preserve-relocs"};
const char *const fuzz_place_names[FUZZ_PLACES] = {"kernel", "function", "data", "constants", "debug", "other"};
const char *const fuzz_class_names[FUZZ_CLASSES] = {
    "dead",          "nothing", "minus one",         "code section",  "data section",     "constant section",
    "other section", "kernel",  "global function",   "weak function", "local function",   "marked function",
    "no function",   "texture", "compiler constant", "constant",      "shared",           "external shared",
    "common",        "global",  "other object",      "label",         "undefined object", "undefined label"};
const char *const fuzz_message_names[TL_MESSAGE_COUNT] = {
#define TL_MESSAGE(id, code, severity, text) code " " #id,
#include "catalog/message_rows.h"
#undef TL_MESSAGE
};

size_t fuzz_cell_number(const fuzz_cell *cell) {
  const bool mercury = cell->type >= TL_R_MERCURY;
  const size_t type = mercury ? cell->type - TL_R_MERCURY : cell->type;
  const size_t types = mercury ? TL_R_MERCURY_COUNT : TL_R_CUDA_COUNT;
  const size_t places = mercury ? FUZZ_MERCURY_PLACES : FUZZ_PLACES;
  const size_t place = mercury ? cell->place > FUZZ_IN_FUNCTION : cell->place;
  if (type >= types)
    return FUZZ_CELLS;
  return (mercury ? (size_t)FUZZ_CUDA_CELLS : 0) +
         ((cell->mode * places + place) * FUZZ_CLASSES + cell->class) * types + type;
}

fuzz_cell fuzz_cell_of(size_t number) {
  const bool mercury = number >= FUZZ_CUDA_CELLS;
  const size_t types = mercury ? TL_R_MERCURY_COUNT : TL_R_CUDA_COUNT;
  const size_t places = mercury ? FUZZ_MERCURY_PLACES : FUZZ_PLACES;
  number -= mercury ? FUZZ_CUDA_CELLS : 0;
  const size_t group = number / types, place = group / FUZZ_CLASSES % places;
  return (fuzz_cell){.type = (uint32_t)(number % types) + (mercury ? TL_R_MERCURY : 0),
                     .class = (fuzz_class)(group % FUZZ_CLASSES),
                     .place = mercury && place ? FUZZ_IN_DATA : (fuzz_place)place,
                     .mode = (fuzz_mode)(group / FUZZ_CLASSES / places)};
}

/* A rule: of all cells of these classes in these modes (a bit each), those whose type does not `fit`. */
typedef struct cells_rule {
  unsigned classes;
  unsigned modes;
  bool (*fits)(uint32_t type); /* NULL: no type does */
  const char *reason;
} cells_rule;

static bool cells_clears(uint32_t type) {
  const tl_relocation_row *const row = tl_relocation_in_view(type, type >= TL_R_MERCURY);
  return row && row->kind == TL_RELOC_UNUSED_CLEAR;
}

static bool cells_stays(uint32_t type) {
  return !cells_clears(type);
}

/* In Mercury's view a descriptor may name anything. */
static bool cells_describes_nothing(uint32_t type) {
  const tl_relocation_row *const row = type < TL_R_MERCURY ? tl_relocation_in_view(type, false) : NULL;
  return !row || row->kind != TL_RELOC_FUNC_DESC;
}

#define ONE(class) (1u << (class))
/* Symbol 0 too: what it was may have been a function. */
enum {
  FUNCTIONS = ONE(FUZZ_KERNEL) | ONE(FUZZ_GLOBAL_FUNCTION) | ONE(FUZZ_WEAK_FUNCTION) | ONE(FUZZ_LOCAL_FUNCTION) |
              ONE(FUZZ_MARKED_FUNCTION) | ONE(FUZZ_UNDEFINED_FUNCTION) | ONE(FUZZ_NOTHING),
  OBJECTS = ONE(FUZZ_COMPILER_CONSTANT) | ONE(FUZZ_CONSTANT) | ONE(FUZZ_SHARED) | ONE(FUZZ_EXTERNAL_SHARED) |
            ONE(FUZZ_COMMON) | ONE(FUZZ_GLOBAL) | ONE(FUZZ_OTHER_OBJECT) | ONE(FUZZ_UNDEFINED_OBJECT),
  /* A file may say of another one's texture or object that it is a function, which is told only when relocation comes to it. */
  OTHERS = (ONE(FUZZ_CLASSES) - 1) & ~(unsigned)(FUNCTIONS | OBJECTS | ONE(FUZZ_TEXTURE))
};
enum { ALL_MODES = (1 << FUZZ_MODES) - 1, FINAL_MODES = 1 << FUZZ_EXECUTABLE | 1 << FUZZ_PRESERVED };

static const cells_rule cells_rules[] = {
    {OTHERS, ALL_MODES, cells_describes_nothing,
     "D15: a function descriptor that names no function ends the link before"},
    {OBJECTS, FINAL_MODES, cells_describes_nothing,
     "L1977: an executable's descriptor of what another file takes for a function ends the link before"},
    {ONE(FUZZ_DEAD), ALL_MODES, cells_clears, "R15: merging drops what names dead code and does not clear"},
    {ONE(FUZZ_MINUS_ONE), ALL_MODES, cells_stays, "L1175: what clears, clears against a dead kernel's shared memory"},
    {ONE(FUZZ_COMMON), FINAL_MODES, NULL, "D3: an executable gives commons a place, they are global there"},
};

const char *fuzz_cell_unreachable(const fuzz_cell *cell) {
  for (size_t i = 0; i < sizeof cells_rules / sizeof *cells_rules; i++) {
    const cells_rule *const rule = &cells_rules[i];
    if (rule->classes & ONE(cell->class) && rule->modes & 1u << cell->mode && (!rule->fits || !rule->fits(cell->type)))
      return rule->reason;
  }
  return NULL;
}

/* Messages that no envelope can bring about, with what they need. Everything else counts as reachable. */
static const struct {
  tl_message_id id;
  const char *reason;
} cells_messages[] = {
    {TL_MESSAGE_TIME_FILE, "main.c alone: a file that cannot be opened"},
    {TL_MESSAGE_SKIPPED_LIBRARY, "main.c alone: libraries on a search path"},
    {TL_MESSAGE_OUTPUT_FILE, "main.c alone: a file that cannot be opened"},
    {TL_MESSAGE_CANNOT_READ_INPUT, "main.c alone: a file that cannot be read"},
    {TL_MESSAGE_FILE_SHRANK, "main.c alone: a file that changes while it is read"},
    {TL_MESSAGE_KEPT_TEXT, "the linker's own identity; fuzzed links have nvlink's"},
    {TL_MESSAGE_DEFECT, "the linker's own identity; fuzzed links have nvlink's"},
    {TL_MESSAGE_OPTIONS_FILE, "a file that cannot be opened; fuzzed command lines open none"},
    {TL_MESSAGE_OPTIONS_FILES_DEEP, "an options file in an options file; fuzzed command lines open none"},
};

const char *fuzz_message_unreachable(tl_message_id id) {
  for (size_t i = 0; i < sizeof cells_messages / sizeof *cells_messages; i++)
    if (cells_messages[i].id == id)
      return cells_messages[i].reason;
  return NULL;
}
