#ifndef TWINLINK_REFERENCE_LEAF_H
#define TWINLINK_REFERENCE_LEAF_H
/* What leaf.c and leaf_mend.c know of a leaf kernel's code. */
#include "capsule.h"

enum {
  INSTRUCTION = 16,
  BOARDS = 6,
  NO_BOARD = 7,
  LAST_ORDINARY = 4,
  BOARD_FOUR = 4,
  BOARD_FIVE = 5,
  STALL_BIT = 105,
  WRITE_BIT = 110,
  READ_BIT = 113,
  WAIT_BIT = 116,
  BARRIERS = 2,
  WRITE = 0,
  READ = 1,
  LONGEST_STALL = 15,
  EVERY_WAIT = 0x3f,
  ALL_ORDINARY = 0x1f, /* 0 to 4 */
  FENCE = 0x992,
  NO_OPERATION = 0x918,
  BULK_COMMIT = 0x9b7,
  COPY_COMMIT = 0x9af,
  TRY_WAIT = 0x15a7, /* SYNCS */
  MOST_ROUNDS = 1000,
  MOST_MENDS = 4 /* RF1148 */
};

/* The 9 low bits say what an instruction does. */
enum {
  BASE_BRA = 0x147,
  BASE_BRX = 0x149,
  BASE_BRX_UNIFORM = 0x158,
  BASE_EXIT = 0x14d,
  BASE_RET = 0x150,
  BASE_BSYNC = 0x141,
  BASE_CALL_ABSOLUTE = 0x143,
  BASE_CALL_RELATIVE = 0x144,
  CALL_REGISTER = 0x344 /* from a place in the text */
};

typedef struct ref_token {
  size_t instruction; /* that sets it */
  bool is_read, is_local, is_dropped;
  unsigned pending; /* the numbers pending when the input sets this one */
  unsigned input, output;
  size_t consumer, first_wait; /* the first wait in its own block, and anywhere; REF_NONE */
  /* RF89: what decided in the input, and whether the rules then give the input's number */
  uint64_t before; /* what was pending, as one number (RF1398) */
  size_t before_count;
  bool before_stack; /* R1's load, too */
  unsigned joined;
  bool is_explained, holds_waits; /* RF274 */
  bool in_crowd;                  /* RF1149: it shares a number, and none of 0 to 4 was free in the input */
  bool is_deferred;               /* RF1273: waited for in the input where another one of the number is needed */
  unsigned chosen;                /* RF1148: what the rules give where that explains nothing */
  ref_indices users;              /* RF1398: the instructions that wait for it, in order; where numbers are shared */
} ref_token;

typedef struct ref_leaf_instruction {
  unsigned opcode; /* 13 bits */
  size_t tokens[BARRIERS];
  ref_indices waits; /* tokens */
  ref_indices again; /* RF1147: tokens that another instruction has waited for on every way */
  bool starts_block, ends_block, may_fall_through;
  unsigned straight;  /* RF1389: the numbers that it waits for where no loop is seen */
  bool waits_for_all; /* RF234: it goes on to, frees nothing, and is no wait of any load's */
  size_t target;      /* of a branch, or REF_NONE */
  size_t block;
} ref_leaf_instruction;

typedef struct ref_leaf_block {
  size_t first, last;
  size_t rank; /* in the order in which numbers are given */
  ref_indices successors, predecessors;
  ref_indices pending; /* tokens at its end */
  unsigned numbers;    /* that those have */
  bool is_asked, is_reserved;
} ref_leaf_block;

/* RF1398: what is noted on the way, and how much has been done. */
typedef struct ref_leaf_notes {
  uint64_t work;
  unsigned stamp, *marks; /* of the tokens */
  uint8_t late[1 << 12];  /* of each opcode, once it is known: 1 and M45e's answer */
  ref_indices *writers;   /* of each register; the ordinary ones, then the uniform ones */
  size_t *strange;        /* from each instruction on, the first whose result is not known */
  size_t *all;            /* in front of each instruction, behind the last one that waits for all */
} ref_leaf_notes;

typedef struct ref_leaf {
  ref_link *link;
  uint8_t *text;
  size_t count, block_count, token_count, token_capacity;
  ref_leaf_instruction *instructions;
  ref_leaf_block *blocks;
  size_t *order; /* of the blocks, L1943 */
  ref_token *tokens;
  bool sure, is_tried, has_texture;
  unsigned last;        /* RF1391: the greatest number that ordinary ones have */
  unsigned least;       /* RF1299: the least number that others than the commit of a copy have */
  bool is_sharing;      /* RF1273 */
  const uint8_t *input; /* the text as it was */
  size_t stack_load;
  ref_leaf_notes *notes;
} ref_leaf;

/* leaf_notes.c: RF1398. All that is done costs; where it is too much the text stays as it is. */
ref_leaf_notes *ref_leaf_notes_make(ref_link *link, size_t count);
void ref_leaf_spend(const ref_leaf *leaf, size_t work);
bool ref_leaf_is_spent(const ref_leaf *leaf);
void ref_leaf_add(const ref_leaf *leaf, ref_indices *list, size_t item);
/* Adds what the list, which is marked, has not; marks it. */
void ref_leaf_add_marked(const ref_leaf *leaf, ref_indices *list, size_t item);
void ref_leaf_mark(const ref_leaf *leaf, const ref_indices *list);
bool ref_leaf_is_marked(const ref_leaf *leaf, size_t token);
uint64_t ref_leaf_digest(const ref_indices *list);
void ref_leaf_note_users(ref_leaf *leaf);
void ref_leaf_note_waits(ref_leaf *leaf);
/* The first of an ordered list that is not smaller, or REF_NONE. */
size_t ref_leaf_find_from(const ref_indices *list, size_t from);

uint8_t *ref_leaf_at(const ref_leaf *leaf, size_t instruction);
unsigned ref_leaf_code(const ref_leaf *leaf, const ref_token *token);
bool ref_leaf_is_branched_on(const ref_leaf *leaf, const ref_token *token, size_t consumer);
bool ref_leaf_is_ordinary(unsigned code);
bool ref_leaf_is_long(const ref_leaf *leaf, const ref_token *token);
bool ref_leaf_is_texture(const ref_leaf *leaf, const ref_token *token);
/* A mask of their numbers. */
unsigned ref_leaf_ordinary(const ref_leaf *leaf);
bool ref_leaf_is_commit(unsigned code);
void ref_leaf_add_tokens(ref_leaf *leaf, const ref_leaf_instruction *instruction, ref_indices *pending);
/* A pass over all instructions; `pending` is what flows to each. RF88: with loops until nothing changes. */
void ref_leaf_pass(ref_leaf *leaf, bool loops, void (*visit)(ref_leaf *, size_t, ref_indices *));

/* leaf_share.c: RF1273 */
void ref_leaf_share_waits(ref_leaf *leaf);
bool ref_leaf_was_crowded(const ref_leaf *leaf, const ref_token *token);
bool ref_leaf_was_any_crowded(const ref_leaf *leaf, size_t number, const ref_indices *pending);
unsigned ref_leaf_share(const ref_leaf *leaf, size_t number, const ref_indices *pending, unsigned joined);

/* Does an instruction read or write the result of a load? Rather too much than too little. */
bool ref_leaf_uses(const ref_leaf *leaf, const ref_token *token, size_t number);

/* leaf_carried.c: L1832 */
bool ref_leaf_move_carried(ref_leaf *leaf);
void ref_leaf_note_writers(ref_leaf *leaf);
bool ref_leaf_knows_writer(const ref_leaf *leaf, const ref_token *token, size_t from);
bool ref_leaf_overwrites(const ref_leaf *leaf, const ref_token *token, size_t number);

/* leaf_mend.c */
bool ref_leaf_mend_waits(ref_leaf *leaf, uint8_t *old);
bool ref_leaf_mend_number(ref_leaf *leaf, uint8_t *old);

#endif
