/* What sets the condition of an EXIT's guard, and the numbers that it has (L1973): instructions as ptxas writes them for
 * sm_100 and sm_120, upper words with their control bits. */
#include "cubin/guard.h"
#include "tests/unit/unit.h"

#include "base/bytes.h"

enum { GUARD_LINE = 16, GUARD_MOST = 4 };

typedef struct guard_case {
  const char *what;
  uint64_t lines[GUARD_MOST][2]; /* the last one that is not 0 hangs on the condition */
  unsigned numbers;
} guard_case;

#define EXIT_IF_P0 {0x000000000000094d, 0x001fea0003800000}
#define EXIT_UNLESS_P0 {0x000000000000894d, 0x001fea0003800000}
#define EXIT_ALWAYS {0x000000000000794d, 0x001fea0003800000}
#define STORE {0x0000000502007986, 0x0005e2000c101904} /* number 2 is set by its read */
#define QSPC {0x0000000002ff73aa, 0x000e640000000500}  /* P0, number 1 */

static const guard_case guard_cases[] = {
    {"QSPC before EXIT", {QSPC, EXIT_IF_P0}, 1u << 1},
    {"a negated guard", {QSPC, EXIT_UNLESS_P0}, 1u << 1},
    {"a store between", {QSPC, STORE, EXIT_IF_P0}, 1u << 1},
    {"no guard", {QSPC, EXIT_ALWAYS}, 0},
    {"another condition", {{0x0000000002ff73aa, 0x000e640000020500}, EXIT_IF_P0}, 0},
    {"arithmetic between", {QSPC, {0x000000030300780c, 0x000fda0003f05270}, EXIT_IF_P0}, 0},
    {"arithmetic of another condition between", {QSPC, {0x000000030300780c, 0x000fda0003f25270}, EXIT_IF_P0}, 1u << 1},
    {"a branch between", {QSPC, {0xfffffffc00fc7947, 0x000fc0000383ffff}, EXIT_IF_P0}, 0},
    {"RED of floats, whose number its read sets", {{0x8000000906ff79a2, 0x0083e4000c10e704}, EXIT_IF_P0}, 1u << 1},
    {"RED that sets no condition", {{0x8000000906ff79a2, 0x0083e4000c1ee704}, EXIT_IF_P0}, 0},
    {"SYNCS", {{0x00000005090075a7, 0x004ea400080010ff}, EXIT_IF_P0}, 1u << 2},
    {"SHFL of an immediate", {{0x0460000000057989, 0x004e6400000000ff}, EXIT_IF_P0}, 1u << 1},
    {"MATCH", {{0x00000000000573a1, 0x004e640000000000}, EXIT_IF_P0}, 1u << 1},
    {"B2R", {{0x0000000000ff731c, 0x000e640000004000}, EXIT_IF_P0}, 1u << 1},
    {"DSETP with a number", {{0x000000060400722a, 0x004e640003f0d000}, EXIT_UNLESS_P0}, 1u << 1},
    {"DSETP without one", {{0x000000060400722a, 0x004fe40003f0d000}, EXIT_UNLESS_P0}, 0},
    {"ATOM with a number of its result, too", {{0x8000000402ff798a, 0x0040640008110504}, EXIT_IF_P0}, 1u << 1},
    {"a wait for it between", {QSPC, {0x0000000502007986, 0x0025e2000c101904}, EXIT_IF_P0}, 0},
    {"nothing in front", {EXIT_IF_P0}, 0},
};

static void unit_guard_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof guard_cases / sizeof *guard_cases; i++) {
    const guard_case *const one = &guard_cases[i];
    uint8_t text[GUARD_MOST * GUARD_LINE];
    uint32_t count = 0;
    for (; count < GUARD_MOST && one->lines[count][0]; count++) {
      tl_put64(text + (size_t)count * GUARD_LINE, one->lines[count][0]);
      tl_put64(text + (size_t)count * GUARD_LINE + 8, one->lines[count][1]);
    }
    const unsigned numbers = tl_guard_numbers(text, count - 1);
    if (numbers != one->numbers)
      fail_msg("%s: numbers %#x, expected %#x", one->what, numbers, one->numbers);
  }
}

int unit_test_guard(void) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(unit_guard_numbers)};
  return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
