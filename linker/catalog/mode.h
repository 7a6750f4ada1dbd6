/* What a link makes, as one row of properties: an executable or a relocatable cubin (-r), with or without a record of the
 * relocations that were applied (-preserve-relocs). Stages ask for a property, never for the option (design: "Mode and
 * view are data"). Facts: W12, W17, R50-R53, C51, C51b. */
#ifndef TL_CATALOG_MODE_H
#define TL_CATALOG_MODE_H

#include "twinlink.h"

typedef struct tl_mode {
  uint16_t file_type; /* e_type (W1.1) */
  bool eliminates;    /* dead code is removed (W7.3, W17.1) */
  bool final;         /* places are given: shared memory, images of compiler constants, bindless slots (W9, W10); what
                            * functions need spreads to kernels (W6, I7); undefined references are errors (E20) */
  bool plain_types;   /* CUDA's kinds of data become PROGBITS and NOBITS, with program headers (W1.5, W1.7) */
  bool rewrites_unified; /* R11, R104 */
  bool keeps_internal;   /* parameters and compiler constants stay in .symtab (W4.3) */
  bool takes_notes;      /* the inputs' tool notes come along (W5.1) */
  bool records_applied;  /* .nv.resolvedrela (R51) */
} tl_mode;

/* The row that the options ask for. */
const tl_mode *tl_mode_of(const tl_options *options);

#endif
