/* One run of a linker, and how two are compared: what the conformance runner's files share. */
#ifndef TWIN_CONFORMANCE_LINK_H
#define TWIN_CONFORMANCE_LINK_H

#include "conformance.h"
#include "process.h"

enum { CONFORMANCE_FILE_LIMIT = 256 << 20 };

typedef struct conformance_answer {
  process_result result;
  uint8_t *output, *text[2]; /* stdout, stderr; NULL: there is none */
  size_t output_size, text_size[2];
} conformance_answer;

void conformance_path(char *path, size_t size, const char *directory, const char *name);
/* A file of the directory; NULL if it is not there. The caller frees it. */
uint8_t *conformance_read(const char *directory, const char *name, size_t *size);
void conformance_answer_free(conformance_answer *answer);

/* Runs one linker in `directory`. What it wrote, `output` and its messages, is renamed to WHO.output, WHO.stdout and
 * WHO.stderr (for out.cubin WHO.cubin), so that the next linker finds none of it. */
void conformance_link(const conformance_settings *settings, const string_list *command, const char *directory,
                      const char *output, const char *who, conformance_answer *answer);
/* `linker` with the words that make it answer as nvlink does, then `arguments`. `capsules`: with a map, by which capsules
 * are judged. */
void conformance_command_of(const conformance_settings *settings, const char *linker, const string_list *arguments,
                            bool capsules, string_list *command);
/* Bytes, messages and exit code: identical, or different with a class and details. */
void conformance_compare(const conformance_answer *reference, const conformance_answer *ours,
                         conformance_verdict *verdict);
bool conformance_same_text(const conformance_answer *a, const conformance_answer *b);
/* Makes CONFORMANCE_UNSTABLE of a difference that is only in what nvlink, started by `command`, writes differently each
 * time, and of a refusal by a row of nvlink's defects where it writes differently what there is beside tables. */
void conformance_judge_unstable(const conformance_settings *settings, const string_list *command, const char *directory,
                                const char *output, const conformance_answer *reference, const conformance_answer *ours,
                                conformance_verdict *verdict);
/* Clears in nvlink's output the places in tables of registers that differ in another run, and those that are 0 in ours;
 * false, with nothing cleared, where nvlink writes all places alike each time. */
bool conformance_clear_unset(const conformance_settings *settings, const string_list *command, const char *directory,
                             const char *output, const conformance_answer *reference, const conformance_answer *ours);
/* No output, and no signal. */
bool conformance_is_refusal(const conformance_answer *answer);
/* The first line of stderr that is no warning, or the first. */
void conformance_first_line(const conformance_answer *answer, char *line, size_t size);
/* Adds words between spaces; NULL: none. */
void conformance_add_words(const char *words, string_list *arguments);

/* Writes link.sh, which may be run. */
void conformance_write_script(const char *directory, const text_buffer *script);

/* The kind grouping: the direct link and the link in steps, in default mode, compared in canonical form. */
void conformance_group(const conformance_settings *settings, const gen_program *program, const char *directory,
                       conformance_verdict *verdict);

#endif
