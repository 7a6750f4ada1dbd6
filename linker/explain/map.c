/* The link map as text: sections with their pieces in file order, symbols with the file that gave them, applied fields,
 * and the bodies, sections and symbols that did not come along. It only reads what the stages left. */
#include "explain/map.h"

#include "cubin/elf.h"
#include "merge/module.h"

#include <string.h>

typedef struct map_text {
  tl_arena *arena;
  TL_VECTOR(char) text;
} map_text;

static void map_add(map_text *t, const char *piece) {
  const size_t length = strlen(piece);
  for (size_t i = 0; i < length; i++)
    *tl_vector_push(t->arena, &t->text) = piece[i];
}

/* `text` in a column of `width`. */
static void map_column(map_text *t, const char *text, size_t width) {
  map_add(t, text);
  for (size_t i = strlen(text); i < width; i++)
    map_add(t, " ");
  map_add(t, " ");
}

static const char *map_hex(map_text *t, uint64_t value) {
  return tl_arena_format(t->arena, "0x%x", value);
}

/* How a line of a table begins. */
static void map_begin(map_text *t, uint64_t index, uint64_t place, uint64_t size) {
  map_add(t, "  ");
  map_column(t, tl_arena_format(t->arena, "%u", index), 6);
  map_column(t, map_hex(t, place), 10);
  map_column(t, map_hex(t, size), 10);
}

static const char *map_name(const tl_emitted *e, uint32_t name) {
  return tl_module_text(e->module, name);
}

static void map_sections(map_text *t, const tl_plan *plan, const tl_emitted *e) {
  map_add(t, "Output sections\n");
  map_add(t, "  index  offset     size       align  name\n");
  size_t piece = 0;
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t section = e->order[i];
    const tl_section *const s = &e->module->sections.items[section];
    map_begin(t, (uint64_t)i + 1, plan->section_offset[section], tl_plan_section_size(e, section));
    map_column(t, tl_arena_format(t->arena, "%u", e->layout->section_align[section]), 6);
    map_add(t, map_name(e, s->name));
    map_add(t, "\n");
    while (piece < plan->pieces.count && plan->pieces.items[piece].section != section &&
           plan->pieces.items[piece].offset <= plan->section_offset[section])
      piece++;
    for (; piece < plan->pieces.count && plan->pieces.items[piece].section == section; piece++) {
      const tl_plan_piece *const p = &plan->pieces.items[piece];
      if (p->kind != TL_PLAN_COPY)
        continue;
      const tl_cubin *const file = &e->module->files[p->file];
      map_add(t, "         ");
      map_column(t, map_hex(t, p->offset), 10);
      map_column(t, map_hex(t, p->size), 10);
      map_add(t, tl_arena_format(t->arena, "       %s(%s)\n", file->path,
                                 map_name(e, file->sections[p->input_section].name)));
    }
  }
}

static const char *map_symbol_origin(const tl_emitted *e, const tl_symbol *symbol) {
  const tl_module *const module = e->module;
  if (symbol->function != TL_NONE) {
    const tl_function *const f = &module->resolution->functions.items[symbol->function];
    return f->defined ? module->files[f->file].path : "(undefined)";
  }
  if (symbol->section == TL_NONE)
    return "(undefined)";
  return symbol->mention == TL_NONE ? "(linker)" : module->files[symbol->mention].path;
}

/* The section that a symbol lies in. */
static void map_home(map_text *t, const tl_emitted *e, uint32_t symbol) {
  const uint32_t section = e->layout->symbol_section[symbol];
  map_column(t, section == TL_NONE ? "-" : map_name(e, e->module->sections.items[section].name), 32);
}

static void map_symbols(map_text *t, const tl_emitted *e) {
  map_add(t, "\nSymbols\n  index  value      size       section                          name  (from)\n");
  for (size_t i = 0; i < e->symbols.count; i++) {
    const uint32_t index = e->symbols.items[i];
    const tl_symbol *const symbol = &e->module->symbols.items[index];
    if (tl_type_of(symbol) == STT_SECTION)
      continue;
    map_begin(t, (uint64_t)i + 1, e->layout->symbol_value[index], symbol->size);
    map_home(t, e, index);
    map_add(t, tl_arena_format(t->arena, "%s  (%s)\n", map_name(e, symbol->name), map_symbol_origin(e, symbol)));
  }
}

static void map_shared(map_text *t, const tl_emitted *e) {
  bool titled = false;
  for (size_t i = 0; i < e->module->shared_objects.count; i++) {
    const uint32_t index = e->module->shared_objects.items[i];
    const tl_symbol *const symbol = &e->module->symbols.items[index];
    if (symbol->external_shared)
      continue;
    if (!titled)
      map_add(t, "\nShared memory\n  offset     size       align  section                          name\n");
    titled = true;
    map_add(t, "  ");
    map_column(t, map_hex(t, e->layout->symbol_value[index]), 10);
    map_column(t, map_hex(t, symbol->size), 10);
    map_column(t, tl_arena_format(t->arena, "%u", symbol->align), 6);
    map_home(t, e, index);
    map_add(t, map_name(e, symbol->name));
    map_add(t, e->layout->symbol_gone[index] ? "  (nothing refers to it)\n" : "\n");
  }
}

/* Bodies that are not in the output: dead functions, weak definitions that lost or were replaced. */
static void map_dropped(map_text *t, const tl_emitted *e) {
  const tl_module *const module = e->module;
  map_add(t, "\nDropped\n");
  for (uint32_t f = 0; f < module->file_count; f++)
    for (uint32_t s = 0; s < module->files[f].symbol_count; s++) {
      const tl_body *const body = &module->resolution->bodies[f][s];
      if (body->function == TL_NONE || module->files[f].symbols[s].section == SHN_UNDEF)
        continue;
      const tl_function *const function = &module->resolution->functions.items[body->function];
      const char *why = NULL;
      if (!function->live)
        why = "no kernel reaches it (W7.4)";
      else if (body->role == TL_BODY_LOSES)
        why = "another definition of the weak function was taken (W8.1)";
      else if (body->replaced)
        why = "replaced by a later definition (W8.2)";
      if (why)
        map_add(t, tl_arena_format(t->arena, "  %s from %s: %s\n", map_name(e, function->name), module->files[f].path,
                                   why));
    }
}

static void map_files(map_text *t, const tl_module *module) {
  map_add(t, "Input files\n");
  for (uint32_t f = 0; f < module->file_count; f++)
    map_add(t, tl_arena_format(t->arena, "  %s\n", module->files[f].path));
  map_add(t, "\n");
}

const char *tl_map_capsules(const tl_finalized *finalized, const tl_emitted *mercury, tl_arena *arena) {
  map_text t = {.arena = arena};
  map_add(&t, tl_arena_format(arena, "Link map of a capsule link, %u bytes, %u sections, %u symbols\n\n",
                              finalized->plan.size, (uint64_t)finalized->places.count + 1,
                              (uint64_t)mercury->symbols.count + 1));
  map_files(&t, mercury->module);
  map_add(&t, "Output sections\n  index  offset     size       name\n");
  for (size_t i = 0; i < finalized->places.count; i++) {
    map_begin(&t, i + 1, finalized->places.items[i].offset, finalized->places.items[i].size);
    map_add(&t, finalized->places.items[i].name);
    map_add(&t, "\n");
  }
  map_add(&t, "\nKernels whose text nvlink makes anew\n");
  for (size_t i = 0; i < finalized->remade.count; i++) {
    const tl_remade *const one = &finalized->remade.items[i];
    const char *const name = map_name(mercury, mercury->module->symbols.items[one->symbol].name);
    map_add(&t, tl_arena_format(arena, "  %s: %s\n", name, tl_remake_text(one->what)));
  }
  map_symbols(&t, mercury);
  map_dropped(&t, mercury);
  *tl_vector_push(arena, &t.text) = '\0';
  return t.text.items;
}

const char *tl_map_make(const tl_plan *plan, const tl_emitted *emitted, tl_arena *arena) {
  map_text t = {.arena = arena};
  map_add(&t,
          tl_arena_format(arena, "Link map, %u bytes, %u sections, %u symbols, %u fields written, %u entries kept\n\n",
                          plan->size, (uint64_t)emitted->section_count + 1, (uint64_t)emitted->symbols.count + 1,
                          (uint64_t)plan->relocated->patches.count, (uint64_t)plan->relocated->kept.count));
  map_files(&t, emitted->module);
  map_sections(&t, plan, emitted);
  map_symbols(&t, emitted);
  map_shared(&t, emitted);
  map_dropped(&t, emitted);
  *tl_vector_push(arena, &t.text) = '\0';
  return t.text.items;
}
