/* A cubin made small: only what the decoder's tests read stays (texts, their relocations, .nv.info.*, symbols, names). */
#ifndef TWINLINK_TESTS_SASS_SQUEEZE_H
#define TWINLINK_TESTS_SASS_SQUEEZE_H

#include "tests/harness/harness.h"

/* `cubin` must be one that ptxas made; the caller frees the result's data. */
harness_bytes sass_squeeze(const harness_bytes *cubin);

#endif
