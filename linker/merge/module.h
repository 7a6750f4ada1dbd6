/* The merged module: what all input files together are, in the order in which nvlink creates things (W2, W3).
 *
 * Three passes fill it. `resolve` gives every function name its history: which body stands, which were replaced, which
 * lost (W8.1). graph/live decides from that which functions live (W7.4). `merge` then goes through the files once, in
 * the order of W3, and creates sections, symbols and strings; the position in these vectors is the creation rank. The
 * stages after merge only read the module; layout, relocate and emit keep their results in structures of their own. */
#ifndef TL_MERGE_MODULE_H
#define TL_MERGE_MODULE_H

#include "catalog/mode.h"
#include "cubin/cubin.h"
#include "cubin/elf.h"
#include "cubin/index.h"

/* What a file's function symbol means for its name (W8.1, V2-V4). */
typedef enum tl_body_role {
  TL_BODY_NONE,      /* no function symbol */
  TL_BODY_MENTION,   /* undefined */
  TL_BODY_FIRST,     /* first definition */
  TL_BODY_REPLACES,  /* takes the place of an earlier weak body */
  TL_BODY_LOSES,     /* a weak body that is not taken */
  TL_BODY_DUPLICATE, /* second strong definition (E21) */
  TL_BODY_MISMATCH   /* kernel here, device function there (E26) */
} tl_body_role;

/* Which of two weak bodies has no register count (E81). */
typedef enum tl_uncounted { TL_COUNTED, TL_UNCOUNTED_NEW, TL_UNCOUNTED_OLD } tl_uncounted;

/* What --trace tells of a body that meets another, when the merge comes to it. */
typedef enum tl_contest {
  TL_CONTEST_NO_NEW_COUNT = 1, /* its text has no count of registers, .nv.info is asked */
  TL_CONTEST_NO_OLD_COUNT = 2, /* nor has the other's */
  TL_CONTEST_FEWER = 4,        /* it replaces the other for its count */
  TL_CONTEST_NEWER = 8,        /* or for its virtual SM */
  TL_CONTEST_STRONG = 16       /* or because the other is weak and this one is not */
} tl_contest;

typedef struct tl_body {
  uint32_t function;         /* index in tl_resolution.functions, TL_NONE for other symbols */
  uint8_t role;              /* tl_body_role */
  uint8_t uncounted;         /* tl_uncounted */
  uint8_t contest;           /* bits of tl_contest */
  bool replaced;             /* a later body took its place */
  bool in_kernel;            /* it stands in the text of a kernel: nvlink's call graph does not have it (L552) */
  bool beaten;               /* an alias that lost against another alias: its records do not count (D96) */
  bool leads;                /* an alias that comes before the function whose text it has (D102) */
  bool taken_elsewhere;      /* of a relocatable output: a file that does not define it takes its address (L646) */
  bool partial;              /* of a relocatable output: the kernel is one of an -ewp object (L832) */
  bool lost_inner;           /* of a relocatable output: a body that lost brought it into a kernel's text (L1065) */
  bool laid;                 /* of a relocatable output: shared memory that ptxas has laid out (L1031) */
  uint16_t own_sm, first_sm; /* virtual SM of the body, and of the first definition where several met in the file */
  uint32_t alone_align;      /* of a relocatable output: of extern shared memory of -ewp objects behind it (L1061) */
  uint32_t laid_place; /* of such an object; of what stands for all of a kernel where those end, 0 without (L1060) */
} tl_body;

/* Whether the records of a body go with it (W7.7). */
static inline bool tl_body_loses(const tl_body *body) {
  return body->role == TL_BODY_LOSES || body->beaten;
}

/* A function name (or a file-local function) and what became of it. */
typedef struct tl_function {
  uint32_t name;
  uint32_t file, symbol;     /* the body that stands, or the first mention */
  uint32_t first_file;       /* of the first definition: its virtual SM counts in every contest (V3, D27) */
  uint16_t own_sm, first_sm; /* virtual SM of the standing body, and of the first definition */
  uint64_t registers;        /* of the standing body, for the contest */
  uint8_t binding;           /* of the standing body; STB_LOCAL where there is none */
  bool local, defined, kernel;
  bool kernel_somewhere; /* some body or mention is a kernel: it counts as a root, also when E26 follows (L62, L470) */
  bool provided;  /* a body, though the driver has a function of the name: as a kernel, but for its mark (L1474) */
  bool stub;      /* some body is the jump slot of a unified function: a root like a kernel (U11) */
  bool unified;   /* the body that stands is a unified function: it stays (L531) */
  bool described; /* its address is taken by a descriptor entry (R15) or part -4 alone (L618) */
  bool had_relocations;  /* some body so far had a relocation section for its text (W8.7, L75) */
  bool frames_gone;      /* the last replacement dropped the debug sections' entries of all bodies before it (L92) */
  bool mentioned_before; /* an earlier file than that of the first definition mentions it (L148) */
  bool alias_contest;    /* an alias has replaced a body, or the other way round (L490, D96) */
  bool live;             /* stays in the output */
  bool reached;          /* from a kernel; false for one kept only because its address is taken (W7.4) */
  bool rooted;           /* a kernel that calls are followed from, and not one that is only called (L1161) */
} tl_function;

/* What a contest of weak bodies compares (V2, V3): the body with fewer registers stands, then that of the higher SM. */
typedef struct tl_contestant {
  uint32_t registers;
  uint16_t sm;
} tl_contestant;

/* A record of a call graph, or an entry, on which nvlink ends the link or ends by a signal. */
typedef struct tl_live_fault {
  const tl_message_row *message; /* NULL where there is none */
  uint32_t file, section;
  uint64_t offset;
  const char *what;
} tl_live_fault;
/* The pool of an -ewp object in a relocatable output (L1066): whether no pool was there yet (L766). */
typedef struct tl_noted_pool {
  uint32_t file;
  bool apart;
  uint64_t size, align, entry_size;
} tl_noted_pool;

/* For --trace alone: an entry about a dead function, which the relocation phase looks at (R15). */
typedef struct tl_dead_entry {
  uint32_t function, name; /* its number in tl_resolution.functions, its name's */
  uint32_t type, target, container;
  uint32_t next_in_target, next_of_function; /* the one before it of the same; TL_NONE: none */
  bool told;                                 /* it went with a replaced body */
} tl_dead_entry;

/* For --trace alone: the body of a dead function that stands so far. */
typedef struct tl_dead_body {
  uint32_t file, symbol;
  bool relocated; /* some body so far had entries (W8.7) */
} tl_dead_body;

/* For --trace alone: what is kept of dead code (dead.c). Without it all are empty. */
typedef struct tl_dead {
  TL_VECTOR(tl_dead_entry) entries; /* in input order */
  TL_VECTOR(tl_dead_body) bodies;
  tl_map body_of;             /* which of them, by the function */
  tl_map in_target;           /* the last entry, by its target */
  tl_map of_function;         /* the same, by its function */
  struct tl_dead_file *files; /* by file; NULL: none needed so far */
} tl_dead;

typedef struct tl_resolution {
  TL_VECTOR(tl_function) functions; /* in creation order (W3.1, W3.9), dead ones included */
  tl_body **bodies;                 /* [file][symbol] */
  bool *odd_records;                /* by file: attributes ask for reserved memory (L1405), or are no whole records */
  uint32_t *function_of_name;       /* by name number; TL_NONE */
  size_t name_count;                /* names of the input files */
  TL_VECTOR(tl_contestant) contestants;
  tl_map replaced_as; /* by file and symbol of a body that was replaced: which of contestants it is (L791) */
  tl_map has_beaten;  /* by file and symbol of a body that replaced another: which of contestants that one was */
  tl_map record_of;   /* by file and place in its call graph: the contestant whose record it is, as -r says */
  bool any_partial;   /* some body is partial (L832) */
  tl_live_fault fault, stray;           /* of the first file that has one; a call that goes to no function (L1071) */
  TL_VECTOR(tl_noted_pool) noted_pools; /* as -r says, in the order of the files (L1066) */
} tl_resolution;

/* A range of an output section that is copied from an input file. */
typedef struct tl_piece {
  uint64_t offset, size;
  const uint8_t *data;
  uint32_t file, section; /* where it comes from, for the map */
  bool named;             /* some symbol of the file placed it, not only the section pass (G7) */
} tl_piece;
typedef TL_VECTOR(tl_piece) tl_pieces;

/* A record of .nv.info (F61). The payload stays the input's; what must be renumbered stands beside it (I4). */
typedef struct tl_attribute {
  const uint8_t *data;
  uint32_t *symbols; /* of EXTERNS: one output symbol a word, TL_NONE where it is gone */
  uint32_t symbol_count;
  uint32_t symbol; /* output symbol of the first word, or TL_NONE */
  uint16_t size;   /* payload bytes; 2 in formats other than 4 */
  uint8_t format, code;
} tl_attribute;
typedef TL_VECTOR(tl_attribute) tl_attributes;

/* The name ".rel<target>" of a RELA section (W2.5). */
typedef struct tl_rel_name {
  uint32_t place;     /* the number of sections when it was added */
  uint32_t events[2]; /* where it came into the two lists of names */
} tl_rel_name;

typedef struct tl_section {
  uint32_t name, type;
  uint64_t flags, align, entry_size, size;
  tl_pieces pieces;
  uint32_t blocks;    /* how many inputs' sections it was put together from, those without bytes too (L775) */
  uint32_t symbol;    /* its section symbol, TL_NONE */
  uint32_t link;      /* sh_link as the first input has it, for kinds that the linker gives none (L189) */
  uint32_t about;     /* section that sh_info names, TL_NONE */
  uint64_t held;      /* of shared memory: the end of its objects so far, each behind the one before (L1591) */
  uint32_t leads;     /* of what is no function's: that too, and nothing but a number (L1582); TL_NONE */
  uint32_t owner;     /* of text: symbol of the primary function, TL_NONE */
  bool left;          /* text whose second name stood first in its file: what is about it may be untranslated (L868) */
  uint32_t measured;  /* of text that an alias leads: symbol whose size is the decoded code's (L807), TL_NONE */
  uint32_t info;      /* of text: its .nv.info.F, TL_NONE */
  uint32_t shared;    /* of a kernel's text: its .nv.shared.K, TL_NONE */
  uint32_t constant0; /* of a kernel's text: its .nv.constant0.K, TL_NONE */
  uint32_t constant2; /* of text: its own .nv.constant2.K, TL_NONE */
  uint32_t stray;     /* of text: a section of constants of bodies that lost (W8.8), TL_NONE */
  uint32_t relocations[2]; /* of a target: its REL and its RELA section, TL_NONE */
  uint32_t laid_out;       /* of a kernel's parameters: the section of the inputs' own entries (L649) */
  uint32_t resolved;       /* of a target: its record of applied entries (W17.8), TL_NONE */
  uint32_t cutoff;         /* of text: older relocations belonged to a replaced body (W8.2) */
  uint32_t symbol_cutoff;  /* of compiler constants in -r: older symbols belonged to a replaced body (D88) */
  uint8_t registers;       /* of text: top byte of the input's sh_info (F45) */
  uint8_t barriers;        /* of text: bits 20 to 26 of the input's sh_flags (L1413) */
  bool bodyless;           /* of text: an alias replaced its body, and what is about it is not in the output (L490) */
  bool led;                /* of text: its owner is an alias (D102) */
  bool deserted;           /* of text: its owner is an alias that outlives the function (L1193, L1255) */
  bool external_alone;     /* .nv.shared.K of an -ewp object with nothing but extern shared memory: stays (L603) */
  bool external_lies;      /* so does one with an object without a size (L950), at its alignment (L1083) */
  bool forgotten;          /* a stray section whose winner was replaced: not in the output, nor its name (L79) */
  uint32_t name_event;     /* where its name came into the two lists of names; the second TL_NONE where it did not */
  uint32_t string_event;
  uint32_t rel_name; /* of a RELA section: that of its ".rel" name in rel_names and one (L1651), 0 where it has none */
  tl_attributes attributes; /* of .nv.info.F, in input order */
  uint32_t filled;          /* of .nv.info.F: when its records were read, counted over all of them (L86) */
} tl_section;

/* Whether the section stays for extern shared memory alone (L603, L950). */
static inline bool tl_section_keeps_external(const tl_section *section) {
  return section->external_alone || section->external_lies;
}

typedef struct tl_symbol {
  uint32_t name;
  uint8_t info, other;
  uint32_t section; /* index, or TL_NONE while undefined or common */
  uint64_t value, size;
  uint32_t extern_section; /* of extern shared memory: where it is listed (L950) */
  uint32_t shared_place;   /* of a shared object that is only mentioned: its place in shared_objects */
  uint32_t shared_places;  /* of a shared object: how often nvlink has it in that list (L87, L94) */
  uint64_t align;          /* of shared objects and commons: st_value of the input; of compiler constants: L1095 */
  uint64_t input_value;    /* st_value of a shared object as it is: of a bare one its place (L1100, L1300) */
  uint64_t first_align;    /* of a shared object whose weak definition a strong one replaced: that of its first place */
  uint32_t function;       /* of STT_FUNC: index in the resolution, TL_NONE */
  uint32_t block;          /* compiler constant of a device function: index in constant_blocks, TL_NONE */
  uint32_t mention;        /* file that named it first, TL_NONE (E20-E22) */
  uint32_t info_cutoff;    /* older .nv.info records were those of a replaced body */
  uint32_t constant_cutoff;  /* older entries of constants are against a variable that is replaced (D83) */
  uint32_t frame_cutoff[3];  /* relocations before this one against the symbol are dropped ... */
  uint32_t frame_section[3]; /* ... from these relocation sections (W8.2), TL_NONE */
  bool common;
  bool reported : 1;         /* its definition was an error (L1713) */
  bool clashes : 1;          /* a function has taken its name (L1712) */
  bool clashing_kernel : 1;  /* ... and a further one, a kernel */
  bool waits : 1;            /* common, and stays so in a relocatable output (D3) */
  bool zeros_too : 1;        /* common, and a definition without initialiser came behind it (W3.12) */
  bool weak_initialised : 1; /* common, and a weak definition with an initialiser came behind it (L436) */
  bool weak_mention;         /* undefined, and only weakly referred to (R21, R22) */
  bool went;                 /* a file defines it in a section that goes with dead or losing code: not missed (L1196) */
  bool shared;               /* object laid out in shared memory */
  bool external_shared;      /* extern __shared__ (W3.11) */
  bool bare_shared;          /* in the pool of an -ewp object, which is counted as one (L746) */
  bool laid_shared;          /* in a kernel of an -ewp object, whose value is its place (L1011) */
  bool whole_shared;         /* stands for what ptxas laid out in a kernel in a relocatable output (L832, L1060) */
  uint32_t whole_laid;       /* ... and where those of them end that have symbols (L1031) */
  bool unsized;        /* shared memory that an earlier file mentioned without a size, in a relocatable link (D82) */
  bool constants_size; /* .nv.ptx.const0.size: the size of the user constants (L251) */
  bool misplaced;      /* shared object that nvlink never lays out: S = -1, with -g 0 (D82, L94) */
  bool referenced;     /* some text that counts refers to it (W9.9) */
  bool unlisted;       /* never in .symtab (compiler constants, parameters) */
  bool plain;          /* with -r of the ordinary type, as its definition behind a mention is (L1732) */
  bool lost_inner;     /* function in a kernel's text, of a body that lost in an earlier link (L1065) */
  bool provided;       /* a function of such a name that counts as a kernel (L1474) */
  bool late;           /* kernel that stays without being named: hardly more than a device function (W17.12) */
  bool late_sections;  /* ... whose sections are created late, also where it counts as a kernel (L45, L151) */
} tl_symbol;

/* The pool of an -ewp object, which ptxas has laid out: an object without a symbol (L746). */
typedef struct tl_bare_pool {
  uint32_t symbols; /* how many came before it */
  uint64_t size, align;
} tl_bare_pool;

/* What ptxas laid out in the .nv.shared.K of a kernel of an -ewp object: one object without a symbol (L556), behind those
 * that have one, from 0 on (L1011). */
typedef struct tl_partial_object {
  uint32_t text;    /* of the kernel */
  uint32_t symbols; /* how many came before it */
  uint64_t laid;    /* up to where objects with a symbol lie */
  uint64_t size, align;
  bool counts;  /* there is an object without a symbol */
  bool foreign; /* it is one of another space (L1369) */
} tl_partial_object;

/* How an entry is to be treated whatever its symbol's class is. */
typedef enum tl_relocation_state {
  TL_ENTRY_NORMAL,
  TL_ENTRY_DEAD,     /* against a dead function: dropped, UNUSED_CLEAR writes (R15) */
  TL_ENTRY_NULL,     /* symbol became symbol 0 (R12) */
  TL_ENTRY_GONE,     /* the same, and its section, which still gives the bank, went with a body (L29) */
  TL_ENTRY_MINUS_ONE /* shared object of a dead kernel: S = -1 (W11.7) */
} tl_relocation_state;

typedef struct tl_relocation {
  uint64_t offset; /* in the output section */
  int64_t addend;
  uint64_t merge_offset; /* of a SECTION symbol: where its input section lies in the output section (R1) */
  uint32_t target;       /* output section */
  uint32_t container;    /* output REL or RELA section */
  uint32_t symbol, type;
  uint32_t file, section, index; /* input relocation section and entry, for messages */
  uint8_t state;                 /* tl_relocation_state */
  bool rel;                      /* the input entry is REL: the old field content counts */
  bool deleted;                  /* one of deleted_entries */
  bool shifted;                  /* merge_offset is the place of a second name, which its value has already (L613) */
} tl_relocation;

/* A compiler constant of the first body that has one of its name and stood when it came (L1094). */
typedef struct tl_standing_constant {
  uint32_t file, symbol; /* of the input */
  uint32_t output;       /* its symbol in the output, TL_NONE with dead code */
} tl_standing_constant;

/* An entry of a block's relocation section, in the Mercury view (M20). */
typedef struct tl_block_entry {
  uint64_t offset; /* in the block */
  int64_t addend;
  uint32_t symbol, type;
  uint64_t group; /* which compiler constant holds it: the file and its symbol */
  uint32_t older; /* 0, or the place among the entries that replaced bodies left (L122) */
  uint64_t place; /* in its section of the input */
} tl_block_entry;

/* The same where a kernel has its copy. */
typedef struct tl_copied_entry {
  uint32_t container; /* relocation section of the kernel's image */
  tl_block_entry entry;
} tl_copied_entry;

/* Compiler constants of one device function (.nv.constant2.F), copied into the kernels that reach it (W10.2). */
typedef struct tl_constant_block {
  uint32_t function; /* index in the resolution */
  uint32_t name, type;
  uint64_t align, size;
  tl_pieces pieces;
  TL_VECTOR(tl_block_entry) entries;
  bool deleted;           /* its body was replaced; the place in the order stays (W8.8) */
  bool orphan;            /* deleted, whatever came into it since: its symbols have no offset (L96) */
  bool has_losing_part;   /* constants of bodies that lost were appended */
  uint64_t losing_offset; /* of the last such part in the block (W8.9, L64) */
  uint32_t made;          /* how many sections came before it (L830) */
  bool unsorted;          /* entries were added since they were put into their order */
  const tl_site *overlap; /* two of its constants overlap in part: no kernel can take it (L1127); NULL */
} tl_constant_block;

/* Numbers of blocks of one name, the least first; some have been renamed or emptied since (merge/blocks.c). */
typedef struct tl_block_heaps {
  tl_u32_vector all, standing;
} tl_block_heaps;

/* A REL section that stands before the section of another number: where its name was made for the target's RELA section
 * (L1418). */
typedef struct tl_early_section {
  uint32_t place, section;
} tl_early_section;

/* An entry of a unified table (U3, W12.7): {symbol, flags, offset, two words of an identity}. */
typedef struct tl_unified_entry {
  uint32_t section;
  uint64_t offset;
  uint32_t symbol; /* output symbol, TL_NONE */
  const uint8_t *data;
  uint32_t file;
  bool raw; /* a symbol placed the table before its entries were read: nvlink keeps the input's numbers (L473) */
} tl_unified_entry;

/* A symbol of an input. */
typedef struct tl_place_of_symbol {
  uint32_t file, symbol; /* file TL_NONE: none */
} tl_place_of_symbol;

typedef struct tl_edge {
  uint32_t from, to; /* functions; or a function and a prototype's name */
} tl_edge;
typedef TL_VECTOR(tl_edge) tl_edges;

/* An entry of the event list behind .strtab (W2.2): the name of a section, or of a symbol. */
typedef struct tl_string_event {
  uint32_t name, symbol; /* symbol TL_NONE: a section's or an extra name */
} tl_string_event;

/* A record of a relocatable output's call graph that a replaced body alone has: its function, its place (L791). */
typedef struct tl_record_note {
  uint32_t symbol, contestant;
  uint64_t place;
} tl_record_note;

/* What a relocatable output says of a weak body (L646): flags and virtual SM of the body, and of the first definition; of
 * another type, that a kernel is one of an -ewp object (L832). */
typedef struct tl_body_note {
  uint32_t symbol, type, place;
  uint64_t addend;
} tl_body_note;

enum { TL_LOCAL_KERNEL = 1 };
/* A record of a note: its header with the owner's name; of the tools' note: six words, and as many strings but one. */
enum { TL_NOTE_HEADER = 12 + 12, TL_NOTE_STRINGS = 5, TL_NOTE_WORDS = 24, TL_NOTE_CUDA = 8 };
/* A word of a section of metadata: a number, or the name whose place in .strtab it is. */
typedef struct tl_metadata_word {
  uint32_t value;
  bool text;
} tl_metadata_word;

/* The symbol of a section that had none at first (L1366). */
typedef struct tl_fixed_symbol {
  uint32_t place; /* among the locals: at most */
  uint32_t section, symbol;
} tl_fixed_symbol;

typedef struct tl_module {
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  const tl_options *options;
  tl_names *names;
  const tl_cubin *files;
  uint32_t admitted_count; /* of `files`, with those of the runtime that are not taken at the end (L220) */
  uint32_t file_count;
  bool capsule;                   /* a capsule link: this module is one of its two views */
  const struct tl_module *beside; /* of the second view, that of SASS: the Mercury view, which has linked; or NULL */
  tl_view view;                   /* which of the files' views this is (M3) */
  unsigned arch;                  /* SM number of the target */
  bool accelerated;               /* target "a" (F56) */
  const tl_mode *mode;
  bool eliminates;     /* dead code is removed (W17.1) */
  bool keeps_shared;   /* shared symbols stay (W17.2, W17.7) */
  bool extern_by_name; /* extern shared memory has one offset a name, not one a kernel (W17.4) */
  const tl_resolution *resolution;

  TL_VECTOR(tl_section) sections;           /* 0 is the null section */
  TL_VECTOR(tl_symbol) symbols;             /* 0 is the null symbol */
  TL_VECTOR(tl_fixed_symbol) fixed_symbols; /* not among the locals yet */
  tl_u32_vector locals, globals;            /* the two halves of .symtab, in order (W4.1) */
  tl_name_table section_of_name;            /* first section of each name */
  uint32_t *symbol_of_name;                 /* global and weak symbols by name number */
  uint32_t *symbol_of_function;             /* by function index; TL_NONE */
  tl_map owned_sections;                    /* name << 32 | text section, to a section of one function (W3.10) */
  /* Functions that are left out: their names clash with variables all the same (L90). By name; their section is 0 once
   * they are defined, else TL_NONE. */
  TL_VECTOR(tl_symbol) dead_functions;
  tl_map local_textures; /* by name (L159) */
  tl_map dead_function_of_name;
  tl_u32_vector dead_globals;  /* by creation: how many of `globals` came before each global one of them (L1643) */
  tl_u32_vector dead_strings;  /* the names that these leave, TL_NONE for none (L1882) */
  tl_map dead_texts;           /* names of the texts of dead functions (L1583) */
  tl_map local_function_names; /* TL_LOCAL_KERNEL where the last of the name is one */
  tl_name_table
      symbol_of_any_name;      /* local ones and sections' too: the first (L159); made when a texture asks for it, */
  uint32_t named_symbols;      /* ... of so many symbols */
  tl_u32_vector section_names; /* event list of .shstrtab: names */
  TL_VECTOR(tl_string_event) strings;   /* event list of .strtab */
  tl_u32_vector prototypes;             /* prototype texts in first-seen order (W2.2) */
  TL_VECTOR(tl_relocation) relocations; /* in input order */
  tl_dead dead;
  TL_VECTOR(tl_site) deleted_entries; /* that stay, though what they name is gone (L527) */
  tl_attributes attributes;           /* of .nv.info, in input order */
  tl_u32_vector functions;            /* live functions (resolution index) in creation order */
  tl_u32_vector recorded_functions;   /* all, in creation order: beside capsules they have records (L1707) */
  tl_u32_vector inner_functions;      /* those in kernels' texts, which are no nodes of the call graph (L552) */
  tl_u32_vector kernels;              /* output symbols of live kernels in creation order (L255) */
  tl_u32_vector all_kernels;          /* by their texts; with those that stay without being named (W17.12) */
  tl_u32_vector entries; /* kernels, behind them second names of functions that are marked as kernels (L576, L966) */
  TL_VECTOR(tl_rel_name) rel_names;
  bool alias_left_out;    /* the only entry is a second name that its address keeps (L1182) */
  tl_u32_vector left_out; /* before which section nvlink has a number without one (W2.5, L830) */
  TL_VECTOR(tl_early_section) early;
  tl_u32_vector commons;                        /* symbols in the order in which they became common (L70) */
  TL_VECTOR(tl_partial_object) partial_objects; /* in the order of the files (L556) */
  tl_u32_vector shared_objects;                 /* symbols, in pool order (W9.2, W9.12); TL_NONE while merging: a gap */
  tl_map named_blocks;                          /* by name of the section: which of block_heaps */
  bool any_ewp;                                 /* some file is an -ewp object (C28) */
  TL_VECTOR(tl_block_heaps) block_heaps;
  TL_VECTOR(tl_constant_block) constant_blocks;
  tl_map standing_constant_of; /* function << 32 | name: which of these (L1094) */
  TL_VECTOR(tl_standing_constant) standing_constants;
  TL_VECTOR(tl_copied_entry) copied_entries;  /* in output order, behind the ordinary entries of each container (M20) */
  uint32_t *block_of_function;                /* by function index; TL_NONE */
  tl_edges calls, indirect_calls, references; /* call graph parts -1, -3, -4, in input order (W7.1) */
  tl_edges walked_calls; /* all calls, in input order, where the output has not all of them (L1707); else empty */
  tl_edges taken;        /* part -2: function and prototype name, one of each function */
  bool *untyped;         /* by function: in `taken` without any record's text (L155) */
  bool *taken_elsewhere; /* by function: a file that does not define it takes its address (L646) */
  TL_VECTOR(tl_noted_pool) noted_pools; /* pools of -ewp objects, in the order of the files (L1066) */
  TL_VECTOR(tl_body_note) body_notes;   /* what a relocatable output says of its weak bodies (L646) */
  tl_map replaced_records;              /* records that only replaced bodies have: which contestant's (L791) */
  tl_map calls_seen, references_seen;   /* keys of `calls` and `references`, where each is listed once */
  tl_map prototype_seen, taken_at;      /* keys of `prototypes`; by function, where in `taken` it is */
  uint32_t *prototype_of_function;      /* name of its .nv.prototype text; TL_NONE */
  uint32_t *first_function;             /* by file: the first function symbol that it makes, TL_NONE (L1601) */
  uint32_t *first_prototype;            /* what E25 compares with; TL_NONE */
  uint32_t fills;                       /* number of .nv.info.F sections read so far (L86) */
  bool deleted_section;                 /* something lies in dead code that nvlink looks for (L162, L225) */
  uint32_t fragments;                   /* first reserved-memory kind of AT_ENTRY_FRAGMENTS: 0, 4 or 6 (L222) */
  bool dead_alias;                      /* a live function has a dead alias (V11a, D63) */
  bool dead_local_alias;                /* the same of a local alias (L93) */
  bool kept_alias;                      /* a dead function has a live alias that is weak or local (L1193, L1255) */
  const tl_message_row *unexpected;     /* the first wrong one of Mercury's entries (L1270), NULL */
  tl_site unexpected_site;
  tl_place_of_symbol weak_behind_common; /* the first that an executable cannot have (D19, L436) */
  bool unified_functions;                /* some input has a table of functions (L521) */
  TL_VECTOR(tl_unified_entry) unified_entries;
  TL_VECTOR(tl_metadata_word) metadata_words; /* of the section `metadata` */
  const tl_index *index;                      /* of unified functions and data (-uidx), NULL */
  bool odd_slots;                             /* something that no jump slot is lies among the slots (L475) */
  tl_u32_vector stubs;                        /* with an index: symbols of the jump slots in .nv.uft */
  tl_u32_vector kernels_before_stub;          /* by number in stubs: how many of `kernels` were there before it */
  tl_pieces tool_notes;                       /* the inputs' .note.nv.tkinfo (W5.1) */
  uint64_t tool_notes_end;                    /* of the last one's place in the output's, 0 before the first (L516) */
  tl_pieces cuda_notes;                       /* those called .note.nv.cuinfo without its flag (L1076) */
  uint64_t cuda_notes_end;
  uint8_t *compat; /* merged .nv.compat records (I60-I69), 4 bytes each */
  uint32_t compat_size;
  bool external_pool; /* .nv_debug.shared was made for extern shared memory (L1703) */
  bool has_external_shared;
  bool foreign_in_pool;               /* an object of another space lies in a pool that was not (L1891) */
  bool has_surface;                   /* L590 */
  uint32_t bare_shared;               /* section of an -ewp object that only looks like the pool (L746), TL_NONE */
  bool null_is_shared;                /* symbol 0 stands for one of these: */
  TL_VECTOR(tl_bare_pool) bare_pools; /* in the order of the files (L746) */
  uint64_t debug_shared_align;        /* largest st_value of an object in any input's .nv_debug.shared (W9.8) */
  const tl_cubin *flat_shared;        /* the first file with such an object whose st_value is 0 (L241), NULL */
  uint32_t flat_symbol;               /* the object, in that file */
  uint32_t symtab_shndx;              /* section; in the output only when there are very many (X1) */
  uint32_t shstrtab, strtab, symtab, tool_note, cuda_note, info, compat_section; /* sections; TL_NONE when absent */
  uint32_t foreign_shared; /* a section of the pool's name that an object of another space made, TL_NONE (L1141) */
  uint32_t debug_shared, global, callgraph, prototype, rel_action; /* likewise */
  uint32_t bodies_section;                                         /* of body_notes, TL_NONE */
  uint32_t index_section, jump_slots, jump_entries, unified_data;  /* .nv.uidx, .nv.uft, .nv.uft.entry, .nv.udt */
  uint32_t metadata;                                               /* section, TL_NONE (L591) */
  uint32_t constants_size;                                         /* symbol .nv.ptx.const0.size, TL_NONE */
  uint32_t overlapping; /* section of a kernel's constants that overlap in part, TL_NONE (L230) */
} tl_module;

/* The number of the name that begins with a prefix and ends with another name. */
uint32_t tl_module_name(tl_module *module, const char *prefix, uint32_t name);
/* The same, where it is likely which name that is: an input's section is mostly called as the output's. */
uint32_t tl_module_likely_name(tl_module *module, uint32_t likely, const char *prefix, uint32_t name);
/* The view's names of user constants, and of a function's compiler constants before the function's name (M7). */
const char *tl_module_user_constants(const tl_module *module);
const char *tl_module_compiler_constants(const tl_module *module);
/* Creates a section and puts its name into both string tables (W2.2). */
uint32_t tl_module_add_section(tl_module *module, uint32_t name, uint32_t type, uint64_t flags, uint64_t align,
                               uint64_t entry_size);
/* The same without the entry in .strtab, which the caller makes at its own place. */
uint32_t tl_module_add_section_unlisted(tl_module *module, uint32_t name, uint32_t type, uint64_t flags, uint64_t align,
                                        uint64_t entry_size);
void tl_module_add_section_name(tl_module *module, uint32_t name);
/* Takes a section out of the output, its symbol too (L79), and the names that `names` brought, itself or another section that
 * is called so. */
void tl_module_forget_section(tl_module *module, uint32_t section, uint32_t names);
/* The same for the relocation sections of one that is forgotten; of two of a name the names of that one go (L130). */
void tl_module_forget_relocations(tl_module *module, uint32_t section);
uint32_t tl_module_add_section_symbol(tl_module *module, uint32_t section);
/* The section symbol of one that stands before everything else and has none, if it has none yet. */
void tl_module_add_fixed_symbol(tl_module *module, uint32_t section);
void tl_module_place_fixed_symbols(tl_module *module);
/* Creates a symbol outside all lists. */
uint32_t tl_module_new_symbol(tl_module *module, const tl_symbol *symbol);
/* Puts a symbol at the end of its half of .symtab and, when local or weak, its name into .strtab. */
void tl_module_list_symbol(tl_module *module, uint32_t symbol, bool with_name);
/* Places `size` bytes at the next multiple of `align` and returns their offset; `data` NULL for NOBITS. Fatal when the
 * section would outgrow what a file can hold. */
uint64_t tl_module_append(tl_module *module, uint32_t section, const uint8_t *data, uint64_t size, uint64_t align,
                          uint32_t file, uint32_t input_section);
/* First section of that name, TL_NONE. */
static inline uint32_t tl_module_find_section(const tl_module *module, uint32_t name) {
  return tl_name_table_get(&module->section_of_name, name);
}
uint32_t tl_module_section_named(const tl_module *module, const char *text);
/* The record of what is applied to compiler constants of the Mercury view has a name and nothing else (L145). */
void tl_module_name_record(tl_module *module, uint32_t target_name);
/* Adds a -2 record; a function has one (W7.1, L619). */
void tl_module_add_taken(tl_module *module, uint32_t function, uint32_t prototype);
bool tl_module_is_taken(const tl_module *module, uint32_t function);
/* Puts a prototype's text at the front of .strtab, once (W2.2). */
void tl_module_add_prototype(tl_module *module, uint32_t prototype);
static inline const char *tl_module_text(const tl_module *module, uint32_t name) {
  return tl_names_text(module->names, name);
}
/* What one file gave to a section; NULL when nothing. */
const tl_piece *tl_section_piece_of(const tl_section *section, uint32_t file);

/* The size of a Mercury text in decoded instructions, which its function's symbol has, not an alias's before it (R58, M8, L807);
 * `packed`, the size of the section's bytes, for every other section. */
uint64_t tl_module_decoded_size(const tl_module *module, uint32_t section, uint64_t packed);

/* An entry of constants against a variable that a strong one of a later file replaced: nvlink drops it (D83). */
static inline bool tl_module_relocation_is_of_replaced(const tl_module *module, size_t index) {
  const tl_relocation *const entry = &module->relocations.items[index];
  return index < module->symbols.items[entry->symbol].constant_cutoff &&
         tl_section_type_is_constant(module->sections.items[entry->target].type);
}
/* An entry of a debug section against a function whose body was replaced since (W8.2). */
bool tl_module_relocation_is_of_frame(const tl_module *module, size_t index);
/* False for an entry that went with a replaced body: of its text, or of its frame information (W8.2); like nvlink for
 * one of D83. */
bool tl_module_relocation_stands(const tl_module *module, size_t index);

/* False for an input section that is no text, or the text of a body that is replaced or loses: what it refers to does
 * not count (W9.9, L77). Dead functions count. */
bool tl_module_text_counts(const tl_module *module, uint32_t file, uint32_t section);

/* An executable with an index file: its unified tables are made here, and what refers to them is left to the loader
 * (U2, U10, U12). */
static inline bool tl_module_has_tables(const tl_module *module) {
  return module->index && module->mode->final;
}
/* Whether the symbol is called as one of the eight objects of the unified tables, in an executable without them (W4.2). */
bool tl_module_names_unified(const tl_module *module, const tl_symbol *symbol);
/* Whether the name of a unified table is in no table of symbols. */
bool tl_module_leaves_name(const tl_module *module, const tl_symbol *symbol);
/* A jump slot of such an executable, which calls its unified function. */
bool tl_module_is_stub(const tl_module *module, uint32_t symbol);
/* The function that entries against a second name of it are about (R16); TL_NONE: the symbol is no such name. */
uint32_t tl_module_aliased(const tl_module *module, uint32_t symbol);
/* Hidden or protected: nvlink does not make such a shared object internal, and so keeps its symbol (L553). */
static inline bool tl_other_is_marked(uint8_t other) {
  return (other & STO_VISIBILITY_MASK) >= STV_HIDDEN;
}
bool tl_symbol_is_marked(const tl_symbol *symbol);
/* A kernel by its mark or by its name (L1474). */
static inline bool tl_symbol_is_entry(const tl_symbol *symbol) {
  return symbol->other & STO_ENTRY || symbol->provided;
}
/* A function that is marked internal, in an output that keeps such ones (L523, L550). */
bool tl_symbol_is_kept_internal(const tl_symbol *symbol);

/* The function that a symbol of a file is, by a number that the file gives; TL_NONE, also where it has none of that number. */
static inline uint32_t tl_resolution_function(const tl_resolution *resolution, const tl_cubin *files, uint32_t file,
                                              uint32_t symbol) {
  return symbol < files[file].symbol_count ? resolution->bodies[file][symbol].function : TL_NONE;
}
/* The text in which a function came to lie; TL_NONE where it lies nowhere, or did not come along. */
static inline uint32_t tl_module_text_of(const tl_module *module, uint32_t function) {
  const uint32_t symbol = module->symbol_of_function[function];
  return symbol == TL_NONE ? TL_NONE : module->symbols.items[symbol].section;
}
/* The function whose text a section is; TL_NONE for what is nobody's, and for none. */
static inline uint32_t tl_module_owner(const tl_module *module, uint32_t section) {
  return section == TL_NONE ? TL_NONE : module->sections.items[section].owner;
}

/* Whether a shared object's symbol reaches .symtab: an executable has those that are hidden or protected (L469). */
static inline bool tl_module_lists_shared(const tl_module *module, uint8_t other) {
  return module->keeps_shared || tl_other_is_marked(other);
}

/* Shared memory without a size that lies in the section of a function: extern, and an object of that section, too (L964). */
static inline bool tl_module_is_own_external(const tl_module *module, const tl_symbol *symbol) {
  return symbol->external_shared && module->sections.items[symbol->extern_section].about != TL_NONE;
}

/* L1683: nvlink makes a section of slots, without slots, for a function called as one that stands in a text. */
bool tl_module_has_slot_behind(const tl_module *module);
/* E55 asks for jump slots and for two sections by their names: those of other types and sizes count (L800). A table of
 * functions without them is linked (L1220). */
bool tl_module_lacks_index(const tl_module *module);

/* Exactly one kernel (W6.7, W6.12); those that are not named do not count (W17.13, L151). */
static inline bool tl_module_has_single_kernel(const tl_module *module) {
  return module->entries.count == 1 && module->kernels.count == 1 &&
         !module->symbols.items[module->kernels.items[0]].late_sections &&
         !module->symbols.items[module->kernels.items[0]].provided;
}
/* The only entry there is, a kernel's second name that is not left out (L1620); TL_NONE (L1106). */
static inline uint32_t tl_module_single_alias(const tl_module *module) {
  const bool alone = module->entries.count == 1 && !module->kernels.count && !module->alias_left_out;
  return alone ? module->entries.items[0] : TL_NONE;
}
static inline unsigned tl_type_of(const tl_symbol *symbol) {
  return symbol->info & 15;
}
static inline unsigned tl_binding_of(const tl_symbol *symbol) {
  return symbol->info >> 4;
}

/* Whether an object of an input lies among compiler constants. */
bool tl_merge_is_compiler_constant(const tl_cubin *cubin, const tl_cubin_symbol *symbol);
/* The one that counts for an object of compiler constants of a body that lost, in an entry about it; NULL: there is none
 * (L1094). */
const tl_standing_constant *tl_merge_standing_constant(const tl_module *module, uint32_t file, uint32_t symbol);
/* What an entry says of the alignment of a compiler constant (L573, L1095). */
uint64_t tl_merge_constant_align(const tl_cubin *cubin, const tl_cubin_symbol *symbol);

/* Which files take part (C46, L220): those come first, in their order, the others behind them. Returns how many. */
uint32_t tl_merge_choose_files(tl_cubin *files, uint32_t count, const tl_names *names, tl_arena *arena);
/* Whether a file of the runtime behind the first `count` files would be taken (L220); they are in command order. */
bool tl_merge_misses_function(const tl_cubin *files, size_t count, const tl_names *names, tl_arena *arena);
/* W3.9: the function that a text's sh_info names, where it lies there, of a function that has another's text; else the
 * function itself. */
uint32_t tl_resolve_primary(const tl_cubin *cubin, uint32_t symbol);
void tl_resolve(tl_resolution *resolution, const tl_cubin *files, uint32_t file_count, const tl_options *options,
                tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics);
/* The virtual SM of each symbol's body: the file's, or what a relocatable output says (L646). */
void tl_bodies_read(tl_resolution *resolution, uint32_t file, const tl_cubin *cubin, const tl_names *names,
                    const tl_options *options, tl_arena *arena);
/* Remembers the contest in which a body replaces the one that stands (L791). */
void tl_bodies_replace(tl_resolution *resolution, const tl_function *standing, uint32_t file, uint32_t symbol,
                       tl_arena *arena);
/* Whether a record of a file's call graph counts: not where a replaced body has it that would have lost (L791). */
bool tl_bodies_record_counts(const tl_resolution *resolution, uint32_t file, uint32_t symbol, uint64_t place);
/* A record that counts: remembers whose it is, for a relocatable output. */
void tl_bodies_note_record(tl_module *module, uint32_t file, uint32_t symbol, uint64_t place, uint64_t key);
/* The key of a record between these two; of part -2 `to` is 0. */
uint64_t tl_bodies_record_key(uint32_t part, uint32_t from, uint32_t to);
/* Whether a function's standing body is one of an -ewp object, also behind a relocatable link (L555, L832). */
bool tl_body_is_partial(const tl_module *module, const tl_function *function);
/* Whether the link says in its output what met in it (D120, D141). */
bool tl_bodies_are_noted(const tl_module *module);
/* The lowest virtual SM of the inputs (W5.2). */
unsigned tl_module_virtual_sm(const tl_module *module);
/* The section of a relocatable output that says what met in it. */
void tl_merge_note_bodies(tl_module *module);
void tl_merge(tl_module *module);
/* The output's own record of .note.nv.tkinfo: its strings, and its size (W5.1). */
uint64_t tl_module_own_note(const tl_module *module, const char *strings[TL_NOTE_STRINGS]);
/* The place of an input's record behind those before it (L516). */
uint64_t tl_module_place_note(tl_module *module, uint64_t size, uint64_t align, bool tool);
/* Whether nvlink deletes code that lives with a dead function, which has the name of another one (L830, D139). */
void tl_merge_check_statics(tl_module *module);
/* What is created after all inputs (end of W3): commons, .nv.callgraph, .nv.prototype. */
void tl_merge_finish(tl_module *module);
/* The last section of all (W11.4). */
void tl_merge_rel_action(tl_module *module);
/* Entries of REL against second names of functions: behind everything that files bring, before what is laid out (L613). */
void tl_merge_move_aliased(tl_module *module);

#endif
