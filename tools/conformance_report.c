/* What many programs showed, for a person and as JSON. Nothing is left out of the sum: identical, different, refused,
 * ended by a signal of nvlink's, and not compiled add up to the number of programs. */
#include "conformance.h"
#include "json_file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

typedef struct conformance_group {
  char class[CONFORMANCE_CLASS];
  size_t count;
} conformance_group;

typedef struct conformance_sums {
  size_t outcomes[CONFORMANCE_OUTCOMES], model_ran, model_identical, features[GEN_FEATURE_COUNT], links;
  size_t programs[GEN_FEATURE_COUNT]; /* whose kind and architecture have the feature */
  double compile_seconds, reference_seconds, linker_seconds;
  int median_files, median_features, median_ptx_share;
  size_t files, ptx_files;
} conformance_sums;

static int conformance_compare_ints(const void *a, const void *b) {
  int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

static int conformance_median(const conformance_report *report, bool features) {
  int *values = malloc((report->count + 1) * sizeof *values);
  if (!values)
    return 0;
  for (size_t i = 0; i < report->count; i++)
    values[i] = features ? report->cases[i].verdict.feature_count : report->cases[i].verdict.files;
  qsort(values, report->count, sizeof *values, conformance_compare_ints);
  int median = report->count ? values[report->count / 2] : 0;
  free(values);
  return median;
}

static conformance_sums conformance_sum(const conformance_report *report) {
  conformance_sums sums = {0};
  for (size_t i = 0; i < report->count; i++) {
    const conformance_verdict *verdict = &report->cases[i].verdict;
    sums.outcomes[verdict->outcome]++;
    sums.model_ran += verdict->model_ran;
    sums.model_identical += verdict->model_identical;
    sums.compile_seconds += verdict->compile_seconds;
    sums.reference_seconds += verdict->reference_seconds;
    sums.linker_seconds += verdict->linker_seconds;
    sums.files += (size_t)verdict->files;
    sums.ptx_files += (size_t)verdict->ptx_files;
    unsigned sm = 0;
    sscanf(report->cases[i].architecture, "sm_%u", &sm);
    sums.links += verdict->links;
    for (int feature = 0; feature < GEN_FEATURE_COUNT; feature++) {
      const bool of = gen_feature_is_of((gen_feature)feature, report->cases[i].kind, sm);
      sums.features[feature] += of && verdict->features[feature];
      sums.programs[feature] += of;
    }
  }
  sums.median_files = conformance_median(report, false);
  sums.median_features = conformance_median(report, true);
  return sums;
}

static double conformance_share(size_t part, size_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

double conformance_percent(const conformance_report *report) {
  conformance_sums sums = conformance_sum(report);
  return conformance_share(sums.outcomes[CONFORMANCE_IDENTICAL],
                           sums.outcomes[CONFORMANCE_IDENTICAL] + sums.outcomes[CONFORMANCE_DIFFERENT]);
}

static int conformance_compare_groups(const void *a, const void *b) {
  const conformance_group *left = a, *right = b;
  if (left->count != right->count)
    return left->count < right->count ? 1 : -1;
  return strcmp(left->class, right->class);
}

/* The caller frees the groups. */
static conformance_group *conformance_groups(const conformance_report *report, size_t *count) {
  conformance_group *groups = calloc(report->count + 1, sizeof *groups);
  *count = 0;
  for (size_t i = 0; groups && i < report->count; i++) {
    const conformance_verdict *verdict = &report->cases[i].verdict;
    if (verdict->outcome != CONFORMANCE_DIFFERENT)
      continue;
    size_t at = 0;
    while (at < *count && strcmp(groups[at].class, verdict->class) != 0)
      at++;
    if (at == *count)
      memcpy(groups[(*count)++].class, verdict->class, sizeof verdict->class);
    groups[at].count++;
  }
  if (groups)
    qsort(groups, *count, sizeof *groups, conformance_compare_groups);
  return groups;
}

static void conformance_print_features(const conformance_sums *sums, FILE *to) {
  fprintf(to, "the programs: median %d files (%.0f %% PTX), %d features\n", sums->median_files,
          conformance_share(sums->ptx_files, sums->files), sums->median_features);
  for (int i = 0; i < GEN_FEATURE_COUNT; i++) {
    size_t whole = sums->programs[i];
    if (!whole && !sums->features[i])
      continue;
    double share = conformance_share(sums->features[i], whole);
    fprintf(to, "  %5.1f %%%s %s\n", share, share < 5 && whole ? " <5" : "   ", gen_feature_names[i]);
  }
}

/* The kinds of the programs, and how many of each came out alike. */
static void conformance_print_kinds(const conformance_report *report, FILE *to) {
  for (int kind = 0; kind < GEN_KIND_COUNT; kind++) {
    size_t counts[CONFORMANCE_OUTCOMES] = {0}, whole = 0;
    for (size_t i = 0; i < report->count; i++)
      if ((int)report->cases[i].kind == kind) {
        counts[report->cases[i].verdict.outcome]++;
        whole++;
      }
    if (whole)
      fprintf(to, "  %5.1f %%    kind %s: %zu programs, %zu identical, %zu different, %zu refused alike\n",
              conformance_share(whole, report->count), gen_kind_names[kind], whole, counts[CONFORMANCE_IDENTICAL],
              counts[CONFORMANCE_DIFFERENT], counts[CONFORMANCE_REFUSED]);
  }
}

static void conformance_print_list(const conformance_report *report, conformance_outcome outcome, const char *title,
                                   FILE *to) {
  bool any = false;
  for (size_t i = 0; i < report->count; i++) {
    const conformance_case *one = &report->cases[i];
    if (one->verdict.outcome != outcome)
      continue;
    if (!any)
      fprintf(to, "%s\n", title);
    any = true;
    bool different = outcome == CONFORMANCE_DIFFERENT;
    fprintf(to, "  %s --seeds %llu --arch %s --kind %s%s%s%s  # %s%s%s\n", report->command,
            (unsigned long long)one->seed, one->architecture, gen_kind_names[one->kind],
            one->objects == CONFORMANCE_CAPSULE ? "" : " --objects ",
            one->objects == CONFORMANCE_CAPSULE ? "" : conformance_objects_words[one->objects],
            different ? " --show" : "", one->verdict.class, *one->verdict.class ? "; " : "", one->verdict.details);
  }
}

static bool conformance_has_grouping(const conformance_report *report) {
  for (size_t i = 0; i < report->count; i++)
    if (report->cases[i].kind == GEN_GROUPING)
      return true;
  return false;
}

void conformance_print(const conformance_report *report, FILE *to) {
  conformance_sums sums = conformance_sum(report);
  size_t identical = sums.outcomes[CONFORMANCE_IDENTICAL], different = sums.outcomes[CONFORMANCE_DIFFERENT];
  size_t refused = sums.outcomes[CONFORMANCE_REFUSED], broken = sums.outcomes[CONFORMANCE_NOT_COMPILED];
  conformance_print_features(&sums, to);
  conformance_print_kinds(report, to);
  if (sums.outcomes[CONFORMANCE_GENERATED])
    return;
  conformance_print_coverage(report, to);
  conformance_print_list(report, CONFORMANCE_NOT_COMPILED, "not compiled:", to);
  conformance_print_list(report, CONFORMANCE_REFUSED, "refused alike:", to);
  conformance_print_list(report, CONFORMANCE_SIGNAL, "nvlink ended by a signal, refused by twinlink:", to);
  conformance_print_list(report, CONFORMANCE_ABSTAINED, "nvlink abstains:", to);
  conformance_print_list(report, CONFORMANCE_UNSTABLE, "only where nvlink differs from itself (RF79):", to);
  conformance_print_list(report, CONFORMANCE_DIFFERENT, "different:", to);
  fprintf(to, "identical %zu of %zu (%.2f %%), %zu links: bytes, messages and exit code%s\n", identical,
          identical + different, conformance_percent(report), sums.links,
          conformance_has_grouping(report) ? "; of the kind grouping: canonical form" : "");
  conformance_print_capsules(report, to);
  size_t count;
  conformance_group *groups = conformance_groups(report, &count);
  for (size_t i = 0; groups && i < count; i++)
    fprintf(to, "  %4zu  %s\n", groups[i].count, groups[i].class);
  free(groups);
  if (sums.model_ran)
    fprintf(to, "the model: identical %zu of %zu (%.2f %%)\n", sums.model_identical, sums.model_ran,
            conformance_share(sums.model_identical, sums.model_ran));
  fprintf(to, "refused by nvlink and, in the same words, by twinlink: %zu of %zu (%.1f %%), not counted above\n",
          refused, report->count, conformance_share(refused, report->count));
  if (sums.outcomes[CONFORMANCE_SIGNAL])
    fprintf(to, "nvlink ended by a signal, refused by twinlink: %zu, not counted above\n",
            sums.outcomes[CONFORMANCE_SIGNAL]);
  if (sums.outcomes[CONFORMANCE_ABSTAINED])
    fprintf(to, "our links are one program, nvlink's are not by rows of its defects: %zu, not counted above\n",
            sums.outcomes[CONFORMANCE_ABSTAINED]);
  if (sums.outcomes[CONFORMANCE_UNSTABLE])
    fprintf(to, "different only where nvlink differs from itself: %zu, not counted above\n",
            sums.outcomes[CONFORMANCE_UNSTABLE]);
  if (broken)
    fprintf(to, "not compiled %zu\n", broken);
  fprintf(to, "time %.1f s: compilers %.1f s, nvlink %.2f s, twinlink %.2f s\n", report->seconds, sums.compile_seconds,
          sums.reference_seconds, sums.linker_seconds);
}

static cJSON *conformance_json_case(const conformance_case *one) {
  static const char *const words[] = {"identical", "different", "refused",   "not compiled",
                                      "generated", "signal",    "abstained", "unstable"};
  cJSON *row = cJSON_CreateObject();
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)one->seed);
  cJSON_AddStringToObject(row, "seed", seed);
  cJSON_AddStringToObject(row, "arch", one->architecture);
  cJSON_AddStringToObject(row, "kind", gen_kind_names[one->kind]);
  cJSON_AddStringToObject(row, "outcome", words[one->verdict.outcome]);
  cJSON_AddStringToObject(row, "class", one->verdict.class);
  cJSON_AddStringToObject(row, "details", one->verdict.details);
  cJSON_AddNumberToObject(row, "files", one->verdict.files);
  cJSON_AddNumberToObject(row, "features", one->verdict.feature_count);
  if (one->verdict.model_ran)
    cJSON_AddBoolToObject(row, "model_identical", one->verdict.model_identical);
  return row;
}

bool conformance_write_json(const conformance_report *report, const char *path) {
  conformance_sums sums = conformance_sum(report);
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "programs", (double)report->count);
  cJSON_AddNumberToObject(root, "identical", (double)sums.outcomes[CONFORMANCE_IDENTICAL]);
  cJSON_AddNumberToObject(root, "different", (double)sums.outcomes[CONFORMANCE_DIFFERENT]);
  cJSON_AddNumberToObject(root, "refused", (double)sums.outcomes[CONFORMANCE_REFUSED]);
  cJSON_AddNumberToObject(root, "not_compiled", (double)sums.outcomes[CONFORMANCE_NOT_COMPILED]);
  cJSON_AddNumberToObject(root, "abstained", (double)sums.outcomes[CONFORMANCE_ABSTAINED]);
  cJSON_AddNumberToObject(root, "unstable", (double)sums.outcomes[CONFORMANCE_UNSTABLE]);
  cJSON_AddNumberToObject(root, "signal", (double)sums.outcomes[CONFORMANCE_SIGNAL]);
  cJSON_AddNumberToObject(root, "median_files", sums.median_files);
  cJSON_AddNumberToObject(root, "median_features", sums.median_features);
  cJSON_AddNumberToObject(root, "ptx_percent", conformance_share(sums.ptx_files, sums.files));
  cJSON *features = cJSON_AddObjectToObject(root, "feature_percent");
  for (int i = 0; i < GEN_FEATURE_COUNT; i++)
    cJSON_AddNumberToObject(features, gen_feature_names[i], conformance_share(sums.features[i], report->count));
  cJSON *cases = cJSON_AddArrayToObject(root, "cases");
  for (size_t i = 0; i < report->count; i++)
    cJSON_AddItemToArray(cases, conformance_json_case(&report->cases[i]));
  return json_write(root, path);
}
