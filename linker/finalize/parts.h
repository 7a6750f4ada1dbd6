/* The state of one joining of views. Private to finalize/. */
#ifndef TL_FINALIZE_PARTS_H
#define TL_FINALIZE_PARTS_H

#include "finalize/finalize.h"

#include "cubin/code.h"
#include "cubin/frame_writer.h"

/* A section of the output file. */
typedef struct final_section {
  uint32_t name; /* offset in .shstrtab */
  uint32_t type, link, info;
  uint64_t flags, align, entry_size, size, offset;
  const uint8_t *bytes; /* NULL: zeros */
  bool empty;           /* NOBITS: no bytes in the file */
  uint32_t shares;      /* the section whose bytes in the file it uses too (M10), 0 */
  uint64_t hole;        /* unused zero bytes behind it (M13) */
} final_section;

/* The kept entries of a view by the relocation section that holds them, in their order. */
typedef struct final_entries {
  uint32_t *first; /* by section of the module, and one behind */
  const tl_kept **items;
} final_entries;

typedef struct final_entry_list {
  const tl_kept *const *items;
  size_t count;
} final_entry_list;

typedef struct final_code_map {
  bool read, known;
  tl_code code;
} final_code_map;

/* A unit of .debug_line: where it begins in the Mercury view and on the SASS side. */
typedef struct final_unit {
  uint64_t from, to;
} final_unit;

/* A function of a text in both views. */
typedef struct final_function {
  uint32_t text;    /* section of the Mercury module */
  uint64_t mercury; /* where it begins in decoded code */
} final_function;

/* What a function has of its SASS text. */
typedef struct final_extent {
  uint64_t start, size;
} final_extent;

/* The jump slots as the output has them (L660). */
typedef struct final_slots {
  uint64_t count, sass_size, capsule_size;
  uint8_t *sass, *capsule;
} final_slots;

typedef struct finalizer {
  const tl_linked_view *mercury, *sass;
  tl_finalized *result;
  tl_arena *arena;
  uint32_t *sass_symbol;    /* by Mercury symbol: the same one in the SASS module, TL_NONE */
  uint32_t *mercury_symbol; /* the other way round */
  uint32_t *sass_section;   /* by Mercury section, TL_NONE: serves both views */
  uint32_t *mercury_section;
  TL_VECTOR(final_section) sections; /* 0 is the null section */
  final_entries mercury_entries, sass_entries;
  struct jump_targets *jump_targets;     /* by Mercury text (jump_tables.c) */
  uint32_t slot_images, last_slot_image; /* constants of jump slots in the Mercury view (L740) */
  bool *has_slots;                       /* by Mercury section: a bindless table with an entry in it (L105) */
  uint32_t *mirror;                      /* by Mercury section: its second, Mercury section in the output; 0 */
  tl_u32_vector constants;               /* SASS sections .nv.constant0.K of the last group (M11) */
  bool shows_errors;                     /* M43: -g, or one of the next */
  bool *file_shows_errors;               /* by file: it asks for error barriers before EXIT (L120) */
  final_code_map *code_maps;             /* by Mercury text (code_map.c); NULL at first */
  TL_VECTOR(final_function) inner;       /* those that do not begin a text, sorted (L720) */
  final_slots slots;
  bool *aliased;             /* by Mercury text: a second name stands before its function (L104) */
  uint32_t first_constant;   /* output index of the first of them */
  uint32_t *constant_symbol; /* by SASS section: index in .symtab of the symbol of those */
  uint32_t mercury_symtab;   /* output index */
  uint32_t first_mirror;     /* the number of the first of Mercury's sections */
  uint8_t *names;            /* .shstrtab */
  uint64_t names_size, names_room;
  uint8_t *strings; /* .strtab */
  uint64_t strings_size, strings_room, strings_hole;
  tl_frames_moved frames;           /* where those of Mercury's .debug_frame went */
  TL_VECTOR(final_unit) line_units; /* of .debug_line, ascending (L768) */
  uint32_t *renamed;                /* by Mercury section: offset of the new name in .strtab, 0 */
  const char **suffix;              /* by Mercury section: what a namesake's has behind its name, or NULL (L895) */
} finalizer;

static inline const tl_section *final_mercury(const finalizer *f, uint32_t section) {
  return &f->mercury->module->sections.items[section];
}
static inline const tl_section *final_sass(const finalizer *f, uint32_t section) {
  return &f->sass->module->sections.items[section];
}
/* The output index of a Mercury section's first place: the SASS section, or the one that serves both. */
static inline uint32_t final_plain_index(const finalizer *f, uint32_t section) {
  return f->mercury->emitted->section_index[section];
}

/* Fatal T1: the views of some file do not describe one program. */
_Noreturn void final_disagree(const finalizer *f, const char *what);
/* A section's bytes in its view's own image. */
const uint8_t *final_view_bytes(const tl_linked_view *view, uint32_t section);
uint64_t final_view_size(const tl_linked_view *view, uint32_t section);
uint8_t *final_new(const finalizer *f, uint64_t size);

void final_index_entries(finalizer *f);
/* Those that a relocation section of one view (TL_NONE: none) keeps. */
final_entry_list final_entries_of(const final_entries *entries, uint32_t container);

/* Before the tables of names. */
void final_find_suffixes(finalizer *f);
/* Names that are appended to the tables; each returns the offset. */
uint32_t final_add_name(finalizer *f, const char *prefix, const char *name);
uint32_t final_add_string(finalizer *f, const char *name);
/* Index in .symtab of a symbol of the SASS module. */
uint32_t final_symbol_index(const finalizer *f, uint32_t symbol);

/* A second name of a function that stands before the function in .symtab (L104). */
bool final_names_first(const finalizer *f, uint32_t symbol);

void final_find_aliases(finalizer *f);
/* Of a Mercury text; NULL where it is not known. */
const tl_code *final_code_map_of(finalizer *f, uint32_t text);
/* The SASS text that it was read of, where it is known. */
const uint8_t *final_code_text(const finalizer *f, uint32_t text);
/* L720: the part of a SASS text whose function begins at that place of the decoded code. */
final_extent final_extent_of(finalizer *f, uint32_t text, uint64_t mercury);
/* Whether a function stands behind the beginning of a text. */
bool final_is_inner(const finalizer *f, uint32_t symbol);
/* Its place and its size on the SASS side; a function of a body that lost keeps its Mercury size. */
void final_inner_symbol(finalizer *f, uint32_t symbol, uint8_t *at);
/* Whether a function begins behind a place of its text. */
bool final_has_inner(const finalizer *f, const final_function *place);
bool final_begins_inner(const finalizer *f, uint32_t text, uint64_t mercury);
void final_find_inner(finalizer *f);
/* The file whose body of a Mercury text stands, TL_NONE where none does. */
uint32_t final_standing_file(const finalizer *f, uint32_t text);
/* Whether instructions were put into the body that stands, or left out (M43, M44). */
bool final_text_moved(const finalizer *f, uint32_t text);
/* The same of a SASS text: where its instructions went, NULL where nothing was done to it. */
const struct tl_moved_text *final_moved_text(const finalizer *f, uint32_t sass);

/* Whether a symbol of the Mercury module is that of a jump slot, and its place among the slots. */
bool final_is_slot(const finalizer *f, uint32_t symbol);
uint64_t final_slot_place(const finalizer *f, uint32_t symbol);
/* Where the code of the first slot ends on the SASS side, by its frame. */
uint64_t final_slot_code_end(finalizer *f);
/* Value and size of a slot's symbol on the SASS side. */
void final_slot_symbol(finalizer *f, uint32_t symbol, uint8_t *at);
/* Entries of the Mercury slots, at their places in decoded code. */
void final_move_slot_entries(finalizer *f, uint8_t *entries, uint64_t size);

/* The steps, a file each. */
void final_pair(finalizer *f);
void final_make_slots(finalizer *f);
/* The text of one stub in a relocatable output. */
const uint8_t *final_stub_text(const finalizer *f, const uint8_t *text, uint64_t size);
/* The file's attributes with the stacks that slots have on the SASS side. */
const uint8_t *final_slot_stacks(const finalizer *f, const uint8_t *records, uint64_t size);
/* The file's attributes with the one stack that a text of several functions has on the SASS side (L721). */
const uint8_t *final_text_stacks(const finalizer *f, const uint8_t *records, uint64_t size);
void final_strings(finalizer *f);
void final_add_sections(finalizer *f);
void final_mirror_sections(finalizer *f);
void final_symbols(finalizer *f);
void final_finish_strings(finalizer *f);
void final_plan(finalizer *f, uint64_t limit);

/* The SASS side of one section, as bytes in the arena. */
const uint8_t *final_info(finalizer *f, uint32_t section, uint64_t *size);
const uint8_t *final_relocations(finalizer *f, uint32_t section, uint64_t *size);
/* What a place in the code that an entry says is where it is written: symbol and addend, as the SASS side has them. */
uint64_t final_place_value(const finalizer *f, const tl_kept *kept);
/* Whether a section of the Mercury module holds debug data, and the SASS side of it and of its entries (L1480). */
bool final_is_debug(const finalizer *f, uint32_t section);
const uint8_t *final_debug_data(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size);
/* Of a kernel's parameters and table: NULL for zeros (L1740). */
const uint8_t *final_bank_places(finalizer *f, uint32_t section, uint64_t size);
/* Of compiler constants, too (L1490). */
const uint8_t *final_data_relocations(finalizer *f, uint32_t section, uint64_t *size);
const uint8_t *final_table_relocations(finalizer *f, uint32_t section, uint64_t *size);
/* L767: whether a section of the Mercury module is a table that ptxas laid out, where all of these begin on the SASS side,
 * and their loads in a text. */
bool final_is_laid(const finalizer *f, uint32_t section);
uint64_t final_laid_base(const finalizer *f);
void final_move_laid_loads(finalizer *f, uint32_t text, uint8_t *bytes, uint64_t size);
/* Of a text whose table the link makes, the loads to which a slot's place in the table is moved first (L783). */
const uint8_t *final_indexed_loads(finalizer *f, uint32_t text, const uint8_t *bytes, uint64_t size);
/* Of a table of registers, the SASS view's bytes with the places that nvlink leaves (L765). */
const uint8_t *final_registers(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size);
/* Whether the output has them and the next (L1484). */
bool final_has_registers(const finalizer *f);
/* The types of their records, from the Mercury view's (L1485). */
const uint8_t *final_register_types(finalizer *f, const uint8_t *types, uint64_t *size);
/* Fills the section's relocation section too. */
const uint8_t *final_lines(finalizer *f, uint32_t section, uint64_t *size);
/* Where the unit of .debug_line that begins at a place of the Mercury view's is on the SASS side, when that is made; the place
 * itself where none does (L768). */
uint64_t final_line_unit(const finalizer *f, uint64_t place);
const uint8_t *final_frames(finalizer *f, uint32_t section, uint64_t *size);
const uint8_t *final_frame_relocations(finalizer *f, uint32_t section, uint64_t *size);
/* What stands where the Mercury copy of reserved shared memory has its place in the file (M28). */
void final_reserved_bytes(const finalizer *f, uint32_t section, uint8_t *bytes, uint64_t size);
void final_find_jumps(finalizer *f);
/* The SASS side of compiler constants, with the jump tables that their entries describe (L122). */
const uint8_t *final_jump_tables(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size);
/* Fatal T9 for a file of sm_100 in a link for sm_103 whose code nvlink would schedule anew (M63, L125, L991). */
void final_check_family(finalizer *f);
/* .nv.compat with the attribute that only the finalizer writes (M18, L990). */
const uint8_t *final_compat(finalizer *f, uint64_t *size);

#endif
