/* Compiler constants, bank 2: W10.2-W10.4, K2, L1127, RF1171. Limits: E31-E33. */
#include "link.h"

#include <string.h>

static bool ref_constant_is_shared_out(const ref_function *function) {
  return function->constant2 != REF_NONE && !ref_function_has_own_image(function) && function->live;
}

/* Kernels, and jump slots that count as such (RF164), that reach a function with compiler constants. */
static void ref_constants_find_users(ref_link *link) {
  for (size_t i = 0; i < link->entries.count; i++) {
    const ref_function *kernel = &link->functions[link->entries.items[i]];
    for (size_t k = 0; k < kernel->reach.count; k++) {
      ref_function *function = &link->functions[kernel->reach.items[k]];
      if (ref_constant_is_shared_out(function) && kernel->alias_of == REF_NONE && kernel != function) {
        ref_indices_add(link, &function->constant_users, link->entries.items[i]);
      }
    }
  }
}

/* Where a user's copies go: RF1314: of a kernel by its name alone not where its own are; jump slots are no kernels (RF164). */
static size_t *ref_constants_image(ref_link *link, size_t number) {
  ref_function *kernel = &link->functions[number];
  return kernel->entry && !ref_function_has_own_image(kernel) ? &kernel->image : &kernel->constant2;
}

/* W10.2: users without an image get one, the last created kernel first. */
static void ref_constants_add_images(ref_link *link, const ref_function *function) {
  for (size_t i = function->constant_users.count; i-- > 0;) {
    const ref_function *kernel = &link->functions[function->constant_users.items[i]];
    size_t *image = ref_constants_image(link, function->constant_users.items[i]);
    if (*image == REF_NONE) {
      char *name = ref_memory_join(link, link->view->optimizer_prefix, kernel->name);
      *image =
          ref_section_add_with_symbol(link, name, link->view->optimizer_type, REF_FLAG_ALLOC | REF_FLAG_INFO, 1, 0);
      link->sections[*image].info_section = kernel->text;
    }
  }
}

/* W10.4, RF2: for every user, not only for those without data of their own. */
static uint64_t ref_constants_align_of_users(ref_link *link, const ref_function *function) {
  uint64_t align = link->sections[function->constant2].align;
  for (size_t i = 0; i < function->constant_users.count; i++) {
    const uint64_t other = link->sections[*ref_constants_image(link, function->constant_users.items[i])].align;
    align = ref_larger(other, align);
  }
  return align;
}

static bool ref_constants_have_entries(const ref_link *link, size_t block) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (link->relocations[i].target == block && !link->relocations[i].dropped &&
        link->relocations[i].offset < link->sections[block].size) {
      return true;
    }
  }
  return false;
}

/* M20: of a capsule the users' images take the block's relocations too. */
static void ref_constants_add_image_relocations(ref_link *link, const ref_function *function) {
  if (!link->view->is_mercury || !ref_constants_have_entries(link, function->constant2)) {
    return;
  }
  for (size_t i = function->constant_users.count; i-- > 0;) {
    (void)ref_relocation_section(link, *ref_constants_image(link, function->constant_users.items[i]), true);
  }
}

static void ref_constants_copy_entry(ref_link *link, const ref_function *function, size_t image,
                                     ref_out_relocation entry) {
  entry.section = link->sections[image].rela;
  entry.target = image;
  entry.offset += function->constant_offset;
  link->copies = ref_memory_grow(link, link->copies, link->copy_count, &link->copy_capacity, sizeof *link->copies);
  link->copies[link->copy_count++] = entry;
  link->sections[entry.section].size += link->sections[entry.section].entry_size;
}

/* The entries of the files up to the last one in that range of the block, to the image: the last file first, offsets ascending. */
static void ref_constants_copy_range(ref_link *link, const ref_function *function, size_t image, size_t last,
                                     uint64_t start, uint64_t size) {
  for (size_t i = link->relocation_count; i-- > 0;) {
    ref_out_relocation *entry = &link->relocations[i];
    if (entry->target == function->constant2 && !entry->dropped && entry->file <= last && entry->copied_to != image &&
        entry->offset < link->sections[function->constant2].size && entry->offset >= start &&
        entry->offset - start < size) {
      entry->copied_to = image;
      ref_constants_copy_entry(link, function, image, *entry);
    }
  }
}

/* A symbol of the file names compiler constants in the function's block. */
static bool ref_constants_symbol_is_inside(const ref_file *file, const ref_symbol *symbol, size_t block) {
  return symbol->section < file->cubin.section_count && file->section_of[symbol->section] == block &&
         (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT;
}

/* The file's section of constants in the function's block whose body lost, or 0. RF1171: whatever symbols it has. */
static uint32_t ref_constants_find_lost(const ref_file *file, size_t block) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const uint32_t owner = file->section_of[i] == block ? ref_merge_owner(file, i) : 0;
    if (owner != 0 && file->body_of[owner] == REF_BODY_LOSES) {
      return i;
    }
  }
  return 0;
}

/* RF212: under each symbol of the body that stands, the last first, and under the constants of a body that lost behind it, all
 * together, what lies in their range: the file's own entries, then those of files before it. */
static void ref_constants_copy_file(ref_link *link, const ref_function *function, size_t image, size_t number) {
  const ref_file *file = &link->files[number];
  const uint32_t lost = ref_constants_find_lost(file, function->constant2);
  if (lost != 0) {
    ref_constants_copy_range(link, function, image, number, file->offset_in[lost], file->cubin.sections[lost].size);
    return;
  }
  for (size_t k = file->cubin.symbol_count; k-- > 1;) {
    const ref_symbol *symbol = &file->cubin.symbols[k];
    if (ref_constants_symbol_is_inside(file, symbol, function->constant2)) {
      const uint64_t start = file->offset_in[symbol->section];
      ref_constants_copy_range(link, function, image, number, start + symbol->value, symbol->size);
    }
  }
}

/* RF469: from the last file to the first whose constants the block has. That is not the standing body's where D7 deleted another
 * block when it replaced an earlier one. */
static void ref_constants_copy_files(ref_link *link, const ref_function *function, size_t image) {
  const size_t first = (size_t)ref_smaller(function->constants_file, function->definition_file);
  for (size_t number = link->file_count; number-- > first;) {
    ref_constants_copy_file(link, function, image, number);
  }
}

/* M20: behind the image's own entries, a copy after the other, grouped by symbol, the last symbol first. RF74: those of bodies
 * that lost or were replaced too. */
static void ref_constants_copy_relocations(ref_link *link, const ref_function *function) {
  if (!link->view->is_mercury || !ref_constants_have_entries(link, function->constant2)) {
    return;
  }
  for (size_t i = 0; i < function->constant_users.count; i++) {
    ref_constants_copy_files(link, function, *ref_constants_image(link, function->constant_users.items[i]));
  }
}

/* RF533: what is far above 64 KB, by an alignment that a file has, is told (E33) and not written. */
void ref_constants_append(ref_link *link, ref_bytes *image, uint64_t place, const uint8_t *data, size_t size) {
  const uint64_t most = (uint64_t)1 << 20;
  if (place > most || size > most - place) {
    return;
  }
  ref_bytes_fill(link, image, (size_t)place);
  if (size != 0) { /* a section of no bytes has no data */
    ref_bytes_add(link, image, data, size);
  }
}

/* W10.2: one offset for the module, behind every user's image. L1127: an overlap is found where the first user takes them. */
static void ref_constants_place(ref_link *link, ref_function *function) {
  if (function->constants_overlap) {
    ref_message_fatal(link, "L1127", "Internal error: overlapping data spans too much");
  }
  const ref_out_section block = link->sections[function->constant2];
  uint64_t end = 0;
  for (size_t i = 0; i < function->constant_users.count; i++) {
    const uint64_t size = link->sections[*ref_constants_image(link, function->constant_users.items[i])].size;
    end = ref_larger(size, end);
  }
  const uint64_t align = ref_constants_align_of_users(link, function);
  function->constant_offset = ref_align_up(end, align);
  for (size_t i = 0; i < function->constant_users.count; i++) {
    ref_out_section *image = &link->sections[*ref_constants_image(link, function->constant_users.items[i])];
    image->align = align;
    image->size = ref_align_up(function->constant_offset + block.data.size, align); /* RF2 */
    ref_constants_append(link, &image->data, function->constant_offset, block.data.data, block.data.size);
    ref_constants_append(link, &image->data, image->size, NULL, 0);
  }
}

/* W8.9, RF7 */
static void ref_constants_note_lost(ref_link *link, const ref_function *function, size_t block) {
  for (size_t i = 0; i < link->lost_constant_count; i++) {
    if (link->lost_constants[i].section == block) {
      link->null_symbol_value = function->constant_offset + link->lost_constants[i].offset;
    }
  }
}

/* In reverse order of the blocks' creation (RF5: not of the functions' texts). */
void ref_constants_layout(ref_link *link) {
  for (size_t i = 0; i < link->section_count; i++) {
    link->sections[i].own_align = link->sections[i].align;
  }
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].constant_owner;
    if (number == REF_NONE || !ref_constant_is_shared_out(&link->functions[number])) {
      continue;
    }
    ref_function *function = &link->functions[number];
    if (function->constant_users.count != 0) {
      ref_constants_place(link, function);
      ref_constants_copy_relocations(link, function);
      ref_constants_note_lost(link, function, i);
    }
    link->sections[function->constant2].dropped = true;
  }
  for (size_t i = 0; i < link->holders.count; i++) {
    const size_t number = *ref_constants_image(link, link->holders.items[i]);
    if (number != REF_NONE && link->sections[number].size == 0) {
      link->sections[number].dropped = true; /* RF4: made for an emptied block alone; no name either */
      link->sections[number].deleted = true;
      ref_weak_delete_entries(link, number); /* RF176 */
    }
  }
  ref_fallback_lay_out(link);
}

void ref_constants_create_copies(ref_link *link) {
  ref_constants_find_users(link);
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].constant_owner;
    if (number != REF_NONE && ref_constant_is_shared_out(&link->functions[number])) {
      ref_constants_add_images(link, &link->functions[number]);
      ref_constants_add_image_relocations(link, &link->functions[number]);
    }
  }
}

/* Where a function's block lies in its users' images; 0 for every other section and for W10.3. */
uint64_t ref_constants_offset_of_section(const ref_link *link, size_t section) {
  const size_t number = link->sections[section].constant_owner;
  return number == REF_NONE ? 0 : link->functions[number].constant_offset;
}
