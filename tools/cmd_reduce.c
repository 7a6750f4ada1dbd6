/* twin reduce: takes a generated program on which two linkers differ and leaves out what the difference does not need.
 * With a fuzzers' input instead of a seed it is `twin shrink`.
 *
 * The reducer never edits text: it gives the generator ids to leave out, kind by kind from files down to single
 * statements and options, in chunks that are halved as long as something goes. A step stays if the program still
 * compiles, nvlink still links it, and the difference is still of the same class. */
#include "conformance.h"
#include "process.h"
#include "twin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int twin_reduce(int argc, char **argv);
int twin_shrink(int argc, char **argv);

typedef struct reduce_command {
  const char *seed, *linker, *reference, *out;
  const char *architecture;
  gen_kind kind;
  bool default_mode, unlimited;
} reduce_command;

typedef struct reduce_state {
  conformance_settings settings;
  conformance_case one;
  char class[CONFORMANCE_CLASS], details[256];
  char scratch[CONFORMANCE_PATH], work[CONFORMANCE_PATH + 8], directory[CONFORMANCE_PATH];
  bool dropped[GEN_MAX_IDS];
  unsigned tries;
} reduce_state;

static int reduce_usage(void) {
  fprintf(stderr, "usage: twin reduce SEED --arch sm_XX [--kind KIND] [--linker PATH] [--reference PATH]\n"
                  "                   [--out DIR] [--default-mode] [--no-memory-limit]\n"
                  "       twin reduce ENVELOPE OUT COMMAND...\n");
  return TWIN_TROUBLE;
}

static bool reduce_parse(reduce_command *command, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (argv[i][0] != '-') {
      command->seed = argv[i];
      continue;
    }
    if (strcmp(argv[i], "--default-mode") == 0)
      command->default_mode = true;
    else if (strcmp(argv[i], "--no-memory-limit") == 0)
      command->unlimited = true;
    else if (value && strcmp(argv[i], "--arch") == 0)
      command->architecture = argv[++i];
    else if (value && strcmp(argv[i], "--kind") == 0 && gen_kind_find(value, &command->kind))
      i++;
    else if (value && strcmp(argv[i], "--linker") == 0)
      command->linker = argv[++i];
    else if (value && strcmp(argv[i], "--reference") == 0)
      command->reference = argv[++i];
    else if (value && strcmp(argv[i], "--out") == 0)
      command->out = argv[++i];
    else
      return false;
  }
  return command->seed && command->architecture;
}

/* --- the entities, a kind at a time --- */

typedef struct reduce_ids {
  int ids[GEN_MAX_IDS];
  size_t count;
} reduce_ids;

static void reduce_add(const reduce_state *state, reduce_ids *list, int id, bool live) {
  if (live && !state->dropped[id] && list->count < GEN_MAX_IDS)
    list->ids[list->count++] = id;
}

static void reduce_list_files(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->file_count; i++)
    reduce_add(state, list, program->files[i].id, program->files[i].live);
}

static void reduce_list_functions(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->function_count; i++)
    reduce_add(state, list, program->functions[i].id, program->functions[i].live);
}

static void reduce_list_bodies(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->body_count; i++)
    reduce_add(state, list, program->bodies[i].id, program->bodies[i].live);
}

static void reduce_list_variables(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->variable_count; i++)
    reduce_add(state, list, program->variables[i].id, program->variables[i].live);
  for (int i = 0; i < program->class_count; i++)
    reduce_add(state, list, program->classes[i].id, program->classes[i].live);
}

static void reduce_list_objects(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->object_count; i++)
    reduce_add(state, list, program->objects[i].id, program->objects[i].live);
}

static void reduce_list_operations(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->operation_count; i++)
    reduce_add(state, list, program->operations[i].id, program->operations[i].live);
}

/* What only programs from GEN_RICH on have. */
static void reduce_list_rich(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->step_count; i++) {
    const gen_step *step = &program->steps[i];
    reduce_add(state, list, step->id, step->live && step->relocatable);
    reduce_add(state, list, step->preserves_id, step->live && step->preserves);
  }
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *function = &program->functions[i];
    reduce_add(state, list, function->visibility_id, function->live && function->visibility != GEN_DEFAULT);
    reduce_add(state, list, function->unified_id, function->live && function->unified.set);
  }
  for (int i = 0; i < program->variable_count; i++) {
    const gen_variable *variable = &program->variables[i];
    reduce_add(state, list, variable->visibility_id, variable->live && variable->visibility != GEN_DEFAULT);
    reduce_add(state, list, variable->unified_id, variable->live && variable->unified.set);
  }
  for (int i = 0; i < program->file_count; i++)
    reduce_add(state, list, program->files[i].ewp_id, program->files[i].live && program->files[i].ewp);
  reduce_add(state, list, program->index_flaw_id, program->index_flaw != GEN_INDEX_GOOD);
}

static void reduce_list_options(const reduce_state *state, const gen_program *program, reduce_ids *list) {
  for (int i = 0; i < program->option_count; i++)
    reduce_add(state, list, program->options[i].id, program->options[i].live);
  for (int i = 0; i < program->mistake_count; i++)
    reduce_add(state, list, program->mistakes[i].id, program->mistakes[i].live);
  reduce_add(state, list, program->shuffle_id, true);
  for (int i = 0; i < program->file_count; i++) {
    const gen_file *file = &program->files[i];
    reduce_add(state, list, file->extra_id, file->live && file->extra);
    reduce_add(state, list, file->debug_id, file->live && file->debug);
    reduce_add(state, list, file->lineinfo_id, file->live && file->lines);
    reduce_add(state, list, file->optimise_id, file->live && file->optimise >= 0);
    reduce_add(state, list, file->registers_id, file->live && file->registers);
    reduce_add(state, list, file->architecture_id, file->live && file->virtual_sm != file->target_sm);
    bool other = file->target_sm != program->sm || file->target_suffix != program->suffix;
    reduce_add(state, list, file->target_id, file->live && other);
  }
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    reduce_add(state, list, body->bounds_id, body->live && (body->max_threads || body->max_registers));
  }
}

typedef void reduce_lister(const reduce_state *state, const gen_program *program, reduce_ids *list);

static const struct {
  const char *name;
  reduce_lister *list;
} reduce_kinds[] = {
    {"files", reduce_list_files},     {"functions", reduce_list_functions}, {"variables", reduce_list_variables},
    {"bodies", reduce_list_bodies},   {"definitions", reduce_list_objects}, {"statements", reduce_list_operations},
    {"options", reduce_list_options}, {"steps", reduce_list_rich},
};

/* --- trying --- */

/* Texts are of the same kind if they are equal but for what is quoted and for numbers: names change with what is left. */
static bool reduce_same_text(const char *a, const char *b) {
  while (*a || *b) {
    if (*a == '\'' && *b == '\'') {
      a += 1 + strcspn(a + 1, "'");
      b += 1 + strcspn(b + 1, "'");
      a += *a != 0;
      b += *b != 0;
    } else if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      a += strspn(a, "0123456789");
      b += strspn(b, "0123456789");
    } else if (*a != *b) {
      return false;
    } else {
      a++, b++;
    }
  }
  return true;
}

static bool reduce_differs(reduce_state *state, const char *directory) {
  if (process_interrupted())
    return false;
  state->one.dropped = state->dropped;
  conformance_run(&state->settings, &state->one, directory);
  const conformance_verdict *verdict = &state->one.verdict;
  state->tries++;
  if (verdict->outcome != CONFORMANCE_DIFFERENT)
    return false;
  if (!*state->class)
    return true;
  if (strcmp(verdict->class, state->class) != 0)
    return false;
  bool texts = strcmp(verdict->class, "refusal") == 0 || strcmp(verdict->class, "exit code") == 0;
  return !texts || reduce_same_text(verdict->details, state->details);
}

static bool reduce_try(reduce_state *state, const reduce_ids *list, size_t first, size_t count) {
  for (size_t i = 0; i < count; i++)
    state->dropped[list->ids[first + i]] = true;
  if (reduce_differs(state, state->work))
    return true;
  for (size_t i = 0; i < count; i++)
    state->dropped[list->ids[first + i]] = false;
  return false;
}

/* From the end to the start: what comes later mentions what comes earlier. */
static bool reduce_chunks(reduce_state *state, const reduce_ids *list, size_t chunk) {
  bool shrunk = false;
  for (size_t end = list->count; end > 0;) {
    size_t count = end < chunk ? end : chunk;
    shrunk |= reduce_try(state, list, end - count, count);
    end -= count;
  }
  return shrunk;
}

static void reduce_collect(const reduce_state *state, reduce_lister *lister, reduce_ids *list) {
  list->count = 0;
  gen_program *program = gen_program_build(state->one.seed, state->one.architecture, state->one.kind, state->dropped);
  if (program)
    lister(state, program, list);
  free(program);
}

static bool reduce_kind(reduce_state *state, size_t kind) {
  reduce_ids *list = calloc(1, sizeof *list);
  bool shrunk = false;
  if (!list)
    return false;
  reduce_collect(state, reduce_kinds[kind].list, list);
  for (size_t chunk = list->count; chunk > 0; chunk /= 2) {
    shrunk |= reduce_chunks(state, list, chunk);
    reduce_collect(state, reduce_kinds[kind].list, list);
  }
  fprintf(stderr, "%-12s %zu left, %u programs tried\n", reduce_kinds[kind].name, list->count, state->tries);
  free(list);
  return shrunk;
}

static void reduce_all(reduce_state *state) {
  bool shrunk = true;
  for (int round = 0; shrunk && round < 6; round++) {
    shrunk = false;
    for (size_t kind = 0; kind < sizeof reduce_kinds / sizeof reduce_kinds[0]; kind++)
      shrunk |= reduce_kind(state, kind);
  }
}

/* --- the command --- */

/* Entities that are dead because of others count as dropped too: long runs of ids print short. */
static void reduce_print_drops(const reduce_state *state, FILE *to) {
  bool kept[GEN_MAX_IDS] = {0};
  reduce_ids *list = calloc(1, sizeof *list);
  int last = 0;
  gen_program *program = gen_program_build(state->one.seed, state->one.architecture, state->one.kind, state->dropped);
  if (list && program) {
    for (size_t kind = 0; kind < sizeof reduce_kinds / sizeof reduce_kinds[0]; kind++)
      reduce_kinds[kind].list(state, program, list);
    for (size_t i = 0; i < list->count; i++)
      kept[list->ids[i]] = true;
    last = program->next_id;
  }
  const char *separator = "";
  for (int id = 0; id < last; id++) {
    if (kept[id])
      continue;
    int end = id;
    while (end + 1 < last && !kept[end + 1])
      end++;
    fprintf(to, end > id ? "%s%d-%d" : "%s%d", separator, id, end);
    separator = ",";
    id = end;
  }
  free(program);
  free(list);
}

static void reduce_report(const reduce_state *state, const reduce_command *command) {
  printf("reduced after %u programs: %s; %s\n", state->tries, state->one.verdict.class, state->one.verdict.details);
  printf("./run conformance --seeds %s --arch %s --kind %s --show --drop ", command->seed, command->architecture,
         gen_kind_names[command->kind]);
  reduce_print_drops(state, stdout);
  printf("\n%s\n", state->directory);
}

static bool reduce_prepare(reduce_state *state, const reduce_command *command) {
  if (!conformance_find(&state->settings, command->linker, command->reference))
    return false;
  char *end;
  state->one.seed = strtoull(command->seed, &end, 10);
  state->one.architecture = command->architecture;
  state->one.kind = command->kind;
  state->settings.default_mode = command->default_mode;
  if (command->unlimited)
    state->settings.memory = 0;
  if (*end || !process_make_directory(state->scratch, sizeof state->scratch, "twin-reduce"))
    return false;
  state->settings.cache = state->scratch;
  snprintf(state->work, sizeof state->work, "%s/work", state->scratch);
  if (command->out)
    return snprintf(state->directory, sizeof state->directory, "%s", command->out) > 0;
  return process_make_directory(state->directory, sizeof state->directory, "twin-reduced");
}

int twin_reduce(int argc, char **argv) {
  reduce_command command = {0};
  if (argc > 3 && access(argv[1], F_OK) == 0) /* an envelope, where to, and the command that it makes fail */
    return twin_shrink(argc, argv);
  if (!reduce_parse(&command, argc, argv))
    return reduce_usage();
  reduce_state *state = calloc(1, sizeof *state);
  if (!state || !reduce_prepare(state, &command)) {
    free(state);
    return TWIN_TROUBLE;
  }
  int code = TWIN_OK;
  process_hold_interrupts();
  if (reduce_differs(state, state->work)) {
    snprintf(state->class, sizeof state->class, "%s", state->one.verdict.class);
    snprintf(state->details, sizeof state->details, "%s", state->one.verdict.details);
    fprintf(stderr, "%s; %s\n", state->class, state->details);
    reduce_all(state);
    if (process_interrupted()) /* what is left so far is not written: it was not tried once more */
      fprintf(stderr, "interrupted\n");
    code = reduce_differs(state, state->directory) ? TWIN_OK : TWIN_TROUBLE;
    reduce_report(state, &command);
  } else {
    printf("no difference to reduce; %s\n", state->one.verdict.details);
    code = TWIN_FOUND;
  }
  process_remove_tree(state->scratch);
  process_let_interrupts();
  free(state);
  return code;
}
