/* `-v`: C56, C81. */
#include "link.h"

#include <stdio.h>
#include <string.h>

static uint64_t ref_verbose_section_size(const ref_link *link, const char *name) {
  const size_t number = ref_map_find(&link->section_by_name, name);
  return number == REF_NONE || link->sections[number].dropped ? 0 : link->sections[number].size;
}

static void ref_verbose_report_module(ref_link *link) {
  const uint64_t globals =
      ref_verbose_section_size(link, ".nv.global.init") + ref_verbose_section_size(link, ".nv.global");
  const char *constants = "";
  for (uint32_t bank = 0; bank < 20; bank++) {
    for (size_t i = 0; i < link->section_count; i++) {
      const ref_out_section *section = &link->sections[i];
      if (section->type == REF_TYPE_CONSTANT + bank && section->info_section == REF_NONE && !section->dropped &&
          section->constant_owner == REF_NONE) {
        constants =
            ref_memory_print(link, "%s, %llu bytes cmem[%u]", constants, (unsigned long long)section->size, bank);
      }
    }
  }
  ref_message_tell(link, REF_INFO, "%llu bytes gmem%s", (unsigned long long)globals, constants);
}

/* C81: with exactly one kernel the barriers of all live functions count. */
static unsigned ref_verbose_barriers(const ref_link *link, const ref_function *kernel) {
  unsigned most = 0;
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    bool counts = link->kernels.count == 1 && function->live && !kernel->is_unnamed;
    for (size_t k = 0; k < kernel->reach.count && !counts; k++) {
      counts = kernel->reach.items[k] == i;
    }
    for (size_t k = 0; counts && k < function->records.count; k++) {
      const ref_record *record = &function->records.items[k];
      const unsigned value = ref_attribute_byte(record);
      if (record->code == 0x4c && !record->dropped && value > most) {
        most = value;
      }
    }
  }
  return most;
}

static const char *ref_verbose_constants(ref_link *link, const ref_function *kernel) {
  const char *text = "";
  for (uint32_t bank = 0; bank < 20; bank++) {
    for (size_t i = 0; i < link->section_count; i++) {
      const ref_out_section *section = &link->sections[i];
      if (section->type == REF_TYPE_CONSTANT + bank && section->info_section == kernel->text && !section->dropped) {
        text = ref_memory_print(link, "%s, %llu bytes cmem[%u]", text, (unsigned long long)section->size, bank);
        break; /* of two images (D85) the first */
      }
    }
  }
  return text;
}

/* RF206: the entries count, too, that a kernel of an -ewp file has from ptxas. */
static size_t ref_verbose_count_entries(const ref_link *link, const ref_function *kernel, uint8_t type) {
  size_t count = 0;
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    count += !entry->dropped && entry->target == kernel->constant0 && entry->symbol != REF_NONE &&
             link->symbols[entry->symbol].type == type;
  }
  return count;
}

/* RF72: not in a link of capsules. */
static const char *ref_verbose_textures(ref_link *link, const ref_function *kernel) {
  const char *text = "";
  static const char *const names[] = {"textures", "surfaces", "samplers"};
  const size_t counts[] = {
      kernel->textures + ref_verbose_count_entries(link, kernel, REF_SYMBOL_TEXTURE),
      kernel->surfaces + ref_verbose_count_entries(link, kernel, REF_SYMBOL_SURFACE),
      kernel->samplers + ref_verbose_count_entries(link, kernel, REF_SYMBOL_SAMPLER),
  };
  for (size_t i = 0; i < 3 && !link->is_capsule; i++) {
    if (counts[i] > 0) {
      text = ref_memory_print(link, "%s, %zu %s", text, counts[i], names[i]);
    }
  }
  return text;
}

/* C81; C56: 0 with -r. */
static unsigned long long ref_verbose_stack(const ref_link *link, const ref_function *kernel) {
  if (link->relocatable) {
    return 0;
  }
  return kernel->is_unnamed || kernel->reaches_cycle ? kernel->frame_size : kernel->stack;
}

static void ref_verbose_report_kernel(ref_link *link, const ref_function *kernel) {
  const bool has_shared = kernel->shared != REF_NONE && !link->sections[kernel->shared].dropped;
  const unsigned long long shared = has_shared ? link->sections[kernel->shared].size : 0;
  ref_message_tell(link, REF_INFO, "Function properties for '%s':", kernel->name);
  ref_message_tell(link, REF_INFO, "used %u registers, used %u barriers, %llu stack, %llu bytes smem%s, 0 bytes lmem%s",
                   kernel->is_unnamed ? kernel->register_count : kernel->raised_registers,
                   ref_verbose_barriers(link, kernel), ref_verbose_stack(link, kernel), shared,
                   ref_verbose_constants(link, kernel), ref_verbose_textures(link, kernel));
}

/* RF44: kernels in the reverse order of their text sections, not of their symbols. */
void ref_verbose_report(ref_link *link) {
  if (!ref_option_given(link, REF_OPTION_VERBOSE)) {
    return;
  }
  ref_verbose_report_module(link);
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].info_function;
    if (number != REF_NONE && (link->functions[number].is_kernel || link->functions[number].is_unnamed)) {
      ref_verbose_report_kernel(link, &link->functions[number]);
    }
  }
}
