/* What the two files of the cubin builder share: the cubin while it is built. */
#ifndef TEST_SUPPORT_CUBIN_BUILDER_PARTS_H
#define TEST_SUPPORT_CUBIN_BUILDER_PARTS_H

#include "cubin_builder.h"

enum { TB_TOOL_STRINGS = 5, TB_CALLGRAPH_PARTS = 4 };

/* A place in a section that gets a number only in tb_finish. */
typedef struct tb_fixup {
  tb_section section;
  uint64_t at;
  tb_symbol symbol;
  char *string; /* not NULL: the string's offset instead of the symbol's index */
} tb_fixup;

typedef struct tb_override_row {
  tb_place place;
  uint32_t item;
  uint64_t offset, value;
  unsigned width;
} tb_override_row;

/* One pair of the call graph or of .nv.prototype. */
typedef struct tb_pair {
  unsigned part; /* 0..3; TB_CALLGRAPH_PARTS: .nv.prototype */
  tb_symbol first, second;
  char *prototype;
} tb_pair;

/* What is known of a function beyond its symbol. */
typedef struct tb_function_data {
  tb_symbol symbol;
  tb_section text, info, constant0, shared, constant2;
  uint32_t registers, frame, max_stack;
  bool kernel;
} tb_function_data;

typedef struct tb_text {
  uint8_t *bytes;
  size_t size, room;
} tb_text;

struct tb_cubin {
  unsigned sm, virtual_architecture;
  bool accelerated;
  tb_section_data *sections; /* [0] is the null section */
  size_t section_count, section_room;
  tb_symbol_data *symbols; /* [0] is the null symbol */
  size_t symbol_count, symbol_room;
  tb_fixup *fixups;
  size_t fixup_count, fixup_room;
  tb_override_row *overrides;
  size_t override_count, override_room;
  tb_pair *pairs;
  size_t pair_count, pair_room;
  tb_function_data *functions;
  size_t function_count, function_room;
  char *tool_strings[TB_TOOL_STRINGS];
  tb_section names, strings, symtab, info, compat, callgraph, prototype, tool_note, cuda_note;
  tb_section global, global_init, constant3, shared_pool;
  bool weak_symbols_made, size_overridden;
  uint64_t overridden_size;
  uint32_t *section_indices, *symbol_indices; /* by handle, after tb_finish */
};

void *tb_grow(void *array, size_t count, size_t *room, size_t element);
char *tb_copy_string(const char *text);
char *tb_join(const char *prefix, const char *name);
tb_function_data *tb_function_find(tb_cubin *cubin, tb_symbol symbol);
/* Makes the contents that stand in lists while the cubin is built: call graph, prototypes, notes. */
void tb_prepare_contents(tb_cubin *cubin);
/* Takes away a section's contents and its fixups. */
void tb_section_clear(tb_cubin *cubin, tb_section section);
void tb_put(uint8_t *at, unsigned width, uint64_t value);

#endif
