/* Text that grows while it is written: what compare and dump put their sentences together with.
 *
 * Names come from files that may be damaged, so ref_text_add_name shows control bytes and bytes over 126 as \xNN; a
 * sentence therefore stays on its line whatever a cubin holds. Running out of memory ends the program: this is a tool of
 * the workbench, and half a comparison would be taken for a whole one. */
#ifndef REF_TEXT_H
#define REF_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ref_text {
  char *data; /* always ends with a NUL once something was added */
  size_t length, capacity;
} ref_text;

/* malloc for `count` things of `size` bytes, zeroed; never NULL. */
void *ref_allocate(size_t count, size_t size);
/* realloc that never returns NULL. */
void *ref_reallocate(void *old, size_t count, size_t size);

void ref_text_add(ref_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ref_text_add_name(ref_text *text, const char *name);
void ref_text_add_bytes_as_name(ref_text *text, const uint8_t *bytes, size_t size);
/* Up to 16 bytes in hexadecimal, then how many there are. */
void ref_text_add_hex(ref_text *text, const uint8_t *bytes, size_t size);
/* The text, which the caller frees; never NULL. The ref_text is empty afterwards. */
char *ref_text_take(ref_text *text);
void ref_text_free(ref_text *text);

#endif
