/* `-v`: C56, C81, RF804, RF781. */
#include "link.h"

#include <stdio.h>
#include <string.h>

enum { BANKS = 18, FIRST_OF_MODULE = 3, LAST_OF_MODULE = 6, NUM_BARRIERS = 0x4c };

static uint64_t ref_verbose_section_size(const ref_link *link, const char *name) {
  const size_t number = ref_map_find(&link->section_by_name, name);
  return number == REF_NONE || link->sections[number].dropped ? 0 : link->sections[number].size;
}

/* The bank whose number a text begins with, written as nvlink writes it, and what follows; BANKS for no such bank. */
static uint32_t ref_verbose_bank(const char *text, const char **rest) {
  uint32_t bank = 0;
  const char *at = text;
  for (; *at >= '0' && *at <= '9' && bank < BANKS; at++) {
    bank = bank * 10 + (uint32_t)(*at - '0');
  }
  *rest = at;
  const bool is_number = at != text && (*text != '0' || at == text + 1);
  return is_number && bank < BANKS ? bank : BANKS;
}

/* RF563: the section of each bank. Constants are found by their name alone, whatever their type is. Of two images (D85) the first counts. */
static void ref_verbose_find_banks(const ref_link *link, const char *owner, size_t found[BANKS]) {
  static const char prefix[] = ".nv.constant";
  for (uint32_t bank = 0; bank < BANKS; bank++) {
    found[bank] = REF_NONE;
  }
  for (size_t i = 0; i < link->section_count; i++) {
    const ref_out_section *section = &link->sections[i];
    if (section->dropped || section->constant_owner != REF_NONE || !ref_text_begins(section->name, prefix)) {
      continue;
    }
    const char *rest;
    const uint32_t bank = ref_verbose_bank(section->name + sizeof prefix - 1, &rest);
    if (bank != BANKS && found[bank] == REF_NONE && ref_text_is(rest, owner)) {
      found[bank] = i;
    }
  }
}

/* RF563: banks 1 and 3 to 6 are the module's, 0, 2 and 7 to 17 a kernel's; `kernel` is NULL for the module. */
static const char *ref_verbose_constants(ref_link *link, const ref_function *kernel) {
  const char *owner = kernel == NULL ? "" : ref_memory_join(link, ".", kernel->name);
  const char *text = "";
  size_t found[BANKS];
  ref_verbose_find_banks(link, owner, found);
  for (uint32_t bank = 0; bank < BANKS; bank++) {
    const bool is_of_module = bank == 1 || (bank >= FIRST_OF_MODULE && bank <= LAST_OF_MODULE);
    const unsigned long long size = found[bank] == REF_NONE ? 0 : link->sections[found[bank]].size;
    if (is_of_module == (kernel == NULL) && size != 0) {
      text = ref_memory_print(link, "%s, %llu bytes cmem[%u]", text, size, bank);
    }
  }
  return text;
}

static void ref_verbose_report_module(ref_link *link) {
  const uint64_t globals =
      ref_verbose_section_size(link, ".nv.global.init") + ref_verbose_section_size(link, ".nv.global");
  ref_message_tell(link, REF_INFO, "%llu bytes gmem%s", (unsigned long long)globals, ref_verbose_constants(link, NULL));
}

/* C81, RF804: what the kernel's record says by then; of several the one that was read first. RF956: what its flags say is in it; RF890: with -r
 * it is told of them. */
static unsigned ref_verbose_barriers(const ref_link *link, const ref_function *kernel) {
  for (size_t i = kernel->output_records.count; i-- > 0;) {
    const ref_record *record = &kernel->output_records.items[i];
    if (record->code == NUM_BARRIERS && !record->dropped) {
      return ref_attribute_byte(record);
    }
  }
  return link->is_capsule || kernel->text == REF_NONE ? 0 : ref_barriers_told(link->sections[kernel->text].flags);
}

/* RF206, RF562: beside the table, what the input has at the kernel's parameters counts, by the type of the entries; of textures and samplers
 * a symbol counts once, and none does not (RF658), but on sm_80, sm_88 and sm_89 each entry does. */
static size_t ref_verbose_count_entries(ref_link *link, size_t parameters, uint8_t symbol_type) {
  const uint32_t type = ref_bindless_type(link, symbol_type);
  const bool each = link->sm == 80 || link->sm == 88 || link->sm == 89; /* RF781 */
  const bool once = symbol_type != REF_SYMBOL_SURFACE && !each;
  bool *seen = REF_TAKE(link, bool, link->symbol_count);
  size_t count = 0;
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    if (entry->dropped || entry->target != parameters || entry->type != type ||
        (once && (entry->symbol == REF_NONE || seen[entry->symbol]))) { /* RF658 */
      continue;
    }
    if (once) {
      seen[entry->symbol] = true;
    }
    count++;
  }
  return count;
}

/* RF72: not in a link of capsules. RF659: parameters are found by their section's name, as RF563 says; without them there are none. */
static const char *ref_verbose_textures(ref_link *link, const ref_function *kernel) {
  const char *text = "";
  size_t found[BANKS];
  ref_verbose_find_banks(link, ref_memory_join(link, ".", kernel->name), found);
  const size_t parameters = found[0];
  if (link->is_capsule || parameters == REF_NONE) {
    return text;
  }
  const size_t has_table = parameters == kernel->constant0;
  static const char *const names[] = {"textures", "surfaces", "samplers"};
  const size_t counts[] = {
      has_table * kernel->textures + ref_verbose_count_entries(link, parameters, REF_SYMBOL_TEXTURE),
      has_table * kernel->surfaces + ref_verbose_count_entries(link, parameters, REF_SYMBOL_SURFACE),
      has_table * kernel->samplers + ref_verbose_count_entries(link, parameters, REF_SYMBOL_SAMPLER),
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (counts[i] != 0) {
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

/* RF543, L1168; RF890: with -r what the text's header says, where a record says 0. */
static uint32_t ref_verbose_registers(const ref_link *link, const ref_function *kernel) {
  if (kernel->tells_registers) {
    return kernel->told_registers;
  }
  const uint32_t count = kernel->is_unnamed ? kernel->register_count : kernel->raised_registers;
  const bool header = count == 0 && link->relocatable && !link->is_capsule && kernel->text != REF_NONE;
  return header ? link->sections[kernel->text].info_high >> 24 : count;
}

static void ref_verbose_report_kernel(ref_link *link, const ref_function *kernel) {
  const bool has_shared = kernel->shared != REF_NONE && !link->sections[kernel->shared].dropped;
  const unsigned long long shared =
      has_shared ? link->sections[kernel->shared].size
      : link->is_capsule
          ? ref_verbose_section_size(link, ref_memory_join(link, ".nv.shared.", kernel->name)) /* RF1183 */
          : 0;
  const unsigned long long local =
      ref_verbose_section_size(link, ref_memory_join(link, ".nv.local.", kernel->name)); /* RF659 */
  ref_message_tell(link, REF_INFO, "Function properties for '%s':", kernel->name);
  ref_message_tell(link, REF_INFO,
                   "used %d registers, used %u barriers, %d stack, %llu bytes smem%s, %llu bytes lmem%s",
                   (int)ref_verbose_registers(link, kernel), ref_verbose_barriers(link, kernel),
                   (int)ref_verbose_stack(link, kernel), shared, /* RF675 */
                   ref_verbose_constants(link, kernel), local, ref_verbose_textures(link, kernel));
}

/* RF966: what counts as a kernel by its name alone is not told. */
static bool ref_verbose_tells(const ref_function *function) {
  return (function->is_kernel || function->is_unnamed) && !function->is_provided;
}

/* RF44: kernels in the reverse order of their text sections, not of their symbols. */
void ref_verbose_report(ref_link *link) {
  if (!ref_option_given(link, REF_OPTION_VERBOSE)) {
    return;
  }
  ref_verbose_report_module(link);
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].info_function;
    if (number != REF_NONE && ref_verbose_tells(&link->functions[number])) {
      ref_verbose_report_kernel(link, &link->functions[number]);
    }
  }
}
