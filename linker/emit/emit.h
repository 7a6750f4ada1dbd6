/* Final numbers and tables: which sections and symbols stay and in which order, both string tables, .symtab, .nv.info,
 * call graph, notes, relocation sections (W1.4-W7). Each table is bytes in the arena; the plan puts them into the file. */
#ifndef TL_EMIT_EMIT_H
#define TL_EMIT_EMIT_H

#include "graph/resources.h"
#include "layout/layout.h"
#include "relocate/relocate.h"

typedef struct tl_table {
  uint8_t *bytes; /* NULL: the section's content is its pieces */
  uint64_t size;
} tl_table;

typedef struct tl_emitted {
  const tl_module *module;
  const tl_layout *layout;
  const tl_resources *resources;
  const tl_relocated *relocated;
  tl_arena *arena;
  uint32_t *order;         /* module sections in output order */
  uint32_t section_count;  /* of `order`, without the null section */
  uint32_t *section_index; /* by module section; 0 when dropped */
  const bool *recordless;  /* by module section: attributes that have no record left (L1619); NULL: none */
  uint32_t *symbol_index;  /* by symbol; 0 when dropped */
  tl_u32_vector symbols;   /* listed symbols in output order, without the null symbol */
  uint32_t first_global;
  uint32_t null_symbol;                   /* the symbol in place of the null symbol (L746), TL_NONE */
  uint32_t *section_name;                 /* by name number: offset in .shstrtab, 0 when it is not there */
  uint32_t *string;                       /* by name number: offset in .strtab */
  tl_table *tables;                       /* by module section */
  TL_VECTOR(tl_record_note) record_notes; /* records of the call graph that only replaced bodies have (L791) */
} tl_emitted;

void tl_emit(tl_emitted *emitted, const tl_module *module, const tl_layout *layout, const tl_resources *resources,
             const tl_relocated *relocated, tl_arena *arena);
/* The beginning of that: which sections and symbols stay. */
void tl_emit_begin(tl_emitted *emitted, const tl_module *module, const tl_layout *layout, const tl_resources *resources,
                   const tl_relocated *relocated, tl_arena *arena);

/* Sections of entries: those that stay and the records of applied ones. */
bool tl_emit_is_relocations(uint32_t type);
/* sh_type in the output (W1.5). */
uint32_t tl_emit_section_type(const tl_module *module, uint32_t type);
bool tl_emit_is_data(uint32_t type);
bool tl_emit_is_ownerless_code(const tl_section *section);
/* Place in the order of W1.4: 0 the fixed three, then 1 to 9. */
unsigned tl_emit_section_class(const tl_section *section);
enum { TL_CLASS_READ_ONLY = 5, TL_CLASS_TEXT = 6, TL_CLASS_CODE_DATA = 7, TL_CLASS_DATA = 8, TL_CLASS_EMPTY = 9 };

/* Steps of tl_emit, a file each. */
void tl_emit_sections(tl_emitted *e); /* which stay, their order and indices */
void tl_emit_strings(tl_emitted *e);
void tl_emit_symbols(tl_emitted *e); /* which stay, their indices */
void tl_emit_symbol_table(tl_emitted *e);
uint64_t tl_emit_symbol_value(const tl_emitted *e, uint32_t index); /* in it, by the module's symbol */
void tl_emit_info(tl_emitted *e);
bool tl_emit_has_records(const tl_emitted *e, uint32_t section); /* of attributes */
void tl_emit_callgraph(tl_emitted *e);
void tl_emit_relocations(tl_emitted *e);
void tl_emit_unified(tl_emitted *e);
/* Behind tl_emit: what the tables of unified things say whatever was relocated in them. */
void tl_emit_renumber_unified(const tl_emitted *e, tl_relocated *relocated);
void tl_emit_metadata(tl_emitted *e);
void tl_emit_notes(tl_emitted *e);

/* Bytes for the table of a section, zeroed. */
uint8_t *tl_emit_table(tl_emitted *e, uint32_t section, uint64_t size);
/* A function's prototype stands in .nv.prototype unless it has a -2 record (W7.6) or is local (L1093). */
bool tl_emit_lists_prototype(const tl_module *module, uint32_t function);
/* What met in a relocatable output (L646), after the call graph. */
void tl_emit_bodies(tl_emitted *e);

/* Whether a symbol is an undefined name of the unified tables, which leaves an executable without an index file (W4.2). */
bool tl_emit_is_unified_mention(const tl_emitted *e, const tl_symbol *symbol);

#endif
