/* Kinds of change for what only capsules and compilers' code have, which entries and fields drawn one by one seldom leave
 * such that the link goes on: instructions, scoreboards, line programs, what both views of a capsule say, and names. Each is
 * false where the file has nothing of it. */
#ifndef FUZZ_CHANGE_H
#define FUZZ_CHANGE_H

#include "fuzz/edit.h"
#include "tests/support/built_program.h"

/* Some instructions become others that the file has, or get one of their fields. */
bool fuzz_change_code(const built_choices *choices, edit_cubin *cubin);
/* Other scoreboards: what an instruction sets, and together with it who waits for it; stalls. */
bool fuzz_change_boards(const built_choices *choices, edit_cubin *cubin);
/* Other steps in line programs, each in the room of the one that stood there, or another number in a header. */
bool fuzz_change_lines(const built_choices *choices, edit_cubin *cubin);
/* One such change in a unit of a line table: `program` is where its header ends, at least 28 bytes behind its beginning. */
void fuzz_change_line_unit(const built_choices *choices, uint8_t *bytes, size_t size, size_t program);
/* A section of the other file's, instead of the one of its name or beside it; what it names in the other file is changed to what
 * is most like it in this one, more often than not (`from` with it). */
bool fuzz_change_splice(const built_choices *choices, edit_cubin *cubin, edit_cubin *from);
/* The same change in both views of a capsule. */
bool fuzz_change_pair(const built_choices *choices, edit_cubin *cubin);
/* A symbol, or a section, gets a name that linkers know. */
bool fuzz_change_name(const built_choices *choices, edit_cubin *cubin);
/* The name begins as sections of cubins do. */
bool fuzz_name_is_known(const char *name);
/* The section's name from now on. */
void fuzz_change_section_name(edit_cubin *cubin, edit_section *section, const char *name);
enum { FUZZ_KIND_ROOM = 32 };
/* A section's name up to what it is of: ".text", ".nv.merc.rela.text". */
void fuzz_section_kind(const char *name, char kind[FUZZ_KIND_ROOM]);
/* A word of a section, of which the kind is drawn first, so that what is rare is changed as often as what is not. */
bool fuzz_change_word(const built_choices *choices, edit_cubin *cubin);

#endif
