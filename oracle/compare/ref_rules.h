/* Which rules of docs/specification decide what a difference is about: by its key, and for an instruction's field by the
 * type of the relocation that wrote it. */
#ifndef REF_RULES_H
#define REF_RULES_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_rules_row {
  const char *prefix; /* of a difference's key, or of a relocation type's name */
  const char *rules;  /* "W4.1, W7.3" */
} ref_rules_row;

/* Longer prefixes before shorter ones; ends with a row without prefix. */
extern const ref_rules_row ref_key_rules[], ref_type_rules[];

/* "" when no row knows the key. */
const char *ref_rules_of_key(const char *key);
/* "" for a number that is no R_CUDA type. */
const char *ref_rules_of_type(uint32_t type);

#endif
