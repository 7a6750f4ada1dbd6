/* A decoder of 128-bit SASS instructions (sm_75 to sm_121), as far as a linker's doubter needs one: opcode, guard
 * predicate, scheduling control, the operand fields that relocations write, and where control goes.
 *
 * It is a table (sass_rows.c), one row an opcode with its evidence, and loops over it. What the table does not hold is
 * unknown: counted, never guessed. A decoded instruction is a list of fields with their values; putting them back gives
 * the instruction's bits in those fields (ref_sass_encode). Facts: sass-encoding.md T1-T30; docs/specification/sass.md. */
#ifndef REF_SASS_H
#define REF_SASS_H

#include "ref_cubin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REF_SASS_BYTES = 16, REF_SASS_FIELDS_MAX = 16, REF_SASS_PIECES_MAX = 2 };

/* 128 bits, bit 0 of `low` first. */
typedef struct ref_sass_word {
  uint64_t low, high;
} ref_sass_word;

/* What a field means; REF_SASS_VALUES is the first one that a relocation may write. */
typedef enum ref_sass_role {
  REF_SASS_OPCODE,
  REF_SASS_GUARD,
  REF_SASS_CONTROL,
  REF_SASS_REGISTER,
  REF_SASS_BARRIER,
  REF_SASS_VALUES,
  REF_SASS_IMMEDIATE = REF_SASS_VALUES,
  REF_SASS_CONSTANT_OFFSET,
  REF_SASS_CONSTANT_BANK,
  REF_SASS_MEMORY_OFFSET,
  REF_SASS_SLOT,
  REF_SASS_SWITCH,
  REF_SASS_TARGET
} ref_sass_role;

/* Up to two runs of bits, the low one first. */
typedef struct ref_sass_field {
  const char *name;
  ref_sass_role role;
  struct {
    uint8_t start, width;
  } pieces[REF_SASS_PIECES_MAX];
} ref_sass_field;

/* Where control may go from an instruction. */
typedef enum ref_sass_flow {
  REF_SASS_NEXT,          /* the next instruction only */
  REF_SASS_BRANCH,        /* PC + 16 + 4 * target, or the next one */
  REF_SASS_INDEXED,       /* a register plus PC + 16 + 4 * target: a jump table */
  REF_SASS_CALL,          /* an absolute address in the instruction, for the loader to write */
  REF_SASS_CALL_RELATIVE, /* PC + 16 + 4 * target */
  REF_SASS_CALL_REGISTER, /* a register */
  REF_SASS_RETURN,
  REF_SASS_EXIT,
  REF_SASS_LABEL, /* names PC + 16 + 4 * target without going there: where threads meet again (BSSY, WARPSYNC) */
  REF_SASS_MEET   /* goes on at the label of its barrier (BSYNC) */
} ref_sass_flow;

/* Which fields an opcode has. */
typedef enum ref_sass_shape {
  REF_SASS_BARE,        /* none */
  REF_SASS_ARITHMETIC,  /* by operand form, T2 */
  REF_SASS_DESTINATION, /* Rd */
  REF_SASS_PAIR,        /* Rd, Ra */
  REF_SASS_LOAD,        /* Rd, Ra, 24-bit offset */
  REF_SASS_STORE,       /* Ra, Rb, 24-bit offset */
  REF_SASS_ATOMIC,      /* Rd, Ra, Rb, 24-bit offset */
  REF_SASS_CONSTANT,    /* Rd, Ra, 16-bit constant offset, bank */
  REF_SASS_CONSTANT_17, /* the same with a 17-bit offset at 37, T8 */
  REF_SASS_TEXTURE,     /* Rd, Ra, Rb, 14-bit slot, bank */
  REF_SASS_BRANCHING,   /* Ra, target of 48 bits (sm_90 on: 56), condition, T12, T13 */
  REF_SASS_MEETING,     /* barrier, 30-bit target */
  REF_SASS_BARRIERED,   /* barrier */
  REF_SASS_LEAVING,     /* a condition only */
  REF_SASS_CALLING,     /* the target field of an absolute call */
  REF_SASS_COPYING,     /* 20-bit shared offset at 44 */
  REF_SASS_ARRIVING,    /* 24-bit offset */
  REF_SASS_YIELDING,    /* 4 bits at 87; its opcode too may be written */
  REF_SASS_SHAPES
} ref_sass_shape;

typedef struct ref_sass_row {
  uint16_t base; /* bits 0-8, T1 */
  uint8_t forms; /* bit f set: operand form f occurs (bits 9-11, T2) */
  uint8_t pages; /* 1: bit 91 clear occurs, 2: set, T3 */
  uint8_t from;  /* first SM */
  uint8_t to;    /* last SM */
  uint8_t shape; /* ref_sass_shape */
  uint8_t flow;  /* ref_sass_flow */
  const char *name, *evidence;
} ref_sass_row;

typedef struct ref_sass_instruction {
  const ref_sass_row *row; /* NULL: unknown */
  uint16_t opcode;         /* 13 bits, bit 91 on top */
  unsigned sm;
  size_t field_count;
  ref_sass_field fields[REF_SASS_FIELDS_MAX];
  uint64_t values[REF_SASS_FIELDS_MAX];
} ref_sass_instruction;

extern const ref_sass_row ref_sass_rows[];
extern const size_t ref_sass_row_count;

ref_sass_word ref_sass_read(const uint8_t *at); /* 16 bytes */
/* `sm` is the number in e_flags (75 ... 121). An unknown opcode has no fields but opcode, guard and control. */
void ref_sass_decode(ref_sass_instruction *instruction, ref_sass_word word, unsigned sm);
/* The word that the fields make; bits of no field are 0. */
ref_sass_word ref_sass_encode(const ref_sass_instruction *instruction);
/* The bits that belong to a field. */
ref_sass_word ref_sass_mask(const ref_sass_instruction *instruction);
/* The first field of that role, or NULL; `value` may be NULL. */
const ref_sass_field *ref_sass_find(const ref_sass_instruction *instruction, ref_sass_role role, uint64_t *value);
/* The field that holds the bits [start, start + width) whole, or NULL. */
const ref_sass_field *ref_sass_find_bits(const ref_sass_instruction *instruction, unsigned start, unsigned width);

/* The offset in its section that an instruction at `offset` names; false when it names none. May lie outside: the caller
 * checks. */
bool ref_sass_target(const ref_sass_instruction *instruction, uint64_t offset, int64_t *target);

/* Whether the instruction may also do nothing and go on: a guard or a condition that is not always true. */
bool ref_sass_is_conditional(const ref_sass_instruction *instruction);

/* The SM of a cubin, from its e_flags (F7). */
unsigned ref_sass_sm(const ref_cubin *cubin);
/* Whether a section holds instructions: PROGBITS, SHF_EXECINSTR, bytes in the file. */
bool ref_sass_is_code(const ref_section *section);

/* What a relocation writes. */
typedef enum ref_sass_site_verdict {
  REF_SASS_SITE_GOOD,
  REF_SASS_SITE_OUTSIDE,   /* not inside the section */
  REF_SASS_SITE_MISPLACED, /* not on an instruction start */
  REF_SASS_SITE_NOT_FIELD, /* writes bits that are no value field of that instruction */
  REF_SASS_SITE_UNKNOWN    /* the opcode is unknown */
} ref_sass_site_verdict;

typedef struct ref_sass_site {
  ref_sass_site_verdict verdict;
  ref_sass_instruction instruction;   /* with verdict GOOD, NOT_FIELD and UNKNOWN */
  const ref_sass_field *first, *last; /* into `instruction`: the fields written, with GOOD */
} ref_sass_site;

/* Relocation `type` at `offset` of code section `section`. A type without bits (NONE, or one the tables do not know) only
 * has to sit on an instruction. */
void ref_sass_judge(ref_sass_site *site, const ref_cubin *cubin, const ref_section *section, uint64_t offset,
                    uint32_t type);
/* "instruction start", "field" and so on in words. */
const char *ref_sass_verdict_text(ref_sass_site_verdict verdict);

#endif
