/* RF1176: `.debug_frame` of a capsule in front of a file of SASS kind, and its entries, which the finalizer makes of Mercury's as it does of a linked
 * output's with -r (M24, RF707, RF851), whatever the SASS side has. Nothing has been carried out by then, so frames hold what the file has. Where the
 * file has functions within others' texts or jump slots its SASS side stays. */
#include "capsule.h"
#include "frame_layout.h"
#include "relocation_table.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  SASS_UNIT = 4,
  ENTRY_BYTES = 24,
  ADDRESS_32 = REF_MERCURY_FIRST + 60,
  ADDRESS = REF_MERCURY_FIRST + 61
};

typedef struct ref_mixed_frame {
  uint64_t at, end, common; /* in Mercury's section */
  uint32_t text;            /* of the SASS side, or 0 */
  uint64_t written;
} ref_mixed_frame;

typedef struct ref_mixed_frames {
  ref_link *link;
  const ref_mercury_sides *sides;
  ref_file *file;
  uint32_t table; /* of Mercury's entries */
  const ref_section *section;
  ref_map first,
      coded; /* by offset: its first entry, and the last one that is an address of code: the finalizer reads from the end */
  ref_mixed_frame *items;
  size_t count, capacity;
  bool *has_frame;    /* by SASS text */
  ref_places *places; /* found once for each */
  ref_bytes output;
  uint64_t last_written;
} ref_mixed_frames;

static const char *ref_mixed_frame_key(ref_link *link, uint64_t offset) {
  return REF_KEY(link, offset, 0);
}

static ref_relocation ref_mixed_frame_entry(const ref_mixed_frames *frames, size_t number) {
  return ref_cubin_relocation(frames->sides->sass, frames->table, number);
}

static void ref_mixed_list_frame_entries(ref_mixed_frames *frames) {
  for (size_t i = 0; i < ref_cubin_relocation_count(frames->sides->sass, frames->table); i++) {
    const ref_relocation entry = ref_mixed_frame_entry(frames, i);
    const char *key = ref_mixed_frame_key(frames->link, entry.offset);
    (void)ref_map_put(frames->link, &frames->first, key, i);
    if (entry.type == ADDRESS || entry.type == ADDRESS_32) {
      ref_map_set(frames->link, &frames->coded, key, i);
    }
  }
}

/* The SASS text of the function that an entry is about, or 0. */
static uint32_t ref_mixed_text_of(const ref_mixed_frames *frames, uint32_t number) {
  const ref_cubin *mercury = frames->sides->mercury;
  const ref_symbol *symbol = number < mercury->symbol_count ? &mercury->symbols[number] : NULL;
  if (symbol == NULL || (symbol->info & 15) != REF_SYMBOL_FUNC || symbol->section >= mercury->section_count) {
    return 0;
  }
  const ref_section *body = &frames->sides->sass->sections[symbol->section];
  const uint32_t text = body->data == NULL || body->size < 4 ? 0 : ref_u32(body->data);
  return ref_mercury_body_beside(frames->sides->sass, text, symbol->section) == NULL ? 0 : text;
}

/* Of the function that an entry is about. */
static const ref_places *ref_mixed_places(const ref_mixed_frames *frames, const ref_relocation *entry, uint32_t text) {
  const ref_cubin *sass = frames->sides->sass;
  const ref_section *body = &sass->sections[frames->sides->mercury->symbols[entry->symbol].section];
  if (frames->places[text].at == NULL) {
    frames->places[text] = ref_places_of_sections(frames->link, body, &sass->sections[text]);
  }
  return &frames->places[text];
}

/* The frames that have an entry at their address. Behind a common entry that is too long there is none; nvlink ends by a signal over another one. */
static void ref_mixed_list_frames(ref_mixed_frames *frames) {
  const ref_section *section = frames->section;
  uint64_t common = UINT64_MAX;
  for (uint64_t at = 0; section->size - at >= REF_FRAME_ADDRESS_AT;) {
    const uint8_t *data = section->data + at;
    const bool is_common = ref_u32(data + REF_FRAME_POINTER_AT) == REF_FRAME_WIDE; /* RF1177 */
    const uint64_t length = is_common ? ref_u32(data + REF_FRAME_LENGTH_AT) : ref_u64(data + REF_FRAME_LENGTH_AT);
    const bool is_long = length > section->size - at - REF_FRAME_HEAD;
    if (ref_u32(data) != REF_FRAME_WIDE) {
      ref_message_add(frames->link, REF_FATAL, "D40", "Dwarf version 2 is not supported");
      ref_message_fatal(frames->link, "E91", "Internal FNLZR error '%s'", frames->file->name);
    }
    if (is_long && is_common) {
      return;
    }
    if (is_long) {
      ref_message_fatal(frames->link, "D40", "Input file '%s': section '.debug_frame' is damaged at 0x%llx",
                        frames->file->name, (unsigned long long)at);
    }
    const size_t entry = ref_map_find(&frames->first, ref_mixed_frame_key(frames->link, at + REF_FRAME_ADDRESS_AT));
    if (is_common) {
      common = at;
    } else if (common != UINT64_MAX && length >= REF_FRAME_BARE - REF_FRAME_HEAD && entry != REF_NONE) {
      frames->items =
          ref_memory_grow(frames->link, frames->items, frames->count, &frames->capacity, sizeof *frames->items);
      frames->items[frames->count++] =
          (ref_mixed_frame){.at = at,
                            .end = at + REF_FRAME_HEAD + length,
                            .common = common,
                            .text = ref_mixed_text_of(frames, ref_mixed_frame_entry(frames, entry).symbol)};
    }
    at += REF_FRAME_HEAD + length;
  }
}

static size_t ref_mixed_common_size(const ref_mixed_frames *frames, uint64_t common) {
  return (size_t)(REF_FRAME_HEAD + (uint64_t)ref_u32(frames->section->data + common + REF_FRAME_LENGTH_AT));
}

static ref_common ref_mixed_read_common(const ref_mixed_frames *frames, uint64_t common) {
  return ref_common_read(frames->link, frames->section->data + common, ref_mixed_common_size(frames, common),
                         (size_t)(frames->section->size - common));
}

/* L1120, L1722: once more before each frame. */
static void ref_mixed_add_common(ref_mixed_frames *frames, const ref_mixed_frame *frame, bool is_bare,
                                 const ref_common *common) {
  const uint8_t *data = frames->section->data + frame->common;
  frames->last_written = frames->output.size;
  const ref_bytes *bytes = is_bare ? &common->bare : &common->bytes;
  if (common->is_whole) {
    ref_bytes_add(frames->link, &frames->output, bytes->data, bytes->size);
  } else {
    ref_bytes_add(frames->link, &frames->output, data, ref_mixed_common_size(frames, frame->common));
  }
}

/* RF851: the rows at their places in the SASS text. */
static ref_bytes ref_mixed_rows(const ref_mixed_frames *frames, const ref_mixed_frame *frame, uint64_t unit) {
  ref_link *link = frames->link;
  const ref_relocation entry = ref_mixed_frame_entry(
      frames, ref_map_find(&frames->first, ref_mixed_frame_key(link, frame->at + REF_FRAME_ADDRESS_AT)));
  const ref_units units = ref_places_rows(link, ref_mixed_places(frames, &entry, frame->text));
  const uint8_t *data = frames->section->data + frame->at + REF_FRAME_ROWS_AT;
  const ref_rows rows = ref_rows_read(link, data, (size_t)(frame->end - frame->at - REF_FRAME_ROWS_AT),
                                      (size_t)(frames->section->size - frame->at - REF_FRAME_ROWS_AT), unit);
  ref_rows made = {0};
  ref_bytes bytes = {0};
  for (size_t i = 0; i < rows.count; i++) {
    const size_t instruction = ref_rows_instruction(&units, rows.items[i].place);
    if (instruction != REF_NONE && (rows.items[i].is_given || rows.items[i].operations.size != 0)) {
      ref_rows_put(link, &made, instruction * INSTRUCTION, &rows.items[i].operations);
    }
  }
  ref_rows_write(link, &made, SASS_UNIT, &bytes);
  ref_bytes_fill(link, &bytes, (size_t)ref_align_up(REF_FRAME_ROWS_AT + bytes.size, 8) - REF_FRAME_ROWS_AT);
  return bytes;
}

/* RF707: a frame stays bare that is a function's second, about no function, or has something where its address comes. */
static void ref_mixed_add_frame(ref_mixed_frames *frames, ref_mixed_frame *frame) {
  ref_link *link = frames->link;
  const uint8_t *data = frames->section->data + frame->at;
  const ref_common common = ref_mixed_read_common(frames, frame->common);
  const bool is_bare = frame->text == 0 || frames->has_frame[frame->text] || ref_u64(data + REF_FRAME_ADDRESS_AT) != 0;
  ref_mixed_add_common(frames, frame, is_bare, &common);
  const size_t at = frames->output.size;
  ref_bytes_add(link, &frames->output, data, REF_FRAME_ROWS_AT);
  if (is_bare) {
    ref_bytes_fill(link, &frames->output, at + REF_FRAME_BARE);
  } else {
    const ref_bytes rows = ref_mixed_rows(frames, frame, common.unit);
    ref_bytes_add(link, &frames->output, rows.data, rows.size);
    ref_put_u64(frames->output.data + at + REF_FRAME_RANGE_AT, frames->sides->sass->sections[frame->text].size);
    frames->has_frame[frame->text] = true;
    ref_indices_add(link, &frames->file->made_rows, at);
    ref_indices_add(link, &frames->file->made_rows, frame->text);
  }
  const bool points =
      ref_map_find(&frames->first, ref_mixed_frame_key(link, frame->at + REF_FRAME_POINTER_AT)) == REF_NONE;
  ref_put_u64(frames->output.data + at + REF_FRAME_LENGTH_AT, frames->output.size - at - REF_FRAME_HEAD);
  ref_put_u64(frames->output.data + at + REF_FRAME_POINTER_AT, points ? frames->last_written : 0);
  frame->written = at;
}

/* RF707: where an entry of Mercury's stands in the new section: at one of three places in a frame, or at 0. */
static uint64_t ref_mixed_frame_place(const ref_mixed_frames *frames, uint64_t offset) {
  size_t first = 0, end = frames->count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (frames->items[middle].at <= offset) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  const uint64_t place = first == 0 ? 0 : offset - frames->items[first - 1].at;
  return place == REF_FRAME_POINTER_AT || place == REF_FRAME_ADDRESS_AT || place == REF_FRAME_RANGE_AT
             ? frames->items[first - 1].written + place
             : 0;
}

/* RF869: that of all entries at its place. */
static int64_t ref_mixed_frame_addend(const ref_mixed_frames *frames, const ref_relocation *entry) {
  const char *key = ref_mixed_frame_key(frames->link, entry->offset);
  const size_t coded = ref_map_find(&frames->coded, key);
  if (coded == REF_NONE) {
    return ref_mixed_frame_entry(frames, ref_map_find(&frames->first, key)).addend;
  }
  const ref_relocation code = ref_mixed_frame_entry(frames, coded);
  const uint32_t text = code.addend == 0 ? 0 : ref_mixed_text_of(frames, code.symbol);
  if (text == 0) {
    return code.addend;
  }
  return (int64_t)ref_addends_place(ref_mixed_places(frames, &code, text), (uint64_t)code.addend);
}

static void ref_mixed_write_frame_entries(const ref_mixed_frames *frames, ref_section *entries, ref_bytes *output) {
  const size_t count = ref_cubin_relocation_count(frames->sides->sass, frames->table);
  uint8_t *made = REF_TAKE(frames->link, uint8_t, count *ENTRY_BYTES + 1), *to = made;
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_mixed_frame_entry(frames, i);
    const uint32_t type = ref_data_sass_type(entry.type, false);
    const uint64_t place = ref_mixed_frame_place(frames, entry.offset);
    ref_field field;
    if (ref_data_place_field(entry.type, &field)) {
      ref_field_write(&field, output->data, output->size, place,
                      ref_field_value(&field, (uint64_t)ref_mixed_frame_addend(frames, &entry), 0, 0, 0));
    } else if (type != 0) {
      ref_put_u64(to, place);
      ref_put_u64(to + 8, (uint64_t)ref_mixed_symbol(frames->sides, entry.symbol) << 32 | type);
      ref_put_u64(to + 16, (uint64_t)ref_mixed_frame_addend(frames, &entry));
      to += ENTRY_BYTES;
    }
  }
  entries->data = made;
  entries->size = (uint64_t)(to - made);
}

/* Functions within others' texts, and jump slots. */
static bool ref_mixed_frames_are_known(const ref_mercury_sides *sides) {
  for (size_t i = 1; i < sides->mercury->symbol_count; i++) {
    const ref_symbol *symbol = &sides->mercury->symbols[i];
    if ((symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section != 0 && symbol->value != 0) {
      return false;
    }
  }
  for (uint32_t i = 1; i < sides->sass->section_count; i++) {
    if (sides->sass->sections[i].type == REF_TYPE_UFT) {
      return false;
    }
  }
  return true;
}

void ref_mixed_derive_frames(ref_link *link, const ref_mercury_sides *sides, const ref_mixed_frame_sections *sections) {
  const ref_section *mercury = &sides->sass->sections[sections->mercury];
  ref_mixed_frames frames = {
      .link = link, .sides = sides, .file = sections->file, .table = sections->table, .section = mercury};
  if (mercury->data == NULL || !ref_mixed_frames_are_known(sides)) {
    return;
  }
  ref_mixed_list_frame_entries(&frames);
  ref_mixed_list_frames(&frames);
  frames.has_frame = REF_TAKE(link, bool, sides->sass->section_count);
  frames.places = REF_TAKE(link, ref_places, sides->sass->section_count);
  for (size_t i = 0; i < frames.count; i++) {
    ref_mixed_add_frame(&frames, &frames.items[i]);
  }
  ref_section *own = &sides->sass->sections[sections->sass];
  ref_mixed_write_frame_entries(&frames, &sides->sass->sections[sections->entries], &frames.output);
  sections->file->made_frames = sections->sass;
  own->data = frames.output.data;
  own->size = frames.output.size;
}
