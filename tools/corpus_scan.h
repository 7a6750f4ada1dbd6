/* What a job of the corpus holds, as keys to be counted: read from its cubins, never from what someone says of them. */
#ifndef TWIN_CORPUS_SCAN_H
#define TWIN_CORPUS_SCAN_H

#include "corpus.h"

#include "oracle/cubin/ref_cubin.h"

typedef struct corpus_loaded {
  char *path, *bytes;
  size_t size;
  ref_cubin cubin;
  bool readable; /* false: truncated or otherwise not a cubin; such files are counted, not looked into */
} corpus_loaded;

/* The files of one job. */
typedef struct corpus_loaded_job {
  const corpus_stored_job *job;
  corpus_loaded *inputs;
  size_t input_count;
  corpus_loaded output; /* readable only when the link gave one */
} corpus_loaded_job;

typedef struct corpus_construct {
  const char *name;
  bool required; /* at least three programs must hold it */
  bool (*found)(const corpus_loaded_job *job);
} corpus_construct;

void corpus_load_job(corpus_loaded_job *loaded, const corpus_stored_job *job);
void corpus_unload_job(corpus_loaded_job *loaded);

/* Relocation types, section kinds, attributes and symbol classes of one cubin: keys "kind\tname". */
void corpus_scan_cubin(const ref_cubin *cubin, string_list *keys);
/* Options and messages of a job. */
void corpus_scan_job(const corpus_stored_job *job, string_list *keys);

/* Ends with a row whose name is NULL. */
extern const corpus_construct corpus_constructs[];

/* A section's name begins with `prefix`. */
bool corpus_section_begins(const ref_section *section, const char *prefix);

#endif
