/* The archive of --reproduce, read by a reader of ustar files and of a shell's quotes that has nothing of the linker's (told.h). */
#include "fuzz/told.h"

#include <stdio.h>
#include <string.h>

/* ---- a ustar file ---- */

enum {
  BLOCK = 512,
  NAME = 100,
  MODE_AT = 100,
  SIZE_AT = 124,
  SUM_AT = 148,
  KIND_AT = 156,
  MAGIC_AT = 257,
  PATH_ROOM = 160
};
enum { PLAIN = 0644, SCRIPT = 0755, LONGEST_PLAIN = 40 };

typedef struct tar_member {
  char name[NAME + 1];
  uint64_t mode, size;
  const uint8_t *bytes;
} tar_member;

static bool tar_is_zero(const uint8_t *at, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (at[i])
      return false;
  return true;
}

/* Octal digits up to a blank or zero; false where there is something else. */
static bool tar_number(const uint8_t *at, size_t width, uint64_t *number) {
  size_t i = 0;
  *number = 0;
  for (; i < width && at[i] >= '0' && at[i] <= '7'; i++)
    *number = *number << 3 | (uint64_t)(at[i] - '0');
  return i > 0 && i < width && (at[i] == 0 || at[i] == ' ');
}

/* The member whose header stands at `*at`, which moves behind it. NULL, or what is wrong. */
static const char *tar_next(const uint8_t *archive, size_t size, size_t *at, tar_member *member) {
  enum { SUM_WIDTH = 8, OCTAL_WIDTH = 8, SIZE_WIDTH = 12, USER_AT = 108, GROUP_AT = 116, TIME_AT = 136 };
  const uint8_t *const head = archive + *at;
  uint64_t sum = 0, told = 0, user = 0, group = 0, time = 0;
  if (size - *at < BLOCK)
    return "a header is cut off";
  for (size_t i = 0; i < BLOCK; i++)
    sum += i - SUM_AT < SUM_WIDTH ? ' ' : head[i];
  memcpy(member->name, head, NAME);
  member->name[NAME] = '\0';
  if (memcmp(head + MAGIC_AT, "ustar\00000", 8) != 0 || head[KIND_AT] != '0' || !member->name[0])
    return "a header is none of a plain file";
  if (!tar_number(head + SUM_AT, SUM_WIDTH, &told) || told != sum)
    return "a header's sum is another";
  if (!tar_number(head + MODE_AT, OCTAL_WIDTH, &member->mode) ||
      !tar_number(head + SIZE_AT, SIZE_WIDTH, &member->size) || !tar_number(head + USER_AT, OCTAL_WIDTH, &user) ||
      !tar_number(head + GROUP_AT, OCTAL_WIDTH, &group) || !tar_number(head + TIME_AT, SIZE_WIDTH, &time) || user ||
      group || time)
    return "a header's number is no octal one, or one of the user, group or time";
  *at += BLOCK;
  member->bytes = archive + *at;
  const uint64_t room = (member->size + BLOCK - 1) / BLOCK * BLOCK;
  if (room > size - *at)
    return "a member is cut off";
  *at += (size_t)room;
  return tar_is_zero(member->bytes + member->size, (size_t)(room - member->size)) ? NULL
                                                                                  : "what fills a block is no zeros";
}

/* ---- what is in it ---- */

typedef struct told_link {
  const fuzz_linker_call *call;
  const tl_reproduction *reproduction;
  const char *messages; /* of the link, a line each */
  size_t inputs;        /* that have been met */
  bool result, script, command, version, code, said;
} told_link;

static bool told_is(const tar_member *member, const char *text) {
  return member->size == strlen(text) && memcmp(member->bytes, text, strlen(text)) == 0;
}

/* The next word as a shell reads it: quotes, and a quote behind a backslash. False where it is another than `word`. */
static bool told_takes_word(const char **at, const char *end, const char *word) {
  bool quoted = false;
  for (; *at < end && (quoted || (**at != ' ' && **at != '\n')); (*at)++) {
    if (**at == '\'') {
      quoted = !quoted;
      continue;
    }
    if (!quoted && **at == '\\' && *at + 1 < end)
      (*at)++;
    if (**at != *word)
      return false;
    word++;
  }
  if (*at < end)
    (*at)++;
  return !quoted && !*word;
}

static const char *told_command(const told_link *told, const tar_member *member) {
  const char *at = (const char *)member->bytes, *const end = at + member->size;
  for (size_t i = 0; i < told->reproduction->typed.count; i++)
    if (!told_takes_word(&at, end, told->reproduction->typed.items[i]))
      return "the words of the command are others";
  return at == end ? NULL : "the command has more words";
}

/* A line that calls the linker with the words of the link, and the names under which the inputs lie. */
static const char *told_script(const told_link *told, const tar_member *member) {
  static const char first[] = "#!/bin/sh\n", begin[] = "\nexec \"${TWINLINK:-twinlink}\" ";
  const char *const text = (const char *)member->bytes, *const end = text + member->size;
  const char *at = NULL;
  if (member->mode != SCRIPT || member->size < sizeof first || memcmp(text, first, sizeof first - 1) != 0)
    return "run.sh is no script that can be run";
  for (const char *from = text; !at && from + sizeof begin - 1 <= end; from++)
    at = memcmp(from, begin, sizeof begin - 1) == 0 ? from + sizeof begin - 1 : NULL;
  if (!at)
    return "run.sh does not call the linker";
  for (size_t i = 0; i < told->reproduction->arguments.count; i++)
    if (!told_takes_word(&at, end, told->reproduction->arguments.items[i]))
      return "the words of run.sh are others";
  for (size_t i = 0; i < told->reproduction->input_count; i++) {
    char start[PATH_ROOM];
    const int length = snprintf(start, sizeof start, "'inputs/%zu/", i);
    if (end - at <= length || memcmp(at, start, (size_t)length) != 0)
      return "run.sh does not name an input";
    at += length;
    const char *const quote = memchr(at, '\'', (size_t)(end - at));
    if (!quote || quote + 1 == end)
      return "run.sh ends within a word";
    at = quote + 2; /* and a blank, or the line's end */
  }
  return at == end ? NULL : "run.sh has more words";
}

/* Under its number, and its own name where that is a plain one. */
static const char *told_input(told_link *told, const tar_member *member) {
  size_t number = 0;
  int length = 0;
  if (sscanf(member->name, "inputs/%zu/%n", &number, &length) != 1 || length <= 0 ||
      number >= told->reproduction->input_count)
    return "a member is nothing that is known";
  const tl_input *const input = &told->call->job.inputs[number];
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
  const char *const own = member->name + length;
  const bool same = strcmp(own, input->path) == 0;
  told->inputs++;
  if (strlen(input->path) <= LONGEST_PLAIN && *input->path && strspn(input->path, plain) == strlen(input->path) &&
      !same)
    return "an input has another name";
  if (own[strspn(own, plain)] || !*own)
    return "an input's name is none for a shell";
  return member->size == input->size && (!input->size || memcmp(member->bytes, input->data, input->size) == 0)
             ? NULL
             : "an input is another";
}

static const char *told_member(told_link *told, const tar_member *member) {
  const tl_result *const result = &told->call->result;
  char code[16];
  (void)snprintf(code, sizeof code, "%d\n", result->exit_code);
  if (strcmp(member->name, "run.sh") == 0) {
    told->script = true;
    return told_script(told, member);
  }
  if (member->mode != PLAIN)
    return "a file's mode is no plain one";
  if (strcmp(member->name, "command") == 0) {
    told->command = true;
    return told_command(told, member);
  }
  if (strcmp(member->name, "version") == 0) {
    told->version = true;
    return told_is(member, "twinlink " TWINLINK_VERSION ", reproduces nvlink 13.0.88\n") ? NULL : "another version";
  }
  if (strcmp(member->name, "exit-code") == 0) {
    told->code = true;
    return told_is(member, code) ? NULL : "another exit code";
  }
  if (strcmp(member->name, "messages") == 0) {
    told->said = true;
    return told_is(member, told->messages) ? NULL : "other messages";
  }
  if (strcmp(member->name, "result.cubin") == 0) {
    told->result = true;
    return result->image && member->size == result->image_size &&
                   memcmp(member->bytes, result->image, result->image_size) == 0
               ? NULL
               : "another output";
  }
  return told_input(told, member);
}

static const char *told_read(told_link *told, const uint8_t *archive, size_t size) {
  enum { LAST_BLOCKS = 2 * BLOCK };
  size_t at = 0;
  while (size - at >= BLOCK && !tar_is_zero(archive + at, BLOCK)) {
    tar_member member;
    const char *wrong = tar_next(archive, size, &at, &member);
    wrong = wrong ? wrong : told_member(told, &member);
    if (wrong)
      return wrong;
  }
  if (size - at != LAST_BLOCKS || !tar_is_zero(archive + at, LAST_BLOCKS))
    return "the archive does not end as one does";
  return told->script && told->command && told->version && told->code && told->said &&
                 told->result == (told->call->result.image != NULL) && told->inputs == told->reproduction->input_count
             ? NULL
             : "a file is missing";
}

const char *fuzz_told_archive(const fuzz_linker_call *call, const tl_reproduction *reproduction, const char *messages,
                              const uint8_t *archive, size_t size) {
  told_link told = {.call = call, .reproduction = reproduction, .messages = messages};
  return told_read(&told, archive, size);
}
