/* The state of one leaf kernel's text while its barriers get their numbers (M45). Private to leaf.c and leaf_*.c. */
#ifndef TL_FINALIZE_LEAF_PARTS_H
#define TL_FINALIZE_LEAF_PARTS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "cubin/operands.h"
#include "finalize/finalize.h"

enum {
  LEAF_INSTRUCTION = 16,
  LEAF_NO_BARRIER = 7,
  LEAF_NUMBERS = 6,
  LEAF_LAST_GENERAL = 4,
  LEAF_TEXTURE = 5, /* and of loads that are waited for in another block */
  LEAF_ALL_GENERAL = 0x1f,
  LEAF_EVERY_NUMBER = 0x3f
};
enum {
  LEAF_OP_CALL_PLACE = 0x344, /* a call of a register (L1045) */
  LEAF_OP_TRY_WAIT = 0x15a7,
  LEAF_OP_RESULT = 0x31c
};
enum { LEAF_OF_INPUT, LEAF_OF_OUTPUT, LEAF_VIEWS }; /* the two numberings */
#define LEAF_NEVER UINT32_MAX                       /* no instruction */
#define LEAF_SEVERAL UINT32_MAX                     /* no single owner */
typedef enum leaf_class { LEAF_GENERAL_CLASS, LEAF_LONG_CLASS, LEAF_TEXTURE_CLASS } leaf_class;

typedef struct leaf_instruction {
  uint16_t opcode;
  uint8_t write, read, wait, stall;      /* of the input */
  uint8_t new_write, new_read, new_wait; /* of the output */
  uint8_t straight_wait;                 /* what it waits for where no loop is seen (RF1389) */
  uint8_t explained;                     /* numbers of which something is needed here, not only behind (L1910) */
  bool
      waits_anyway; /* for every number, pending or not, which frees none: a discard of the cache, a NOP at a fence (L691) */
  bool ends;        /* its block */
  bool meets_stack; /* its result has the number of R1's load, which is pending there in the input (RF1392) */
  uint32_t block;
  uint32_t write_wait, read_wait; /* who in the block waits for it first; LEAF_NEVER */
  uint32_t write_need, read_need; /* and who needs it first (L1910) */
  uint32_t write_due, read_due;   /* the same where it is certain that nobody needs it before (L1922, RF1397); 0 */
} leaf_instruction;

/* The successors of a block, UINT32_MAX where there is none. */
typedef struct leaf_block {
  uint32_t first, count;
  uint32_t next[2];
} leaf_block;

/* What is pending at one place. `stands` are the new numbers of the loads that have an old number; `reads` and `writes`
 * are the old numbers that barriers of either kind have, `longs` those of loads of class LONG, `pointer` that of R1's. */
typedef struct leaf_state {
  uint8_t old, new;
  uint8_t reads, writes, longs, pointer;
  uint8_t stands[LEAF_NUMBERS];
  uint8_t stood[LEAF_NUMBERS]; /* for what was waited for already */
  uint8_t none[2];             /* states are compared as bytes */
  uint32_t due[LEAF_NUMBERS]
              [LEAF_NUMBERS];   /* by old and new number: who of the block needs it first; 0: a wait is for it */
  uint32_t later[LEAF_NUMBERS]; /* by new number: who waits for it instead of an earlier wait (L1922), 0 */
  uint32_t owners[LEAF_NUMBERS]
                 [LEAF_NUMBERS]; /* by both: whose barrier it is, 0: several's (L1832, L1859); leaf_owner's */
  uint32_t owed[LEAF_NUMBERS];   /* by new number: whose it is that the input has waited for already (L1859), 0 */
  uint8_t carried[LEAF_NUMBERS]; /* by old number: the new ones that another block's reader has whose need is due */
  uint8_t several;               /* old numbers that more than one has, or has had (L1859) */
  uint8_t gone;                  /* and of which the output has waited for one already */
} leaf_state;

/* What is pending in one numbering at a place of a block, and which instruction of the block needs it first (L1910). */
typedef struct leaf_view {
  uint8_t pending, writes;
  uint8_t far; /* loads for other blocks, which have a number for themselves (M45c, L754) */
  uint8_t
      alike[2];  /* read barriers of this block that are waited for in others: at this one's end, not in it (L1917) */
  uint8_t late;  /* that have something of class LONG, or a texture (RF1396) */
  bool reserved; /* the highest number is theirs in this block (L1911) */
  uint8_t wanted,
      plain; /* of which something is needed in the block, but for its end; that have loads of one lane's (L1837) */
  uint32_t need[LEAF_NUMBERS]; /* LEAF_NEVER: none in this block */
  uint32_t last[LEAF_NUMBERS]; /* who of the block set it last; 0: another block (L1920) */
} leaf_view;

/* What an instruction reads and writes, and which one it is: one more than its index. `written` has a bit for every 64th register:
 * where none is common, none is. */
typedef struct leaf_decoded {
  uint32_t owner;
  tl_operands operands;
  uint64_t written;
} leaf_decoded;

typedef struct leaf {
  uint8_t *text;
  uint32_t count;
  leaf_instruction *instructions;
  leaf_decoded
      *decoded; /* by index modulo decoded_count: instructions are asked for with their neighbours, again and again */
  uint32_t decoded_count;
  leaf_block *blocks;
  uint32_t block_count;
  leaf_state *at_end; /* by block */
  uint8_t *shared;    /* by block: the input's numbers that several may have at its start (L1859) */
  uint32_t *ranks;    /* by block: where numbers are given to it, which is the order of the text but for L1943 */
  uint32_t *first_predecessor, *predecessors;
  leaf_view views[LEAF_VIEWS], before[LEAF_VIEWS]; /* where the pass stands, and in front of the instruction's waits */
  bool has_textures;
  bool has_late;   /* something whose result comes late, textures included (RF1391) */
  uint8_t counted; /* L1914: the number that belongs to groups of copies, which are counted and not waited for */
  bool sure;
} leaf;

/* What a number is chosen by, beside what is pending. */
typedef struct leaf_kind {
  leaf_class class;
  bool local, writes;
  bool
      alone; /* a try-wait, which has no mates: the branch behind it waits for others, too, on behalf of the next block */
  uint32_t need;
  uint8_t own[LEAF_VIEWS]; /* the number of the same instruction's read barrier, which a load does not share */
  bool apart;              /* without L1917; with L1942 */
  bool uniform;            /* its result is one of all lanes (L1837) */
} leaf_kind;

static inline uint64_t leaf_high(const leaf *l, uint32_t index) {
  return tl_get64(l->text + (uint64_t)index * LEAF_INSTRUCTION + 8);
}

static inline uint64_t leaf_low(const leaf *l, uint32_t index) {
  return tl_get64(l->text + (uint64_t)index * LEAF_INSTRUCTION);
}

/* leaf.c: classes of loads. Those of long latency: their numbers begin at 2 (M45b). */
bool tl_leaf_is_long(unsigned opcode);
bool tl_leaf_is_texture(unsigned opcode);
/* L1914: what ends a group of asynchronous copies. */
bool tl_leaf_counts(unsigned opcode);

static inline bool leaf_precedes(const leaf *l, uint32_t block, uint32_t other) {
  return l->ranks[block] < l->ranks[other];
}

/* leaf_blocks.c */
bool tl_leaf_is_branch(unsigned opcode);
/* Nothing follows these but by a jump that the instruction does not show. */
bool tl_leaf_is_indirect(unsigned opcode);
bool tl_leaf_is_last(unsigned opcode);
/* Any of these, and a call of a register. */
bool tl_leaf_is_exit(unsigned opcode);
/* Blocks and their predecessors. */
void tl_leaf_divide(leaf *l, tl_arena *arena);
/* L1943: the other way of a branch that `block` is one of, where both go to the same place; LEAF_NEVER. */
uint32_t tl_leaf_find_sibling(const leaf *l, uint32_t block);
/* L908: nothing is pending behind a block that ends by an indirect branch; `state` is that at its end. */
bool tl_leaf_branches_clean(const leaf *l, uint32_t block, const leaf_state *state);

/* leaf_needs.c: who needs the block's barriers, given what is pending in the input at its start (`old`); `first` gets who waits
 * first for each number. */
void tl_leaf_find_needs(leaf *l, uint32_t block, uint8_t old, uint32_t first[LEAF_NUMBERS]);
/* RF1392, L1836: what the last instruction of a block in front of a loop waits for on behalf of the loop, or of what is behind it, beside what the input says. */
uint8_t tl_leaf_find_loop_waits(const leaf *l, uint32_t last, const leaf_state *state);
/* L1832, L1859: who of a block first needs an owner's barrier, or LEAF_NEVER; `known` is false where the first instruction is told
 * of which that is not known. */
uint32_t tl_leaf_find_carried(const leaf *l, uint32_t block, uint32_t owner, bool *known);
static inline uint32_t leaf_owner(uint32_t index, bool writes) {
  return index * 2 + writes + 1;
}
bool tl_leaf_is_local(const leaf *l, uint32_t index, bool writes);
/* Whether an instruction's result is one of all lanes. */
bool tl_leaf_is_uniform(const leaf *l, uint32_t index);
bool tl_leaf_reserves(const leaf *l, uint32_t block);

/* leaf_numbers.c: the number of one barrier of an instruction; `before` is what was pending in front of its waits. */
uint8_t tl_leaf_allocate(leaf *l, uint32_t index, bool writes, const leaf_state *state, const leaf_state *before);
/* The lowest number from `base` to `last` that is not taken; LEAF_NO_BARRIER. */
uint8_t tl_leaf_lowest(uint8_t taken, unsigned base, unsigned last);
void tl_leaf_view_set(leaf *l, unsigned of, uint8_t number, uint32_t index, leaf_kind kind);

/* leaf_owners.c: fills `shared`. */
void tl_leaf_find_shared(leaf *l, tl_arena *arena);
/* `number` is pending on behalf of `owner`, though the input has waited for it. */
void tl_leaf_owe(leaf_state *state, unsigned number, uint32_t owner);
void tl_leaf_join_owners(leaf_state *state, const leaf_state *from);
/* Who of the block needs what is pending at its start. */
void tl_leaf_carry(const leaf *l, uint32_t block, leaf_state *state);
/* The old numbers that something of the block gets before anyone waits for them (`first`): that wait may be for it. */
uint8_t tl_leaf_find_joined(const leaf *l, uint32_t block, const uint32_t first[LEAF_NUMBERS]);

/* leaf_waits.c: the first pass, block by block and instruction by instruction. */
leaf_state tl_leaf_entry_state(const leaf *l, uint32_t block);
void tl_leaf_enter(leaf *l, uint32_t block, const leaf_state *state);
void tl_leaf_step(leaf *l, uint32_t index, uint32_t pointer_load, leaf_state *state);
/* The second pass. False when loops do not settle, or something is pending behind an indirect branch (L908). */
bool tl_leaf_find_waits(leaf *l, tl_arena *arena);

#endif
