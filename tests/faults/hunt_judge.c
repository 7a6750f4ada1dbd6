/* Is a fault seen? First by votes: an input on which the program without a fault and the other linker agree is a vote, and a
 * faulty program that answers otherwise there is found. Where they do not agree as a whole (the option grammar, defects
 * that only one of them refuses) the parts on which they agree are votes, and the faulty program is also found when it
 * crashes, hangs, makes no output although there was one, or makes one of which `twin check` complains although it did
 * not. Then by what a link tells of itself (hunt_checks.c). Nothing that nvlink said is read.
 *
 * Last by the neighbours of the links that execute its line: made of these for it alone (hunt_near.c), and judged as they.
 *
 * A fault that is not found though an answer is another one, of which nobody knows whether it is right, is missed. One that
 * changes no answer is tried on `others` further relinks: when all answers are those of the program without it, it is
 * equivalent; without such a trial it counts as missed. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_SECONDS = 5 };
enum {
  NAME_FILES = 400,
  BUILT_PROGRAMS = 10000,
  RELINKS = 45000,
  FORMS = 3000,
  STEPS = 3000,
  RARE = 5000,
  CELLS = 4000,
  PERCENT = 100
};
enum { LEAKS = 8, TIMES = 3, NEIGHBOURS = 4000 };

/* What both said of a task without a fault. */
typedef struct judge_vote {
  hunt_answer parts; /* where they disagree: those on which they agree */
  bool agreed, spoiled;
} judge_vote;

struct hunt_judge {
  hunt_settings settings;
  char root[HARNESS_PATH];
  hunt_inputs inputs, further;
  hunt_task *tasks, *further_tasks;
  size_t task_count, further_count;
  judge_vote *votes;                 /* by task */
  hunt_answer *checked[HUNT_CHECKS]; /* by task; zeros: not asked yet */
};

const hunt_program *hunt_program_find(int number) {
  for (const hunt_program *program = hunt_programs; program->main; program++)
    if (program->number == number)
      return program;
  return NULL;
}

static hunt_runner judge_runner(int number) {
  const hunt_program *const program = hunt_program_find(number);
  if (!program)
    harness_stop("no program with fault %d in this binary", number);
  return (hunt_runner){.main = program->main, .seconds = RUN_SECONDS, .parts = true};
}

static void *judge_take(size_t count, size_t size) {
  void *const memory = calloc(count ? count : 1, size);
  if (!memory)
    harness_stop("no memory");
  return memory;
}

static void judge_free(hunt_judge *j) {
  for (size_t i = 0; j->votes && i < j->task_count; i++)
    hunt_answer_free(&j->votes[i].parts);
  for (size_t i = 0; i < HUNT_CHECKS; i++)
    free(j->checked[i]);
  free(j->votes);
  free(j->tasks);
  free(j->further_tasks);
  hunt_inputs_free(&j->inputs);
  hunt_inputs_free(&j->further);
}

static size_t judge_share(const hunt_settings *settings, size_t all) {
  return all * settings->inputs / PERCENT;
}

/* --- votes --- */

/* All inputs in all their modes. */
static hunt_task *judge_list_tasks(const hunt_inputs *inputs, size_t *count) {
  hunt_task *const tasks = judge_take(inputs->count * HUNT_MODES, sizeof *tasks);
  *count = 0;
  for (size_t i = 0; i < inputs->count; i++)
    for (unsigned mode = 0; mode < HUNT_MODES; mode++)
      if (inputs->items[i].modes >> mode & 1)
        tasks[(*count)++] = (hunt_task){.input = &inputs->items[i], .mode = (hunt_mode)mode};
  return tasks;
}

/* The other voter's form of each input. */
static hunt_input *judge_list_plain(const hunt_inputs *inputs) {
  hunt_input *const plain = judge_take(inputs->count, sizeof *plain);
  for (size_t i = 0; i < inputs->count; i++) {
    plain[i] = inputs->items[i];
    if (plain[i].plain.count)
      plain[i].arguments = plain[i].plain;
  }
  return plain;
}

/* The files of a link, and its words, a line each, in DIRECTORY/NUMBER: whoever mends the voter wants them. */
static void judge_keep(const char *root, const hunt_task *task) {
  char directory[HARNESS_PATH], path[HARNESS_PATH];
  for (size_t number = 0; number == 0 || harness_exists(directory); number++)
    harness_path(directory, "%s/%zu", root, number);
  hunt_copy_files(task->input->directory, directory);
  harness_path(path, "%s/words", directory);
  FILE *const words = fopen(path, "w");
  if (!words)
    harness_stop("cannot write %s: %s", path, strerror(errno));
  fprintf(words, "%s%s\n", task->input->name, hunt_mode_words[task->mode]);
  for (size_t i = 0; i < task->input->arguments.count; i++)
    fprintf(words, "%s\n", task->input->arguments.items[i]);
  fclose(words);
}

/* A voter that ends by a signal in many links was not built from its sources: it would leave faults without a vote. In few
 * it has a fault of its own, which is named, and the link kept. */
static void judge_check_voter(const hunt_task *asked, size_t count, const char *who, const char *kept) {
  enum { ALLOWED = 100, EXIT_REFUSED = 255, NAMED = 5 };
  size_t ended = 0;
  for (size_t i = 0; i < count; i++) {
    if (asked[i].code <= HUNT_SIGNAL || asked[i].code >= EXIT_REFUSED || ended++ >= NAMED)
      continue;
    printf("%s ends by signal %d: %s%s\n", who, asked[i].code - HUNT_SIGNAL, asked[i].input->name,
           hunt_mode_words[asked[i].mode]);
    if (kept)
      judge_keep(kept, &asked[i]);
  }
  if (ended > count / ALLOWED + 1)
    harness_stop("%s ends by a signal in %zu of %zu links: build it anew", who, ended, count);
}

/* What both programs say of every input. Their answers depend on nothing but the input, so they are asked once. Where
 * they disagree is written into SCRATCH/disagreements, with both exit codes. Returns on how many tasks they agree. */
static size_t judge_ask(hunt_judge *j) {
  const hunt_runner own = judge_runner(HUNT_OWN), other = judge_runner(HUNT_VOTER);
  char path[HARNESS_PATH];
  harness_path(path, "%s/disagreements", j->settings.scratch);
  FILE *const list = fopen(path, "w");
  if (!list)
    harness_stop("cannot write %s: %s", path, strerror(errno));
  j->tasks = judge_list_tasks(&j->inputs, &j->task_count);
  j->votes = judge_take(j->task_count, sizeof *j->votes);
  hunt_input *const plain = judge_list_plain(&j->inputs);
  hunt_task *const asked = judge_take(j->task_count, sizeof *asked);
  for (size_t i = 0; i < j->task_count; i++)
    asked[i] = (hunt_task){.input = &plain[j->tasks[i].input - j->inputs.items], .mode = j->tasks[i].mode};
  hunt_answer *const own_parts = judge_take(j->task_count, sizeof *own_parts);
  hunt_answer *const other_parts = judge_take(j->task_count, sizeof *other_parts);
  hunt_batch_record(&own, j->tasks, j->task_count, own_parts);
  hunt_batch_record(&other, asked, j->task_count, other_parts);
  judge_check_voter(j->tasks, j->task_count, "the program without a fault", j->settings.kept);
  judge_check_voter(asked, j->task_count, "the other voter", j->settings.kept);
  size_t agreed = 0;
  for (size_t i = 0; i < j->task_count; i++) {
    const hunt_task *const task = &j->tasks[i];
    j->votes[i].agreed = task->low == asked[i].low && task->high == asked[i].high;
    agreed += j->votes[i].agreed;
    if (!j->votes[i].agreed) {
      j->votes[i].parts = own_parts[i];
      hunt_answer_intersect(&j->votes[i].parts, &other_parts[i]);
      own_parts[i] = (hunt_answer){0};
    }
    hunt_answer_free(&own_parts[i]);
    hunt_answer_free(&other_parts[i]);
    if (j->votes[i].agreed)
      continue;
    fprintf(list, "%s%s: %d, %d\n", task->input->name, hunt_mode_words[task->mode], task->code, asked[i].code);
  }
  fclose(list);
  free(own_parts);
  free(other_parts);
  free(asked);
  free(plain);
  return agreed;
}

/* Which tasks execute which fault's line: asked once, of a program that tells of it. Another answer of that program is
 * none. */
static void judge_ask_reach(const hunt_judge *j, hunt_task *tasks, size_t count) {
  if (!j->settings.sites)
    return;
  hunt_runner traced = judge_runner(HUNT_TRACED);
  traced.parts = false;
  hunt_task *const asked = judge_take(count, sizeof *asked);
  memcpy(asked, tasks, count * sizeof *asked);
  hunt_batch_record(&traced, asked, count, NULL);
  for (size_t i = 0; i < count; i++)
    memcpy(tasks[i].reached, asked[i].reached, sizeof tasks[i].reached);
  free(asked);
}

/* A run whose files are kept in a directory of its own below the scratch directory. `more`: a further word, or NULL. */
static void judge_run_kept(const hunt_judge *j, int number, const hunt_task *task, const char *more, char *directory,
                           hunt_answer *answer) {
  hunt_runner runner = judge_runner(number);
  harness_path(directory, "%s/%s", j->settings.scratch, number < 0 ? "plain" : "faulty");
  if (harness_exists(directory))
    harness_remove_tree(directory);
  harness_make_directories(directory);
  runner.keep = directory;
  runner.more = more;
  hunt_run(&runner, task->input, task->mode, answer);
  hunt_answer_free(answer);
}

static const char *judge_word_of(const hunt_answer *answer) {
  if (answer->code == HUNT_TIME)
    return "hangs";
  return answer->code >= HUNT_SIGNAL && answer->code != 255 ? "crashes" : "disagrees";
}

/* Where the voters disagree, and the fault changes the answer: does anything but the answer itself speak? */
static const char *judge_look_closer(const hunt_judge *j, int number, const hunt_task *task) {
  const char *const twin = j->settings.check;
  char faulty[HARNESS_PATH], plain[HARNESS_PATH];
  hunt_answer answer, own;
  judge_run_kept(j, number, task, NULL, faulty, &answer);
  if (strcmp(judge_word_of(&answer), "disagrees") != 0 && answer.code != task->code)
    return judge_word_of(&answer);
  if (task->made && !answer.made)
    return "refuses";
  judge_run_kept(j, HUNT_OWN, task, NULL, plain, &own);
  if (hunt_says_wrong(j->settings.corpus, task->input, faulty) >
      hunt_says_wrong(j->settings.corpus, task->input, plain))
    return "says an unknown word";
  if (!twin || !task->made || !answer.made)
    return NULL;
  return hunt_check_link(twin, task->input, faulty) && !hunt_check_link(twin, task->input, plain) ? "twin check" : NULL;
}

/* How an answer that is not the one without the fault shows it, or NULL. */
static const char *judge_how(const hunt_judge *j, int number, const hunt_task *task, const judge_vote *vote,
                             const hunt_answer *answer) {
  if (vote->agreed || !hunt_answer_holds(answer, &vote->parts))
    return judge_word_of(answer);
  return judge_look_closer(j, number, task);
}

/* A faulty program may have written into an input. What cannot be brought back has no vote any more. */
static void judge_restore(hunt_judge *j, size_t task) {
  const hunt_runner own = judge_runner(HUNT_OWN);
  hunt_answer answer;
  hunt_input_restore(j->tasks[task].input);
  hunt_run(&own, j->tasks[task].input, j->tasks[task].mode, &answer);
  j->votes[task].spoiled = answer.low != j->tasks[task].low || answer.high != j->tasks[task].high;
  if (j->votes[task].spoiled)
    printf("%s has no vote any more: a faulty program wrote into it\n", j->tasks[task].input->name);
  hunt_answer_free(&answer);
}

/* The first input on which the fault shows. `*shown`: a task that is answered otherwise although nobody says which answer is
 * right, or the number of tasks. */
static bool judge_find_by_votes(hunt_judge *j, int number, char by[HARNESS_PATH], size_t *shown) {
  const hunt_runner runner = judge_runner(number);
  hunt_answer answer;
  *shown = j->task_count;
  for (size_t i = 0; (i = hunt_batch_compare(&runner, number, j->tasks, i, j->task_count, &answer)) < j->task_count;
       i++) {
    const judge_vote *const vote = &j->votes[i];
    *shown = *shown < j->task_count || vote->spoiled ? *shown : i;
    const char *const how = vote->spoiled ? NULL : judge_how(j, number, &j->tasks[i], vote, &answer);
    hunt_answer_free(&answer);
    if (!vote->spoiled)
      judge_restore(j, i);
    if (!how || vote->spoiled)
      continue;
    snprintf(by, HARNESS_PATH, "%s: %s%s", how, j->tasks[i].input->name, hunt_mode_words[j->tasks[i].mode]);
    return true;
  }
  return false;
}

/* --- synonyms --- */

static bool judge_answers_alike(int number, const char *root, const char *const synonyms[2]) {
  const hunt_runner runner = judge_runner(number);
  hunt_answer answers[2];
  for (int k = 0; k < 2; k++) {
    char *words[] = {(char *)synonyms[k], NULL};
    const hunt_input input = {.name = words[0], .directory = (char *)root, .arguments = {words, 1}};
    hunt_run(&runner, &input, HUNT_COMPATIBLE, &answers[k]);
    hunt_answer_free(&answers[k]);
  }
  return hunt_same(&answers[0], &answers[1]);
}

/* Two spellings of one option must be answered alike, by the program with the fault too: what no other voter knows. Of the
 * linker alone: the reference has no such options, and names in its message the one that it was given. */
static bool judge_find_by_synonyms(int number, const char *root, char by[HARNESS_PATH]) {
  static const char *const synonyms[][2] = {{"-V", "--version"}, {"-h", "--help"}};
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
    if (judge_answers_alike(number, root, synonyms[i]) || !judge_answers_alike(HUNT_OWN, root, synonyms[i]))
      continue;
    snprintf(by, HARNESS_PATH, "two answers: %s and %s", synonyms[i][0], synonyms[i][1]);
    return true;
  }
  return false;
}

/* --- words --- */

/* How many words nobody knows the program with the fault says when it is asked for its times, which are others each time. */
static size_t judge_count_unknown(const hunt_judge *j, int number, const hunt_task *task) {
  char directory[HARNESS_PATH];
  hunt_answer answer;
  judge_run_kept(j, number, task, "--trace=time", directory, &answer);
  return hunt_says_wrong(j->settings.corpus, task->input, directory);
}

static bool judge_find_by_times(const hunt_judge *j, int number, char by[HARNESS_PATH]) {
  size_t tried = 0;
  for (size_t i = 0; j->settings.linker && i < j->task_count && tried < TIMES; i++) {
    const hunt_task *const task = &j->tasks[i];
    if (task->mode != HUNT_DEFAULT || !task->made || j->votes[i].spoiled)
      continue;
    tried++;
    if (judge_count_unknown(j, number, task) <= judge_count_unknown(j, HUNT_OWN, task))
      continue;
    snprintf(by, HARNESS_PATH, "says an unknown word with --trace=time: %s", task->input->name);
    return true;
  }
  return false;
}

/* --- checks --- */

/* What the program without a fault makes of an input with a check's further word; asked for once. */
static const hunt_answer *judge_ask_check(hunt_judge *j, size_t check, size_t task) {
  char plain[HARNESS_PATH];
  if (!j->checked[check])
    j->checked[check] = judge_take(j->task_count, sizeof **j->checked);
  hunt_answer *const answer = &j->checked[check][task];
  if (!answer->low && !answer->high)
    judge_run_kept(j, HUNT_OWN, &j->tasks[task], hunt_checks[check].word, plain, answer);
  return answer;
}

/* How the fault shows in the file that the check asks for, or NULL. */
static const char *judge_check_task(hunt_judge *j, int number, size_t check, size_t task) {
  const hunt_check *const c = &hunt_checks[check];
  const char *const program = c->twin ? j->settings.check : j->settings.linker;
  const hunt_input *const input = j->tasks[task].input;
  char faulty[HARNESS_PATH], plain[HARNESS_PATH];
  hunt_answer answer, own;
  const hunt_answer *const expected = judge_ask_check(j, check, task);
  judge_run_kept(j, number, &j->tasks[task], c->word, faulty, &answer);
  if (hunt_same(&answer, expected))
    return NULL;
  hunt_input_restore(input);
  if (!answer.made)
    return judge_word_of(&answer);
  judge_run_kept(j, HUNT_OWN, &j->tasks[task], c->word, plain, &own);
  return c->complains(program, input, faulty) && !c->complains(program, input, plain) ? c->name : NULL;
}

static bool judge_find_by_checks(hunt_judge *j, int number, char by[HARNESS_PATH]) {
  for (size_t check = 0; check < HUNT_CHECKS; check++) {
    size_t tried = 0;
    const bool possible = hunt_checks[check].twin ? j->settings.check != NULL : j->settings.linker != NULL;
    for (size_t i = 0; possible && i < j->task_count && tried < hunt_checks[check].most; i++) {
      if (j->tasks[i].mode != HUNT_DEFAULT || !j->tasks[i].made || j->votes[i].spoiled)
        continue;
      tried++;
      const char *const how = judge_check_task(j, number, check, i);
      if (how)
        snprintf(by, HARNESS_PATH, "%s: %s", how, j->tasks[i].input->name);
      if (how)
        return true;
    }
  }
  return false;
}

/* Memory that is not given back, on some of the inputs that reach the fault. */
static bool judge_find_by_leaks(const hunt_judge *j, int number, char by[HARNESS_PATH]) {
  const hunt_runner own = judge_runner(HUNT_OWN), runner = judge_runner(number);
  size_t tried = 0;
  for (size_t i = 0; i < j->task_count && tried < LEAKS; i++) {
    const hunt_task *const task = &j->tasks[i];
    if (j->votes[i].spoiled || !hunt_reaches(task, number))
      continue;
    tried++;
    if (!hunt_run_leaks(&runner, task->input, task->mode) || hunt_run_leaks(&own, task->input, task->mode))
      continue;
    snprintf(by, HARNESS_PATH, "memory is not given back: %s%s", task->input->name, hunt_mode_words[task->mode]);
    return true;
  }
  return false;
}

/* --- neighbours --- */

/* The links that execute the fault's line or function, said in the words that both linkers take. */
static const hunt_task **judge_list_bases(const hunt_judge *j, int number, size_t *count) {
  const hunt_task **const bases = judge_take(j->task_count, sizeof *bases);
  *count = 0;
  for (size_t i = 0; i < j->task_count; i++)
    if (hunt_reaches(&j->tasks[i], number) && !j->tasks[i].input->plain.count && !j->votes[i].spoiled)
      bases[(*count)++] = &j->tasks[i];
  return bases;
}

/* A hunt of its own over them. `other` gets the name of one with another answer that is no vote. */
static bool judge_find_by_neighbours(const hunt_judge *j, int number, char by[HARNESS_PATH], char other[HARNESS_PATH]) {
  hunt_judge near = {.settings = j->settings};
  char scratch[HARNESS_PATH];
  size_t base_count, shown;
  const hunt_task **bases = judge_list_bases(j, number, &base_count);
  if (base_count == 0) { /* its line, by way of its function */
    free(bases);
    bases = judge_list_bases(j, number + HUNT_FUNCTION, &base_count);
  }
  harness_path(scratch, "%s/near", j->settings.scratch);
  harness_path(near.root, "%s/inputs", scratch);
  harness_make_directories(near.root);
  near.settings.scratch = scratch;
  hunt_near_add(&near.inputs, near.root, bases, base_count, j->settings.seed + (uint64_t)number,
                *j->settings.only ? 0 : judge_share(&j->settings, NEIGHBOURS));
  free(bases);
  (void)judge_ask(&near);
  for (size_t i = 0; i < near.task_count; i++)
    memset(near.tasks[i].reached, 0xff, sizeof near.tasks[i].reached);
  const bool found = judge_find_by_votes(&near, number, by, &shown);
  if (shown < near.task_count)
    harness_path(other, "%s%s", near.tasks[shown].input->name, hunt_mode_words[near.tasks[shown].mode]);
  judge_free(&near);
  harness_remove_tree(scratch);
  return found;
}

/* --- equivalent faults --- */

/* The further relinks, made and linked without a fault when the first fault needs them. */
static void judge_ask_further(hunt_judge *j) {
  const hunt_runner own = judge_runner(HUNT_OWN);
  if (j->further_tasks)
    return;
  hunt_relinks *const relinks = hunt_relinks_open(j->settings.corpus, j->root, j->settings.seed + 1);
  hunt_relinks_add(relinks, &j->further, j->settings.others);
  hunt_relinks_close(relinks);
  j->further_tasks = judge_list_tasks(&j->further, &j->further_count);
  hunt_batch_record(&own, j->further_tasks, j->further_count, NULL);
  judge_ask_reach(j, j->further_tasks, j->further_count);
}

static bool judge_is_equivalent(hunt_judge *j, int number, char by[HARNESS_PATH]) {
  const hunt_runner runner = judge_runner(number);
  hunt_answer answer;
  judge_ask_further(j);
  const size_t at = hunt_batch_compare(&runner, number, j->further_tasks, 0, j->further_count, &answer);
  if (at == j->further_count)
    return true;
  hunt_answer_free(&answer);
  const hunt_task *const task = &j->further_tasks[at];
  size_t used =
      (size_t)snprintf(by, HARNESS_PATH, "would be seen by %s%s:", task->input->name, hunt_mode_words[task->mode]);
  for (size_t i = 0; i < task->input->arguments.count && used < HARNESS_PATH; i++)
    used += (size_t)snprintf(by + used, HARNESS_PATH - used, " %s", task->input->arguments.items[i]);
  return false;
}

static void judge_say_reach(const hunt_judge *j, int number, char by[HARNESS_PATH]) {
  size_t reach = 0;
  for (size_t i = 0; i < j->task_count; i++)
    reach += hunt_reaches(&j->tasks[i], number);
  snprintf(by, HARNESS_PATH, "its line is reached in %zu of %zu links", reach, j->task_count);
}

const char *hunt_judge_fault(hunt_judge *judge, int number, char by[HARNESS_PATH]) {
  size_t shown;
  char other[HARNESS_PATH] = "";
  by[0] = '\0';
  if (judge_find_by_votes(judge, number, by, &shown) || judge_find_by_synonyms(number, judge->root, by) ||
      judge_find_by_leaks(judge, number, by) || judge_find_by_times(judge, number, by) ||
      judge_find_by_checks(judge, number, by) || judge_find_by_neighbours(judge, number, by, other))
    return "found";
  if (shown < judge->task_count) {
    const hunt_task *const task = &judge->tasks[shown];
    harness_path(other, "%s%s", task->input->name, hunt_mode_words[task->mode]);
  }
  if (*other) {
    snprintf(by, HARNESS_PATH, "another answer, but no vote: %s", other);
    return "missed";
  }
  if (!judge->settings.others) {
    judge_say_reach(judge, number, by);
    return "missed";
  }
  if (!judge_is_equivalent(judge, number, by))
    return "missed";
  snprintf(by, HARNESS_PATH, "all answers are equal: corpus, programs and %zu relinks", judge->settings.others);
  return "equivalent";
}

/* --- all inputs --- */

static void judge_collect(hunt_judge *j) {
  const hunt_settings *const s = &j->settings;
  char damage[HARNESS_PATH];
  hunt_inputs_add_corpus(&j->inputs, s->corpus, j->root, s->only);
  const size_t jobs = j->inputs.count;
  if (s->programs)
    hunt_inputs_add_programs(&j->inputs, s->programs, j->root, s->program_limit);
  const size_t programs = j->inputs.count - jobs;
  size_t damaged = 0;
  if (!*s->only) {
    hunt_relinks *const relinks = hunt_relinks_open(s->corpus, j->root, s->seed);
    hunt_forms_add(&j->inputs, j->root, judge_share(s, FORMS));
    const size_t before = j->inputs.count;
    harness_path(damage, "%s/damage/outcomes", s->corpus);
    hunt_relinks_add_damage(relinks, &j->inputs, damage);
    damaged = j->inputs.count - before;
    hunt_names_add(&j->inputs, j->root, judge_share(s, NAME_FILES));
    hunt_built_add(&j->inputs, j->root, judge_share(s, BUILT_PROGRAMS));
    hunt_cells_add(&j->inputs, s->corpus, j->root, judge_share(s, CELLS));
    hunt_relinks_add(relinks, &j->inputs, judge_share(s, RELINKS));
    hunt_relinks_add_rare(relinks, &j->inputs, judge_share(s, RARE));
    hunt_relinks_close(relinks);
    const hunt_runner own = judge_runner(HUNT_OWN);
    hunt_steps_add(&j->inputs, &own, j->root, judge_share(s, STEPS));
  }
  hunt_inputs_shuffle(&j->inputs);
  printf("%zu jobs and %zu damaged inputs of the corpus, %zu programs, %zu other links of their parts and built ones; ",
         jobs, damaged, programs, j->inputs.count - jobs - damaged - programs);
}

static hunt_judge *judge_begin(const hunt_settings *settings) {
  hunt_judge *const j = judge_take(1, sizeof *j);
  j->settings = *settings;
  harness_path(j->root, "%s/inputs", settings->scratch);
  if (harness_exists(j->root))
    harness_remove_tree(j->root);
  judge_collect(j);
  return j;
}

void hunt_judge_trace(const hunt_settings *settings) {
  hunt_judge *const j = judge_begin(settings);
  hunt_runner traced = judge_runner(HUNT_TRACED);
  traced.parts = false;
  j->tasks = judge_list_tasks(&j->inputs, &j->task_count);
  hunt_reach_watch();
  hunt_batch_record(&traced, j->tasks, j->task_count, NULL);
  hunt_reach_write(settings->blocks);
  printf("%zu links\n", j->task_count);
  hunt_judge_close(j);
}

hunt_judge *hunt_judge_open(const hunt_settings *settings) {
  hunt_judge *const j = judge_begin(settings);
  const size_t agreed = judge_ask(j);
  if (settings->sites)
    hunt_reach_read(settings->sites);
  judge_ask_reach(j, j->tasks, j->task_count);
  printf("the voters agree on %zu of %zu\n", agreed, j->task_count);
  fflush(stdout);
  return j;
}

void hunt_judge_close(hunt_judge *judge) {
  judge_free(judge);
  free(judge);
}
