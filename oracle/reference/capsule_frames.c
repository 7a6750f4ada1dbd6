/* SASS `.debug_frame` of a capsule link, written anew: M24, RF39, RF73. */
#include "capsule.h"

#include <string.h>

enum { WIDE = 0xffffffff, LENGTH_AT = 4, HEAD = 12, POINTER_AT = 12, ADDRESS_AT = 20, BARE = 40 };

typedef struct ref_frame {
  const ref_section *section;
  uint64_t common, at, end;
  bool is_bare;
} ref_frame;

typedef struct ref_frames {
  ref_capsule *capsule;
  ref_bytes output;
  uint64_t *address_at;
  bool *is_described; /* by function */
  const ref_section
      *common_section; /* of the common entry that was written last, and its offset there and in the output */
  uint64_t last_common, last_written;
} ref_frames;

/* The function that a frame describes: the entry at its address. */
static size_t ref_frames_function(const ref_file *file, uint32_t section, uint64_t frame, uint32_t *symbol) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *relocations = &file->cubin.sections[i];
    if (relocations->type != REF_TYPE_RELA || relocations->info != section) {
      continue;
    }
    for (size_t k = 0; k < ref_cubin_relocation_count(&file->cubin, i); k++) {
      const ref_relocation entry = ref_cubin_relocation(&file->cubin, i, k);
      if (entry.offset == frame + ADDRESS_AT && entry.symbol < file->cubin.symbol_count) {
        *symbol = entry.symbol;
        return file->function_of[entry.symbol];
      }
    }
  }
  return REF_NONE;
}

static void ref_frames_add_common(ref_frames *frames, const ref_frame *frame) {
  const uint8_t *data = frame->section->data;
  if (frames->common_section == frame->section && frames->last_common == frame->common) {
    return;
  }
  const uint64_t end = frame->common + HEAD + ref_u64(data + frame->common + LENGTH_AT);
  frames->common_section = frame->section;
  frames->last_common = frame->common;
  frames->last_written = frames->output.size;
  ref_bytes_add(frames->capsule->mercury, &frames->output, data + frame->common, (size_t)(end - frame->common));
}

static void ref_frames_add(ref_frames *frames, const ref_frame *frame, size_t entry) {
  ref_frames_add_common(frames, frame);
  const size_t at = frames->output.size;
  const uint64_t size = frame->is_bare ? BARE : frame->end - frame->at;
  ref_bytes_add(frames->capsule->mercury, &frames->output, frame->section->data + frame->at, (size_t)size);
  ref_put_u64(frames->output.data + at + LENGTH_AT, size - HEAD);
  if (frame->is_bare) {
    ref_put_u32(frames->output.data + at + BARE - 4, 0);
  }
  ref_put_u64(frames->output.data + at + POINTER_AT, frames->last_written);
  if (frames->address_at != NULL) {
    frames->address_at[entry] = at + ADDRESS_AT;
  }
}

static const ref_section *ref_frames_section(const ref_cubin *cubin, uint32_t *index) {
  for (*index = 1; *index < cubin->section_count; ++*index) {
    const ref_section *section = &cubin->sections[*index];
    if (section->type == REF_TYPE_PROGBITS && strcmp(section->name, ".debug_frame") == 0) {
      return section;
    }
  }
  return NULL;
}

/* The next frame of a section; entries of the 64-bit form: ffffffff, u64 length, u64 pointer (all ones for a common entry),
 * u64 address. */
static bool ref_frames_next(ref_link *link, const ref_file *file, ref_frame *frame) {
  const ref_section *section = frame->section;
  while (section->data != NULL && section->size - frame->end >= ADDRESS_AT) {
    frame->at = frame->end;
    const uint64_t length = ref_u64(section->data + frame->at + LENGTH_AT);
    if (ref_u32(section->data + frame->at) != WIDE || length > section->size - frame->at - HEAD) {
      ref_message_fatal(link, "D40", "Input file '%s': section '.debug_frame' is damaged at 0x%llx", file->name,
                        (unsigned long long)frame->at);
    }
    frame->end = frame->at + HEAD + length;
    if (ref_u64(section->data + frame->at + POINTER_AT) == UINT64_MAX) {
      frame->common = frame->at;
    } else if (frame->common != UINT64_MAX && length >= BARE - HEAD) {
      return true;
    }
  }
  return false;
}

/* RF39: has the function a second name that stands before its own? */
bool ref_capsule_alias_comes_first(const ref_link *mercury, size_t function) {
  for (size_t i = 0; i < mercury->function_count; i++) {
    const ref_function *alias = &mercury->functions[i];
    if (alias->alias_of == function && alias->symbol != REF_NONE && mercury->symbols[alias->symbol].index != 0 &&
        mercury->symbols[alias->symbol].index < mercury->symbols[mercury->functions[function].symbol].index) {
      return true;
    }
  }
  return false;
}

/* The frame of the function's body in the SASS view; false when that has none. */
static bool ref_frames_find_sass(const ref_frames *frames, size_t function, ref_frame *frame) {
  const ref_link *sass = frames->capsule->sass;
  const size_t number = sass->functions[function].definition_file;
  const ref_file *file = number == REF_NONE ? NULL : &sass->files[number];
  uint32_t index = 0, symbol = 0;
  const ref_section *section = file == NULL ? NULL : ref_frames_section(&file->cubin, &index);
  *frame = (ref_frame){.section = section, .common = UINT64_MAX};
  while (section != NULL && ref_frames_next(frames->capsule->mercury, file, frame)) {
    if (ref_frames_function(file, index, frame->at, &symbol) == function && file->body_of[symbol] != REF_BODY_LOSES) {
      return true;
    }
  }
  return false;
}

/* RF73: a function's first frame becomes that of its SASS body; a further one, of a body that replaced another, stays as the
 * Mercury view has it, without its instructions. RF39: so does the only frame of a function whose alias comes first. */
static ref_frame ref_frames_choose(ref_frames *frames, const ref_frame *frame, size_t function) {
  ref_frame other = *frame;
  other.is_bare = true;
  if (!frames->is_described[function] && !ref_capsule_alias_comes_first(frames->capsule->mercury, function)) {
    ref_frame sass;
    frames->is_described[function] = true;
    return ref_frames_find_sass(frames, function, &sass) ? sass : other;
  }
  return other;
}

/* The entry of the Mercury view about a frame's address, if it was kept; REF_NONE: the frame's function is dead or lost. */
static size_t ref_frames_entry(const ref_link *mercury, size_t file, size_t section, uint64_t offset) {
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (entry->file == file && entry->target == section && entry->input_offset == offset && !entry->dropped &&
        entry->function != REF_NONE) {
      return i;
    }
  }
  return REF_NONE;
}

static void ref_frames_add_file(ref_frames *frames, size_t number) {
  ref_link *mercury = frames->capsule->mercury;
  const ref_file *file = &mercury->files[number];
  uint32_t index = 0;
  const ref_section *section = ref_frames_section(&file->cubin, &index);
  ref_frame frame = {.section = section, .common = UINT64_MAX};
  while (section != NULL && ref_frames_next(mercury, file, &frame)) {
    const size_t entry = ref_frames_entry(mercury, number, file->section_of[index], frame.at + ADDRESS_AT);
    if (entry != REF_NONE) {
      const ref_frame chosen = ref_frames_choose(frames, &frame, mercury->relocations[entry].function);
      ref_frames_add(frames, &chosen, entry);
    }
  }
}

ref_bytes ref_capsule_frames(ref_capsule *capsule, uint64_t *address_at) {
  ref_link *mercury = capsule->mercury;
  ref_frames frames = {.capsule = capsule, .address_at = address_at, .last_common = UINT64_MAX};
  frames.is_described = ref_memory_take(mercury, mercury->function_count + 1, sizeof *frames.is_described);
  for (size_t i = 0; i < mercury->file_count; i++) {
    ref_frames_add_file(&frames, i);
  }
  return frames.output;
}
