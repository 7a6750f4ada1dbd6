/* The file as a file: header, what its bytes belong to, sections, program headers (F1 to F15, W1). */
#include "check_parts.h"

#include "ref_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEADER_BYTES = 64,
  SECTION_BYTES = 64,
  SEGMENT_BYTES = 56,
  MACHINE_CUDA = 190,
  ALIGN_TABLES = 8,
  SEGMENT_LOAD = 1,
  SEGMENT_PHDR = 6,
  CUINFO_SHIFT = 24,
  TYPE_SYMTAB_SHNDX = 18
};

void check_header(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  const uint32_t note = cubin->flags >> CUINFO_SHIFT;
  if (cubin->machine != MACHINE_CUDA) {
    check_found(context, 0, 18, "e_machine is %u, not %d", cubin->machine, MACHINE_CUDA);
  }
  if (cubin->header_size != HEADER_BYTES) {
    check_found(context, 0, 52, "e_ehsize is %u, not %d", cubin->header_size, HEADER_BYTES);
  }
  if (cubin->section_name_index >= cubin->section_count ||
      cubin->sections[cubin->section_name_index].type != TYPE_STRTAB) {
    check_found(context, 0, 62, "e_shstrndx %u is no string table", cubin->section_name_index);
  }
  if (note >= cubin->section_count || strcmp(cubin->sections[note].name, ".note.nv.cuinfo") != 0) {
    check_found(context, 0, 48, "e_flags name section %u as .note.nv.cuinfo (F10)", note);
  }
  if ((cubin->segment_count > 0) != (cubin->type == FILE_EXECUTABLE)) {
    check_found(context, 0, 56, "e_type is %u and there are %zu program headers", cubin->type, cubin->segment_count);
  }
}

/* --- cover -------------------------------------------------------------------------------------------------------- */

typedef struct check_range {
  uint64_t start, end;
  uint32_t section; /* 0: a table */
  const char *what;
} check_range;

static int check_order_ranges(const void *a, const void *b) {
  const check_range *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return x->end < y->end ? -1 : x->end > y->end;
}

void check_cover(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  check_range *ranges = ref_allocate(cubin->section_count + 4, sizeof *ranges);
  size_t count = 0;
  ranges[count++] = (check_range){0, HEADER_BYTES, 0, "the ELF header"};
  ranges[count++] =
      (check_range){cubin->section_offset, cubin->section_offset + SECTION_BYTES * (uint64_t)cubin->section_count, 0,
                    "the section headers"};
  if (cubin->segment_count > 0) {
    ranges[count++] =
        (check_range){cubin->segment_offset, cubin->segment_offset + SEGMENT_BYTES * (uint64_t)cubin->segment_count, 0,
                      "the program headers"};
  }
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->data != NULL && section->size > 0) {
      ranges[count++] = (check_range){section->offset, section->offset + section->size, i, section->name};
    }
  }
  qsort(ranges, count, sizeof *ranges, check_order_ranges);
  uint64_t end = 0;
  const char *before = "the file's begin";
  bool before_is_mercury = false;
  for (size_t i = 0; i <= count; i++) {
    const uint64_t start = i < count ? ranges[i].start : cubin->size;
    const uint32_t section = i < count ? ranges[i].section : 0;
    const bool is_mercury = section != 0 && (cubin->sections[section].flags & FLAG_MERCURY) != 0;
    if (start < end && !is_mercury && !before_is_mercury) { /* F49: Mercury sections may share their clones' bytes */
      check_found(context, section, start, "overlaps %s", before);
    }
    for (uint64_t at = end; at < start; at++) {
      if (cubin->bytes[at] != 0) {
        check_found(context, 0, at, "0x%02x behind %s belongs to nothing", cubin->bytes[at], before);
        break;
      }
    }
    if (i == count && start > end) {
      check_found(context, 0, end, "%" PRIu64 " bytes behind everything", start - end);
    }
    if (i < count && ranges[i].end > end) {
      end = ranges[i].end;
      before = ranges[i].what;
      before_is_mercury = is_mercury;
    }
  }
  free(ranges);
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static uint64_t check_entry_size(uint32_t type) {
  return type == TYPE_SYMTAB || type == TYPE_RELA ? 24 : type == TYPE_REL ? 16 : 0;
}

static void check_section_links(ref_check_context *context, uint32_t i) {
  const ref_cubin *cubin = context->output;
  const ref_section *section = &cubin->sections[i];
  const bool relocations = section->type == TYPE_REL || section->type == TYPE_RELA;
  if (section->link >= cubin->section_count) {
    check_found(context, i, 0, "sh_link %u is no section", section->link);
  } else if ((relocations || section->type == TYPE_INFO || section->type == TYPE_CALLGRAPH) &&
             section->link != cubin->symbol_section) {
    check_found(context, i, 0, "sh_link %u is not the symbol table", section->link);
  } else if (section->type == TYPE_SYMTAB && cubin->sections[section->link].type != TYPE_STRTAB) {
    check_found(context, i, 0, "sh_link %u is no string table", section->link);
  }
  const bool of_nobody = strcmp(section->name, ".nv.shared.reserved.0") == 0; /* H9 */
  const bool names_section = !of_nobody && (relocations || check_has_prefix(section->name, ".nv.info.") ||
                                            check_has_prefix(section->name, ".nv.shared.") ||
                                            check_has_prefix(section->name, ".nv.constant0."));
  if (names_section && (section->info == 0 || section->info >= cubin->section_count)) {
    check_found(context, i, 0, "sh_info %u is no section", section->info);
  } else if (check_is_code(section) && check_has_prefix(section->name, ".text.") &&
             check_function_of(context, i) == 0) {
    check_found(context, i, 0, "sh_info 0x%x names no function of this text", section->info);
  }
}

void check_sections(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    const uint64_t align = section->align, entry = check_entry_size(section->type);
    if ((align & (align - 1)) != 0) {
      check_found(context, i, 0, "sh_addralign %" PRIu64 " is no power of two", align);
    } else if (align > 1 && section->offset % align != 0) {
      check_found(context, i, 0, "sh_offset 0x%" PRIx64 " is not aligned to %" PRIu64, section->offset, align);
    }
    if (entry != 0 && (section->entry_size != entry || section->size % entry != 0)) {
      check_found(context, i, 0, "sh_entsize %" PRIu64 " and size 0x%" PRIx64 ", entries have %" PRIu64 " bytes",
                  section->entry_size, section->size, entry);
    }
    if (section->type != TYPE_SYMTAB_SHNDX) {
      check_section_links(context, i);
    }
  }
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

/* The loadable segments that hold a section's bytes whole. */
static size_t check_count_segments(const ref_cubin *cubin, const ref_section *section) {
  size_t holding = 0;
  for (size_t i = 0; i < cubin->segment_count; i++) {
    const ref_segment *segment = &cubin->segments[i];
    holding += segment->type == SEGMENT_LOAD && section->offset >= segment->offset &&
               section->offset - segment->offset <= segment->file_size &&
               section->size <= segment->file_size - (section->offset - segment->offset);
  }
  return holding;
}

/* The program headers themselves are loaded with the last segment (W1.7). */
static void check_headers_loaded(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  const ref_section headers = {.offset = cubin->segment_offset, .size = cubin->segment_count * SEGMENT_BYTES};
  if (cubin->segment_count > 0 && check_count_segments(cubin, &headers) != 1) {
    check_found(context, 0, cubin->segment_offset, "no loadable segment holds the program headers");
  }
}

void check_segments(ref_check_context *context) {
  check_headers_loaded(context);
  const ref_cubin *cubin = context->output;
  for (size_t i = 0; i < cubin->segment_count; i++) {
    const ref_segment *segment = &cubin->segments[i];
    if (segment->offset > cubin->size || segment->file_size > cubin->size - segment->offset) {
      check_found(context, 0, cubin->segment_offset + i * SEGMENT_BYTES, "segment %zu does not lie in the file", i);
    }
    if (segment->memory_size < segment->file_size) {
      check_found(context, 0, cubin->segment_offset + i * SEGMENT_BYTES, "segment %zu is smaller in memory", i);
    }
    if (segment->type == SEGMENT_PHDR && segment->offset != cubin->segment_offset) {
      check_found(context, 0, cubin->segment_offset + i * SEGMENT_BYTES, "PT_PHDR is not where the headers are");
    }
  }
  for (uint32_t i = 1; context->executable && i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if ((section->flags & FLAG_ALLOC) == 0 || (section->flags & FLAG_MERCURY) != 0 || section->data == NULL ||
        section->size == 0) {
      continue;
    }
    const size_t holding = check_count_segments(cubin, section);
    if (holding != 1) {
      check_found(context, i, 0, "%zu loadable segments hold this section", holding);
    }
  }
}
