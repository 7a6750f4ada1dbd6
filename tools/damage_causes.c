/* The named causes of differences on damaged input: field and rule. The first row that fits counts, so rows for one field
 * stand before rows for many. */
#include "damage.h"

extern const damage_cause damage_causes[];

const damage_cause damage_causes[] = {
    {NULL, NULL, NULL, 0, 0},
};
