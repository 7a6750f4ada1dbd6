/* The reference linker: relocatable cubins and options in memory in, a linked cubin or messages out.
 *
 * Written from the facts alone, a rule a function, arrays and loops. It has no global state, starts no threads and never
 * calls exit(); everything that a job allocates belongs to its result. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Most texts differ in the first two bytes, and are not worth a call. */
static inline bool ref_text_is(const char *text, const char *other) {
  return *text == *other && (*text == 0 || (text[1] == other[1] && strcmp(text, other) == 0));
}
/* The same of how a text begins. */
static inline bool ref_text_begins(const char *text, const char *beginning) {
  while (*beginning != 0 && *text == *beginning) {
    text++;
    beginning++;
  }
  return *beginning == 0;
}

#define REF_IS(text, literal) ref_text_is(text, "" literal)

/* In the order of the tool note (C61). */
typedef enum ref_option {
  REF_OPTION_SUPPRESS_STACK_SIZE_WARNING,
  REF_OPTION_SUPPRESS_ARCH_WARNING,
  REF_OPTION_OUTPUT,
  REF_OPTION_DEBUG,
  REF_OPTION_ARCH,
  REF_OPTION_MACHINE,
  REF_OPTION_LIBRARY,
  REF_OPTION_LIBRARY_PATH,
  REF_OPTION_REGISTER_LINK_BINARIES,
  REF_OPTION_VERBOSE,
  REF_OPTION_PRESERVE_RELOCS,
  REF_OPTION_NO_WARNINGS,
  REF_OPTION_WARNINGS_ARE_ERRORS,
  REF_OPTION_DISABLE_INFOS,
  REF_OPTION_KEEP_SYSTEM_LIBRARIES,
  REF_OPTION_KERNELS_USED,
  REF_OPTION_VARIABLES_USED,
  REF_OPTION_CPU_ARCH,
  REF_OPTION_REPORT_ARCH,
  REF_OPTION_TIME,
  REF_OPTION_EXTRA_WARNINGS,
  REF_OPTION_NVVM_PATH,
  REF_OPTION_SPLIT_COMPILE,
  REF_OPTION_SPLIT_COMPILE_EXTENDED,
  REF_OPTION_SUPPRESS_DEBUG_INFO,
  REF_OPTION_XPTXAS,
  REF_OPTION_XNVVM,
  REF_OPTION_MAXRREGCOUNT,
  REF_OPTION_DUMP_CALLGRAPH,
  REF_OPTION_DUMP_CALLGRAPH_NO_DEMANGLE,
  REF_OPTION_IGNORE_HOST_INFO,
  REF_OPTION_USE_HOST_INFO,
  REF_OPTION_RELOCATABLE,
  REF_OPTION_UIDX,
  REF_OPTION_DEVICE_STACK_PROTECTOR,
  REF_OPTION_VERBOSE_TKINFO,
  REF_OPTION_HOST_CCBIN,
  REF_OPTION_SHARED,
  REF_OPTION_COUNT
} ref_option;

typedef enum ref_option_kind { REF_OPTION_FLAG, REF_OPTION_VALUE, REF_OPTION_LIST } ref_option_kind;

typedef struct ref_option_row {
  ref_option option;
  ref_option_kind kind;
  const char *short_name, *long_name; /* without dashes; NULL when there is none */
} ref_option_row;

/* A value is NULL when the option was not given; a flag's value is "". List values are joined by commas. */
typedef struct ref_options {
  const char *values[REF_OPTION_COUNT];
} ref_options;

/* Words that stand for no option of the link: NULL when they were not given. */
typedef struct ref_job_words {
  const char *optimizes, *emits_ptx, *compiles_fast; /* link-time optimisation: C52, E10 */
  const char *host_script;                           /* C54 */
  const char *prints;                                /* C54b: what the program prints; no link */
} ref_job_words;

/* What --trace names; bits of a mask. */
enum {
  REF_TRACE_MERGE = 1,
  REF_TRACE_LAYOUT = 2,
  REF_TRACE_BINDLESS = 4,
  REF_TRACE_RELOC = 8,
  REF_TRACE_ALL = REF_TRACE_MERGE | REF_TRACE_LAYOUT | REF_TRACE_BINDLESS | REF_TRACE_RELOC
};

typedef struct ref_input {
  const char *name; /* as on the command line */
  const void *bytes;
  size_t size;
} ref_input;

/* A file that has the name of a library of -l, in a folder of -L or LIBRARY_PATH. */
typedef struct ref_library {
  ref_input file;   /* its bytes are NULL when it cannot be read */
  const char *name; /* as -l gives it */
  size_t number;    /* of the option's element: a library may have several files */
} ref_library;

/* REF_LINE: a line of the call graph's dump, REF_TRACE one of --trace: printed as they are. */
typedef enum ref_severity { REF_INFO, REF_WARNING, REF_ERROR, REF_FATAL, REF_LINE, REF_TRACE } ref_severity;

typedef struct ref_message {
  ref_severity severity;
  const char *id; /* "E20", or a defect's id for what nvlink does not diagnose; "": no diagnosis */
  const char *text;
  bool of_words; /* E1-E6: without the target */
} ref_message;

typedef struct ref_job {
  const ref_input *inputs;
  size_t input_count;
  ref_input index; /* of -uidx; its bytes are NULL when it cannot be read */
  const ref_library *libraries;
  size_t library_count;
  ref_options options;
  bool identity_nvlink; /* else twinlink */
  bool bug_compatible;  /* class R of vendor-defects.md as nvlink does it */
  unsigned traced;      /* --trace */
  ref_job_words words;
  const ref_message *said; /* of the words; a fatal one ends the link */
  size_t said_count;
} ref_job;

typedef struct ref_result {
  uint8_t *bytes; /* NULL when nothing is to be written */
  size_t size;
  ref_message *messages;
  size_t message_count;
  int exit_code;         /* C70 */
  bool options_are_good; /* C54a: there is a table of times */
  void *memory;          /* owns bytes and messages */
} ref_result;

ref_result ref_reference_link(const ref_job *job);
void ref_result_free(ref_result *result);
/* C69: one line a message, on `stream`. */
void ref_result_print(const ref_job *job, const ref_result *result, FILE *stream);
/* The options, in the order of the enumeration. */
const ref_option_row *ref_option_rows(void);

#endif
