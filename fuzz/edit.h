/* A cubin taken apart so that it can be changed and put together again: sections with their contents, and the lists of
 * entries that they hold. What refers to something by number (symbols in relocations, records, the call graph; sections
 * in symbols and headers) is renumbered when something goes or moves, so that a change stays the one that was meant. */
#ifndef FUZZ_EDIT_H
#define FUZZ_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDIT_HEAD = 64, EDIT_SECTIONS = 2000, EDIT_GONE = -1 };

typedef struct edit_section {
  uint8_t head[EDIT_HEAD]; /* its header */
  uint8_t *bytes;
  size_t size; /* of the bytes; 0 where the file has none */
  bool empty;  /* of a type without bytes: the header's size counts */
} edit_section;

typedef struct edit_cubin {
  uint8_t head[EDIT_HEAD];
  edit_section *sections;
  size_t count;
} edit_cubin;

/* What a section's contents are a list of. */
typedef enum edit_kind {
  EDIT_RELOCATIONS,
  EDIT_SYMBOLS,
  EDIT_ATTRIBUTES, /* records of .nv.info and .nv.compat */
  EDIT_EDGES,      /* of .nv.callgraph and .nv.prototype */
  EDIT_CONTENTS,   /* none: code in instructions, data in words */
  EDIT_KINDS
} edit_kind;

/* One list: its entries' places, in order. */
enum { EDIT_ENTRIES = 4096 };
typedef struct edit_list {
  edit_section *section;
  edit_kind kind;
  size_t count;
  uint32_t at[EDIT_ENTRIES + 1]; /* at[count]: the end */
} edit_list;

/* False when the bytes are no ELF file of sections. The parts are copies. */
bool edit_cubin_read(edit_cubin *cubin, const uint8_t *bytes, size_t size);
/* The file put together; the caller frees it. */
uint8_t *edit_cubin_write(const edit_cubin *cubin, size_t *size);
void edit_cubin_free(edit_cubin *cubin);

uint64_t edit_get(const uint8_t *at, unsigned width);
void edit_put(uint8_t *at, unsigned width, uint64_t value);

edit_kind edit_section_kind(const edit_section *section);
void edit_list_make(edit_list *list, edit_section *section);
/* Entry `number`'s bytes go; `bytes` come in front of entry `number` (count: at the end). The list is made again. */
void edit_list_drop(edit_list *list, size_t number);
void edit_list_insert(edit_list *list, size_t number, const void *bytes, size_t size);
void edit_list_swap(edit_list *list, size_t a, size_t b);

/* Sets a section's contents; `size` in its header follows. Takes `bytes`, which malloc made. */
void edit_section_set(edit_section *section, uint8_t *bytes, size_t size);
/* The section that a section is about: that of entries, of records, what its flags say is named; 0: none. */
size_t edit_section_about(const edit_section *section);
/* The first section of that type (sh_type), or 0. */
size_t edit_find_type(const edit_cubin *cubin, uint32_t type);
/* A section's name; "" where the name table has none. */
const char *edit_section_name(const edit_cubin *cubin, const edit_section *section);

/* map[old] is the new number, or EDIT_GONE; references to what is gone become 0. */
void edit_renumber_symbols(edit_cubin *cubin, const int32_t *map, size_t count);
void edit_renumber_sections(edit_cubin *cubin, const int32_t *map, size_t count);

/* What is about the symbol goes: relocations, records, edges. */
void edit_symbol_forget(edit_cubin *cubin, size_t number);
/* With everything that refers to them. */
void edit_symbol_drop(edit_cubin *cubin, size_t number);
void edit_symbol_swap(edit_cubin *cubin, size_t a, size_t b);
/* Another first letter for the symbol's name, in all tables of strings, and in the names of sections that are made of it. */
void edit_symbol_rename(edit_cubin *cubin, size_t number, uint8_t change);
void edit_section_drop(edit_cubin *cubin, size_t number);
void edit_section_swap(edit_cubin *cubin, size_t a, size_t b);
/* A copy of a section of this or another cubin, at the end; its name is found in this cubin's table, or added. */
void edit_section_add(edit_cubin *cubin, const edit_cubin *from, size_t number);
/* An empty section at the end. */
edit_section *edit_section_new(edit_cubin *cubin, const char *name, uint32_t type);
/* The RELA section about a section, made where there is none. */
edit_section *edit_relocations_of(edit_cubin *cubin, size_t target);

#endif
