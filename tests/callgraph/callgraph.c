/* Links each graph in process and compares every line with nvlink's. With a directory as argument the program writes the
 * graphs' cubins there instead, so that nvlink's words can be recorded again. */
#include "graphs.h"

#include "linker/twinlink.h"

/* cmocka.h needs these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[GRAPH_MOST_FILES] = {"a.cubin", "b.cubin", "c.cubin"};
static const char head[] = "callgraph for sm_90:\n"
                           "# A: s -> B // s (number A) potentially calls B\n"
                           "# s [N]     // s uses N registers\n"
                           "# ^s        // s is entry point\n"
                           "# &s        // s has address taken\n";

/* The messages as printed, without the dump's head, which must be there once. */
static char *printed_text(const tl_result *result, const tl_options *options) {
  size_t size = 1;
  for (size_t i = 0; i < result->message_count; i++)
    size += tl_message_format(&result->messages[i], options, NULL, 0) + 1;
  char *const text = calloc(size, 1);
  assert_non_null(text);
  size_t at = 0;
  for (size_t i = 0; i < result->message_count; i++) {
    at += tl_message_format(&result->messages[i], options, text + at, size - at);
    text[at++] = '\n';
  }
  char *const start = strstr(text, head);
  assert_non_null(start);
  memmove(start, start + strlen(head), strlen(start + strlen(head)) + 1);
  return text;
}

static void check_graph(void **state) {
  const graph_case *const graph = *state;
  built_graph built = {.file_count = 0};
  tl_input inputs[GRAPH_MOST_FILES];
  uint8_t *images[GRAPH_MOST_FILES] = {0};
  graph->build(&built);
  for (size_t i = 0; i < built.file_count && i < GRAPH_MOST_FILES; i++) {
    size_t size = 0;
    images[i] = tb_finish(built.files[i], &size);
    inputs[i] = (tl_input){names[i], images[i], size, false};
  }
  const tl_job job = {.options = {.arch = "sm_90",
                                  .kernels_used = {&graph->kernels_used, graph->kernels_used ? 1 : 0},
                                  .dump_callgraph = true,
                                  .extra_warnings = true,
                                  .identity_nvlink = true,
                                  .bug_compatible = true},
                      .inputs = inputs,
                      .input_count = built.file_count};
  tl_result result;
  assert_int_equal(tl_link(&job, &result), graph->exit_code);
  char *const text = printed_text(&result, &job.options);
  assert_string_equal(text, graph->lines);
  free(text);
  tl_result_free(&result);
  for (size_t i = 0; i < built.file_count && i < GRAPH_MOST_FILES; i++) {
    free(images[i]);
    tb_free(built.files[i]);
  }
}

static int write_cubins(const char *directory) {
  for (size_t g = 0; g < graph_case_count; g++) {
    built_graph built = {.file_count = 0};
    graph_cases[g].build(&built);
    for (size_t i = 0; i < built.file_count && i < GRAPH_MOST_FILES; i++) {
      char path[512];
      size_t size = 0;
      uint8_t *const image = tb_finish(built.files[i], &size);
      (void)snprintf(path, sizeof path, "%s/%s.%s", directory, graph_cases[g].name, names[i]);
      FILE *const file = fopen(path, "wb");
      if (!file || fwrite(image, 1, size, file) != size || fclose(file))
        return 1;
      free(image);
      tb_free(built.files[i]);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return write_cubins(argv[1]);
  struct CMUnitTest *const tests = calloc(graph_case_count, sizeof *tests);
  if (!tests)
    return 1;
  for (size_t g = 0; g < graph_case_count; g++)
    tests[g] = (struct CMUnitTest){graph_cases[g].name, check_graph, NULL, NULL, (void *)(uintptr_t)&graph_cases[g]};
  const int failed = _cmocka_run_group_tests("callgraph", tests, graph_case_count, NULL, NULL);
  free(tests);
  return failed;
}
