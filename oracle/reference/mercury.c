/* What relocations change in the body of a capsule: M22, RF38. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  LENGTH_DIGIT = 0x0f,
  LOAD_FIRST = 0x02, /* the first two bytes of a load's record */
  LOAD_SECOND = 0x22,
  LOAD_BYTES = 32,
  LOAD_KIND = 2, /* places in the record */
  LOAD_SPACE = 12,
  LOAD_FIELD = 28,
  KIND_LDCU = 0x08,
  SPACE_TEXTURE = 0x49, /* RF38: which constants */
  SASS_LDC = 66,        /* R_CUDA_CONST_FIELD21_38 */
  SASS_LDCU = 115,
  DESCRIPTOR = 61, /* R_CUDA_FUNC_DESC32_32 and its halves */
  DESCRIPTOR_LOW = 62,
  DESCRIPTOR_HIGH = 63
};

/* The record of a load from constant memory; NULL: the step is another instruction. */
static const uint8_t *ref_mercury_load(const ref_capsule_step *step) {
  const uint8_t *record = step->data + step->record;
  const bool is_load = step->end - step->record == LOAD_BYTES && record[0] == LOAD_FIRST && record[1] == LOAD_SECOND;
  return is_load ? record : NULL;
}

/* M23: the SASS text of a capsule; 0: none. */
static uint32_t ref_mercury_text_of(const ref_cubin *whole, uint32_t capsule) {
  const ref_section *section = &whole->sections[capsule];
  const bool has_word = section->type == REF_TYPE_CAPSULE_TEXT && section->data != NULL && section->size >= 4;
  return has_word ? ref_u32(section->data) : 0;
}

/* Mercury's sections of entries about the text that a SASS one is about. */
const ref_indices *ref_mercury_tables(ref_link *link, const ref_file *file, uint32_t sass) {
  ref_mercury_text *found = &link->mercury_text;
  const uint32_t target = file->whole.sections[sass].info;
  if (found->table_file == file && found->table == sass) {
    return &found->tables;
  }
  const char *name = ref_memory_join(link, ".nv.merc.rela",
                                     target < file->whole.section_count ? file->whole.sections[target].name : "");
  found->table_file = file;
  found->table = sass;
  found->tables.count = 0;
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    const bool is_own = link->job->bug_compatible || section->info >= file->whole.section_count ||
                        ref_mercury_text_of(&file->whole, section->info) == target;
    if (section->type == REF_TYPE_MERCURY_RELA && strcmp(section->name, name) == 0 && is_own) {
      ref_indices_add(link, &found->tables, i);
    }
  }
  return &found->tables;
}

/* RF220: what the finalizer writes of a kernel's address in code is its descriptor. Beside Mercury's type 3, 5 or 6 stands 61, 62 or 63 then,
 * whatever the input has. */
uint32_t ref_mercury_descriptor_type(ref_link *link, const ref_file *file, uint32_t sass, const ref_relocation *entry) {
  static const struct {
    uint32_t mercury, sass;
  } types[] = {{3, DESCRIPTOR}, {5, DESCRIPTOR_LOW}, {6, DESCRIPTOR_HIGH}};
  const size_t rank = ref_ranks_rank(ref_ranks_of(link, &file->whole, sass), entry->symbol, entry->offset);
  const ref_indices *tables = ref_mercury_tables(link, file, sass);
  for (size_t i = 0; i < tables->count; i++) {
    const uint32_t table = (uint32_t)tables->items[i];
    const ref_ranks *ranks = ref_ranks_of(link, &file->whole, table);
    for (const ref_rank *same = ref_ranks_find(ranks, entry->symbol, rank); same != NULL;
         same = ref_ranks_next(ranks, same)) {
      const ref_relocation other = ref_cubin_relocation(&file->whole, table, same->number);
      for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        if (other.type == REF_MERCURY_FIRST + types[t].mercury) {
          return types[t].sass;
        }
      }
    }
  }
  return entry->type;
}

/* Where the table of textures is; RF318: with -r where it would be. */
static uint64_t ref_mercury_table_base(const ref_link *sass) {
  return sass->relocatable ? ref_bindless_find_base(sass) : ref_bindless_base(sass);
}

static const ref_field *ref_mercury_load_field(const uint8_t *record) {
  return &ref_relocation_row_of(record[LOAD_KIND] == KIND_LDCU ? SASS_LDCU : SASS_LDC)->fields[0];
}

/* RF77, RF1001: a load from the table of textures reads, in bank 0, from the table's place and what its record says. */
void ref_mercury_set_table(ref_capsule *capsule, size_t section, ref_bytes *sass) {
  const ref_bytes *body = &capsule->mercury->sections[section].data;
  ref_capsule_step step;
  const uint64_t base = ref_mercury_table_base(capsule->sass);
  if (base == 0 || !ref_capsule_body_begin(body->data, body->size, &step)) {
    return;
  }
  while (ref_capsule_body_next(&step)) {
    const uint8_t *record = ref_mercury_load(&step);
    if (record != NULL && record[LOAD_SPACE] == SPACE_TEXTURE) {
      ref_field_write(ref_mercury_load_field(record), sass->data, sass->size, step.sass * INSTRUCTION,
                      base + ref_u32(record + LOAD_FIELD));
    }
  }
}

/* RF304: what is added to the place that a load's record has. RF490, D149: by default it is in the table of the body that stands, and where
 * a link with -r made the file, whose records are about the body's own table, the SASS text knows the place. */
static uint64_t ref_mercury_load_base(const ref_laid_place *place, uint64_t record, uint64_t old) {
  const uint64_t before = place->input_base + record;
  if (record >= place->slots) {
    return place->base;
  }
  return place->base + place->own + (old > before && old - place->input_base < place->size ? old - before : 0);
}

/* RF304: loads from a table that ptxas laid out read from where the link puts the table, and the place that their record has. */
void ref_mercury_move_loads(ref_capsule *capsule, size_t section, const ref_laid_place *place, ref_bytes *sass) {
  const ref_bytes *body = &capsule->mercury->sections[section].data;
  ref_capsule_step step;
  if (!ref_capsule_body_begin(body->data, body->size, &step)) {
    return;
  }
  while (ref_capsule_body_next(&step)) {
    const uint8_t *record = ref_mercury_load(&step);
    if (record == NULL || record[LOAD_SPACE] != SPACE_TEXTURE) {
      continue;
    }
    const ref_field *field = ref_mercury_load_field(record);
    const uint64_t at = step.sass * INSTRUCTION, own = ref_u16(record + LOAD_FIELD);
    const uint64_t old = ref_field_read(field, sass->data, sass->size, at);
    ref_field_write(field, sass->data, sass->size, at, ref_mercury_load_base(place, own, old) + own);
  }
}
