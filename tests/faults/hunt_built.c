/* Small programs out of the cubin builder (tests/support/built_program.h) as inputs of the hunt: always the same ones. */
#include "tests/faults/hunt.h"

#include "tests/support/built_program.h"

#include <stdlib.h>
#include <string.h>

void hunt_built_add(hunt_inputs *inputs, const char *root, size_t count) {
  char directory[HARNESS_PATH], path[HARNESS_PATH], name[HARNESS_PATH];
  for (size_t i = 0; i < count; i++) {
    gen_random random = {.state = 0x6275696c74u + i};
    const built_choices choices = built_choices_random(&random);
    built_program program;
    built_program_start(&program, &choices);
    harness_path(name, "built %zu", i);
    harness_path(directory, "%s/built/%zu", root, i); /* of its own: a run looks through all files beside it */
    harness_make_directories(directory);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    harness_words *const words = &input->arguments;
    input->modes = 1u << i % HUNT_MODES;
    const bool accelerated = program.sm == 90 && gen_random_percent(&random, 30);
    hunt_words_add(words, "-arch=sm_%u%s", program.sm, accelerated && gen_random_percent(&random, 90) ? "a" : "");
    hunt_options_add(words, &random);
    built_program_plan(&program);
    for (uint32_t j = 0; j < program.file_count; j++) {
      const bool more = accelerated && gen_random_percent(&random, 90);
      const bool library = gen_random_percent(&random, 4); /* taken when it is needed */
      if (library && gen_random_percent(&random, 30))
        hunt_words_add(words, "-register-link-binaries=registered");
      harness_path(path, "%s/%s-%u.cubin", directory, library ? "cudadevrt" : "built", j);
      size_t size = 0;
      uint8_t *const bytes = built_program_file(&program, j, more, NULL, NULL, &size);
      hunt_input_write(path, bytes, size);
      free(bytes);
      hunt_words_add(words, "%s", strrchr(path, '/') + 1);
    }
    hunt_words_add(words, "-o");
    hunt_words_add(words, "out.cubin");
  }
}
