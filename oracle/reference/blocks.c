/* Data, constant and debug sections as blocks (W3.3, W3.6, W3.8, W3.10, W8.8, RF715, RF771, RF772, RF776, RF795, RF836, RF896,
 * RF1110, RF1112, RF1113). */
#include "link.h"

#include <string.h>

enum { UNIFIED_ENTRY = 32 };

static bool ref_merge_is_object(const ref_symbol *symbol) {
  const uint8_t type = symbol->info & 15;
  return type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT;
}

/* When a section gets its place: at the first object in it, or behind all objects, in the order of the sections (L1110). */
static uint64_t ref_merge_turn(const ref_cubin *cubin, uint32_t section) {
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    if (cubin->symbols[i].section == section && ref_merge_is_object(&cubin->symbols[i])) {
      return i;
    }
  }
  return (uint64_t)cubin->symbol_count + section;
}

/* RF621: constants of which sh_info names a function's constants or shared memory that got their place before them are the function's. */
static bool ref_merge_follows(const ref_cubin *cubin, uint32_t section, uint32_t next) {
  const uint32_t type = cubin->sections[next].type;
  return ref_section_type_is_constant(cubin->sections[section].type) &&
         (type == REF_TYPE_SHARED || ref_section_type_is_constant(type)) &&
         (cubin->sections[next].flags & REF_FLAG_INFO) != 0 &&
         ref_merge_turn(cubin, next) < ref_merge_turn(cubin, section);
}

/* RF646: a section that a function lies in is a text, whatever its flags say. */
bool ref_merge_is_text(const ref_file *file, uint32_t section) {
  if (section >= file->cubin.section_count) { /* a sh_info may name any */
    return false;
  }
  const ref_section *input = &file->cubin.sections[section];
  return input->type != REF_TYPE_SHARED &&
         ((input->flags & REF_FLAG_EXEC) != 0 || ref_function_owns_text(file, section));
}

/* Parameters, compiler constants (RF776) and shared memory are what they are, whatever their flags say. */
static bool ref_merge_is_named(const ref_section *section) {
  return section->type == REF_TYPE_CONSTANT || section->type == REF_TYPE_CONSTANT + 2 ||
         (section->type == REF_TYPE_SHARED && strncmp(section->name, ".nv.shared.", 11) == 0);
}

/* RF771: a function that lies in another section has no part in the text that names it. */
uint32_t ref_merge_text_owner(const ref_file *file, uint32_t section) {
  const uint32_t owner = ref_function_primary(file, section);
  const uint32_t lies_in = owner == 0 ? 0 : file->cubin.symbols[owner].section;
  const bool capsule = (file->cubin.flags & REF_KIND_CAPSULE) != 0;
  return capsule || lies_in == 0 || lies_in == section ? owner : 0;
}

static uint32_t ref_merge_find_owner(const ref_file *file, uint32_t section) {
  const ref_cubin *cubin = &file->cubin;
  while (section < cubin->section_count) {
    const ref_section *input = &cubin->sections[section];
    const bool named = ref_merge_is_named(input);
    if (!named && input->type == REF_TYPE_SHARED) {
      return 0; /* RF759: that of another name is the pool's */
    }
    if (!named && ref_merge_is_text(file, section)) {
      return ref_merge_text_owner(file, section);
    }
    if ((!named && (input->flags & REF_FLAG_INFO) == 0) || input->info >= cubin->section_count) {
      return 0;
    }
    const bool names_text = ref_merge_is_text(file, input->info) && !ref_merge_is_named(&cubin->sections[input->info]);
    if (!names_text && !ref_merge_follows(cubin, section, input->info)) { /* RF620 */
      return 0;
    }
    section = input->info;
  }
  return 0;
}

/* The function that a section with flag 0x40, parameters and shared memory without it too, belongs to, as an input symbol; 0 when there is
 * none. Asked about most sections several times. */
uint32_t ref_merge_owner(const ref_file *file, uint32_t section) {
  if (file->owner_of == NULL || section >= file->cubin.section_count) {
    return ref_merge_find_owner(file, section);
  }
  uint32_t *known = &file->owner_of[section];
  if (*known == 0) {
    *known = ref_merge_find_owner(file, section) + 1;
  }
  return *known - 1;
}

static void ref_block_map(ref_file *file, uint32_t section, size_t number, uint64_t offset) {
  file->section_of[section] = number;
  file->offset_in[section] = offset;
}

static void ref_block_append(ref_link *link, ref_file *file, uint32_t section, size_t number) {
  const uint64_t offset = ref_section_append(link, number, &file->cubin.sections[section]);
  ref_block_map(file, section, number, offset);
}

/* RF619: a kernel may have several banks, and its own is the one that is called after it, or else the first. */
static void ref_block_note_bank(const ref_link *link, ref_function *function, size_t number, size_t table) {
  static const char prefix[] = ".nv.constant0.";
  const char *name = link->sections[number].name;
  const bool is_own =
      strncmp(name, prefix, sizeof prefix - 1) == 0 && strcmp(name + sizeof prefix - 1, function->name) == 0;
  if (function->constant0 == REF_NONE || is_own) {
    function->constant0 = number;
    function->bindless = table;
  }
}

/* W2.4, W10.5: the bindless table's entries stand in `.rel.nv.constant0.K`, made with every `.nv.constant0.K` of an executable. */
static size_t ref_block_add_bank_zero(ref_link *link, ref_function *function, const ref_section *input) {
  char *name = link->relocatable ? NULL : ref_memory_join(link, ".rel", input->name);
  if (name != NULL) {
    ref_names_add(link, REF_NONE, name);
  }
  const size_t number =
      ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, input->entry_size);
  size_t table = 0;
  if (name != NULL) {
    table = ref_section_add(link, name, REF_TYPE_REL, 0, 8, 16);
    link->sections[table].links_symtab = true;
    link->sections[table].info_section = number;
    link->sections[table].target = number;
  }
  ref_block_note_bank(link, function, number, table);
  return number;
}

/* M20, RF153: the bank of a capsule's kernel is as large as that of the body that stands, whatever others have; L1063, D145: so it is in
 * every relocatable output by default. */
static bool ref_block_replace_parameters(ref_link *link, ref_file *file, uint32_t section,
                                         const ref_function *function) {
  link->sections[function->constant0].data = (ref_bytes){0};
  link->sections[function->constant0].size = 0;
  ref_block_append(link, file, section, function->constant0);
  return true;
}

/* With which a weak kernel's bank is compared: that of the body before it; of a dead kernel (RF672) the one of its name. */
static size_t ref_block_standing_bank(const ref_link *link, const ref_section *input, const ref_function *function) {
  if (function->live) {
    const bool is_known = function->constant0 != REF_NONE && function->defined_weak_so_far;
    return is_known && strcmp(link->sections[function->constant0].name, input->name) == 0 ? function->constant0
                                                                                          : REF_NONE; /* RF1113 */
  }
  const size_t known = ref_map_find(&link->section_by_name, input->name);
  return known == REF_NONE || link->sections[known].type != REF_TYPE_CONSTANT ? REF_NONE : known;
}

/* E27 of two weak bodies, said once: at the first symbol in the bank, or behind all objects (L802, RF407). */
void ref_block_compare_banks(ref_link *link, ref_file *file, uint32_t section) {
  const ref_section *input = &file->cubin.sections[section];
  const uint32_t owner = ref_merge_owner(file, section);
  const size_t number = owner == 0 ? REF_NONE : file->function_of[owner];
  const ref_function *function = number == REF_NONE ? NULL : &link->functions[number];
  if (function == NULL || link->is_capsule || input->type != REF_TYPE_CONSTANT || file->compared_bank[section] ||
      file->cubin.symbols[owner].info >> 4 != REF_BIND_WEAK) {
    return;
  }
  const size_t standing = ref_block_standing_bank(link, input, function);
  if (standing == REF_NONE) {
    return;
  }
  file->compared_bank[section] = true;
  ref_trace_tell(link, REF_TRACE_MERGE, "duplicate param bank on weak entry %s", function->name);
  if (link->sections[standing].size != input->size) {
    ref_message_add(link, REF_ERROR, "E27", "Duplicate weak parameter bank for '%s' is not the same size",
                    function->name);
  }
}

/* A further body's parameters. Weak after weak: the first block is for both, and its size counts (E27, W8.2). RF47: with a
 * strong body, whichever wins, the block is appended, of whatever size. */
static bool ref_block_place_parameters_again(ref_link *link, ref_file *file, uint32_t section, uint32_t owner) {
  const ref_function *function = &link->functions[file->function_of[owner]];
  const bool is_strong = file->cubin.symbols[owner].info >> 4 != REF_BIND_WEAK || !function->defined_weak_so_far;
  if (link->is_capsule || (is_strong && ref_relocatable_is_default(link))) {
    return file->body_of[owner] == REF_BODY_REPLACES && ref_block_replace_parameters(link, file, section, function);
  }
  if (is_strong) {
    ref_block_append(link, file, section, function->constant0);
    return true;
  }
  ref_block_compare_banks(link, file, section);
  if (file->body_of[owner] != REF_BODY_LOSES) { /* RF672: a second bank of one file, too */
    ref_block_map(file, section, function->constant0, 0);
  }
  return false;
}

static void ref_block_note_lost_constants(ref_link *link, size_t number, uint64_t offset, const ref_section *input) {
  link->lost_constants = ref_memory_grow(link, link->lost_constants, link->lost_constant_count,
                                         &link->lost_constant_capacity, sizeof *link->lost_constants);
  link->lost_constants[link->lost_constant_count++] =
      (ref_constant_block){number, offset, input->size, input->align, false};
}

/* W8.8: a losing body's compiler constants go to the first block of that NAME (D7). */
static void ref_block_place_lost_constants(ref_link *link, ref_file *file, uint32_t section) {
  const ref_section *input = &file->cubin.sections[section];
  size_t number = ref_weak_find_block(link, input->name);
  if (number == REF_NONE) {
    const uint32_t owner = ref_merge_owner(file, section);
    ref_function *function = &link->functions[file->function_of[owner]];
    if (!function->live) {
      return;
    }
    number = input->type == REF_TYPE_CONSTANT /* RF619: another bank */
                 ? ref_block_add_bank_zero(link, function, input)
                 : ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, 0);
    link->sections[number].info_section = function->text;
    if (input->type != REF_TYPE_CONSTANT && function->entry && function->constant2 == REF_NONE) {
      function->constant2 = number; /* RF6: a kernel's image is found by its name too */
    }
    link->sections[number].is_stray = true;
  }
  ref_block_append(link, file, section, number);
  ref_block_note_lost_constants(link, number, file->offset_in[section], input);
}

/* RF59: a body's constants start where its function's do. What an earlier body left there (because D7 deleted another block of
 * that name, or because both bodies are strong) must be the same as far as both go. RF470: of a capsule its Mercury view alone, where
 * a table of jumps has no bytes. */
static void ref_block_check_overlap(ref_link *link, size_t number, const ref_section *input) {
  const ref_bytes old = link->sections[number].data;
  const size_t common = input->data == NULL ? 0 : (size_t)ref_smaller(old.size, input->size);
  if (common == 0 || (link->is_capsule && !link->view->is_mercury)) {
    return;
  }
  if (memcmp(old.data, input->data, common) != 0) {
    ref_message_fatal(link, "E73", "Internal error: overlapping non-identical data");
  }
}

/* RF470, L98: where an earlier body's constants were longer their end stays. */
static void ref_block_keep_end(ref_link *link, const ref_bytes *old, ref_section *input) {
  if (old->size <= input->size) {
    return;
  }
  ref_bytes both = {0};
  if (input->data != NULL) {
    ref_bytes_add(link, &both, input->data, (size_t)input->size);
  }
  ref_bytes_fill(link, &both, (size_t)input->size);
  ref_bytes_add(link, &both, old->data + input->size, old->size - (size_t)input->size);
  input->data = both.data;
  input->size = both.size;
}

/* The block where the function's own constants go, made when there is none. A dead function's has a name (RF59) and no bytes
 * in the output. With -r every function's is a section of its own. */
static size_t ref_block_find_own_constants(ref_link *link, size_t owner, ref_section *input) {
  ref_function *function = &link->functions[owner];
  size_t number = function->second_image != 0 ? function->second_image : function->constant2;
  const bool second = number != REF_NONE && number != function->second_image && link->sections[number].is_stray &&
                      link->job->bug_compatible; /* D85 */
  if (number != REF_NONE && !second) {
    ref_block_check_overlap(link, number, input);
    ref_block_keep_end(link, &link->sections[number].data, input);
    link->sections[number].align = link->relocatable ? link->sections[number].align : input->align; /* RF4, RF46 */
    link->sections[number].data.size = 0;
    link->sections[number].size = 0;
    return number;
  }
  if (!link->relocatable && (!function->live || !ref_function_has_own_image(function))) {
    if (function->live && function->entry && ref_function_is_root_by_name(link, function)) { /* RF1314 */
      function->image = ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, 0);
      link->sections[function->image].info_section = function->text;
    }
    number = ref_section_add_hidden(link, input->name, input->type, input->flags, input->align, 0);
    link->sections[number].constant_owner = owner;
    link->sections[number].dropped = !function->live;
  } else {
    number = ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, 0);
  }
  *(second ? &function->second_image : &function->constant2) = number;
  return number;
}

static bool ref_block_is_constant(const ref_symbol *symbol, uint32_t section) {
  return symbol->section == section && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT &&
         (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT;
}

/* RF95: two constants that overlap, neither inside the other. RF535: where the one that stands later in the symbol table begins first, it
 * is found when the file is written, if the function's constants are a section there, and else (L1127) where a kernel takes them. */
static void ref_block_check_spans(ref_link *link, const ref_file *file, uint32_t section, ref_function *function) {
  const ref_cubin *cubin = &file->cubin;
  const bool has_section = link->relocatable || ref_function_has_own_image(function);
  function->constants_overlap = false;
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    const ref_symbol *later = &cubin->symbols[i];
    for (size_t k = 1; ref_block_is_constant(later, section) && k < i; k++) {
      const ref_symbol *earlier = &cubin->symbols[k];
      const bool after = earlier->value < later->value;
      const ref_symbol *first = after ? earlier : later, *second = after ? later : earlier;
      if (!ref_block_is_constant(earlier, section) || earlier->value == later->value ||
          second->value - first->value >= first->size || second->size <= first->size - (second->value - first->value)) {
        continue;
      }
      if (after) {
        ref_message_fatal(link, "RF95", "Internal error: overlapping data spans too much");
      }
      function->constants_overlap = !has_section;
      if (has_section && function->live && link->mismatched_section == NULL) {                          /* RF649 */
        link->mismatched_section = ref_memory_join(link, link->view->optimizer_prefix, function->name); /* RF843 */
      }
    }
  }
}

/* RF109: a function's compiler constants are what its symbols name, and end with the last of them. In what `-r` wrote, bytes
 * of losing bodies may stand behind (W8.8). D88: symbols of replaced bodies may reach further than the section; nvlink takes what
 * the file has there. */
uint64_t ref_block_end_of_symbols(const ref_link *link, const ref_file *file, uint32_t section) {
  const ref_section *input = &file->cubin.sections[section];
  const uint64_t rest = file->cubin.size - ref_smaller(input->offset, file->cubin.size);
  const bool anew = input->data != NULL && input->data != file->cubin.bytes + (file->cubin.size - rest); /* M43 */
  const uint64_t limit = link->job->bug_compatible && !anew ? rest : input->size;                        /* D88 */
  uint64_t end = 0;
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    const bool inside = symbol->value <= limit && symbol->size <= limit - symbol->value;
    if (symbol->section == section && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT && inside) {
      end = ref_larger(symbol->value + symbol->size, end);
    }
  }
  return end;
}

/* L1131: symbols without a size, which leave an executable none of the section's constants. */
static bool ref_block_has_constants(const ref_file *file, uint32_t section) {
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    if (ref_block_is_constant(&file->cubin.symbols[i], section)) {
      return true;
    }
  }
  return false;
}

/* L1679: what lies in none of the symbols is zero. */
static void ref_block_clear_gaps(ref_link *link, const ref_file *file, uint32_t section, ref_section *constants) {
  ref_bytes covered = {0};
  if (constants->data == NULL || link->is_capsule) {
    return;
  }
  ref_bytes_fill(link, &covered, (size_t)constants->size);
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == section && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT && symbol->value <= covered.size) {
      const uint64_t size = ref_smaller(symbol->size, covered.size - symbol->value); /* D88 */
      memcpy(covered.data + symbol->value, constants->data + symbol->value, (size_t)size);
    }
  }
  constants->data = covered.data;
}

static void ref_block_place_optimizer(ref_link *link, ref_file *file, uint32_t section, uint32_t owner) {
  ref_section own_constants = file->cubin.sections[section]; /* RF116, L895: called after the function */
  own_constants.name = ref_memory_join(link, link->view->optimizer_prefix, file->cubin.symbols[owner].name);
  own_constants.flags = REF_FLAG_ALLOC | REF_FLAG_INFO; /* RF776, RF1140 */
  const ref_section *input = &own_constants;
  const size_t number = file->function_of[owner];
  const bool loses = file->body_of[owner] == REF_BODY_LOSES;
  own_constants.size = ref_block_end_of_symbols(link, file, section);
  const bool is_nothing =
      own_constants.size == 0 && (loses || link->relocatable || !ref_block_has_constants(file, section));
  if ((loses && file->cubin.symbols[owner].info >> 4 == REF_BIND_WEAK) || is_nothing) {
    ref_block_place_lost_constants(link, file, section);
    return;
  }
  if (own_constants.size != 0) {
    ref_block_clear_gaps(link, file, section, &own_constants);
  }
  if (loses) { /* E21 */
    const size_t own = link->functions[number].constant2;
    if (own != REF_NONE && !link->sections[own].is_stray) {
      ref_block_check_overlap(link, own, input);
    }
    return;
  }
  ref_block_check_spans(link, file, section, &link->functions[number]);
  const size_t block = ref_block_find_own_constants(link, number, &own_constants);
  if (link->functions[number].constants_file == REF_NONE) {
    link->functions[number].constants_file = (size_t)(file - link->files);
  }
  link->sections[block].info_section = link->functions[number].text;
  link->sections[block].stem = file->cubin.sections[section].name; /* L874, L895 */
  ref_block_map(file, section, block, ref_section_append(link, block, input));
}

/* L749: what ptxas laid out in a kernel of an -ewp object, in an executable with a section for the link's entries (L808), as a table has it
 * (W2.4). A further body's lies behind it (RF304). */
static size_t ref_block_add_laid_table(ref_link *link, ref_function *function, const ref_section *input) {
  if (function->laid_table != REF_NONE) {
    return function->laid_table;
  }
  const char *name = ref_memory_join(link, ".rela", input->name);
  if (!link->relocatable) {
    ref_names_add(link, REF_NONE, name);
  }
  function->laid_table = ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, 0);
  if (!link->relocatable) {
    function->bindless = ref_section_add(link, name, REF_TYPE_RELA, REF_FLAG_INFO, 8, 24);
    link->sections[function->bindless].links_symtab = true;
    link->sections[function->bindless].info_section = function->laid_table;
    link->sections[function->bindless].target = function->laid_table;
  }
  return function->laid_table;
}

/* RF1023 */
static bool ref_block_keeps_number(const ref_section *input) {
  const bool debug = input->type == REF_TYPE_PROGBITS && (input->flags & REF_FLAG_EXEC) == 0;
  return debug || input->type == REF_TYPE_GLOBAL || input->type == REF_TYPE_GLOBAL_INIT ||
         input->type == REF_TYPE_CONSTANT_USER || input->type == REF_TYPE_CONSTANT_PIC;
}

/* RF422, RF772, RF836, RF1078: the sh_link is what the first input says, of whatever section. */
static void ref_block_keep_link(const ref_link *link, size_t number, const ref_section *input) {
  if (!link->is_capsule || ref_block_keeps_number(input)) {
    link->sections[number].input_link = input->link;
  }
}

static bool ref_block_is_in_file(const ref_file *file, size_t number) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    if (file->section_of[i] == number) {
      return true;
    }
  }
  return false;
}

/* RF1112: a bank that is called as something else of the output, a table that the output makes itself at that, comes into it, and the kernel has
 * none. */
static bool ref_block_is_bank_in_table(ref_link *link, const ref_section *input, size_t *number) {
  const size_t fixed = ref_section_find_fixed(link, input);
  *number = fixed == REF_NONE ? ref_map_find(&link->section_by_name, input->name) : fixed;
  if (link->is_capsule || *number == REF_NONE) {
    return false;
  }
  const ref_out_section *section = &link->sections[*number];
  const bool seen = section->symbol != REF_NONE || !ref_section_type_is_constant(section->type);
  return section->type != REF_TYPE_CONSTANT && seen;
}

/* RF560, RF47: a weak body's bank joins what has its name, but not behind a strong body of its kernel. */
static bool ref_block_joins_bank(const ref_link *link, const ref_file *file, uint32_t owner) {
  return file->cubin.symbols[owner].info >> 4 == REF_BIND_WEAK &&
         (file->body_of[owner] == REF_BODY_NEW || link->functions[file->function_of[owner]].defined_weak_so_far);
}

static void ref_block_place_in_table(ref_link *link, ref_file *file, uint32_t section, uint32_t owner, size_t number) {
  const bool is_first = link->sections[number].symbol == REF_NONE;
  ref_section_show_symbol(link, number);
  if (!is_first && ref_block_joins_bank(link, file, owner)) {
    if (link->sections[number].size != file->cubin.sections[section].size) {
      ref_message_add(link, REF_ERROR, "E27", "Duplicate weak parameter bank for '%s' is not the same size",
                      link->functions[file->function_of[owner]].name);
    }
    ref_block_map(file, section, number, 0);
    return;
  }
  ref_block_append(link, file, section, number);
}

/* RF618: a bank that has the name of an earlier file's is no section of its own: a strong kernel's stands behind that one, a weak one's is it.
 * RF560: whatever has the name of a weak kernel's bank, and a symbol, must have its size. */
static bool ref_block_take_bank_of_name(ref_link *link, ref_file *file, uint32_t section, uint32_t owner) {
  const ref_section *input = &file->cubin.sections[section];
  const size_t known = ref_map_find(&link->section_by_name, input->name);
  const bool weak = ref_block_joins_bank(link, file, owner);
  ref_function *function = &link->functions[file->function_of[owner]];
  if (known == REF_NONE || link->sections[known].symbol == REF_NONE || link->is_capsule) {
    return false;
  }
  if (weak && link->sections[known].size != input->size) {
    ref_message_add(link, REF_ERROR, "E27", "Duplicate weak parameter bank for '%s' is not the same size",
                    function->name);
    return false;
  }
  if (link->sections[known].type != REF_TYPE_CONSTANT || ref_block_is_in_file(file, known)) {
    return false;
  }
  ref_block_note_bank(link, function, known, function->bindless);
  if (weak) {
    ref_block_map(file, section, known, 0);
  } else {
    ref_block_append(link, file, section, known);
  }
  return true;
}

static bool ref_block_is_bank_of(const ref_link *link, const ref_function *function, const ref_section *input) {
  return function->constant0 != REF_NONE && strcmp(link->sections[function->constant0].name, input->name) == 0;
}

/* RF621: the sh_info of the output is where what the input's names is; a device function's compiler constants are gone there. */
static size_t ref_block_find_info(ref_link *link, const ref_file *file, const ref_section *input,
                                  const ref_function *function) {
  if (input->info >= file->cubin.section_count) {
    return function->text;
  }
  const ref_section *other = &file->cubin.sections[input->info];
  const size_t named = other->type == REF_TYPE_SHARED ? function->shared : file->section_of[input->info];
  if (ref_merge_is_text(file, input->info)) {
    return function->text;
  }
  if (named != REF_NONE && link->sections[named].symbol == REF_NONE) {
    link->has_dead_parameter = true;
  }
  return named == REF_NONE ? function->text : named;
}

static bool ref_block_place_owned(ref_link *link, ref_file *file, uint32_t section, uint32_t owner) {
  const ref_section *input = &file->cubin.sections[section];
  ref_function *function = &link->functions[file->function_of[owner]];
  const bool parameters = input->type == REF_TYPE_CONSTANT;
  if (input->type == link->view->optimizer_type) {
    ref_block_place_optimizer(link, file, section, owner);
    return file->section_of[section] != REF_NONE;
  }
  if (!function->live) {
    ref_block_compare_banks(link, file, section);
    return false;
  }
  size_t number = REF_NONE;
  if (parameters && ref_block_is_bank_in_table(link, input, &number)) {
    ref_block_place_in_table(link, file, section, owner, number);
    return true;
  }
  if (parameters && ref_block_is_bank_of(link, function, input)) {
    return ref_block_place_parameters_again(link, file, section, owner);
  }
  if (parameters && ref_block_take_bank_of_name(link, file, section, owner)) {
    return true;
  }
  const bool table = input->type == REF_TYPE_CONSTANT_TABLE; /* RF490: of a body that loses, too */
  if (file->body_of[owner] == REF_BODY_LOSES && !table) {
    ref_block_place_lost_constants(link, file, section);
    return true;
  }
  number = parameters ? ref_block_add_bank_zero(link, function, input)
           : table    ? ref_block_add_laid_table(link, function, input)
                      : ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align,
                                                    input->entry_size); /* L952 */
  link->sections[number].info_section = ref_block_find_info(link, file, input, function);
  ref_block_keep_link(link, number, input);
  ref_block_append(link, file, section, number);
  return true;
}

/* G7 */
static void ref_block_note_user_constants(ref_link *link, const ref_file *file, uint32_t section) {
  const ref_section *input = &file->cubin.sections[section];
  link->constant_blocks = ref_memory_grow(link, link->constant_blocks, link->constant_block_count,
                                          &link->constant_block_capacity, sizeof *link->constant_blocks);
  link->constant_blocks[link->constant_block_count++] =
      (ref_constant_block){file->section_of[section], file->offset_in[section], input->size, input->align, false};
}

/* L583, L951: local memory says whose it is; the input's sh_info does, whatever its flags say. RF564: so does a device function's shared
 * memory that comes along for an object of another memory space. RF1232: what is no text says nothing, whatever its own sh_info is. */
static void ref_block_name_text(ref_link *link, const ref_file *file, const ref_section *input, size_t number) {
  const bool named = input->type == REF_TYPE_LOCAL || input->type == REF_TYPE_SHARED;
  const bool known = named && ref_merge_is_text(file, input->info); /* RF1232 */
  const uint32_t owner = known ? ref_merge_text_owner(file, input->info) : 0;
  if (owner != 0 && file->function_of[owner] != REF_NONE) {
    link->sections[number].info_section = link->functions[file->function_of[owner]].text;
  }
}

/* RF621, RF637, RF836: what the sh_info of a section names in the output, where it has a place by then. RF715: shared memory has one once an object
 * is in it. */
void ref_block_map_info(ref_link *link, const ref_file *file, const ref_section *input, size_t number) {
  if (link->is_capsule || input->info == 0 || input->info >= file->cubin.section_count) {
    return;
  }
  const uint32_t owner = ref_merge_is_text(file, input->info) ? ref_merge_text_owner(file, input->info) : 0;
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  const size_t known =
      file->section_of[input->info] == REF_NONE ? file->shared_in[input->info] : file->section_of[input->info];
  const size_t place = function == REF_NONE ? known : link->functions[function].text;
  if (place != REF_NONE && link->sections[place].symbol != REF_NONE) {
    link->sections[number].info_section = place;
  }
}

/* RF1211: a section of shared memory for itself, which keeps what the input's says. */
size_t ref_block_add_shared(ref_link *link, const ref_file *file, const ref_section *input) {
  const size_t number = ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, 0);
  link->sections[number].is_lone = true;
  ref_block_keep_link(link, number, input);
  ref_block_map_info(link, file, input, number);
  return number;
}

/* RF1212: of compiler constants of nobody what its objects name, with zeros between them, up to the end of the last one. */
static ref_section ref_block_named_constants(ref_link *link, const ref_file *file, uint32_t section) {
  ref_section named = file->cubin.sections[section];
  const uint64_t whole = named.data == NULL ? 0 : named.size;
  const uint64_t end = ref_smaller(ref_block_end_of_symbols(link, file, section), whole);
  uint8_t *bytes = REF_TAKE(link, uint8_t, (size_t)end);
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == section && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT && symbol->value < end) {
      const uint64_t size = ref_smaller(symbol->size, end - symbol->value);
      memcpy(bytes + symbol->value, named.data + symbol->value, (size_t)size);
    }
  }
  named.data = bytes;
  named.size = end;
  return named;
}

/* RF623: compiler constants of nobody are the module's, in one section, which executables have not. */
static void ref_block_place_nobodys(ref_link *link, ref_file *file, uint32_t section) {
  static const char name[] = ".nv.constant2";
  const ref_section *input = &file->cubin.sections[section];
  size_t number = ref_map_find(&link->section_by_name, name);
  if (number == REF_NONE) {
    number = link->relocatable ? ref_section_add_with_symbol(link, name, input->type, REF_FLAG_ALLOC, input->align, 0)
                               : ref_section_add_hidden(link, name, input->type, REF_FLAG_ALLOC, input->align, 0);
    link->sections[number].dropped = !link->relocatable;
    ref_map_set(link, &link->section_by_name, name, number);
  }
  const ref_section named = ref_block_named_constants(link, file, section);
  ref_block_map(file, section, number, ref_section_append(link, number, &named));
}

/* RF637: when a section of the output is made of data or a note, nvlink reads the header that its sh_info names, behind the table too, and
 * mostly ends by a signal; so it does for code of nobody, whose sh_info may be a function's number, but not with a count of registers. RF1253:
 * of a capsule's data it finds nothing shortly behind the table. */
void ref_block_check_info(ref_link *link, const ref_file *file, const ref_section *input) {
  enum { FAR = 1 << 16, LARGEST_TEXT = 1 << 24 };
  const size_t count = link->is_capsule ? ref_larger(file->cubin.section_count, FAR) : file->cubin.section_count;
  const size_t limit = (input->flags & REF_FLAG_EXEC) == 0 ? count : LARGEST_TEXT;
  if (input->info >= limit) {
    ref_message_fatal(link, "E64", "Internal error: section not mapped");
  }
}

/* RF673: what lies in the text of a dead function, a texture at that, brings no text. */
static bool ref_block_is_dead_text(const ref_link *link, const ref_file *file, uint32_t section, uint32_t owner) {
  return (file->cubin.sections[section].flags & REF_FLAG_EXEC) != 0 && owner != 0 &&
         file->cubin.symbols[owner].section == section && file->function_of[owner] != REF_NONE &&
         !link->functions[file->function_of[owner]].live;
}

/* RF1110: no text of its name has a function that lies in this very section, though sh_info does not name it, and a second name. */
static bool ref_block_has_text_elsewhere(const ref_link *link, const ref_function *function, const ref_section *input) {
  const ref_file *file = &link->files[function->definition_file];
  const uint32_t section = file->cubin.symbols[function->definition_symbol].section;
  const bool is_here = section < file->cubin.section_count && &file->cubin.sections[section] == input;
  return !is_here && !ref_function_symbol_is_alias(file, (uint32_t)function->definition_symbol);
}

/* RF795, RF1035: code of nobody that has the name of a dead text, of an earlier file or its own, is joined to that and goes with it. */
bool ref_block_joins_dead_text(const ref_link *link, size_t file_number, const ref_section *input) {
  static const char prefix[] = ".text.";
  if (input->type != REF_TYPE_PROGBITS || link->is_capsule || strncmp(input->name, prefix, sizeof prefix - 1) != 0) {
    return false;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (function->defined && !function->live && function->definition_file <= file_number &&
        strcmp(function->name, input->name + sizeof prefix - 1) == 0 &&
        ref_block_has_text_elsewhere(link, function, input)) {
      return true;
    }
  }
  return false;
}

/* True when the section has a place now. RF1212: compiler constants of nobody are the module's where an object asks for them. */
static bool ref_block_place_for(ref_link *link, size_t file_number, uint32_t section, bool for_object) {
  ref_file *file = &link->files[file_number];
  if (section == 0 || section >= file->cubin.section_count) {
    return false;
  }
  if (file->section_of[section] != REF_NONE) {
    return true;
  }
  const ref_section *input = &file->cubin.sections[section];
  const uint32_t owner = ref_merge_owner(file, section);
  if (ref_deleted_is_of_dead_kernel(link, input) || /* RF617: by its name */
      ref_block_is_dead_text(link, file, section, owner)) {
    return false;
  }
  const size_t fixed = ref_section_find_fixed(link, input);
  size_t number = fixed == REF_NONE ? ref_map_find(&link->section_by_name, input->name) : fixed;
  const bool is_new = number == REF_NONE || (link->is_capsule && link->sections[number].type != input->type);
  if (is_new && ref_block_joins_dead_text(link, file_number, input)) {
    return false;
  }
  if (is_new) {
    ref_block_check_info(link, file, input);
  }
  if (owner != 0 && file->function_of[owner] != REF_NONE && ref_section_type_is_constant(input->type)) {
    return ref_block_place_owned(link, file, section, owner);
  }
  if (ref_partial_place_section(link, file_number, section) ||
      (!is_new && ref_partial_join_pool(link, file_number, section, number))) {
    return true;
  }
  if (for_object && input->type == link->view->optimizer_type && !link->is_capsule) {
    ref_block_place_nobodys(link, file, section);
    return true;
  }
  if (is_new) {
    number = ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, input->entry_size);
    ref_block_keep_link(link, number, input);
    ref_block_map_info(link, file, input, number);
  } else {
    ref_section_show_symbol(link, number);
  }
  const bool code = input->type == REF_TYPE_PROGBITS && (input->flags & REF_FLAG_EXEC) != 0 &&
                    input->link == file->cubin.symbol_section; /* RF193 */
  const bool table = ref_unified_is_table(input->type) && !ref_unified_is_copy(input) &&
                     (link->is_capsule || input->link == file->cubin.symbol_section) && /* RF1121 */
                     (link->relocatable || input->type != REF_TYPE_UFT_ENTRY) &&
                     input->size >= UNIFIED_ENTRY; /* RF706: without an entry it names no symbols */
  const bool is_text = link->sections[number].info_function != REF_NONE; /* RF795 */
  link->sections[number].links_symtab =
      code || table || (!is_new && (input->type == REF_TYPE_INFO || link->sections[number].type == REF_TYPE_INFO)) ||
      (is_text && link->sections[number].links_symtab); /* U10 */
  ref_block_name_text(link, file, input, number);
  ref_block_append(link, file, section, number);
  link->sections[number].has_block = true;
  if (input->type == link->view->user_type && link->sections[number].type == input->type) {
    ref_block_note_user_constants(link, file, section);
  }
  return true;
}

bool ref_block_place(ref_link *link, size_t file_number, uint32_t section) {
  return ref_block_place_for(link, file_number, section, true);
}

/* M2b: with the other Mercury types that a SASS-kind link ignores; the rest of that view is merged under its own names. */
static bool ref_block_is_ignored(const ref_link *link, const ref_section *section) {
  return section->type == REF_TYPE_CONSTANT_OPTIMIZER && !link->view->is_mercury;
}

/* RF193: code in which no function of the file lies is joined to the section of its name, a function's text too. RF570: so is a dead
 * function's whose sh_info does not say whose it is. */
static bool *ref_blocks_find_texts(ref_link *link, const ref_file *file) {
  bool *has_function = REF_TAKE(link, bool, file->cubin.section_count);
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if ((symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section < file->cubin.section_count &&
        (link->is_capsule || file->body_of[i] != REF_BODY_NEW || ref_function_owns_text(file, symbol->section))) {
      has_function[symbol->section] = true;
    }
  }
  return has_function;
}

/* RF245: what holds unified functions, objects and an index is data like any other where nothing of it is a function's or an object's. RF661: the
 * text of a dead function that is called no jump slot is gone with it. */
static bool ref_block_is_unified(uint32_t type, bool has_function) {
  return (type == REF_TYPE_UFT && !has_function) || type == REF_TYPE_UDT || type == REF_TYPE_UIDX;
}

/* W3.3. M2, M4: of the Mercury view only what an object of SASS kind has. */
void ref_blocks_merge_rest(ref_link *link, size_t file_number) {
  ref_file *file = &link->files[file_number];
  const bool *has_function = ref_blocks_find_texts(link, file);
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *input = &file->cubin.sections[i];
    const bool other_view = (input->flags & REF_FLAG_MERCURY) != 0 && (file->cubin.flags & REF_KIND_CAPSULE) != 0;
    const bool debug = (input->type == REF_TYPE_PROGBITS && !has_function[i]) ||
                       ref_unified_is_table(input->type); /* W12.7, U10, RF631 */
    if (file->section_of[i] == REF_NONE && !other_view && !ref_block_is_ignored(link, input) &&
        (debug || input->type == REF_TYPE_GLOBAL_INIT || ref_block_is_unified(input->type, has_function[i]) ||
         ref_section_type_is_constant(input->type))) {
      (void)ref_block_place_for(link, file_number, i, false);
    }
  }
}
