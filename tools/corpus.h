/* The corpus of corpus/cuda: programs of several files, their cubins for some architectures, and nvlink's answers.
 *
 * program.json says how the cubins are made and which links are tried; the format is described in corpus/README.md.
 * Everything here only reads that description; corpus_make.c is the one place that writes answers, with nvlink's bytes. */
#ifndef TWIN_CORPUS_H
#define TWIN_CORPUS_H

#include "files.h"
#include "process.h"

#include <cjson/cJSON.h>

/* One input of the links: a compiled source, or a file made from other inputs. */
typedef struct corpus_file {
  const char *cubin;          /* its name in the architecture's directory */
  const char *source;         /* .cu or .ptx; NULL for the other ways below */
  const cJSON *nvcc, *ptxas;  /* more options for the two compilers */
  const char *virtual_number; /* the PTX target, "75" or "90a"; "written": what a .ptx says; NULL: as compiled for */
  const char *real_number;    /* compiled for this one instead of the directory's architecture */
  bool whole;                 /* whole-program compilation: an executable cubin */
  const char *cut_from;       /* the first cut_size bytes of that cubin */
  size_t cut_size;
  const char *copy_of;  /* the same bytes under another name */
  const char *patch_of; /* that cubin with single fields changed (corpus_patch.c) */
  const cJSON *changes;
  const char *text;    /* these characters: an options file, or something that is no cubin */
  const cJSON *words;  /* these numbers, 8 bytes each: an index file */
  const cJSON *nvlink; /* nvlink's arguments that make it from earlier files (output out.cubin) */
  bool unlisted;       /* jobs name it themselves: it is not among the files of an ordinary job */
} corpus_file;

typedef struct corpus_job {
  const char *name;
  const char *target;         /* -arch=sm_<target>; NULL: the directory's architecture */
  const cJSON *options;       /* between -arch and the files */
  const cJSON *files;         /* NULL: every listed file, in order */
  const cJSON *arguments;     /* the whole command line instead of all the above */
  const cJSON *architectures; /* only for these; NULL: all */
} corpus_job;

typedef struct corpus_program {
  char *name, *directory;
  cJSON *json; /* owns every string above */
  corpus_file *files;
  size_t file_count;
  corpus_job *jobs;
  size_t job_count;
  string_list architectures; /* "75", "90a", ... */
} corpus_program;

typedef struct corpus_tools {
  char nvcc[4096], ptxas[4096], nvlink[4096];
} corpus_tools;

/* The exit code that stands for the end by a signal, whichever. */
enum { CORPUS_SIGNAL = 128 };

/* The answer of one link: what stands in expect.*. */
typedef struct corpus_answer {
  char *output; /* NULL when the linker wrote none */
  size_t output_size;
  char *messages;
  size_t message_size;
  int exit_code;
} corpus_answer;

bool corpus_program_load(corpus_program *program, const char *corpus, const char *name);
void corpus_program_free(corpus_program *program);
bool corpus_job_applies(const corpus_job *job, const char *architecture);
string_list corpus_job_arguments(const corpus_program *program, const corpus_job *job, const char *architecture);

/* Compiles the program's files for one architecture into `scratch`, whose path has CORPUS_SCRATCH_LENGTH characters. */
#define CORPUS_SCRATCH_LENGTH 33
bool corpus_compile(const corpus_program *program, const char *architecture, const char *scratch,
                    const corpus_tools *tools);
/* Applies the changes of a "patch" to a cubin's bytes, in place; false, with a message, when one of them means nothing. */
bool corpus_patch(char *bytes, size_t size, const cJSON *changes);
/* Runs a linker with the lines of `arguments` in `scratch` and takes out.cubin away. */
bool corpus_link(const char *linker, const string_list *arguments, const char *scratch, corpus_answer *answer);
void corpus_answer_free(corpus_answer *answer);
/* What is not alike in two answers, in words; NULL when they are the same. */
const char *corpus_answer_difference(const corpus_answer *stored, const corpus_answer *got);

/* A job as it stands on disk: corpus/<program>/sm_<architecture>/<job>/. */
typedef struct corpus_stored_job {
  const char *corpus, *program, *architecture, *name;
  string_list arguments;
  corpus_answer answer;
} corpus_stored_job;

/* Calls `visit` for every stored job, sorted by program, architecture and name; stops when it returns false. False when
 * something could not be read or a visit said so. */
bool corpus_visit_jobs(const char *corpus, bool (*visit)(const corpus_stored_job *job, void *context), void *context);
/* The files in the architecture's directory that a job's arguments name. */
string_list corpus_job_inputs(const corpus_stored_job *job);

/* Links in `scratch` to all files of the job's architecture directory. */
bool corpus_make_links(const corpus_stored_job *job, const char *scratch);

int corpus_make(const char *corpus, int argc, char **argv);
int corpus_verify(const char *corpus, int argc, char **argv);
int corpus_features(const char *corpus, int argc, char **argv);
int corpus_points(const char *corpus, int argc, char **argv);

#endif
