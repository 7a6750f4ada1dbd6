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

/* L41 with more maxima than are kept by component: 300 functions, each with more registers than those before it but for
 * every seventh. nvlink 13.0.88 printed the same for the file that is built here. */
static void check_many_maxima(void **state) {
  (void)state;
  enum { FUNCTIONS = 300, KERNEL = 8, LIMIT = 255 };
  char callee[FUNCTIONS][8], line[128];
  tb_cubin *const file = tb_new(90);
  const tb_symbol kernel = tb_kernel(file, "k", NULL, 0, KERNEL);
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    (void)snprintf(callee[i], sizeof callee[i], "f%u", i);
    tb_call(file, kernel, tb_function(file, callee[i], TB_GLOBAL, NULL, 0, i % 7 == 3 ? KERNEL + 1 : 10 + i));
  }
  size_t size = 0;
  uint8_t *const image = tb_finish(file, &size);
  const tl_input input = {names[0], image, size, false};
  const tl_job job = {.options = {.arch = "sm_90",
                                  .dump_callgraph = true,
                                  .extra_warnings = true,
                                  .identity_nvlink = true,
                                  .bug_compatible = true},
                      .inputs = &input,
                      .input_count = 1};
  tl_result result;
  assert_int_equal(tl_link(&job, &result), 255);
  char *const text = printed_text(&result, &job.options);
  const char *at = strstr(text, "regcount ");
  assert_non_null(at);
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    if (i % 7 == 3)
      continue;
    if (10 + i > LIMIT) {
      (void)snprintf(
          line, sizeof line,
          "nvlink error   : entry function 'k' with max regcount of %d calls function 'f%u' with regcount of %u\n",
          LIMIT, i, 10 + i);
      assert_int_equal(strncmp(at, line, strlen(line)), 0);
      at += strlen(line);
    }
    (void)snprintf(line, sizeof line, "regcount %u for f%u propagated to entry k\n", 10 + i, i);
    assert_int_equal(strncmp(at, line, strlen(line)), 0);
    at += strlen(line);
  }
  assert_string_equal(at, "");
  free(text);
  tl_result_free(&result);
  free(image);
  tb_free(file);
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
  struct CMUnitTest *const tests = calloc(graph_case_count + 1, sizeof *tests);
  if (!tests)
    return 1;
  for (size_t g = 0; g < graph_case_count; g++)
    tests[g] = (struct CMUnitTest){graph_cases[g].name, check_graph, NULL, NULL, (void *)(uintptr_t)&graph_cases[g]};
  tests[graph_case_count] = (struct CMUnitTest){"many_maxima", check_many_maxima, NULL, NULL, NULL};
  const int failed = _cmocka_run_group_tests("callgraph", tests, graph_case_count + 1, NULL, NULL);
  free(tests);
  return failed;
}
