/* Errors after the merge: E30-E33, E55, H8, K1, K5. */
#include "link.h"

#include <string.h>

enum { CONSTANT_LIMIT = 0x10000, SM_OF_LARGE_PARAMETERS = 90, RESERVED = 0x400, UNIFIED = 4 };

/* RF118: for `.nv_debug.shared`, which has a size with -g and -preserve-relocs, nvlink cuts the name as it does a kernel's. */
static const char *ref_limits_owner(const ref_link *link, const ref_out_section *section) {
  if (REF_IS(section->name, ".nv_debug.shared")) {
    return section->name + strlen(".nv.shared.");
  }
  if (section->info_section == REF_NONE || link->sections[section->info_section].info_function == REF_NONE) {
    return "";
  }
  return link->functions[link->sections[section->info_section].info_function].name;
}

/* RF627: a function that is called as a jump slot, wherever it lies, and neither a kernel nor unified. */
static bool ref_limits_has_slot(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    if (ref_function_is_slot(&cubin->symbols[i])) {
      return true;
    }
  }
  return false;
}

/* E55, U4; RF245: a section of the output with one of the two names is enough, of memory without bytes too (RF1045). RF630: tables of entries are not looked at. */
void ref_limits_check_unified(ref_link *link) {
  if (link->has_index) {
    return;
  }
  for (size_t i = 0; i < link->section_count; i++) {
    const ref_out_section *section = &link->sections[i];
    const bool holds = ref_section_type_has_bytes(section->type) || section->type == REF_TYPE_GLOBAL;
    if (holds && ref_text_begins(section->name, ".nv.u") &&
        (REF_IS(section->name, ".nv.uft") || REF_IS(section->name, ".nv.udt"))) {
      ref_message_fatal(link, "E55", "Unified symbols found but index file not specified.");
    }
  }
  for (size_t i = 0; i < link->file_count; i++) {
    if (ref_limits_has_slot(&link->files[i].cubin)) {
      ref_message_fatal(link, "E55", "Unified symbols found but index file not specified.");
    }
  }
}

/* RF970: nvlink compares 32 bits with a sign. */
static bool ref_limits_is_negative(const ref_link *link, uint64_t size) {
  return link->job->bug_compatible && !link->is_capsule && size <= UINT32_MAX && size > INT32_MAX;
}

/* K1; RF70: of an object of SASS kind the Mercury copy of the user constants counts by itself. */
static bool ref_limits_is_user_constants(const ref_link *link, const ref_out_section *section) {
  return section->type == link->view->user_type || section->type == REF_TYPE_CONSTANT_USER;
}

/* RF137: a line for each record, of removed kernels and dead functions too, not of bodies that lost. */
void ref_limits_check_large_parameters(ref_link *link) {
  if (link->relocatable || link->sm >= SM_OF_LARGE_PARAMETERS || !link->has_old_object) {
    return;
  }
  size_t count = link->large_parameters;
  for (size_t i = 0; i < link->function_count; i++) {
    count += link->functions[i].large_parameters;
  }
  for (size_t i = 0; i < count; i++) {
    ref_message_add(link, REF_ERROR, "RF137",
                    "For kernel functions with parameter size higher than 4k bytes on sm_7x and sm_8x, all objects "
                    "must be compiled with 12.1 or later");
  }
}

/* RF100, RF1074: with -r user and compiler constants alone have a limit, and by default not even they (D95), because the final link lays
 * them out anew; RF1073: a kernel's bank it leaves as it is. */
static bool ref_limits_leaves_size(const ref_link *link, const ref_out_section *section) {
  const bool is_compiler_s = section->type == link->view->optimizer_type && section->size > CONSTANT_LIMIT;
  return link->relocatable && section->type != REF_TYPE_CONSTANT &&
         !(link->job->bug_compatible && (ref_limits_is_user_constants(link, section) || is_compiler_s));
}

/* W10.2: functions whose compiler constants are too large, as far as their symbols say; in an executable their places do not count (RF1074). */
static void ref_limits_find_large(ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section >= file->cubin.section_count ||
        file->cubin.sections[symbol->section].type != link->view->optimizer_type || (symbol->info & 15) == 0 ||
        (symbol->info & 15) == REF_SYMBOL_SECTION) {
      continue;
    }
    const uint32_t owner = ref_merge_owner(file, symbol->section);
    if (owner != 0 && file->function_of[owner] != REF_NONE && file->body_of[owner] != REF_BODY_LOSES &&
        (symbol->size > CONSTANT_LIMIT || (link->relocatable && symbol->value > CONSTANT_LIMIT - symbol->size))) {
      link->functions[file->function_of[owner]].has_large_constants = true;
    }
  }
}

/* One of those whose constants a kernel's section holds. */
static bool ref_limits_holds_large(const ref_link *link, const ref_out_section *section) {
  const size_t owner =
      section->info_section == REF_NONE ? REF_NONE : link->sections[section->info_section].info_function;
  if (section->type != link->view->optimizer_type || owner == REF_NONE ||
      (link->relocatable ? !link->job->bug_compatible : !link->functions[owner].entry)) {
    return false; /* D95 */
  }
  if (link->functions[owner].has_large_constants) {
    return true;
  }
  for (size_t i = 0; i < link->functions[owner].reach.count; i++) {
    if (link->functions[link->functions[owner].reach.items[i]].has_large_constants) {
      return true;
    }
  }
  return false;
}

/* C78, step 5: in the order in which the sections were created. */
void ref_limits_check_sizes(ref_link *link) {
  for (size_t i = 0; i < link->file_count; i++) {
    ref_limits_find_large(link, &link->files[i]);
  }
  const size_t lone_pool = ref_partial_lone_pool(link);
  for (size_t i = 0; i < link->section_count; i++) {
    const ref_out_section *section = &link->sections[i];
    const uint64_t size = section->size;
    const bool large = ref_limits_holds_large(link, section);
    if (section->dropped || (ref_limits_leaves_size(link, section) && !large)) {
      continue;
    }
    if (large || (section->type == link->view->optimizer_type && size > CONSTANT_LIMIT)) {
      ref_message_add(link, REF_ERROR, "E33",
                      "Entry function '%s' uses too much data for compiler-generated constants; please recompile with "
                      "-Xptxas --disable-optimizer-constants",
                      ref_limits_owner(link, section));
    } else if (section->type == REF_TYPE_SHARED) {
      const bool reserves =
          link->sm >= 90 && !link->is_capsule && size != 0 && i != lone_pool && !link->sections[i].is_lone;
      const uint64_t used = reserves && size >= RESERVED ? size - RESERVED : size; /* RF612 */
      if (used > link->target->shared_limit && !ref_limits_is_negative(link, used)) {
        ref_message_add(link, REF_ERROR, "E30",
                        "Entry function '%s' uses too much shared data (0x%llx bytes, 0x%x max)",
                        ref_limits_owner(link, section), (unsigned long long)used, link->target->shared_limit);
      }
    } else if (section->type == REF_TYPE_CONSTANT && size > CONSTANT_LIMIT) {
      ref_message_add(link, REF_ERROR, "E31",
                      "Entry function '%s' uses too much constant data (0x%llx bytes, 0x%x max)",
                      ref_limits_owner(link, section), (unsigned long long)size, CONSTANT_LIMIT);
    } else if (ref_limits_is_user_constants(link, section) && size > CONSTANT_LIMIT) {
      ref_message_add(link, REF_ERROR, "E32", "File uses too much global constant data (0x%llx bytes, 0x%x max)",
                      (unsigned long long)size, CONSTANT_LIMIT);
    }
  }
}
