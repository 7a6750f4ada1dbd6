/* The jobs in one order, always the same: the matrix by class and type, then the programs by their rows. A job's bytes are
 * built when it is visited and freed behind it. */
#include "jobs.h"

#include "address_taken.h"
#include "attributes.h"
#include "constants.h"
#include "names.h"
#include "registers.h"
#include "tests/builder/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The classes that jobs are made of; for those before REFUSALS_END every refusal is a job, too. */
enum { REFUSALS_END = MATRIX_DEAD_FUNCTION + 1, JOB_CLASSES = MATRIX_SURFACE + 1 };

static void job_add_file(synthetic_job *job, const char *name, uint8_t *bytes, size_t size) {
  synthetic_file *file = &job->files[job->file_count++];
  (void)snprintf(file->name, sizeof file->name, "%s", name);
  file->bytes = bytes;
  file->size = size;
}

void synthetic_free_job(synthetic_job *job) {
  for (size_t i = 0; i < job->file_count; i++)
    free(job->files[i].bytes);
  job->file_count = 0;
}

static void make_question(synthetic_job *job, const matrix_request *request, const char *name) {
  char file[SYNTHETIC_NAME_MAX];
  size_t size = 0;
  *job = (synthetic_job){.group = "relocations", .sm = request->sm};
  (void)snprintf(job->name, sizeof job->name, "%s", name);
  uint8_t *base = matrix_build_base(request->sm, &size);
  job_add_file(job, "base.cubin", base, size);
  (void)snprintf(file, sizeof file, "%.80s.cubin", name);
  uint8_t *bytes = matrix_build(request, &size);
  job_add_file(job, file, bytes, size);
}

static void visit_question(const matrix_request *request, const char *name, synthetic_visit *visit) {
  synthetic_job job;
  make_question(&job, request, name);
  visit(&job);
  synthetic_free_job(&job);
}

/* FUNC_DESC types make a dead function live again (R15), so they must not stand beside the others against one. */
static bool makes_live(unsigned type) {
  return (type >= 31 && type <= 35) || (type >= 47 && type <= 49) || (type >= 61 && type <= 63);
}

/* All types that link against a class, in one cubin; for a dead function in two. */
static void visit_linkable(unsigned sm, matrix_class kind, const uint16_t *types, size_t count,
                           synthetic_visit *visit) {
  matrix_request request = {.sm = sm, .kind = kind, .types = types, .type_count = count, .rela = true, .rel = true};
  if (kind == MATRIX_DEAD_FUNCTION) {
    visit_question(&request, "dead_function_made_live", visit);
    uint16_t harmless[MATRIX_TYPES];
    request.types = harmless;
    request.type_count = 0;
    for (size_t i = 0; i < count; i++)
      if (!makes_live(types[i]))
        harmless[request.type_count++] = types[i];
    visit_question(&request, matrix_classes[kind].name, visit);
    return;
  }
  visit_question(&request, matrix_classes[kind].name, visit);
}

/* A refused type has a job of its own; as REL only where RELA does something else. */
static void visit_refused(unsigned sm, matrix_class kind, uint16_t type, const matrix_outcome both[2],
                          synthetic_visit *visit) {
  for (int form = 0; form < 2; form++) {
    char name[SYNTHETIC_NAME_MAX];
    const matrix_request alone = {
        .sm = sm, .kind = kind, .types = &type, .type_count = 1, .rela = form == 0, .rel = form == 1};
    (void)snprintf(name, sizeof name, "refused_%s_%03u_%s", matrix_classes[kind].name, type, form ? "rel" : "rela");
    if (both[form] == OUTCOME_REFUSED && (form == 0 || both[0] != OUTCOME_REFUSED))
      visit_question(&alone, name, visit);
  }
}

static matrix_outcome outcome_of(const matrix_table *table, unsigned sm, matrix_class kind, bool rel, unsigned type) {
  const matrix_place place = {.sm = sm, .kind = kind, .form = rel ? MATRIX_REL : MATRIX_RELA};
  return table->rows[matrix_place_find(&place)][type].outcome;
}

static void visit_relocations(unsigned sm, const matrix_table *table, synthetic_visit *visit) {
  for (int kind = 0; kind < JOB_CLASSES; kind++) {
    uint16_t linkable[MATRIX_TYPES];
    size_t count = 0;
    for (int type = 0; type < MATRIX_TYPES; type++) {
      const matrix_outcome both[2] = {outcome_of(table, sm, (matrix_class)kind, false, (unsigned)type),
                                      outcome_of(table, sm, (matrix_class)kind, true, (unsigned)type)};
      if (both[0] == OUTCOME_LINKED && both[1] == OUTCOME_LINKED)
        linkable[count++] = (uint16_t)type;
      if (kind < REFUSALS_END)
        visit_refused(sm, (matrix_class)kind, (uint16_t)type, both, visit);
    }
    if (count)
      visit_linkable(sm, (matrix_class)kind, linkable, count, visit);
  }
}

static void visit_programs(unsigned sm, const char *group, const char *option, const program_row *rows, size_t count,
                           synthetic_visit *visit) {
  for (size_t i = 0; i < count; i++) {
    synthetic_job job = {.group = group, .option = option, .sm = sm};
    built_program program = {.file_count = 0};
    (void)snprintf(job.name, sizeof job.name, "%s", rows[i].name);
    for (char *at = job.name; *at; at++)
      if (*at == ' ')
        *at = '_';
    rows[i].build(&program, sm);
    for (size_t n = 0; n < program.file_count && n < SYNTHETIC_FILES_MAX; n++) {
      char file[SYNTHETIC_NAME_MAX];
      size_t size = 0;
      (void)snprintf(file, sizeof file, "%.80s_%c.cubin", job.name, (char)('a' + n));
      uint8_t *bytes = tb_finish(program.files[n], &size);
      job_add_file(&job, file, bytes, size);
      tb_free(program.files[n]);
    }
    visit(&job);
    synthetic_free_job(&job);
  }
}

void synthetic_visit_jobs(unsigned sm, const matrix_table *table, synthetic_visit *visit) {
  visit_relocations(sm, table, visit);
  visit_programs(sm, "programs", NULL, program_rows, program_count, visit);
  visit_programs(sm, "address_taken", NULL, address_taken_rows, address_taken_count, visit);
  visit_programs(sm, "constants", NULL, constants_rows, constants_count, visit);
  visit_programs(sm, "names", "-dump-callgraph", names_rows, names_count(sm), visit);
  visit_programs(sm, "registers", "-dump-callgraph", registers_rows, registers_count(sm), visit);
  if (sm >= 90)
    visit_programs(sm, "attributes", NULL, attributes_rows, attributes_count, visit);
}
