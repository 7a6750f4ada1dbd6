/* --trace (options.md, "The lines of --trace"): what each step does, in the words of the five documents on nvlink. Of the rows there are here
 * those that hold no number of a section or a symbol: such numbers are the linker's own, and so are the parts `maps` and `time`.
 *
 * nvlink merges dead code as it does live code and takes it out behind that, where the link here never makes it. So the lines of the merge are
 * those of a merge of everything, before the real one. */
#include "link.h"

typedef struct ref_trace_part_row {
  const char *name;
  unsigned parts;
} ref_trace_part_row;

/* The numbers and times of the last two are the linker's own: no lines. */
static const ref_trace_part_row ref_trace_parts[] = {{"merge", REF_TRACE_MERGE},
                                                     {"layout", REF_TRACE_LAYOUT},
                                                     {"bindless", REF_TRACE_BINDLESS},
                                                     {"reloc", REF_TRACE_RELOC},
                                                     {"all", REF_TRACE_ALL},
                                                     {"maps", 0},
                                                     {"time", 0}};

/* The part of that name, of `length` letters; false: there is none. */
bool ref_trace_find_part(const char *name, size_t length, unsigned *parts) {
  for (size_t i = 0; i < sizeof ref_trace_parts / sizeof *ref_trace_parts; i++) {
    const ref_trace_part_row *row = &ref_trace_parts[i];
    if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) {
      *parts |= row->parts;
      return true;
    }
  }
  return false;
}

bool ref_trace_wants(const ref_link *link, unsigned part) {
  return (link->traced & part) != 0;
}

void ref_trace_tell(ref_link *link, unsigned part, const char *format, ...) {
  if (!ref_trace_wants(link, part)) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  const char *text = ref_memory_print_list(link, format, arguments);
  va_end(arguments);
  ref_message_tell(link, REF_TRACE, "%s", text);
}

/* A merge changes what it has read, and the real one comes behind it. */
static void ref_trace_copy_tables(ref_link *link, ref_cubin *cubin) {
  if (cubin->section_count != 0) {
    cubin->sections = ref_memory_copy(link, cubin->sections, cubin->section_count * sizeof *cubin->sections);
  }
  if (cubin->symbol_count != 0) {
    cubin->symbols = ref_memory_copy(link, cubin->symbols, cubin->symbol_count * sizeof *cubin->symbols);
  }
}

/* The merge of everything says what the merge says. */
void ref_trace_merge(ref_link *link) {
  if (!ref_trace_wants(link, REF_TRACE_MERGE)) {
    return;
  }
  link->traced &= ~(unsigned)REF_TRACE_MERGE;
  ref_link *whole = ref_statics_copy(link);
  whole->traced = REF_TRACE_MERGE;
  for (size_t i = 0; i < whole->file_count; i++) {
    ref_trace_copy_tables(whole, &whole->files[i].cubin);
    ref_trace_copy_tables(whole, &whole->files[i].whole);
  }
  ref_statics_merge(whole);
  for (size_t i = 0; i < whole->result->message_count; i++) {
    if (whole->result->messages[i].severity == REF_TRACE) {
      ref_message_tell(link, REF_TRACE, "%s", whole->result->messages[i].text);
    }
  }
}
