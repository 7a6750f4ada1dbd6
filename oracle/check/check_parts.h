/* What the checks share: the context of one run, indices by name, pieces of the output with the inputs they came from,
 * values that are read off the output once and must then hold everywhere. */
#ifndef REF_CHECK_PARTS_H
#define REF_CHECK_PARTS_H

#include "ref_check.h"

enum {
  SYMBOL_NOTYPE = 0,
  SYMBOL_OBJECT = 1,
  SYMBOL_FUNC = 2,
  SYMBOL_SECTION = 3,
  SYMBOL_FILE = 4,
  SYMBOL_COMMON = 5,
  SYMBOL_TLS = 6,
  SYMBOL_TEXTURE = 10,
  SYMBOL_SURFACE = 12,
  SYMBOL_CUDA_OBJECT = 13,
  BINDING_LOCAL = 0,
  BINDING_WEAK = 2,
  SPACE_MASK = 0xe0,
  SPACE_GLOBAL = 0x20,
  SPACE_SHARED = 0x40,
  SPACE_CONSTANT = 0x80,
  OTHER_ENTRY = 0x10,
  TYPE_PROGBITS = 1,
  TYPE_SYMTAB = 2,
  TYPE_STRTAB = 3,
  TYPE_RELA = 4,
  TYPE_NOBITS = 8,
  TYPE_REL = 9,
  TYPE_INFO = 0x70000000,
  TYPE_CALLGRAPH = 0x70000001,
  TYPE_PROTOTYPE = 0x70000002,
  TYPE_GLOBAL = 0x70000007,
  TYPE_GLOBAL_INIT = 0x70000008,
  TYPE_SHARED = 0x7000000a,
  TYPE_UDT = 0x70000012,
  TYPE_CONSTANT = 0x70000064,
  FLAG_ALLOC = 2,
  FLAG_EXECUTABLE = 4,
  FLAG_MERCURY = 0x10000000, /* F44 */
  FILE_CAPSULE = 2,          /* in e_flags, F11 */
  FILE_EXECUTABLE = 2,
  RESERVED_SHARED = 0x400 /* bytes of every kernel's shared memory that sm_90 and later keep for themselves (H7) */
};

/* Names in order, so that all places of one name stand together. */
typedef struct check_name {
  const char *name;
  uint32_t input, index;
} check_name;

typedef struct check_names {
  check_name *items;
  size_t count;
} check_names;

/* A relocation entry with where it stood: `order` rises over the file's relocation sections and entries. */
typedef struct check_entry {
  ref_relocation relocation;
  size_t order;
  bool has_addend; /* RELA */
  bool claimed;    /* of the output: an input entry accounts for it */
} check_entry;

/* All entries for one section, ordered by offset, then order. */
typedef struct check_entries {
  check_entry *items;
  size_t count;
} check_entries;

typedef struct check_file_entries {
  check_entries *of_section; /* one for every section of the file */
} check_file_entries;

/* Bytes of the output and the input bytes they were made from. */
typedef struct check_piece {
  uint32_t section, input, source; /* output section; input file and its section */
  uint64_t offset, from, size;     /* in the output's section; in the input's section */
} check_piece;

/* A value that no symbol of the output states: the place of a shared variable, of a compiler constant, a bindless slot.
 * It is solved from the widest field that holds it; every other field must agree. */
typedef struct check_value {
  uint64_t S;
  uint8_t width; /* bits known; 0: not solved */
} check_value;

/* A field that was solved: which function's text has it, and what it names. */
typedef struct check_use {
  uint32_t section;       /* of the output, code */
  uint32_t input, symbol; /* what it names: the definition, or the undefined symbol when there is none */
  uint32_t id;
  uint64_t S;
} check_use;

/* Who calls whom, by the output's own call graph (F75, G2). Nodes are the output's symbols, then one for each prototype,
 * between the functions that call through it and those whose address was taken with it. */
typedef struct check_graph {
  size_t count;
  size_t *starts; /* edges of node n: edges[starts[n]] to edges[starts[n + 1]] */
  uint32_t *edges;
} check_graph;

/* Sections that belong to one kernel. */
typedef enum check_owned { CHECK_SHARED, CHECK_CONSTANT0, CHECK_CONSTANT2, CHECK_OWNED } check_owned;

struct ref_check_context {
  const ref_check_link *link;
  const ref_cubin *output;
  ref_check_report *report;
  const ref_check_row *row;
  size_t listed; /* findings of this row */
  bool executable;
  bool capsule; /* sm_100 and later: SASS and Mercury side by side (F11) */
  bool mercury; /* the link is the Mercury view of a capsule's, under plain names */
  unsigned sm;
  check_names symbols;         /* the output's, with a name */
  check_names inputs;          /* global symbols of all inputs that are defined */
  check_names sections;        /* of all inputs, with bytes */
  check_file_entries kept;     /* of the output */
  check_file_entries *entries; /* of each input */
  uint32_t **ids;              /* of each input symbol: equal for the same global name */
  uint32_t *ranks;             /* by id: a function's number in order of first mention, from 1 (L28) */
  check_value *values;         /* by id */
  size_t value_count;
  uint64_t **blocks; /* of each input section that is joined with others as a block: its place; else UINT64_MAX */
  check_piece *pieces;
  size_t piece_count, piece_capacity;
  check_use *uses; /* of texts; made by check_applied, ordered by section */
  size_t use_count, use_capacity;
  check_graph graph;
  uint32_t *owned[CHECK_OWNED]; /* by text section of the output */
};

void check_found(ref_check_context *context, uint32_t section, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* For inherited invariants: `in_input` says that the input breaks it at the same place. */
void check_found_inherited(ref_check_context *context, uint32_t section, uint64_t offset, bool in_input,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Closest first. */
void check_sort_near(ref_check_report *report);

/* check_index.c */
void check_index_make(ref_check_context *context);
void check_index_free(ref_check_context *context);
/* The items of that name. */
check_names check_names_find(const check_names *names, const char *name);
check_entries *check_entries_of(const check_file_entries *file, uint32_t section);
/* The first entry at or behind `offset`. */
size_t check_entries_from(const check_entries *entries, uint64_t offset);
bool check_has_prefix(const char *name, const char *prefix);
bool check_is_code(const ref_section *section);
/* Debug sections: bytes of the file that are never loaded, under names of their own. */
bool check_is_debug(const ref_section *section);
/* Those of them that say of code where it comes from and where its frames are (W8.2). */
bool check_is_about_code(const ref_section *section);
/* The section of an input symbol, or NULL. */
const ref_section *check_symbol_section(const ref_cubin *cubin, const ref_symbol *symbol);

/* check_contest.c: of texts of one name the one whose body stands, `count` where none has a global one. */
typedef struct check_contest check_contest;
check_contest *check_contest_make(const ref_check_link *link);
size_t check_contest_winner(const check_contest *contest, const check_piece *texts, size_t count);
void check_contest_free(check_contest *contest);

/* check_match.c */
void check_match_make(ref_check_context *context);
/* An output section of code that no input section of its name and size can have become. */
enum { CHECK_NO_SOURCE = 0xffffffff };
/* Every entry of an input section that lies in a piece, last of the input first: the order in which they are applied
 * (R10). The caller frees the items. */
typedef struct check_chosen_entries {
  const check_entry **items;
  size_t count;
} check_chosen_entries;
check_chosen_entries check_piece_entries(const ref_check_context *context, const check_piece *piece);
/* The piece's bytes in the output and in its input; a copy of the latter, which the caller frees. */
const uint8_t *check_piece_made(const ref_check_context *context, const check_piece *piece);
const uint8_t *check_piece_source(const ref_check_context *context, const check_piece *piece);
uint8_t *check_piece_copy(const ref_check_context *context, const check_piece *piece);
/* The piece that holds a byte of the output, or NULL. */
const check_piece *check_find_piece(const ref_check_context *context, uint32_t section, uint64_t offset);
void check_match_free(ref_check_context *context);

/* check_fields.c: the formula of each relocation type (R2 to R9). */
typedef struct check_formula {
  uint64_t S, A;
  unsigned bank;
  uint64_t aux;
  bool adds_old; /* REL */
} check_formula;

/* True when the linker writes bits for this type at all. */
bool check_type_is_applied(uint32_t type);
bool check_type_is_runtime(uint32_t type);
/* R11: what the type is called in an executable. */
uint32_t check_type_rewritten(uint32_t type);
/* Writes the field at `at` of `bytes` (`size` in all); bits past the end are lost. */
void check_write_field(uint8_t *bytes, uint64_t size, uint64_t at, uint32_t type, const check_formula *formula);
/* The bits of the field as they stand in `from`. */
void check_copy_field(uint8_t *to, const uint8_t *from, uint64_t size, uint64_t at, uint32_t type);
/* S as far as the field that stands at `at` shows it; the number of bits known, 0 when the type shows none. */
unsigned check_solve_field(const uint8_t *made, const uint8_t *input, uint64_t size, uint64_t at, uint32_t type,
                           const check_formula *formula, uint64_t *S);
/* The field's width in bytes of value, for the slack: false when the type has no limit worth a report. */
bool check_field_limit(uint32_t type, uint64_t *limit);

/* check_values.c */
void check_applied(ref_check_context *context);
/* Of every piece: pass 0 solves, pass 1 compares. */
void check_values_solve(ref_check_context *context);
/* The symbol that an entry of input `input` names: its definition when another file has it. */
typedef struct check_target {
  uint32_t input, index; /* of the definition */
  const ref_symbol *symbol;
  const ref_section *section; /* NULL: undefined */
  uint32_t id;
} check_target;
bool check_target_of(const ref_check_context *context, uint32_t input, uint32_t symbol, check_target *target);

/* check_graph.c */
void check_graph_make(ref_check_context *context);
void check_graph_free(ref_check_context *context);
/* What a kernel reaches: `reached` has one byte a node, `nodes` their list, the kernel itself first. */
typedef struct check_reach {
  uint8_t *reached;
  uint32_t *nodes;
  size_t count;
} check_reach;
void check_reach_make(check_reach *reach, const check_graph *graph);
void check_reach_from(check_reach *reach, const check_graph *graph, uint32_t from);
void check_reach_free(check_reach *reach);
bool check_is_kernel(const ref_symbol *symbol);
/* The FUNC symbol whose text `section` is (sh_info), or 0. */
uint32_t check_function_of(const ref_check_context *context, uint32_t section);
/* The uses of one text. */
typedef struct check_uses {
  const check_use *items;
  size_t count;
} check_uses;
check_uses check_uses_of(const ref_check_context *context, uint32_t section);
/* The output section of that kind whose sh_info is the kernel's text; 0 when there is none. */
uint32_t check_section_of_kernel(const ref_check_context *context, uint32_t kernel, check_owned kind);
/* Calls `visit` for every kernel of the output with what it reaches. */
typedef void check_visit_kernel(ref_check_context *context, uint32_t kernel, const check_reach *reach, void *extra);
void check_each_kernel(ref_check_context *context, check_visit_kernel *visit, void *extra);
void check_callgraph(ref_check_context *context);
void check_spread(ref_check_context *context);

/* The other rows' functions. */
void check_header(ref_check_context *context);
void check_cover(ref_check_context *context);
void check_sections(ref_check_context *context);
void check_segments(ref_check_context *context);
void check_symbol_indices(ref_check_context *context);
void check_record_indices(ref_check_context *context);
void check_symbol_order(ref_check_context *context);
void check_overlap(ref_check_context *context);
void check_alignment(ref_check_context *context);
void check_kept(ref_check_context *context);
void check_kept_origin(ref_check_context *context);
void check_data(ref_check_context *context);
void check_debug(ref_check_context *context);
void check_compiler_constants(ref_check_context *context);
void check_shared(ref_check_context *context);
void check_bindless(ref_check_context *context);
void check_address(ref_check_context *context);
void check_same_section(ref_check_context *context);
void check_call_targets(ref_check_context *context);
void check_limits(ref_check_context *context);

#endif
