/* What the reference's files share: the module that is being built, and one function or a few from each file. */
#ifndef REF_LINK_H
#define REF_LINK_H

#include "ref_cubin.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#define REF_NONE SIZE_MAX

enum {
  REF_TYPE_PROGBITS = 1,
  REF_TYPE_SYMTAB = 2,
  REF_TYPE_STRTAB = 3,
  REF_TYPE_RELA = 4,
  REF_TYPE_NOTE = 7,
  REF_TYPE_NOBITS = 8,
  REF_TYPE_REL = 9,
  REF_TYPE_SYMTAB_SHNDX = 18,
  REF_TYPE_INFO = 0x70000000,
  REF_TYPE_CALLGRAPH = 0x70000001,
  REF_TYPE_PROTOTYPE = 0x70000002,
  REF_TYPE_RESOLVED_RELA = 0x70000003,
  REF_TYPE_METADATA = 0x70000004,
  REF_TYPE_CONSTANT_GENERIC = 0x70000006, /* F24 */
  REF_TYPE_GLOBAL = 0x70000007,
  REF_TYPE_GLOBAL_INIT = 0x70000008,
  REF_TYPE_LOCAL = 0x70000009,
  REF_TYPE_SHARED = 0x7000000a,
  REF_TYPE_REL_ACTION = 0x7000000b,
  REF_TYPE_UFT = 0x7000000e,
  REF_TYPE_UIDX = 0x70000010,
  REF_TYPE_UFT_ENTRY = 0x70000011,
  REF_TYPE_UDT = 0x70000012,
  REF_TYPE_UDT_ENTRY = 0x70000014,
  REF_TYPE_SHARED_RESERVED = 0x70000015,
  REF_TYPE_CAPSULE_TEXT = 0x70000016,
  REF_TYPE_CONSTANT = 0x70000064,       /* + bank, F36 */
  REF_TYPE_CONSTANT_LAST = 0x7000007e,  /* Mercury's are the last ones, F37 */
  REF_TYPE_CONSTANT_TABLE = 0x70000079, /* M27 */
  REF_TYPE_CONSTANT_USER = 0x7000007c,
  REF_TYPE_CONSTANT_PIC = 0x7000007d,
  REF_TYPE_MERCURY_RELA = 0x70000082,
  REF_TYPE_MERCURY_INFO = 0x70000083,
  REF_TYPE_CONSTANT_OPTIMIZER = 0x70000084,
  REF_TYPE_MERCURY_SYMTAB = 0x70000085,
  REF_TYPE_COMPAT = 0x70000086,
  REF_TYPE_MERCURY_RESOLVED = 0x70000088, /* RF175 */
  REF_FLAG_WRITE = 1,
  REF_FLAG_ALLOC = 2,
  REF_FLAG_EXEC = 4,
  REF_FLAG_INFO = 0x40,
  REF_FLAG_CUINFO = 0x1000000,
  REF_FLAG_MERCURY = 0x10000000, /* F44 */
  REF_KIND_CAPSULE = 2,          /* of e_flags: F11 */
  REF_SYMBOL_OBJECT = 1,
  REF_SYMBOL_FUNC = 2,
  REF_SYMBOL_SECTION = 3,
  REF_SYMBOL_TEXTURE = 10,
  REF_SYMBOL_SAMPLER = 11,
  REF_SYMBOL_SURFACE = 12,
  REF_SYMBOL_CUDA_OBJECT = 13,
  REF_BIND_LOCAL = 0,
  REF_BIND_GLOBAL = 1,
  REF_BIND_WEAK = 2,
  REF_OTHER_ENTRY = 0x10,
  REF_SPACE_MASK = 0xe0,
  REF_SPACE_GLOBAL = 0x20,
  REF_SPACE_SHARED = 0x40,
  REF_SPACE_CONSTANT = 0x80,
  REF_NOTE_AS_MADE = 5, /* D137: the number that `.note.nv.tkinfo` has when it is made */
  REF_SECTION_RESERVED = 0xff00,
  REF_SECTION_COMMON = 0xfff2
};

typedef struct ref_bytes {
  uint8_t *data;
  size_t size, capacity;
} ref_bytes;

typedef struct ref_indices {
  size_t *items;
  size_t count, capacity;
} ref_indices;

/* Name to number: open addressing; an empty entry has no key. */
typedef struct ref_map_entry {
  const char *key;
  uint32_t number; /* UINT32_MAX: REF_NONE */
  uint32_t hash;   /* of the key */
} ref_map_entry;

typedef struct ref_map {
  ref_map_entry *entries;
  size_t count, capacity;
} ref_map;

/* A string table: whole strings, each once (W2.1). */
typedef struct ref_strings {
  ref_bytes bytes;
  ref_map offsets;
} ref_strings;

/* One attribute record (F61). Symbol indices are those of the module: the first word of the codes of I4, or all of 0x0f. */
typedef struct ref_record {
  uint8_t format, code;
  uint16_t value; /* formats other than 4 */
  ref_bytes payload;
  ref_indices symbols;
  bool first_word_is_symbol, dropped;
  size_t serial;      /* in the order in which records were made */
  ref_indices tail;   /* RF157: symbols behind the payload */
  bool takes_symbols; /* RF463: a number that they were to come behind */
  bool is_of_name;    /* RF1132: made for another name of the function */
} ref_record;

typedef struct ref_records {
  ref_record *items;
  size_t count, capacity;
} ref_records;

typedef enum ref_body {
  REF_BODY_NONE,     /* undefined here */
  REF_BODY_NEW,      /* the first definition */
  REF_BODY_REPLACES, /* beats the one before it (V2, V4) */
  REF_BODY_LOSES,
  REF_BODY_ALIAS /* second name of another function's section */
} ref_body;

/* L585: an entry for the loader. */
typedef struct ref_loader_entry {
  const char *target; /* the name of what it is about */
  uint64_t offset;
} ref_loader_entry;

typedef struct ref_file {
  const char *name;
  ref_cubin cubin; /* or one view of it (M3) */
  ref_cubin whole; /* as it was read */
  uint16_t virtual_sm;
  /* one entry an input symbol */
  size_t *function_of;
  uint32_t *registers_of, *first_registers_of;
  bool *has_registers;
  ref_body *body_of;
  uint32_t *owner_of; /* by input section ref_merge_owner, and 1, once it was asked; NULL: that may still change */
  bool *fewer_of;     /* --trace: a body that has won by its count of registers */
  size_t *symbol_of;  /* module symbol, REF_NONE while unmapped */
  /* one entry an input section */
  size_t *section_of;
  uint64_t *offset_in;
  ref_indices missing_texts;     /* RF370: with entries about a place at which no instruction begins */
  bool *compared_bank;           /* E27: by section */
  bool *holds_shared;            /* RF672: by section */
  uint32_t *leading_kernel;      /* RF1203: by section; NULL */
  size_t *shared_in;             /* RF715: by section, what its shared objects are in; REF_NONE before the first */
  ref_indices lost_variables;    /* W8.5 */
  ref_indices ignored_variables; /* RF1380 */
  bool *lost;                    /* an entry a symbol: a variable that another file's definition beats (RF1) */
  uint32_t *led_of;              /* RF116: by section the function whose alias leads it, or 0; NULL: none is led */
  const char *mention_of_text;   /* RF1371: a function with a SASS text that Mercury's side mentions alone */
  uint32_t lost_text;            /* RF127: whose attributes are not merged; 0: none */
  uint32_t bodies;               /* L646: the section that tells of them; 0: none */
  ref_indices lost_records;      /* L791: places in its call graph */
  ref_loader_entry *loader;      /* sorted; NULL: nobody asked yet */
  size_t loader_count, loader_capacity;
  ref_indices twins;       /* M2c: sections whose bytes another one has too, those of the same bytes together */
  bool knows_twins;        /* they have been looked for */
  bool has_rare_records;   /* one that ref_records_check_fragments looks for may be among them */
  bool has_no_strings;     /* E66 */
  size_t first_symbol;     /* of the module, when its merging began */
  bool is_system, is_late; /* C46 */
  bool is_old, is_oldest;  /* RF1111 */
  bool writes_reserved;    /* RF988 */
  uint32_t made_frames;    /* RF1176: the SASS section of frames that is made anew, or 0 */
  ref_indices made_rows;   /* RF1176: by frame with rows in it its place and its text */
} ref_file;

/* The parts of `.nv.callgraph` (F75). */
typedef enum ref_part {
  REF_PART_NONE,
  REF_PART_CALLS,
  REF_PART_TAKEN,
  REF_PART_INDIRECT,
  REF_PART_REFERENCES
} ref_part;

/* One record of the call graph, of a file or of the output. */
typedef struct ref_record_of_calls {
  ref_part part;
  uint64_t place;
  uint32_t symbol;       /* its first word, of a file */
  size_t callee;         /* of calls and references */
  const char *prototype; /* of indirect calls */
} ref_record_of_calls;

/* Who had such a record (L791). */
typedef struct ref_reading {
  ref_record_of_calls record;
  size_t file;
  bool has_body;      /* the file's body of the function stood then */
  bool was_replaced;  /* the file itself says so */
  uint32_t registers; /* of the body that the record is of */
  uint16_t virtual_sm;
} ref_reading;

/* An edge list keeps input order; the output reverses it (W7.1, W7.5). */
typedef struct ref_function {
  const char *name;
  size_t symbol; /* in the module */
  bool local, defined, entry, reached, live, weak;
  bool is_provided;   /* RF966: a kernel by its name alone */
  bool is_counted;    /* RF1077 */
  size_t name_before; /* RF1310: symbols there were when its name came up */
  bool has_clashed;   /* RF1135: with an object of its name */
  size_t definition_file, definition_symbol;
  uint32_t registers;
  uint16_t first_virtual_sm; /* V3 */
  uint16_t virtual_sm;       /* of the body that stands (L646) */
  uint32_t beaten_registers; /* of the body before it (L791) */
  uint16_t beaten_virtual_sm;
  bool address_taken;
  bool taken_elsewhere;        /* in a file that does not define it (L646) */
  bool taken_by_reference;     /* RF232: a -4 record alone, so far */
  size_t taken_in;             /* file of its first -2 record */
  const char *taken_prototype; /* of its -2 record */
  bool taken_without_text;     /* RF52 */
  const char *prototype;       /* of .nv.prototype */
  ref_indices calls, references;
  ref_indices shown_calls; /* RF669: of what is no function, too: REF_NONE */
  ref_reading *readings;   /* L791 */
  size_t reading_count, reading_capacity;
  const char **indirect; /* prototypes of its -3 records */
  size_t indirect_count, indirect_capacity;
  size_t alias_of;
  uint64_t size_of_names;   /* RF685: the largest size that another name of its text has */
  size_t leads;             /* RF116: the function whose text is this alias's, or REF_NONE */
  bool has_large_constants; /* one of the compiler's goes beyond a bank */
  bool is_emptied;          /* RF127 */
  bool has_stray_text;      /* RF570 */
  bool has_partial;         /* RF165: shared memory that ptxas laid out */
  bool calls_no_function;   /* RF590 */
  bool has_read_places;     /* L1031 */
  bool is_called_kernel;    /* L470: some file that does not define it says that it is one */
  bool is_stub;             /* U10: a jump slot of an executable */
  bool is_of_replacement;   /* RF124: an alias of a body that replaced another */
  bool constants_overlap;   /* L1127: a kernel that takes its compiler constants ends the link */
  size_t constants_file;    /* RF469: of the first body whose compiler constants its block has still, or REF_NONE */
  size_t text, info, shared, constant0, constant2; /* module sections */
  size_t bindless;                                 /* or 0 */
  size_t laid_table;                               /* L749: Mercury's table of textures that ptxas laid out */
  size_t image;                                    /* RF1314: of what is a kernel by its name alone */
  size_t second_image; /* D85: where its own constants are, if not where copies go; 0: nowhere else */
  ref_records records;
  size_t large_parameters; /* RF137: its records of them */
  size_t info_order;
  /* while files are merged, in their order */
  bool mentioned, mentioned_as_entry, defined_weak_so_far;
  uint8_t mentioned_other; /* RF666: st_other of the symbol so far */
  bool defined_so_far;
  size_t defined_in_so_far, first_defined_in_so_far;
  size_t first_mentioned_in; /* where it is mentioned */
  uint64_t mentioned_size;   /* RF1200: and with which st_size */
  const char *prototype_so_far;
  bool text_had_rela; /* any body so far; the output keeps one `.rela.text.F` for all of them */
  uint32_t defined_as_so_far;
  ref_indices dead_references; /* shared objects that a dead body refers to (W9.9) */
  /* results of the call graph */
  ref_indices callees; /* live ones: direct, then indirect by prototype (G2) */
  ref_indices reach;   /* kernels only: itself and all that it reaches */
  bool is_unnamed;     /* nothing spreads to it: -kernels-used leaves it out but it lives (W17.12), or -r (I7) */
  bool late_shared;
  bool late_partial; /* RF152 */
  bool is_kernel;    /* a live entry that is not excluded by -kernels-used */
  bool reaches_cycle, uses_extern_shared;
  bool has_endless_stack; /* RF280 */
  uint32_t frame_size, register_count, raised_registers, crs_size;
  uint32_t told_registers; /* L1168 */
  bool tells_registers;
  bool has_register_count;
  uint64_t stack, crs;
  ref_indices constant_users;
  uint64_t constant_offset; /* of its compiler constants in the users' images (W10.2) */
  bool kernel_uses_extern;
  size_t extern_instance; /* -r: its `externsharedinstance`, or 0 (W12) */
  size_t extern_kernel;   /* one kernel of the group that reaches this function */
  uint64_t extern_shared_offset;
  size_t group; /* of kernels that share extern shared memory (W9.5) */
  uint64_t shared_end;
  bool has_empty_object; /* RF248 */
  ref_records output_records;
  ref_records
      *slot_list; /* RF157: of a jump slot that was to get EXTERNS the record that takes the rest; NULL: none so far */
  size_t slot_record;
  uint8_t bindless_mask, kernel_bindless_mask, dead_bindless_mask;
  size_t textures, samplers, surfaces;
} ref_function;

typedef struct ref_out_section {
  const char *name;
  const char *stem; /* what its relocation sections are named for */
  uint32_t type;
  uint64_t flags, align, entry_size, size;
  uint64_t own_align; /* compiler constants: before their images were laid out */
  size_t parts;       /* RF306: blocks of inputs, or shared objects */
  ref_bytes data;
  size_t symbol;        /* its section symbol, or REF_NONE */
  size_t later_symbol;  /* RF769: the symbol that it has as soon as an object lies in it, or REF_NONE */
  ref_bytes brought;    /* RF769: what objects brought into what the output makes, behind which it stands */
  bool has_own;         /* RF769: what the output makes is in data */
  uint32_t fixed_index; /* RF769: of a section of names, which is written for itself; or 0 */
  size_t info_section;  /* or REF_NONE */
  bool is_lone;         /* RF1211: shared memory that is a section for itself */
  size_t info_function; /* or REF_NONE */
  uint32_t info_high;   /* register count byte of old cubins (F45) */
  bool links_symtab, dropped;
  uint32_t input_link;                /* RF188: sh_link as the input has it, or 0 */
  bool deleted;                       /* with its name, unlike what is only dropped */
  bool is_emptied;                    /* RF462: what a losing body left, when its winner was replaced */
  bool is_stray;                      /* compiler constants of a losing body that no kernel gets (W8.8) */
  size_t target;                      /* of a relocation section */
  size_t constant_owner;              /* device function whose compiler constants these are, or REF_NONE */
  bool has_left_out;                  /* RF177 */
  bool has_block;                     /* RF855: of an input, beside what is laid out in it */
  size_t rel, rela, last_relocations; /* of a target; 0 when there is none */
  size_t resolved;                    /* of a target: `.nv.resolvedrela`, or 0 (W17.8) */
  uint32_t index;
  uint64_t file_offset;
  ref_bytes unpatched; /* RF904: a capsule's code on the SASS side before entries were carried out; no data: none was */
} ref_out_section;

typedef struct ref_out_symbol {
  const char *name;
  uint8_t bind, type, other;
  bool local_list; /* W4.1 */
  bool common, dropped;
  bool is_later;             /* RF769: a section's that was none at first */
  bool common_is_defined;    /* RF53 */
  bool is_weak_after_common; /* D19 */
  uint8_t bind_of_common;    /* RF1312 */
  uint64_t value_before_common;
  bool is_gone;         /* RF662: a variable that was defined in a section that went with a function */
  bool has_no_name;     /* W17.2 */
  uint32_t dead_before; /* RF1077: global functions that were merged before it and are dead */
  uint32_t own_number;  /* RF1077: of a global one, nvlink's */
  size_t section;       /* REF_NONE when undefined */
  uint64_t value, size;
  size_t mention_file, definition_file;
  size_t function;
  size_t sections_before; /* L830: how many there were when it was made */
  uint64_t auxiliary;     /* R7: a shared symbol's alignment */
  bool is_extern_shared;
  bool is_only_mentioned;
  uint32_t mentioned_value;      /* L1100: st_value of its first mention */
  bool was_plain;                /* L577: of type OBJECT in the input */
  uint8_t defined_type;          /* RF928: in the input, of what is defined behind a mention, or 0 */
  bool has_no_place;             /* D82 */
  bool is_partial;               /* RF165 */
  bool is_counted;               /* L1068 */
  bool is_laid;                  /* L1011: by ptxas, and ends at `laid_end` */
  bool is_lost;                  /* RF461, RF758: such a kernel has no place for it */
  uint64_t laid_end, laid_place; /* L1060: of all of a section, where its objects with symbols end */
  bool is_whole;                 /* L1031: with -r, all of such a section */
  uint64_t array_place;          /* L1062 */
  size_t ghost_of;               /* RF62; 0: of none */
  size_t further_places;         /* RF62: in the list of shared objects */
  bool undefined_weak, referenced;
  ref_indices users; /* shared objects: kernels (W9.2) */
  size_t last_user;  /* while they are found: the last text that refers to it, and 1 */
  uint64_t slot;     /* textures, samplers, surfaces: B4 */
  uint32_t index;
} ref_out_symbol;

typedef struct ref_out_relocation {
  size_t section; /* the module's relocation section */
  size_t target;
  size_t file;
  size_t input_symbol;
  uint32_t input_target; /* the file's section that it is about */
  uint32_t input_table;  /* the file's section that it stands in, and its number there */
  size_t input_number;
  uint32_t beside_table; /* RF702: of the one of Mercury's side that a SASS entry of code belongs to; 0: none */
  size_t beside_number;
  uint64_t offset, input_offset, block_offset;
  uint32_t type;
  size_t function;
  size_t symbol; /* REF_NONE: symbol 0 */
  int64_t addend;
  bool has_addend; /* RELA */
  bool adds_old;   /* D12: a REL entry that became RELA; the field's old content counts */
  bool dropped, names_gone_shared, names_gone_section, names_constant_size;
  bool names_dead_code;     /* RF546: the section that is gone was about a function */
  bool names_dead_constant; /* L1094: an object that lay there */
  bool names_unlisted;      /* RF195: a section without a symbol */
  bool names_internal;      /* RF1242: an object that is nowhere and that nobody else sees */
  uint32_t gone_type;       /* RF401: of the section that is gone */
  uint64_t gone_align;      /* L1095: of the constants that an object that is gone lay in */
  uint64_t gone_value;      /* RF554: of that object */
  size_t copied_to;         /* RF469: the last image that it was copied to; 0: none */
  bool asked_unified;       /* R11: it had a unified type */
  bool is_of_loader;        /* L585 */
  bool is_applied;          /* it was carried out, with the value */
  uint64_t value;
} ref_out_relocation;

typedef struct ref_name {
  size_t symbol, section;
  bool in_section_names;
  const char *text;
} ref_name;

/* A word of the output that is a text's place in `.strtab`. */
typedef struct ref_placed_text {
  size_t place;
  const char *text;
} ref_placed_text;

/* One file's `.nv.constant3` in the output, or a losing body's compiler constants. */
typedef struct ref_constant_block {
  size_t section;
  uint64_t offset, size, align;
  bool has_symbol; /* some symbol of the block is not a losing weak one */
} ref_constant_block;

/* An entry of the index file or of an input's table (U3, U5). */
typedef struct ref_unified {
  uint64_t identity[2];
  uint64_t offset;      /* where the index file puts it */
  size_t symbol;        /* inputs: of the module, or REF_NONE */
  bool found;           /* inputs: in the index file */
  const uint8_t *input; /* RF1042: inputs: where the file has it */
  size_t file;          /* RF1043: inputs, and what the index file has of them */
  uint64_t before;      /* RF222: inputs: where it was without the index file */
} ref_unified;

/* RF885: symbols in the order of nvlink's own numbers. */
typedef struct ref_unified_numbers {
  ref_indices locals, globals;
  size_t known;
  uint32_t *taken; /* by file, by sections of entries (L1726) */
} ref_unified_numbers;

typedef struct ref_unified_list {
  ref_unified *items;
  size_t count;
  uint64_t window; /* index file: size of the table */
  uint64_t size;   /* inputs: of all tables, one behind the other */
  bool has_rest;   /* RF538: inputs: a table ends inside an entry */
  size_t next;     /* of items, to be asked about next */
} ref_unified_list;

typedef struct ref_arena_block ref_arena_block;

/* M7: what the constants of a view are called. */
typedef struct ref_view {
  const char *user_name, *optimizer_prefix, *table_prefix;
  uint32_t user_type, optimizer_type;
  bool is_mercury;
} ref_view;

typedef struct ref_target {
  const char *name; /* without sm_ */
  uint32_t sm;
  char variant;          /* 'a', 'f' or 0 */
  uint32_t shared_limit; /* H8, RF18 */
} ref_target;

/* ranks.c: a section's entries by symbol, offset and number. */
typedef struct ref_rank {
  uint32_t symbol;
  uint64_t offset;
  size_t number; /* of the entry */
} ref_rank;

typedef struct ref_ranks {
  const uint8_t *data;
  size_t count;
  ref_rank *items;
} ref_ranks;

enum { REF_RANKS_KEPT = 4 };

typedef struct ref_kept_places ref_kept_places;

/* What was found for the text whose entries were asked about last. */
typedef struct ref_mercury_text {
  const ref_file *table_file; /* of the entries of addresses */
  uint32_t table;
  ref_indices tables; /* Mercury's about the same text */
} ref_mercury_text;

/* L791: a record of the output's call graph that a replaced body left. */
typedef struct ref_body_record {
  uint64_t place;
  size_t symbol;
  uint64_t body; /* registers << 16 | virtual SM */
} ref_body_record;

/* L1066: a pool of an -ewp object. */
typedef struct ref_bare_pool {
  uint64_t align, size;
  bool is_apart; /* L766: a section for itself */
} ref_bare_pool;

typedef struct ref_link {
  const ref_job *job;
  ref_result *result;
  ref_arena_block *blocks;
  struct ref_link *memory_owner; /* of a capsule's SASS view: the link */
  size_t memory_taken, memory_limit, filled;
  bool is_over_memory_limit;
  jmp_buf escape;
  size_t message_capacity;
  size_t error_count;
  const ref_target *target;
  const ref_view *view;
  ref_ranks ranks[REF_RANKS_KEPT];
  size_t next_ranks;
  ref_kept_places *kept_places; /* capsule_places.c; NULL: nobody asked yet */
  size_t next_kept_places;
  ref_mercury_text mercury_text;
  uint32_t sm;
  bool sm_accelerated;
  bool is_virtual;    /* E12: `-arch=compute_N` */
  unsigned traced;    /* parts of --trace of which lines are told now */
  bool is_limited;    /* E44 was said */
  bool is_laid_out;   /* the SASS view: it went well */
  bool is_capsule;    /* M3, M4: all inputs are capsules */
  bool drops_entries; /* relocation entries of a body went when it was replaced (RF78) */
  ref_file *files;
  size_t file_count;
  ref_function *functions;
  size_t function_count, function_capacity;
  uint32_t *first_aliases; /* RF39: by function the least number of a second name; NULL: not looked for yet */
  ref_map function_by_name;
  ref_out_section *sections;
  size_t section_count, section_capacity;
  ref_indices left_out; /* RF177: how many sections there were when nvlink made one that is never filled */
  ref_out_symbol *symbols;
  size_t symbol_count, symbol_capacity;
  uint32_t dead_globals;  /* RF1077 */
  ref_indices left_names; /* RF1310: functions that leave their names alone */
  size_t pool_measured;   /* RF1033: of shared_objects, those that are in pool_size */
  uint64_t pool_size;
  size_t *first_functions; /* RF1043: by file, symbols */
  ref_map stub_by_name;    /* RF930: the first of each name, a symbol */
  size_t *stubs_by_symbol; /* of the first `stubs_noted` symbols */
  size_t stubs_noted;
  ref_indices reserved_objects; /* RF1052 */
  ref_map symbol_by_name, section_by_name, texture_parameters;
  ref_map first_by_name;   /* RF406: of the first symbols, `named_count` of them */
  ref_map local_functions; /* RF664: 1 for a kernel */
  size_t named_count;
  bool mentions_kernel;  /* RF1208 */
  bool has_dead_memory;  /* RF1211: shared memory that is a section for itself is about a dead text */
  size_t nameless_count; /* RF1206: of so many symbols the first without a name but symbol 0; 0 */
  size_t first_nameless;
  size_t pool;                  /* RF655: 0: none */
  uint64_t debug_shared_align;  /* D of W9.8 */
  bool fails_finalizer;         /* RF816: nvlink's finalizer refuses what it has made */
  bool has_lone_pool;           /* L766: one was a section for itself, or would be without -g */
  bool had_lone_pool, had_pool; /* L1066: before the file that is merged */
  ref_bare_pool *bare_pools;    /* in the order of the files */
  size_t bare_pool_count, bare_pool_capacity;
  bool has_bare_pool; /* L746: one of -ewp files is an object of the pool */
  ref_out_relocation *relocations;
  size_t relocation_count, relocation_capacity;
  ref_out_relocation *copies; /* M20: of what compiler constants refer to, in the order of the file */
  size_t copy_count, copy_capacity;
  ref_strings section_names, names;
  ref_name *name_log;
  size_t name_count, name_capacity;
  size_t section_name_count; /* of these */
  ref_records module_records, module_output;
  size_t note_section, cuinfo_section, info_section, compat_section;
  size_t names_symbol, strings_symbol,
      symbols_symbol;    /* RF769: as later_symbol, of `.shstrtab`, `.strtab` and `.symtab` */
  size_t bodies_section; /* L646; 0: none */
  ref_body_record *body_records;
  size_t body_record_count, body_record_capacity;
  size_t callgraph_section, prototype_section, action_section;
  bool everything_live;
  bool relocatable;             /* -r */
  bool preserves;               /* -preserve-relocs */
  bool preserves_deleted;       /* RF113 */
  ref_out_relocation *resolved; /* W17.9, in the order of the file */
  size_t resolved_count, resolved_capacity;
  uint64_t lost_records;       /* L831: of records that are in no section */
  size_t constant_size_symbol; /* RF101; 0: none */
  size_t named_kernel_count;   /* RF50 */
  uint64_t null_symbol_value;
  size_t null_symbol_section; /* RF467: of the kernel whose object it stands for; 0: of none so far */
  bool has_index;             /* -uidx */
  ref_unified_list index_functions, index_objects, unified_functions, unified_objects;
  ref_unified_numbers unified_numbers; /* RF885 */
  uint64_t slot_bytes;                 /* RF886: what the jump slots have together, as they are */
  size_t slot_section;                 /* `.nv.uft`; 0: none */
  size_t record_serial;
  size_t first_stub; /* which has the attributes of all, if there is such a section */
  ref_constant_block *constant_blocks;
  size_t constant_block_count, constant_block_capacity;
  ref_constant_block *lost_constants; /* W8.8: what losing bodies appended, in that order */
  size_t lost_constant_count, lost_constant_capacity;
  size_t info_count;
  ref_indices group_conflicts;                    /* kernels, E36 */
  ref_indices caching_clashes;                    /* RF93: function, function, kernel */
  bool has_surface;                               /* of any file, used or not: ZM7 */
  bool saw_extended;                              /* RF121: so far */
  bool has_extended;                              /* C28 */
  bool has_null_entry;                            /* RF975 */
  bool has_unexpected_entry;                      /* RF686 */
  const char *lone_constants, *missing_constants; /* RF1017: constants of Mercury's, and what the SASS side lacks */
  size_t unexpected_file;                         /* RF731: the last one with such an entry */
  bool has_refused_shared;                        /* RF163 */
  bool pool_begins_extern;                        /* W3.2: a mention without a size made the pool */
  bool has_dead_extern;                           /* RF651 */
  bool has_dead_parameter;                        /* RF85 */
  bool has_dead_hidden;                           /* RF801 */
  size_t removed_inside;                          /* RF162: a function's number, and 1 */
  bool has_crs_conflict;                          /* RF189 */
  const char *mismatched_section;                 /* RF95 */
  bool has_old_fragments, has_new_fragments;      /* I24a */
  bool has_ungrouped_object;                      /* RF613: of a toolkit before 13.0 */
  bool has_old_object, has_oldest_object;         /* of a toolkit before 12.1 (RF137), before 10.0 (RF138) */
  bool has_nameless_text;                         /* RF559 */
  bool has_stray_slot;                            /* RF792 */
  bool has_raw_functions, has_raw_objects;        /* RF793 */
  size_t large_parameters;                        /* RF137: records of `.nv.info` */
  ref_indices shared_objects; /* in the order of their definitions (W9.12); RF34: a replaced weak one twice */
  ref_indices commons;        /* in the order in which they became common */
  ref_indices slots;          /* of textures, samplers, surfaces */
  uint64_t laid_size;         /* L808: of the largest table that ptxas laid out */
  uint32_t first_global, output_symbol_count;
  ref_indices kernels;     /* in creation order */
  ref_indices entries;     /* with the jump slots (U11) */
  ref_indices all_kernels; /* with the unnamed ones */
  ref_indices holders;     /* of shared memory: all kernels and the jump slots of `entries` (RF164) */
  struct ref_shared *shared;
  bool compat_has[16];
  uint16_t compat_value[16];
  uint8_t compat_order[16];
  size_t compat_count;
  ref_bytes metadata; /* all files' records */
  ref_placed_text *metadata_texts;
  size_t metadata_text_count, metadata_text_capacity;
  size_t metadata_section; /* 0: none */
} ref_link;

/* memory.c */
/* A link in its own first block, all zeros otherwise; NULL: no memory. */
ref_link *ref_memory_begin(void);
void *ref_memory_take(ref_link *link, size_t count, size_t size);
void *ref_memory_copy(ref_link *link, const void *bytes, size_t size);
/* Each REF_NONE. */
size_t *ref_memory_take_numbers(ref_link *link, size_t count);
#define REF_TAKE(link, type, count) ((type *)ref_memory_take(link, count, sizeof(type)))
#define REF_TAKE_ONE(link, type) REF_TAKE(link, type, 1)
/* What it holds is for the caller to say, an item at a time. */
void *ref_memory_take_room(ref_link *link, size_t count, size_t size);
#define REF_TAKE_ROOM(link, type, count) ((type *)ref_memory_take_room(link, count, sizeof(type)))
char *ref_memory_print_list(ref_link *link, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
char *ref_memory_print(ref_link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of two texts alone, which most names are made of. */
char *ref_memory_join(ref_link *link, const char *first, const char *second);
/* A text for each row of up to four numbers, to find it by. */
const char *ref_memory_key(ref_link *link, const uint64_t *numbers, size_t count);
#define REF_KEY(link, ...)                                                                                             \
  ref_memory_key(link, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
void ref_memory_free(ref_arena_block *blocks);
void *ref_memory_enlarge(ref_link *link, void *items, size_t count, size_t *capacity, size_t item_size);
/* Makes room for one more item; returns the array's place, a new one if there was none. */
#ifdef __clang_analyzer__ /* which would take an array with room for one without a place */
void *ref_memory_grow(ref_link *link, void *items, size_t count, size_t *capacity, size_t item_size);
#else
static inline void *ref_memory_grow(ref_link *link, void *items, size_t count, size_t *capacity, size_t item_size) {
  return count < *capacity ? items : ref_memory_enlarge(link, items, count, capacity, item_size);
}
#endif
static inline void ref_indices_add(ref_link *link, ref_indices *list, size_t item) {
  list->items = ref_memory_grow(link, list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = item;
}
bool ref_indices_has(const ref_indices *list, size_t item);
void ref_bytes_check(ref_link *link, size_t size);
void ref_bytes_reserve(ref_link *link, ref_bytes *bytes, size_t size); /* room for so many in all */
void ref_bytes_add(ref_link *link, ref_bytes *bytes, const void *data, size_t size);
void ref_bytes_fill(ref_link *link, ref_bytes *bytes, size_t size); /* with zeros up to `size` */
void ref_bytes_add_u32(ref_link *link, ref_bytes *bytes, uint32_t value);
void ref_bytes_add_u64(ref_link *link, ref_bytes *bytes, uint64_t value);
uint64_t ref_align_up(uint64_t value, uint64_t align);

/* As ref_u16 reads, the other way. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline void ref_put_u16(uint8_t *at, uint16_t value) {
  memcpy(at, &value, sizeof value);
}

static inline void ref_put_u32(uint8_t *at, uint32_t value) {
  memcpy(at, &value, sizeof value);
}

static inline void ref_put_u64(uint8_t *at, uint64_t value) {
  memcpy(at, &value, sizeof value);
}
#else
static inline void ref_put_u16(uint8_t *at, uint16_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
}

static inline void ref_put_u32(uint8_t *at, uint32_t value) {
  ref_put_u16(at, (uint16_t)value);
  ref_put_u16(at + 2, (uint16_t)(value >> 16));
}

static inline void ref_put_u64(uint8_t *at, uint64_t value) {
  ref_put_u32(at, (uint32_t)value);
  ref_put_u32(at + 4, (uint32_t)(value >> 32));
}
#endif

static inline uint64_t ref_larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static inline uint64_t ref_smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* -1, 0 or 1: `a` comes first, either, `b` does. */
int ref_order(uint64_t a, uint64_t b);

/* strings.c */
size_t ref_map_find(const ref_map *map, const char *key);
/* Room for so many keys in a map that has none so far. */
void ref_map_reserve(ref_link *link, ref_map *map, size_t count);
ref_map ref_map_copy(ref_link *link, const ref_map *map);
bool ref_named_is_another(const ref_file *file, const ref_symbol *input);
bool ref_named_is_of_no_section(const ref_file *file, const ref_symbol *input);
size_t ref_named_find(ref_link *link, const char *name);
size_t ref_named_find_symbol(ref_link *link, const ref_file *file, const ref_symbol *input);
size_t ref_named_find_first(ref_link *link, const char *name);
void ref_map_set(ref_link *link, ref_map *map, const char *key, size_t number);
/* False where the key has a number already, which stays. */
bool ref_map_put(ref_link *link, ref_map *map, const char *key, size_t number);
void ref_strings_add(ref_link *link, ref_strings *strings, const char *text);
uint32_t ref_strings_offset(const ref_strings *strings, const char *text);
/* `.strtab` in the making: a string, and the symbol for whose sake it is there (or REF_NONE). */
void ref_names_add(ref_link *link, size_t symbol, const char *text);
void ref_names_add_section(ref_link *link, size_t section, const char *text); /* in both tables */
void ref_names_build(ref_link *link);

/* capsule_line_inputs.c */
void ref_line_inputs_check(ref_link *link, const ref_file *file);

/* messages.c */
void ref_messages_take_words(ref_link *link);
void ref_message_add(ref_link *link, ref_severity severity, const char *id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What is no diagnosis has no id. */
void ref_message_tell(ref_link *link, ref_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends the link, whatever was said. */
_Noreturn void ref_message_stop(ref_link *link);
_Noreturn void ref_message_fatal(ref_link *link, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ref_message_warn(ref_link *link, const char *id, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* options.c */
bool ref_option_given(const ref_link *link, ref_option option);
void ref_options_check(ref_link *link);
bool ref_options_list_has_part(const ref_link *link, ref_option option, const char *name);
bool ref_options_restrict_kernels(const ref_link *link);
bool ref_options_list_names(const ref_link *link);
bool ref_options_list_shared_symbols(const ref_link *link);
bool ref_options_keep_shared_symbols(const ref_link *link);

/* targets.c */
const ref_target *ref_target_find(const char *name);
bool ref_target_is_sm(uint32_t sm);
bool ref_target_is_finalized(const ref_target *target, uint32_t sm);
bool ref_target_takes(const ref_target *target, uint32_t sm, uint8_t acceleration, bool bare);
bool ref_target_has_capsules(uint32_t sm);

/* view.c */
extern const ref_view ref_view_sass, ref_view_mercury;
bool ref_view_is_derived(const ref_link *link);
bool ref_view_is_mirrored(const ref_section *section);
void ref_view_settle_type(const ref_cubin *cubin, ref_section *section);
ref_cubin ref_view_of(ref_link *link, const ref_cubin *cubin, bool mercury);

/* capsule_namesakes.c */
void ref_records_mend(ref_link *link, ref_file *file); /* capsule_records.c: RF1156 */
void ref_namesakes_share_first(ref_link *link);
void ref_namesakes_check_places(ref_link *link);

/* capsule_marks.c: L895; the names that a link reads. */
void ref_marks_take_off(ref_link *link, const ref_cubin *cubin);

/* ranks.c */
const ref_ranks *ref_ranks_of(ref_link *link, const ref_cubin *cubin, uint32_t section);
/* How many entries against a symbol stand at lower offsets. */
size_t ref_ranks_rank(const ref_ranks *ranks, uint32_t symbol, uint64_t offset);
/* The first entry of that rank against a symbol, or NULL; the next at its offset, or NULL. */
const ref_rank *ref_ranks_find(const ref_ranks *ranks, uint32_t symbol, size_t rank);
const ref_rank *ref_ranks_next(const ref_ranks *ranks, const ref_rank *rank);

/* capsule_pairs.c: the entry of Mercury's side that belongs to one of the SASS side, if there is one. */
typedef struct ref_pair {
  bool is_paired;
  uint32_t section; /* of the whole file */
  size_t number;
} ref_pair;

const ref_pair *ref_pairs_find(ref_link *link, const ref_file *file, uint32_t table);
bool ref_pair_take(const ref_file *file, const ref_pair *pair, ref_relocation *entry);

/* mercury.c */
void ref_mercury_repair(ref_link *link, ref_file *file);
bool ref_mercury_has_counterpart(const ref_cubin *side, const ref_relocation *entry);
/* A file and its Mercury view, and the SASS symbols by name. */
typedef struct ref_mercury_sides {
  const ref_cubin *sass, *mercury;
  const ref_map *sass_names;
} ref_mercury_sides;
/* The capsule `number`, when it is the one of a SASS text; NULL. */
const ref_section *ref_mercury_body_beside(const ref_cubin *cubin, uint32_t text, uint32_t number);
/* mercury_attributes.c: makes a SASS section of attributes anew from Mercury's; `bank`: the symbol of the parameters' section, or 0. */
void ref_mercury_derive_attributes(ref_link *link, const ref_cubin *cubin, const ref_section *mercury, uint32_t bank,
                                   ref_section *section);
void ref_mercury_derive_lone_attributes(ref_link *link, const ref_cubin *whole, ref_cubin *view);
/* mercury_constants.c: RF809; numbers of Mercury's sections of a function, 0: it has none; Mercury's view, and the SASS side's symbols by name. */
typedef struct ref_mercury_constants {
  uint32_t constants, table, attributes;
  const ref_cubin *view;
  const ref_map *own_names;
} ref_mercury_constants;
void ref_mercury_derive_constants(ref_link *link, const ref_cubin *cubin, const ref_mercury_constants *mercury,
                                  ref_section *section);
#define REF_TEXT_OF_INFO UINT32_C(0xffffff)
#define REF_NO_PARAMETERS UINT32_C(0xffffffff)
#define REF_UNKNOWN_PARAMETERS UINT32_C(0xfffffffe)
#define REF_BANK_RESERVED UINT32_C(0x380) /* in front of a capsule's parameters */
/* The size of a kernel's parameters, as their records say. */
uint32_t ref_mercury_parameters(const ref_section *mercury);
/* mercury_entries.c: makes a SASS list anew from Mercury's; false: it is right, or no rule is known. */
bool ref_mercury_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, uint32_t beside,
                                ref_section *section);
void ref_entry_sizes_settle(ref_link *link, const ref_file *file); /* capsule_entry_sizes.c */
void ref_laid_check_tables(ref_link *link, const ref_file *file);  /* RF1318 */
/* mercury_reserved.c, RF1003: takes the address of reserved shared memory out of the texts about which the SASS side has no entries. */
void ref_reserved_clear_lone(ref_link *link, const ref_mercury_sides *sides, const ref_map *tables);
/* RF988: whether such an address stands in an instruction of the text, by the entries of Mercury's `table`. */
bool ref_reserved_stands(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *body,
                         const ref_section *text);
/* mercury_mixed.c: RF987; `table`: of Mercury's entries, or 0. */
uint32_t ref_mixed_symbol(const ref_mercury_sides *sides, uint32_t number);
void ref_mixed_derive_module(ref_link *link, const ref_mercury_sides *sides, const ref_section *mercury,
                             ref_section *section);
void ref_mixed_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, ref_section *entries);
void ref_mixed_derive_data(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *mercury,
                           ref_section *data);
void ref_mixed_derive_text(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *body,
                           ref_section *section);
/* mercury_frames.c: RF1176; Mercury's frames and their entries, and the SASS side's. */
typedef struct ref_mixed_frame_sections {
  uint32_t mercury, table, sass, entries;
  ref_file *file;
} ref_mixed_frame_sections;
void ref_mixed_derive_frames(ref_link *link, const ref_mercury_sides *sides, const ref_mixed_frame_sections *sections);
const ref_indices *ref_mercury_tables(ref_link *link, const ref_file *file, uint32_t sass);
uint32_t ref_mercury_descriptor_type(ref_link *link, const ref_file *file, uint32_t sass, const ref_relocation *entry);

/* capsule_exits.c: M43 */
void ref_exits_make_visible(ref_link *link);
/* capsule_levels.c: RF466 */
void ref_levels_share(ref_link *link);

/* capsule_inner.c: L1065 */
bool ref_inner_is_lost(const ref_link *mercury, size_t function);

/* capsule.c */
void ref_capsule_run(ref_link *link);

/* reference.c */
void ref_reference_lay_out(ref_link *link);

/* inputs.c */
void ref_inputs_read(ref_link *link);
void ref_inputs_check_order(ref_link *link);
/* The bytes of some section, the null section too, are not in the file; its section table is. */
bool ref_input_has_outside_section(const uint8_t *bytes, size_t size, uint64_t headers);
/* foreign.c: an archive, be it of eight bytes or thin. */
bool ref_foreign_is_archive(const ref_input *input);
bool ref_foreign_take(ref_link *link, const ref_input *input, const char *extension);
void ref_foreign_find_libraries(ref_link *link);
const char *ref_input_string(const ref_cubin *cubin, uint64_t offset);
/* `ended`: the table with a 0 behind it, once a name has needed one; empty before. The text lies in the table or in that. */
const char *ref_input_last_text(ref_link *link, const ref_cubin *cubin, uint32_t table, uint64_t offset,
                                ref_bytes *ended);
void ref_inputs_prepare(ref_link *link, ref_file *file);

/* system.c */
void ref_system_choose_files(ref_link *link);
void ref_system_check_file(ref_link *link, const ref_file *file);

/* functions.c */
void ref_functions_survey(ref_link *link);
void ref_functions_check_inside_kernels(ref_link *link);
bool ref_function_owns_text(const ref_file *file, uint32_t section);
uint32_t ref_function_primary(const ref_file *file, uint32_t section);
void ref_function_find_leading(ref_link *link, ref_file *file);
bool ref_function_alias_goes_by_section(const ref_link *link, const ref_function *alias);
bool ref_function_lies_in_kernel(const ref_link *link, const ref_function *function);
bool ref_function_has_own_image(const ref_function *function);
bool ref_function_is_root_by_name(const ref_link *link, const ref_function *function);
bool ref_function_leaves_name(const ref_link *link, const ref_function *function, const ref_symbol *input);
bool ref_function_symbol_is_alias(const ref_file *file, uint32_t symbol);
void ref_function_note_taken(ref_link *link, const ref_file *file, const ref_section *graph);
bool ref_function_has_registers(const ref_file *file, uint32_t symbol);
uint32_t ref_function_registers(const ref_file *file, uint32_t symbol);
bool ref_function_is_named(const ref_link *link, const ref_function *function);
bool ref_function_is_slot(const ref_symbol *symbol);
bool ref_function_is_root(const ref_link *link, const ref_function *function);
void ref_function_list_indirect(ref_link *link, const char *prototype, ref_indices *found);

/* partial.c */
bool ref_partial_has_array(const ref_link *link, size_t file_number, const ref_symbol *input);
bool ref_partial_is_laid_out(const ref_link *link, const ref_function *function, const ref_indices *own);
bool ref_partial_has_kernel(const ref_link *link, const ref_function *function);
void ref_partial_add_shared(ref_link *link, size_t file_number, uint32_t number);
void ref_partial_add_read(ref_link *link, size_t file_number);
uint64_t ref_partial_alignment(const ref_link *link, size_t file, uint64_t align);
void ref_partial_lay_object(ref_link *link, size_t file_number, const ref_symbol *input, ref_out_symbol *symbol);
bool ref_partial_take_object(ref_link *link, size_t file_number, const ref_symbol *input);
bool ref_partial_place_section(ref_link *link, size_t file_number, uint32_t number);
bool ref_partial_join_pool(ref_link *link, size_t file_number, uint32_t number, size_t section);
void ref_partial_take_pools(ref_link *link, size_t file_number);
void ref_partial_take_alone(ref_link *link, size_t file_number, uint32_t symbol);
void ref_partial_take_alone_kernels(ref_link *link, size_t file_number, bool dead);
void ref_partial_order_objects(ref_link *link, ref_indices *own);
uint64_t ref_partial_end_behind(const ref_out_symbol *symbol, uint64_t end);
bool ref_partial_places_new(const ref_link *link, size_t file, const ref_symbol *input);
size_t ref_partial_lone_pool(const ref_link *link);
bool ref_partial_loses_null(const ref_link *link);
void ref_partial_count_objects(ref_link *link, const ref_indices *own);
bool ref_partial_is_file(const ref_link *link, size_t file);
void ref_partial_write_place(ref_link *link);

/* clashes.c */
bool ref_clash_function_with_object(ref_link *link, const ref_file *file, uint32_t symbol);
bool ref_clash_object_with_function(ref_link *link, ref_file *file, const ref_symbol *input);

/* many.c */
bool ref_many_sections(const ref_link *link);
size_t ref_many_first_number(const ref_link *link, size_t section);
ref_bytes ref_many_words(ref_link *link);

/* internal.c */
bool ref_function_is_internal(const ref_link *link, const ref_function *function);
bool ref_function_keeps_internal(const ref_link *link);
void ref_functions_check_internal(ref_link *link);
void ref_functions_drop_internal(ref_link *link);

/* sections.c */
size_t ref_section_add(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                       uint64_t entry_size);
size_t ref_section_add_hidden(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                              uint64_t entry_size);
size_t ref_section_add_with_symbol(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                                   uint64_t entry_size);
size_t ref_section_add_known_as(ref_link *link, const char *known_as, const char *name, uint32_t type, uint64_t flags,
                                uint64_t align);
size_t ref_section_find_pool(const ref_link *link);
size_t ref_symbol_add_later(ref_link *link, const char *name);
void ref_section_show_symbol(ref_link *link, size_t number);
size_t ref_section_find_fixed(ref_link *link, const ref_section *input);
void ref_section_set_own(ref_link *link, size_t number, ref_bytes own);
size_t ref_section_add_pool(ref_link *link, uint64_t align);
static inline bool ref_section_type_has_bytes(uint32_t type) {
  return type != REF_TYPE_NOBITS && type != REF_TYPE_GLOBAL && type != REF_TYPE_LOCAL && type != REF_TYPE_SHARED &&
         type != REF_TYPE_SHARED_RESERVED;
}
static inline bool ref_section_type_is_constant(uint32_t type) {
  return (type >= REF_TYPE_CONSTANT && type <= REF_TYPE_CONSTANT_LAST) || type == REF_TYPE_CONSTANT_OPTIMIZER;
}
uint64_t ref_section_append(ref_link *link, size_t number, const ref_section *input);
size_t ref_symbol_add(ref_link *link, const char *name, uint8_t bind, uint8_t type, uint8_t other);

/* merge.c */
void ref_merge_files(ref_link *link);
void ref_merge_refuse_section(ref_link *link, const ref_file *file, uint32_t section);
void ref_merge_add_shared_section(ref_link *link, ref_function *function);
bool ref_merge_is_text(const ref_file *file, uint32_t section);
uint32_t ref_merge_text_owner(const ref_file *file, uint32_t section);
uint32_t ref_merge_owner(const ref_file *file, uint32_t section);
void ref_block_map_info(ref_link *link, const ref_file *file, const ref_section *input, size_t number);
size_t ref_block_add_shared(ref_link *link, const ref_file *file, const ref_section *input);
size_t ref_merge_joined_to(const ref_link *link, const ref_file *file, uint32_t section);

/* relocations.c */
void ref_relocations_read(ref_link *link, size_t file_number, uint32_t section);
size_t ref_relocation_section_symbol(ref_link *link, const ref_file *file, uint32_t section);
bool ref_relocation_is_address_table(uint32_t type);
bool ref_relocation_target_forgets(const ref_link *link, uint32_t type);
bool ref_relocation_is_skipped(const ref_link *link, const ref_file *file, uint32_t target,
                               const ref_relocation *entry);
bool ref_relocation_is_lost_bank(const ref_link *link, const ref_file *file, uint32_t number);
bool ref_relocation_is_forgotten(const ref_link *link, const ref_file *file, uint32_t target, uint32_t symbol);
bool ref_relocation_target_is_debug(const char *name);
/* `moved` has an item for each entry. */
void ref_relocation_move_entries(ref_link *link, size_t section, const ref_out_symbol *symbol, uint64_t place,
                                 bool *moved);
size_t ref_relocation_section(ref_link *link, size_t target, bool has_addend);

/* weak.c */
void ref_weak_delete_emptied(ref_link *link);
void ref_weak_drop_old_body(ref_link *link, size_t number);
void ref_weak_drop_records_of(ref_link *link, size_t number);
size_t ref_weak_find_block(const ref_link *link, const char *name);
void ref_weak_delete_entries(ref_link *link, size_t number);
void ref_weak_drop_constant_entries(ref_link *link, size_t symbol);
void ref_weak_note_lost_variable(ref_link *link, size_t file_number, uint32_t symbol);
bool ref_weak_offset_is_lost(const ref_file *file, uint32_t section, uint64_t offset);

/* slot_externs.c */
void ref_slots_check_numbers(ref_link *link);
void ref_slot_spread_externs(ref_link *link, ref_function *slot, const ref_record *record);

/* records.c */
/* What ref_records_check_fragments looks for. */
static inline bool ref_record_is_rare(uint8_t code) {
  return code == 0x45 || code == 0x4f;
}
/* Such a record has at least that word (D67). */
bool ref_record_first_word_is_symbol(uint8_t code);
size_t ref_records_check_fragments(ref_link *link, const ref_file *file, const ref_section *input);
ref_record *ref_records_add(ref_link *link, ref_records *records, const ref_record *record);
void ref_records_read(ref_link *link, size_t file_number, uint32_t section, ref_function *function);
uint16_t ref_record_value(const ref_record *record);
size_t ref_record_size(const ref_record *record);
void ref_record_write(ref_link *link, const ref_record *record, ref_bytes *output);

/* metadata.c */
void ref_metadata_read(ref_link *link, const ref_file *file, const ref_section *section);
void ref_metadata_merge(ref_link *link, const ref_section *section);
void ref_metadata_write(ref_link *link);

/* compat.c */
void ref_compat_merge(ref_link *link, size_t file_number, uint32_t section);
void ref_compat_check_output(ref_link *link);
void ref_compat_write(ref_link *link);

/* callgraph.c */
void ref_callgraph_analyze(ref_link *link);
/* D54 */
bool ref_callgraph_has_one_kernel(const ref_link *link);
void ref_callgraph_check_stacks(ref_link *link);
bool ref_callgraph_reaches_itself(const ref_link *link, size_t kernel);
/* A kernel, or a jump slot that counts as one. */
bool ref_callgraph_is_entry(const ref_link *link, const ref_function *function);
bool ref_callgraph_is_mentioned_kernel(const ref_link *link, const ref_function *function);
void ref_callgraph_warn(ref_link *link);
void ref_callgraph_measure(ref_link *link);
/* `.nv.callgraph` alone; before symbols have numbers its records have none. */
void ref_callgraph_write_records(ref_link *link, ref_bytes *output);
void ref_callgraph_write(ref_link *link);

/* constants.c */
void ref_constants_create_copies(ref_link *link);
void ref_constants_append(ref_link *link, ref_bytes *image, uint64_t place, const uint8_t *data, size_t size);
void ref_constants_layout(ref_link *link);
uint64_t ref_constants_offset_of_section(const ref_link *link, size_t section);

/* capsule_code_entries.c: RF595 */
void ref_capsule_check_unread_entries(ref_link *link, const ref_file *file);

/* fallback.c */
void ref_fallback_lay_out(ref_link *link);
bool ref_constants_share_size(uint64_t size, uint64_t align);

/* overflow.c */
void ref_overflow_user_constants(ref_link *link);

/* pool.c */
void ref_pool_user_constants(ref_link *link);

/* shared.c */
void ref_shared_prepare(ref_link *link);
void ref_shared_layout(ref_link *link);
bool ref_shared_is_foreign(const ref_link *link, const ref_out_symbol *symbol);
uint64_t ref_shared_own_alignment(const ref_out_symbol *symbol);
bool ref_reserved_takes(const ref_link *link, const ref_file *file, const ref_symbol *input);
void ref_reserved_define(ref_link *link, ref_file *file, const ref_symbol *input, size_t number);
size_t ref_reserved_section(ref_link *link, const char *own);
void ref_reserved_layout(ref_link *link);
bool ref_shared_pool_is_used(const ref_link *link);
uint64_t ref_shared_unreached_place(const ref_link *link, const ref_out_symbol *symbol);
uint64_t ref_shared_placed_size(const ref_out_section *section, const ref_function *kernel);
uint64_t ref_shared_extern_offset(const ref_link *link, const ref_function *function);

/* shared_forgotten.c */
bool ref_shared_is_forgotten(const ref_link *link, size_t function);
void ref_shared_forget(ref_link *link, size_t number, const ref_indices *objects);
void ref_shared_finish_forgotten(ref_link *link, const ref_function *function);

/* sort.c: S1 and W9.2. */
/* NULL: all are equal. */
typedef int (*ref_compare)(const ref_link *link, size_t a, size_t b); /* < 0: a comes first */
typedef enum ref_tie { REF_TIE_FIRST, REF_TIE_SECOND } ref_tie;
void ref_sort_swapping(ref_link *link, ref_indices *list, ref_compare compare, ref_tie tie);
void ref_sort_alternating(ref_link *link, ref_indices *list, ref_compare compare, ref_tie tie);

/* relocatable.c: -r */
void ref_relocatable_prepare(ref_link *link);
void ref_relocatable_layout(ref_link *link);
bool ref_relocatable_has_instance(const ref_link *link, const ref_out_relocation *entry);
bool ref_relocatable_is_default(const ref_link *link);
bool ref_relocatable_keeps(const ref_link *link, const ref_out_relocation *entry);
bool ref_relocatable_move_to_instance(const ref_link *link, ref_out_relocation *entry);

/* unified.c: W12.7 */
static inline bool ref_unified_is_table(uint32_t type) {
  return type == REF_TYPE_UFT_ENTRY || type == REF_TYPE_UDT_ENTRY;
}
bool ref_unified_is_copy(const ref_section *section);
bool ref_unified_keeps_offset(const ref_link *link);
void ref_unified_check_entries(ref_link *link);
void ref_unified_write_places(ref_link *link);
void ref_unified_note_placed(ref_link *link, const ref_section *table);
void ref_unified_write(ref_link *link);
void ref_unified_check_namesakes(ref_link *link);
size_t ref_unified_symbol(const ref_link *link, const ref_file *file, uint32_t index);

/* capsule_slots.c: RF226 */
void ref_slots_make_room(ref_link *link, ref_section *stub);
void ref_slots_schedule_file(ref_link *link, ref_file *file); /* RF1260 */

/* unified_index.c: -uidx */
const ref_unified *ref_unified_of_input(ref_unified_list *list, const uint8_t *input);
ref_unified *ref_unified_of_symbol(const ref_unified_list *list, size_t symbol);
void ref_unified_read_index(ref_link *link);
bool ref_unified_is_placed(const ref_link *link);
void ref_unified_create_table(ref_link *link);
void ref_unified_create_index(ref_link *link);
void ref_unified_add_stub(ref_link *link, size_t number, const ref_section *text);
void ref_unified_place(ref_link *link);
void ref_unified_check_slots(ref_link *link);

/* preserve.c: -preserve-relocs */
void ref_preserve_warn(ref_link *link);
void ref_preserve_add_section(ref_link *link, size_t target);
bool ref_preserve_hides_symbol(const ref_link *link, const ref_out_symbol *symbol);
void ref_preserve_record(ref_link *link, const ref_out_relocation *entry);
void ref_preserve_write(ref_link *link);
void ref_preserve_check(ref_link *link);
bool ref_relocate_waits(const ref_link *link, const ref_out_relocation *entry);

/* What met in a relocatable output (L646). */
typedef struct ref_body_origin {
  uint16_t virtual_sm, first_virtual_sm; /* of the body, and of the first definition that it met */
  bool taken_elsewhere;
} ref_body_origin;

void ref_bodies_find(const ref_link *link, ref_file *file);
bool ref_bodies_is_partial(const ref_file *file, uint32_t symbol);
bool ref_bodies_find_alone(const ref_file *file, uint32_t symbol, uint64_t *align);
bool ref_bodies_find_pool(const ref_file *file, size_t number, ref_bare_pool *pool);
bool ref_bodies_find_place(const ref_file *file, uint32_t symbol, uint64_t *place);
bool ref_bodies_is_lost(const ref_file *file, uint32_t symbol);
ref_body_origin ref_bodies_origin(const ref_file *file, uint32_t symbol);
bool ref_bodies_loses_record(const ref_file *file, const ref_function *function, uint32_t symbol, uint64_t place);
void ref_bodies_add_reading(ref_link *link, ref_function *function, size_t file_number, ref_record_of_calls record);
void ref_bodies_note_record(ref_link *link, const ref_function *function, ref_record_of_calls record);
void ref_bodies_add_section(ref_link *link);
void ref_bodies_write(ref_link *link);

/* attributes.c */
void ref_attributes_finish(ref_link *link);
void ref_attributes_check_masks(ref_link *link);
bool ref_attribute_keeps_registers(const ref_link *link, const ref_function *kernel);
bool ref_attribute_alias_has_registers(const ref_link *link, size_t number);
void ref_attributes_add_registers(ref_link *link, const ref_function *kernel);
/* A record of `.nv.info`: a symbol and a word. */
void ref_attribute_add_symbol_word(ref_link *link, uint8_t code, size_t symbol, uint32_t value);
bool ref_attribute_is_external(const ref_link *link, size_t symbol);
bool ref_attribute_is_about_nothing(const ref_link *link, const ref_record *record);
ref_record *ref_attribute_find(const ref_records *records, uint8_t code);
void ref_attribute_spread_maximum(ref_link *link, ref_records *kernel, const ref_record *record);
uint64_t ref_barriers_flags(uint64_t flags);
uint8_t ref_barriers_told(uint64_t flags);
void ref_barriers_spread(ref_link *link, const ref_indices *functions);
uint8_t ref_attribute_byte(const ref_record *record);
void ref_attributes_write(ref_link *link);

/* bindless.c */
/* What a symbol of that type takes: a texture 1, a sampler 2, a surface both; 0: it is none of them. */
static inline uint8_t ref_bindless_mask_of(uint8_t symbol_type) {
  const bool is_one = symbol_type >= REF_SYMBOL_TEXTURE && symbol_type <= REF_SYMBOL_SURFACE;
  return is_one ? (uint8_t)(symbol_type - REF_SYMBOL_TEXTURE + 1) : 0;
}
uint32_t ref_bindless_type(const ref_link *link, uint8_t symbol_type);
bool ref_bindless_takes(uint32_t type);
void ref_bindless_layout(ref_link *link);
uint64_t ref_bindless_base(const ref_link *link);
uint64_t ref_bindless_value(const ref_link *link, const ref_out_symbol *symbol, uint32_t type);
void ref_bindless_write(ref_link *link);
typedef uint32_t (*ref_index_of)(const void *context, size_t symbol);
ref_bytes ref_bindless_entries(ref_link *link, const ref_function *kernel, ref_index_of index_of, const void *context);
void ref_bindless_create_tables(ref_link *link);
uint64_t ref_bindless_find_base(const ref_link *link);

/* capsule_laid.c: what ptxas laid out in capsules of -ewp objects, and where all tables begin then. */
uint64_t ref_laid_find_base(const ref_link *sass);
uint64_t ref_laid_find_largest(ref_link *link);
bool ref_laid_is_anywhere(const ref_link *link);

/* capsule_relocatable.c */
void ref_capsule_name_first_constants(ref_link *link);
bool ref_capsule_keeps_texture(const ref_link *link);
void ref_capsule_point_to_table(ref_link *link, const ref_out_relocation *entry);

/* relocate.c */
uint64_t ref_relocate_constant_size(const ref_link *link);
void ref_relocate_check_dropped(ref_link *link);
void ref_relocate_check_aliases(ref_link *link);
void ref_relocate_check_refused(ref_link *link);
void ref_relocate_make_room_for_shifts(ref_link *link);
void ref_relocate_apply(ref_link *link);
void ref_relocate_keep_unpatched(ref_link *link, ref_out_section *target);
size_t ref_relocate_end_of_block(const ref_link *link, const ref_out_relocation *entry);
bool ref_relocate_names_reserved(const ref_link *link, const ref_out_relocation *entry);
void ref_relocate_check_kept(ref_link *link);
void ref_relocate_write(ref_link *link);

/* twins.c */
struct ref_field;
void ref_twins_write(ref_link *link, const ref_out_relocation *entry, const struct ref_field *field, uint64_t value);

/* symbols.c */
bool ref_symbol_is_system_call(const char *name);
bool ref_symbol_is_provided(const char *name);
bool ref_symbol_names_unified_table(const char *name);
void ref_symbols_restore_provided(ref_cubin *cubin);
void ref_symbols_bare_textures(ref_cubin *cubin, bool is_capsule);
uint64_t ref_symbol_provided_value(const ref_link *link, const ref_symbol *input);
bool ref_symbol_stays(const ref_link *link, const ref_out_symbol *symbol);
uint32_t ref_symbol_index(const ref_link *link, size_t symbol);
uint8_t ref_symbol_lost_visibility(const ref_link *link, const ref_out_symbol *symbol);
void ref_symbols_check_values(ref_link *link);
size_t ref_symbols_first(const ref_link *link);
void ref_symbols_number(ref_link *link);
void ref_symbols_report_undefined(ref_link *link);
void ref_symbols_settle_undefined(ref_link *link);
void ref_symbols_trace_unused(ref_link *link, bool mercury_side);
void ref_symbols_write(ref_link *link, ref_bytes *output);
void ref_symbols_name_globals(ref_link *link);

/* notes.c */
void ref_notes_make_room(ref_link *link);
uint16_t ref_notes_virtual_sm(const ref_link *link);
void ref_notes_write(ref_link *link);

/* write.c */
void ref_write_file(ref_link *link);
void ref_write_check_spans(ref_link *link);
int ref_write_class(const ref_out_section *section);
uint32_t ref_write_type(uint32_t type);
void ref_write_order_sections(ref_link *link, ref_indices *order);
void ref_write_file_header(const ref_link *link, uint8_t *at, size_t section_offset, size_t section_count,
                           size_t segment_offset, size_t segment_count, uint32_t note_index);

/* limits.c */
void ref_limits_check_unified(ref_link *link);
void ref_limits_check_large_parameters(ref_link *link);
void ref_limits_check_sizes(ref_link *link);

/* deleted.c */
void ref_deleted_check_aliases(ref_link *link);
void ref_deleted_check_parameters(ref_link *link);
bool ref_deleted_is_of_dead_kernel(const ref_link *link, const ref_section *section);
void ref_deleted_check(ref_link *link);
void ref_deleted_check_sections(ref_link *link);
bool ref_deleted_is_about_dead(const ref_link *link, const ref_file *file, uint32_t section);
bool ref_deleted_section_stays(const ref_link *link, const ref_file *file, uint32_t number,
                               const ref_function *function);
bool ref_deleted_object_stays(const ref_symbol *symbol, const ref_function *function);

/* statics.c: L830 */
ref_link *ref_statics_copy(ref_link *link);
ref_link *ref_statics_fork(ref_link *link);
void ref_statics_merge(ref_link *whole);
void ref_statics_check(ref_link *link, ref_link *whole);

/* trace.c */
bool ref_trace_find_part(const char *name, size_t length, unsigned *parts);
bool ref_trace_wants(const ref_link *link, unsigned part);
void ref_trace_tell(ref_link *link, unsigned part, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ref_trace_merge(ref_link *link);

/* dump.c */
void ref_dump_finish(ref_link *link);

/* verbose.c */
void ref_verbose_report(ref_link *link);

/* demangle.c */
const char *ref_demangle(ref_link *link, const char *name);

/* caching.c */
void ref_caching_spread(ref_link *link);
void ref_caching_warn(ref_link *link);
/* `stacks`: by function. */
uint32_t *ref_caching_read_stacks(ref_link *link);
void ref_caching_add_stack(ref_link *link, size_t kernel, const uint32_t *stacks);

/* objects.c */
bool ref_object_is_data(uint8_t type);
bool ref_object_is_shared(const ref_symbol *input);
uint32_t ref_object_shared_owner(const ref_link *link, const ref_file *file, uint32_t section); /* RF837 */
void ref_objects_merge(ref_link *link, size_t file_number);
void ref_objects_allocate_commons(ref_link *link);

/* blocks.c */
uint64_t ref_block_end_of_symbols(const ref_link *link, const ref_file *file, uint32_t section);
void ref_block_compare_banks(ref_link *link, ref_file *file, uint32_t section);
void ref_block_check_info(ref_link *link, const ref_file *file, const ref_section *input);
bool ref_block_place(ref_link *link, size_t file_number, uint32_t section);
bool ref_block_joins_dead_text(const ref_link *link, size_t file_number, const ref_section *input); /* RF795 */
void ref_blocks_merge_rest(ref_link *link, size_t file_number);

#endif
