/* State of the merge of one file: what each of its sections and symbols became. Private to merge/. */
#ifndef TL_MERGE_MERGING_H
#define TL_MERGE_MERGING_H

#include "cubin/elf.h"
#include "merge/module.h"

enum {
  TL_SECTION_DEAD = 1,     /* belongs to a dead function (W7.3) */
  TL_SECTION_LOST = 2,     /* belongs to a body that was not taken (W8.1) */
  TL_SECTION_DONE = 4,     /* compiler constants or dead shared section already handled */
  TL_SECTION_KERNEL = 8,   /* a dead kernel lies in it */
  TL_SECTION_NAMED = 16,   /* some symbol of the file placed it, not only the section pass (G7) */
  TL_SECTION_FOREIGN = 32, /* an object of another space placed it in shared memory (L1591) */
  TL_SECTION_OF_DEAD = 64, /* a dead function lies in it, */
  TL_SECTION_OF_LIVE = 128 /* and one that lives (L1935) */
};

/* Bytes of a weak variable that lost: relocations inside them are dropped (W8.5). */
typedef struct tl_lost_range {
  uint32_t section;
  uint64_t start, end;
} tl_lost_range;

/* A weak kernel whose bank of parameters has another size than the one that is taken (V8). */
typedef struct tl_bank_clash {
  uint32_t section, kernel; /* its bank, 0 once it is reported; its name */
} tl_bank_clash;

/* The bytes [start, end) of a section that are one compiler constant. */
typedef struct tl_constant_place {
  uint32_t section, symbol;
  uint64_t start, end;
} tl_constant_place;

typedef struct tl_symbol_place {
  uint64_t value;
  uint32_t section, symbol;
} tl_symbol_place;

typedef struct tl_merging {
  tl_module *module;
  uint32_t file;
  const tl_cubin *cubin;
  const tl_body *bodies;
  uint32_t *symbol_map;     /* output symbol, TL_NONE */
  uint32_t *section_map;    /* output section, TL_NONE */
  uint64_t *section_offset; /* where the input section lies in the output section */
  uint8_t *section_state;
  TL_VECTOR(tl_bank_clash) bank_clashes;
  tl_map clashing; /* the sections of bank_clashes */
  uint32_t
      *shared_in_section; /* by output section: shared objects of earlier files that lie in it; NULL until asked for */
  uint32_t external_shared;  /* ... and extern arrays of shared memory */
  uint32_t *parameter_banks; /* by text: its section of parameters, 0; NULL until asked for */
  bool *symbol_dead, *symbol_lost;
  bool *without_node; /* functions with a variable's name (L1712) */
  TL_VECTOR(tl_lost_range) lost_ranges;
  TL_VECTOR(tl_constant_place) constant_places;
  TL_VECTOR(tl_symbol_place) symbol_places; /* by section, value and number; empty until asked for */
  uint64_t *covered;                        /* by section: the end of its last symbol; NULL until asked for */
  uint64_t *laid;                           /* the same of symbols that are said to be shared, made with it */
  bool *holds_objects;                      /* by section, made with `covered` */
  bool *holds_functions;                    /* by section; NULL until asked for */
  tl_map bank_places;                       /* names of compiler constants: the section before which they are known */
  bool notes_pool;                          /* a relocatable output that says it has a pool of its own (L1066) */
  bool objects_done;                        /* the object pass is over */
  uint64_t *turns;                          /* by section: when it gets its place (L1110); NULL until it is asked for */
  tl_map first_of_name;                     /* by name: the section that is known by it and gets its place first */
  bool foreign;                             /* while an object of another space is placed in shared memory (L1141) */
  bool mistyped;                            /* a section has another type than the earlier one of its name (L197) */
} tl_merging;

/* The passes of W3, in their order. */
void tl_merge_functions(tl_merging *m);
void tl_merge_objects(tl_merging *m);
/* Whether a function of the file lies in a section, whatever became of it. */
bool tl_merging_holds_function(tl_merging *m, uint32_t section);
/* When a section gets its place: at its first symbol that is neither a section's nor a function's, or behind all symbols in
 * the order of the sections. */
uint64_t tl_merge_turn(tl_merging *m, uint32_t section);
/* Whether a section of the output is one of those that are there before the first file (L1606). */
bool tl_merge_is_first_table(const tl_module *module, uint32_t section);
/* E27 of a bank, once. */
void tl_merge_report_bank(tl_merging *m, uint32_t section);
/* The first symbol of all that the output has so far with the name, 0 for a section without one, or TL_NONE. */
/* A global symbol of a section's name, else a local one that came before the section; TL_NONE (L1609). */
uint32_t tl_merge_namesake(tl_module *module, uint32_t name);
uint32_t tl_merge_symbol_named(const tl_merging *m, uint32_t name);
void tl_merge_remaining_sections(tl_merging *m);
/* What is said about one section when it is read, before `merge_elf failed` (L1186): E25 of a section of prototypes or of
 * the call graph; E64 of attributes about a section that has not come along (L177). */
void tl_merge_check_prototypes(tl_merging *m, uint32_t section);
void tl_merge_check_attributes(const tl_merging *m, uint32_t section);
/* Whether a section of the file is a jump slot that no function lies in, of an executable (L1204). */
bool tl_merge_is_slot_without_function(const tl_merging *m, uint32_t section);
void tl_merge_records(tl_merging *m);
void tl_merge_relocations(tl_merging *m, uint32_t section);
/* Of entries that a replaced body left in a block, those that lie inside the new body's constants, which are an input's
 * section, stay behind the new ones (L122, D86). */
void tl_merge_inherit_entries(tl_merging *m, tl_constant_block *block, uint32_t section);
/* Puts a block's entries into their order, where some were added since. */
void tl_merge_sort_entries(tl_constant_block *block);
/* Whether a relocation section stays although its body lost: jump tables of a capsule's compiler constants (L122). */
bool tl_merge_keeps_losing_relocations(const tl_merging *m, uint32_t section);
/* The order of tl_merging.lost_ranges: by section and place. */
int tl_merge_compare_ranges(const void *a, const void *b);
/* Notes which shared objects some text refers to (W9.9). */
void tl_merge_mark_referenced(tl_merging *m);
/* E43 of a section without ISA_CLASS (C29). */
void tl_merge_check_isa_class(tl_merging *m, uint32_t section);
/* E29, a line a record that does not go with the first one of all files (L222). */
void tl_merge_check_fragments(tl_merging *m, uint32_t section);
void tl_merge_compat_begin(tl_module *module);
void tl_merge_compat(tl_merging *m, uint32_t section);
/* Records of metadata, which become one section (L591). */
void tl_merge_metadata(tl_merging *m, uint32_t section);

/* Places an input section into its output section, creating that when needed; returns the output section. */
uint32_t tl_merge_place_section(tl_merging *m, uint32_t section);
/* Fatal T1 when a section that is placed has an impossible shape. No section of a sane cubin is larger or aligned
 * further; more makes offsets that do not fit a file (C79, E76), and sums that wrap. Sections that nothing places are not
 * looked at (L174). */
void tl_merge_check_shape(const tl_merging *m, uint32_t section);
/* nvlink stops where a second body's bytes meet the first one's and are not the same as far as both reach (E73, L98). */
void tl_merge_check_overlap(const tl_merging *m, const tl_pieces *pieces, uint32_t section);
/* The first block whose section has that name, TL_NONE; and the first one that was not emptied, or filled again (D7). */
uint32_t tl_merge_first_block(tl_module *module, uint32_t name);
uint32_t tl_merge_first_standing_block(tl_module *module, uint32_t name);
/* Notes a block that is new, or was renamed or filled again. */
void tl_merge_enlist_block(tl_module *module, uint32_t block);
/* Compiler constants of a device function become a block (W10.2). */
void tl_merge_define_constants(tl_merging *m, uint32_t section, uint32_t function);
/* Remembers where a compiler constant lies; when all are known, fatal where they overlap in part or leave bytes of their
 * section to nobody (L230). */
void tl_merge_note_constant(tl_merging *m, uint32_t symbol);
void tl_merge_check_constants(tl_merging *m);
/* How much of a section counts as the constants of one body: up to the end of the last symbol in it, or all where there is
 * none. The two differ only in relocatable outputs, where constants of a losing body, which no symbol names, stand behind,
 * and symbols of a replaced body reach further: nvlink takes what the file has there (L292, D88). */
uint64_t tl_merge_covered(tl_merging *m, uint32_t section);
/* The same of a section that becomes one of the output, which must not be larger than a bank (L484). */
uint64_t tl_merge_covered_of_bank(tl_merging *m, uint32_t section);
/* Marks the functions that an earlier link says a body that lost brought (L1065). */
void tl_merge_mark_lost(tl_merging *m);
/* Shared memory that ptxas laid out in kernels of an -ewp object (L556). */
void tl_merge_partial_objects(tl_merging *m);
/* Whether some symbol with bytes lies in a section. */
bool tl_merge_has_symbols(tl_merging *m, uint32_t section);
/* Whether `symbol` of the output, which a section symbol of the file became, is that of a text that nvlink does not find by the
 * name of the input's section (L1465, L1575). */
bool tl_merge_names_another_text(const tl_merging *m, const tl_cubin_symbol *s, uint32_t symbol);

/* Where the last of its symbols that are said to be shared ends, the section where none is (L1067, L1090); 0 without
 * symbols. */
uint64_t tl_merge_laid_end(tl_merging *m, uint32_t section);
/* The pool of an -ewp object (L1066): its section comes in its place among those that the records' pass makes (L1091). */
void tl_merge_note_pool(tl_merging *m, uint32_t section);
/* nvlink looks for the section of an object that is left with dead code (L162): not of shared ones, not of local constants
 * that no output shows, and a global one it takes along. */
bool tl_merge_section_is_missed(const tl_merging *m, const tl_cubin_symbol *s);
/* Remembers a compiler constant of a body that stands, of dead code too, for those that lose (L1094). */
void tl_merge_remember_constant(const tl_merging *m, uint32_t symbol);
/* They go with a replaced body. nvlink looks for them by the function's name and can hit another function's (D7). Returns whether
 * there are any. */
bool tl_merge_drop_constants(tl_merging *m, uint32_t function, uint32_t name);
/* Z004.49: whether --trace tells that a record goes with a replaced body; the stack of a region stays (RF951). */
bool tl_merge_removes_record(uint8_t code);
/* Whether a section of that name has entries that go with a replaced body (W8.2). */
bool tl_merge_has_frames(const tl_module *module, uint32_t name);
/* For --trace: an entry about a dead function, when it is read. */
void tl_merge_note_dead_entry(const tl_merging *m, const tl_dead_entry *entry);
/* For --trace: the entries about dead functions in a text whose body is replaced go with it. */
void tl_merge_trace_dead_entries(tl_module *module, uint32_t text);
/* For --trace: a definition of a dead function, which meets others as that of a live one does. */
void tl_merge_trace_dead(tl_merging *m, uint32_t symbol);
/* W8.8: those of a losing body stay: behind the first block of their NAME, else as a section of their own. */
void tl_merge_keep_losing_constants(tl_merging *m, uint32_t section);
/* In the object pass, for a section of a dead function, which has no section of its own in the output (L95), or of a
 * second strong body, whose constants meet the first one's (L98). */
void tl_merge_meet_constants(tl_merging *m, uint32_t section);
/* W8.8 for a dead function. */
void tl_merge_keep_dead_losing_constants(tl_merging *m, uint32_t section);
/* The note of a tool, which goes into the output's (W5.1); any other but .note.nv.cuinfo is an ordinary section (L187). */
/* Puts a section behind the output's note of its name. */
void tl_merge_add_note(tl_merging *m, uint32_t section, bool tool);
bool tl_merge_is_tool_note(const tl_merging *m, const tl_cubin_section *section);
/* Fatal T1 when an entry of a relocation section names no symbol. */
void tl_merge_check_relocations(const tl_merging *m, uint32_t section);
/* E62 of a relocation section about what is of a kind that cannot be changed (L192), or, without entries, about what the
 * output does not have (L481). */
void tl_merge_check_targets(const tl_merging *m, uint32_t section);
/* E62 of a relocation section that goes with dead code or a losing body (L164). */
void tl_merge_check_dropped_relocations(const tl_merging *m, uint32_t section);
/* Marks every section of one kind that is about an already marked text section. */
void tl_merge_spread_state(tl_merging *m, uint8_t state);

/* Parameters, compiler constants (F58) and whatever else is internal are not in .symtab, but in that of an output that
 * keeps them (W4.3, L185, L523). */
static inline bool tl_merging_is_unlisted(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_mode *const mode = m->module->mode;
  return (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL && !mode->keeps_internal && !mode->records_applied;
}

/* What a section or a symbol of the file became, and the function that a symbol is, by a number that the file gives; TL_NONE,
 * also where the file has none of that number. */
/* Whether any section of the file is in that state: most files have none that is dead or lost. */
static inline bool tl_merging_any(const tl_merging *m, uint8_t state) {
  uint8_t states = 0;
  for (uint32_t s = 0; s < m->cubin->section_count; s++)
    states |= m->section_state[s];
  return states & state;
}
static inline uint32_t tl_merging_section(const tl_merging *m, uint32_t section) {
  return section < m->cubin->section_count ? m->section_map[section] : TL_NONE;
}
static inline uint32_t tl_merging_symbol(const tl_merging *m, uint32_t symbol) {
  return symbol < m->cubin->symbol_count ? m->symbol_map[symbol] : TL_NONE;
}
static inline uint32_t tl_merging_function(const tl_merging *m, uint32_t symbol) {
  return symbol < m->cubin->symbol_count ? m->bodies[symbol].function : TL_NONE;
}

/* Whether a symbol of the file lies in a section. */
static inline bool tl_merging_lies(const tl_cubin_symbol *symbol) {
  return symbol->section != SHN_UNDEF && symbol->section != TL_SECTION_COMMON;
}
/* The output text of the body that stands where that of a text of the file lost; TL_NONE when there is none. */
static inline uint32_t tl_merging_winner_text(const tl_merging *m, uint32_t text) {
  const uint32_t winner = tl_merging_symbol(m, tl_cubin_primary(m->cubin, text));
  return winner == TL_NONE ? TL_NONE : m->module->symbols.items[winner].section;
}

/* Whether a type of section is in one of the ranges, both ends of which belong to them. */
static inline bool tl_merging_type_is_within(uint32_t type, const uint32_t (*ranges)[2], size_t count) {
  size_t i = 0;
  while (i < count && !(type >= ranges[i][0] && type <= ranges[i][1]))
    i++;
  return i < count;
}
#define TL_TYPE_IS_WITHIN(type, ranges) tl_merging_type_is_within((type), (ranges), sizeof(ranges) / sizeof *(ranges))

static inline const char *tl_merging_text(const tl_merging *m, uint32_t name) {
  return tl_module_text(m->module, name);
}
void tl_merge_report(tl_merging *m, const tl_message_row *row, uint32_t name, const char *first_file);

#endif
