/* Files of -ewp ("partially linked"): ptxas has laid out the shared memory of their kernels, so `.nv.shared.K` has a size and no object.
 * It is one object of that size without a symbol of its own, whose place lands in symbol 0 as in W8.9: RF165. A kernel that uses extern shared memory alone
 * has such a section of size 0, which stays: RF231. Objects that have symbols: L1011. What -r says of all this, and reads again: L832, L1031, L1060, L1061,
 * L1066.
 * `.nv_debug.shared` of such a file is such an object of the pool, or a section of its own: L746, RF303. */
#include "link.h"

#include <string.h>

enum { TYPE_EXTENDED = 0xff00, RESERVED = 0x400 };

static const char whole_prefix[] = "$__shared$";
static const char pool_name[] = ".nv_debug.shared";
static const char lone_name[] = ".nv_debug.shared, alone"; /* what the module knows it by, beside the pool */

static uint32_t ref_partial_number(const ref_file *file, const ref_symbol *input) {
  return (uint32_t)(input - file->cubin.symbols);
}

bool ref_partial_is_file(const ref_link *link, size_t file) {
  return file != REF_NONE && link->files[file].cubin.type == TYPE_EXTENDED;
}

/* L876, D142: for nvlink the body that came first decides, by default the one that stands. */
static size_t ref_partial_deciding_file(const ref_link *link, const ref_function *function) {
  if (!function->defined) {
    return REF_NONE;
  }
  return link->job->bug_compatible && function->defined_so_far ? function->first_defined_in_so_far
                                                               : function->definition_file;
}

/* What an earlier -r wrote of such a kernel is one still, but the objects have symbols (L832). */
bool ref_partial_has_kernel(const ref_link *link, const ref_function *function) {
  const size_t file = ref_partial_deciding_file(link, function);
  const bool stands = file != REF_NONE && file == function->definition_file;
  return ref_partial_is_file(link, file) ||
         (stands && ref_bodies_is_partial(&link->files[file], (uint32_t)function->definition_symbol));
}

/* RF752: does a kernel have objects of the pool that ptxas put somewhere? */
static bool ref_partial_has_placed(const ref_link *link, const ref_function *kernel, const ref_indices *own) {
  bool found = false;
  for (size_t i = 0; i < own->count && !found; i++) {
    const ref_out_symbol *symbol = &link->symbols[own->items[i]];
    found = symbol->is_laid && symbol->section != kernel->shared;
  }
  return found;
}

/* L1011: are its shared objects where ptxas put them? By default only where ptxas put any. L1031: what an earlier -r wrote may say so. */
bool ref_partial_is_laid_out(const ref_link *link, const ref_function *function, const ref_indices *own) {
  if (link->job->bug_compatible) {
    return ref_partial_is_file(link, ref_partial_deciding_file(link, function));
  }
  const bool has_any =
      function->has_partial || function->has_read_places || ref_partial_has_placed(link, function, own);
  return has_any && ref_partial_has_kernel(link, function);
}

/* L746: with -r an object of such a file has an alignment of 1 where the file gives none, and begins at 0. */
uint64_t ref_partial_alignment(const ref_link *link, size_t file, uint64_t align) {
  return align == 0 && ref_partial_is_file(link, file) ? 1 : align;
}

/* RF752: is an object of the pool its file's alone? Its value is its place there, as in kernels (L1011), not an alignment. To be asked before the
 * object is merged. */
bool ref_partial_places_new(const ref_link *link, size_t file, const ref_symbol *input) {
  return ref_partial_is_file(link, file) && input->section != 0 &&
         (input->info >> 4 == REF_BIND_LOCAL || ref_map_find(&link->symbol_by_name, input->name) == REF_NONE);
}

/* L1062, RF500: is it an extern array in such a file's pool? Its value, which is its place, is no alignment. */
bool ref_partial_has_array(const ref_link *link, size_t file_number, const ref_symbol *input) {
  const ref_file *file = &link->files[file_number];
  return ref_partial_is_file(link, file_number) && input->size == 0 && input->section != 0 &&
         (input->info & 15) == REF_SYMBOL_CUDA_OBJECT && (input->other & REF_SPACE_MASK) == REF_SPACE_SHARED &&
         ref_object_shared_owner(link, file, input->section) == 0;
}

/* L1031: all of a kernel's section, or what an earlier -r wrote of it (L832)? */
static bool ref_partial_names_whole(const ref_symbol *input) {
  return strncmp(input->name, whole_prefix, sizeof whole_prefix - 1) == 0;
}

/* L1031, L1060: where the objects of the section end in which ptxas laid out what the file has from before, as what stands for all of it, which
 * comes behind its objects, says. */
static uint64_t ref_partial_read_end(const ref_file *file, const ref_symbol *input) {
  uint64_t place = 0;
  for (uint32_t i = ref_partial_number(file, input); i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == input->section && ref_partial_names_whole(symbol) &&
        ref_bodies_find_place(file, i, &place)) {
      return place;
    }
  }
  return 0;
}

/* L1011: the value of a shared object of such a kernel, which -g and -sanitize give a symbol, is its place, not its alignment. RF752: so is one of
 * the pool, but where an earlier file has its name. */
static bool ref_partial_lays_out(const ref_link *link, size_t file, const ref_symbol *input,
                                 const ref_out_symbol *symbol) {
  return ref_partial_is_file(link, file) && input->section != 0 &&
         (ref_object_shared_owner(link, &link->files[file], input->section) != 0 || symbol->mention_file == file);
}

/* L1067: they end where the last one does, not with the section. What is read of an earlier -r takes no bytes of a relocatable output beside
 * what stands for all of it (L1031). */
void ref_partial_lay_object(ref_link *link, size_t file_number, const ref_symbol *input, ref_out_symbol *symbol) {
  const ref_file *file = &link->files[file_number];
  uint64_t place = input->value, end = 0;
  if (ref_partial_has_array(link, file_number, input)) {
    symbol->array_place = link->job->bug_compatible ? input->value : 0; /* D59: by default it is not in the pool */
    symbol->auxiliary = 1;
    symbol->value = link->relocatable ? 1 : symbol->value;
    return;
  }
  if (ref_partial_lays_out(link, file_number, input, symbol)) {
    end = place + input->size;
  } else if (!ref_bodies_find_place(file, ref_partial_number(file, input), &place)) {
    return;
  } else if (ref_partial_names_whole(input)) {
    symbol->is_whole = true;
    symbol->laid_place = place;
    return;
  } else if (!link->relocatable) {
    end = ref_partial_read_end(file, input);
  }
  symbol->is_laid = true;
  symbol->laid_end = end;
  symbol->laid_place = place;
  symbol->auxiliary = 1;
  symbol->value = link->relocatable ? 1 : place;
}

/* L1011, RF152: the end of a kernel's shared memory behind one more object, in the order of the files: what ptxas laid out reaches to its
 * own end, the section itself is one more object at its alignment, and others lie behind each other without padding. */
uint64_t ref_partial_end_behind(const ref_out_symbol *symbol, uint64_t end) {
  if (symbol->is_laid) {
    return ref_larger(symbol->laid_end, end);
  }
  return (symbol->is_partial ? ref_align_up(end, symbol->auxiliary) : end) + symbol->size;
}

static void ref_partial_insert(ref_link *link, ref_indices *list, size_t at, size_t item) {
  ref_indices_add(link, list, item);
  for (size_t i = list->count - 1; i > at; i--) {
    list->items[i] = list->items[i - 1];
  }
  list->items[at] = item;
}

/* RF460: the order in which a kernel's objects are sorted where an ordinary body came first. What files of -ewp bring, one behind the other, stands
 * with its places falling, objects that overlap in the order in which they came, and what has no symbol before all that, the last first. */
void ref_partial_order_objects(ref_link *link, ref_indices *own) {
  ref_indices ordered = {0};
  size_t start = 0;
  for (size_t i = 0; i < own->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[own->items[i]];
    size_t at = start;
    for (; symbol->is_laid && at < ordered.count; at++) {
      const ref_out_symbol *other = &link->symbols[ordered.items[at]];
      if (!other->is_partial && other->value + other->size <= symbol->value) {
        break;
      }
    }
    at = symbol->is_laid || symbol->is_partial ? at : ordered.count;
    ref_partial_insert(link, &ordered, at, own->items[i]);
    start = symbol->is_laid || symbol->is_partial ? start : ordered.count;
  }
  *own = ordered;
}

/* The module's section of -ewp files' pools that came before another pool, or REF_NONE. */
size_t ref_partial_lone_pool(const ref_link *link) {
  return ref_map_find(&link->section_by_name, lone_name);
}

/* L746, D137: in an executable the object that symbol 0 stands for is deleted as all are that nothing uses. By default the null
 * symbol stays. */
bool ref_partial_loses_null(const ref_link *link) {
  return link->has_bare_pool && !link->relocatable && link->job->bug_compatible;
}

static void ref_partial_create_object(ref_link *link, size_t section, const ref_section *input, bool has_value) {
  const size_t object = ref_symbol_add(link, "", REF_BIND_LOCAL, REF_SYMBOL_CUDA_OBJECT, REF_SPACE_SHARED);
  ref_out_symbol *symbol = &link->symbols[object];
  symbol->dropped = true;
  symbol->is_partial = true;
  symbol->section = section;
  symbol->size = input->size;
  symbol->auxiliary = input->align;
  symbol->value = has_value ? input->align : 0;
  ref_indices_add(link, &link->shared_objects, object);
}

/* L832, D141: by default an output of -r has a symbol for it, as for any shared object, with which the next link lays it out. */
static void ref_partial_name_object(ref_link *link, const ref_function *kernel, const ref_section *input,
                                    uint64_t symbols_end) {
  const char *name = ref_memory_join(link, whole_prefix, kernel->name);
  const size_t object = ref_symbol_add(link, name, REF_BIND_LOCAL, REF_SYMBOL_CUDA_OBJECT, REF_SPACE_SHARED);
  ref_out_symbol *symbol = &link->symbols[object];
  symbol->section = kernel->shared;
  symbol->size = input->size;
  symbol->auxiliary = input->align;
  symbol->value = input->align;
  symbol->is_whole = true;
  symbol->laid_place = symbols_end;
  ref_names_add(link, object, name);
  ref_indices_add(link, &link->shared_objects, object);
}

/* L832: does its symbol, which comes at the end of the file, stand for it? */
static bool ref_partial_is_named(const ref_link *link, const ref_section *input) {
  return ref_relocatable_is_default(link) && input->size > 0;
}

/* L1090: does the section's first object say shared memory? */
static bool ref_partial_begins_shared(const ref_file *file, uint32_t number) {
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == number && ref_object_is_data(symbol->info & 15)) {
      return ref_object_is_shared(symbol);
    }
  }
  return false;
}

/* RF884: where a further file's section begins in the kernel's: behind what came there so far, in the order of the files. */
static uint64_t ref_partial_begin(const ref_link *link, size_t section, uint64_t align) {
  uint64_t size = 0;
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const size_t number = link->shared_objects.items[i];
    if (number != REF_NONE && link->symbols[number].section == section) {
      size = ref_partial_end_behind(&link->symbols[number], size);
    }
  }
  return ref_align_up(size, ref_larger(align, 1));
}

/* L1090, RF552, RF766: an object of another space lies in the kernel's section and takes nothing. Where it is the first of its file there, the input's section
 * is one more object without a symbol, as it is once more at the end of the file. */
bool ref_partial_place_section(ref_link *link, size_t file_number, uint32_t number) {
  ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[number];
  const uint32_t owner = ref_merge_owner(file, number);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  const bool is_partial = ref_partial_is_file(link, file_number);
  if (input->type != REF_TYPE_SHARED || function == REF_NONE || !link->functions[function].live ||
      (link->is_capsule && !is_partial)) {
    return false;
  }
  if (link->functions[function].shared == REF_NONE) {
    ref_merge_add_shared_section(link, &link->functions[function]);
    link->functions[function].late_partial = is_partial;
  }
  const size_t section = link->functions[function].shared;
  file->section_of[number] = section;
  if (!is_partial) { /* RF766 */
    file->offset_in[number] = ref_partial_begin(link, section, (uint32_t)input->align);
    ref_partial_create_object(link, section, input, link->relocatable);
  } else if (!ref_partial_begins_shared(file, number)) {
    ref_partial_create_object(link, section, input, link->relocatable && !link->functions[function].late_partial);
    link->functions[function].has_partial = true;
  }
  return true;
}

/* How much the objects take that came into the pool so far. */
static uint64_t ref_partial_measure_pool(ref_link *link, size_t pool) {
  for (; link->pool_measured < link->shared_objects.count; link->pool_measured++) {
    const size_t number = link->shared_objects.items[link->pool_measured];
    if (number != REF_NONE && link->symbols[number].section == pool) {
      link->pool_size = ref_partial_end_behind(&link->symbols[number], link->pool_size);
    }
  }
  return link->pool_size;
}

/* RF1033: a section of the pool's name that an object of another space brings is one more object of a pool that is there already; symbol 0 stands
 * for it. */
bool ref_partial_join_pool(ref_link *link, size_t file_number, uint32_t number, size_t section) {
  ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[number];
  if (link->is_capsule || section != ref_section_find_pool(link) || input->align == 0) {
    return false;
  }
  file->section_of[number] = section;
  if (file->shared_in[number] == section) { /* a shared object of the file has placed it */
    return true;
  }
  file->offset_in[number] = ref_align_up(ref_partial_measure_pool(link, section), input->align);
  link->debug_shared_align = ref_larger(input->align, link->debug_shared_align);
  link->has_bare_pool = true;
  ref_partial_create_object(link, section, input, link->relocatable);
  return true;
}

/* L1060: of an earlier -r's `$__shared$` an executable makes what the section was that it stands for: an object without a symbol, and with -g
 * none where the section has objects with symbols (L1031). */
bool ref_partial_take_object(ref_link *link, size_t file_number, const ref_symbol *input) {
  const ref_file *file = &link->files[file_number];
  uint64_t place = 0;
  if (link->relocatable || !ref_partial_names_whole(input) ||
      !ref_bodies_find_place(file, ref_partial_number(file, input), &place)) {
    return false;
  }
  const uint32_t owner = ref_merge_owner(file, input->section);
  if (owner == 0) {
    return false;
  }
  ref_function *kernel = &link->functions[file->function_of[owner]];
  kernel->has_read_places = true;
  if (place == 0 || !ref_options_keep_shared_symbols(link)) {
    const ref_section section = {.size = input->size, .align = input->value};
    ref_partial_create_object(link, kernel->shared, &section, false);
  }
  return true;
}

/* RF1211: a section for itself that is about a dead text ends the link (E68). */
static void ref_partial_note_dead(ref_link *link, const ref_file *file, const ref_section *input) {
  const bool about_text = ref_merge_is_text(file, input->info);
  const uint32_t owner = about_text ? ref_merge_text_owner(file, input->info) : 0;
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  link->has_dead_memory = link->has_dead_memory || (function != REF_NONE && !link->functions[function].live);
}

/* L766: a section for itself, to which all that come later are added; the pool that a later file makes is another. */
static void ref_partial_add_lone_pool(ref_link *link, const ref_file *file, const ref_section *input) {
  size_t lone = ref_partial_lone_pool(link);
  if (lone == REF_NONE) {
    const uint64_t flags = file == NULL ? REF_FLAG_WRITE | REF_FLAG_ALLOC : input->flags; /* RF1211 */
    lone = ref_section_add_known_as(link, lone_name, pool_name, REF_TYPE_SHARED, flags, input->align);
    if (file != NULL) {
      ref_block_map_info(link, file, input, lone);
      ref_partial_note_dead(link, file, input);
    }
  }
  (void)ref_section_append(link, lone, input);
}

/* L746, RF303: one more object of the pool, or a section for itself; with -g it is neither. L1066: -r says which it would be. */
static void ref_partial_add_pool(ref_link *link, const ref_file *file, const ref_section *input, bool is_apart) {
  const size_t pool = ref_map_find(&link->section_by_name, pool_name);
  link->bare_pools = ref_memory_grow(link, link->bare_pools, link->bare_pool_count, &link->bare_pool_capacity,
                                     sizeof *link->bare_pools);
  link->bare_pools[link->bare_pool_count++] = (ref_bare_pool){input->align, input->size, is_apart};
  link->has_lone_pool = link->has_lone_pool || is_apart;
  if (ref_options_keep_shared_symbols(link)) {
    return;
  }
  if (is_apart) {
    ref_partial_add_lone_pool(link, file, input);
  } else if (pool != REF_NONE) {
    link->debug_shared_align = ref_larger(input->align, link->debug_shared_align);
    link->has_bare_pool = true;
    ref_partial_create_object(link, pool, input, link->relocatable);
  }
}

static bool ref_partial_has_symbol(const ref_file *file, uint32_t number) {
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == number && (symbol->info & 15) != REF_SYMBOL_SECTION) {
      return true;
    }
  }
  return false;
}

/* L1060: where the section's objects with symbols end, 0 without any. */
static uint64_t ref_partial_symbols_end(const ref_file *file, uint32_t number) {
  uint64_t end = 0;
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section == number && (symbol->info & 15) != REF_SYMBOL_SECTION) {
      end = ref_larger(symbol->value + symbol->size, end);
    }
  }
  return end;
}

/* L1595: what ptxas laid out without a symbol begins behind what came into the section so far; entries about its symbol are about that place. */
static void ref_partial_note_place(ref_link *link, const ref_file *file, uint32_t number, size_t section) {
  if (!link->is_capsule) {
    file->section_of[number] = section;
    file->offset_in[number] = ref_partial_begin(link, section, (uint32_t)file->cubin.sections[number].align);
  }
}

/* RF1211: of another name than the pool's and its kernel's: one more object of the kernel whose section has that name, or a section for itself. */
static void ref_partial_add_by_name(ref_link *link, const ref_file *file, uint32_t number) {
  const ref_section *input = &file->cubin.sections[number];
  size_t known = ref_map_find(&link->section_by_name, input->name);
  const size_t text = known == REF_NONE ? REF_NONE : link->sections[known].info_section;
  const size_t kernel = text == REF_NONE ? REF_NONE : link->sections[text].info_function;
  if (kernel != REF_NONE && link->functions[kernel].shared == known) {
    link->functions[kernel].has_partial = true;
    ref_partial_note_place(link, file, number, known);
    ref_partial_create_object(link, known, input, link->relocatable && !link->functions[kernel].late_partial);
    return;
  }
  if (known == REF_NONE) {
    known = ref_block_add_shared(link, file, input);
    ref_partial_note_dead(link, file, input);
  }
  if (link->sections[known].type == REF_TYPE_SHARED) {
    (void)ref_section_append(link, known, input);
  }
}

static bool ref_partial_has_own_name(const ref_link *link, size_t function, const char *name) {
  static const char prefix[] = ".nv.shared.";
  return strncmp(name, prefix, sizeof prefix - 1) == 0 &&
         strcmp(name + sizeof prefix - 1, link->functions[function].name) == 0;
}

/* In the walk over a file's sections (W3.4, L1091), or behind it where they stand before those of the Mercury view: a kernel that is not named gets its section there, and a dead one leaves its name
 * (RF20). With -g nvlink forgets these sections; by default (D111) they stay. */
void ref_partial_add_shared(ref_link *link, size_t file_number, uint32_t number) {
  const ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[number];
  if (file->cubin.type != TYPE_EXTENDED || input->type != REF_TYPE_SHARED ||
      (ref_options_keep_shared_symbols(link) && link->job->bug_compatible)) {
    return;
  }
  const uint32_t owner = ref_merge_owner(file, number);
  const bool named = strncmp(input->name, ".nv.shared.", 11) == 0 && input->info != 0;
  const size_t joined = named && owner == 0 ? ref_merge_joined_to(link, file, input->info) : REF_NONE; /* RF1209 */
  const size_t function = owner == 0 ? joined : file->function_of[owner];
  if (owner == 0 && strcmp(input->name, pool_name) == 0) {
    const bool has_pool = ref_map_find(&link->section_by_name, pool_name) != REF_NONE;
    ref_partial_add_pool(link, file, input, link->has_lone_pool || !has_pool);
  }
  const bool dead = function != REF_NONE && !link->functions[function].live;
  if (dead && link->functions[function].entry && ref_partial_has_own_name(link, function, input->name)) {
    ref_names_add_section(link, REF_NONE, input->name);
  } else if (!link->is_capsule && strcmp(input->name, pool_name) != 0 &&
             (function == REF_NONE || dead ||
              (joined == REF_NONE && !ref_partial_has_own_name(link, function, input->name)))) {
    ref_partial_add_by_name(link, file, number);
    return;
  }
  if (dead || function == REF_NONE) {
    return;
  }
  if (link->functions[function].shared == REF_NONE) {
    ref_merge_add_shared_section(link, &link->functions[function]);
    link->functions[function].late_partial = true;
  }
  link->functions[function].has_partial = true;
  const bool forgets = !link->relocatable && ref_options_keep_shared_symbols(link); /* L1011 */
  if (!ref_partial_is_named(link, input) && (!forgets || !ref_partial_has_symbol(file, number))) {
    ref_partial_note_place(link, file, number, link->functions[function].shared);
    ref_partial_create_object(link, link->functions[function].shared, input,
                              link->relocatable && !link->functions[function].late_partial);
  }
}

static void ref_partial_name_objects(ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; file->cubin.type == TYPE_EXTENDED && i < file->cubin.section_count; i++) {
    const ref_section *input = &file->cubin.sections[i];
    const uint32_t owner = ref_merge_owner(file, i);
    const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
    if (input->type == REF_TYPE_SHARED && function != REF_NONE && link->functions[function].live &&
        ref_partial_is_named(link, input)) {
      ref_partial_name_object(link, &link->functions[function], input, ref_partial_symbols_end(file, i));
    }
  }
}

/* L1066: what the file has from before of pools, those that are sections for themselves or the others. */
static void ref_partial_add_read_pools(ref_link *link, const ref_file *file, bool apart) {
  ref_bare_pool pool;
  for (size_t i = 0; ref_bodies_find_pool(file, i, &pool); i++) {
    const ref_section section = {.name = pool_name, .size = pool.size, .align = pool.align};
    if (apart == (link->had_lone_pool || (pool.is_apart && !link->had_pool))) {
      ref_partial_add_pool(link, NULL, &section, apart);
    }
  }
}

/* L1066: a section for itself is there before the file's objects. The others wait for the end of the file. */
void ref_partial_take_pools(ref_link *link, size_t file_number) {
  link->had_lone_pool = link->has_lone_pool;
  link->had_pool = ref_map_find(&link->section_by_name, pool_name) != REF_NONE;
  ref_partial_add_read_pools(link, &link->files[file_number], true);
}

/* L1061: what an -ewp object with extern shared memory alone brings, as the file says about a kernel, or about an object of it. */
static void ref_partial_add_alone(ref_link *link, const ref_file *file, uint32_t symbol, uint32_t owner) {
  uint64_t align = 0;
  const size_t number = owner == 0 ? REF_NONE : file->function_of[owner];
  if (number == REF_NONE || !ref_bodies_find_alone(file, symbol, &align)) {
    return;
  }
  ref_function *kernel = &link->functions[number];
  if (!kernel->live) {
    ref_names_add_section(link, REF_NONE, ref_memory_join(link, ".nv.shared.", kernel->name));
    return;
  }
  if (kernel->shared == REF_NONE) {
    ref_merge_add_shared_section(link, kernel);
    kernel->late_partial = true;
  }
  kernel->has_partial = true;
  const ref_section section = {.align = align};
  ref_partial_create_object(link, kernel->shared, &section, link->relocatable && !kernel->late_partial);
}

/* L1061: behind the object that the file says it about. */
void ref_partial_take_alone(ref_link *link, size_t file_number, uint32_t symbol) {
  const ref_file *file = &link->files[file_number];
  const uint32_t section = file->cubin.symbols[symbol].section;
  if (file->bodies != 0 && section != 0 && section < file->cubin.section_count &&
      file->cubin.sections[section].type == REF_TYPE_SHARED) {
    ref_partial_add_alone(link, file, symbol, ref_merge_owner(file, section));
  }
}

/* L1061: what it says about kernels comes before all of the file, but of a dead one the name of the section where the -ewp object leaves it, at the
 * end. */
void ref_partial_take_alone_kernels(ref_link *link, size_t file_number, bool dead) {
  const ref_file *file = &link->files[file_number];
  for (uint32_t i = 1; file->bodies != 0 && i < file->cubin.symbol_count; i++) {
    const size_t number = file->function_of[i];
    if ((file->cubin.symbols[i].info & 15) == REF_SYMBOL_FUNC && number != REF_NONE &&
        link->functions[number].live != dead) {
      ref_partial_add_alone(link, file, i, i);
    }
  }
}

/* Behind the walk over a file's sections (W3.4): a dead kernel of what it has from before leaves its section's name, and pools come. By default
 * symbols come for what an -ewp object laid out (L832). RF551: sections of shared memory, which have no Mercury view, stand before all of that view,
 * but behind what those stand for. */
void ref_partial_add_read(ref_link *link, size_t file_number) {
  ref_partial_take_alone_kernels(link, file_number, true);
  ref_partial_add_read_pools(link, &link->files[file_number], false);
  for (uint32_t i = 1; link->view->is_mercury && i < link->files[file_number].cubin.section_count; i++) {
    ref_partial_add_shared(link, file_number, i);
  }
  ref_partial_name_objects(link, &link->files[file_number]);
}

/* RF231, L1068: in an executable what has no size is an object like others only beside something else that the kernel has. */
void ref_partial_count_objects(ref_link *link, const ref_indices *own) {
  bool has_other = false;
  for (size_t i = 0; i < own->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[own->items[i]];
    has_other = has_other || !symbol->is_partial || symbol->size != 0;
  }
  for (size_t i = 0; i < own->count; i++) {
    link->symbols[own->items[i]].is_counted = has_other;
  }
}

/* RF1123: without -g symbol 0 does not stand for an object of another memory space of a kernel that is not named. */
static bool ref_partial_is_forgotten(const ref_link *link, size_t number) {
  const ref_out_section *section = &link->sections[number];
  const size_t text = section->info_section;
  const size_t kernel = text == REF_NONE ? REF_NONE : link->sections[text].info_function;
  return kernel != REF_NONE && link->functions[kernel].entry && !link->functions[kernel].has_partial &&
         !ref_options_keep_shared_symbols(link) && !ref_function_is_named(link, &link->functions[kernel]);
}

/* RF460, L1662: the alignment of the last one in a section, of those that stand before an ordinary object that comes behind one. L1069: of several
 * that begin at one place the first. */
static void ref_partial_value_null_in(ref_link *link, size_t section) {
  uint64_t end = 0, place = REF_NONE; /* of the last one; none so far */
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const size_t number = link->shared_objects.items[i];
    const ref_out_symbol *symbol = number == REF_NONE ? NULL : &link->symbols[number];
    if (symbol == NULL || symbol->section != section) {
      continue;
    }
    if (symbol->is_partial && symbol->value != 0) {
      const uint64_t begin = ref_align_up(end, symbol->auxiliary);
      link->null_symbol_value = begin == place ? link->null_symbol_value : symbol->value;
      place = begin;
    } else if (place != REF_NONE && !symbol->is_laid && !symbol->is_partial) {
      return;
    }
    end = ref_partial_end_behind(symbol, end);
  }
}

/* RF152: that of the pool's, or, where there are some, of the kernel whose section was made first. */
static void ref_partial_value_null(ref_link *link, size_t pool) {
  size_t first = REF_NONE;
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->is_partial && symbol->value != 0 && symbol->section != pool && symbol->section < first &&
        (symbol->section == REF_NONE || !ref_partial_is_forgotten(link, symbol->section))) {
      first = symbol->section;
    }
  }
  if (first != REF_NONE || pool != REF_NONE) {
    ref_partial_value_null_in(link, first != REF_NONE ? first : pool);
  }
}

/* With -r the alignment of an object (RF152, L1662); in an executable the reserved bytes, once for each kernel's. */
void ref_partial_write_place(ref_link *link) {
  const uint64_t reserved = link->sm >= 90 && !link->is_capsule ? RESERVED : 0;
  const size_t pool = link->has_bare_pool ? ref_section_find_pool(link) : REF_NONE;
  if (link->relocatable) {
    ref_partial_value_null(link, pool);
    return;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->is_partial && (symbol->size != 0 || symbol->is_counted)) { /* RF231, L1068 */
      link->null_symbol_value += symbol->section == pool ? 0 : reserved;
    }
  }
}
