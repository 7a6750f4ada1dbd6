/* What kernels need because of the functions they call: registers, stack, barriers, attributes (W6, I20-I31, G3, G4). */
#ifndef TL_GRAPH_RESOURCES_H
#define TL_GRAPH_RESOURCES_H

#include "graph/graph.h"

/* A kernel that would get both kinds of tcgen05 groups (E36, L223, L262). */
typedef struct tl_mixed_kernel {
  uint32_t filled; /* of the records of the function that brought the second kind */
  uint32_t index;  /* of the kernel among the module's */
  uint32_t order;  /* its function: a second name stands at its own place among the kernels (L1618) */
} tl_mixed_kernel;

/* Two functions that ask for different caching in one kernel (L260); the first may be the kernel. */
typedef struct tl_cache_conflict {
  uint32_t place;         /* of the second in the order of all requests */
  uint32_t kernel;        /* its index among the module's */
  uint32_t order;         /* its function (L1618) */
  uint32_t first, second; /* functions */
} tl_cache_conflict;

typedef struct tl_resources {
  uint32_t *registers; /* by function: its own count, of REGCOUNT or else of its text; 0 when it has none */
  uint32_t *further;   /* by function: the section of functions' attributes that gives its count (L1434), 0; or NULL */
  bool *has_registers; /* by function: some record gives its REGCOUNT */
  bool *listed_registers;   /* by function: `module` has such a record */
  uint32_t *said_registers; /* by function: that record's count, for -v (L1168) */
  uint32_t *frame;          /* by function: FRAME_SIZE, the last record counts (I26b) */
  uint32_t
      *max_registers; /* by node: over everything it can call, itself included; a kernel's own where it reconfigures */
  uint64_t *stack;    /* by node: deepest chain; meaningless where graph->cyclic (G3) */
  bool *endless;      /* by function: its stack has no bound, by the call graph or by its own record (L722) */
  tl_attributes module;             /* .nv.info in output order */
  tl_attributes *sections;          /* by section: .nv.info.F in output order */
  bool lacks_attributes;            /* a live function that is to get a record has no .nv.info.F (L464) */
  const char *two_stacks;           /* the first function with two sizes of a CRS stack (I14), or NULL */
  bool *kept_barriers;              /* by section: its text's count of barriers stays where it is (L1413), or NULL */
  bool foreign_bytes;               /* a record is a number that says how many bytes follow, and fewer do (L533) */
  TL_VECTOR(tl_mixed_kernel) mixed; /* in the order in which they are said */
  TL_VECTOR(tl_cache_conflict) cache_conflicts; /* the same */
} tl_resources;

void tl_resources_find(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena);
/* The value of an attribute whose payload is one number, as nvlink reads it whatever the format (I21, I22). */
uint32_t tl_attribute_byte(const tl_attribute *attribute);
/* First record with that code; TL_NONE. */
uint32_t tl_attributes_find(const tl_attributes *list, uint8_t code);
/* An undefined symbol but extern shared memory (L1171), or a kernel: such words stay in EXTERNS (W6.6, W6.15). */
bool tl_extern_stays(const tl_module *module, uint32_t symbol);

/* False for a record about a body that was replaced later. */
bool tl_attribute_stands(const tl_module *module, const tl_attributes *list, size_t index);

/* Private to graph/: the attributes that spread to kernels (spread.c, caching.c). */
/* True for a record that says that a surface is asked for its format, in a module that has one (L590). */
bool tl_query_is_forgotten(const tl_module *module, const tl_attribute *record);
/* What the link uses up: LOAD_CACHE_REQUEST, and of an executable MAX_STACK_SIZE, in whatever list it stands (L546). */
bool tl_attribute_is_spent(const tl_module *module, const tl_attribute *record);
void tl_copy_attributes(tl_resources *resources, const tl_module *module, tl_arena *arena);
void tl_spread_barriers(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena);
void tl_spread_caching(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena);
/* Of two records of a function's stack the one that says that it has no bound (L722). */
bool tl_attribute_is_endless(const tl_attribute *record);
/* By node: the largest SAM_REGION_STACK_SIZE of what it calls; NULL when there is no such record. */
uint32_t *tl_find_sam_stacks(const tl_module *module, const tl_graph *graph, tl_arena *arena);
void tl_spread_attributes(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena);

#endif
