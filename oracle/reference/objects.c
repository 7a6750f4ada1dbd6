/* Variables, constants, shared objects, texture references: W3.2, W3.6-W3.12, W8.4, V9, V10, E21-E24, E28, RF717, RF774, RF793, RF835, RF837, RF928. */
#include "link.h"

#include <string.h>

enum { VISIBILITY = 3, INTERNAL = 1, MANAGED = 4, EXTERN_SHARED_ALIGN = 16 };

bool ref_object_is_data(uint8_t type) {
  return type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT || type == REF_SYMBOL_TEXTURE ||
         type == REF_SYMBOL_SAMPLER || type == REF_SYMBOL_SURFACE;
}

/* L577: the names that nvlink and the driver provide are the only ones that stay ordinary objects. RF769, RF835: not where they are defined. */
static bool ref_object_is_plain(const ref_symbol *input) {
  return (input->info & 15) == REF_SYMBOL_OBJECT && !(input->section == 0 && ref_symbol_is_provided(input->name));
}

/* RF660: an object of either type is one, unless nvlink or the driver provides it. */
bool ref_object_is_shared(const ref_symbol *input) {
  return (input->other & REF_SPACE_MASK) == REF_SPACE_SHARED &&
         ((input->info & 15) == REF_SYMBOL_CUDA_OBJECT || ref_object_is_plain(input));
}

/* D16, D46: nvlink crashes here. */
static void ref_object_check_section(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (input->section >= file->cubin.section_count) {
    ref_message_fatal(link, "D46", "symbol '%s' in '%s' lies in section %u, which does not exist", input->name,
                      file->name, input->section);
  }
}

/* RF793: a unified table, too. */
static bool ref_object_place_section(ref_link *link, size_t file_number, uint32_t section) {
  const ref_file *file = &link->files[file_number];
  const bool is_new = section < file->cubin.section_count && file->section_of[section] == REF_NONE;
  const bool placed = ref_block_place(link, file_number, section);
  if (is_new && placed) {
    ref_unified_note_placed(link, &file->cubin.sections[section]);
  }
  return placed;
}

/* L1370: of some objects another section comes along. */
static bool ref_object_place(ref_link *link, size_t file_number, const ref_symbol *input) {
  const ref_file *file = &link->files[file_number];
  if (ref_reserved_takes(link, file, input)) {
    (void)ref_reserved_section(link, file->cubin.sections[input->section].name);
    return true;
  }
  return ref_object_place_section(link, file_number, input->section);
}

/* RF837: what lies in a section of another name is the pool's, whatever that is about. */
uint32_t ref_object_shared_owner(const ref_link *link, const ref_file *file, uint32_t section) {
  static const char prefix[] = ".nv.shared.";
  const bool named = section < file->cubin.section_count &&
                     strncmp(file->cubin.sections[section].name, prefix, sizeof prefix - 1) == 0;
  return named || link->is_capsule ? ref_merge_owner(file, section) : 0;
}

/* The module's section for a shared object; W3.2: `.nv_debug.shared` is made by its first object. */
static size_t ref_object_shared_section(ref_link *link, ref_file *file, const ref_symbol *input) {
  ref_object_check_section(link, file, input);
  const uint32_t owner = input->section == 0 ? 0 : ref_object_shared_owner(link, file, input->section);
  if (owner != 0 && file->function_of[owner] != REF_NONE) {
    ref_function *function = &link->functions[file->function_of[owner]];
    if (function->shared == REF_NONE && function->live) {
      ref_merge_add_shared_section(link, function); /* W17.12, RF186 */
    }
    if (input->section != 0) {
      file->section_of[input->section] =
          function->shared; /* RF855: has its place, for objects of other memory spaces */
    }
    return function->shared;
  }
  size_t pool = ref_section_find_pool(link);
  if (pool == REF_NONE) {
    const uint64_t align = input->section == 0 ? 16 : file->cubin.sections[input->section].align;
    pool = ref_section_add_pool(link, align);
    link->pool_begins_extern = input->section == 0;
  }
  if (input->section != 0) {
    link->sections[pool].align = ref_larger(file->cubin.sections[input->section].align, link->sections[pool].align);
    if (!link->is_capsule && file->cubin.sections[input->section].type != REF_TYPE_SHARED &&
        file->section_of[input->section] == REF_NONE) {
      file->section_of[input->section] = pool; /* RF837 */
    }
  }
  return pool;
}

/* RF34, RF62: a weak object that a strong one replaces keeps its place in the list and its alignment there; the symbol's value
 * is that of the place that is laid out last. */
static void ref_object_leave_ghost(ref_link *link, size_t number) {
  const ref_out_symbol symbol = link->symbols[number];
  const size_t ghost = ref_symbol_add(link, symbol.name, REF_BIND_LOCAL, symbol.type, symbol.other);
  link->symbols[ghost].dropped = true;
  link->symbols[ghost].section = symbol.section;
  link->symbols[ghost].size = symbol.size;
  link->symbols[ghost].auxiliary = symbol.auxiliary;
  link->symbols[ghost].ghost_of = number;
  link->symbols[number].further_places++;
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    if (link->shared_objects.items[i] == number) {
      link->shared_objects.items[i] = ghost;
    }
  }
}

/* L536: such a symbol is visible in every output, whatever its first mention says. */
static bool ref_object_is_mentioned_texture(const ref_symbol *input) {
  return input->section == 0 && ref_bindless_mask_of(input->info & 15) != 0;
}

/* W4.3: `_param`, `F.const_opt.a.b` and shared objects have no symbol in an executable. W17.7: with -preserve-relocs only
 * extern shared objects and the compiler constants of device functions have none. */
static bool ref_object_has_no_symbol(const ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (link->relocatable || ref_object_is_mentioned_texture(input)) {
    return false;
  }
  if (ref_object_is_shared(input) && ref_options_keep_shared_symbols(link)) {
    return (input->other & VISIBILITY) == INTERNAL && !link->preserves; /* RF115: `externsharedinstance` */
  }
  const bool shown = (input->other & VISIBILITY) > INTERNAL; /* RF166 */
  if (ref_object_is_shared(input)) {
    const bool own = input->section != 0 && ref_object_shared_owner(link, file, input->section) != 0; /* RF248 */
    return (input->size == 0 && !own) || (!link->preserves && !shown);
  }
  if ((input->other & VISIBILITY) != INTERNAL || !link->preserves) {
    return (input->other & VISIBILITY) == INTERNAL;
  }
  const uint32_t owner = ref_merge_owner(file, input->section);
  const bool nobody = owner == 0 && input->section < file->cubin.section_count && !link->is_capsule; /* RF623 */
  const bool device = (nobody || (owner != 0 && (file->cubin.symbols[owner].other & REF_OTHER_ENTRY) == 0)) &&
                      file->cubin.sections[input->section].type == link->view->optimizer_type; /* RF622 */
  return device || (input->section == 0 && ref_symbol_is_provided(input->name));               /* RF634 */
}

/* RF1290: a shared object's visibility, unlike other variables', is that of its definition: of what comes behind a mention and of the strong one
 * that replaces a weak one. */
static void ref_object_take_visibility(const ref_link *link, const ref_file *file, const ref_symbol *input,
                                       ref_out_symbol *symbol) {
  symbol->other = (uint8_t)((symbol->other & ~VISIBILITY) | (input->other & VISIBILITY));
  if (ref_options_keep_shared_symbols(link) || !(symbol->is_extern_shared || symbol->has_no_place)) {
    symbol->dropped = ref_object_has_no_symbol(link, file, input);
    symbol->has_no_name = symbol->dropped;
  }
}

/* W9: shared objects have a list of their own; st_value is the alignment (H1), which -r writes (W9.7). RF140: there a strong
 * definition takes over the value of the weak one that it replaces; by default it has its own. */
static void ref_object_define_shared(ref_link *link, size_t file_number, const ref_symbol *input, size_t number) {
  const size_t section = ref_object_shared_section(link, &link->files[file_number], input);
  if (section != REF_NONE) {
    link->sections[section].parts++;
  }
  if (input->section < link->files[file_number].cubin.section_count) {
    link->files[file_number].shared_in[input->section] = section; /* RF715 */
  }
  const bool replaces = link->symbols[number].section != REF_NONE && !link->symbols[number].is_extern_shared;
  if (replaces) {
    ref_object_leave_ghost(link, number);
  }
  ref_out_symbol *symbol = &link->symbols[number];
  if (input->section != 0) {
    ref_object_take_visibility(link, &link->files[file_number], input, symbol);
  }
  symbol->section = section;
  symbol->is_extern_shared = input->size == 0;
  symbol->auxiliary = symbol->is_extern_shared && input->section == 0 ? EXTERN_SHARED_ALIGN     /* RF248 */
                                                                      : (uint32_t)input->value; /* RF485 */
  symbol->is_only_mentioned = input->section == 0;
  symbol->mentioned_value = input->section == 0 ? (uint32_t)input->value : symbol->mentioned_value;
  if (link->relocatable && !(replaces && link->job->bug_compatible)) {
    const uint64_t align = (uint32_t)input->value;
    symbol->value = input->section == 0 ? align : ref_partial_alignment(link, file_number, align);
  }
  ref_partial_lay_object(link, file_number, input, symbol);
  ref_indices_add(link, &link->shared_objects, number);
}

/* RF3: the shared objects of a losing body take their place all the same; so do those of other spaces beside them (RF884). */
static bool ref_object_owner_takes_part(const ref_link *link, const ref_file *file, const ref_symbol *input) {
  const uint32_t owner = ref_object_is_shared(input) ? ref_object_shared_owner(link, file, input->section)
                                                     : ref_merge_owner(file, input->section);
  if (owner == 0 || file->function_of[owner] == REF_NONE) {
    return true;
  }
  return link->functions[file->function_of[owner]].live &&
         (file->body_of[owner] != REF_BODY_LOSES || ref_object_is_shared(input) ||
          (!link->is_capsule && file->cubin.sections[input->section].type == REF_TYPE_SHARED));
}

static bool ref_object_is_own_constant(const ref_symbol *input) {
  return (input->info & 15) == REF_SYMBOL_CUDA_OBJECT && (input->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT;
}

/* RF662: what lies in the parameters of a body that loses is in the winner's, as a local one is (W8.3); elsewhere it is nowhere, and
 * nobody misses it. */
static void ref_object_define_gone(const ref_link *link, const ref_file *file, const ref_symbol *input,
                                   ref_out_symbol *symbol) {
  const uint32_t owner = ref_merge_owner(file, input->section);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  if (function != REF_NONE && file->cubin.sections[input->section].type == REF_TYPE_CONSTANT &&
      link->functions[function].constant0 != REF_NONE) {
    symbol->section = link->functions[function].constant0;
    symbol->value = input->value;
  }
}

/* Value and section of a definition. */
static void ref_object_define(ref_link *link, size_t file_number, const ref_symbol *input, size_t number) {
  ref_file *file = &link->files[file_number];
  ref_out_symbol *symbol = &link->symbols[number];
  symbol->size = input->size;
  symbol->bind = input->info >> 4;
  symbol->definition_file = file_number;
  symbol->is_weak_after_common = false;
  if (input->section == REF_SECTION_COMMON) {
    symbol->common = true;
    const bool is_known = symbol->section != REF_NONE || symbol->value == UINT64_MAX; /* W4.3: -1 of a mention */
    symbol->value_before_common = is_known ? symbol->value : UINT64_MAX - 1;
    symbol->value = input->value;
    ref_indices_add(link, &link->commons, number);
    return;
  }
  if (ref_object_is_shared(input)) {
    ref_object_define_shared(link, file_number, input, number);
    return;
  }
  ref_object_check_section(link, file, input);
  if (ref_reserved_takes(link, file, input)) {
    ref_reserved_define(link, &link->files[file_number], input, number);
    return;
  }
  const bool placed = ref_object_place_section(link, file_number, input->section);
  symbol = &link->symbols[number];
  symbol->is_gone = !placed;
  if (!placed) {
    ref_object_define_gone(link, file, input, symbol);
  } else {
    symbol->section = file->section_of[input->section];
    const bool reserved = !link->relocatable && /* M28: st_value is the alignment, which stays with -r */
                          file->cubin.sections[input->section].type == REF_TYPE_SHARED_RESERVED;
    symbol->value = file->offset_in[input->section] + (reserved ? 0 : input->value);
    if (file->cubin.sections[input->section].type == link->view->user_type && link->constant_block_count != 0) {
      link->constant_blocks[link->constant_block_count - 1].has_symbol = true;
    }
    if (file->cubin.sections[input->section].type == link->view->optimizer_type && ref_object_is_own_constant(input)) {
      symbol->auxiliary = file->cubin.sections[input->section].align; /* L573, L1095 */
    }
  }
}

/* RF69: a kernel's own shared objects are local, dead or not. RF668: said of what would be the definition, behind what it is compared with. */
static void ref_object_check_entry_data(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (input->section == 0 || input->section >= file->cubin.section_count || !ref_object_is_shared(input)) {
    return;
  }
  const ref_section *section = &file->cubin.sections[input->section];
  if (strncmp(section->name, ".nv.shared.", 11) == 0 && section->info != 0) {
    ref_message_fatal(link, "RF69", "Internal error: entry data cannot be GLOBAL");
  }
}

/* RF521: what waits by default for a further link keeps its alignment, whatever the machine (RF160). */
static uint64_t ref_object_undefined_value(const ref_link *link, const ref_symbol *input) {
  const bool waits = ref_object_is_shared(input) && input->size != 0 && ref_relocatable_is_default(link) &&
                     !ref_symbol_is_provided(input->name);
  return waits ? input->value : ref_symbol_provided_value(link, input);
}

/* Whose name is taken at once (W2.2): the locals' and the weak ones'. */
static size_t ref_object_create(ref_link *link, size_t file_number, const ref_symbol *input) {
  const bool undefined = input->section == 0;
  uint8_t bind = input->info >> 4;
  const bool plain = ref_object_is_plain(input);
  const uint8_t type = plain ? REF_SYMBOL_CUDA_OBJECT : input->info & 15;
  if (undefined && type != REF_SYMBOL_CUDA_OBJECT) {
    bind = REF_BIND_GLOBAL; /* W4.2, RF68; W4.5: not type 13 */
  }
  const bool extern_shared = undefined && ref_object_is_shared(input) && input->size == 0;
  if (extern_shared) {
    (void)ref_object_shared_section(link, &link->files[file_number], input); /* W3.2: before its name */
  }
  const uint8_t hidden = ref_object_is_mentioned_texture(input) ? VISIBILITY : 0;
  const size_t number = ref_symbol_add(link, input->name, bind, type, (uint8_t)(input->other & ~(unsigned)hidden));
  ref_out_symbol *symbol = &link->symbols[number];
  symbol->mention_file = file_number;
  symbol->size = ref_object_is_mentioned_texture(input) ? 0 : input->size; /* L587 */
  symbol->was_plain = plain;
  symbol->undefined_weak =
      undefined && input->info >> 4 >= REF_BIND_WEAK; /* RF414: nobody misses one of another binding either */
  if (undefined && type == REF_SYMBOL_CUDA_OBJECT && !ref_object_is_shared(input)) {
    symbol->value = (uint64_t)-1;                                  /* W4.3 */
  } else if (undefined && (link->relocatable || !extern_shared)) { /* RF501 */
    symbol->value = ref_object_undefined_value(link, input);
  }
  symbol->dropped = ref_object_has_no_symbol(link, &link->files[file_number], input);
  const bool may_stay = ref_object_is_shared(input); /* D70, RF160, RF1031, RF1290 */
  symbol->has_no_name = symbol->dropped && may_stay;
  if (symbol->local_list && (!symbol->dropped || may_stay)) {
    ref_names_add(link, number, input->name);
  }
  if (extern_shared) {
    ref_object_define_shared(link, file_number, input, number);
    link->symbols[number].section = REF_NONE;
  }
  return number;
}

/* A dead kernel's own shared objects still make `.nv.shared.K`, of which only the name stays (W2.1). RF651: one without a size is extern shared
 * memory all the same (W9.8), and one with a visibility ends the link (E68); RF1257: not by default (D112). */
static void ref_object_name_dead_section(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (!ref_object_is_shared(input) || input->section >= file->cubin.section_count) {
    return;
  }
  ref_names_add_section(link, REF_NONE, file->cubin.sections[input->section].name);
  link->has_dead_extern = link->has_dead_extern || input->size == 0;
  if ((input->other & VISIBILITY) > INTERNAL) {
    const size_t owner = file->function_of[ref_merge_owner(file, input->section)];
    const bool of_kernel = owner == REF_NONE || link->functions[owner].entry;
    link->has_dead_parameter = link->has_dead_parameter || (of_kernel && link->job->bug_compatible);
    link->has_dead_hidden = link->has_dead_hidden || !of_kernel; /* RF801 */
  }
}

/* RF36: kernel parameters that are textures have local symbols, which are one by name all the same. */
static bool ref_object_find_parameter(ref_link *link, ref_file *file, uint32_t index) {
  const ref_symbol *input = &file->cubin.symbols[index];
  if (ref_bindless_mask_of(input->info & 15) == 0) {
    return false;
  }
  file->symbol_of[index] = ref_map_find(&link->texture_parameters, input->name);
  if (file->symbol_of[index] == REF_NONE && !link->is_capsule) { /* RF1126 */
    file->symbol_of[index] = ref_map_find(&link->symbol_by_name, input->name);
  }
  return file->symbol_of[index] != REF_NONE;
}

/* RF85: the parameter of a deleted kernel, unless a kernel that stays has one of its name before it. */
static void ref_object_note_dead_parameter(ref_link *link, const ref_file *file, const ref_symbol *input) {
  const uint32_t owner = ref_merge_owner(file, input->section);
  if (ref_bindless_mask_of(input->info & 15) != 0 && !link->functions[file->function_of[owner]].live) {
    link->has_dead_parameter = true;
  }
}

/* RF59: compiler constants of dead functions and of second strong bodies are looked at in their turn; those of losing weak
 * bodies wait for the section pass (W8.8). */
static void ref_object_place_lost_constants(ref_link *link, size_t file_number, const ref_symbol *input) {
  const ref_file *file = &link->files[file_number];
  const uint32_t owner = ref_merge_owner(file, input->section);
  if (owner != 0 && file->cubin.sections[input->section].type == link->view->optimizer_type &&
      (file->body_of[owner] != REF_BODY_LOSES || file->cubin.symbols[owner].info >> 4 != REF_BIND_WEAK)) {
    (void)ref_object_place_section(link, file_number, input->section);
  }
}

/* RF101: with -r `.nv.ptx.const0.size`, which every file has for itself, is one symbol; its value is set when all is merged. */
static void ref_object_merge_constant_size(ref_link *link, const ref_symbol *input) {
  if (!link->relocatable || !REF_IS(input->name, ".nv.ptx.const0.size") || link->constant_size_symbol != 0) {
    return;
  }
  link->constant_size_symbol = ref_symbol_add(link, input->name, REF_BIND_LOCAL, REF_SYMBOL_CUDA_OBJECT, input->other);
  link->symbols[link->constant_size_symbol].size = input->size;
  ref_names_add(link, link->constant_size_symbol, input->name);
}

/* RF774: a losing kernel's parameters under another name than those of the body that stands are a section of their own; RF888: where that has
 * none so far, they are there with the first symbol. */
static bool ref_object_is_in_other_bank(const ref_link *link, const ref_file *file, const ref_symbol *input) {
  const size_t bank = link->functions[file->function_of[ref_merge_owner(file, input->section)]].constant0;
  return !link->is_capsule &&
         (bank == REF_NONE || strcmp(link->sections[bank].name, file->cubin.sections[input->section].name) != 0);
}

/* W8.3: with -r (and -preserve-relocs, RF112) a losing kernel's symbols in its parameters (`_param`) are there again, in the winner's section. */
static void ref_object_add_lost_parameter(ref_link *link, size_t file_number, uint32_t index) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  const uint32_t owner = ref_merge_owner(file, input->section);
  const bool counts = (input->other & VISIBILITY) == INTERNAL && !link->is_capsule; /* L163 */
  const bool wanted = link->relocatable || link->preserves || counts;
  if (!wanted || file->cubin.sections[input->section].type != REF_TYPE_CONSTANT) {
    return;
  }
  const bool appended = !link->functions[file->function_of[owner]].defined_weak_so_far && !link->is_capsule &&
                        ref_object_place_section(link, file_number, input->section);
  const bool other =
      ref_object_is_in_other_bank(link, file, input) && ref_object_place_section(link, file_number, input->section);
  const uint64_t offset = appended || other ? file->offset_in[input->section] : 0; /* RF307 */
  const size_t number = ref_object_create(link, file_number, input);
  ref_out_symbol *symbol = &link->symbols[number];
  symbol->section = other ? file->section_of[input->section] : link->functions[file->function_of[owner]].constant0;
  symbol->value = input->value + offset;
  file->symbol_of[index] = number;
}

/* RF1130: with -r an object of another memory space in the compiler's constants of a body that lost is there, in the section of their name. */
static void ref_object_add_lost_constant(ref_link *link, size_t file_number, uint32_t index) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  const uint8_t space = input->other & REF_SPACE_MASK;
  const uint32_t owner = ref_merge_owner(file, input->section);
  const bool lost = owner != 0 && link->functions[file->function_of[owner]].live &&
                    file->body_of[owner] == REF_BODY_LOSES && link->relocatable && !link->is_capsule;
  if (!lost || file->cubin.sections[input->section].type != link->view->optimizer_type || space == REF_SPACE_CONSTANT ||
      space == REF_SPACE_SHARED || !ref_object_place_section(link, file_number, input->section)) {
    return;
  }
  const size_t number = ref_object_create(link, file_number, input);
  link->symbols[number].section = file->section_of[input->section];
  link->symbols[number].value = input->value + file->offset_in[input->section];
  file->symbol_of[index] = number;
}

/* RF249: an undefined local object of CUDA's type is one that nobody else defines and nobody misses; but for the one that stands for a
 * size (RF49). RF665: so is one of type 1 that neither nvlink nor the driver provides. */
static bool ref_object_is_local_mention(const ref_symbol *input) {
  const bool plain = ref_object_is_plain(input) && (input->other & VISIBILITY) != INTERNAL; /* RF634 */
  return plain || ((input->info & 15) == REF_SYMBOL_CUDA_OBJECT && !REF_IS(input->name, ".nv.ptx.const0.size"));
}

/* RF68: an undefined variable or texture is global in the output, whatever its binding. RF665: a second texture is a second definition. */
static void ref_object_merge_undefined_local(ref_link *link, size_t file_number, uint32_t index) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  if (ref_object_is_local_mention(input)) {
    file->symbol_of[index] = ref_object_create(link, file_number, input); /* RF249 */
    return;
  }
  const bool nobodys = (input->other & VISIBILITY) == INTERNAL && !ref_symbol_is_provided(input->name); /* RF634 */
  if ((input->info & 15) == REF_SYMBOL_CUDA_OBJECT || nobodys) {
    return;
  }
  const size_t known = ref_map_find(&link->symbol_by_name, input->name);
  if (known != REF_NONE && ref_bindless_mask_of(input->info & 15) != 0) {
    ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '<input>'",
                    input->name, file->name);
    return;
  }
  if (known != REF_NONE) {
    ref_message_fatal(link, "RF68", "Internal error: adding global symbols of same name");
  }
  file->symbol_of[index] = ref_object_create(link, file_number, input);
  ref_map_set(link, &link->symbol_by_name, input->name, file->symbol_of[index]);
}

/* Code that a function of the file lies in, dead or not. */
static bool ref_object_is_in_function(const ref_file *file, uint32_t section) {
  const uint32_t owner = ref_function_primary(file, section);
  return (file->cubin.sections[section].flags & REF_FLAG_EXEC) != 0 && owner != 0 &&
         file->function_of[owner] != REF_NONE && file->cubin.symbols[owner].section == section;
}

/* RF608: a section of shared memory has a place as soon as one of its objects has come. */
static bool ref_object_comes_behind_shared(const ref_file *file, const ref_symbol *input) {
  for (const ref_symbol *before = file->cubin.symbols; before < input; before++) {
    if (before->section == input->section && (before->info & 15) == REF_SYMBOL_CUDA_OBJECT &&
        (before->other & REF_SPACE_MASK) == REF_SPACE_SHARED) {
      return file->cubin.sections[input->section].type == REF_TYPE_SHARED;
    }
  }
  return false;
}

/* L193, RF412: a texture, sampler or surface in a section that nothing has placed so far; those that are parameters lie in functions. nvlink
 * crashes on a common one (RF1198). */
static void ref_object_check_texture(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (input->section == REF_SECTION_COMMON && ref_bindless_mask_of(input->info & 15) != 0) {
    ref_message_fatal(link, "D46", "symbol '%s' in '%s' is a texture, sampler or surface, but common", input->name,
                      file->name);
  }
  const bool inside = input->section != 0 && input->section < file->cubin.section_count;
  if (inside && ref_bindless_mask_of(input->info & 15) != 0 && file->section_of[input->section] == REF_NONE &&
      !ref_object_is_in_function(file, input->section) && !ref_object_comes_behind_shared(file, input)) {
    ref_message_fatal(link, "E64", "Internal error: section not mapped");
  }
}

/* RF1199: of a texture in the shared memory of a body that loses, which takes its place all the same (RF3), the text is the winner's. */
static void ref_object_move_to_winner(const ref_link *link, const ref_file *file, const ref_symbol *input,
                                      ref_out_symbol *symbol) {
  if (link->is_capsule || file->cubin.sections[input->section].type != REF_TYPE_SHARED) {
    return;
  }
  const uint32_t owner = ref_object_shared_owner(link, file, input->section);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  if (function != REF_NONE) {
    symbol->section = link->functions[function].text;
  }
}

static void ref_object_merge_local(ref_link *link, size_t file_number, uint32_t index) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  if (ref_object_find_parameter(link, file, index)) {
    return;
  }
  if (input->section == 0) {
    ref_object_merge_constant_size(link, input);
    ref_object_merge_undefined_local(link, file_number, index);
    return;
  }
  if (input->section == REF_SECTION_COMMON) { /* as others, but for nobody else */
    file->symbol_of[index] = ref_object_create(link, file_number, input);
    ref_object_define(link, file_number, input, file->symbol_of[index]);
    return;
  }
  if (!ref_object_owner_takes_part(link, file, input)) {
    ref_object_note_dead_parameter(link, file, input);
    ref_object_name_dead_section(link, file, input);
    ref_object_place_lost_constants(link, file_number, input);
    ref_block_compare_banks(link, file, input->section);
    ref_object_add_lost_parameter(link, file_number, index);
    ref_object_add_lost_constant(link, file_number, index);
    return;
  }
  const bool common = input->section == REF_SECTION_COMMON; /* RF667: a variable for itself */
  if (ref_object_is_shared(input) && !common &&
      (ref_object_shared_section(link, file, input) == REF_NONE || ref_partial_take_object(link, file_number, input))) {
    return;
  }
  /* A section that the symbol makes comes before the symbol. */
  if (!ref_object_is_shared(input) && !common && !ref_object_place(link, file_number, input) &&
      file->section_of[input->section < file->cubin.section_count ? input->section : 0] == REF_NONE) {
    return;
  }
  const size_t number = ref_object_create(link, file_number, input);
  file->symbol_of[index] = number;
  ref_object_define(link, file_number, input, number);
  if (ref_bindless_mask_of(input->info & 15) != 0) {
    ref_map_set(link, &link->texture_parameters, input->name, number);
    link->symbols[number].value = 0; /* RF373: whatever the input says */
    ref_object_move_to_winner(link, file, input, &link->symbols[number]);
  }
}

/* RF53: after a strong definition without initialiser a common symbol is one in its place alone. */
static bool ref_object_is_common(const ref_out_symbol *symbol) {
  return symbol->common && !symbol->common_is_defined;
}

static bool ref_object_is_defined(const ref_out_symbol *symbol) {
  return symbol->section != REF_NONE || symbol->common || symbol->is_weak_after_common;
}

/* RF534: with which a further definition's is compared; a texture, sampler or surface has none, whatever its st_other is. */
static uint8_t ref_object_other(const ref_out_symbol *old) {
  return ref_bindless_mask_of(old->type) != 0 ? 0 : old->other;
}

static bool ref_object_is_elsewhere(const ref_symbol *input, const ref_out_symbol *old) {
  return (input->other & REF_SPACE_MASK) != (ref_object_other(old) & REF_SPACE_MASK);
}

/* L752: extern shared memory so far, be it what `-r` wrote of it (RF668), and a definition elsewhere. */
static bool ref_object_is_extern_array(const ref_symbol *input, const ref_out_symbol *old) {
  return old->is_extern_shared && input->section != 0 && ref_object_is_elsewhere(input, old);
}

/* RF11: sizes may differ between two common symbols, and between a common symbol and an initialised variable. RF31: a size
 * of 0 (`extern g[]`) is none; RF202: a definition has its size, also 0. L752: in another space a common symbol is one definition
 * among others. */
static bool ref_object_sizes_may_differ(const ref_link *link, const ref_file *file, const ref_symbol *input,
                                        const ref_out_symbol *old) {
  const bool common = input->section == REF_SECTION_COMMON;
  const bool initialised = !common && input->section != 0 && input->section < file->cubin.section_count &&
                           file->cubin.sections[input->section].type != REF_TYPE_GLOBAL;
  const bool old_common = ref_object_is_common(old);
  const bool old_initialised =
      !old->common && old->section != REF_NONE && link->sections[old->section].type != REF_TYPE_GLOBAL;
  if (ref_object_is_extern_array(input, old)) {
    return !common;
  }
  if ((input->size == 0 && input->section == 0) || (old->size == 0 && !ref_object_is_defined(old))) {
    return true;
  }
  const bool array = old->is_extern_shared && old->size == 0; /* RF374: what an earlier link wrote of it, too */
  if (array && (input->section == 0 || !ref_object_is_elsewhere(input, old))) {
    return true;
  }
  if (ref_object_is_elsewhere(input, old)) {
    return false;
  }
  return (common && (old_common || old_initialised)) || (initialised && old_common);
}

/* RF108: what `-r` made of `extern __shared__`, a definition of size 0, after one or after a sized one. nvlink refuses it; by
 * default it is a further mention behind one without a size (D87), and refused behind a sized one, too, since its code has the places of
 * extern shared memory already (D6). */
static bool ref_object_is_extern_again(const ref_symbol *input, const ref_out_symbol *old) {
  return input->section != 0 && input->size == 0 && ref_object_is_shared(input) &&
         (old->is_extern_shared || old->size != 0);
}

/* RF187: the mention of a texture, sampler or surface is a second definition where it is weak, or where its name is that of
 * something else so far. */
static bool ref_object_is_texture_again(const ref_symbol *input, const ref_out_symbol *old) {
  const uint8_t type = input->info & 15;
  return input->section == 0 && ref_bindless_mask_of(type) != 0 &&
         (input->info >> 4 == REF_BIND_WEAK || old->type != type || old->section != REF_NONE); /* L701 */
}

/* E23, E24, E22, E21, E28 in this order (C84). */
static void ref_object_check(ref_link *link, size_t file_number, const ref_symbol *input, const ref_out_symbol *old) {
  const char *file = link->files[file_number].name;
  const bool undefined_texture = old->type >= REF_SYMBOL_TEXTURE && old->type <= REF_SYMBOL_SURFACE;
  const char *first = undefined_texture ? "<input>" : link->files[old->mention_file].name;
  const bool common = input->section == REF_SECTION_COMMON;
  const bool defined = input->section != 0;
  const bool elsewhere = ref_object_is_elsewhere(input, old);
  const bool old_defined = (ref_object_is_defined(old) && !ref_object_is_common(old) && !old->is_extern_shared) ||
                           ref_object_is_extern_array(input, old);
  const bool extern_again = ref_object_is_extern_again(input, old);
  const bool texture = ref_bindless_mask_of(input->info & 15) != 0; /* L753: it is a second definition, nothing else */
  if (elsewhere && !texture) {
    ref_message_add(link, REF_ERROR, "E23", "Memory space doesn't match for '%s' in '%s', first specified in '%s'",
                    input->name, file, first);
  }
  if ((input->other & MANAGED) != (ref_object_other(old) & MANAGED) && !texture) {
    ref_message_add(link, REF_ERROR, "E24", "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'",
                    input->name, file, first);
  }
  const bool forgiven = !link->job->bug_compatible && old->size == 0; /* D87 */
  const bool may_differ =
      extern_again ? forgiven : ref_object_sizes_may_differ(link, &link->files[file_number], input, old);
  if (input->size != old->size && !undefined_texture && !may_differ) {
    ref_message_add(link, REF_ERROR, "E22", "Size doesn't match for '%s' in '%s', first specified in '%s'", input->name,
                    file, first);
  }
  if (ref_object_is_texture_again(input, old)) {
    ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", input->name,
                    file, first);
  }
  const bool old_place = old_defined || old->is_extern_shared;
  const bool counts = defined && (!common || old->common || elsewhere);
  const bool both = extern_again ? !forgiven && old_place : counts && old_defined;
  if (both && input->info >> 4 != REF_BIND_WEAK && old->bind != REF_BIND_WEAK) {
    ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", input->name,
                    file, first);
  }
}

/* --trace: a weak definition behind one that stays. */
static void ref_object_trace_lost(ref_link *link, const ref_symbol *input) {
  if (input->info >> 4 == REF_BIND_WEAK) {
    ref_trace_tell(link, REF_TRACE_MERGE, "weak %s already processed", input->name);
  }
}

/* RF849, RF1116, RF1313: what is about a weak definition that counts for nothing goes as with a body that loses. */
static void ref_object_lose(ref_link *link, size_t file_number, const ref_symbol *input) {
  const uint32_t index = (uint32_t)(input - link->files[file_number].cubin.symbols);
  ref_object_trace_lost(link, input);
  link->files[file_number].lost[index] = true;
  ref_weak_note_lost_variable(link, file_number, index);
}

/* RF1380: of an initialised one behind a common one the bytes stay, and what is carried out in them. */
static void ref_object_ignore(ref_link *link, size_t file_number, const ref_symbol *input) {
  const uint32_t index = (uint32_t)(input - link->files[file_number].cubin.symbols);
  link->files[file_number].lost[index] = true;
  ref_indices_add(link, &link->files[file_number].ignored_variables, index);
}

/* W3.12: common, then a definition without initialiser: the symbol stays common and the block stays as dead bytes. RF53:
 * a weak one is ignored, without bytes; after a strong one a further common symbol is a second definition. */
static void ref_object_keep_common(ref_link *link, size_t file_number, const ref_symbol *input, size_t number) {
  ref_out_symbol *old = &link->symbols[number];
  old->size = ref_larger(input->size, old->size);
  if (input->info >> 4 != REF_BIND_WEAK) {
    old->common_is_defined = true;
    old->bind = REF_BIND_GLOBAL;
    (void)ref_object_place_section(link, file_number, input->section);
  } else {
    ref_object_lose(link, file_number, input);
  }
}

/* D9: the alignment stays that of the first file; by default the largest. */
static void ref_object_join_commons(ref_link *link, size_t file_number, const ref_symbol *input, ref_out_symbol *old) {
  if (input->size > old->size) {
    ref_trace_tell(link, REF_TRACE_MERGE, "increase size of common %s", input->name);
    old->size = input->size;
    old->mention_file = file_number;
    old->definition_file = file_number;
  }
  if (!link->job->bug_compatible) {
    old->value = ref_larger(input->value, old->value);
  }
}

/* V10, E28: common and common, common and definition. */
static void ref_object_merge_common(ref_link *link, size_t file_number, const ref_symbol *input, size_t number) {
  ref_out_symbol *old = &link->symbols[number];
  const ref_file *file = &link->files[file_number];
  if (input->section == REF_SECTION_COMMON && !old->common) {
    const bool placed = old->section != REF_NONE; /* D19: else it has no section to compare with */
    const bool global = placed && link->sections[old->section].type == REF_TYPE_GLOBAL;
    if (!ref_object_is_defined(old)) {
      const uint8_t bind = old->bind;
      ref_object_define(link, file_number, input, number);
      link->symbols[number].bind = bind;                /* RF957 */
      link->symbols[number].mention_file = file_number; /* RF11 */
    } else if (global && input->info >> 4 == REF_BIND_WEAK) {
      ref_object_lose(link, file_number, input); /* RF667, RF1312 */
    } else if (global && old->bind != REF_BIND_WEAK) {
      ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", input->name,
                      file->name, link->files[old->mention_file].name);
    } else if (global) {
      const uint8_t bind = old->bind;
      ref_object_define(link, file_number, input, number); /* weak .global, then .common: moved, V10 */
      link->symbols[number].bind = bind;                   /* RF53 */
      link->symbols[number].mention_file = file_number;
    } else if (placed && input->size > old->size) {
      ref_message_add(link, REF_ERROR, "E28", "Common symbol '%s' in file '%s' has larger size than initialization",
                      input->name, file->name);
    }
    return;
  }
  if (input->section == REF_SECTION_COMMON) {
    ref_object_join_commons(link, file_number, input, old);
    return;
  }
  const uint32_t type = file->cubin.sections[input->section].type;
  if (type == REF_TYPE_GLOBAL) {
    ref_object_keep_common(link, file_number, input, number);
    return;
  }
  if (old->size > input->size) {
    ref_message_add(link, REF_ERROR, "E28", "Common symbol '%s' in file '%s' has larger size than initialization",
                    input->name, link->files[old->definition_file].name);
  }
  if (input->info >> 4 != REF_BIND_WEAK) {
    ref_trace_tell(link, REF_TRACE_MERGE, "global.init replaces common for %s", input->name);
  }
  old->common = false;
  old->mention_file = file_number;
  if (input->info >> 4 == REF_BIND_WEAK) {
    old->is_weak_after_common = true; /* its block has no place and its size is not taken (D19) */
    old->bind_of_common = old->bind;
    old->bind = REF_BIND_WEAK;
    old->definition_file = file_number;
    ref_object_ignore(link, file_number, input);
    return;
  }
  ref_object_define(link, file_number, input, number);
}

/* D82: shared memory that is mentioned without a size and then defined with one: nvlink never gives it a place. */
static void ref_object_size_extern(ref_link *link, size_t file_number, const ref_symbol *input, size_t number) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    if (link->shared_objects.items[i] == number && (!link->job->bug_compatible || link->relocatable)) {
      link->shared_objects.items[i] = REF_NONE; /* only the definition counts; else both are sorted (RF275) */
    }
  }
  ref_object_define(link, file_number, input, number);
  if (link->job->bug_compatible) {
    const uint64_t none = link->relocatable ? link->symbols[number].mentioned_value : UINT64_MAX; /* RF103, RF805 */
    link->symbols[number].further_places++;
    link->symbols[number].has_no_place = true;
    link->symbols[number].value = ref_options_keep_shared_symbols(link) ? 0 : none; /* RF61 */
  } else {
    link->symbols[number].dropped = ref_object_has_no_symbol(link, &link->files[file_number], input); /* RF136 */
    link->symbols[number].has_no_name = false;
  }
}

static void ref_object_merge_again(ref_link *link, size_t file_number, uint32_t index, size_t number) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  ref_out_symbol *old = &link->symbols[number];
  const bool old_defined = ref_object_is_defined(old);
  ref_object_check(link, file_number, input, old);
  if (input->section == 0 || old->common_is_defined) {
    return;
  }
  if (input->info >> 4 == REF_BIND_GLOBAL && (!old_defined || old->bind == REF_BIND_WEAK)) {
    ref_object_check_entry_data(link, file, input); /* RF668 */
  }
  if (input->section == REF_SECTION_COMMON || (old->common && input->section < file->cubin.section_count)) {
    if (!ref_object_is_elsewhere(input, old)) { /* L752 */
      ref_object_merge_common(link, file_number, input, number);
    }
  } else if (old->is_extern_shared && input->size != 0) {
    ref_object_size_extern(link, file_number, input, number);
  } else if (!old_defined && !old->is_extern_shared) {
    ref_object_define(link, file_number, input, number);
    link->symbols[number].defined_type = input->info & 15;
    if (ref_bindless_mask_of(link->symbols[number].type) != 0 && ref_bindless_mask_of(input->info & 15) == 0) {
      link->symbols[number].type = REF_SYMBOL_CUDA_OBJECT; /* RF1188: what entries ask is the definition */
    }
  } else if (old->bind == REF_BIND_WEAK && input->info >> 4 == REF_BIND_GLOBAL) {
    ref_weak_drop_constant_entries(link, number);
    ref_object_define(link, file_number, input, number);
  } else {
    file->lost[index] = true;
    ref_object_trace_lost(link, input);
    if (old->bind == REF_BIND_WEAK) {
      ref_weak_note_lost_variable(link, file_number, index);
    }
  }
}

/* RF1126: of two textures, samplers or surfaces of a name the second is another definition where it is weak or of another type, where it is
 * local and the first is not defined, and where it is global and the first is. */
static bool ref_object_is_second_texture(const ref_link *link, const ref_symbol *input, const ref_out_symbol *old) {
  const uint8_t bind = input->info >> 4;
  const bool defined = old->section != REF_NONE;
  const bool clashes = bind == REF_BIND_LOCAL ? !defined : defined;
  return !link->is_capsule && (bind == REF_BIND_WEAK || old->type != (input->info & 15) || clashes);
}

/* RF1191: a capsule's compiler constants have no symbol in an executable by which they could be found. */
static bool ref_object_is_unnamed(const ref_out_symbol *symbol) {
  return symbol->dropped && (symbol->other & VISIBILITY) == INTERNAL &&
         (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT;
}

/* L159, RF409: a texture, sampler or surface, whatever its binding, beside whatever else has its name so far: nothing but E21. */
static bool ref_object_texture_clashes(ref_link *link, ref_file *file, const ref_symbol *input) {
  if (ref_bindless_mask_of(input->info & 15) == 0) {
    return false;
  }
  if (ref_clash_object_with_function(link, file, input)) {
    return true;
  }
  const size_t global = ref_map_find(&link->symbol_by_name, input->name); /* L1714, RF1202: before local ones */
  const size_t number = global != REF_NONE ? global : ref_named_find_first(link, input->name);
  const bool texture = number != REF_NONE && ref_bindless_mask_of(link->symbols[number].type) != 0;
  if (number == REF_NONE || (texture && !ref_object_is_second_texture(link, input, &link->symbols[number])) ||
      (link->is_capsule && ref_object_is_unnamed(&link->symbols[number]))) {
    return false;
  }
  const size_t mention = link->symbols[number].mention_file;
  ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", input->name,
                  file->name, mention == REF_NONE || texture ? "<input>" : link->files[mention].name);
  return true;
}

/* RF651: what lies in a dead kernel's parameters goes with them, whatever its binding. An internal one leaves nothing, a global one its name, and
 * a weak one ends the link (E68). */
static bool ref_object_goes_with_parameters(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (input->section == 0 || input->section >= file->cubin.section_count || ref_object_is_shared(input) ||
      file->cubin.sections[input->section].type != REF_TYPE_CONSTANT || link->is_capsule ||
      ref_object_owner_takes_part(link, file, input) ||
      link->functions[file->function_of[ref_merge_owner(file, input->section)]].live) {
    return false;
  }
  const bool internal = (input->other & VISIBILITY) == INTERNAL;
  if (!internal) {
    ref_names_add(link, REF_NONE, input->name);
  }
  link->has_dead_parameter = link->has_dead_parameter || (!internal && input->info >> 4 == REF_BIND_WEAK);
  return true;
}

/* Whose section it is; of other data than shared memory its sh_info says so, whatever its type. */
static uint32_t ref_object_texture_owner(ref_link *link, const ref_file *file, uint32_t section) {
  const ref_section *input = &file->cubin.sections[section];
  if (input->type == REF_TYPE_SHARED) {
    return ref_object_shared_owner(link, file, section);
  }
  const uint32_t owner = ref_merge_owner(file, section);
  const bool code = (input->flags & REF_FLAG_EXEC) != 0;
  return owner != 0 || code || !ref_merge_is_text(file, input->info) ? owner : ref_merge_text_owner(file, input->info);
}

/* RF1120: a texture, sampler or surface lies in the text of the function whose section it is in; what is in nobody's is mentioned there. */
static void ref_object_settle_texture(ref_link *link, ref_file *file, ref_symbol *input) {
  if (ref_bindless_mask_of(input->info & 15) == 0) {
    return;
  }
  if (link->is_capsule && input->section < file->cubin.section_count &&
      (file->cubin.sections[input->section].flags & REF_FLAG_EXEC) == 0) { /* RF1256 */
    file->owner_of = NULL;                                                 /* sh_info may name a texture */
    input->section = input->raw_section = 0;
    input->value = 0;
    return;
  }
  if (link->is_capsule || input->section == 0 || input->section >= file->cubin.section_count) {
    return;
  }
  const uint32_t owner = ref_object_texture_owner(link, file, input->section);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  file->owner_of = NULL;
  if (function == REF_NONE) {
    input->section = 0;
    input->info = (uint8_t)(REF_BIND_GLOBAL << 4 | (input->info & 15));
    input->other = 0;
  } else if (link->functions[function].live && file->body_of[owner] != REF_BODY_LOSES) {
    input->section = file->cubin.symbols[owner].section;
    input->other = 0;
    input->size = 0;
  }
}

static void ref_object_merge_symbol(ref_link *link, size_t file_number, uint32_t index) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[index];
  ref_object_check_texture(link, file, input);
  ref_object_settle_texture(link, file, &file->cubin.symbols[index]);
  if (ref_object_texture_clashes(link, file, input)) {
    return;
  }
  const bool parameter = ref_bindless_mask_of(input->info & 15) != 0 && input->section != 0 &&
                         input->section < file->cubin.section_count && !link->is_capsule;
  if (parameter) { /* RF1126: what is defined is a parameter, whatever its binding */
    file->cubin.symbols[index].info = input->info & 15;
  }
  if (input->info >> 4 == REF_BIND_LOCAL) {
    ref_object_merge_local(link, file_number, index);
    return;
  }
  const size_t old = ref_map_find(&link->symbol_by_name, input->name);
  if (input->info >> 4 == REF_BIND_GLOBAL && old == REF_NONE) {
    ref_object_check_entry_data(link, file, input);
  }
  if (ref_clash_object_with_function(link, file, input)) {
    return;
  }
  if (ref_object_is_shared(input) && input->section != 0 && !ref_object_owner_takes_part(link, file, input)) {
    ref_object_name_dead_section(link, file, input);
    return;
  }
  if (old == REF_NONE && ref_object_goes_with_parameters(link, file, input)) {
    return;
  }
  if (old != REF_NONE) {
    file->symbol_of[index] = old;
    ref_object_merge_again(link, file_number, index, old);
    return;
  }
  if (input->section != 0 && input->section < file->cubin.section_count && ref_object_is_shared(input)) {
    (void)ref_object_shared_section(link, file, input);
  } else {
    (void)ref_object_place(link, file_number, input);
  }
  const size_t number = ref_object_create(link, file_number, input);
  file->symbol_of[index] = number;
  ref_map_set(link, &link->symbol_by_name, input->name, number);
  if (input->section != 0) {
    ref_object_define(link, file_number, input, number);
  }
}

/* RF35: the one symbol that a capsule linked as SASS does not bring, unless an object of SASS kind came before it. RF988: it does where its code
 * has no such address written into it. */
static bool ref_object_is_other_view(const ref_link *link, size_t file_number, const ref_symbol *input) {
  if (link->is_capsule || input->section != 0 || !REF_IS(input->name, ".nv.reservedSmem.cap") ||
      !link->files[file_number].writes_reserved) {
    return false;
  }
  for (size_t i = 0; i <= file_number; i++) {
    if ((link->files[i].cubin.flags & REF_KIND_CAPSULE) == 0) {
      return false;
    }
  }
  return true;
}

/* RF115, RF589: what nvlink makes of extern shared memory with -r, whatever its name: a variable can have that name. */
static bool ref_object_is_instance(const ref_symbol *input) {
  return (input->other & VISIBILITY) == INTERNAL;
}

/* D of W9.8: also of what has no size. W12.8, D59: by default not the offset that an earlier `-r` wrote into `externsharedinstance`, of the
 * first one, and what other names have (RF532). */
static void ref_object_raise_pool_align(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (!ref_object_is_shared(input)) {
    return;
  }
  const bool is_align = link->job->bug_compatible || !ref_object_is_instance(input);
  const bool instance = is_align && input->section == 0 && input->size == 0 &&
                        ref_map_find(&link->symbol_by_name, input->name) == REF_NONE;
  const bool in_pool = input->section != 0 && ref_object_shared_owner(link, file, input->section) == 0;
  const size_t number = (size_t)(file - link->files);
  if (ref_partial_has_array(link, number, input)) {
    return;
  }
  if (instance || in_pool) {
    const bool placed = ref_partial_places_new(link, (size_t)(file - link->files), input);
    link->debug_shared_align = ref_larger(placed ? 1 : (uint32_t)input->value, link->debug_shared_align); /* RF840 */
  }
}

/* RF1119: beside capsules a constant that lies in the compiler's constants is local and internal, whatever its binding and visibility. */
static void ref_objects_make_constants_local(const ref_link *link, ref_file *file) {
  const uint8_t type_mask = 15;
  for (size_t i = 1; i < file->cubin.symbol_count && !link->is_capsule; i++) {
    ref_symbol *symbol = &file->cubin.symbols[i];
    const uint8_t type = symbol->info & type_mask;
    if ((type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT) && symbol->section < file->cubin.section_count &&
        (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT &&
        file->cubin.sections[symbol->section].type == link->view->optimizer_type) {
      symbol->info = REF_SYMBOL_CUDA_OBJECT;
      symbol->other = REF_SPACE_CONSTANT | INTERNAL;
    }
  }
}

void ref_objects_merge(ref_link *link, size_t file_number) {
  const ref_file *file = &link->files[file_number];
  ref_objects_make_constants_local(link, &link->files[file_number]);
  ref_partial_take_pools(link, file_number);
  ref_partial_take_alone_kernels(link, file_number, false);
  for (uint32_t i = 0; i < file->cubin.symbol_count; i++) {
    const ref_symbol *input = &file->cubin.symbols[i];
    if (!ref_object_is_data(input->info & 15) || ref_object_is_other_view(link, file_number, input)) {
      continue;
    }
    ref_object_raise_pool_align(link, file, input);
    ref_object_merge_symbol(link, file_number, i);
    ref_partial_take_alone(link, file_number, i);
  }
}

/* D19: nvlink crashes once all files are merged, unless a strong definition came. RF1293: not with -r, where such a symbol is common, at no place;
 * RF1312: with the binding that the common one had and the value from before. */
static void ref_objects_check_common(ref_link *link, ref_out_symbol *symbol) {
  if (symbol->is_weak_after_common && link->relocatable && link->job->bug_compatible) {
    symbol->common = true;
    symbol->bind = symbol->bind_of_common;
    symbol->section = REF_NONE;
    symbol->value = symbol->value_before_common;
  } else if (symbol->is_weak_after_common && link->is_capsule && link->job->bug_compatible) {
    ref_message_fatal(link, "E68", "Internal error: reference to deleted section");
  } else if (symbol->is_weak_after_common) {
    ref_message_fatal(link, "D19", "weak initialised variable '%s' in '%s' after a common one", symbol->name,
                      link->files[symbol->definition_file].name);
  }
}

/* D3: nvlink gives common symbols their place with -r too, so that they are none any more. By default they stay common. */
static bool ref_objects_leave_commons(const ref_link *link) {
  return link->relocatable && !link->job->bug_compatible;
}

/* W3.7: after all files, what became common last comes first (not: the last mentioned). */
void ref_objects_allocate_commons(ref_link *link) {
  for (size_t i = link->commons.count; i-- > 0;) {
    ref_out_symbol *symbol = &link->symbols[link->commons.items[i]];
    ref_objects_check_common(link, symbol);
    if (symbol->common && ref_objects_leave_commons(link)) {
      symbol->section = REF_NONE; /* RF588: that of a weak definition in front */
    }
    if (!symbol->common || symbol->is_weak_after_common || ref_objects_leave_commons(link)) {
      continue;
    }
    size_t section = ref_map_find(&link->section_by_name, ".nv.global");
    if (section == REF_NONE) {
      section = ref_section_add_with_symbol(link, ".nv.global", REF_TYPE_GLOBAL, REF_FLAG_WRITE | REF_FLAG_ALLOC, 1, 0);
    }
    symbol = &link->symbols[link->commons.items[i]];
    const ref_section block = {.name = symbol->name, .size = symbol->size, .align = symbol->value};
    symbol->value = ref_section_append(link, section, &block);
    symbol->section = section;
  }
}
