/* Jump tables among the compiler constants of a capsule link: M20, RF74. The Mercury view has zeros and an entry (PROG_REL) for
 * each target; the finalizer writes the target's place in the SASS text. */
#include "capsule.h"

enum { PROG_REL64 = 0x10007, PROG_REL32 = 0x10008, WORD = 4 };

/* The compiler constants of a function in one file's SASS view. */
static const ref_section *ref_tables_find_sass(const ref_file *file, size_t function) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    const uint32_t owner = ref_merge_owner(file, i);
    if (section->type == ref_view_sass.optimizer_type && owner != 0 && file->function_of[owner] == function) {
      return section;
    }
  }
  return NULL;
}

/* Where the instruction at a decoded offset lies in the SASS text of the output's body: what ptxas wrote for it into a table of
 * that body; 0: no table leads there. */
static uint64_t ref_tables_target(const ref_capsule *capsule, const ref_out_relocation *entry, int64_t place,
                                  size_t size) {
  const ref_link *mercury = capsule->mercury;
  const size_t file = mercury->functions[entry->function].definition_file;
  const ref_section *table =
      file == REF_NONE ? NULL : ref_tables_find_sass(&capsule->sass->files[file], entry->function);
  if (table == NULL || table->data == NULL) {
    return 0;
  }
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *own = &mercury->relocations[i];
    if (own->file == file && own->function == entry->function && own->type == entry->type && own->addend == place &&
        own->input_offset <= table->size && size <= table->size - own->input_offset) {
      const uint8_t *at = table->data + own->input_offset;
      return size == WORD ? ref_u32(at) : ref_u64(at);
    }
  }
  return 0;
}

/* `times`: how often it is translated (L740). */
static void ref_tables_write(const ref_capsule *capsule, const ref_out_relocation *entry, size_t times,
                             ref_bytes *bytes) {
  const size_t size = entry->type == PROG_REL32 ? WORD : 2 * WORD;
  if ((entry->type != PROG_REL32 && entry->type != PROG_REL64) || entry->function == REF_NONE ||
      entry->offset > bytes->size || size > bytes->size - entry->offset) {
    return;
  }
  uint64_t target = (uint64_t)entry->addend;
  for (size_t i = 0; i < times; i++) {
    target = ref_tables_target(capsule, entry, (int64_t)target, size);
  }
  if (size > WORD) {
    ref_put_u64(bytes->data + entry->offset, target);
  } else {
    ref_put_u32(bytes->data + entry->offset, (uint32_t)target);
  }
}

static bool ref_tables_are_of_slot(const ref_capsule *capsule, size_t section) {
  const ref_link *mercury = capsule->mercury;
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (mercury->functions[i].is_stub && mercury->functions[i].constant2 == section) {
      return true;
    }
  }
  return false;
}

/* L740, D121: all jump slots are one text, and nvlink takes the last of its images for every one of them. So that one is translated as
 * often as there are images, and the others not at all. */
static size_t ref_tables_times(const ref_capsule *capsule, size_t section) {
  size_t count = 0, last = REF_NONE;
  if (!capsule->mercury->job->bug_compatible || !ref_tables_are_of_slot(capsule, section)) {
    return 1;
  }
  for (size_t i = 0; i < capsule->order.count; i++) {
    if (ref_tables_are_of_slot(capsule, capsule->order.items[i])) {
      count++;
      last = capsule->order.items[i];
    }
  }
  return section == last ? count : 0;
}

/* RF74: entries in the order of the file. Those of a body that lost or was replaced count too: where the output's body has an
 * instruction at that decoded offset its place is written, else 0, over what an earlier entry wrote there. */
ref_bytes ref_capsule_jump_tables(ref_capsule *capsule, size_t section, ref_bytes bytes) {
  const ref_link *mercury = capsule->mercury;
  const size_t times = ref_tables_times(capsule, section);
  ref_bytes output = {0};
  if (times == 0) {
    return mercury->sections[section].data;
  }
  ref_bytes_add(capsule->mercury, &output, bytes.data, bytes.size);
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    if (!mercury->relocations[i].dropped && mercury->relocations[i].target == section) {
      ref_tables_write(capsule, &mercury->relocations[i], times, &output);
    }
  }
  for (size_t i = 0; i < mercury->copy_count; i++) {
    if (mercury->copies[i].target == section) {
      ref_tables_write(capsule, &mercury->copies[i], times, &output);
    }
  }
  return output;
}
