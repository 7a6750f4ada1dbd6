/* The file that nvcc asks for with --register-link-binaries (N12-N15). */
#ifndef TL_INPUT_REGISTRATION_H
#define TL_INPUT_REGISTRATION_H

#include "input/admission.h"

/* The file's text, in the arena: one line for every accepted input that took part (`taken`, by input; NULL: all); `directory` is the current directory. */
const char *tl_registration_text(const tl_job *job, const tl_admission *admission, const char *directory,
                                 const bool *taken, tl_arena *arena);

#endif
