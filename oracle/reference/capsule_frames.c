/* SASS `.debug_frame` of a capsule link, written anew: M24. */
#include "capsule.h"

#include <string.h>

enum { WIDE = 0xffffffff, LENGTH_AT = 4, HEAD = 12, POINTER_AT = 12, ADDRESS_AT = 20, BARE = 40 };

typedef struct ref_frames {
  ref_capsule *capsule;
  ref_bytes output;
  uint64_t *address_at;
  size_t last_file; /* of the common entry that was written last, and its offset there */
  const ref_section *last_section;
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

/* Whether this file's body of the function is the one in the output. */
static bool ref_frames_is_kept(const ref_link *sass, size_t file, size_t function, uint32_t symbol) {
  return function != REF_NONE && sass->functions[function].live &&
         sass->files[file].body_of[symbol] != REF_BODY_LOSES && sass->functions[function].definition_file == file;
}

typedef struct ref_frame {
  const ref_section *section;
  uint64_t common, at, end;
  bool is_bare;
} ref_frame;

static void ref_frames_add(ref_frames *frames, size_t file, const ref_frame *frame, size_t function) {
  ref_link *link = frames->capsule->mercury;
  const uint8_t *data = frame->section->data;
  if (frames->last_file != file || frames->last_section != frame->section || frames->last_common != frame->common) {
    const uint64_t common_end = frame->common + HEAD + ref_u64(data + frame->common + LENGTH_AT);
    frames->last_file = file;
    frames->last_section = frame->section;
    frames->last_common = frame->common;
    frames->last_written = frames->output.size;
    ref_bytes_add(link, &frames->output, data + frame->common, (size_t)(common_end - frame->common));
  }
  const size_t at = frames->output.size;
  const uint64_t size = frame->is_bare ? BARE : frame->end - frame->at;
  ref_bytes_add(link, &frames->output, data + frame->at, (size_t)size);
  ref_put_u64(frames->output.data + at + LENGTH_AT, size - HEAD);
  if (frame->is_bare) {
    ref_put_u32(frames->output.data + at + BARE - 4, 0);
  }
  ref_put_u64(frames->output.data + at + POINTER_AT, frames->last_written);
  if (frames->address_at != NULL) {
    frames->address_at[function] = at + ADDRESS_AT;
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

/* RF39: the frame of such a function stays as the Mercury view has it, without its instructions. */
static ref_frame ref_frames_choose(const ref_frames *frames, size_t number, const ref_frame *frame, size_t function) {
  const ref_file *file = &frames->capsule->mercury->files[number];
  uint32_t index = 0, symbol = 0;
  const ref_section *section = ref_frames_section(&file->cubin, &index);
  if (section == NULL || !ref_capsule_alias_comes_first(frames->capsule->mercury, function)) {
    return *frame;
  }
  ref_frame other = {.section = section, .common = UINT64_MAX};
  while (ref_frames_next(frames->capsule->mercury, file, &other)) {
    if (ref_frames_function(file, index, other.at, &symbol) == function) {
      other.is_bare = true;
      return other;
    }
  }
  return *frame;
}

static void ref_frames_add_file(ref_frames *frames, size_t number) {
  const ref_file *file = &frames->capsule->sass->files[number];
  uint32_t index = 0, symbol = 0;
  const ref_section *section = ref_frames_section(&file->cubin, &index);
  ref_frame frame = {.section = section, .common = UINT64_MAX};
  while (section != NULL && ref_frames_next(frames->capsule->mercury, file, &frame)) {
    const size_t function = ref_frames_function(file, index, frame.at, &symbol);
    if (ref_frames_is_kept(frames->capsule->sass, number, function, symbol)) {
      const ref_frame chosen = ref_frames_choose(frames, number, &frame, function);
      ref_frames_add(frames, number, &chosen, function);
    }
  }
}

ref_bytes ref_capsule_frames(ref_capsule *capsule, uint64_t *address_at) {
  ref_frames frames = {.capsule = capsule, .address_at = address_at, .last_file = REF_NONE};
  for (size_t i = 0; i < capsule->sass->file_count; i++) {
    ref_frames_add_file(&frames, i);
  }
  return frames.output;
}
