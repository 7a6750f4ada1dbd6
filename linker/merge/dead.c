/* --trace of dead code. nvlink merges it as it does live code and takes it out behind the merge, so a dead body's definition
 * is replaced, or loses, with the lines that a live one's has. Here it is never created; what the lines need is kept where
 * lines are wanted, and only there. */
#include "base/bytes.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

static bool dead_is_wanted(const tl_module *module) {
  return tl_trace_wants(module->diagnostics, TL_TRACE_MERGE) || tl_trace_wants(module->diagnostics, TL_TRACE_RELOC);
}

bool tl_merge_removes_record(uint8_t code) {
  return code != EIATTR_SAM_REGION_STACK_SIZE && tl_attribute_is_of_body(code);
}

/* Of each of a file's sections the first one whose sh_info names it, and the next one of the same; 0: none. And how many of the
 * file's own records go with each symbol's body. */
typedef struct tl_dead_file {
  uint32_t *first, *next, *removed;
} tl_dead_file;

static void dead_count_records(const tl_dead_file *file, const tl_cubin *cubin, const tl_cubin_section *section) {
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(section, &position, &record)) {
    const bool whole = record.format == TL_RECORD_WHOLE && record.size >= sizeof(uint32_t);
    const uint32_t symbol = whole ? tl_get32(record.data) : UINT32_MAX;
    if (symbol < cubin->symbol_count && tl_merge_removes_record(record.code))
      file->removed[symbol]++;
  }
}

static const tl_dead_file *dead_file(tl_module *module, uint32_t number) {
  const tl_cubin *const cubin = &module->files[number];
  if (!module->dead.files)
    module->dead.files = tl_arena_new(module->arena, tl_dead_file, module->file_count);
  tl_dead_file *const file = &module->dead.files[number];
  if (file->first)
    return file;
  file->first = tl_arena_new(module->arena, uint32_t, cubin->section_count);
  file->next = tl_arena_new(module->arena, uint32_t, cubin->section_count);
  file->removed = tl_arena_new(module->arena, uint32_t, cubin->symbol_count);
  for (uint32_t s = (uint32_t)cubin->section_count; s-- > 1;) {
    const uint32_t info = cubin->sections[s].info;
    if (info >= cubin->section_count)
      continue;
    file->next[s] = file->first[info];
    file->first[info] = s;
    if (!info && cubin->sections[s].type == SHT_CUDA_INFO)
      dead_count_records(file, cubin, &cubin->sections[s]);
  }
  return file;
}

static void dead_begin(tl_module *module) {
  if (module->dead.body_of.arena)
    return;
  tl_map_init(&module->dead.body_of, module->arena);
  tl_map_init(&module->dead.in_target, module->arena);
  tl_map_init(&module->dead.of_function, module->arena);
}

void tl_merge_note_dead_entry(const tl_merging *m, const tl_dead_entry *entry) {
  tl_module *const module = m->module;
  if (!dead_is_wanted(module))
    return;
  dead_begin(module);
  const uint32_t number = (uint32_t)module->dead.entries.count;
  tl_dead_entry *const noted = tl_vector_push(module->arena, &module->dead.entries);
  *noted = *entry;
  noted->next_in_target = tl_map_get(&module->dead.in_target, entry->target);
  noted->next_of_function = tl_map_get(&module->dead.of_function, entry->function);
  tl_map_set(&module->dead.in_target, entry->target, number);
  tl_map_set(&module->dead.of_function, entry->function, number);
}

void tl_merge_trace_dead_entries(tl_module *module, uint32_t text) {
  if (!module->dead.entries.count)
    return;
  for (uint32_t i = tl_map_get(&module->dead.in_target, text); i != TL_NONE;) {
    tl_dead_entry *const entry = &module->dead.entries.items[i];
    if (!entry->told)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_RELOC);
    entry->told = true;
    i = entry->next_in_target;
  }
  tl_map_set(&module->dead.in_target, text, TL_NONE);
}

/* W8.2, as of a live body: an entry of a debug section's relocation section that was made last, of two. */
static bool dead_frame_goes(const tl_module *module, const tl_dead_entry *entry) {
  const tl_section *const debug = &module->sections.items[entry->target];
  const uint32_t rel = debug->relocations[0], rela = debug->relocations[1];
  return tl_merge_has_frames(module, debug->name) && rela != TL_NONE &&
         entry->container == (rel != TL_NONE && rel > rela ? rel : rela);
}

/* Those that stay are looked at by the next body, too, of which each file has one. */
static void dead_remove_frames(tl_module *module, uint32_t function) {
  const uint32_t last = module->dead.entries.count ? tl_map_get(&module->dead.of_function, function) : TL_NONE;
  for (uint32_t i = last; i != TL_NONE; i = module->dead.entries.items[i].next_of_function) {
    tl_dead_entry *const entry = &module->dead.entries.items[i];
    if (entry->told || !dead_frame_goes(module, entry))
      continue;
    tl_trace(module->diagnostics, TL_TRACE_WEAK_DEBUG_RELOC);
    entry->told = true;
  }
}

static bool dead_has_entries(tl_module *module, uint32_t number, uint32_t text) {
  const tl_dead_file *const file = dead_file(module, number);
  const tl_cubin *const cubin = &module->files[number];
  bool any = false;
  for (uint32_t s = text < cubin->section_count ? file->first[text] : 0; s; s = file->next[s])
    any |= tl_section_type_is_relocations(cubin->sections[s].type) && cubin->sections[s].size;
  return any;
}

static void dead_trace_attributes(const tl_module *module, const tl_cubin_section *section) {
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(section, &position, &record))
    tl_trace(module->diagnostics, TL_TRACE_WEAK_INFO);
}

static void dead_trace_replaced(tl_module *module, const tl_dead_body *body) {
  const tl_dead_file *const file = dead_file(module, body->file);
  const tl_cubin *const cubin = &module->files[body->file];
  const uint32_t text = cubin->symbols[body->symbol].section;
  for (uint32_t s = text < cubin->section_count ? file->first[text] : 0; s; s = file->next[s]) {
    const tl_cubin_section *const section = &cubin->sections[s];
    for (uint64_t i = tl_section_type_is_relocations(section->type) ? tl_cubin_relocation_count(section) : 0; i > 0;
         i--)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_RELOC);
    if (section->type == SHT_CUDA_INFO)
      dead_trace_attributes(module, section);
  }
  for (uint32_t i = file->removed[body->symbol]; i > 0; i--)
    tl_trace(module->diagnostics, TL_TRACE_WEAK_FRAME_SIZE);
}

static bool dead_has_bank(tl_module *module, uint32_t number, uint32_t text) {
  const tl_dead_file *const file = dead_file(module, number);
  const tl_cubin *const cubin = &module->files[number];
  bool any = false;
  for (uint32_t s = text < cubin->section_count ? file->first[text] : 0; s; s = file->next[s])
    any |= cubin->sections[s].type == SHT_CUDA_CONSTANT0;
  return any;
}

/* V8: the banks of two weak kernels are compared. */
static void dead_trace_banks(const tl_merging *m, const tl_cubin_symbol *s, const tl_dead_body *body) {
  const tl_cubin *const cubin = &m->module->files[body->file];
  const tl_cubin_symbol *const other = &cubin->symbols[body->symbol];
  if (s->other & STO_ENTRY && tl_symbol_binding(s) == STB_WEAK && tl_symbol_binding(other) == STB_WEAK &&
      dead_has_bank(m->module, m->file, s->section) && dead_has_bank(m->module, body->file, other->section))
    tl_trace(m->module->diagnostics, TL_TRACE_PARAMETER_BANK, tl_merging_text(m, s->name));
}

/* The body of a function that stands so far, NULL for none. */
static tl_dead_body *dead_find_body(tl_module *module, uint32_t function) {
  dead_begin(module);
  const uint32_t known = tl_map_get(&module->dead.body_of, function);
  return known == TL_NONE ? NULL : &module->dead.bodies.items[known];
}

void tl_merge_trace_dead(tl_merging *m, uint32_t symbol) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint32_t function = m->bodies[symbol].function;
  if (s->section == SHN_UNDEF || !dead_is_wanted(module))
    return;
  const bool replaces = m->bodies[symbol].role == TL_BODY_REPLACES;
  tl_dead_body *const body = dead_find_body(module, function);
  if (!body) {
    tl_map_set(&module->dead.body_of, function, (uint32_t)module->dead.bodies.count);
    *tl_vector_push(module->arena, &module->dead.bodies) =
        (tl_dead_body){m->file, symbol, dead_has_entries(module, m->file, s->section)};
    return;
  }
  dead_trace_banks(m, s, body);
  if (!replaces && tl_symbol_binding(s) == STB_WEAK)
    tl_trace(module->diagnostics, TL_TRACE_WEAK_PROCESSED, tl_merging_text(m, s->name));
  if (!replaces)
    return;
  dead_trace_replaced(module, body);
  if (body->relocated)
    dead_remove_frames(module, function);
  *body = (tl_dead_body){m->file, symbol, body->relocated || dead_has_entries(module, m->file, s->section)};
}
