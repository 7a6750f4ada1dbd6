/* Where everything lies: offsets of shared objects, kernels' shared sizes, compiler constants, bindless slots.
 *
 * Globals and user constants got their offsets when they were merged (W3.6). The results stand beside the module, by
 * symbol and by section number; what layout does not touch is copied from the module. */
#ifndef TL_LAYOUT_LAYOUT_H
#define TL_LAYOUT_LAYOUT_H

#include "graph/graph.h"

/* A run-time entry in the bindless table of one kernel (B6, B7). */
typedef struct tl_slot_entry {
  uint32_t section, container; /* .nv.constant0.K and its relocation section */
  uint64_t offset;
  uint32_t symbol, type;
} tl_slot_entry;

/* A range of a merged section that was placed anew. */
typedef struct tl_move {
  uint64_t from, size, to;
} tl_move;

/* A section whose bytes lie elsewhere than where they were merged. */
typedef struct tl_placement {
  uint32_t section;         /* TL_NONE: none */
  tl_pieces pieces;         /* what the section holds now, in order */
  bool overflows;           /* the link is refused: of a move what lies in its first piece is enough (L1614) */
  TL_VECTOR(tl_move) moves; /* by old offset; empty: relocations and symbols stay where they were */
  bool drops;               /* what no move covers is gone (L439) */
} tl_placement;

typedef enum tl_placed {
  TL_PLACED_CONSTANTS, /* .nv.constant3 with equal blocks pooled (G8), or variable by variable (K1a) */
  TL_PLACED_FUNCTIONS, /* .nv.uft, by the index file (U6) */
  TL_PLACED_DATA,      /* .nv.udt, likewise */
  TL_PLACED_COUNT
} tl_placed;

typedef struct tl_layout {
  uint64_t *symbol_value;   /* by symbol */
  uint32_t *symbol_section; /* by symbol; a shared object can move to its only user (W9.3) */
  bool *symbol_gone;        /* shared object that nothing refers to: no symbol, no name */
  bool *symbol_unallocated; /* shared object that was refused its one user (L555) */
  uint64_t *section_size, *section_align;
  bool *section_dropped;
  bool *section_hollow;  /* no object lies in it, its size is what the linker sets aside: no section symbol (W9.11) */
  uint32_t *instance;    /* by function: the symbol that stands for extern shared memory of a kernel (W12), TL_NONE */
  bool extern_listed;    /* extern shared memory is in .symtab although it has no place of its own (D70) */
  bool extern_recorded;  /* entries against it that no kernel gives a value are recorded (L295) */
  bool gone_recorded;    /* entries against objects of symbol_gone are recorded: the pool is not empty (L806) */
  bool external_by_name; /* -g -r: extern shared memory has one offset a name, in symbol_value (W17.5) */
  uint64_t *external_offset; /* by function: offset of extern shared memory (W9.5), TL_NO_OFFSET where there is none */
  uint64_t *block_offset;    /* by constant block: its one offset in every kernel (W10.2) */
  uint64_t null_value;       /* st_value of symbol 0 */
  uint64_t null_reserved;    /* of it, reserved bytes of shared memory (L1547) */
  uint64_t *slot;            /* by symbol: bindless slot's offset in bank 0, TL_NO_OFFSET */
  uint32_t gone_name;        /* of a section that is in no table of names either (L439), TL_NONE */
  uint64_t bindless_base;    /* offset of slot 0 */
  uint64_t tables_begin;     /* not behind it: where a table begins in which ptxas has laid out textures, too (L808) */
  TL_VECTOR(tl_slot_entry) slot_entries; /* in output order */
  tl_placement placed[TL_PLACED_COUNT];
  bool unified_data_stays;        /* its section has another name, and the index knows none of it (L1680) */
  const uint64_t *unified_places; /* by position in module->unified_entries: as in tl_unified_plan; NULL: no tables */
  const uint32_t
      *slot_holders;         /* by symbol: which one has the place of the jump slot, TL_NONE (L1601); NULL likewise */
  const uint64_t *stub_of;   /* by function: offset of the jump slot that calls it, TL_NO_OFFSET; NULL likewise */
  bool debug_shared_shifted; /* symbols in .nv_debug.shared get the reserved 0x400 too (W17.3) */
  uint64_t reserved;         /* 0x400 from sm_90 on (H7) */
} tl_layout;

typedef struct tl_constant_offsets {
  uint64_t *blocks;    /* by constant block: its offset in every kernel's image, 0 where no kernel reaches it (W10.3) */
  uint64_t null_value; /* what is left in symbol 0 (L64) */
} tl_constant_offsets;

/* Copies compiler constants of device functions into the kernels that reach them; creates the sections that are missing,
 * which are part of the "after all inputs" list of W3 (W10.2-W10.4). Returns the offset of every block. */
tl_constant_offsets tl_layout_constants(tl_module *module, const tl_graph *graph, tl_arena *arena);
/* After the last section was created. */
void tl_layout_init(tl_layout *layout, const tl_module *module, const tl_constant_offsets *constants, tl_arena *arena);
/* -kernels-used or -variables-used count (W17.11). */
bool tl_layout_is_restricted(const tl_options *options);
/* K3b: constants that can share a place, and those that look for an equal one before them. */
bool tl_layout_pool_takes(const tl_piece *unit, uint64_t align);
bool tl_layout_pool_finds(const tl_piece *unit, uint64_t align);
/* The number of the unit's bytes and alignment in `seen`. */
uint32_t tl_layout_pool_number(tl_names *seen, const tl_piece *unit, uint64_t align, tl_arena *arena);
/* What -kernels-used and -variables-used do to user constants and to symbol 0 (G7, G8). */
void tl_layout_pool_constants(tl_layout *layout, const tl_module *module, tl_arena *arena);
/* Shared memory: who uses what is found before the last sections are created; one that is late gets its .nv.shared.K
 * between .nv.prototype and the new constant copies (W17.12); then everything gets its offset. */
typedef struct tl_shared_plan tl_shared_plan;
tl_shared_plan *tl_layout_plan_shared(const tl_module *module, const tl_graph *graph, tl_arena *arena);
void tl_layout_create_late_shared(tl_module *module, const tl_shared_plan *plan);
void tl_layout_shared(tl_layout *layout, tl_shared_plan *plan);
/* Fatal T1 where the objects of .nv_debug.shared have no alignment but 0, by which nvlink divides (L241). */
void tl_layout_check_flat(const tl_module *module);
/* Places what .nv.shared.reserved.0 holds behind the driver's first 0x40 bytes (H9, M28). */
void tl_layout_reserved_shared(tl_layout *layout, const tl_module *module, tl_arena *arena);
/* Whether user constants stay where they were merged: all fit into the bank as they are (K1a, L1013). */
bool tl_layout_user_constants_fit(const tl_layout *layout, uint32_t section);
/* Places user constants anew when they do not fit (K1a). */
void tl_layout_user_constants(tl_layout *layout, const tl_module *module, tl_arena *arena);
/* How a section's bytes were placed anew, NULL where they were not. */
const tl_placement *tl_layout_placement(const tl_layout *layout, uint32_t section);
/* Moves one range of the merged section, with its bytes where one piece has them all; tl_layout_end_moves once all are. */
void tl_layout_move(tl_placement *placement, const tl_module *module, tl_move move, tl_arena *arena);
void tl_layout_end_moves(tl_placement *placement);
/* The bytes alone: what lay in the range stays where it was. */
void tl_layout_put(tl_placement *placement, const tl_module *module, tl_move move, tl_arena *arena);
/* The order of pieces in their section. */
int tl_layout_compare_pieces(const void *a, const void *b);
/* The piece of a merged section that holds an offset, NULL. */
const tl_piece *tl_layout_piece(const tl_section *section, uint64_t offset);
/* True for an offset of the merged section that lies in nothing that stays. */
bool tl_layout_offset_is_gone(const tl_layout *layout, uint32_t section, uint64_t offset);
/* Where an offset of the merged section lies after that. */
uint64_t tl_layout_moved_offset(const tl_layout *layout, uint32_t section, uint64_t offset);
/* Slot order and what each kernel reaches; in the Mercury view creates the kernels' tables, which stand between
 * .nv.prototype and the new constant copies (M27). */
typedef struct tl_bindless_plan {
  tl_u32_vector order; /* symbols */
  uint8_t *masks;      /* by position in all_kernels; NULL: no references */
} tl_bindless_plan;
tl_bindless_plan tl_layout_plan_bindless(tl_module *module, const tl_graph *graph, tl_arena *arena);
/* Whether a section of a Mercury module is a table that ptxas laid out in a kernel of an -ewp object (L749). */
bool tl_layout_is_laid_table(const tl_module *mercury, uint32_t section);
/* Where tables begin (B3): behind the parameters of the largest kernel; at 0 in a section of its own. Without a kernel a
 * capsule's code gets the place at which parameters begin (L561). */
uint64_t tl_layout_tables_begin(const tl_module *module);
/* Where the slots of the link begin (M27, L808). */
uint64_t tl_layout_bindless_base(const tl_module *module);
void tl_layout_bindless(tl_layout *layout, const tl_module *module, const tl_bindless_plan *plan, tl_arena *arena);

/* Where the index file puts jump slots and unified data (U5-U7, U10). What contradicts it is fatal, in nvlink's order. */
typedef struct tl_unified_slot {
  uint64_t from;   /* where its bytes lie in the inputs' slots */
  uint64_t place;  /* in .nv.uft */
  uint32_t holder; /* the symbol that has the place (L1601) */
} tl_unified_slot;

typedef struct tl_unified_plan {
  TL_VECTOR(tl_unified_slot) slots; /* in the order of the index; a symbol can be there twice (L116) */
  tl_u32_vector order;              /* positions in module->unified_entries that the index has, in its order */
  uint64_t
      *places; /* by position in module->unified_entries: offset in its table, TL_NO_OFFSET where the index has none */
} tl_unified_plan;
tl_unified_plan tl_layout_plan_unified(const tl_module *module, tl_arena *arena);
void tl_layout_unified(tl_layout *layout, const tl_module *module, const tl_unified_plan *plan, tl_arena *arena);
/* Where a relocation's field lies. In a jump slot that is its start, whatever the input says (Z000.15). */
uint64_t tl_layout_place_of_entry(const tl_layout *layout, const tl_module *module, const tl_relocation *entry);

/* A relocatable output: shared memory is given sizes but no places (W9.11), and every kernel that refers to extern shared
 * memory gets a symbol for it, in the order of the entries (W12), before tl_layout_init. */
typedef struct tl_instances tl_instances;
tl_instances *tl_layout_create_instances(tl_module *module, tl_arena *arena);
void tl_layout_relocatable(tl_layout *layout, const tl_instances *instances);

/* L554, L538: how many jump slots are kernels: all, unless there is exactly one kernel. */
static inline size_t tl_layout_kernel_stubs(const tl_module *module) {
  return tl_module_has_single_kernel(module) ? 0 : module->stubs.count;
}
/* Index in the resolution of the function that a text section belongs to, TL_NONE. */
uint32_t tl_layout_function_of(const tl_module *module, uint32_t section);
/* D100: nvlink takes a function that is marked internal for dead code: it has no shared memory (L540), and what it uses of
 * extern shared memory is applied in a relocatable output as it is (L875). */
bool tl_layout_forgets_kernel(const tl_module *module, const tl_symbol *symbol);

#endif
