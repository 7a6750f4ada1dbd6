/* The cubin builder: relocatable cubins from a description in C, no toolkit needed.
 *
 * Two levels. The upper one says what a program has (kernels, functions, variables, calls) and writes what ptxas 13.0.88
 * writes for it: sections, section symbols, attributes, order, links, notes, compat records. The lower one adds any
 * section, symbol, relocation or attribute, and every default can be edited before tb_finish or overridden byte by byte
 * after it, so that damaged and unusual cubins can be made too.
 *
 * Sections and symbols are named by handles, never by their final index: while the cubin is built, a section's contents
 * are bytes plus a list of places that get a symbol's index or a string's offset in tb_finish. Knows nothing of linker/
 * and oracle/. Facts: F1-F10, F20-F46, F50-F64, F56, F65-F70, F75-F79, W9.11. Running out of memory ends the program. */
#ifndef TEST_SUPPORT_CUBIN_BUILDER_H
#define TEST_SUPPORT_CUBIN_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tb_cubin tb_cubin;
typedef uint32_t tb_section; /* 0: none */
typedef uint32_t tb_symbol;  /* 0: the null symbol */

enum { TB_LOCAL = 0, TB_GLOBAL = 1, TB_WEAK = 2 };
enum { TB_NOTYPE = 0, TB_OBJECT = 1, TB_FUNCTION = 2, TB_SECTION_SYMBOL = 3, TB_FILE = 4, TB_COMMON = 5 };
enum { TB_TEXTURE = 10, TB_SAMPLER = 11, TB_SURFACE = 12, TB_CUDA_OBJECT = 13 };
enum { TB_IN_GLOBAL = 0x20, TB_IN_SHARED = 0x40, TB_IN_CONSTANT = 0x80, TB_ENTRY = 0x10, TB_MANAGED = 0x04 };
enum { TB_UNDEFINED = 0, TB_ABSOLUTE = 0xfff1, TB_COMMON_SECTION = 0xfff2 };

/* What a section is; decides type, flags, alignment, link, info and place in the file (F20-F46). */
typedef enum tb_kind {
  TB_KIND_TEXT,
  TB_KIND_CONSTANT, /* bank by tb_section_data.type = 0x70000064 + bank */
  TB_KIND_SHARED,
  TB_KIND_GLOBAL,
  TB_KIND_GLOBAL_INIT,
  TB_KIND_DEBUG,
  TB_KIND_INFO,
  TB_KIND_FUNCTION_INFO,
  TB_KIND_COMPAT,
  TB_KIND_CALLGRAPH,
  TB_KIND_PROTOTYPE,
  TB_KIND_TOOL_NOTE,
  TB_KIND_CUDA_NOTE,
  TB_KIND_REL,
  TB_KIND_RELA,
  TB_KIND_NAMES,   /* .shstrtab */
  TB_KIND_STRINGS, /* .strtab */
  TB_KIND_SYMBOLS, /* .symtab */
  TB_KIND_COUNT
} tb_kind;

/* A section while it is built; every field may be edited until tb_finish. */
typedef struct tb_section_data {
  char *name;
  uint32_t type;
  uint64_t flags, address, align, entry_size;
  tb_section link;         /* sh_link */
  tb_section info_section; /* sh_info, the first of these three that is not 0 */
  tb_symbol info_symbol;
  uint32_t info_number;
  uint32_t info_high; /* added to sh_info, shifted left by 24: the register count of text on sm_75 to sm_89 */
  uint8_t *bytes;     /* NULL where `size` has no bytes in the file */
  uint64_t size;
  int rank;     /* the file's sections stand in the order of ranks, then of creation */
  bool dropped; /* not written; what leads to it becomes 0 */
} tb_section_data;

typedef struct tb_symbol_data {
  const char *name; /* copied by tb_symbol_add */
  uint8_t binding, type, other;
  tb_section section;   /* 0: special_section counts */
  uint16_t raw_section; /* TB_UNDEFINED, TB_ABSOLUTE, TB_COMMON_SECTION or any number */
  uint64_t value, size;
  int rank; /* 0: by binding and type; otherwise the place in .symtab */
} tb_symbol_data;

/* Starts a cubin with the sections that every cubin has; sm is 75, 80, 86, 87, 88, 89, 90. */
tb_cubin *tb_new(unsigned sm);
void tb_free(tb_cubin *cubin);
/* The virtual architecture of the cuda note (the same as sm by default) and whether the SM is an "a" one. */
void tb_set_virtual_architecture(tb_cubin *cubin, unsigned number);
void tb_set_accelerated(tb_cubin *cubin, bool accelerated);

/* ---- upper level ---- */

/* `code`: NULL for one EXIT (kernel) or RET and padding to 128 bytes. Returns the function's symbol. */
tb_symbol tb_kernel(tb_cubin *cubin, const char *name, const void *code, size_t size, unsigned registers);
tb_symbol tb_function(tb_cubin *cubin, const char *name, unsigned binding, const void *code, size_t size,
                      unsigned registers);
tb_symbol tb_undefined_function(tb_cubin *cubin, const char *name);
/* An alias: a second function symbol of another function's section, with the call edge from it to that function, without
 * which nvlink takes the function for dead (`reference to deleted symbol`). */
tb_symbol tb_alias(tb_cubin *cubin, const char *name, tb_symbol of, uint64_t value);
/* Parameters of a kernel: grows constant bank 0 and adds the KPARAM_INFO records. Call once, before other attributes. */
void tb_parameters(tb_cubin *cubin, tb_symbol kernel, const uint16_t *sizes, size_t count);
/* `init`: NULL for .nv.global, bytes for .nv.global.init. */
tb_symbol tb_global(tb_cubin *cubin, const char *name, unsigned binding, uint64_t size, uint64_t align,
                    const void *init);
tb_symbol tb_constant(tb_cubin *cubin, const char *name, unsigned binding, uint64_t size, uint64_t align,
                      const void *init);
/* A compiler constant of a function: `.nv.constant2.F`, symbol F.const_opt.lo.hi. */
tb_symbol tb_function_constant(tb_cubin *cubin, tb_symbol function, const void *bytes, uint64_t size, uint64_t align);
/* `kernel`: 0 for `.nv_debug.shared`, the objects of device functions and of the file. */
tb_symbol tb_shared(tb_cubin *cubin, tb_symbol kernel, const char *name, uint64_t size, uint64_t align);
tb_symbol tb_extern_shared(tb_cubin *cubin, const char *name);
tb_symbol tb_undefined_data(tb_cubin *cubin, const char *name, unsigned binding, unsigned space, uint64_t size);
tb_symbol tb_common(tb_cubin *cubin, const char *name, uint64_t size, uint64_t align);

/* Call graph, F75, F76. `prototype` such as "#ii". */
void tb_call(tb_cubin *cubin, tb_symbol caller, tb_symbol callee);
void tb_address_taken(tb_cubin *cubin, tb_symbol function, const char *prototype);
void tb_indirect_call(tb_cubin *cubin, tb_symbol caller, const char *prototype);
void tb_function_reference(tb_cubin *cubin, tb_symbol from, tb_symbol to);
void tb_prototype(tb_cubin *cubin, tb_symbol function, const char *prototype);

/* Values of the three module records of a function. */
void tb_set_frame_size(tb_cubin *cubin, tb_symbol function, uint32_t bytes);
void tb_set_registers(tb_cubin *cubin, tb_symbol function, uint32_t registers);
void tb_set_max_stack(tb_cubin *cubin, tb_symbol function, uint32_t bytes);

/* ---- lower level ---- */

tb_section tb_section_add(tb_cubin *cubin, tb_kind kind, const char *name, const void *bytes, uint64_t size);
/* A section with its section symbol. */
tb_section tb_section_add_with_symbol(tb_cubin *cubin, tb_kind kind, const char *name, const void *bytes,
                                      uint64_t size);
tb_section tb_section_find(const tb_cubin *cubin, const char *name);
tb_section tb_section_of(const tb_cubin *cubin, tb_symbol symbol);
tb_section_data *tb_section_edit(tb_cubin *cubin, tb_section section);
/* Appends; returns the offset. */
uint64_t tb_section_append(tb_cubin *cubin, tb_section section, const void *bytes, uint64_t size, uint64_t align);
/* Bytes `at`..+4 become the symbol's final index, or the offset of a string in .strtab. */
void tb_section_symbol_at(tb_cubin *cubin, tb_section section, uint64_t at, tb_symbol symbol);
void tb_section_string_at(tb_cubin *cubin, tb_section section, uint64_t at, const char *string);

tb_symbol tb_symbol_add(tb_cubin *cubin, const tb_symbol_data *symbol);
tb_symbol tb_symbol_of_section(tb_cubin *cubin, tb_section section); /* made when missing */
tb_symbol_data *tb_symbol_edit(tb_cubin *cubin, tb_symbol symbol);
tb_symbol tb_symbol_find(const tb_cubin *cubin, const char *name); /* the first of that name, or 0 */

/* Appends an entry to `.rela<target>` or `.rel<target>`, which is made at the first one. */
void tb_rela(tb_cubin *cubin, tb_section target, uint64_t offset, uint32_t type, tb_symbol symbol, int64_t addend);
void tb_rel(tb_cubin *cubin, tb_section target, uint64_t offset, uint32_t type, tb_symbol symbol);

/* Attribute records. `function` 0: module-wide. A payload's leading words can be symbols: the first `symbol_count` ones. */
void tb_attribute(tb_cubin *cubin, tb_symbol function, uint8_t format, uint8_t code, const void *payload,
                  uint16_t size);
void tb_attribute_value(tb_cubin *cubin, tb_symbol function, uint8_t format, uint8_t code, uint16_t value);
void tb_attribute_symbols(tb_cubin *cubin, tb_symbol function, uint8_t code, const tb_symbol *symbols,
                          size_t symbol_count, const void *rest, uint16_t rest_size);
/* A record of .nv.compat: changed when there is one of that code, otherwise appended. */
void tb_compat(tb_cubin *cubin, uint8_t code, uint16_t value);

/* The tool note's strings; the default is a ptxas record. NULL leaves a string as it is. */
void tb_set_tool_note(tb_cubin *cubin, const char *object, const char *tool, const char *version, const char *build,
                      const char *options);

/* ---- overrides of the finished file ---- */

typedef enum tb_place {
  TB_PLACE_FILE,           /* offset in the file */
  TB_PLACE_SECTION,        /* offset in a section's contents; item: tb_section */
  TB_PLACE_SECTION_HEADER, /* offset in a section's header; item: tb_section */
  TB_PLACE_SYMBOL          /* offset in a symbol's entry; item: tb_symbol */
} tb_place;

/* `width` bytes (1, 2, 4, 8) become `value` in the finished file. */
void tb_override(tb_cubin *cubin, tb_place place, uint32_t item, uint64_t offset, unsigned width, uint64_t value);
/* The file is cut to `size` bytes, or followed by zeros up to it. */
void tb_override_size(tb_cubin *cubin, uint64_t size);

/* The finished file; the caller frees it. Can be called again after changes. */
uint8_t *tb_finish(tb_cubin *cubin, size_t *size);
/* Final indices, after tb_finish. */
uint32_t tb_section_index(const tb_cubin *cubin, tb_section section);
uint32_t tb_symbol_index(const tb_cubin *cubin, tb_symbol symbol);

#endif
