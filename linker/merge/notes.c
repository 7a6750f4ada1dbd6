/* The note of tools (W5.1): the output's own record stands before those of the inputs, and how long it is says where
 * these lie, which entries against the note's symbol want to know. */
#include "base/bytes.h"
#include "merge/module.h"
#include "twinlink.h"

uint64_t tl_module_own_note(const tl_module *module, const char *strings[TL_NOTE_STRINGS]) {
  const tl_options *const options = module->options;
  const char *const own[TL_NOTE_STRINGS] = {
      options->note_object ? options->note_object : "",
      options->identity_nvlink ? "nvlink" : "twinlink",
      options->identity_nvlink ? "Cuda compilation tools, release 13.0, V13.0.88"
                               : "twinlink, release " TWINLINK_VERSION,
      options->identity_nvlink ? "Build cuda_13.0.r13.0/compiler.36424714_0" : "links as nvlink 13.0.88",
      options->note_arguments ? options->note_arguments : "",
  };
  uint64_t text = 0;
  for (int i = 0; i < TL_NOTE_STRINGS; i++) {
    strings[i] = own[i];
    text += strlen(own[i]) + 1;
  }
  return TL_NOTE_HEADER + tl_align(TL_NOTE_WORDS + text, 4);
}

/* Where an input's record comes to lie, behind the output's own, and what ends with it. */
uint64_t tl_module_place_note(tl_module *module, uint64_t size, uint64_t align, bool tool) {
  const char *strings[TL_NOTE_STRINGS];
  uint64_t *const end = tool ? &module->tool_notes_end : &module->cuda_notes_end;
  if (!*end)
    *end = tool ? tl_module_own_note(module, strings) : TL_NOTE_HEADER + TL_NOTE_CUDA;
  const uint64_t place = tl_align(*end, align);
  *end = place + size;
  return place;
}
