/* What a campaign reached: fuzz_cells FILE [--list]. Shares by mode and class, then the cells and messages that no input
 * reached; `--list` names each with its types. The exit code is 1 when something was reached that a rule calls out of
 * reach. `--unreachable` prints what the rules leave out, as fuzz/cells-unreachable has it. */
#include "fuzz/cells.h"
#include "fuzz/cells_file.h"

#include <stdio.h>
#include <string.h>

typedef struct cells_share {
  size_t reached, reachable, all;
} cells_share;

static void share_add(cells_share *share, bool reachable, bool reached) {
  share->all++;
  share->reachable += reachable;
  share->reached += reachable && reached;
}

static double share_percent(const cells_share *share) {
  return share->reachable ? 100.0 * (double)share->reached / (double)share->reachable : 100;
}

static void share_print(const char *name, const cells_share *share) {
  printf("%-28s %6zu of %6zu reachable %6.1f %%  (%zu in all)\n", name, share->reached, share->reachable,
         share_percent(share), share->all);
}

/* A cell that an input may reach, and none did. */
static bool is_missing(const uint64_t *counts, size_t number) {
  const fuzz_cell cell = fuzz_cell_of(number);
  return !counts[number] && !fuzz_cell_unreachable(&cell);
}

/* Types as ranges: "1-5 8". `group` is the number of the first type's cell. */
static void print_types(const uint64_t *counts, size_t group, size_t types) {
  for (size_t type = 0; type < types; type++) {
    const size_t first = type;
    while (type < types && is_missing(counts, group + type))
      type++;
    if (type > first)
      printf(type - first > 1 ? " %zu-%zu" : " %zu", first, type - 1);
  }
  printf("\n");
}

/* A class in a kind of section in a mode. */
static void print_group(const uint64_t *counts, size_t group, size_t types) {
  const fuzz_cell cell = fuzz_cell_of(group);
  printf("  %s%s, %s, in %s:", types == TL_R_CUDA_COUNT ? "" : "Mercury: ", fuzz_mode_names[cell.mode],
         fuzz_class_names[cell.class], fuzz_place_names[cell.place]);
  print_types(counts, group, types);
}

static void print_unreached(const uint64_t *counts) {
  for (size_t group = 0, types; group < FUZZ_ENTRY_CELLS; group += types) {
    types = group < FUZZ_CUDA_CELLS ? TL_R_CUDA_COUNT : TL_R_MERCURY_COUNT;
    size_t missing = 0;
    for (size_t i = group; i < group + types; i++)
      missing += is_missing(counts, i);
    if (missing)
      print_group(counts, group, types);
  }
}

static void print_shares(const uint64_t *counts) {
  cells_share views[2] = {{0}}, modes[FUZZ_MODES] = {{0}}, places[FUZZ_PLACES] = {{0}}, classes[FUZZ_CLASSES] = {{0}};
  for (size_t i = 0; i < FUZZ_ENTRY_CELLS; i++) {
    const fuzz_cell cell = fuzz_cell_of(i);
    const bool reachable = !fuzz_cell_unreachable(&cell), reached = counts[i];
    share_add(&views[i >= FUZZ_CUDA_CELLS], reachable, reached);
    if (i >= FUZZ_CUDA_CELLS)
      continue;
    share_add(&modes[cell.mode], reachable, reached);
    share_add(&places[cell.place], reachable, reached);
    share_add(&classes[cell.class], reachable, reached);
  }
  share_print("cells of R_CUDA types", &views[0]);
  share_print("cells of R_MERCURY types", &views[1]);
  for (size_t i = 0; i < FUZZ_MODES; i++)
    share_print(fuzz_mode_names[i], &modes[i]);
  for (size_t i = 0; i < FUZZ_PLACES; i++)
    share_print(fuzz_place_names[i], &places[i]);
  for (size_t i = 0; i < FUZZ_CLASSES; i++)
    share_print(fuzz_class_names[i], &classes[i]);
}

static void print_messages(const uint64_t *counts) {
  cells_share share = {0};
  for (size_t i = 0; i < TL_MESSAGE_COUNT; i++)
    share_add(&share, !fuzz_message_unreachable((tl_message_id)i), counts[FUZZ_ENTRY_CELLS + i]);
  share_print("messages", &share);
  if (share.reached < share.reachable)
    printf("messages that no input reached:\n");
  for (size_t i = 0; i < TL_MESSAGE_COUNT; i++)
    if (!counts[FUZZ_ENTRY_CELLS + i] && !fuzz_message_unreachable((tl_message_id)i))
      printf("  %s\n", fuzz_message_names[i]);
}

/* A rule that an input contradicts is wrong; how many. */
static size_t print_contradictions(const uint64_t *counts) {
  size_t wrong = 0;
  for (size_t i = 0; i < FUZZ_ENTRY_CELLS; i++) {
    const fuzz_cell cell = fuzz_cell_of(i);
    const char *const reason = counts[i] ? fuzz_cell_unreachable(&cell) : NULL;
    wrong += reason != NULL;
    if (reason)
      printf("reached against the rule: type 0x%x, %s, %s, in %s: %s\n", (unsigned)cell.type,
             fuzz_mode_names[cell.mode], fuzz_class_names[cell.class], fuzz_place_names[cell.place], reason);
  }
  for (size_t i = 0; i < TL_MESSAGE_COUNT; i++) {
    const char *const reason = counts[FUZZ_ENTRY_CELLS + i] ? fuzz_message_unreachable((tl_message_id)i) : NULL;
    wrong += reason != NULL;
    if (reason)
      printf("reached against the rule: %s: %s\n", fuzz_message_names[i], reason);
  }
  return wrong;
}

/* A line a class and mode that a rule leaves out, and a message. */
static void print_rules(void) {
  for (size_t mode = 0; mode < FUZZ_MODES; mode++)
    for (size_t class = 0; class < FUZZ_CLASSES; class ++) {
      size_t left_out = 0;
      const char *why = NULL;
      for (uint32_t type = 0; type < TL_R_CUDA_COUNT; type++) {
        const fuzz_cell cell = {type, (fuzz_class) class, FUZZ_IN_KERNEL, (fuzz_mode)mode};
        const char *const reason = fuzz_cell_unreachable(&cell);
        left_out += reason != NULL;
        why = reason ? reason : why;
      }
      if (why)
        printf("%s, %s: %zu of %u types: %s\n", fuzz_mode_names[mode], fuzz_class_names[class], left_out,
               (unsigned)TL_R_CUDA_COUNT, why);
    }
  for (size_t i = 0; i < TL_MESSAGE_COUNT; i++)
    if (fuzz_message_unreachable((tl_message_id)i))
      printf("%s: %s\n", fuzz_message_names[i], fuzz_message_unreachable((tl_message_id)i));
}

int main(int argc, char **argv) {
  const bool rules = argc == 2 && strcmp(argv[1], "--unreachable") == 0;
  const bool list = argc == 3 && strcmp(argv[2], "--list") == 0;
  if (argc != 2 && !list) {
    (void)fprintf(stderr, "usage: fuzz_cells FILE [--list] | --unreachable\n");
    return 2;
  }
  if (rules) {
    print_rules();
    return 0;
  }
  const uint64_t *const counts = fuzz_cells_map(argv[1], FUZZ_CELLS);
  if (!counts) {
    (void)fprintf(stderr, "fuzz_cells: %s cannot be read\n", argv[1]);
    return 2;
  }
  print_shares(counts);
  print_messages(counts);
  if (list)
    print_unreached(counts);
  return print_contradictions(counts) ? 1 : 0;
}
