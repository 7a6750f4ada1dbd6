/* Names for the demanglers of both linkers: made by a grammar of mangled names, then changed at a letter now and then, so
 * that what a demangler refuses is tried as well. A file's kernel calls functions of these names that nobody defines: each
 * is printed by the call graph and by the refusal. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include "tests/support/cubin_builder.h"
#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_IN_FILE = 80, NAMES_SYMBOLS = 400, NAMES_LONGEST = 300, NAMES_ALTERNATIVES = 72 };

/* '@' and a letter stand for one of that row's alternatives. Once a name is long enough the first one is taken, which
 * leads to no others of its kind. Literals have every floating type, with the bits of its own and of other sizes. */
typedef struct names_rule {
  char letter;
  const char *alternatives[NAMES_ALTERNATIVES];
} names_rule;

/* clang-format off */
static const names_rule names_rules[] = {
    {'e', {"1fv", "1fIL@F@VEEvv", "1fIL@F@VEL@F@VEEvv", "@n@b", "@n@b", "@n@b", "@u@T@t@b", "@u@T@t@b", "N@q@p@uE@b", "N@q@p@u@TE@t@b", "@S", "@n", "@L@b", "L1fEv", "St@u@b", "N@pcvT_I@a@aEE@b", "N@pcvP@tI@aEEv", "NK@pcv@t@TE@b"}},
    {'n', {"1f", "@u", "N@q@p@uE", "N@p@u@TE", "N@p@TE", "St@u", "St@u@T", "@L", "@s", "@u@T", "@s@T", "NK@p@uE"}},
    {'q', {"", "", "", "K", "V", "r", "VK", "rV", "R", "O", "KR", "KO"}},
    {'p', {"1A", "@i", "@i", "@i@p", "@i@T", "@i@T@p", "@s", "@s@T", "St", "T_", "DT@xE", "@L@i", "UlvE_", "C1", "D1", "cv@t"}},
    {'i', {"1A", "1B", "2ns", "3foo", "9StringRef", "12_GLOBAL__N_1", "10abcdefghij", "1AB3abi", "1xB1yB2zz", "03bar", "5st", "0"}},
    {'u', {"1f", "@i", "@i", "@i", "@o", "C1", "C2", "C3", "C4", "CI11A", "D0", "D1", "D2", "D5", "UlvE_", "UlvE0_", "UlvE9_", "UlvE12_", "UlfE10_", "Ul@t@tE1_", "Ut_", "Ut1_", "Ut12_", "L@i", "L@u", "DC1a1bE", "@iB@i", "cv@t", "li@i", "v12op"}},
    {'o', {"pl", "nw", "na", "dl", "da", "ps", "ng", "ad", "de", "co", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "nt", "aa", "oo", "pp", "mm", "cm", "pm", "pt", "cl", "ix", "qu", "ss", "aw"}},
    {'T', {"IiE", "I@aE", "I@aE", "I@a@aE", "I@a@a@aE", "IE"}},
    {'a', {"i", "@t", "@t", "L@l", "L@l", "X@xE", "J@a@aE", "JE", "J@aE", "LZ@eE"}},
    {'l', {"i3E", "in5E", "b1E", "b0E", "b2E", "j4E", "c65E", "l7E", "m8E", "x1E", "y2E", "s3E", "t9E", "h4E", "a1E", "@t4E", "DnE", "Dn0E", "_Z@eE", "_Z1gvE", "_Z@n", "f40490fdbE", "d4009E", "1A3E", "i12345678901234567890E", "iE", "S_1E", "ln7E", "M_Z1gE", "@F@VE", "@F@VE", "@F@VE", "@F@VE"}},
    {'F', {"f", "f", "d", "d", "e", "e", "g", "g", "DF16_", "DF16b", "w", "n", "o"}},
    {'V', {"40490fdb", "0", "00000000", "80000000", "3f8", "7f800000", "ff800000", "7fc00000", "1", "400921fb54442d18", "7ff0000000000000", "fff8000000000000", "0000000000000001", "3fb999999999999a", "4000c90fdaa22168c235", "4000921fb54442d18469898cc51701b8", "3c00", "n40490fdb", "40490FDB", "12", ""}},
    {'t', {"i", "v", "b", "c", "a", "h", "s", "t", "j", "l", "m", "x", "y", "n", "o", "f", "d", "e", "g", "w", "z", "Dn", "Da", "Dc", "Di", "Ds", "Du", "Dh", "Df", "DF16_", "DF16b", "P@t", "R@t", "O@t", "K@t", "V@t", "PK@t", "VKP@t", "r@t", "@s", "@n", "T_", "T0_", "T12_", "TL0__", "A3_@t", "A_@t", "A@x_@t", "F@t@bE", "PF@t@bE", "PF@t@bRE", "PKF@t@bOE", "PVF@t@bE", "PVKF@t@bE", "M@n@t", "M@nKF@t@bE", "Dp@t", "Dv4_@t", "Dv@x_@t", "DT@xE", "Dt@xE", "C@t", "G@t", "U3foo@t", "U3fooIiE@t", "u6__bf16", "DoF@t@bE", "PFY@t@bE"}},
    {'s', {"S_", "S0_", "S1_", "S2_", "S3_", "SA_", "S10_", "Sa", "Ss", "Sb", "Si", "So", "Sd", "St1a", "S"}},
    {'x', {"Li1E", "ng@x", "nt@x", "ad@x", "co@x", "de@x", "ps@x", "pp@x", "mm@x", "pp_@x", "mm_@x", "pl@x@x", "mi@x@x", "ml@x@x", "lt@x@x", "gt@x@x", "aa@x@x", "@o@x@x", "@o@x@x", "@o@x", "qu@x@x@x", "cl@x@xE", "cl@x@x@xE", "clL_Z1giEfp_E", "cv@t@x", "cv@t_@x@xE", "tl@t@xE", "il@x@xE", "dc@t@x", "sc@t@x", "cc@t@x", "rc@t@x", "st@t", "sz@x", "at@t", "az@x", "ti@t", "te@x", "fp_", "fp0_", "fp12_", "fL0p_", "fL1p0_", "fpT", "L@l", "T_", "T0_", "sr@t@i", "sr@t@i@T", "srN@p@uE@i", "dt@x@i", "pt@x@i", "ds@x@x", "sZT_", "sZfp_", "sp@x", "ix@x@x", "nx@x", "tw@x", "tr", "on@o", "nw@x_@tE", "nw_@tE", "dl@x"}},
    {'L', {"Z1gvE1x", "Z@eE@i", "Z@eE@i_0", "Z@eE@i_9", "Z@eE@i__12_", "Z@eE@i__1", "Z@eE@u", "Z@eEs", "Z@eEs_1", "Z@eEd_@u", "Z@eEd0_@u", "Z@eEd12_@i", "Z@eEUlvE_", "Z@eENKUl@tE_clE@b", "Z@eEN@p@uE"}},
    {'S', {"TV1A", "TV@n", "TT@n", "TI@n", "TS@n", "GV@n", "GR@n", "GR@n0_", "Thn8_@e", "Th16_@e", "Tv0_n24_@e", "Tvn8_n24_@e", "Tch0_h16_@e", "Tchn8_v0_n24_@e", "TW@n", "TH@n", "TC@t8_@t", "TA@a", "Thn_@e"}},
    {'b', {"v", "@t", "@t", "@t@t", "@t@t@t", "z", "@tz", "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii", "PPPPPPPPPPPPPPPPPPPPiS_S9_SA_SI_", "PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPiS_SZ_S10_S12_", ""}},
    {'z', {"", "", "", "", "", "", "", "$1", "$123", "$cold", "$1x", ".constprop.1", ".part.0"}},
    {'Z', {"_Z@e@z", "_Z@e$_Z@e@z", "$_Z@e@z", "_Z@e@z", "_Z@e@z", "_Z@e@z", "_Z@e@z", "__nv_static_5__a_b_c_@e", "__nv_static_3__abc__Z@e", "__nv_static_7__abc__Z@e", "__nv_static_12__1234567_a_cu__Z@e@z", "_ZN@p@uE@b@z"}},
};
/* clang-format on */

static const char *names_choose(gen_random *random, char letter, bool first) {
  for (size_t i = 0; i < sizeof names_rules / sizeof *names_rules; i++)
    if (names_rules[i].letter == letter) {
      uint32_t count = 0;
      while (count < NAMES_ALTERNATIVES && names_rules[i].alternatives[count])
        count++;
      return names_rules[i].alternatives[first ? 0 : gen_random_below(random, count)];
    }
  harness_stop("no rule '%c' for names", letter);
}

/* The leftmost '@' is replaced until there is none. */
static void names_expand(gen_random *random, char name[NAMES_SYMBOLS]) {
  memcpy(name, "@Z", sizeof "@Z");
  for (char *at = NULL; (at = strchr(name, '@'));) {
    const size_t length = strlen(name), place = (size_t)(at - name);
    const char *const text = names_choose(random, at[1], length > NAMES_LONGEST / 4);
    const size_t size = strlen(text);
    if (length + size >= NAMES_LONGEST)
      return names_expand(random, name);
    memmove(at + size, at + 2, length - place - 1);
    for (size_t i = 0; i < size; i++)
      at[i] = text[i];
  }
}

/* One letter removed, doubled, or taken from elsewhere in the name. */
static void names_change(gen_random *random, char name[NAMES_SYMBOLS]) {
  const size_t length = strlen(name), at = gen_random_below(random, (uint32_t)length);
  switch (gen_random_below(random, 4)) {
  case 0:
    memmove(name + at, name + at + 1, length - at);
    break;
  case 1:
    memmove(name + at + 1, name + at, length - at + 1);
    break;
  case 2:
    name[at] = name[gen_random_below(random, (uint32_t)length)];
    break;
  default:
    name[at] = '\0';
  }
}

static void names_write_file(gen_random *random, const char *path) {
  tb_cubin *const file = tb_new(90);
  const tb_symbol kernel = tb_kernel(file, "k", NULL, 0, 8);
  for (size_t i = 0; i < NAMES_IN_FILE; i++) {
    char name[NAMES_SYMBOLS];
    names_expand(random, name);
    if (gen_random_percent(random, 20))
      names_change(random, name);
    if (*name)
      tb_call(file, kernel, tb_undefined_function(file, name));
  }
  size_t size = 0;
  uint8_t *const bytes = tb_finish(file, &size);
  hunt_input_write(path, bytes, size);
  free(bytes);
  tb_free(file);
}

void hunt_names_add(hunt_inputs *inputs, const char *root, size_t count) {
  char directory[HARNESS_PATH], path[HARNESS_PATH], name[HARNESS_PATH];
  harness_path(directory, "%s/names", root);
  harness_make_directories(directory);
  for (size_t i = 0; i < count; i++) {
    gen_random random = {.state = 0x6e616d6573u + i};
    harness_path(path, "%s/names-%zu.cubin", directory, i);
    harness_path(name, "names %zu", i);
    names_write_file(&random, path);
    harness_words *const words = &hunt_inputs_add(inputs, name, directory, NULL)->arguments;
    hunt_words_add(words, "-arch=sm_90");
    hunt_words_add(words, "%s", strrchr(path, '/') + 1);
    hunt_words_add(words, "-o");
    hunt_words_add(words, "out.cubin");
  }
}
