/* SASS `.debug_frame` of a capsule link, written anew, and where its entries are: M24, RF39, RF73, RF290. */
#include "capsule.h"
#include "frame_layout.h"
#include "relocation_table.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  SASS_UNIT = 4,
  SASS_64 = 2,
  SASS_CLEAR_64 = 73,
  MERCURY_64 = REF_MERCURY_FIRST + 2,
  MERCURY_ADDRESS_32 = REF_MERCURY_FIRST + 60,
  MERCURY_ADDRESS = REF_MERCURY_FIRST + 61,
  MERCURY_CLEAR_64 = REF_MERCURY_FIRST + 14
};

typedef struct ref_frame {
  const ref_section *section, *common_section; /* with the bytes behind Mercury's own entries (RF852) */
  uint64_t common, at, end;                    /* common: in its section */
  bool is_bare;
  ref_bytes rows;             /* in place of its own, if there are any */
  uint64_t range;             /* of addresses, in place of its own, unless 0 */
  ref_bytes common_bytes;     /* written for the SASS side, in place of its common entry (L1120) */
  uint64_t start, sass_start; /* in its decoded text, the addend of its address (L720); in the SASS text */
} ref_frame;

/* A frame whose entry was kept. */
typedef struct ref_kept_frame {
  ref_frame frame;
  size_t entry, function;
  size_t next;                      /* of the same place in the same function, or REF_NONE */
  bool is_further;                  /* there is one before it */
  uint64_t written, common_written; /* where it and its common entry are in the output */
  uint64_t common_place;            /* of its common entry (RF981) */
  int64_t address;                  /* of its function in the SASS text */
} ref_kept_frame;

typedef struct ref_frames {
  ref_capsule *capsule;
  ref_kept_frame *kept; /* in the order of the files */
  size_t kept_count, kept_capacity;
  ref_bytes output;
  ref_frame_entry *entries; /* by relocation of the Mercury module */
  ref_map inner;            /* functions within others' texts, by owner and place */
  ref_map coded;            /* those of them that are addresses of code, the first that was read */
  ref_map addresses;        /* the Mercury module's relocation of each frame's address, by file, section and offset */
  uint64_t last_written;    /* where the common entry that was written last is in the output */
  const ref_section *read_section; /* of the common entry that was read last */
  uint64_t read_at;
  ref_common read;
} ref_frames;

static const char *ref_frames_place_key(ref_link *link, size_t file, size_t section, uint64_t offset) {
  return REF_KEY(link, file, section, offset);
}

/* As the input has it. */
static uint64_t ref_frames_common_size(const ref_frame *frame) {
  return REF_FRAME_HEAD + (uint64_t)ref_u32(frame->common_section->data + frame->common + REF_FRAME_LENGTH_AT);
}

/* L1722: once more before each frame, also where Mercury's frames share one. */
static void ref_frames_add_common(ref_frames *frames, const ref_frame *frame) {
  const uint64_t size = ref_frames_common_size(frame);
  frames->last_written = frames->output.size;
  if (frame->common_bytes.size != 0) {
    ref_bytes_add(frames->capsule->mercury, &frames->output, frame->common_bytes.data, frame->common_bytes.size);
    return;
  }
  ref_bytes_add(frames->capsule->mercury, &frames->output, frame->common_section->data + frame->common, (size_t)size);
}

/* The last frame of a file that begins at an offset of its section or before, or (`common`) whose common entry does; NULL: none. Files and
 * offsets ascend. */
static const ref_kept_frame *ref_frames_before(const ref_frames *frames, const ref_out_relocation *entry, bool common) {
  const ref_link *mercury = frames->capsule->mercury;
  size_t first = 0, end = frames->kept_count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    const ref_kept_frame *kept = &frames->kept[middle];
    const size_t file = mercury->relocations[kept->entry].file;
    const uint64_t at = common ? kept->frame.common : kept->frame.at;
    if (file < entry->file || (file == entry->file && at <= entry->input_offset)) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == 0) {
    return NULL;
  }
  const ref_kept_frame *found = &frames->kept[first - 1];
  const ref_out_relocation *address = &mercury->relocations[found->entry];
  return address->file == entry->file && address->target == entry->target ? found : NULL;
}

/* The section's symbol: what a frame's pointer to its common entry is about. */
static bool ref_frames_is_about_own(const ref_link *mercury, const ref_out_relocation *entry) {
  return entry->symbol != REF_NONE && mercury->symbols[entry->symbol].type == REF_SYMBOL_SECTION &&
         mercury->symbols[entry->symbol].section == entry->target;
}

/* Once for all frames behind it. */
static ref_common ref_frames_read_common(ref_frames *frames, const ref_frame *frame) {
  if (frames->read_section != frame->common_section || frames->read_at != frame->common) {
    frames->read_section = frame->common_section;
    frames->read_at = frame->common;
    frames->read =
        ref_common_read(frames->capsule->mercury, frame->common_section->data + frame->common,
                        (size_t)ref_frames_common_size(frame), (size_t)(frame->common_section->size - frame->common));
  }
  return frames->read;
}

/* L720, RF981: what the Mercury view has about the expression of a common entry: where that was written last. D135: with -r and -g nvlink puts that to the
 * section's beginning. */
static void ref_frames_place_common(ref_frames *frames, size_t number) {
  const ref_link *mercury = frames->capsule->mercury;
  const ref_out_relocation *entry = &mercury->relocations[number];
  const ref_kept_frame *kept = ref_frames_before(frames, entry, true);
  if (kept == NULL) {
    return;
  }
  const uint64_t common = kept->frame.common, place = kept->common_place;
  const bool is_lost =
      mercury->job->bug_compatible && (mercury->relocatable || ref_options_keep_shared_symbols(mercury));
  const uint32_t type = ref_data_sass_type(entry->type, false); /* RF905 */
  ref_field field;
  const bool is_place = ref_data_place_field(entry->type, &field);
  if (place != 0 && entry->input_offset == common + place && (type != 0 || is_place)) {
    const uint64_t at = is_lost ? 0 : kept->common_written + place;
    frames->entries[number] = (ref_frame_entry){at, type, entry->addend, is_place};
  }
}

static bool ref_frames_names_text(const ref_link *mercury, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &mercury->symbols[entry->symbol];
  return symbol != NULL && symbol->type == REF_SYMBOL_SECTION && symbol->section != REF_NONE &&
         mercury->sections[symbol->section].info_function != REF_NONE &&
         (mercury->sections[symbol->section].flags & REF_FLAG_EXEC) != 0;
}

/* RF869: the addend of all entries at a place of an input's section: that of the entry of code that was read first, the place in the SASS
 * text where it is about a function (RF865), 0 about a text, otherwise (RF707) that of the first entry of the output. */
static int64_t ref_frames_addend_at(const ref_frames *frames, const ref_out_relocation *entry, uint64_t offset) {
  ref_link *mercury = frames->capsule->mercury;
  const char *key = ref_frames_place_key(mercury, entry->file, entry->target, offset);
  const size_t coded = ref_map_find(&frames->coded, key), first = ref_map_find(&frames->addresses, key);
  if (coded == REF_NONE) {
    return first == REF_NONE ? entry->addend : mercury->relocations[first].addend;
  }
  const ref_out_relocation *code = &mercury->relocations[coded];
  if (ref_frames_names_text(mercury, code)) {
    return 0;
  }
  if (code->addend == 0 || code->function == REF_NONE || mercury->functions[code->function].text == REF_NONE) {
    return code->addend;
  }
  const ref_places places = ref_places_of_function(frames->capsule, code->function);
  return (int64_t)ref_addends_place(&places, (uint64_t)code->addend);
}

/* RF290: what the Mercury view still has about a frame's pointer to its common entry. */
static void ref_frames_place_pointer(ref_frames *frames, size_t number) {
  const ref_link *mercury = frames->capsule->mercury;
  const ref_out_relocation *entry = &mercury->relocations[number];
  const ref_kept_frame *kept = ref_frames_before(frames, entry, false);
  if (kept == NULL || entry->symbol == REF_NONE) {
    return;
  }
  const uint64_t place = entry->input_offset - kept->frame.at;
  if (place == REF_FRAME_POINTER_AT && entry->type == MERCURY_64 && ref_frames_is_about_own(mercury, entry)) {
    frames->entries[number] =
        (ref_frame_entry){kept->written + REF_FRAME_POINTER_AT, SASS_64, (int64_t)kept->common_written, false};
  }
}

/* RF707: all others of Mercury's side become entries of data (R63): at their place in the frame, or 0 where the frame is not in the output. */
static void ref_frames_place_data(ref_frames *frames, size_t number) {
  const ref_link *mercury = frames->capsule->mercury;
  const ref_out_relocation *entry = &mercury->relocations[number];
  const ref_kept_frame *kept = ref_frames_before(frames, entry, false);
  ref_frame_entry *placed = &frames->entries[number];
  const uint64_t place = kept == NULL ? 0 : entry->input_offset - kept->frame.at;
  const bool is_inside = kept != NULL && (place == REF_FRAME_POINTER_AT || place == REF_FRAME_ADDRESS_AT ||
                                          place == REF_FRAME_RANGE_AT); /* RF853 */
  ref_field field;
  if (kept == NULL && ref_relocatable_is_default(mercury) && entry->type == MERCURY_64 &&
      ref_frames_is_about_own(mercury, entry)) {
    return; /* RF290: a pointer to a common entry that the output has not */
  }
  if (ref_data_place_field(entry->type, &field)) {
    placed->is_place = true;
    placed->offset = is_inside ? kept->written + place : 0;
    placed->addend = ref_frames_addend_at(frames, entry, entry->input_offset);
    return;
  }
  *placed = (ref_frame_entry){.offset = is_inside ? kept->written + place : 0,
                              .type = ref_data_sass_type(entry->type, false),
                              .addend = ref_frames_addend_at(frames, entry, entry->input_offset)};
}

/* Where the entries about the frames and their common entries are. */
static void ref_frames_place_entries(ref_frames *frames) {
  const ref_link *mercury = frames->capsule->mercury;
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    if (mercury->relocations[i].dropped) {
      continue;
    }
    ref_frames_place_common(frames, i);
    if (ref_relocatable_is_default(mercury)) {
      ref_frames_place_pointer(frames, i);
    }
  }
  for (size_t i = 0; i < frames->kept_count; i++) {
    const ref_kept_frame *kept = &frames->kept[i];
    if (mercury->relocations[kept->entry].type == MERCURY_ADDRESS) {
      frames->entries[kept->entry] =
          (ref_frame_entry){kept->written + REF_FRAME_ADDRESS_AT, SASS_64, kept->address, false};
    }
  }
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!entry->dropped && frames->entries[i].type == 0 && !frames->entries[i].is_place &&
        REF_IS(mercury->sections[entry->target].name, ".debug_frame")) {
      ref_frames_place_data(frames, i);
    }
  }
}

/* RF707: an entry that stays about the frame's pointer has that for its own, and it stays 0. By default one against the section (D92) does not. */
static bool ref_frames_points_nowhere(const ref_frames *frames, const ref_kept_frame *kept) {
  ref_link *mercury = frames->capsule->mercury;
  const ref_out_relocation *address = &mercury->relocations[kept->entry];
  const size_t found = ref_map_find(&frames->addresses, ref_frames_place_key(mercury, address->file, address->target,
                                                                             kept->frame.at + REF_FRAME_POINTER_AT));
  return found != REF_NONE && (mercury->job->bug_compatible || mercury->relocations[found].type != MERCURY_64 ||
                               !ref_frames_is_about_own(mercury, &mercury->relocations[found])); /* RF1190 */
}

static void ref_frames_add(ref_frames *frames, const ref_frame *frame, ref_kept_frame *kept) {
  ref_frames_add_common(frames, frame);
  const size_t at = frames->output.size;
  const bool has_rows = frame->rows.size != 0;
  const uint64_t size = frame->is_bare ? REF_FRAME_BARE
                        : has_rows     ? REF_FRAME_ROWS_AT + frame->rows.size
                                       : frame->end - frame->at;
  ref_bytes_add(frames->capsule->mercury, &frames->output, frame->section->data + frame->at,
                has_rows ? REF_FRAME_ROWS_AT : (size_t)size);
  ref_bytes_add(frames->capsule->mercury, &frames->output, frame->rows.data, frame->rows.size);
  ref_put_u64(frames->output.data + at + REF_FRAME_LENGTH_AT, size - REF_FRAME_HEAD);
  if (frame->is_bare) { /* RF707: address and range are what Mercury's side has after its own entries */
    memcpy(frames->output.data + at + REF_FRAME_ADDRESS_AT, frame->section->data + frame->at + REF_FRAME_ADDRESS_AT,
           REF_FRAME_ROWS_AT - REF_FRAME_ADDRESS_AT);
    ref_put_u32(frames->output.data + at + REF_FRAME_BARE - 4, 0);
  }
  ref_put_u64(frames->output.data + at + REF_FRAME_POINTER_AT,
              ref_frames_points_nowhere(frames, kept) ? 0 : frames->last_written);
  if (frame->start != 0) {
    ref_put_u64(frames->output.data + at + REF_FRAME_ADDRESS_AT, frame->sass_start);
  }
  if (frame->range != 0) {
    ref_put_u64(frames->output.data + at + REF_FRAME_RANGE_AT, frame->range);
  }
  kept->written = at;
  kept->common_written = frames->last_written;
  kept->common_place = ref_frames_read_common(frames, &kept->frame).place;
  kept->address = ref_frames_addend_at(frames, &frames->capsule->mercury->relocations[kept->entry],
                                       kept->frame.at + REF_FRAME_ADDRESS_AT);
}

/* RF852: the finalizer reads what Mercury's own link wrote. */
static const ref_section *ref_frames_linked(const ref_frames *frames, size_t number, uint32_t index) {
  ref_link *mercury = frames->capsule->mercury;
  const ref_file *file = &mercury->files[number];
  const ref_section *input = &file->cubin.sections[index];
  if (file->section_of[index] == REF_NONE) {
    return input;
  }
  const ref_bytes *output = &mercury->sections[file->section_of[index]].data;
  const uint64_t base = file->offset_in[index];
  if (output->data == NULL || base > output->size || input->size > output->size - base) {
    return input;
  }
  ref_section *linked = REF_TAKE_ONE(mercury, ref_section);
  *linked = *input;
  linked->data = output->data + base;
  return linked;
}

static const ref_section *ref_frames_section(const ref_frames *frames, size_t number, uint32_t *index) {
  const ref_cubin *cubin = &frames->capsule->mercury->files[number].cubin;
  for (*index = 1; *index < cubin->section_count; ++*index) {
    const ref_section *section = &cubin->sections[*index];
    if (section->type == REF_TYPE_PROGBITS && REF_IS(section->name, ".debug_frame")) {
      return ref_frames_linked(frames, number, *index);
    }
  }
  return NULL;
}

/* The next frame of a section; entries of the 64-bit form: ffffffff, u64 length, u64 pointer (all ones for a common entry, of which the
 * low half counts), u64 address. RF1251: a common entry's length has 32 bits; behind an entry that is too
 * long there is none. */
static bool ref_frames_next(ref_link *link, const ref_file *file, ref_frame *frame) {
  const ref_section *section = frame->section;
  while (section->data != NULL && section->size - frame->end >= sizeof(uint32_t)) {
    const uint8_t *data = section->data + frame->end;
    const uint64_t rest = section->size - frame->end;
    if (ref_u32(data) != REF_FRAME_WIDE) {
      ref_message_add(link, REF_FATAL, "D40", "Dwarf version 2 is not supported");
      ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", link->job->options.values[REF_OPTION_OUTPUT]);
    }
    if (rest < REF_FRAME_ADDRESS_AT) {
      return false;
    }
    const bool is_common = ref_u32(data + REF_FRAME_POINTER_AT) == REF_FRAME_WIDE; /* RF1177 */
    const uint64_t length = is_common ? ref_u32(data + REF_FRAME_LENGTH_AT) : ref_u64(data + REF_FRAME_LENGTH_AT);
    if (length > UINT64_MAX - REF_FRAME_HEAD - frame->end) { /* nvlink would go back */
      ref_message_fatal(link, "D40", "Input file '%s': section '.debug_frame' is damaged at 0x%llx", file->name,
                        (unsigned long long)frame->end);
    }
    if (length > rest - REF_FRAME_HEAD) {
      return false; /* RF1251, RF1387 */
    }
    frame->at = frame->end;
    frame->end = frame->at + REF_FRAME_HEAD + length;
    if (is_common) {
      frame->common_section = section;
      frame->common = frame->at;
    } else if (frame->common != UINT64_MAX && length >= REF_FRAME_BARE - REF_FRAME_HEAD) {
      return true;
    }
  }
  return false;
}

/* RF39: has the function a second name that stands before its own? The first of each function's is looked for once a link, when symbols have
 * their numbers. */
static uint32_t ref_capsule_first_alias(ref_link *mercury, size_t function) {
  if (mercury->first_aliases == NULL) {
    mercury->first_aliases = REF_TAKE(mercury, uint32_t, mercury->function_count);
    for (size_t i = 0; i < mercury->function_count; i++) {
      const ref_function *alias = &mercury->functions[i];
      const uint32_t index = alias->symbol == REF_NONE ? 0 : mercury->symbols[alias->symbol].index;
      if (alias->alias_of < mercury->function_count && index != 0 && !ref_inner_is_function(mercury, i)) {
        uint32_t *first = &mercury->first_aliases[alias->alias_of];
        *first = *first == 0 || index < *first ? index : *first;
      }
    }
  }
  return mercury->first_aliases[function];
}

/* By default the function counts as the first of its names all the same (L899). */
bool ref_capsule_alias_comes_first(ref_link *mercury, size_t function) {
  if (!mercury->job->bug_compatible) {
    return false;
  }
  const uint32_t first = ref_capsule_first_alias(mercury, function);
  return first != 0 && first < ref_symbol_index(mercury, mercury->functions[function].symbol);
}

/* `name`: the function itself or a second name of it. */
bool ref_capsule_is_first_alias(ref_link *mercury, size_t function, size_t name) {
  const bool comes_first = ref_capsule_alias_comes_first(mercury, function);
  return name == function ? !comes_first
                          : comes_first && ref_symbol_index(mercury, mercury->functions[name].symbol) ==
                                               ref_capsule_first_alias(mercury, function);
}

static bool ref_frames_is_of_code(const ref_out_relocation *entry) {
  return entry->type == MERCURY_ADDRESS || entry->type == MERCURY_ADDRESS_32;
}

/* The entries of the Mercury view about frames, at each offset the last that was read, of whatever it is about (RF707). */
static void ref_frames_list_addresses(ref_frames *frames) {
  ref_link *mercury = frames->capsule->mercury;
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!entry->dropped && REF_IS(mercury->sections[entry->target].name, ".debug_frame")) {
      const char *key = ref_frames_place_key(mercury, entry->file, entry->target, entry->input_offset);
      ref_map_set(mercury, &frames->addresses, key, i);
      if (ref_frames_is_of_code(entry) && ref_map_find(&frames->coded, key) == REF_NONE) {
        ref_map_set(mercury, &frames->coded, key, i);
      }
    }
  }
}

/* RF1250: what stands behind the frames in the file that Mercury's module is: the sections in their order. */
static void ref_frames_add_rest(const ref_capsule *capsule, size_t section, ref_bytes *bytes, size_t most) {
  ref_link *mercury = capsule->mercury;
  uint64_t place = mercury->sections[section].data.size;
  bool behind = false;
  for (size_t i = 0; i < capsule->order.count && bytes->size < most; i++) {
    const ref_out_section *next = &mercury->sections[capsule->order.items[i]];
    if (behind && ref_section_type_has_bytes(next->type)) {
      const uint64_t at = ref_align_up(place, ref_larger(next->align, 1));
      ref_bytes_fill(mercury, bytes, bytes->size + (size_t)ref_smaller(at - place, most - bytes->size));
      ref_bytes_add(mercury, bytes, next->data.data, (size_t)ref_smaller(next->data.size, most - bytes->size));
      place = at + next->data.size;
    }
    behind = behind || capsule->order.items[i] == section;
  }
}

/* RF995: the last frame, with what is read on behind it. */
static ref_bytes ref_frames_with_rest(ref_frames *frames, const ref_frame *frame) {
  enum { MOST = 256 };
  ref_link *mercury = frames->capsule->mercury;
  const size_t section = ref_map_find(&mercury->section_by_name, ".debug_frame");
  const uint64_t start = frame->at + REF_FRAME_ROWS_AT;
  ref_bytes bytes = {0};
  ref_bytes_add(mercury, &bytes, frame->section->data + start, (size_t)(frame->section->size - start));
  if (section != REF_NONE) {
    ref_frames_add_rest(frames->capsule, section, &bytes, bytes.size + MOST);
  }
  return bytes;
}

/* The rows behind the head of Mercury's frame, in its common entry's unit (L1120). */
static ref_rows ref_frames_rows(ref_frames *frames, const ref_frame *frame) {
  const uint64_t start = frame->at + REF_FRAME_ROWS_AT, unit = ref_frames_read_common(frames, frame).unit;
  const bool is_last = frame->end == frame->section->size && start < frame->end;
  const ref_bytes last = is_last ? ref_frames_with_rest(frames, frame) : (ref_bytes){0};
  return is_last ? ref_rows_read(frames->capsule->mercury, last.data, (size_t)(frame->end - start), last.size, unit)
                 : ref_rows_read(frames->capsule->mercury, frame->section->data + start, (size_t)(frame->end - start),
                                 (size_t)(frame->section->size - start), unit);
}

/* Adds the rows of a body's frame at their places in the SASS text, which count from `start`: of several at a place the last one stays.
 * RF365: the row at 0 is there without an advance, too. */
static void ref_frames_add_rows(ref_frames *frames, const ref_frame *body, const ref_units *places, uint64_t start,
                                ref_rows *all) {
  const ref_rows rows = ref_frames_rows(frames, body);
  for (size_t i = 0; i < rows.count; i++) {
    const ref_row *row = &rows.items[i];
    const size_t instruction = ref_rows_instruction(places, body->start + row->place);
    const uint64_t at = instruction == REF_NONE ? 0 : instruction * INSTRUCTION;
    const bool is_first = body->start != 0 && at == start; /* L720: a step there is left out */
    if (instruction != REF_NONE && at >= start && !is_first && (row->is_given || row->operations.size != 0)) {
      ref_rows_put(frames->capsule->mercury, all, at - start, &row->operations);
    }
  }
}

/* RF851: Mercury's frame in SASS, whatever the input's SASS side has. RF73: the rows of all bodies of the function, the one that stands
 * being the last, at the places of its code. RF143: behind the common entry of the first. */
static ref_frame ref_frames_translate(ref_frames *frames, size_t function, const ref_frame *bodies, size_t count) {
  ref_link *link = frames->capsule->mercury;
  const ref_places places = ref_places_of_function(frames->capsule, function);
  const ref_units row_places = ref_places_rows(link, &places);
  ref_frame frame = bodies[count - 1];
  const uint64_t start = ref_places_from(&places, frame.start), slot = ref_slots_frame_range(frames->capsule, function);
  ref_rows all = {0};
  for (size_t i = 0; i < count; i++) {
    ref_frames_add_rows(frames, &bodies[i], &row_places, start, &all);
  }
  frame.common_section = bodies[0].common_section;
  frame.common = bodies[0].common;
  ref_rows_write(link, &all, SASS_UNIT, &frame.rows);
  ref_bytes_fill(link, &frame.rows, (size_t)ref_align_up(REF_FRAME_ROWS_AT + frame.rows.size, 8) - REF_FRAME_ROWS_AT);
  frame.sass_start = start;
  frame.range = slot != 0 ? slot : ref_inner_end(frames->capsule, function, &places, start) - start;
  return frame;
}

/* The entry of a file's next frame that has one still (the others' functions are dead or lost); REF_NONE behind the last frame. */
static size_t ref_frames_next_kept(ref_frames *frames, size_t number, uint32_t index, ref_frame *frame) {
  ref_link *mercury = frames->capsule->mercury;
  const ref_file *file = &mercury->files[number];
  while (frame->section != NULL && ref_frames_next(mercury, file, frame)) {
    const size_t entry = ref_map_find(&frames->addresses, ref_frames_place_key(mercury, number, file->section_of[index],
                                                                               frame->at + REF_FRAME_ADDRESS_AT));
    if (entry != REF_NONE) {
      return entry;
    }
  }
  return REF_NONE;
}

static const char *ref_frames_inner_key(ref_link *link, size_t owner, uint64_t place) {
  return REF_KEY(link, owner, place);
}

/* L720: the places at which functions within others' texts begin. */
static void ref_frames_list_inner(ref_frames *frames) {
  ref_link *mercury = frames->capsule->mercury;
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (ref_inner_is_function(mercury, i)) {
      const ref_function *inner = &mercury->functions[i];
      ref_map_set(mercury, &frames->inner,
                  ref_frames_inner_key(mercury, inner->alias_of, mercury->symbols[inner->symbol].value), i);
    }
  }
}

/* RF868: what is written where its address is names the function within the text (L720). */
static uint64_t ref_frames_start(const ref_frames *frames, const ref_frame *frame, size_t function) {
  const uint64_t start = ref_u64(frame->section->data + frame->at + REF_FRAME_ADDRESS_AT);
  const char *key = ref_frames_inner_key(frames->capsule->mercury, function, start);
  return ref_map_find(&frames->inner, key) != REF_NONE ? start : 0;
}

static void ref_frames_collect_file(ref_frames *frames, size_t number) {
  ref_link *mercury = frames->capsule->mercury;
  uint32_t index;
  ref_frame frame = {.common = UINT64_MAX, .section = ref_frames_section(frames, number, &index)};
  size_t entry;
  while ((entry = ref_frames_next_kept(frames, number, index, &frame)) != REF_NONE) {
    frames->kept =
        ref_memory_grow(mercury, frames->kept, frames->kept_count, &frames->kept_capacity, sizeof *frames->kept);
    frame.start = ref_frames_start(frames, &frame, mercury->relocations[entry].function);
    frames->kept[frames->kept_count++] = (ref_kept_frame){
        .frame = frame, .entry = entry, .function = mercury->relocations[entry].function, .next = REF_NONE};
  }
}

/* RF868: is what is written where its address is no function's beginning? */
static bool ref_frames_is_astray(const ref_frame *frame) {
  return ref_u64(frame->section->data + frame->at + REF_FRAME_ADDRESS_AT) != frame->start;
}

/* All frames whose entries were kept, those of one function's bodies in a chain, with those of each function inside its text (L720)
 * in one of their own. */
static void ref_frames_collect(ref_frames *frames) {
  ref_link *mercury = frames->capsule->mercury;
  ref_map last = {0};
  for (size_t number = 0; number < mercury->file_count; number++) {
    ref_frames_collect_file(frames, number);
  }
  for (size_t i = 0; i < frames->kept_count; i++) {
    if (frames->kept[i].function == REF_NONE || ref_frames_is_astray(&frames->kept[i].frame)) {
      continue;
    }
    const char *key = REF_KEY(mercury, frames->kept[i].function, frames->kept[i].frame.start);
    const size_t before = ref_map_find(&last, key);
    if (before != REF_NONE) {
      frames->kept[before].next = i;
      frames->kept[i].is_further = true;
    }
    ref_map_set(mercury, &last, key, i);
  }
}

/* The frames of a function's bodies, from its first. */
static size_t ref_frames_of_function(ref_frames *frames, const ref_kept_frame *first, ref_frame **list) {
  size_t count = 0, capacity = 0;
  for (const ref_kept_frame *kept = first; kept != NULL;
       kept = kept->next == REF_NONE ? NULL : &frames->kept[kept->next]) {
    *list = ref_memory_grow(frames->capsule->mercury, *list, count, &capacity, sizeof **list);
    (*list)[count++] = kept->frame;
  }
  return count;
}

/* RF73: a function's first frame has the rows of all bodies; a further one stays as the Mercury view has it, without its instructions.
 * RF39, RF226: so does the only frame of a function whose alias comes first, or whose jump slot is not the first. */
static ref_frame ref_frames_choose_rows(ref_frames *frames, const ref_kept_frame *kept) {
  const size_t function = kept->function;
  ref_frame other = kept->frame, *list = NULL;
  other.is_bare = true;
  if (kept->is_further || function == REF_NONE || ref_frames_is_astray(&kept->frame) ||
      frames->capsule->mercury->functions[function].text == REF_NONE ||
      ref_slots_keeps_frame(frames->capsule, function) ||
      ref_capsule_alias_comes_first(frames->capsule->mercury, function)) {
    return other;
  }
  if (kept->frame.start != 0) {
    return ref_frames_translate(frames, function, &kept->frame, 1);
  }
  const size_t count = ref_frames_of_function(frames, kept, &list);
  return ref_frames_translate(frames, function, list, count);
}

/* The frames of one common entry, from `first` on. */
static size_t ref_frames_run_end(const ref_frames *frames, size_t first) {
  const ref_frame *frame = &frames->kept[first].frame;
  size_t end = first + 1;
  while (end < frames->kept_count && frames->kept[end].frame.common_section == frame->common_section &&
         frames->kept[end].frame.common == frame->common) {
    end++;
  }
  return end;
}

/* L1120: the common entry is Mercury's, written anew; L1722: in its own unit where none of its frames is translated. */
static void ref_frames_add_run(ref_frames *frames, size_t first, size_t end) {
  ref_frame *chosen = REF_TAKE(frames->capsule->mercury, ref_frame, end - first);
  bool is_bare = true;
  for (size_t i = first; i < end; i++) {
    chosen[i - first] = ref_frames_choose_rows(frames, &frames->kept[i]);
    is_bare = is_bare && chosen[i - first].is_bare;
  }
  const ref_common common = ref_frames_read_common(frames, &frames->kept[first].frame);
  for (size_t i = first; i < end; i++) {
    chosen[i - first].common_bytes = is_bare ? common.bare : common.bytes; /* none where it is not whole */
    ref_frames_add(frames, &chosen[i - first], &frames->kept[i]);
  }
}

static void ref_frames_make(ref_capsule *capsule) {
  if (capsule->frame_entries != NULL) {
    return;
  }
  capsule->frame_entries = REF_TAKE(capsule->mercury, ref_frame_entry, capsule->mercury->relocation_count);
  ref_frames frames = {.capsule = capsule, .entries = capsule->frame_entries};
  ref_frames_list_addresses(&frames);
  ref_frames_list_inner(&frames);
  ref_frames_collect(&frames);
  for (size_t i = 0; i < frames.kept_count;) {
    const size_t end = ref_frames_run_end(&frames, i);
    ref_frames_add_run(&frames, i, end);
    i = end;
  }
  ref_frames_place_entries(&frames);
  capsule->frames = frames.output;
}

ref_bytes ref_capsule_frames(ref_capsule *capsule) {
  ref_frames_make(capsule);
  return capsule->frames;
}

const ref_frame_entry *ref_capsule_frame_entries(ref_capsule *capsule) {
  ref_frames_make(capsule);
  return capsule->frame_entries;
}

/* RF707: a place in the code is written into the frame's head. */
void ref_capsule_write_frame_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *data) {
  ref_link *mercury = capsule->mercury;
  if (!REF_IS(mercury->sections[section].name, ".debug_frame")) {
    return;
  }
  const ref_frame_entry *entries = ref_capsule_frame_entries(capsule);
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    ref_field field;
    if (entries[i].is_place && entry->target == section && ref_data_place_field(entry->type, &field)) {
      const uint64_t value =
          ref_data_place_value(mercury, entry, symbols) - (uint64_t)entry->addend + (uint64_t)entries[i].addend;
      ref_field_write(&field, data->data, data->size, entries[i].offset, ref_field_value(&field, value, 0, 0, 0));
    }
  }
}
