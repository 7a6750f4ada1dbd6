/* Cells of the specification that inputs reach: relocation type x class of symbol x kind of section x mode of the link, one
 * cell for each entry that the linker comes to, and one for each message that it makes. Engines get them as features
 * beside the edges of the code, so that an input which brings a type and a class together for the first time stays in the
 * corpus although every line was executed before. What cannot be reached is said by the rules of cells_table.c, before
 * anything was counted. Only for what sees the linker's headers. */
#ifndef FUZZ_CELLS_H
#define FUZZ_CELLS_H

#include "catalog/message.h"
#include "catalog/relocation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fuzz_mode { FUZZ_EXECUTABLE, FUZZ_RELOCATABLE, FUZZ_PRESERVED, FUZZ_MODES } fuzz_mode;

/* The section that an entry patches, as it is in the output. */
typedef enum fuzz_place {
  FUZZ_IN_KERNEL,
  FUZZ_IN_FUNCTION,
  FUZZ_IN_DATA,
  FUZZ_IN_CONSTANTS,
  FUZZ_IN_DEBUG,
  FUZZ_IN_OTHER,
  FUZZ_PLACES
} fuzz_place;

/* What an entry names, as it stands when relocation begins. */
typedef enum fuzz_class {
  FUZZ_DEAD,      /* a dead function or a section that is gone: only what clears comes so far */
  FUZZ_NOTHING,   /* symbol 0, or what was lost on the way here */
  FUZZ_MINUS_ONE, /* a shared object of a kernel that is gone */
  FUZZ_CODE_SECTION,
  FUZZ_DATA_SECTION,
  FUZZ_CONSTANT_SECTION,
  FUZZ_OTHER_SECTION,
  FUZZ_KERNEL,
  FUZZ_GLOBAL_FUNCTION,
  FUZZ_WEAK_FUNCTION,
  FUZZ_LOCAL_FUNCTION,
  FUZZ_MARKED_FUNCTION, /* hidden, internal or protected */
  FUZZ_UNDEFINED_FUNCTION,
  FUZZ_TEXTURE, /* or sampler or surface */
  FUZZ_COMPILER_CONSTANT,
  FUZZ_CONSTANT,
  FUZZ_SHARED,
  FUZZ_EXTERNAL_SHARED,
  FUZZ_COMMON,
  FUZZ_GLOBAL,
  FUZZ_OTHER_OBJECT, /* local memory, what lies in debug sections */
  FUZZ_LABEL,        /* without a type, in a section: it becomes symbol 0 */
  FUZZ_UNDEFINED_OBJECT,
  FUZZ_UNDEFINED_LABEL,
  FUZZ_CLASSES
} fuzz_class;

enum {
  FUZZ_CUDA_CELLS = (int)FUZZ_MODES * (int)FUZZ_PLACES * (int)FUZZ_CLASSES * TL_R_CUDA_COUNT,
  FUZZ_MERCURY_PLACES = 2, /* code and the rest */
  FUZZ_MERCURY_CELLS = (int)FUZZ_MODES * FUZZ_MERCURY_PLACES * (int)FUZZ_CLASSES * TL_R_MERCURY_COUNT,
  FUZZ_ENTRY_CELLS = FUZZ_CUDA_CELLS + FUZZ_MERCURY_CELLS,
  FUZZ_CELLS = FUZZ_ENTRY_CELLS + (int)TL_MESSAGE_COUNT,
  FUZZ_CELLS_LIMIT = 1 << 16
};

typedef struct fuzz_cell {
  uint32_t type; /* as it stands in an entry: Mercury's from TL_R_MERCURY on */
  fuzz_class class;
  fuzz_place place;
  fuzz_mode mode;
} fuzz_cell;

/* The number of an entry's cell; FUZZ_CELLS for a type that there is not. */
size_t fuzz_cell_number(const fuzz_cell *cell);
/* The cell of a number below FUZZ_ENTRY_CELLS. */
fuzz_cell fuzz_cell_of(size_t number);
/* Why no input reaches a cell, by rule; NULL where one may. */
const char *fuzz_cell_unreachable(const fuzz_cell *cell);
/* Why no envelope makes the linker say it; NULL where one may. */
const char *fuzz_message_unreachable(tl_message_id id);

extern const char *const fuzz_mode_names[FUZZ_MODES], *const fuzz_place_names[FUZZ_PLACES],
                                                          *const fuzz_class_names[FUZZ_CLASSES],
                                                              *const fuzz_message_names[TL_MESSAGE_COUNT];

#endif
