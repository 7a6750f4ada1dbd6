/* write/reproduce.c: a ustar archive put together in memory, written like any other output.
 *
 * An input keeps its base name, because the tool note can record it (C61), in a directory of its own number, so that two
 * inputs of one name stay apart. Bytes that a shell or an archive could trip over become '_'. */
#include "write/reproduce.h"

#include "base/bytes.h"

#include <string.h>

enum {
  TAR_BLOCK = 512,
  TAR_NAME_SIZE = 100,
  TAR_MODE_AT = 100,
  TAR_UID_AT = 108,
  TAR_GID_AT = 116,
  TAR_SIZE_AT = 124,
  TAR_TIME_AT = 136,
  TAR_SUM_AT = 148,
  TAR_KIND_AT = 156,
  TAR_MAGIC_AT = 257,
  TAR_SIZE_DIGITS = 11,
  SAFE_NAME_SIZE = 60
};

typedef struct member {
  const char *name;
  const void *bytes;
  size_t size;
  unsigned mode;
} member;

typedef TL_VECTOR(member) members;

static void reproduce_add(members *list, tl_arena *arena, const char *name, const void *bytes, size_t size,
                          unsigned mode) {
  *tl_vector_push(arena, list) = (member){name, bytes, size, mode};
}

static void reproduce_add_text(members *list, tl_arena *arena, const char *name, const char *text, unsigned mode) {
  reproduce_add(list, arena, name, text, strlen(text), mode);
}

static void reproduce_put_octal(uint8_t *at, unsigned digits, uint64_t value) {
  for (unsigned i = digits; i-- > 0; value >>= 3)
    at[i] = (uint8_t)('0' + (value & 7));
}

static void reproduce_put_header(uint8_t *header, const member *m) {
  memcpy(header, m->name, strlen(m->name));
  reproduce_put_octal(header + TAR_MODE_AT, 7, m->mode);
  reproduce_put_octal(header + TAR_UID_AT, 7, 0);
  reproduce_put_octal(header + TAR_GID_AT, 7, 0);
  reproduce_put_octal(header + TAR_SIZE_AT, TAR_SIZE_DIGITS, m->size);
  reproduce_put_octal(header + TAR_TIME_AT, TAR_SIZE_DIGITS, 0);
  header[TAR_KIND_AT] = '0';
  memcpy(header + TAR_MAGIC_AT, "ustar\00000", 8);
  memset(header + TAR_SUM_AT, ' ', 8);
  uint64_t sum = 0;
  for (unsigned i = 0; i < TAR_BLOCK; i++)
    sum += header[i];
  reproduce_put_octal(header + TAR_SUM_AT, 6, sum);
  header[TAR_SUM_AT + 6] = '\0';
}

static const void *reproduce_pack(const members *list, tl_arena *arena, size_t *size) {
  uint64_t total = 2 * TAR_BLOCK;
  for (size_t i = 0; i < list->count; i++) {
    if ((uint64_t)list->items[i].size >> (3 * TAR_SIZE_DIGITS))
      return NULL;
    total += TAR_BLOCK + tl_align(list->items[i].size, TAR_BLOCK);
  }
  uint8_t *const archive = tl_arena_new(arena, uint8_t, (size_t)total);
  uint8_t *at = archive;
  for (size_t i = 0; i < list->count; i++) {
    const member *const m = &list->items[i];
    reproduce_put_header(at, m);
    at += TAR_BLOCK;
    if (m->size)
      memcpy(at, m->bytes, m->size);
    at += tl_align(m->size, TAR_BLOCK);
  }
  *size = (size_t)total;
  return archive;
}

/* The last component of `path`, made safe and at most SAFE_NAME_SIZE bytes long; its end, with the extension, is kept. */
static const char *reproduce_safe_name(const char *path, tl_arena *arena) {
  static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
  const char *const slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const size_t length = strlen(base);
  if (length > SAFE_NAME_SIZE)
    base += length - SAFE_NAME_SIZE;
  char *const name = tl_arena_text(arena, base, strlen(base));
  for (char *at = name; *at; at++)
    if (!strchr(kept, *at))
      *at = '_';
  return name[0] ? name : "_";
}

/* `word` as one word of a POSIX shell. */
static const char *reproduce_quote(const char *word, tl_arena *arena) {
  char *const quoted = tl_arena_take(arena, 4, strlen(word) + 1);
  char *at = quoted;
  *at++ = '\'';
  for (; *word; word++) {
    if (*word == '\'') { /* ends the quotes, and begins them again behind a quote of its own */
      *at++ = '\'';
      *at++ = '\\';
      *at++ = '\'';
    }
    *at++ = *word;
  }
  *at = '\'';
  return quoted;
}

static const char *reproduce_script(const tl_texts *arguments, const tl_texts *names, tl_arena *arena) {
  tl_texts words = {0};
  for (size_t i = 0; i < arguments->count; i++)
    *tl_vector_push(arena, &words) = reproduce_quote(arguments->items[i], arena);
  for (size_t i = 0; i < names->count; i++)
    *tl_vector_push(arena, &words) = reproduce_quote(names->items[i], arena);
  return tl_arena_format(arena,
                         "#!/bin/sh\n# Links again; TWINLINK names the linker. The output goes to out/.\n"
                         "cd \"$(dirname \"$0\")\" && mkdir -p out &&\nexec \"${TWINLINK:-twinlink}\" %s\n",
                         tl_texts_join(arena, &words, " "));
}

static const char *reproduce_messages(const tl_reproduction *r, tl_arena *arena) {
  tl_texts lines = {0};
  for (size_t i = 0; i < r->result->message_count; i++) {
    const tl_message *const message = &r->result->messages[i];
    const size_t length = tl_message_format(message, &r->job->options, NULL, 0);
    char *const line = tl_arena_new(arena, char, length + 1);
    tl_message_format(message, &r->job->options, line, length + 1);
    *tl_vector_push(arena, &lines) = line;
  }
  *tl_vector_push(arena, &lines) = "";
  return tl_texts_join(arena, &lines, "\n");
}

const void *tl_reproduce_archive(const tl_reproduction *r, tl_arena *arena, size_t *size) {
  members list = {0};
  tl_texts names = {0}, typed = {0};
  for (size_t i = 0; i < r->input_count; i++) {
    const tl_input *const input = &r->job->inputs[i];
    const char *const name =
        tl_arena_format(arena, "inputs/%u/%s", (uint64_t)i, reproduce_safe_name(input->path, arena));
    *tl_vector_push(arena, &names) = name;
    if (!input->unreadable)
      reproduce_add(&list, arena, name, input->data, input->size, 0644);
  }
  for (size_t i = 0; i < r->typed.count; i++)
    *tl_vector_push(arena, &typed) = reproduce_quote(r->typed.items[i], arena);
  const int code = r->result->exit_code;
  reproduce_add_text(&list, arena, "version", "twinlink " TWINLINK_VERSION ", reproduces nvlink 13.0.88\n", 0644);
  reproduce_add_text(&list, arena, "command", tl_arena_format(arena, "%s\n", tl_texts_join(arena, &typed, " ")), 0644);
  reproduce_add_text(&list, arena, "messages", reproduce_messages(r, arena), 0644);
  reproduce_add_text(&list, arena, "exit-code", tl_arena_format(arena, "%u\n", (uint64_t)(unsigned)code), 0644);
  reproduce_add_text(&list, arena, "run.sh", reproduce_script(&r->arguments, &names, arena), 0755);
  if (r->result->image)
    reproduce_add(&list, arena, "result.cubin", r->result->image, r->result->image_size, 0644);
  return reproduce_pack(&list, arena, size);
}
