/* File offsets, headers and the sorted pieces (W1.1-W1.3, W1.6-W1.8, F10). */
#include "plan/plan.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/elf.h"

static const uint8_t plan_ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};

typedef struct planner {
  tl_plan *plan;
  const tl_emitted *e;
  tl_arena *arena;
} planner;

static void plan_add(planner *p, tl_plan_kind kind, const uint8_t *bytes, uint64_t size, uint32_t section,
                     const tl_piece *copied) {
  if (!size)
    return;
  *tl_vector_push(p->arena, &p->plan->pieces) = (tl_plan_piece){.offset = p->plan->size,
                                                                .size = size,
                                                                .kind = kind,
                                                                .bytes = bytes,
                                                                .section = section,
                                                                .file = copied ? copied->file : TL_NONE,
                                                                .input_section = copied ? copied->section : 0};
  p->plan->size += size;
}

static void plan_zeros_until(planner *p, uint64_t offset, uint32_t section) {
  plan_add(p, TL_PLAN_ZERO, NULL, offset - p->plan->size, section, NULL);
}

uint64_t tl_plan_section_size(const tl_emitted *e, uint32_t section) {
  return e->tables[section].bytes ? e->tables[section].size : e->layout->section_size[section];
}

/* The section's bytes: a table, or its pieces with zeros between and behind them. */
static void plan_add_content(planner *p, uint32_t section, uint64_t offset) {
  const tl_section *const s = &p->e->module->sections.items[section];
  const tl_table *const table = &p->e->tables[section];
  if (table->bytes) {
    plan_add(p, TL_PLAN_TABLE, table->bytes, table->size, section, NULL);
    return;
  }
  const tl_placement *const placement = tl_layout_placement(p->e->layout, section);
  const tl_pieces *const pieces = placement ? &placement->pieces : &s->pieces;
  for (size_t i = 0; i < pieces->count; i++) {
    const tl_piece *const piece = &pieces->items[i];
    plan_zeros_until(p, offset + piece->offset, section);
    plan_add(p, TL_PLAN_COPY, piece->data, piece->size, section, piece);
  }
  plan_zeros_until(p, offset + p->e->layout->section_size[section], section);
}

static void plan_check_limit(const planner *p, uint64_t size, uint64_t limit) {
  const tl_site site = {NULL, NULL, NULL, TL_NO_OFFSET};
  if (size > limit)
    tl_diagnostics_add(p->e->module->diagnostics, tl_message_row_of(TL_MESSAGE_LIMIT), site, NULL, size, limit);
}

static void plan_add_sections(planner *p, uint64_t limit) {
  const tl_emitted *const e = p->e;
  uint64_t end = ELF_HEADER_SIZE;
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t section = e->order[i];
    const uint32_t type = e->module->sections.items[section].type;
    const uint64_t offset = tl_align(end, e->layout->section_align[section]);
    p->plan->section_offset[section] = offset;
    plan_check_limit(p, offset, limit);
    end = offset;
    if (tl_section_type_is_empty(type))
      continue;
    end += tl_plan_section_size(e, section);
    plan_check_limit(p, end, limit);
    plan_zeros_until(p, offset, TL_NONE);
    plan_add_content(p, section, offset);
  }
  plan_zeros_until(p, tl_align(end, 8), TL_NONE);
}

/* --- section headers (W1.6) --- */

uint32_t tl_plan_section_link(const tl_emitted *e, uint32_t section) {
  const tl_section *const s = &e->module->sections.items[section];
  if (section == e->module->symtab)
    return e->section_index[e->module->strtab];
  if (section == e->module->cuda_note)
    return e->section_index[e->module->tool_note];
  if (section == e->module->symtab_shndx)
    return e->section_index[e->module->symtab];
  if (section == e->module->jump_entries) /* U10 */
    return 0;
  const bool unified =
      e->module->capsule && (s->type == SHT_CUDA_UFT_ENTRY || s->type == SHT_CUDA_UDT_ENTRY); /* W12.7 */
  const bool symbols =
      unified || tl_emit_is_relocations(s->type) || s->type == SHT_CUDA_INFO || s->type == SHT_CUDA_CALLGRAPH ||
      s->type == SHT_CUDA_PROTOTYPE ||
      (s->flags & SHF_EXECINSTR && !tl_emit_is_data(s->type) && !tl_emit_is_ownerless_code(s) && /* L1173 */
       !tl_section_type_is_empty(s->type));                                                      /* L1251 */
  return symbols ? e->section_index[e->module->symtab] : s->link;
}

/* The section that .note.nv.cuinfo names: below sm_90, where the output makes none, one that an input calls so (L1461). */
static uint32_t plan_compat_section(const tl_emitted *e) {
  const tl_module *const module = e->module;
  const uint32_t section =
      module->compat_section == TL_NONE ? tl_module_section_named(module, ".nv.compat") : module->compat_section;
  return section == TL_NONE ? 0 : e->section_index[section];
}

uint32_t tl_plan_section_info(const tl_emitted *e, uint32_t section) {
  const tl_section *const s = &e->module->sections.items[section];
  if (section == e->module->symtab)
    return e->first_global;
  if (section == e->module->cuda_note)
    return plan_compat_section(e);
  if (s->owner != TL_NONE)
    return e->symbol_index[s->owner] | (uint32_t)s->registers << 24;
  const uint32_t named = s->about == TL_NONE || s->leads != TL_NONE ? s->leads : s->about; /* both: L1685 */
  return named == TL_NONE ? 0 : e->section_index[named];
}

/* e_shnum; 0 when the number does not fit and stands in the null section's header (X1, L401). */
static uint16_t plan_section_number(const tl_emitted *e) {
  return e->section_count + 1 > SHN_LORESERVE ? 0 : (uint16_t)(e->section_count + 1);
}

/* D102: what nvlink makes of the null section where it finds no section for the records of applied entries. */
static void plan_put_unrecorded(uint8_t *null_section, uint64_t entries) {
  tl_put64(null_section + 32, entries * ELF_RELA_SIZE);
  tl_put64(null_section + 48, 8);
}

/* L1413: those that no record of the output says. */
static uint32_t plan_barriers(const tl_emitted *e, uint32_t section) {
  const bool *const kept = e->resources->kept_barriers;
  const bool stays = !e->module->mode->final || (kept && kept[section]);
  return stays ? e->module->sections.items[section].barriers : 0;
}

static uint64_t plan_section_flags(const tl_emitted *e, uint32_t section) {
  const bool names = section == e->module->cuda_note && plan_compat_section(e);
  return e->module->sections.items[section].flags | (names ? SHF_INFO_LINK : 0) |
         (uint64_t)plan_barriers(e, section) << SHF_CUDA_BARRIERS;
}

static void plan_add_section_headers(planner *p) {
  const tl_emitted *const e = p->e;
  const uint64_t size = ((uint64_t)e->section_count + 1) * ELF_SECTION_SIZE;
  uint8_t *const table = tl_arena_new(p->arena, uint8_t, size);
  if (!plan_section_number(e)) /* X1 */
    tl_put64(table + 32, (uint64_t)e->section_count + 1);
  if (e->relocated->unrecorded.count) /* L831 */
    plan_put_unrecorded(table, e->relocated->unrecorded.count);
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t section = e->order[i];
    const tl_section *const s = &e->module->sections.items[section];
    uint8_t *const at = table + ((uint64_t)i + 1) * ELF_SECTION_SIZE;
    tl_put32(at, e->section_name[s->name]);
    tl_put32(at + 4, tl_emit_section_type(e->module, s->type));
    tl_put64(at + 8, plan_section_flags(e, section));
    tl_put64(at + 24, p->plan->section_offset[section]);
    tl_put64(at + 32, tl_plan_section_size(e, section));
    tl_put32(at + 40, tl_plan_section_link(e, section));
    tl_put32(at + 44, tl_plan_section_info(e, section));
    tl_put64(at + 48, e->layout->section_align[section]);
    tl_put64(at + 56, s->entry_size);
  }
  plan_add(p, TL_PLAN_TABLE, table, size, TL_NONE, NULL);
}

/* --- program headers (W1.7, W1.8) --- */

uint8_t *tl_plan_put_segment(uint8_t *at, uint32_t type, uint32_t flags, uint64_t offset, uint64_t file_size,
                             uint64_t memory_size) {
  tl_put32(at, type);
  tl_put32(at + 4, flags);
  tl_put64(at + 8, offset);
  tl_put64(at + 32, file_size);
  tl_put64(at + 40, memory_size);
  tl_put64(at + 48, 8);
  return at + ELF_SEGMENT_SIZE;
}

/* A segment over the sections of some classes, which stand one behind the other; nothing when there are none. */
static uint8_t *plan_load_segment(const planner *p, uint8_t *at, unsigned first, unsigned last, uint32_t flags) {
  const tl_emitted *const e = p->e;
  uint64_t start = 0, end = 0, empty = 0;
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t section = e->order[i];
    const unsigned class = tl_emit_section_class(&e->module->sections.items[section]);
    const bool placed = class != TL_CLASS_CODE_DATA || e->module->sections.items[section].flags & SHF_ALLOC;
    if (class < first || class > last || !placed)
      continue;
    const uint64_t offset = p->plan->section_offset[section], size = tl_plan_section_size(e, section);
    const bool nobits = class == TL_CLASS_EMPTY;
    start = start ? start : offset; /* no section stands where the header does */
    if (nobits)
      empty = tl_align(empty, e->layout->section_align[section]) + size;
    end = offset + (nobits ? 0 : size);
  }
  return start ? tl_plan_put_segment(at, 1, flags, start, end - start, end - start + empty) : at;
}

static uint16_t plan_add_segments(planner *p) {
  enum { PT_PHDR = 6, PT_LOAD = 1, READ_EXECUTE = 5, READ_WRITE = 6 };
  uint8_t *const table = tl_arena_new(p->arena, uint8_t, 4 * ELF_SEGMENT_SIZE);
  uint8_t *at = table + ELF_SEGMENT_SIZE;
  at = plan_load_segment(p, at, TL_CLASS_READ_ONLY, TL_CLASS_CODE_DATA, READ_EXECUTE);
  at = plan_load_segment(p, at, TL_CLASS_DATA, TL_CLASS_EMPTY, READ_WRITE);
  const uint64_t size = (uint64_t)(at - table) + ELF_SEGMENT_SIZE;
  tl_plan_put_segment(at, PT_LOAD, READ_EXECUTE, p->plan->size, size, size);
  tl_plan_put_segment(table, PT_PHDR, READ_EXECUTE, p->plan->size, size, size);
  plan_add(p, TL_PLAN_TABLE, table, size, TL_NONE, NULL);
  return (uint16_t)(size / ELF_SEGMENT_SIZE);
}

/* --- the ELF header (W1.1, W1.2) --- */

static void plan_fill_header(const planner *p, uint8_t *header, uint64_t sections, uint64_t segments, uint16_t count) {
  const tl_emitted *const e = p->e;
  const uint32_t low = 4; /* whatever the inputs say (R60, L180) */
  const uint32_t note = e->section_index[e->module->cuda_note];
  memcpy(header, plan_ident, sizeof plan_ident);
  tl_put16(header + 16, e->module->mode->file_type);
  tl_put16(header + 18, EM_CUDA);
  tl_put32(header + 20, 1);
  tl_put64(header + 32, segments);
  tl_put64(header + 40, sections);
  tl_put32(header + 48, low | e->module->arch << 8 | (uint32_t)tl_smaller(note, 0xff) << 24); /* L404 */
  tl_put16(header + 52, ELF_HEADER_SIZE);
  tl_put16(header + 54, ELF_SEGMENT_SIZE);
  tl_put16(header + 56, count);
  tl_put16(header + 58, ELF_SECTION_SIZE);
  tl_put16(header + 60, plan_section_number(e));
  tl_put16(header + 62, 1);
}

void tl_plan_make(tl_plan *plan, const tl_emitted *emitted, tl_arena *arena, uint64_t limit) {
  *plan = (tl_plan){.relocated = emitted->relocated};
  plan->section_offset = tl_arena_new(arena, uint64_t, emitted->module->sections.count);
  planner p = {plan, emitted, arena};
  uint8_t *const header = tl_arena_new(arena, uint8_t, ELF_HEADER_SIZE);
  plan_add(&p, TL_PLAN_TABLE, header, ELF_HEADER_SIZE, TL_NONE, NULL);
  plan_add_sections(&p, limit);
  const uint64_t sections = plan->size;
  plan_add_section_headers(&p);
  const bool loaded = emitted->module->mode->plain_types; /* W1.7 */
  const uint64_t segments = loaded ? plan->size : 0;
  const uint16_t count = loaded ? plan_add_segments(&p) : 0;
  plan_check_limit(&p, plan->size, limit);
  plan_fill_header(&p, header, sections, segments, count);
}
