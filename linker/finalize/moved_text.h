/* Texts in which instructions are put in or left out before files are merged (M43, M44), and what follows from it. */
#ifndef TL_FINALIZE_MOVED_TEXT_H
#define TL_FINALIZE_MOVED_TEXT_H

#include "cubin/cubin.h"

enum { TL_MOVED_INSTRUCTION = 16, TL_MOVED_NO_ITEM = -1 };

/* One text, and where its instructions go. Whoever changes it fills `place` and `exit`. */
typedef struct tl_moved_text {
  const uint8_t *bytes;
  uint32_t count;  /* instructions, without the NOPs at its end */
  uint64_t *place; /* by instruction, and one behind: where what now stands for it begins; the place of the next where
                      it is left out. It itself stands last of what stands for it. */
  const bool *returns; /* by instruction: it moves a place in the text to a register (L725); NULL: none does */
  uint64_t exit;       /* how far behind its place an EXIT stands */
} tl_moved_text;

/* As it is: every place is the instruction's own. */
tl_moved_text tl_moved_read(const tl_cubin_section *text, tl_arena *arena);
/* The opcode of an instruction, without the bits of its form (T1). */
uint16_t tl_moved_opcode(const tl_moved_text *t, uint32_t index);
/* The new place of one in the text. */
uint64_t tl_moved_place(const tl_moved_text *t, uint64_t place);
/* The size of a text with that much code: NOPs behind it fill at least 128 bytes more, in units of 128. */
uint64_t tl_moved_padded(uint64_t code);

/* Whether a section of the file is the text of a function, its owner, or of a kernel. */
bool tl_moved_is_function(const tl_cubin *sass, uint32_t section);
bool tl_moved_is_kernel(const tl_cubin *sass, uint32_t section);
/* Whether all places that a text's control transfers name are understood, and it is filled as tl_moved_padded says. */
bool tl_moved_text_is_plain(const tl_cubin_section *text, tl_arena *arena);
/* Whether the capsule's items are the text's instructions. `items`, if so: by instruction the number of its item, or
 * TL_MOVED_NO_ITEM where it is derived. */
bool tl_moved_capsule_is_plain(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                               const int64_t **items, tl_arena *arena);
/* Takes out of `texts` (by section) those about which entries or attributes are not understood. */
void tl_moved_keep_plain(const tl_cubin *sass, bool *texts);

/* Where the instructions of a text of that section go; `context` is the caller's. */
typedef tl_moved_text (*tl_moved_reader)(const void *context, uint32_t section, const tl_cubin_section *text,
                                         tl_arena *arena);
/* Changes the chosen texts (by section) of a file's SASS side, as `read` says of each, and what is about them: entries,
 * attributes, frames and symbols. What is put in is NOPs, over which `put` writes where it is not NULL. The file keeps
 * where everything went. */
void tl_moved_change(tl_cubin *sass, const bool *texts, tl_moved_reader read, const void *context,
                     void (*put)(const tl_moved_text *, uint8_t *), tl_arena *arena);
/* Whether a changed text of the SASS side has constants, in which there may be tables of places (jump_tables.c), and moves
 * those in links of SASS kind; in others they are made anew from the entries of `mercury` in any case (L969). */
bool tl_jumps_move(const tl_cubin *sass, tl_arena *arena);
void tl_jumps_moved(tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena);
/* The last record of a capsule, in the two bytes before `end`: how many NOPs follow. */
void tl_moved_put_tail(uint8_t *end, const tl_moved_text *t);

#endif
