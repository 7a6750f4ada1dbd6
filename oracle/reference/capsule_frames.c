/* SASS `.debug_frame` of a capsule link, written anew: M24. */
#include "capsule.h"

#include <string.h>

enum { WIDE = 0xffffffff, LENGTH_AT = 4, HEAD = 12, POINTER_AT = 12, ADDRESS_AT = 20 };

typedef struct ref_frames {
  ref_capsule *capsule;
  ref_bytes output;
  uint64_t *address_at;
  size_t last_file; /* of the common entry that was written last, and its offset there */
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

static void ref_frames_add(ref_frames *frames, size_t file, const ref_section *section, uint64_t common, uint64_t frame,
                           uint64_t end, size_t function) {
  ref_link *link = frames->capsule->mercury;
  if (frames->last_file != file || frames->last_common != common) {
    const uint64_t common_end = common + HEAD + ref_u64(section->data + common + LENGTH_AT);
    frames->last_file = file;
    frames->last_common = common;
    frames->last_written = frames->output.size;
    ref_bytes_add(link, &frames->output, section->data + common, (size_t)(common_end - common));
  }
  const size_t at = frames->output.size;
  ref_bytes_add(link, &frames->output, section->data + frame, (size_t)(end - frame));
  ref_put_u64(frames->output.data + at + POINTER_AT, frames->last_written);
  if (frames->address_at != NULL) {
    frames->address_at[function] = at + ADDRESS_AT;
  }
}

/* Entries of the 64-bit form: ffffffff, u64 length, u64 pointer (all ones for a common entry), u64 address. */
static void ref_frames_add_file(ref_frames *frames, size_t number, uint32_t index) {
  const ref_file *file = &frames->capsule->sass->files[number];
  const ref_section *section = &file->cubin.sections[index];
  uint64_t common = UINT64_MAX;
  for (uint64_t at = 0; section->data != NULL && section->size - at >= ADDRESS_AT;) {
    const uint64_t length = ref_u64(section->data + at + LENGTH_AT);
    if (ref_u32(section->data + at) != WIDE || length > section->size - at - HEAD) {
      ref_message_fatal(frames->capsule->mercury, "D40", "Input file '%s': section '.debug_frame' is damaged at 0x%llx",
                        file->name, (unsigned long long)at);
    }
    const uint64_t end = at + HEAD + length;
    if (ref_u64(section->data + at + POINTER_AT) == UINT64_MAX) {
      common = at;
    } else if (common != UINT64_MAX && length >= ADDRESS_AT - HEAD + 8) {
      uint32_t symbol = 0;
      const size_t function = ref_frames_function(file, index, at, &symbol);
      if (ref_frames_is_kept(frames->capsule->sass, number, function, symbol)) {
        ref_frames_add(frames, number, section, common, at, end, function);
      }
    }
    at = end;
  }
}

ref_bytes ref_capsule_frames(ref_capsule *capsule, uint64_t *address_at) {
  ref_frames frames = {.capsule = capsule, .address_at = address_at, .last_file = REF_NONE};
  for (size_t i = 0; i < capsule->sass->file_count; i++) {
    const ref_cubin *cubin = &capsule->sass->files[i].cubin;
    for (uint32_t k = 1; k < cubin->section_count; k++) {
      if (cubin->sections[k].type == REF_TYPE_PROGBITS && strcmp(cubin->sections[k].name, ".debug_frame") == 0) {
        ref_frames_add_file(&frames, i, k);
      }
    }
  }
  return frames.output;
}
