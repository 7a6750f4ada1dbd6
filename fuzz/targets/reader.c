/* The reader alone: every file of the envelope that is admitted, in both views and every role. Afterwards the linker uses
 * sections, names and indices without looking at the file's bounds again, so all of them are looked at here. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/stages.h"

#include <string.h>

static uint8_t reader_sum; /* so that the bytes are read */

static const char *reader_check_section(const tl_cubin *cubin, const tl_names *names, const tl_cubin_section *section) {
  const char *const name = tl_names_text(names, section->name);
  reader_sum ^= (uint8_t)strlen(name);
  if (!section->data)
    return NULL;
  for (uint64_t i = 0; i < section->size; i += section->size > 1 ? section->size - 1 : 1)
    reader_sum ^= section->data[i]; /* the first and the last: what a view derives lies in memory of its own */
  const bool in_file = section->data >= cubin->bytes && section->data < cubin->bytes + cubin->size;
  if (in_file && section->size > (size_t)(cubin->bytes + cubin->size - section->data))
    return "a section's bytes reach past the file";
  if (section->type != SHT_REL && section->type != SHT_RELA)
    return NULL;
  const uint64_t count = section->entry_size ? tl_cubin_relocation_count(section) : 0;
  if (count && count > section->size / section->entry_size)
    return "more relocations than there is room for";
  return NULL;
}

/* An entry that is too small is refused before its section is used. */
static const char *reader_check_entries(const tl_cubin *cubin, tl_names *names, tl_diagnostics *diagnostics) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    if ((section->type != SHT_REL && section->type != SHT_RELA) || !section->data)
      continue;
    tl_cubin_check_entries(cubin, names, diagnostics, i);
    const uint64_t count = tl_cubin_relocation_count(section);
    for (uint64_t entry = 0; entry < count; entry++)
      reader_sum ^= (uint8_t)tl_cubin_relocation_at(section, entry).type;
  }
  return NULL;
}

static const char *reader_check(const tl_cubin *cubin, const tl_names *names) {
  for (uint32_t i = 0; i < cubin->section_count; i++) {
    const char *const wrong = reader_check_section(cubin, names, &cubin->sections[i]);
    if (wrong)
      return wrong;
  }
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &cubin->symbols[i];
    reader_sum ^= (uint8_t)strlen(tl_names_text(names, symbol->name));
    if (symbol->section != TL_SECTION_COMMON && symbol->section >= cubin->section_count)
      return "a symbol's section is none";
  }
  return NULL;
}

/* A fatal record ends this reading alone. */
static const char *reader_try(tl_link_common *c, const tl_accepted *accepted, tl_role role) {
  tl_arena *const arena = &c->state->arena;
  jmp_buf out;
  tl_diagnostics quiet;
  const char *volatile wrong = NULL;
  tl_diagnostics_init(&quiet, arena, &c->job->options, &out);
  if (!setjmp(out)) {
    tl_cubin cubin;
    tl_cubin_read(&cubin, &c->job->inputs[accepted->input], (uint32_t)accepted->input, role, &c->names, arena, &quiet);
    wrong = reader_check(&cubin, &c->names);
    if (!wrong)
      wrong = reader_check_entries(&cubin, &c->names, &quiet);
  }
  return wrong;
}

static const char *reader_look(tl_link_common *c, tl_link_stages *s) {
  (void)s;
  const char *wrong = NULL;
  for (size_t i = 0; i < c->admitted.files.count && !wrong; i++)
    for (unsigned role = 0; role < 6 && !wrong; role++) {
      const tl_role roles = {
          .view = role % 2 ? TL_VIEW_MERCURY : TL_VIEW_SASS, .finalized = role / 2 > 0, .joined = role / 2 > 1};
      wrong = reader_try(c, &c->admitted.files.items[i], roles);
    }
  return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_stages_target("reader", FUZZ_ADMITTED, reader_look, bytes, size);
  return 0;
}
