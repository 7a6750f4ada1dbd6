/* twin gen: writes the random multi-file CUDA program of a seed. */
#include "gen_output.h"
#include "process.h"
#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_gen(int argc, char **argv);

typedef struct gen_command {
  uint64_t seed;
  const char *architecture, *directory;
  gen_kind kind;
  bool dropped[GEN_MAX_IDS];
} gen_command;

static int gen_usage(void) {
  fprintf(stderr, "usage: twin gen --seed N --arch sm_XX --out DIR [--kind KIND] [--drop ID,ID-ID...]\n"
                  "  writes sources, program.json and compile.sh; the same seed gives the same program everywhere\n"
                  "  kinds: plain, options, mistakes, headers, rich, relocatable, preserved, grouping, unified\n");
  return TWIN_TROUBLE;
}

static bool gen_parse(gen_command *command, int argc, char **argv) {
  bool seeded = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *value = argv[i + 1];
    if (strcmp(argv[i], "--seed") == 0) {
      char *end;
      command->seed = strtoull(value, &end, 0);
      seeded = *value && !*end;
    } else if (strcmp(argv[i], "--arch") == 0) {
      command->architecture = value;
    } else if (strcmp(argv[i], "--out") == 0) {
      command->directory = value;
    } else if (strcmp(argv[i], "--drop") == 0) {
      if (!gen_parse_drops(value, command->dropped))
        return false;
    } else if (strcmp(argv[i], "--kind") != 0 || !gen_kind_find(value, &command->kind)) {
      return false;
    }
  }
  return argc % 2 == 1 && seeded && command->architecture && command->directory;
}

int twin_gen(int argc, char **argv) {
  static const gen_command empty;
  gen_command command = empty;
  if (!gen_parse(&command, argc, argv))
    return gen_usage();
  gen_program *program = gen_program_build(command.seed, command.architecture, command.kind, command.dropped);
  if (!program) {
    fprintf(stderr, "twin gen: '%s' is not an architecture\n", command.architecture);
    return TWIN_TROUBLE;
  }
  bool written = process_ensure_directory(command.directory) && gen_output_write(program, command.directory);
  if (!written)
    fprintf(stderr, "twin gen: cannot write %s\n", command.directory);
  free(program);
  return written ? TWIN_OK : TWIN_TROUBLE;
}
