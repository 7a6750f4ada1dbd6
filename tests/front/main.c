/* front CORPUS: what stands between the command line and the first stage of the link. */
#include "tests/front/front.h"

#include <stdlib.h>
#include <string.h>

const char *front_corpus;

static void *front_allocate(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void front_release(void *context, void *block) {
  (void)context;
  free(block);
}

void front_open(front_world *world) {
  static const tl_allocator allocator = {front_allocate, front_release, NULL, false};
  memset(world, 0, sizeof *world);
  world->options.identity_nvlink = true;
  tl_arena_init(&world->arena, &allocator, UINT64_MAX / 2, &world->fatal);
  tl_diagnostics_init(&world->diagnostics, &world->arena, &world->options, &world->fatal);
}

void front_close(front_world *world) {
  tl_arena_release(&world->arena);
  free(world->lines);
}

bool front_try(front_world *world, void (*step)(front_world *world, void *context), void *context) {
  if (setjmp(world->fatal) != 0)
    return false;
  step(world, context);
  return true;
}

const char *front_lines(front_world *world) {
  size_t size = 0;
  free(world->lines);
  world->lines = calloc(1, 1);
  for (size_t i = 0; i < world->diagnostics.messages.count; i++) {
    char line[4096];
    const size_t length = tl_message_format(&world->diagnostics.messages.items[i], &world->options, line, sizeof line);
    assert_true(length < sizeof line);
    world->lines = harness_grow(world->lines, size + length + 2);
    memcpy(world->lines + size, line, length);
    size += length;
    world->lines[size++] = '\n';
    world->lines[size] = '\0';
  }
  return world->lines;
}

int main(int argc, char **argv) {
  if (argc != 2)
    harness_stop("usage: front CORPUS");
  front_corpus = argv[1];
  int failed = front_test_relocations();
  failed += front_test_architectures();
  failed += front_test_commands();
  failed += front_test_diagnostics();
  failed += front_test_admission();
  failed += front_test_demangling();
  failed += front_test_reproduction();
  return failed != 0;
}
