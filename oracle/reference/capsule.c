/* Links of capsules: the Mercury view is linked by the ordinary rules, and so is the SASS view; the file holds both.
 * M3, M7-M17. */
#include "capsule.h"

#include <stdlib.h>
#include <string.h>

enum {
  HEADER_BYTES = 64,
  SECTION_BYTES = 64,
  SEGMENT_BYTES = 56,
  SYMBOL_BYTES = 24,
  FIRST_SECTIONS = 4,
  NAMES_HOLE = 36,
  INDEX_SYMBOLS = 3,
  CLASS_CONSTANTS = 4,
  CLASS_TEXT = 5,
  CLASS_DATA = 6,
  CLASS_NOBITS = 7,
  CLASS_PARAMETERS = 8,
  SEGMENT_LOAD = 1,
  SEGMENT_PHDR = 6,
  READ = 4,
  READ_EXECUTE = 5,
  READ_WRITE = 6,
  CAPSULE_ALIGN = 16,
  RESERVED = 0x400,
  BANK_WITHOUT_PARAMETERS = 0x380,
  SYSTEM_RESERVED = 0x40,
  INTERNAL = 1
};

static bool ref_capsule_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The SASS view as a link of its own. Its messages are the Mercury view's too and are not said twice. */
static ref_link *ref_capsule_fork(ref_link *link) {
  ref_link *sass = ref_memory_copy(link, link, sizeof *link);
  ref_result *result = REF_TAKE_ONE(link, ref_result);
  sass->blocks = NULL;
  sass->memory_owner = link;
  sass->result = result;
  sass->message_capacity = 0;
  sass->traced = 0; /* the Mercury view tells */
  sass->files = ref_memory_copy(link, link->files, link->file_count * sizeof *sass->files);
  return sass;
}

static void ref_capsule_lay_out_sass(ref_link *sass) {
  if (setjmp(sass->escape) == 0) {
    for (size_t i = 0; i < sass->file_count; i++) {
      sass->files[i].cubin = ref_view_of(sass, &sass->files[i].whole, false);
      ref_capsule_restore_names(&sass->files[i].cubin);
      ref_namesakes_share(sass, &sass->files[i].cubin);
      ref_namesakes_move(sass, &sass->files[i]);
      ref_namesakes_mend_attributes(sass, &sass->files[i]);
      ref_mercury_derive_lone_attributes(sass, &sass->files[i].whole, &sass->files[i].cubin);
      ref_inputs_prepare(sass, &sass->files[i]);
    }
    ref_reference_lay_out(sass);
    sass->is_laid_out = true;
  }
}

static void ref_capsule_map_symbols(ref_capsule *capsule) {
  ref_link *sass = capsule->sass, *mercury = capsule->mercury;
  capsule->symbol_of = REF_TAKE(mercury, size_t, sass->symbol_count);
  for (size_t i = 0; i < sass->symbol_count; i++) {
    const ref_out_symbol *symbol = &sass->symbols[i];
    capsule->symbol_of[i] = symbol->function == REF_NONE ? REF_NONE : mercury->functions[symbol->function].symbol;
  }
  for (size_t f = 0; f < sass->file_count; f++) {
    const ref_file *from = &sass->files[f], *to = &mercury->files[f];
    for (size_t i = 0; i < from->cubin.symbol_count && i < to->cubin.symbol_count; i++) {
      if (from->symbol_of[i] != REF_NONE && to->symbol_of[i] != REF_NONE) {
        capsule->symbol_of[from->symbol_of[i]] = to->symbol_of[i];
      }
    }
  }
  for (size_t i = 0; i < sass->function_count; i++) {
    const size_t instance = sass->functions[i].extern_instance; /* W12, D59 */
    if (instance != 0) {
      capsule->symbol_of[instance] = mercury->functions[i].extern_instance;
    }
  }
  for (size_t i = 0; i < sass->section_count; i++) {
    const char *name = strcmp(sass->sections[i].name, ref_view_sass.user_name) == 0 ? ref_view_mercury.user_name
                                                                                    : sass->sections[i].name;
    const size_t other = ref_map_find(&mercury->section_by_name, name);
    if (sass->sections[i].symbol != REF_NONE && other != REF_NONE) {
      capsule->symbol_of[sass->sections[i].symbol] = mercury->sections[other].symbol;
    }
  }
}

uint32_t ref_capsule_symbol_index(const ref_capsule *capsule, size_t sass_symbol) {
  const size_t symbol = sass_symbol == REF_NONE ? REF_NONE : capsule->symbol_of[sass_symbol];
  return ref_symbol_index(capsule->mercury, symbol);
}

size_t ref_capsule_function_of(const ref_capsule *capsule, size_t section) {
  const ref_out_section *output = &capsule->mercury->sections[section];
  if (output->info_function != REF_NONE) {
    return output->info_function;
  }
  return output->info_section == REF_NONE ? REF_NONE : capsule->mercury->sections[output->info_section].info_function;
}

size_t ref_capsule_sass_section(const ref_capsule *capsule, size_t section) {
  const ref_out_section *output = &capsule->mercury->sections[section];
  const size_t function = ref_capsule_function_of(capsule, section);
  if (output->info_function != REF_NONE) {
    return capsule->sass->functions[output->info_function].text;
  }
  if (output->type == REF_TYPE_CONSTANT_OPTIMIZER && function != REF_NONE) {
    const bool own = capsule->mercury->functions[function].constant2 == section;
    return own ? capsule->sass->functions[function].constant2 : REF_NONE; /* W8.8: nothing fills a stray one */
  }
  if (output->type == REF_TYPE_CONSTANT_TABLE && function != REF_NONE) {
    return capsule->sass->functions[function].constant0;
  }
  const char *name = output->type == REF_TYPE_CONSTANT_USER  ? ref_view_sass.user_name
                     : output->type == REF_TYPE_CONSTANT_PIC ? ".nv.constant4"
                                                             : output->name;
  return ref_map_find(&capsule->sass->section_by_name, name);
}

/* M7, M12: the SASS name, if it is another. */
static const char *ref_capsule_rename(ref_capsule *capsule, const char *name) {
  static const char relocations[] = ".rela";
  const bool rela = ref_capsule_starts_with(name, ".rela.");
  const char *plain = rela ? name + strlen(relocations) : name;
  const char *prefix = rela ? relocations : "";
  if (strcmp(plain, ref_view_mercury.user_name) == 0) {
    return ref_memory_join(capsule->mercury, prefix, ref_view_sass.user_name);
  }
  if (REF_IS(plain, ".nv.constant.pic")) {
    return ref_memory_join(capsule->mercury, prefix, ".nv.constant4"); /* RF37 */
  }
  const char *const from[] = {ref_view_mercury.optimizer_prefix, ref_view_mercury.table_prefix};
  const char *const to[] = {ref_view_sass.optimizer_prefix, ref_view_sass.table_prefix};
  for (size_t i = 0; i < 2; i++) {
    if (ref_capsule_starts_with(plain, from[i])) {
      return ref_memory_print(capsule->mercury, "%s%s%s", prefix, to[i], plain + strlen(from[i]));
    }
  }
  return NULL;
}

static const char *ref_capsule_mark(const ref_capsule *capsule, size_t section) {
  return capsule->marks == NULL || section == REF_NONE ? NULL : capsule->marks[section];
}

static ref_piece *ref_capsule_add_piece(ref_capsule *capsule, ref_piece piece) {
  capsule->pieces = ref_memory_grow(capsule->mercury, capsule->pieces, capsule->piece_count, &capsule->piece_capacity,
                                    sizeof *capsule->pieces);
  piece.index = (uint32_t)(FIRST_SECTIONS + capsule->piece_count);
  capsule->pieces[capsule->piece_count] = piece;
  return &capsule->pieces[capsule->piece_count++];
}

/* M7, W1.5: on the SASS side; with -r CUDA's own types stay (RF170). */
static uint32_t ref_capsule_type(const ref_link *link, uint32_t type) {
  if (!link->relocatable) {
    return ref_write_type(type);
  }
  switch (type) {
  case REF_TYPE_CONSTANT_USER:
    return REF_TYPE_CONSTANT + 3;
  case REF_TYPE_CONSTANT_PIC:
    return REF_TYPE_CONSTANT + 4;
  case REF_TYPE_CONSTANT_OPTIMIZER:
    return REF_TYPE_CONSTANT + 2;
  case REF_TYPE_CONSTANT_TABLE:
    return REF_TYPE_CONSTANT;
  default:
    return type;
  }
}

/* M11: the sections of step 1, with SASS contents later. */
static void ref_capsule_add_plain_pieces(ref_capsule *capsule) {
  ref_link *mercury = capsule->mercury;
  for (size_t i = 0; i < capsule->order.count; i++) {
    const size_t number = capsule->order.items[i];
    const ref_out_section *section = &mercury->sections[number];
    const char *renamed = ref_capsule_rename(capsule, section->name);
    const size_t sass = ref_capsule_sass_section(capsule, number);
    const bool has_bytes = ref_section_type_has_bytes(section->type);
    const bool own_align = section->info_function != REF_NONE && sass != REF_NONE;
    capsule->piece_of[number] = capsule->piece_count;
    (void)ref_capsule_add_piece(capsule,
                                (ref_piece){.name = renamed == NULL ? section->name : renamed,
                                            .old_name = renamed == NULL ? NULL : section->name,
                                            .type = ref_capsule_type(mercury, section->type),
                                            .flags = section->flags,
                                            .align = own_align ? capsule->sass->sections[sass].align : section->align,
                                            .entry_size = section->entry_size,
                                            .link = section->links_symtab ? INDEX_SYMBOLS : 0,
                                            .has_bytes = has_bytes,
                                            .size = section->size,
                                            .class = ref_write_class(section),
                                            .section = number,
                                            .mark = ref_capsule_mark(capsule, number)});
    const size_t function = section->info_function;
    if (function != REF_NONE && capsule->sass->functions[function].constant0 != REF_NONE &&
        ref_laid_table_of(mercury, function) == REF_NONE) {
      ref_indices_add(mercury, &capsule->kernels, function);
    }
  }
}

/* RF361: of an internal kernel nvlink has lost the attribute that tells the size of its parameters (D100, RF161). */
static size_t ref_capsule_parameter_size(const ref_link *link, size_t kernel, uint64_t size) {
  const bool is_lost = link->job->bug_compatible && ref_function_is_internal(link, &link->functions[kernel]);
  return is_lost && size > BANK_WITHOUT_PARAMETERS ? BANK_WITHOUT_PARAMETERS : (size_t)size;
}

/* M20 */
static void ref_capsule_add_parameters(ref_capsule *capsule) {
  for (size_t i = 0; i < capsule->kernels.count; i++) {
    const size_t text = capsule->mercury->functions[capsule->kernels.items[i]].text;
    const ref_function *kernel = &capsule->sass->functions[capsule->kernels.items[i]];
    const ref_out_section *section = &capsule->sass->sections[kernel->constant0];
    ref_bytes zeros = {0};
    ref_bytes_fill(capsule->mercury, &zeros,
                   ref_capsule_parameter_size(capsule->mercury, capsule->kernels.items[i], section->size));
    (void)ref_capsule_add_piece(capsule, (ref_piece){.name = section->name,
                                                     .type = ref_capsule_type(capsule->mercury, REF_TYPE_CONSTANT),
                                                     .flags = section->flags,
                                                     .align = section->align,
                                                     .has_bytes = true,
                                                     .data = zeros,
                                                     .size = zeros.size,
                                                     .class = CLASS_PARAMETERS,
                                                     .section = REF_NONE,
                                                     .mark = ref_capsule_mark(capsule, text)});
  }
}

/* M7, the columns of the Mercury section. */
static bool ref_capsule_is_mirrored(const ref_out_section *section) {
  const ref_section like = {.type = section->type, .flags = section->flags};
  return section->info_function == REF_NONE && ref_view_is_mirrored(&like);
}

static uint32_t ref_capsule_mercury_type(uint32_t type) {
  switch (type) {
  case REF_TYPE_INFO:
    return REF_TYPE_MERCURY_INFO;
  case REF_TYPE_RELA:
    return REF_TYPE_MERCURY_RELA;
  case REF_TYPE_RESOLVED_RELA:
    return REF_TYPE_MERCURY_RESOLVED;
  default:
    return type;
  }
}

static void ref_capsule_add_mercury_piece(ref_capsule *capsule, size_t number, bool text) {
  const ref_out_section *section = &capsule->mercury->sections[number];
  const char *name = text ? ref_memory_join(capsule->mercury, ".nv.capmerc", section->name)
                          : ref_memory_join(capsule->mercury, ".nv.merc", section->name);
  capsule->mercury_piece_of[number] = capsule->piece_count;
  (void)ref_capsule_add_piece(
      capsule, (ref_piece){.name = name,
                           .type = text ? REF_TYPE_CAPSULE_TEXT : ref_capsule_mercury_type(section->type),
                           .flags = text ? REF_FLAG_MERCURY : section->flags | REF_FLAG_MERCURY,
                           .align = text ? CAPSULE_ALIGN : section->align,
                           .entry_size = section->entry_size,
                           .has_bytes = ref_section_type_has_bytes(section->type),
                           .data = section->data,
                           .size = section->size,
                           .section = number,
                           .mark = ref_capsule_mark(capsule, number)});
}

static void ref_capsule_add_mercury_pieces(ref_capsule *capsule) {
  const size_t count = capsule->order.count;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < count; i++) {
      const size_t number = capsule->order.items[i];
      const ref_out_section *section = &capsule->mercury->sections[number];
      const bool text = section->info_function != REF_NONE;
      if (pass == 0 ? text : ref_capsule_is_mirrored(section)) {
        ref_capsule_add_mercury_piece(capsule, number, text);
      }
    }
  }
  (void)ref_capsule_add_piece(capsule, (ref_piece){.name = ".nv.merc.symtab",
                                                   .type = REF_TYPE_MERCURY_SYMTAB,
                                                   .flags = REF_FLAG_MERCURY,
                                                   .align = 8,
                                                   .entry_size = SYMBOL_BYTES,
                                                   .link = 2,
                                                   .has_bytes = true,
                                                   .section = REF_NONE});
}

static ref_piece *ref_capsule_symbol_piece(ref_capsule *capsule) {
  return &capsule->pieces[capsule->piece_count - 1];
}

static bool ref_capsule_is_mercury(const ref_piece *piece) {
  return (piece->flags & REF_FLAG_MERCURY) != 0;
}

/* The piece of a section, or 0 where it has none: a damaged file's kernel may have lost its text. */
static uint32_t ref_capsule_piece_index(const ref_capsule *capsule, const size_t *piece_of, size_t section) {
  const size_t piece = section == REF_NONE ? REF_NONE : piece_of[section];
  return piece == REF_NONE ? 0 : capsule->pieces[piece].index;
}

/* RF1023: sh_link of variables, constants and debug data is the number that the SASS side's first input has; where that is the number of a section of
 * Mercury's, Mercury's side has it, and otherwise that of Mercury's section beside it. */
static uint32_t ref_capsule_kept_link(ref_capsule *capsule, uint32_t number, bool is_mercury) {
  const ref_piece *last = ref_capsule_symbol_piece(capsule);
  if (number < FIRST_SECTIONS) {
    return !is_mercury ? number : number == INDEX_SYMBOLS ? last->index : 0;
  }
  const ref_piece *named =
      number - FIRST_SECTIONS < capsule->piece_count ? &capsule->pieces[number - FIRST_SECTIONS] : NULL;
  if (named == NULL || named->index != number) {
    return 0;
  }
  if (ref_capsule_is_mercury(named)) {
    return is_mercury ? number : 0;
  }
  return !is_mercury ? number : ref_capsule_piece_index(capsule, capsule->mercury_piece_of, named->section);
}

/* sh_link and sh_info: W1.6 for the SASS side; of the Mercury side both name Mercury sections. */
static void ref_capsule_link_pieces(ref_capsule *capsule) {
  const ref_link *mercury = capsule->mercury;
  const uint32_t symbols = ref_capsule_symbol_piece(capsule)->index;
  size_t parameter = 0;
  for (size_t i = 0; i + 1 < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    if (piece->section == REF_NONE) {
      const ref_function *kernel = &mercury->functions[capsule->kernels.items[parameter++]];
      piece->info = ref_capsule_piece_index(capsule, capsule->piece_of, kernel->text);
      continue;
    }
    const ref_out_section *section = &mercury->sections[piece->section];
    const bool is_mercury = ref_capsule_is_mercury(piece);
    const size_t *piece_of = is_mercury ? capsule->mercury_piece_of : capsule->piece_of;
    if (section->info_function != REF_NONE) {
      piece->info = ref_symbol_index(mercury, mercury->functions[section->info_function].symbol);
    } else {
      piece->info = ref_capsule_piece_index(capsule, piece_of, section->info_section);
    }
    if (is_mercury && section->links_symtab) {
      piece->link = symbols;
    } else if (!section->links_symtab && section->input_link != 0) {
      piece->link = ref_capsule_kept_link(capsule, section->input_link, is_mercury);
    }
    if (piece->section == mercury->cuinfo_section && mercury->compat_section != REF_NONE) {
      piece->link = ref_capsule_piece_index(capsule, capsule->piece_of, mercury->note_section);
      piece->info = ref_capsule_piece_index(capsule, capsule->piece_of, mercury->compat_section);
      piece->flags |= REF_FLAG_INFO;
    }
  }
}

static void ref_capsule_write_header(ref_link *link, ref_bytes *file, const ref_piece *piece) {
  ref_bytes_add_u32(link, file, piece->name_offset);
  ref_bytes_add_u32(link, file, piece->type);
  ref_bytes_add_u64(link, file, piece->flags);
  ref_bytes_add_u64(link, file, 0);
  ref_bytes_add_u64(link, file, piece->offset);
  ref_bytes_add_u64(link, file, piece->size);
  ref_bytes_add_u32(link, file, piece->link);
  ref_bytes_add_u32(link, file, piece->info);
  ref_bytes_add_u64(link, file, piece->align);
  ref_bytes_add_u64(link, file, piece->entry_size);
}

/* RF43: a text is there with its decoded instructions; `.nv.compat` is as the ordinary rules make it. */
static uint64_t ref_capsule_size_in_step_one(const ref_capsule *capsule, size_t number) {
  const ref_link *link = capsule->mercury;
  const ref_out_section *section = &link->sections[number];
  if (number == link->slot_section && number != 0) {
    return capsule->slot_bytes;
  }
  if (section->info_function != REF_NONE) {
    const size_t symbol = link->functions[section->info_function].symbol;
    return symbol == REF_NONE ? 0 : link->symbols[symbol].size;
  }
  if (number == link->compat_section) {
    return capsule->compat_size;
  }
  return ref_section_type_has_bytes(section->type) ? section->data.size : 0;
}

/* M28: what follows the section in the file of step 1, as a rule its first two section headers. Where the headers of that
 * file begin depends on the sections behind this one. */
static uint64_t ref_capsule_distance_to_headers(const ref_capsule *capsule, size_t reserved) {
  const ref_link *link = capsule->mercury;
  uint64_t at = HEADER_BYTES + link->section_names.bytes.size + link->names.bytes.size, start = 0;
  at = ref_align_up(at, 8) + (uint64_t)link->output_symbol_count * SYMBOL_BYTES;
  for (size_t i = 0; i < capsule->order.count; i++) {
    const ref_out_section *section = &link->sections[capsule->order.items[i]];
    at = ref_align_up(at, section->info_function != REF_NONE ? CAPSULE_ALIGN : section->align);
    start = capsule->order.items[i] == reserved ? at : start;
    at += ref_capsule_size_in_step_one(capsule, capsule->order.items[i]);
  }
  return ref_align_up(at, 8) - start;
}

static ref_bytes ref_capsule_reserved_bytes(ref_capsule *capsule, const ref_piece *piece) {
  ref_link *link = capsule->mercury;
  ref_bytes bytes = {0};
  ref_bytes_fill(link, &bytes, (size_t)(ref_capsule_distance_to_headers(capsule, piece->section) + SECTION_BYTES));
  ref_capsule_write_header(link, &bytes,
                           &(ref_piece){.name_offset = 1,
                                        .type = REF_TYPE_STRTAB,
                                        .offset = HEADER_BYTES,
                                        .size = link->section_names.bytes.size,
                                        .align = 1});
  ref_bytes_fill(link, &bytes, (size_t)piece->size);
  bytes.size = (size_t)piece->size;
  return bytes;
}

/* L445, RF858: word 1 is always the same, and the bits behind the last instruction's in its last word are 0. */
static void ref_capsule_write_head(ref_bytes *body) {
  enum { MARK_AT = 4, MASK_AT = 12, BITS = 32 };
  ref_capsule_step step;
  if (!ref_capsule_body_begin(body->data, body->size, &step)) {
    return;
  }
  ref_put_u32(body->data + MARK_AT, 0xc0000001);
  if (step.count % BITS != 0) {
    uint8_t *last = body->data + MASK_AT + step.count / BITS * 4;
    ref_put_u32(last, ref_u32(last) & ((UINT32_C(1) << step.count % BITS) - 1));
  }
}

/* M23: word 0 of a capsule is the index of its SASS text. */
static void ref_capsule_fill_pieces(ref_capsule *capsule) {
  for (size_t i = 0; i + 1 < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    if (piece->section == REF_NONE) {
      continue;
    }
    if (!ref_capsule_is_mercury(piece) && piece->has_bytes) {
      piece->data = ref_capsule_content(capsule, piece->section);
      piece->size = piece->data.size;
    } else if (piece->type == REF_TYPE_CAPSULE_TEXT && piece->data.size >= 4) {
      ref_put_u32(piece->data.data, capsule->pieces[capsule->piece_of[piece->section]].index);
      ref_capsule_write_head(&piece->data);
    } else if (piece->type == REF_TYPE_NOBITS && !capsule->mercury->relocatable &&
               capsule->mercury->sections[piece->section].type == REF_TYPE_SHARED) {
      piece->size += RESERVED; /* M17 */
    } else if (piece->type == REF_TYPE_NOBITS &&
               capsule->mercury->sections[piece->section].type == REF_TYPE_SHARED_RESERVED) {
      piece->size += SYSTEM_RESERVED; /* M28 */
    } else if (piece->type == REF_TYPE_SHARED_RESERVED &&
               ref_capsule_is_mercury(piece)) { /* not that of -r's SASS view */
      piece->has_bytes = true;
      piece->data = ref_capsule_reserved_bytes(capsule, piece);
    }
  }
}

/* The function that a piece, or the section that its entries are for, is about. */
static size_t ref_capsule_function_in_name(const ref_capsule *capsule, const ref_piece *piece) {
  const size_t target = capsule->mercury->sections[piece->section].target;
  return ref_capsule_function_of(capsule, target == REF_NONE ? piece->section : target);
}

/* D140, L902: where two pieces have one name nvlink renames it twice, the second time as if the first name were still there. */
static void ref_capsule_write_name(ref_capsule *capsule, const ref_piece *piece, uint8_t *at) {
  const char *name = piece->name;
  if (capsule->mercury->job->bug_compatible &&
      strncmp((const char *)at, piece->old_name, strlen(piece->old_name)) != 0) {
    const size_t function = ref_capsule_function_in_name(capsule, piece);
    const size_t length = function == REF_NONE ? 0 : strlen(capsule->mercury->functions[function].name);
    const size_t own = length < strlen(piece->old_name) && length < strlen(name) ? length : 0;
    const char *rest = (const char *)at + strlen(piece->old_name) - own;
    name = ref_memory_print(capsule->mercury, "%.*s%s", (int)(strlen(piece->name) - own), piece->name, rest);
  }
  memset(at, 0, strlen(piece->old_name));
  memcpy(at, name, strlen(name));
}

/* Where step 1 has a section's name; what it does not have, or has without the mark (L895), comes behind. */
static void ref_capsule_name_piece(ref_capsule *capsule, ref_piece *piece, uint32_t known, ref_bytes *names) {
  if (piece->class != CLASS_PARAMETERS && !ref_capsule_is_mercury(piece) && piece->mark == NULL) {
    piece->name_offset = known;
    return;
  }
  const char *mark = piece->mark == NULL ? "" : piece->mark;
  piece->name_offset = (uint32_t)names->size;
  ref_bytes_add(capsule->mercury, names, piece->name, strlen(piece->name));
  ref_bytes_add(capsule->mercury, names, mark, strlen(mark) + 1);
}

/* M12: `.shstrtab`. */
static ref_bytes ref_capsule_section_names(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  ref_bytes names = link->section_names.bytes;
  for (size_t i = 0; i < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    const char *known = piece->old_name == NULL ? piece->name : piece->old_name;
    ref_capsule_name_piece(capsule, piece, ref_strings_offset(&link->section_names, known), &names);
  }
  for (size_t i = 0; i < capsule->piece_count; i++) {
    const ref_piece *piece = &capsule->pieces[i];
    const uint32_t at = piece->old_name == NULL ? 0 : ref_strings_offset(&link->section_names, piece->old_name);
    if (at != 0) {
      ref_capsule_write_name(capsule, piece, names.data + at);
    }
  }
  return names;
}

/* M12, M13: `.strtab`, and the zeros behind it. */
static ref_bytes ref_capsule_names(ref_capsule *capsule, size_t *hole) {
  ref_link *link = capsule->mercury;
  ref_bytes names = link->names.bytes;
  size_t old = 0, added = 0;
  for (size_t i = 0; i < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    if (piece->old_name == NULL) {
      continue;
    }
    old += strlen(piece->old_name);
    const size_t symbol = link->sections[piece->section].symbol;
    if (symbol != REF_NONE && link->symbols[symbol].index != 0) {
      piece->symbol_name = (uint32_t)names.size; /* each of those of one name has its own (L902) */
      added += strlen(piece->name) + 1;
      ref_bytes_add(link, &names, piece->name, strlen(piece->name) + 1);
    }
  }
  for (size_t i = 0; i < capsule->piece_count; i++) {
    const ref_piece *piece = &capsule->pieces[i];
    if (piece->class == CLASS_PARAMETERS) {
      ref_map_set(link, &capsule->new_names.offsets, piece->name, names.size);
      ref_bytes_add(link, &names, piece->name, strlen(piece->name) + 1);
    }
  }
  *hole = old > added ? old - added : 0;
  return names;
}

static bool ref_capsule_has_size(const ref_link *mercury, size_t function) {
  const size_t symbol = mercury->functions[function].symbol;
  return symbol != REF_NONE && mercury->symbols[symbol].size > 0;
}

/* A text's function, where an alias leads it: as this link has made it (RF116), or an earlier one; then it is the name that has a size in the
 * Mercury view (L864), where both have made one the one that leads (RF452). */
static size_t ref_capsule_led_by(const ref_capsule *capsule, size_t primary) {
  const ref_link *mercury = capsule->mercury;
  const size_t led = capsule->sass->functions[primary].leads;
  if (led != REF_NONE) {
    return ref_capsule_has_size(mercury, led) || !ref_capsule_has_size(mercury, primary) ? led : primary;
  }
  if (mercury->functions[primary].symbol == REF_NONE || ref_capsule_has_size(mercury, primary)) {
    return primary;
  }
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (mercury->functions[i].alias_of == primary && ref_capsule_has_size(mercury, i) &&
        !ref_inner_is_function(mercury, i)) {
      return i;
    }
  }
  return primary;
}

static size_t ref_capsule_primary(const ref_link *sass, size_t function) {
  const size_t primary = sass->functions[function].alias_of;
  return primary == REF_NONE ? function : primary;
}

static uint32_t ref_capsule_index_of_function(const ref_capsule *capsule, size_t function) {
  return ref_symbol_index(capsule->mercury, capsule->mercury->functions[function].symbol);
}

/* Is no other name of the function's text before it? */
static bool ref_capsule_is_first_name(const ref_capsule *capsule, size_t function, size_t primary) {
  const uint32_t own = ref_capsule_index_of_function(capsule, function);
  for (size_t i = 0; i < capsule->sass->function_count; i++) {
    const uint32_t other = ref_capsule_index_of_function(capsule, i);
    if (other != 0 && other < own && !ref_inner_is_function(capsule->mercury, i) &&
        ref_capsule_primary(capsule->sass, i) == primary) {
      return false;
    }
  }
  return true;
}

/* RF39, L807: the first of a text's names has the size of the code on the SASS side, those between it and the function's have Mercury's, and
 * those behind it none (RF174). By default one that does not lead the text has none (L899). */
static uint64_t ref_capsule_sass_size(const ref_capsule *capsule, size_t number) {
  const ref_link *sass = capsule->sass, *mercury = capsule->mercury;
  const size_t function = sass->symbols[number].function;
  const size_t primary = function == REF_NONE ? REF_NONE : ref_capsule_primary(sass, function);
  const size_t owner = primary == REF_NONE ? REF_NONE : ref_capsule_led_by(capsule, primary);
  if (owner == function || sass->symbols[number].value != 0 || sass->functions[owner].symbol == REF_NONE) {
    return sass->symbols[number].size;
  }
  if ((!mercury->job->bug_compatible && function != primary) ||
      ref_capsule_index_of_function(capsule, function) > ref_capsule_index_of_function(capsule, owner)) {
    return 0;
  }
  return ref_capsule_is_first_name(capsule, function, primary)
             ? sass->symbols[sass->functions[owner].symbol].size
             : mercury->symbols[mercury->functions[function].symbol].size;
}

/* M28; W17.2, M17: with -g shared objects have symbols, behind the reserved bytes; RF128: in an empty section too. */
static uint64_t ref_capsule_reserved_before(const ref_link *link, const ref_out_symbol *symbol) {
  const ref_out_section *section = symbol->section == REF_NONE ? NULL : &link->sections[symbol->section];
  if (section != NULL && section->type == REF_TYPE_SHARED && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED) {
    return RESERVED;
  }
  return section != NULL && section->type == REF_TYPE_SHARED_RESERVED && section->size != 0 ? SYSTEM_RESERVED : 0;
}

/* L1721: a shared object that no file defines is behind the reserved bytes, too. */
static bool ref_capsule_is_nowhere_shared(const ref_out_symbol *symbol) {
  const bool object = symbol->type == REF_SYMBOL_OBJECT || symbol->type == REF_SYMBOL_CUDA_OBJECT;
  return object && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
}

/* M8, M15: one symbol, for one of the two tables. */
static void ref_capsule_write_symbol(ref_capsule *capsule, size_t number, bool mercury_side, uint8_t *at) {
  const ref_link *link = capsule->mercury;
  const ref_out_symbol *symbol = &link->symbols[number];
  const bool nowhere = symbol->section == REF_NONE, undefined = nowhere && !symbol->common;                /* D3 */
  uint8_t type = symbol->defined_type != 0 ? symbol->defined_type : symbol->type, bind = symbol->bind;     /* RF1188 */
  const bool object = type == REF_SYMBOL_CUDA_OBJECT && (symbol->defined_type != 0 || !symbol->was_plain); /* L577 */
  uint8_t other = symbol->other & (uint8_t)~ref_symbol_lost_visibility(link, symbol);
  uint64_t value = symbol->value, size = symbol->size;
  uint32_t name = ref_strings_offset(&link->names, symbol->name), section = undefined ? 0 : REF_SECTION_COMMON;
  if (!nowhere && ref_preserve_hides_symbol(link, symbol)) {
    other |= INTERNAL; /* W17.7, in both tables */
  }
  const bool keeps_type = !mercury_side && !link->relocatable && (other & REF_SPACE_MASK) != 0; /* L840 */
  if (undefined && type == REF_SYMBOL_OBJECT) {
    type = keeps_type ? REF_SYMBOL_OBJECT : REF_SYMBOL_CUDA_OBJECT;
    other &= (uint8_t)~(keeps_type ? REF_SPACE_MASK : 0);
  } else if (object && !mercury_side && !link->relocatable && (other & REF_SPACE_MASK) != 0) { /* RF405 */
    type = REF_SYMBOL_OBJECT;
    other &= (uint8_t)~REF_SPACE_MASK;
    value += ref_capsule_reserved_before(link, symbol);
  }
  if (undefined && bind == REF_BIND_WEAK && !symbol->local_list) {
    bind = REF_BIND_GLOBAL;
  }
  if (!nowhere) {
    const size_t own = capsule->piece_of[symbol->section], other_side = capsule->mercury_piece_of[symbol->section];
    const size_t piece = mercury_side && other_side != REF_NONE ? other_side : own;
    section = piece == REF_NONE ? 0 : capsule->pieces[piece].index;
    if (!mercury_side && type == REF_SYMBOL_SECTION && piece != REF_NONE && capsule->pieces[piece].old_name != NULL) {
      name = capsule->pieces[piece].symbol_name;
    }
  }
  if (!mercury_side && !nowhere && symbol->type != REF_SYMBOL_FUNC && symbol->value != 0) {
    value += ref_inner_object_place(capsule, symbol) - symbol->value;
  }
  const size_t sass = capsule->sass_symbol_of[number];
  const bool is_renamed =
      undefined && sass != REF_NONE && strcmp(capsule->sass->symbols[sass].name, symbol->name) != 0; /* RF1243 */
  if (!mercury_side && sass != REF_NONE && !is_renamed && (symbol->type == REF_SYMBOL_FUNC || undefined)) {
    value = capsule->sass->symbols[sass].value;
    size = ref_capsule_sass_size(capsule, sass);
    if (ref_slots_is_slot(capsule, symbol->function)) {
      ref_slots_place_symbol(capsule, symbol->function, &value, &size);
    } else if (ref_inner_is_function(link, symbol->function)) {
      ref_inner_place_symbol(capsule, symbol->function, &value, &size);
    }
  }
  if (!mercury_side && sass == REF_NONE && undefined && ref_symbol_is_provided(symbol->name)) { /* RF998 */
    value = ref_symbol_provided_value(capsule->sass, &(ref_symbol){.name = symbol->name});
  }
  if (!mercury_side && undefined && !link->relocatable && ref_capsule_is_nowhere_shared(symbol)) {
    value += RESERVED;
  }
  ref_put_u32(at, name);
  at[4] = (uint8_t)(bind << 4 | type);
  at[5] = other;
  ref_put_u16(at + 6, (uint16_t)section);
  ref_put_u64(at + 8, value);
  ref_put_u64(at + 16, size);
}

/* D137: in place of the null symbol, the symbol of what has the section's first number; on Mercury's side of that section's mirror. */
static void ref_capsule_write_first_symbol(ref_capsule *capsule, size_t number, bool mercury_side, uint8_t *at) {
  const ref_piece *piece = &capsule->pieces[REF_NOTE_AS_MADE - FIRST_SECTIONS];
  const size_t mirror = piece->section == REF_NONE ? REF_NONE : capsule->mercury_piece_of[piece->section];
  ref_capsule_write_symbol(capsule, number, mercury_side, at);
  ref_put_u16(at + 6, mercury_side && mirror != REF_NONE ? (uint16_t)capsule->pieces[mirror].index : REF_NOTE_AS_MADE);
}

/* Of several SASS symbols that are one in the Mercury module the last counts. */
static void ref_capsule_map_back(ref_capsule *capsule) {
  ref_link *mercury = capsule->mercury;
  capsule->sass_symbol_of = ref_memory_take_numbers(mercury, mercury->symbol_count);
  for (size_t i = 0; i < capsule->sass->symbol_count; i++) {
    if (capsule->symbol_of[i] != REF_NONE) {
      capsule->sass_symbol_of[capsule->symbol_of[i]] = i;
    }
  }
}

static ref_bytes ref_capsule_write_symbols(ref_capsule *capsule, bool mercury_side) {
  ref_link *link = capsule->mercury;
  ref_bytes table = {0};
  ref_symbols_trace_unused(link, mercury_side);
  ref_bytes_fill(link, &table, (size_t)link->output_symbol_count * SYMBOL_BYTES);
  ref_put_u64(table.data + 8, link->null_symbol_value);
  if (ref_symbols_first(link) != REF_NONE) {
    ref_capsule_write_first_symbol(capsule, ref_symbols_first(link), mercury_side, table.data);
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].index != 0) {
      ref_capsule_write_symbol(capsule, i, mercury_side, table.data + (size_t)link->symbols[i].index * SYMBOL_BYTES);
    }
  }
  if (mercury_side) {
    return table;
  }
  for (size_t i = 0; i < capsule->piece_count; i++) {
    const ref_piece *piece = &capsule->pieces[i];
    if (piece->class == CLASS_PARAMETERS) {
      const size_t at = table.size;
      ref_bytes_fill(link, &table, at + SYMBOL_BYTES);
      ref_put_u32(table.data + at, (uint32_t)ref_map_find(&capsule->new_names.offsets, piece->name));
      table.data[at + 4] = REF_SYMBOL_SECTION;
      ref_put_u16(table.data + at + 6, (uint16_t)piece->index);
    }
  }
  return table;
}

static bool ref_capsule_has_equal_bytes(const ref_piece *piece, const ref_piece *sass) {
  const ref_bytes *bytes = &piece->data;
  return piece->has_bytes && bytes->size == sass->data.size && memcmp(bytes->data, sass->data.data, bytes->size) == 0;
}

/* RF864: debug data that both sides share, which is Mercury's. */
bool ref_capsule_is_shared_debug(const char *name) {
  static const char *const names[] = {".debug_abbrev",   ".debug_aranges",  ".debug_loc",    ".debug_macinfo",
                                      ".debug_pubnames", ".debug_pubtypes", ".debug_ranges", ".debug_str"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (ref_text_is(name, names[i])) {
      return true;
    }
  }
  return ref_capsule_starts_with(name, ".nv_debug_ptx_txt");
}

/* M10, RF319: which Mercury sections have no bytes of their own. */
static bool ref_capsule_shares_bytes(const ref_piece *piece, const ref_piece *sass, const char *name) {
  static const char *const always[] = {".nv.constant.user", ".nv.constant.pic", ".nv.global.init",
                                       ".debug_info"}; /* RF1024 */
  static const char *const if_equal[] = {".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_type",
                                         ".nv_debug_info_reg_sass"}; /* RF148, L747 */
  if (piece->type == REF_TYPE_SHARED_RESERVED || sass->has_places) {
    return false;
  }
  if (piece->size == 0 || ref_capsule_is_shared_debug(name)) {
    return true;
  }
  for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
    if (strcmp(name, always[i]) == 0) {
      return true;
    }
  }
  for (size_t i = 0; i < sizeof if_equal / sizeof if_equal[0]; i++) {
    if (strcmp(name, if_equal[i]) == 0) {
      return ref_capsule_has_equal_bytes(piece, sass);
    }
  }
  return false;
}

/* RF1021: debug data that the SASS side has as Mercury's has it, but for what entries about places write. */
static bool ref_capsule_is_plain_debug(const ref_out_section *section) {
  static const char *const others[] = {".debug_frame", ".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass"};
  bool plain = section->type == REF_TYPE_PROGBITS && (section->flags & (REF_FLAG_ALLOC | REF_FLAG_EXEC)) == 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    plain = plain && strcmp(section->name, others[i]) != 0;
  }
  return plain;
}

static void ref_capsule_fill_places(ref_capsule *capsule, const ref_bytes *symbols) {
  for (size_t i = 0; i < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    if (piece->section != REF_NONE && !ref_capsule_is_mercury(piece) &&
        (ref_data_is_derived(capsule->mercury->sections[piece->section].type) ||
         capsule->mercury->sections[piece->section].type == REF_TYPE_CONSTANT_TABLE || /* RF1025 */
         ref_capsule_is_plain_debug(&capsule->mercury->sections[piece->section]))) {
      piece->has_places = ref_capsule_write_places(capsule, piece->section, symbols, &piece->data);
    }
    if (piece->section != REF_NONE && !ref_capsule_is_mercury(piece) && piece->has_bytes) {
      ref_capsule_write_table_places(capsule, piece->section, symbols, &piece->data);
      ref_derived_write(capsule, piece->section, symbols, &piece->data);
      ref_capsule_write_frame_places(capsule, piece->section, symbols, &piece->data);
    }
  }
}

static void ref_capsule_place_pieces(ref_capsule *capsule, ref_bytes *file) {
  ref_link *link = capsule->mercury;
  for (size_t i = 0; i < capsule->piece_count; i++) {
    ref_piece *piece = &capsule->pieces[i];
    if (ref_capsule_is_mercury(piece) && piece->section != REF_NONE && piece->type != REF_TYPE_CAPSULE_TEXT) {
      const ref_piece *sass = &capsule->pieces[capsule->piece_of[piece->section]];
      if (ref_capsule_shares_bytes(piece, sass, link->sections[piece->section].name)) {
        piece->offset = sass->offset;
        continue;
      }
    }
    ref_bytes_fill(link, file, (size_t)ref_align_up(file->size, piece->align));
    piece->offset = file->size;
    if (piece->has_bytes) {
      ref_bytes_add(link, file, piece->data.data, piece->data.size);
    }
  }
}

typedef struct ref_segment_of {
  uint32_t flags;
  uint64_t start, end, memory;
} ref_segment_of;

static void ref_capsule_write_segment(ref_link *link, ref_bytes *file, uint32_t type, uint32_t flags, uint64_t offset,
                                      uint64_t file_size, uint64_t memory_size) {
  ref_bytes_add_u32(link, file, type);
  ref_bytes_add_u32(link, file, flags);
  ref_bytes_add_u64(link, file, offset);
  ref_bytes_add_u64(link, file, 0);
  ref_bytes_add_u64(link, file, 0);
  ref_bytes_add_u64(link, file, file_size);
  ref_bytes_add_u64(link, file, memory_size);
  ref_bytes_add_u64(link, file, 8);
}

/* RF1010: what is only to be written, as debug data of a damaged file, is in another segment than what is loaded, too. 0: in none. */
static uint32_t ref_capsule_permissions(const ref_piece *piece) {
  static const uint32_t of[] = {[CLASS_CONSTANTS] = READ,
                                [CLASS_TEXT] = READ_EXECUTE,
                                [CLASS_DATA] = READ_WRITE,
                                [CLASS_NOBITS] = READ_WRITE,
                                [CLASS_PARAMETERS] = READ};
  const bool is_none =
      ref_capsule_is_mercury(piece) || piece->class < CLASS_CONSTANTS || piece->class > CLASS_PARAMETERS;
  const bool is_loaded = piece->class != CLASS_DATA || (piece->flags & REF_FLAG_ALLOC) != 0;
  return is_none ? 0 : is_loaded ? of[piece->class] : of[piece->class] & ~(uint32_t)READ;
}

static void ref_capsule_list_segments(const ref_capsule *capsule, ref_segment_of *segments, size_t *count) {
  for (size_t i = 0; i < capsule->piece_count; i++) {
    const ref_piece *piece = &capsule->pieces[i];
    const uint32_t flags = ref_capsule_permissions(piece);
    if (flags == 0) {
      continue;
    }
    if (*count == 0 || segments[*count - 1].flags != flags) {
      segments[(*count)++] = (ref_segment_of){.flags = flags, .start = piece->offset};
    }
    ref_segment_of *segment = &segments[*count - 1];
    segment->end = ref_larger(piece->offset + (piece->has_bytes ? piece->size : 0), segment->end);
    segment->memory = piece->has_bytes ? segment->memory : ref_align_up(segment->memory, piece->align) + piece->size;
  }
}

/* M14; sizes as W1.7, W1.8. */
static size_t ref_capsule_write_segments(ref_capsule *capsule, ref_bytes *file) {
  ref_link *link = capsule->mercury;
  ref_segment_of *segments = REF_TAKE(link, ref_segment_of, capsule->piece_count + 1);
  size_t count = 0;
  ref_capsule_list_segments(capsule, segments, &count);
  const uint64_t at = file->size, size = (count + 2) * SEGMENT_BYTES;
  ref_capsule_write_segment(link, file, SEGMENT_PHDR, READ, at, size, size);
  ref_capsule_write_segment(link, file, SEGMENT_LOAD, READ, at, size, size);
  for (size_t i = 0; i < count; i++) {
    const uint64_t length = segments[i].end - segments[i].start;
    ref_capsule_write_segment(link, file, SEGMENT_LOAD, segments[i].flags, segments[i].start, length,
                              length + segments[i].memory);
  }
  return count + 2;
}

static ref_piece ref_capsule_place_table(ref_capsule *capsule, ref_bytes *file, const char *name, uint32_t type,
                                         const ref_bytes *bytes, uint64_t align) {
  ref_link *link = capsule->mercury;
  ref_bytes_fill(link, file, (size_t)ref_align_up(file->size, align));
  const ref_piece piece = {.name_offset = ref_strings_offset(&link->section_names, name),
                           .type = type,
                           .offset = file->size,
                           .size = bytes->size,
                           .align = align};
  ref_bytes_add(link, file, bytes->data, bytes->size);
  return piece;
}

static void ref_capsule_write_file(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  ref_bytes file = {0};
  ref_piece first[FIRST_SECTIONS] = {{0}};
  size_t hole;
  const ref_bytes names = ref_capsule_section_names(capsule), strings = ref_capsule_names(capsule, &hole);
  ref_capsule_map_back(capsule);
  const ref_bytes symbols = ref_capsule_write_symbols(capsule, false);
  ref_piece *mercury_symbols = ref_capsule_symbol_piece(capsule);
  mercury_symbols->data = ref_capsule_write_symbols(capsule, true);
  mercury_symbols->size = mercury_symbols->data.size;
  mercury_symbols->info = link->first_global;
  ref_bytes_fill(link, &file, HEADER_BYTES);
  first[1] = ref_capsule_place_table(capsule, &file, ".shstrtab", REF_TYPE_STRTAB, &names, 1);
  ref_bytes_fill(link, &file, file.size + NAMES_HOLE);
  first[2] = ref_capsule_place_table(capsule, &file, ".strtab", REF_TYPE_STRTAB, &strings, 1);
  ref_bytes_fill(link, &file, file.size + hole);
  first[3] = ref_capsule_place_table(capsule, &file, ".symtab", REF_TYPE_SYMTAB, &symbols, 8);
  first[3].link = 2;
  first[3].info = capsule->kernels.count != 0 ? (uint32_t)(symbols.size / SYMBOL_BYTES) : link->first_global;
  first[3].entry_size = SYMBOL_BYTES;
  ref_capsule_fill_places(capsule, &symbols);
  ref_capsule_place_pieces(capsule, &file);
  ref_bytes_fill(link, &file, (size_t)ref_align_up(file.size, 8));
  const size_t headers = file.size;
  for (size_t i = 0; i < FIRST_SECTIONS; i++) {
    ref_capsule_write_header(link, &file, &first[i]);
  }
  for (size_t i = 0; i < capsule->piece_count; i++) {
    ref_capsule_write_header(link, &file, &capsule->pieces[i]);
  }
  const size_t segments = link->relocatable ? 0 : file.size;
  const size_t count = link->relocatable ? 0 : ref_capsule_write_segments(capsule, &file); /* M14 */
  const uint32_t note = ref_capsule_piece_index(capsule, capsule->piece_of, link->cuinfo_section);
  ref_write_file_header(link, file.data, headers, capsule->piece_count + FIRST_SECTIONS, segments, count, note);
  link->result->bytes = file.data;
  link->result->size = file.size;
}

static void ref_capsule_join(ref_link *link, ref_link *sass) {
  ref_capsule *capsule = REF_TAKE_ONE(link, ref_capsule);
  *capsule = (ref_capsule){.mercury = link, .sass = sass, .places = REF_TAKE(link, ref_places, link->function_count)};
  capsule->piece_of = ref_memory_take_numbers(link, link->section_count);
  capsule->mercury_piece_of = ref_memory_take_numbers(link, link->section_count);
  ref_capsule_map_symbols(capsule);
  ref_slots_make(capsule);
  ref_capsule_move_addends(capsule);
  ref_capsule_check_schedule(capsule);
  ref_capsule_add_compat(capsule);
  ref_write_order_sections(link, &capsule->order);
  capsule->marks = ref_marks_of_sections(link, &capsule->order);
  ref_symbols_number(link);
  ref_capsule_check_frame_entries(capsule);
  ref_symbols_name_globals(link);
  ref_names_build(link);
  capsule->first_parameter_symbol = link->output_symbol_count;
  ref_attributes_write(link);
  ref_callgraph_write(link);
  ref_slots_move_entries(capsule);
  ref_relocate_write(link);
  ref_written_records(capsule);
  ref_capsule_check_code_entries(capsule);
  ref_bindless_write(link);
  ref_unified_write(link);
  ref_metadata_write(link);
  ref_capsule_add_plain_pieces(capsule);
  ref_capsule_add_parameters(capsule);
  ref_capsule_add_mercury_pieces(capsule);
  ref_capsule_link_pieces(capsule);
  capsule->laid_base = ref_laid_find_base(sass);
  ref_capsule_fill_pieces(capsule);
  ref_capsule_write_file(capsule);
}

/* Functions have the same numbers in both views, whose symbols are the same ones; what a damaged file has more on one side has
 * no other. */
static void ref_capsule_check_views(ref_link *link, const ref_link *sass) {
  if (link->function_count != sass->function_count) {
    ref_message_fatal(link, "D40", "the two views have %zu and %zu functions", sass->function_count,
                      link->function_count);
  }
}

/* The SASS side, which says nothing of its own, only when Mercury's side has gone well. */
void ref_capsule_run(ref_link *link) {
  ref_link *sass = ref_capsule_fork(link);
  link->view = &ref_view_mercury;
  for (size_t i = 0; i < link->file_count; i++) {
    link->files[i].cubin = ref_view_of(link, &link->files[i].whole, true);
    ref_capsule_restore_names(&link->files[i].cubin);
    ref_namesakes_share(link, &link->files[i].cubin);
    ref_capsule_name_constants(link, &link->files[i]);
    ref_inputs_prepare(link, &link->files[i]);
  }
  ref_reference_lay_out(link);
  if (link->error_count != 0) {
    return; /* RF555 */
  }
  if (link->lone_constants != NULL) {
    ref_message_fatal(link, "RF1017", "a capsule has '%s' without a section '%s' of the SASS side",
                      link->lone_constants, link->missing_constants);
  }
  ref_capsule_lay_out_sass(sass);
  if (!sass->is_laid_out) {
    ref_message_fatal(link, "X5", "%s",
                      sass->result->message_count == 0 ? "the SASS view does not link"
                                                       : sass->result->messages[sass->result->message_count - 1].text);
  }
  ref_capsule_check_views(link, sass);
  ref_inner_keep_stack_order(link);
  ref_capsule_join(link, sass);
}
