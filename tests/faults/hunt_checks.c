/* What says that a link is wrong without a second linker: `twin check` of the output and of the link map, and the archive
 * of --reproduce, which is unpacked by tar and linked again by the linker without a fault: exit code, messages, output and
 * the words must be those that it tells of. */
#include "tests/faults/hunt.h"

#include <stdlib.h>
#include <string.h>

enum { CHECK_SECONDS = 60, CHECK_WORDS = 256, MAPS = 400, REPLAYS = 200 };

/* $1: the linker. The directory holds out.tar and, if there was one, out.cubin. An input's place differs. */
static const char checks_replay[] =
    "rm -rf replay && mkdir replay && cd replay && tar xf ../out.tar || exit 1\n"
    "TWINLINK=$1 ./run.sh >stdout 2>stderr\n"
    "code=$?\n"
    "sed 's,inputs/[0-9]*/,,g' stderr >said\n"
    "[ \"$(cat exit-code)\" = $code ] && cmp -s messages said && grep -q twinlink version || exit 1\n"
    "if [ -e result.cubin ]; then cmp -s result.cubin out/out.cubin && cmp -s result.cubin ../out.cubin || exit 1; fi\n"
    "[ -e result.cubin ] || ! [ -e ../out.cubin ] || exit 1\n"
    "shift && eval \"set -- \\\"\\$*\\\" $(cat command)\" && typed=$1 && shift 2 && [ \"$typed\" = \"$*\" ]\n";

static bool checks_run(const char *const *argv, const char *directory) {
  harness_outcome outcome;
  harness_run(&(harness_command){.argv = argv, .directory = directory, .seconds = CHECK_SECONDS}, &outcome);
  const bool complains = outcome.code == 1;
  harness_free_outcome(&outcome);
  return complains;
}

static bool checks_twin(const char *twin, const hunt_input *input, const char *directory, bool map) {
  char output[HARNESS_PATH], map_path[HARNESS_PATH];
  harness_path(output, "%s/out.cubin", directory);
  harness_path(map_path, "%s/out.map", directory);
  const char *argv[CHECK_WORDS] = {twin, "check"};
  size_t count = 2;
  if (map) {
    argv[count++] = "--map";
    argv[count++] = map_path;
  }
  argv[count++] = output;
  for (size_t i = 0; i < input->arguments.count && count + 1 < CHECK_WORDS; i++) {
    const char *const word = input->arguments.items[i];
    if (strlen(word) > 6 && strcmp(word + strlen(word) - 6, ".cubin") == 0 && strcmp(word, "out.cubin") != 0)
      argv[count++] = word;
  }
  return checks_run(argv, input->directory);
}

bool hunt_check_link(const char *twin, const hunt_input *input, const char *directory) {
  return checks_twin(twin, input, directory, false);
}

static bool checks_map(const char *twin, const hunt_input *input, const char *directory) {
  return checks_twin(twin, input, directory, true);
}

static bool checks_reproduce(const char *linker, const hunt_input *input, const char *directory) {
  const char *argv[CHECK_WORDS] = {"sh", "-c", checks_replay, "sh", linker, "--identity=nvlink", "--reproduce=out.tar"};
  size_t count = 7;
  for (size_t i = 0; i < input->arguments.count && count + 1 < CHECK_WORDS; i++)
    argv[count++] = input->arguments.items[i];
  return checks_run(argv, directory);
}

const hunt_check hunt_checks[HUNT_CHECKS] = {
    {"--map=out.map", "twin check --map", MAPS, checks_map, true},
    {"--reproduce=out.tar", "linked again", REPLAYS, checks_reproduce, false},
};
