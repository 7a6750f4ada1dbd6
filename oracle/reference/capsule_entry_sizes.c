/* RF1018: how many of Mercury's entries count the SASS side's section of their name says, by its sh_entsize, as sh_entsize does elsewhere (L172):
 * each entry lies where the next one of the usual size begins. Over a smaller one nvlink reads behind the table, and over another one of the
 * symbols: such files are refused. */
#include "capsule.h"

#include <string.h>

enum { ENTRY_BYTES = 24 };

static void ref_entry_sizes_refuse(ref_link *link, const ref_file *file, const ref_section *section) {
  ref_message_fatal(link, "RF1018", "Input file '%s' is damaged: section '%s' has entries of %llu bytes", file->name,
                    section->name, (unsigned long long)section->entry_size);
}

static void ref_entry_sizes_count(ref_link *link, const ref_file *file, ref_section *section, uint64_t entry_size) {
  const uint64_t count = section->size / entry_size;
  if (count > section->size / ENTRY_BYTES) {
    ref_entry_sizes_refuse(link, file, section);
  }
  section->size = count * ENTRY_BYTES;
}

static void ref_entry_sizes_list(ref_link *link, const ref_file *file, ref_map *tables) {
  for (size_t i = file->whole.section_count; i-- > 1;) {
    const ref_section *section = &file->whole.sections[i];
    if (section->type == REF_TYPE_MERCURY_RELA && section->data != NULL) {
      ref_map_set(link, tables, section->name, i);
    }
  }
}

static void ref_entry_sizes_settle_tables(ref_link *link, const ref_file *file) {
  ref_map tables = {0};
  bool listed = false;
  for (size_t i = 1; i < file->whole.section_count; i++) {
    ref_section *own = &file->whole.sections[i];
    if (own->type != REF_TYPE_RELA || (own->flags & REF_FLAG_MERCURY) != 0 || own->entry_size == ENTRY_BYTES ||
        own->entry_size == 0 || own->size == 0 || own->data == NULL) {
      continue;
    }
    if (!listed) {
      ref_entry_sizes_list(link, file, &tables);
      listed = true;
    }
    const size_t found = ref_map_find(&tables, ref_memory_join(link, ".nv.merc", own->name));
    if (found != REF_NONE) {
      ref_entry_sizes_count(link, file, &file->whole.sections[found], own->entry_size);
    }
    ref_entry_sizes_count(link, file, own, own->entry_size);
    own->entry_size = ENTRY_BYTES;
  }
}

void ref_entry_sizes_settle(ref_link *link, const ref_file *file) {
  if ((file->whole.flags & REF_KIND_CAPSULE) == 0) {
    return;
  }
  for (size_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    const bool frames = section->type == REF_TYPE_MERCURY_RELA && REF_IS(section->name, ".nv.merc.rela.debug_frame") &&
                        section->entry_size != 0 && section->size / section->entry_size > section->size / ENTRY_BYTES;
    const bool own = i == file->whole.symbol_section && section->entry_size < ENTRY_BYTES;
    if (own || frames || (section->type == REF_TYPE_MERCURY_SYMTAB && section->entry_size != ENTRY_BYTES)) {
      ref_entry_sizes_refuse(link, file, section);
    }
  }
  ref_entry_sizes_settle_tables(link, file);
}
