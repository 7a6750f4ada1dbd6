/* One input file, read: sections and symbols as arrays, every offset, size, index and name checked once.
 *
 * After tl_cubin_read the rest of the linker may use section data, names and indices without looking at the file's
 * bounds again. Contents (relocation entries, attribute records, call-graph words) are read where they are used. */
#ifndef TL_CUBIN_CUBIN_H
#define TL_CUBIN_CUBIN_H

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/map.h"
#include "cubin/elf.h"

typedef struct tl_cubin_section {
  uint32_t name; /* number in tl_names */
  uint32_t type, link, info;
  uint64_t flags, size, align, entry_size;
  bool unnamed;         /* its name lies outside the file; `name` is empty (L170) */
  bool torn;            /* text of a namesake with half a place in code at which no instruction begins (L1022) */
  bool remade;          /* text of a namesake that the first one's options make anew (L1050) */
  bool brought;         /* of Mercury: it comes along only where a variable of the SASS view lies in it (L1947) */
  const uint8_t *data;  /* NULL when the section has no bytes in the file */
  uint64_t file_offset; /* of data in the file */
  const bool *places; /* of SASS entries made of Mercury's: by entry, its addend is a place in the code (L1540); NULL */
} tl_cubin_section;

typedef struct tl_cubin_symbol {
  uint32_t name;
  uint8_t info, other;
  bool unnamed;     /* of a section, and its name lies outside the file (L171) */
  bool homeless;    /* of a section that there is not (L171) */
  bool plain;       /* an object of the ordinary type, which is read as CUDA's */
  uint32_t section; /* index, SHN_UNDEF or TL_SECTION_COMMON */
  uint64_t value, size;
} tl_cubin_symbol;

#define TL_SECTION_COMMON (UINT32_MAX - 1)

/* Which of its descriptions of the program a file is read as (M1, M3). Code for sm_100 and later carries two. */
typedef enum tl_view { TL_VIEW_SASS, TL_VIEW_MERCURY } tl_view;

/* How a file takes part. nvlink's finalizer reads capsules of a capsule link, and in a mixed one those before the first
 * file of SASS kind (L134). */
/* What -r by default puts, with a number, behind the names of sections about a second function of one name (L895). */
#define TL_NAMESAKE_MARK "@"

typedef struct tl_role {
  tl_view view;
  bool finalized; /* read by the finalizer */
  bool joined;    /* and both views are linked */
  bool barriers;  /* the options ask for error barriers (L134) */
} tl_role;

typedef struct tl_cubin {
  const char *path;
  uint32_t input; /* index in the job */
  const uint8_t *bytes;
  size_t size;
  tl_view view;
  tl_role role;
  uint32_t flags; /* e_flags */
  uint16_t type;  /* e_type */
  bool
      writes_reserved; /* finalized before it is linked, and its code says the size of reserved shared memory (L1541) */
  bool slot_behind;    /* a jump slot's function stands behind another one of its section, which is no slot's (L1683) */
  bool marked;         /* sections about namesakes have names of their own (L895) */
  bool reads_on;       /* texts end where the next 0 byte of the file is, not where their table ends (L170, D40) */
  bool old;            /* made by a toolkit before 10.0 (L191) */
  bool few_parameters; /* made by one before 12.1 (L460) */
  bool keeps_groups;   /* made by one before 13.0: TCGEN05 records stay with their functions (L1135) */
  uint16_t virtual_sm; /* F78, decides weak ties (V2) */
  tl_cubin_section *sections;
  uint32_t section_count;
  tl_cubin_symbol *symbols;
  uint32_t symbol_count;
  uint32_t symbol_table, string_table; /* section indices */
  bool system;                         /* the path contains "cudadevrt": taken only where a function is missing (C46) */
  bool late;                           /* stands behind a system file that was not taken (L220) */
  const tl_message_row *fault;         /* E63 of an entry that is not linked, said when the file's turn comes (L1688) */
  tl_site fault_site;                  /* the first such entry */
  const tl_message_row *unreadable;    /* E65 or E66, said when the file's turn comes (C77); the file is empty then */
  uint32_t *sass_text;                 /* Mercury view: by capsule section, the SASS text it belongs to; else NULL */
  uint32_t *capsule_of;                /* Mercury view: by SASS text, its capsule section, 0 where there is none */
  const struct tl_moved_text *const *moved; /* SASS view: by section, what finalize/ changed in a text before merging */
} tl_cubin;

typedef struct tl_cubin_relocation {
  uint64_t offset;
  uint32_t symbol, type;
  int64_t addend; /* 0 in a REL section */
} tl_cubin_relocation;

/* A section or symbol by a number that an input gives: where the file has none of that number a section of no type, a symbol
 * of none that lies nowhere. */
#ifdef __clang_analyzer__ /* which would take every number for one that there is not, anew at each question */
__attribute__((returns_nonnull)) const tl_cubin_section *tl_cubin_section_at(const tl_cubin *cubin, uint64_t number);
__attribute__((returns_nonnull)) const tl_cubin_symbol *tl_cubin_symbol_at(const tl_cubin *cubin, uint64_t number);
#else
static inline const tl_cubin_section *tl_cubin_section_at(const tl_cubin *cubin, uint64_t number) {
  static const tl_cubin_section none = {.type = SHT_NULL};
  return number < cubin->section_count ? &cubin->sections[number] : &none;
}
static inline const tl_cubin_symbol *tl_cubin_symbol_at(const tl_cubin *cubin, uint64_t number) {
  static const tl_cubin_symbol none = {.section = SHN_UNDEF};
  return number < cubin->symbol_count ? &cubin->symbols[number] : &none;
}
#endif
/* The first section of that type behind the null section; 0 where there is none. */
uint32_t tl_cubin_find_section(const tl_cubin *cubin, uint32_t type);
/* By section: the last of Mercury's sections of attributes, entries and compiler constants that is about it, and of those the one before it that is
 * about the same; 0: none. */
typedef struct tl_cubin_about {
  const uint32_t *last, *previous;
} tl_cubin_about;

tl_cubin_about tl_cubin_find_about(const tl_cubin *cubin, tl_arena *arena);
/* The function that a section says it is the text of (F64), a number that nobody has checked; TL_NONE without a section. */
static inline uint32_t tl_cubin_primary(const tl_cubin *cubin, uint32_t section) {
  enum { PRIMARY = 0xffffff };
  return section < cubin->section_count ? cubin->sections[section].info & PRIMARY : TL_NONE;
}

/* A symbol's type: textures, samplers and surfaces. */
static inline bool tl_type_is_texture(unsigned type) {
  return type >= STT_CUDA_TEXTURE && type <= STT_CUDA_SURFACE;
}
static inline unsigned tl_symbol_type(const tl_cubin_symbol *symbol) {
  return symbol->info & 15;
}
static inline unsigned tl_symbol_binding(const tl_cubin_symbol *symbol) {
  return symbol->info >> 4;
}

/* How many bytes stand at a section's data: up to the end of the file, and of what a reader made its own alone. */
uint64_t tl_cubin_room(const tl_cubin *cubin, const tl_cubin_section *section);

/* Sections that have no bytes in a file (F25-F27, W1.3). */
static inline bool tl_section_type_is_empty(uint32_t type) {
  return type == SHT_NULL || type == SHT_NOBITS || type == SHT_CUDA_GLOBAL || type == SHT_CUDA_LOCAL ||
         type == SHT_CUDA_SHARED || type == SHT_CUDA_RESERVED_SHARED;
}
static inline bool tl_section_type_is_constant(uint32_t type) {
  return type >= SHT_CUDA_CONSTANT0 && type <= SHT_CUDA_CONSTANT_LAST;
}
/* SHT_REL and SHT_RELA (R1). */
static inline bool tl_section_type_is_relocations(uint32_t type) {
  return type == SHT_REL || type == SHT_RELA;
}
/* Banks of a program's own constants, whose entries against what loses nvlink drops (D83, RF300). */
bool tl_section_type_is_own_constant(uint32_t type);
/* The debug sections whose entries against functions that lose vanish (W8.3). */
bool tl_section_name_is_about_code(const char *name);

/* About how many names an admitted file has, for tables that are to be made large enough at once; no more than its bytes
 * could hold. */
uint64_t tl_cubin_estimate_names(const tl_input *input);
/* Reads an admitted file in one view of it; what belongs to the other view alone becomes SHT_NULL. Names go to `names`. A
 * field that contradicts the file is fatal (T1). */
void tl_cubin_read(tl_cubin *cubin, const tl_input *input, uint32_t index, tl_role role, tl_names *names,
                   tl_arena *arena, tl_diagnostics *diagnostics);
/* The names that compiler constants have in a relocatable output of capsules (M16): `.nv.constant.optimizer.F.N`, N from 1
 * through the file. */
void tl_cubin_number_constants(tl_cubin *cubin, tl_names *names, tl_arena *arena);
/* Whether a function in a section of jump slots is one. */
bool tl_symbol_is_called_slot(const tl_names *names, const tl_cubin_symbol *symbol);
/* Makes undefined symbols of that name mean nothing, as untyped ones do. */
void tl_cubin_forget_mention(tl_cubin *cubin, uint32_t name);
/* Fatal T1 about one section (TL_NONE: none), with the offset inside it (TL_NO_OFFSET: none). */
_Noreturn void tl_cubin_damaged(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics,
                                uint32_t section, uint64_t offset, const char *what);
/* The same, held back: nvlink goes on (L560). */
void tl_cubin_suspect(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics, uint32_t section,
                      uint64_t offset, const char *what);

/* Fatal T1 when the sh_entsize of a table is less than its entries have: nvlink divides by it, or reads past the table
 * (D17, L172). */
void tl_cubin_check_entries(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics,
                            uint32_t section);
/* Number of entries of a REL or RELA section, by its sh_entsize; a partial last entry does not count (R31, L172). */
uint64_t tl_cubin_relocation_count(const tl_cubin_section *section);
/* A RELA section of what stands in section `target`. */
bool tl_cubin_is_rela_of(const tl_cubin_section *section, uint32_t target);
static inline uint64_t tl_cubin_relocation_size(const tl_cubin_section *section) {
  return section->type == SHT_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE;
}
/* The entry at `index`, which must be less than the count. */
static inline tl_cubin_relocation tl_cubin_relocation_at(const tl_cubin_section *section, uint64_t index) {
  const uint8_t *const at = section->data + index * tl_cubin_relocation_size(section);
  const uint64_t info = tl_get64(at + 8);
  return (tl_cubin_relocation){.offset = tl_get64(at),
                               .symbol = (uint32_t)(info >> 32),
                               .type = (uint32_t)info,
                               .addend = section->type == SHT_RELA ? (int64_t)tl_get64(at + 16) : 0};
}
/* The NUL-terminated text at `offset` of the file's .strtab; NULL outside the file (L170). */
const char *tl_cubin_string(const tl_cubin *cubin, uint64_t offset);
/* The same of any section; NULL for none that there is. */
const char *tl_cubin_text_in(const tl_cubin *cubin, uint32_t section, uint64_t offset);

#endif
