/* twinlink.h: the linker as a library. A job in memory goes in; an image, message records and an exit code come out.
 *
 * No global state, no exit(), nothing is printed, no file is opened. Calls in different threads do not meet as long as
 * their allocators do not. Everything a result points to lives until tl_result_free. */
#ifndef TWINLINK_H
#define TWINLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWINLINK_VERSION "0.1.0"

/* Where the library takes memory from. `allocate` returns NULL on failure; `release` gets what `allocate` returned. */
typedef struct tl_allocator {
  void *(*allocate)(void *context, size_t size);
  void (*release)(void *context, void *block);
  void *context;
  bool zeroed; /* what `allocate` returns holds zeros only */
} tl_allocator;

/* Upper bounds in bytes; 0 means the default (8 times the input, 64 times with trace lines, + 64 MiB of memory, 4 times the input + 1 MiB of output +
 * the copies of compiler constants that the kernels have; parts of 128 KiB). No byte of the output depends on `part`, about the most that
 * one thread makes at a time and that a streamed output is given in; what stands unchanged in an input may be more. */
typedef struct tl_limits {
  uint64_t memory;
  uint64_t output;
  uint64_t part;
} tl_limits;

typedef enum tl_severity { TL_INFO, TL_WARNING, TL_ERROR, TL_FATAL } tl_severity;

/* One file of the command line, in its order. `path` is the text of messages and decides by its extension (C20, C21).
 * `unreadable`: the file could not be opened or read (E53). */
typedef struct tl_input {
  const char *path;
  const void *data;
  size_t size;
  bool unreadable;
} tl_input;

typedef struct tl_list {
  const char *const *items;
  size_t count;
} tl_list;

/* What the command line says, for cubin inputs. Strings may be NULL where a comment says so. */
typedef struct tl_options {
  const char *arch;           /* as spelled, for example "sm_90a" */
  const char *output_name;    /* as messages call the output, NULL means "" */
  const char *note_object;    /* object name in the tool note (C61), NULL means "" */
  const char *note_arguments; /* options text of the tool note (C60-C62, C80), NULL means "" */
  tl_list kernels_used;       /* C55b */
  tl_list variables_used;     /* C55b, D26 */
  bool relocatable;           /* -r */
  bool debug;                 /* -g, C51a */
  bool suppress_debug_info;   /* C51e */
  bool preserve_relocs;
  bool verbose;                /* -v, C56, C81 */
  bool dump_callgraph;         /* C57, C82 */
  bool extra_warnings;         /* C50e */
  bool warnings_as_errors;     /* C50b */
  bool disable_infos;          /* C50a */
  bool suppress_arch_warning;  /* C50c */
  bool suppress_stack_warning; /* C50c */
  bool report_arch;            /* C50d */
  bool identity_nvlink;        /* the name in the tool note is nvlink's, messages have nothing added */
  bool bug_compatible;         /* class R of vendor-defects.md as nvlink does */
  bool keep_system;            /* -keep-system-libraries: C46 */
  bool want_map;               /* result->map is made */
  unsigned trace;              /* sum of 1 merge, 2 layout, 4 bindless, 8 relocations, 16 maps, 32 times (--trace) */
  unsigned threads;            /* 0: as many as the machine has processors; the image never depends on it */
} tl_options;

typedef struct tl_job {
  tl_options options;
  const tl_input *inputs;
  size_t input_count;
  const tl_input *index; /* -uidx: the index of unified functions and data (U5); NULL: none */
  tl_limits limits;
  const tl_allocator *allocator; /* NULL: the system's memory */
  bool limits_said;              /* the caller has said E48 itself: it comes before what is said of libraries (RF272) */
  bool streamed;                 /* no image in memory: tl_result_write makes it part by part */
} tl_job;

/* One diagnostic. `text` is the line without program name and severity; the other strings are "" when they do not
 * apply. `detail` holds further lines of our own (never printed under nvlink's identity). */
typedef struct tl_message {
  tl_severity severity;
  const char *code; /* stable: "E20" of the facts, "T1" ... for our own */
  const char *text;
  const char *detail;
  const char *file, *section, *symbol;
  uint64_t offset;
  bool has_offset;
} tl_message;

typedef struct tl_result {
  const uint8_t *image;       /* NULL unless exit_code is 0 and the job is not streamed */
  size_t image_size;          /* of a streamed image too */
  const tl_message *messages; /* in the order in which they are to be printed */
  size_t message_count;
  int exit_code;     /* C70: 0, 1 after a fatal, 255 after errors */
  const bool *taken; /* by input: took part in the link; NULL when it ended before that */
  const char *map;   /* the link map as text, NULL unless asked for and linked */
  size_t memory_peak;
  void *memory; /* the library's own */
} tl_result;

/* Links. Always fills `result`, also when memory runs out (E53 "Memory allocation failure"). Returns result->exit_code. */
int tl_link(const tl_job *job, tl_result *result);
void tl_result_free(tl_result *result);

/* Takes the next `size` bytes of an output; false ends the writing. */
typedef bool tl_sink(void *context, const void *bytes, size_t size);
/* Gives the output of a streamed job to `sink`, from its start to its end; false as soon as that returns false. The job's
 * inputs must still be there. */
bool tl_result_write(const tl_result *result, tl_sink *sink, void *context);

/* Writes "PROGRAM severity: text" as nvlink prints it (C69, C50d) into `line`, without the line end; returns the length
 * that the whole line has, as snprintf does. */
size_t tl_message_format(const tl_message *message, const tl_options *options, char *line, size_t size);

#ifdef __cplusplus
}
#endif
#endif
