/* Growing text and memory that does not run out quietly; ref_text.h says why. */
#include "ref_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEX_SHOWN = 16 };

static void ref_out_of_memory(void) {
  fputs("compare: out of memory\n", stderr);
  abort();
}

void *ref_allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size ? size : 1);
  if (!memory)
    ref_out_of_memory();
  return memory;
}

void *ref_reallocate(void *old, size_t count, size_t size) {
  void *memory = size != 0 && count > SIZE_MAX / size ? NULL : realloc(old, count * size);
  if (!memory)
    ref_out_of_memory();
  return memory;
}

static void ref_text_reserve(ref_text *text, size_t more) {
  if (text->capacity - text->length > more)
    return;
  text->capacity = (text->length + more + 1) * 2;
  text->data = ref_reallocate(text->data, text->capacity, 1);
}

void ref_text_add(ref_text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length > 0) {
    ref_text_reserve(text, (size_t)length);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
  }
  va_end(again);
}

void ref_text_add_bytes_as_name(ref_text *text, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] < 0x20 || bytes[i] > 0x7e)
      ref_text_add(text, "\\x%02x", bytes[i]);
    else {
      ref_text_reserve(text, 1);
      text->data[text->length++] = (char)bytes[i];
      text->data[text->length] = 0;
    }
  }
}

void ref_text_add_name(ref_text *text, const char *name) {
  ref_text_add_bytes_as_name(text, (const uint8_t *)name, strlen(name));
}

void ref_text_add_hex(ref_text *text, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size && i < HEX_SHOWN; i++)
    ref_text_add(text, "%s%02x", i ? " " : "", bytes[i]);
  if (size > HEX_SHOWN)
    ref_text_add(text, " ... (%zu bytes)", size);
}

char *ref_text_take(ref_text *text) {
  ref_text_reserve(text, 1);
  text->data[text->length] = 0;
  char *taken = text->data;
  *text = (ref_text){0};
  return taken;
}

void ref_text_free(ref_text *text) {
  free(text->data);
  *text = (ref_text){0};
}
