/* Values in capsules (M22). An entry of Mercury text stands at an offset in decoded instructions; how long a derived one is
 * when decoded does not show. Its SASS entry does say whether the instruction is a constant load, the only kind that keeps
 * the value in a record of its own, at byte 28. Such a record says which constants it loads. It is the one whose SASS
 * instruction the entry stands at (L127, L142); where that does not show, the n-th entry against constants of one kind
 * belongs to the n-th record of that kind (L103). */
#include "finalize/finalize.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"

#include <string.h>

enum { RECORD_VALUE = 28, WORD = 4, LOAD_RECORD = 32, SASS_INSTRUCTION = 16 };

/* What a load's record says that it loads from. */
typedef enum load_kind {
  LOAD_NONE,
  LOAD_COMPILER = 1, /* compiler constants */
  LOAD_USER = 2,     /* constants of the program */
  LOAD_PIC = 7,      /* their addresses, in code made with -pic */
  LOAD_TABLE = 9,    /* the bindless table */
  LOAD_KINDS = 10
} load_kind;

typedef struct placing {
  const tl_module *module, *sass;
  tl_arena *arena;
  uint32_t file, section; /* of the Mercury relocation section that `places` is about; TL_NONE */
  uint64_t *places;       /* by entry: offset in the capsule, TL_NO_OFFSET */
} placing;

/* The kind of a record; loads of parameters have none. */
static load_kind capsules_record_kind(const uint8_t *record, uint64_t size) {
  if (size != LOAD_RECORD || record[1] != 0x22 || record[3] != 6 || record[12] >> 6 != 1)
    return LOAD_NONE;
  const unsigned kind = record[12] & 0x3f;
  if (kind == LOAD_COMPILER)
    return LOAD_COMPILER; /* these are loaded by index too */
  const bool known = kind == LOAD_USER || kind == LOAD_PIC || kind == LOAD_TABLE;
  return known && (record[14] & 0x3f) == 2 ? (load_kind)kind : LOAD_NONE;
}

static load_kind capsules_symbol_kind(const tl_cubin *mercury, uint32_t index) {
  const tl_cubin_symbol *const symbol = &mercury->symbols[index];
  const unsigned type = tl_symbol_type(symbol);
  switch (tl_cubin_section_at(mercury, symbol->section)->type) {
  case SHT_CUDA_CONSTANT0 + 2:
    return LOAD_COMPILER;
  case SHT_CUDA_CONSTANT0 + 3:
    return LOAD_USER;
  case SHT_CUDA_CONSTANT0 + 4:
    return LOAD_PIC;
  default:
    break;
  }
  if ((symbol->other & STO_SPACE_MASK) == STO_CONSTANT)
    return LOAD_USER;
  return tl_type_is_texture(type) ? LOAD_TABLE : LOAD_NONE;
}

/* The records of one capsule that load constants, as one list in their order. */
typedef struct load_record {
  uint64_t offset;
  uint64_t sass, sass_end; /* of the SASS instructions made of it; TL_NO_OFFSET behind what the mask is about (L123) */
  load_kind kind;
  bool taken;
} load_record;

typedef struct load_list {
  load_record *items;
  size_t count;
  size_t next[LOAD_KINDS]; /* by kind: where to look for the next one */
} load_list;

static void capsules_add_load(load_list *list, const tl_capsule *capsule, const tl_capsule_record *record,
                              uint64_t sass, uint64_t count) {
  const load_kind kind = capsules_record_kind(capsule->bytes + record->offset, record->size);
  if (kind != LOAD_NONE)
    list->items[list->count++] = (load_record){record->offset, sass, sass + count * SASS_INSTRUCTION, kind, false};
}

static load_list capsules_find_loads(const placing *p, const tl_cubin_section *section) {
  load_list list = {.count = 0};
  const tl_capsule capsule = tl_capsule_of(section);
  list.items = tl_arena_new(p->arena, load_record, section->size / LOAD_RECORD);
  uint64_t sass = 0;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  for (; tl_capsule_next_item(&capsule, &cursor, &item); sass += (uint64_t)item.count * SASS_INSTRUCTION)
    capsules_add_load(&list, &capsule, &cursor.record, sass, item.count);
  tl_capsule_record record;
  while (tl_capsule_next(&capsule, &cursor.offset, &record))
    capsules_add_load(&list, &capsule, &record, TL_NO_OFFSET, 0);
  return list;
}

/* The record of the instruction at a place of the SASS text, if it loads constants; NULL. */
static load_record *capsules_any_load_at(const load_list *list, uint64_t sass) {
  size_t low = 0, high = list->count; /* the last one that begins at the place or before it */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list->items[middle].sass <= sass)
      low = middle + 1;
    else
      high = middle;
  }
  load_record *const record = low ? &list->items[low - 1] : NULL;
  return record && sass < record->sass_end ? record : NULL;
}

static load_record *capsules_load_at(const load_list *list, load_kind kind, uint64_t sass) {
  load_record *const record = capsules_any_load_at(list, sass);
  return record && record->kind == kind && !record->taken ? record : NULL;
}

/* What is about no constants is written where it stands, too, but takes no record from what is (L1212). */
static uint64_t capsules_take_load(load_list *list, load_kind kind, uint64_t sass) {
  const load_record *const other = kind == LOAD_NONE ? capsules_any_load_at(list, sass) : NULL;
  if (kind == LOAD_NONE)
    return other ? other->offset : TL_NO_OFFSET;
  load_record *found = capsules_load_at(list, kind, sass);
  while (!found && list->next[kind] < list->count) {
    load_record *const record = &list->items[list->next[kind]++];
    if (record->kind == kind && !record->taken)
      found = record;
  }
  if (!found)
    return TL_NO_OFFSET;
  found->taken = true;
  return found->offset;
}

typedef struct placed_entry {
  tl_cubin_relocation entry;
  uint64_t index;
} placed_entry;

/* By instruction, as those of both sides stand in one order, and at one in several words on Mercury's alone (L1306). */
static int capsules_compare(const void *a, const void *b) {
  const placed_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->entry.offset / SASS_INSTRUCTION, y->entry.offset / SASS_INSTRUCTION},
                               {x->index, y->index}};
  return tl_compare_pairs(pairs, 2);
}

/* Entries at constant loads; the others against constants stand at moves, which are derived. */
static bool capsules_is_load(uint32_t type) {
  return type == 66 || type == 115;
}

/* Numbers of Mercury's that write a word or a byte of it, or end with it (L1306), also once R11 has changed them. */
static bool capsules_writes(uint32_t type) {
  static const uint8_t ranges[][2] = {{0x02, 0x04}, {0x10, 0x17}, {0x33, 0x3b}};
  bool among = false;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    among |= type >= TL_R_MERCURY + ranges[i][0] && type <= TL_R_MERCURY + ranges[i][1];
  return among;
}

/* The SASS side has Mercury's numbers, too (L1200). */
static bool capsules_counts(uint32_t type, bool mercury) {
  static const uint8_t others[] = {55, 59, 75, 114};
  const bool sass = capsules_is_load(type) || (type <= UINT8_MAX && memchr(others, (int)type, sizeof others));
  return capsules_writes(type) || (!mercury && sass);
}

static placed_entry *capsules_sorted(const placing *p, const tl_cubin_section *section, bool mercury, size_t *count) {
  const uint64_t all = tl_cubin_relocation_count(section);
  placed_entry *const list = tl_arena_new(p->arena, placed_entry, all);
  *count = 0;
  for (uint64_t i = 0; i < all; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
    if (capsules_counts(entry.type, mercury))
      list[(*count)++] = (placed_entry){entry, i};
  }
  tl_vector_sort_items(list, *count, sizeof *list, capsules_compare);
  return list;
}

static const tl_cubin_section *capsules_sass_entries(const tl_cubin *cubin, uint32_t text) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (tl_cubin_is_rela_of(&cubin->sections[i], text))
      return &cubin->sections[i];
  return NULL;
}

/* Fills p->places for one relocation section of one file. */
static void capsules_prepare(placing *p, uint32_t file, uint32_t section) {
  const tl_cubin *const cubin = &p->module->files[file], *const other = &p->sass->files[file];
  const tl_cubin_section *const entries = &cubin->sections[section];
  const uint64_t all = tl_cubin_relocation_count(entries);
  p->file = file;
  p->section = section;
  p->places = tl_arena_new(p->arena, uint64_t, all);
  for (uint64_t i = 0; i < all; i++)
    p->places[i] = TL_NO_OFFSET;
  const uint32_t text = cubin->sass_text[entries->info];
  const tl_cubin_section *const sass = capsules_sass_entries(other, text);
  if (!text || !sass)
    return;
  load_list loads = capsules_find_loads(p, &cubin->sections[entries->info]);
  size_t mercury_count, sass_count, at = 0;
  const placed_entry *const from = capsules_sorted(p, entries, true, &mercury_count);
  const placed_entry *const to = capsules_sorted(p, sass, false, &sass_count);
  for (size_t i = 0; i < mercury_count && at < sass_count; i++) {
    const tl_cubin_relocation *const a = &from[i].entry, *const b = &to[at].entry;
    if (a->symbol != b->symbol || a->addend != b->addend)
      continue; /* .nv.reservedSmem.cap has no SASS entry (M17) */
    at++;
    const bool own = capsules_is_load(b->type); /* the number of loads; of others what stands there shows it (L1212) */
    const load_kind kind = own ? capsules_symbol_kind(cubin, a->symbol) : LOAD_NONE;
    if (own || capsules_writes(b->type))
      p->places[from[i].index] = capsules_take_load(&loads, kind, b->offset);
  }
}

void tl_finalize_check_code(const tl_relocated *mercury, const tl_module *module) {
  enum { INSTRUCTION = 16 };
  const char *const output = module->options->output_name ? module->options->output_name : "";
  for (size_t i = 0; i < mercury->patches.count; i++) {
    const tl_patch *const patch = &mercury->patches.items[i];
    const tl_section *const section = &module->sections.items[patch->section];
    const tl_site site = {NULL, tl_module_text(module, section->name), NULL, patch->offset};
    if (patch->row->kind == TL_RELOC_UNUSED_CLEAR && section->flags & SHF_EXECINSTR &&
        patch->offset % INSTRUCTION + tl_relocation_row_bytes(patch->row) > INSTRUCTION)
      tl_diagnostics_end(module->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER), site, NULL, output);
  }
}

void tl_finalize_capsules(tl_relocated *mercury, const tl_module *module, const tl_module *sass, tl_arena *arena) {
  placing p = {.module = module, .sass = sass, .arena = arena, .file = TL_NONE};
  size_t kept = 0;
  for (size_t i = 0; i < mercury->patches.count; i++) {
    tl_patch patch = mercury->patches.items[i];
    if (module->sections.items[patch.section].flags & SHF_EXECINSTR) {
      const tl_relocation *const entry = &module->relocations.items[patch.entry];
      if (!p.places || p.file != entry->file || p.section != entry->section)
        capsules_prepare(&p, entry->file, entry->section);
      if (p.places[entry->index] == TL_NO_OFFSET)
        continue;
      const uint64_t bytes = tl_larger(WORD, tl_relocation_row_bytes(patch.row)); /* they end with the value */
      patch.offset = p.places[entry->index] + RECORD_VALUE + WORD - bytes;
    }
    mercury->patches.items[kept++] = patch;
  }
  mercury->patches.count = kept;
}
