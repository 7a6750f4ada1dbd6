/* Sections of metadata (ZM15, RF180, RF181): records of a number, a text, and pairs of a key and a value. All that the inputs have becomes
 * one section. The texts are names in the order in which the survey reads sections, so the records are read there, and the
 * texts' places are put in when `.strtab` has its order. */
#include "link.h"

enum { WORD = 4, KEY_OF_TEXT = 3 };

typedef struct ref_metadata_reader {
  const ref_file *file;
  const ref_section *section;
  uint64_t at; /* in the file */
} ref_metadata_reader;

/* RF180: nvlink reads a record that begins inside its section to the end, wherever in the file that is. By default it ends
 * with the section. */
static uint32_t ref_metadata_read_word(ref_link *link, ref_metadata_reader *reader) {
  const ref_section *section = reader->section;
  const uint64_t size = reader->file->cubin.size, end = section->offset + section->size;
  if (reader->at + WORD > (link->job->bug_compatible ? size : end)) {
    ref_message_fatal(link, "L591", "Input file '%s' is damaged: a record of metadata runs past its section (L591)",
                      reader->file->name);
  }
  reader->at += WORD;
  return ref_u32(reader->file->cubin.bytes + reader->at - WORD);
}

/* RF180: behind `.strtab` the text is what the file has there; by default it ends in the table (D40). */
static const char *ref_metadata_text(ref_link *link, const ref_file *file, uint32_t offset) {
  const ref_cubin *cubin = &file->cubin;
  const ref_section *table = &cubin->sections[cubin->string_section];
  const bool in_file = table->offset < cubin->size && offset < cubin->size - table->offset;
  if (!in_file || (offset >= table->size && !link->job->bug_compatible)) {
    ref_message_fatal(link, "L591", "Input file '%s' is damaged: a text of metadata lies outside .strtab (L591)",
                      file->name);
  }
  return ref_input_string(cubin, offset);
}

/* A text's place is not known yet: its word is the input's until then. */
static void ref_metadata_note_text(ref_link *link, size_t place, const char *text) {
  link->metadata_texts = ref_memory_grow(link, link->metadata_texts, link->metadata_text_count,
                                         &link->metadata_text_capacity, sizeof *link->metadata_texts);
  link->metadata_texts[link->metadata_text_count++] = (ref_placed_text){.place = place, .text = text};
  ref_names_add(link, REF_NONE, text);
}

/* The values' texts stand in front of the record's own. */
static void ref_metadata_read_record(ref_link *link, ref_metadata_reader *reader) {
  ref_bytes *output = &link->metadata;
  ref_bytes_add_u32(link, output, ref_metadata_read_word(link, reader));
  const uint32_t offset = ref_metadata_read_word(link, reader);
  const char *name = ref_metadata_text(link, reader->file, offset);
  const size_t place = output->size;
  ref_bytes_add_u32(link, output, offset);
  const uint32_t count = ref_metadata_read_word(link, reader);
  ref_bytes_add_u32(link, output, count);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t key = ref_metadata_read_word(link, reader), value = ref_metadata_read_word(link, reader);
    ref_bytes_add_u32(link, output, key);
    if (key == KEY_OF_TEXT) {
      ref_metadata_note_text(link, output->size, ref_metadata_text(link, reader->file, value));
    }
    ref_bytes_add_u32(link, output, value);
  }
  ref_metadata_note_text(link, place, name);
}

void ref_metadata_read(ref_link *link, const ref_file *file, const ref_section *section) {
  ref_metadata_reader reader = {.file = file, .section = section, .at = section->offset};
  if (section->data == NULL) {
    return;
  }
  while (reader.at - section->offset < section->size) {
    ref_metadata_read_record(link, &reader);
  }
}

/* Whatever the input's section is called; made for the first one that is not empty, in the second walk (W3.4). */
void ref_metadata_merge(ref_link *link, const ref_section *section) {
  if (link->metadata_section != 0 || section->size == 0) {
    return;
  }
  link->metadata_section = ref_section_add_with_symbol(link, ".nv.metadata", REF_TYPE_METADATA, 0, WORD, 0);
  link->sections[link->metadata_section].size = link->metadata.size;
}

void ref_metadata_write(ref_link *link) {
  for (size_t i = 0; i < link->metadata_text_count; i++) {
    const ref_placed_text *text = &link->metadata_texts[i];
    ref_put_u32(link->metadata.data + text->place, ref_strings_offset(&link->names, text->text));
  }
  if (link->metadata_section != 0) {
    link->sections[link->metadata_section].data = link->metadata;
  }
}
