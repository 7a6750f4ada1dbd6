/* Which files are sound (sound.h). */
#include "fuzz/sound.h"

static bool sound_alone(const ref_check_file *file) {
  const ref_check_link link = {.output = *file};
  ref_check_report report;
  ref_check(&report, &link);
  const bool sound = report.count == 0;
  ref_check_free(&report);
  return sound;
}

bool fuzz_sound_take(fuzz_sound *sound, const fuzz_envelope *envelope) {
  char error[160];
  sound->count = 0;
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    if (!ref_cubin_read(&sound->cubins[i], file->bytes, file->size, error, sizeof error))
      return false;
    sound->files[i] = (ref_check_file){file->name, &sound->cubins[i]};
    sound->count = i + 1;
    if (!sound_alone(&sound->files[i]))
      return false;
  }
  return true;
}

void fuzz_sound_free(fuzz_sound *sound) {
  for (size_t i = 0; i < sound->count; i++)
    ref_cubin_free(&sound->cubins[i]);
  sound->count = 0;
}
