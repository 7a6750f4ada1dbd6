/* An executable's unified tables: the index file says where each jump slot and each object lies. U5-U7, U10, U12, RF125,
 * ZM4, ZM5, RF792, RF793, RF796, RF930. */
#include "link.h"

#include <string.h>

enum {
  HEADER = 48,
  KEY = 24,
  VERSION_TAIL = 16,
  SLOT = 128,
  ENTRY = 32,
  IDENTITY_AT = 16,
  FUNCTION_OF_TEXT = 0xffffff
};

/* RF1367: what a common symbol has as its place when tables are written. */
static const uint64_t unplaced = (uint64_t)-2;

static ref_unified_list ref_unified_read_keys(ref_link *link, const uint8_t *bytes, uint64_t count, uint64_t window) {
  ref_unified_list list = {
      .items = REF_TAKE(link, ref_unified, (size_t)count), .count = (size_t)count, .window = window};
  for (size_t i = 0; i < list.count; i++) {
    const uint8_t *key = bytes + i * KEY;
    list.items[i] =
        (ref_unified){.identity = {ref_u64(key), ref_u64(key + 8)}, .offset = ref_u64(key + 16), .symbol = REF_NONE};
  }
  return list;
}

_Noreturn static void ref_unified_refuse_index(ref_link *link) {
  ref_message_fatal(link, "E78", "Internal error: malformed uidx input");
}

/* U5, U7. With -r the file is copied and nothing else. */
void ref_unified_read_index(ref_link *link) {
  const ref_input *index = &link->job->index;
  if (!ref_option_given(link, REF_OPTION_UIDX)) {
    return;
  }
  if (index->bytes == NULL) {
    ref_message_fatal(link, "E53", "Could not open input file '%s'", link->job->options.values[REF_OPTION_UIDX]);
  }
  if (index->size == 0) {
    ref_message_fatal(link, "R82", "Could not read file '%s'", link->job->options.values[REF_OPTION_UIDX]);
  }
  const uint8_t *bytes = index->bytes;
  if (index->size < 8 || memcmp(bytes, "\177UFTINDX", 8) != 0) {
    ref_message_fatal(link, "E78", "Internal error: not uidx input");
  }
  if (index->size < HEADER) {
    ref_unified_refuse_index(link);
  }
  const uint64_t most = index->size / KEY, functions = ref_u64(bytes + 24), objects = ref_u64(bytes + 40);
  const uint64_t tail = ref_u32(bytes + 8) >= 2 ? VERSION_TAIL : 0;
  if (functions > most || objects > most || index->size != HEADER + KEY * (functions + objects) + tail * functions) {
    ref_unified_refuse_index(link);
  }
  link->has_index = true;
  link->index_functions = ref_unified_read_keys(link, bytes + HEADER, functions, ref_u64(bytes + 16));
  link->index_objects = ref_unified_read_keys(link, bytes + HEADER + KEY * functions, objects, ref_u64(bytes + 32));
}

/* The tables of the executable are laid out by the index file. */
bool ref_unified_is_placed(const ref_link *link) {
  return link->has_index && !link->relocatable;
}

static bool ref_unified_has_table(const ref_link *link, uint32_t type) {
  for (size_t i = 0; i < link->file_count; i++) {
    for (size_t k = 1; k < link->files[i].cubin.section_count; k++) {
      if (link->files[i].cubin.sections[k].type == type) {
        return true;
      }
    }
  }
  return false;
}

/* U10: behind `.note.nv.cuinfo`, if an input has one; RF704: without an index file, too, where nothing asks for that (RF697). */
void ref_unified_create_table(ref_link *link) {
  if (!link->relocatable && ref_unified_has_table(link, REF_TYPE_UFT_ENTRY)) {
    (void)ref_section_add_with_symbol(link, ".nv.uft.entry", REF_TYPE_UFT_ENTRY, 0, ENTRY, ENTRY);
  }
}

/* U10, U12: behind `.nv.compat`. */
void ref_unified_create_index(ref_link *link) {
  if (link->has_index) {
    const size_t number = ref_section_add_with_symbol(link, ".nv.uidx", REF_TYPE_UIDX, 0, 1, 0);
    ref_bytes_add(link, &link->sections[number].data, link->job->index.bytes, link->job->index.size);
    link->sections[number].size = link->job->index.size;
  }
}

/* U10: `.nv.uft` and the attributes of all stubs are made by the first stub; its symbol stands before. */
void ref_unified_add_stub(ref_link *link, size_t number, const ref_section *text) {
  ref_function *function = &link->functions[number];
  if (link->slot_section == 0) {
    link->slot_section =
        ref_section_add_with_symbol(link, ".nv.uft", REF_TYPE_UFT, text->flags, text->align, text->entry_size);
    link->sections[link->slot_section].links_symtab = true;
    link->sections[link->slot_section].info_function = number;
    function->info = ref_section_add(link, ".nv.info..nv.uft", REF_TYPE_INFO, REF_FLAG_INFO, 4, 0);
    link->sections[function->info].links_symtab = true;
    link->sections[function->info].later_symbol = ref_symbol_add_later(link, ".nv.info..nv.uft"); /* RF1241 */
    link->sections[function->info].info_section = link->slot_section;
    link->first_stub = number;
  }
  function->text = link->slot_section;
}

/* The entries of all inputs' tables of one type, in input order. */
/* RF1040: nvlink reads the output's tables by their names, whatever types sections have. */
static ref_unified_list ref_unified_list_inputs(ref_link *link, uint32_t type) {
  const char *const name = type == REF_TYPE_UFT_ENTRY ? ".nv.uft.entry" : ".nv.udt.entry";
  ref_unified_list list = {0};
  size_t capacity = 0;
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_file *file = &link->files[i];
    for (size_t k = 1; k < file->cubin.section_count; k++) {
      const ref_section *section = &file->cubin.sections[k];
      const bool named = link->is_capsule || strcmp(section->name, name) == 0;
      if (section->type != type || section->data == NULL || ref_unified_is_copy(section) || !named) {
        continue;
      }
      list.has_rest = list.has_rest || section->size % ENTRY != 0;
      list.size = ref_align_up(list.size, section->align) + section->size;
      for (uint64_t at = 0; at + ENTRY <= section->size; at += ENTRY) {
        const uint8_t *entry = section->data + at;
        list.items = ref_memory_grow(link, list.items, list.count, &capacity, sizeof *list.items);
        list.items[list.count++] =
            (ref_unified){.identity = {ref_u64(entry + IDENTITY_AT), ref_u64(entry + IDENTITY_AT + 8)},
                          .offset = UINT64_MAX,
                          .symbol = ref_unified_symbol(link, file, ref_u32(entry)),
                          .input = entry,
                          .file = i};
      }
    }
  }
  return list;
}

static bool ref_unified_is_close(const ref_unified *a, const ref_unified *b) {
  return (a->identity[0] ^ a->identity[1]) == (b->identity[0] ^ b->identity[1]);
}

static bool ref_unified_is_same(const ref_unified *a, const ref_unified *b) {
  return a->identity[0] == b->identity[0] && a->identity[1] == b->identity[1];
}

/* L118: an identity is compared with those before it that have its exclusive or, but not with the first of these. RF538: a table that ends
 * inside an entry counts as one with an identity twice, whatever it has; both are said before anything is looked for. */
static void ref_unified_check_identities(ref_link *link, const ref_unified_list *inputs) {
  if (inputs->has_rest) {
    ref_message_fatal(link, "E80", "Internal error: duplicate ids in uft.entry");
  }
  for (size_t i = 0; i < inputs->count; i++) {
    bool first = true;
    for (size_t k = 0; k < i; k++) {
      const bool close = ref_unified_is_close(&inputs->items[i], &inputs->items[k]);
      if (close && !first && ref_unified_is_same(&inputs->items[i], &inputs->items[k])) {
        ref_message_fatal(link, "E80", "Internal error: duplicate ids in uft.entry");
      }
      first = first && !close;
    }
  }
}

/* U7, RF125: by the exclusive or of both words, then by both; of two (L118) the later one is found. */
static void ref_unified_find(ref_link *link, const ref_unified_list *inputs, ref_unified *key) {
  bool close = false;
  for (size_t i = inputs->count; i-- > 0;) {
    ref_unified *entry = &inputs->items[i];
    close = close || ref_unified_is_close(entry, key);
    if (!ref_unified_is_same(entry, key)) {
      continue;
    }
    if (entry->found) {
      ref_message_fatal(link, "E80", "Internal error: entry was already found?");
    }
    entry->found = true;
    entry->offset = key->offset;
    key->symbol = entry->symbol;
    key->file = entry->file;
    return;
  }
  ref_message_fatal(link, "E80", close ? "Internal error: matching uuid not found" : "Internal error: uuid not found");
}

static void ref_unified_match(ref_link *link, const ref_unified_list *inputs, const ref_unified_list *index) {
  for (size_t i = 0; i < index->count; i++) {
    ref_unified_find(link, inputs, &index->items[i]);
  }
}

ref_unified *ref_unified_of_symbol(const ref_unified_list *list, size_t symbol) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].symbol == symbol) {
      return &list->items[i];
    }
  }
  return NULL;
}

/* The list is in the order of the files, so that one behind the other is asked for, mostly. */
const ref_unified *ref_unified_of_input(ref_unified_list *list, const uint8_t *input) {
  for (size_t i = 0; i < list->count; i++) {
    const size_t at = (list->next + i) % list->count;
    if (list->items[at].input == input) {
      list->next = at + 1;
      return &list->items[at];
    }
  }
  return NULL;
}

/* D20: things that would lie on one another. */
static bool ref_unified_overlaps(const ref_unified_list *list, const ref_link *link, bool slots) {
  for (size_t i = 0; i < list->count; i++) {
    for (size_t k = 0; k < i; k++) {
      const ref_unified *a = &list->items[i], *b = &list->items[k];
      const uint64_t a_size = slots || a->symbol == REF_NONE ? SLOT : link->symbols[a->symbol].size;
      const uint64_t b_size = slots || b->symbol == REF_NONE ? SLOT : link->symbols[b->symbol].size;
      if (a->found && b->found &&
          (a->offset < b->offset ? b->offset - a->offset < a_size : a->offset - b->offset < b_size)) {
        return true;
      }
    }
  }
  return false;
}

/* D105: by default nothing lies on anything; L119: in capsules nvlink ends over it. */
static bool ref_unified_forbids_overlaps(const ref_link *link) {
  return !link->job->bug_compatible || link->is_capsule;
}

/* The function that a stub's name ends with. RF796: a static one is the one of that name that the stub calls. */
static size_t ref_unified_function_of_stub(const ref_link *link, const ref_function *stub) {
  static const char prefix[] = "__cuda_uf_stub_";
  if (strncmp(stub->name, prefix, sizeof prefix - 1) != 0) {
    return REF_NONE;
  }
  const char *name = stub->name + sizeof prefix - 1;
  for (size_t i = 0; i < stub->calls.count; i++) {
    const ref_function *called = &link->functions[stub->calls.items[i]];
    if (strcmp(called->name, name) == 0) {
      return called->symbol;
    }
  }
  const size_t number = ref_map_find(&link->function_by_name, name);
  return number == REF_NONE ? REF_NONE : link->functions[number].symbol;
}

/* By file the first function symbol that it makes, and by symbol the stub of its name (L116). */
static void ref_unified_note_names(ref_link *link) {
  link->first_functions = REF_TAKE(link, size_t, link->file_count);
  link->stubs_by_symbol = REF_TAKE(link, size_t, link->symbol_count);
  link->stubs_noted = link->symbol_count;
  for (size_t i = 0; i < link->file_count; i++) {
    link->first_functions[i] = REF_NONE;
  }
  for (size_t i = link->symbol_count; i-- > 0;) {
    const ref_out_symbol *symbol = &link->symbols[i];
    link->stubs_by_symbol[i] = REF_NONE;
    if (symbol->function != REF_NONE && symbol->mention_file < link->file_count) {
      link->first_functions[symbol->mention_file] = i;
    }
  }
  for (size_t i = link->function_count; i-- > 0;) {
    const ref_function *stub = &link->functions[i];
    const bool named = stub->is_stub && stub->symbol != REF_NONE;
    if (named) {
      ref_map_set(link, &link->stub_by_name, stub->name, stub->symbol); /* the first one stays */
    }
    const size_t function = named ? ref_unified_function_of_stub(link, stub) : REF_NONE;
    if (function < link->symbol_count) {
      link->stubs_by_symbol[function] = stub->symbol;
    }
  }
}

static size_t ref_unified_named_stub(const ref_link *link, size_t symbol) {
  return symbol < link->stubs_noted ? link->stubs_by_symbol[symbol] : REF_NONE;
}

/* RF1043: the first function that the file makes; where that makes none, the first stub of all. */
static size_t ref_unified_first_function(const ref_link *link, size_t file) {
  const size_t first = file < link->file_count ? link->first_functions[file] : REF_NONE;
  return first < link->stubs_noted ? first : link->functions[link->first_stub].symbol;
}

/* RF930: nvlink goes by names, and knows one slot of each. */
static bool ref_unified_goes_by_name(const ref_link *link) {
  return link->job->bug_compatible && !link->is_capsule;
}

static size_t ref_unified_first_of_name(ref_link *link, size_t symbol) {
  if (symbol == REF_NONE || link->symbols[symbol].type == REF_SYMBOL_SECTION) {
    return REF_NONE;
  }
  return ref_map_find(&link->stub_by_name, ref_memory_print(link, "__cuda_uf_stub_%s", link->symbols[symbol].name));
}

/* RF930: the first slot of the name, if the symbol's own file made it; else the first function that this file makes, slot or not. */
static size_t ref_unified_holder(ref_link *link, size_t symbol) {
  if (symbol == REF_NONE) {
    return ref_unified_first_function(link, REF_NONE);
  }
  const ref_out_symbol *asked = &link->symbols[symbol];
  const size_t file = asked->section == REF_NONE ? asked->mention_file : asked->definition_file;
  const size_t named = ref_unified_first_of_name(link, symbol);
  const bool own = named != REF_NONE && link->symbols[named].mention_file == file;
  return own ? named : ref_unified_first_function(link, file);
}

/* RF1044: what has a slot's name and is no function, but a mere mention up to the entry's file, is what nvlink finds. */
static void ref_unified_check_mention(ref_link *link, size_t symbol, size_t file) {
  const char *name = symbol == REF_NONE ? NULL : link->symbols[symbol].name;
  if (name == NULL || link->symbols[symbol].function == REF_NONE) {
    return;
  }
  const size_t found = ref_map_find(&link->symbol_by_name, ref_memory_print(link, "__cuda_uf_stub_%s", name));
  if (found != REF_NONE && link->symbols[found].function == REF_NONE && link->symbols[found].section == REF_NONE &&
      link->symbols[found].mention_file <= file) {
    ref_message_fatal(link, "E63", "Internal error: reloc address not found");
  }
}

/* Another where there is none of the name, which by default (D105) is an error. */
static size_t ref_unified_stub_of(ref_link *link, size_t symbol, size_t file) {
  ref_unified_check_mention(link, symbol, file);
  if (ref_unified_goes_by_name(link)) {
    return ref_unified_holder(link, symbol);
  }
  const size_t named = ref_unified_named_stub(link, symbol);
  if (named == REF_NONE && !link->job->bug_compatible) {
    ref_message_fatal(link, "D20", "The index file has a function without a jump slot of its name");
  }
  return named == REF_NONE ? ref_unified_holder(link, symbol) : named;
}

/* RF930: where the bytes of a slot come from: the first one of the name that the files up to the entry's have, else the first of all. */
static uint64_t ref_unified_bytes_of(ref_link *link, const ref_unified *key, const uint64_t *places, size_t stub) {
  if (!ref_unified_goes_by_name(link)) {
    return places[stub];
  }
  const size_t named = ref_unified_first_of_name(link, key->symbol);
  return named != REF_NONE && link->symbols[named].mention_file <= key->file ? places[named] : 0;
}

/* Where the stubs come before the index file moves them. */
static uint64_t *ref_unified_note_stubs(ref_link *link) {
  uint64_t *places = REF_TAKE(link, uint64_t, link->symbol_count);
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (!function->is_stub || function->symbol == REF_NONE) {
      continue;
    }
    const size_t named = ref_unified_function_of_stub(link, function);
    ref_unified *entry = ref_unified_of_symbol(&link->unified_functions, named);
    places[function->symbol] = link->symbols[function->symbol].value;
    if (entry != NULL) {
      entry->before = places[function->symbol];
      entry->offset = entry->found ? entry->offset : entry->before; /* L117 */
    }
  }
  return places;
}

/* D20: between slots nvlink writes what its memory has. */
static void ref_unified_check_gaps(ref_link *link, uint64_t end) {
  uint8_t *covered = REF_TAKE(link, uint8_t, (size_t)end);
  for (size_t i = 0; i < link->index_functions.count; i++) {
    const uint64_t offset = link->index_functions.items[i].offset;
    if (offset < end && end - offset >= SLOT) {
      memset(covered + offset, 1, SLOT);
    }
  }
  for (uint64_t i = 0; i < end; i++) {
    if (covered[i] == 0) {
      ref_message_fatal(link, "D20", "The index file leaves room between jump slots");
    }
  }
}

static bool ref_unified_has_slot(const ref_bytes *bytes, uint64_t place) {
  return bytes->size >= SLOT && place <= bytes->size - SLOT;
}

/* U10: every stub goes to its function's slot, in the order of the index file, so that the last one on a place is seen (L119). What
 * the index file has no place for is told when the file is written. */
static void ref_unified_move_stubs(ref_link *link) {
  ref_out_section *section = &link->sections[link->slot_section];
  const uint64_t *places = ref_unified_note_stubs(link);
  uint64_t end = 0;
  ref_bytes image = {0};
  ref_bytes_fill(link, &image, (size_t)section->size);
  for (size_t i = 0; i < link->index_functions.count; i++) {
    const ref_unified *key = &link->index_functions.items[i];
    const size_t stub = ref_unified_stub_of(link, key->symbol, key->file);
    const uint64_t from = ref_unified_bytes_of(link, key, places, stub);
    if (ref_unified_has_slot(&image, key->offset) && ref_unified_has_slot(&section->data, from)) {
      memcpy(image.data + key->offset, section->data.data + from, SLOT);
    }
    link->symbols[stub].value = key->offset;
    end = ref_unified_has_slot(&image, key->offset) ? ref_larger(key->offset + SLOT, end) : end;
  }
  image.size = (size_t)end;
  section->data = image;
  section->size = end;
}

/* ZM3, RF125, RF1043: an entry of a stub goes to the slot that has the name of the function that it names, be it unified or not, else to that of the
 * first function of the file that made the symbol (L1102); one about a section has no place. */
static void ref_unified_move_slot_entries(ref_link *link) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_out_relocation *entry = &link->relocations[i];
    if (entry->target == link->slot_section) {
      const bool section = entry->symbol != REF_NONE && link->symbols[entry->symbol].type == REF_SYMBOL_SECTION;
      const size_t named = ref_unified_goes_by_name(link) ? REF_NONE : ref_unified_named_stub(link, entry->symbol);
      const size_t stub = named != REF_NONE ? named : ref_unified_holder(link, entry->symbol);
      entry->offset = section ? 0 : link->symbols[stub].value;
    }
  }
}

/* RF1046: a second function in a slot's section, one that nothing uses too. */
static bool ref_unified_has_stray(const ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    const bool inside = symbol->section != 0 && symbol->section < file->cubin.section_count;
    if (!inside || (symbol->info & 15) != REF_SYMBOL_FUNC || ref_function_is_slot(symbol) ||
        file->body_of[i] == REF_BODY_LOSES) { /* RF887 */
      continue;
    }
    const uint32_t primary = file->cubin.sections[symbol->section].info & FUNCTION_OF_TEXT;
    if (primary < file->cubin.symbol_count && primary != i && file->cubin.symbols[primary].section == symbol->section &&
        file->function_of[primary] != REF_NONE && link->functions[file->function_of[primary]].is_stub) {
      return true;
    }
  }
  return false;
}

static void ref_unified_place_functions(ref_link *link) {
  if (link->slot_section == 0) {
    return; /* RF661: whatever entries there are */
  }
  link->unified_functions = ref_unified_list_inputs(link, REF_TYPE_UFT_ENTRY);
  const uint64_t size = link->sections[link->slot_section].size;
  for (size_t i = 0; i < link->file_count && !link->is_capsule; i++) {
    link->has_stray_slot = link->has_stray_slot || ref_unified_has_stray(link, &link->files[i]);
  }
  const uint64_t counted = link->is_capsule ? size : link->slot_bytes;                  /* RF886 */
  if (link->has_stray_slot || counted / SLOT != link->unified_functions.size / ENTRY) { /* RF538, RF792 */
    ref_message_fatal(link, "ZM4",
                      "Internal error: Number of .nv.uft jump slots != Number of entries in .nv.uft.entry");
  }
  if (link->index_functions.window != size) {
    ref_message_fatal(link, "E79", "Internal error: size of uidx window != nv.uft");
  }
  ref_unified_check_identities(link, &link->unified_functions);
  ref_unified_note_names(link);
  ref_trace_tell(link, REF_TRACE_LAYOUT, "Re-ordering UFT entries");
  ref_unified_match(link, &link->unified_functions, &link->index_functions);
  ref_unified_move_stubs(link);
  ref_unified_move_slot_entries(link);
}

/* L478: an object that has no bytes of its own, be it a common symbol or undefined, or that begins behind the section's end. RF1366: of what the
 * index file has no place for none are looked for. */
static void ref_unified_find_object(ref_link *link, const ref_unified *entry, const ref_out_section *section) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  if (entry->found && symbol != NULL &&
      (symbol->section == REF_NONE || symbol->common || symbol->value >= section->data.size)) {
    ref_message_fatal(link, "E63", "Internal error: reloc address not found");
  }
}

/* D20: nvlink writes where it must not. D105: what the index file has no place for keeps its own. */
static void ref_unified_check_object(ref_link *link, const ref_unified *entry, const ref_out_section *section) {
  const uint64_t limit = ref_align_up(section->data.size, section->align);
  if (!entry->found && !link->job->bug_compatible) {
    ref_message_fatal(link, "D20", "The index file has no place for an object of .nv.udt");
  }
  if (!entry->found) {
    return; /* RF1366 */
  }
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  if (symbol == NULL || symbol->section == REF_NONE || &link->sections[symbol->section] != section ||
      symbol->size > section->data.size || symbol->value > section->data.size - symbol->size ||
      entry->offset > limit - symbol->size) {
    ref_message_fatal(link, "D20", "The index file puts an object of .nv.udt beyond the data");
  }
}

/* In the order of the index file, so that the last one on a place is seen (L119). */
static ref_bytes ref_unified_copy_objects(ref_link *link, const ref_out_section *section) {
  ref_bytes image = {0};
  ref_bytes_fill(link, &image, (size_t)link->index_objects.window);
  for (size_t i = 0; i < link->index_objects.count; i++) {
    const ref_unified *key = &link->index_objects.items[i];
    const ref_out_symbol *symbol = &link->symbols[key->symbol];
    if (symbol->size != 0) {
      memcpy(image.data + key->offset, section->data.data + symbol->value, (size_t)symbol->size);
    }
  }
  return image;
}

static void ref_unified_move_objects(ref_link *link, size_t number) {
  ref_out_section *section = &link->sections[number];
  bool *moved = REF_TAKE(link, bool, link->relocation_count);
  const ref_bytes image = ref_unified_copy_objects(link, section);
  for (size_t i = 0; i < link->unified_objects.count; i++) {
    ref_unified *entry = &link->unified_objects.items[i];
    ref_out_symbol *symbol = &link->symbols[entry->symbol];
    entry->before = symbol->common ? unplaced : symbol->value; /* RF1367 */
    if (!link->job->bug_compatible) {
      ref_relocation_move_entries(link, number, symbol, entry->offset, moved); /* D94: nvlink leaves them */
    }
    symbol->value = entry->found ? entry->offset : symbol->value;
  }
  section->data = image;
  section->size = image.size;
}

/* ZM5, RF210: the window ends with the last object that the index file has a place for. */
static uint64_t ref_unified_end_of_objects(const ref_link *link) {
  uint64_t end = 0;
  for (size_t i = 0; i < link->unified_objects.count; i++) {
    const ref_unified *entry = &link->unified_objects.items[i];
    const uint64_t size = entry->symbol == REF_NONE ? 0 : link->symbols[entry->symbol].size;
    end = entry->found ? ref_larger(entry->offset + size, end) : end;
  }
  return end;
}

/* L474, RF1233: the objects of a link whose data nvlink does not find by its name are none that the index file could lack. */
static void ref_unified_place_objects(ref_link *link) {
  link->unified_objects = ref_unified_list_inputs(link, REF_TYPE_UDT_ENTRY);
  const size_t number = ref_map_find(&link->section_by_name, ".nv.udt");
  if (number == REF_NONE) {
    link->unified_objects.count = link->is_capsule ? link->unified_objects.count : 0;
    return;
  }
  if (ref_map_find(&link->section_by_name, ".nv.udt.entry") == REF_NONE) {
    ref_message_fatal(link, "E79", "Internal error: missing nv.udt.entry"); /* L474 */
  }
  ref_unified_check_identities(link, &link->unified_objects);
  ref_trace_tell(link, REF_TRACE_LAYOUT, "Re-ordering UDT entries");
  ref_unified_match(link, &link->unified_objects, &link->index_objects);
  if (link->has_raw_objects || ref_unified_end_of_objects(link) != link->index_objects.window) { /* RF793 */
    ref_message_fatal(link, "E79", "Internal error: size of uidx window != nv.udt");
  }
  for (size_t i = 0; i < link->unified_objects.count; i++) {
    ref_unified_find_object(link, &link->unified_objects.items[i], &link->sections[number]);
  }
  for (size_t i = 0; i < link->unified_objects.count; i++) {
    ref_unified_check_object(link, &link->unified_objects.items[i], &link->sections[number]);
  }
  if (ref_unified_forbids_overlaps(link) && ref_unified_overlaps(&link->unified_objects, link, false)) {
    ref_message_fatal(link, "D20", "The index file puts two objects of .nv.udt on one place");
  }
  ref_unified_move_objects(link, number);
}

/* RF256: what nvlink does not look for is said behind all that it ends the link with. */
static void ref_unified_check_places(ref_link *link) {
  if (link->slot_section == 0) {
    return;
  }
  if (ref_unified_forbids_overlaps(link) && ref_unified_overlaps(&link->unified_functions, link, true)) {
    ref_message_fatal(link, "D20", "The index file puts two jump slots on one place");
  }
  ref_unified_check_gaps(link, link->sections[link->slot_section].size);
}

/* Where E55 is said without an index file. */
void ref_unified_place(ref_link *link) {
  if (ref_unified_is_placed(link)) {
    ref_unified_place_functions(link);
    ref_unified_place_objects(link);
    ref_unified_check_places(link);
  }
}

/* RF125: slots of which the index file has none. One that it does not have keeps its place, which may lie behind the others' end (E61). */
void ref_unified_check_slots(ref_link *link) {
  for (size_t i = 0; i < link->unified_functions.count; i++) {
    if (!link->unified_functions.items[i].found && link->index_functions.count == 0) {
      ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
    }
  }
}
