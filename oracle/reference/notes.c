/* The two notes: W5.1, W5.2, C60-C62, C80. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum {
  NOTE_OWNER_BYTES = 12,
  TKINFO_TYPE = 2000,
  CUINFO_TYPE = 1000,
  TOOLKIT = 130,
  STRINGS = 5,
  CUDA_BYTES = 32,
  USUAL = 128
};

static const char *ref_note_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* C61: with -g, or with the hidden option of C80, the note names files. */
static bool ref_note_names_files(const ref_link *link) {
  const char *verbose = link->job->options.values[REF_OPTION_VERBOSE_TKINFO];
  return verbose != NULL ? REF_IS(verbose, "true") : ref_option_given(link, REF_OPTION_DEBUG);
}

static void ref_note_add_text(ref_link *link, ref_bytes *text, const char *part) {
  ref_bytes_add(link, text, part, strlen(part));
}

/* C61: quotes inside a value are removed. */
static void ref_note_add_value(ref_link *link, ref_bytes *text, const char *value) {
  const char *at = value;
  for (const char *quote = strchr(at, '"'); quote != NULL; quote = strchr(at, '"')) {
    ref_bytes_add(link, text, at, (size_t)(quote - at));
    at = quote + 1;
  }
  ref_note_add_text(link, text, at);
}

/* RF84: numbers in decimal, however they were typed; a leading 0 is octal. */
static bool ref_note_is_number(ref_option option) {
  return option == REF_OPTION_MACHINE || option == REF_OPTION_MAXRREGCOUNT || option == REF_OPTION_SPLIT_COMPILE ||
         option == REF_OPTION_SPLIT_COMPILE_EXTENDED;
}

static void ref_note_add_option(ref_link *link, ref_bytes *text, const ref_option_row *row) {
  const char *value = link->job->options.values[row->option];
  if (ref_note_is_number(row->option)) {
    value = ref_memory_print(link, "%ld", strtol(value, NULL, 0));
  }
  ref_note_add_text(link, text, "-");
  ref_note_add_text(link, text, row->short_name);
  ref_note_add_text(link, text, " ");
  ref_note_add_value(link, text,
                     row->option == REF_OPTION_OUTPUT || row->option == REF_OPTION_REGISTER_LINK_BINARIES ||
                             row->option == REF_OPTION_TIME
                         ? ref_note_base_name(value)
                         : value);
  ref_note_add_text(link, text, " ");
}

/* C62, C80: only with file names, or never. */
static bool ref_note_records(const ref_link *link, ref_option option) {
  switch (option) {
  case REF_OPTION_OUTPUT:
  case REF_OPTION_REGISTER_LINK_BINARIES:
  case REF_OPTION_TIME:
    return ref_note_names_files(link);
  case REF_OPTION_VERBOSE_TKINFO:
  case REF_OPTION_HOST_CCBIN:
  case REF_OPTION_SHARED:
    return false;
  default:
    return true;
  }
}

static void ref_note_build_arguments(ref_link *link, ref_bytes *text) {
  const ref_option_row *rows = ref_option_rows();
  if (ref_note_names_files(link)) {
    for (size_t i = 0; i < link->job->input_count; i++) {
      ref_note_add_text(link, text, ref_note_base_name(link->job->inputs[i].name));
      ref_note_add_text(link, text, i + 1 < link->job->input_count ? "," : " ");
    }
  }
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    if (ref_option_given(link, rows[i].option) && ref_note_records(link, rows[i].option)) {
      ref_note_add_option(link, text, &rows[i]);
    }
  }
  ref_bytes_add(link, text, "", 1);
}

static void ref_note_write_head(ref_link *link, ref_bytes *output, size_t descriptor, uint32_t type) {
  ref_bytes_add_u32(link, output, NOTE_OWNER_BYTES);
  ref_bytes_add_u32(link, output, (uint32_t)descriptor);
  ref_bytes_add_u32(link, output, type);
  ref_bytes_add(link, output, "NVIDIA Corp", NOTE_OWNER_BYTES);
}

/* W5.1: u32 {2, five offsets}, then the strings, padded to 4. */
static void ref_note_write_tool(ref_link *link, ref_bytes *output) {
  ref_bytes arguments = {0}, strings = {0}, head = {0};
  ref_bytes_reserve(link, &arguments, USUAL);
  ref_bytes_reserve(link, &strings, 2 * USUAL);
  ref_bytes_reserve(link, &head, USUAL);
  ref_bytes_reserve(link, output, 3 * USUAL);
  ref_note_build_arguments(link, &arguments);
  const bool nvlink = link->job->identity_nvlink;
  const char *const texts[STRINGS] = {
      ref_note_names_files(link) ? ref_note_base_name(link->job->options.values[REF_OPTION_OUTPUT]) : "",
      nvlink ? "nvlink" : "twinlink",
      nvlink ? "Cuda compilation tools, release 13.0, V13.0.88" : "twinlink, release 0.1.0",
      nvlink ? "Build cuda_13.0.r13.0/compiler.36424714_0" : "Build twinlink", (const char *)arguments.data};
  ref_bytes_add_u32(link, &head, 2);
  for (size_t i = 0; i < STRINGS; i++) {
    ref_bytes_add_u32(link, &head, (uint32_t)strings.size);
    ref_bytes_add(link, &strings, texts[i], strlen(texts[i]) + 1);
  }
  ref_bytes_fill(link, &strings, (size_t)ref_align_up(strings.size, 4));
  ref_note_write_head(link, output, head.size + strings.size, TKINFO_TYPE);
  ref_bytes_add(link, output, head.data, head.size);
  ref_bytes_add(link, output, strings.data, strings.size);
}

/* W5.2, L1055: the smallest virtual architecture of the inputs, at most the target. */
uint16_t ref_notes_virtual_sm(const ref_link *link) {
  uint32_t virtual_sm = link->sm;
  for (size_t i = 0; i < link->file_count; i++) {
    virtual_sm = (uint16_t)ref_smaller(link->files[i].virtual_sm, virtual_sm);
  }
  return (uint16_t)virtual_sm;
}

static void ref_note_write_cuda(ref_link *link, ref_bytes *output) {
  ref_note_write_head(link, output, 8, CUINFO_TYPE);
  ref_bytes_add_u32(link, output, 2 | (uint32_t)ref_notes_virtual_sm(link) << 16);
  ref_bytes_add_u32(link, output, TOOLKIT);
}

/* W5.1, RF480: the output's own records stand in front of what the inputs bring. */
void ref_notes_make_room(ref_link *link) {
  ref_out_section *note = &link->sections[link->note_section], *cuda = &link->sections[link->cuinfo_section];
  ref_note_write_tool(link, &note->data);
  note->size = note->data.size;
  ref_bytes_fill(link, &cuda->data, CUDA_BYTES);
  cuda->size = cuda->data.size;
}

/* W5.2: when all inputs are known. */
void ref_notes_write(ref_link *link) {
  ref_bytes record = {0};
  ref_note_write_cuda(link, &record);
  memcpy(link->sections[link->cuinfo_section].data.data, record.data, CUDA_BYTES);
}
