/* The plan of a capsule link's output: header, sections with their holes (M13) and shared bytes (M10), section headers and
 * program headers (M14). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/elf.h"

#include <string.h>

typedef struct output {
  finalizer *f;
  tl_plan *plan;
  uint64_t limit;
} output;

static void output_add(output *o, const uint8_t *bytes, uint64_t size) {
  if (!size)
    return;
  const tl_site site = {NULL, NULL, NULL, TL_NO_OFFSET};
  if (size > o->limit - o->plan->size) /* what is there is within the limit */
    tl_diagnostics_add(o->f->mercury->module->diagnostics, tl_message_row_of(TL_MESSAGE_LIMIT), site, NULL,
                       o->plan->size + size, o->limit);
  *tl_vector_push(o->f->arena, &o->plan->pieces) = (tl_plan_piece){.offset = o->plan->size,
                                                                   .size = size,
                                                                   .kind = bytes ? TL_PLAN_TABLE : TL_PLAN_ZERO,
                                                                   .bytes = bytes,
                                                                   .section = TL_NONE,
                                                                   .file = TL_NONE};
  o->plan->size += size;
}

static void output_add_sections(output *o) {
  for (size_t i = 1; i < o->f->sections.count; i++) {
    final_section *const section = &o->f->sections.items[i];
    if (section->shares) {
      section->offset = o->f->sections.items[section->shares].offset;
      continue;
    }
    section->offset = tl_align(o->plan->size, section->align);
    output_add(o, NULL, section->offset - o->plan->size);
    if (section->empty)
      continue;
    output_add(o, section->bytes, section->size);
    output_add(o, NULL, section->hole);
  }
  output_add(o, NULL, tl_align(o->plan->size, 8) - o->plan->size);
  for (size_t i = 1; i < o->f->sections.count; i++) {
    const final_section *const section = &o->f->sections.items[i];
    *tl_vector_push(o->f->arena, &o->f->result->places) =
        (tl_final_place){(const char *)o->f->names + section->name, section->offset, section->size};
  }
}

static void output_add_headers(output *o) {
  const uint64_t size = o->f->sections.count * ELF_SECTION_SIZE;
  uint8_t *const table = final_new(o->f, size);
  for (size_t i = 1; i < o->f->sections.count; i++) {
    const final_section *const section = &o->f->sections.items[i];
    uint8_t *const at = table + i * ELF_SECTION_SIZE;
    tl_put32(at, section->name);
    tl_put32(at + 4, section->type);
    tl_put64(at + 8, section->flags);
    tl_put64(at + 24, section->offset);
    tl_put64(at + 32, section->size);
    tl_put32(at + 40, section->link);
    tl_put32(at + 44, section->info);
    tl_put64(at + 48, section->align);
    tl_put64(at + 56, section->entry_size);
  }
  output_add(o, table, size);
}

/* --- program headers --- */

enum { PT_LOAD = 1, PT_PHDR = 6, PF_READ = 4, PF_WRITE = 2, PF_EXECUTE = 1, OUTPUT_MOST_SEGMENTS = 7 };

/* GROUP_WRITTEN: debug data that may be written (L1564). */
typedef enum output_group {
  GROUP_NONE,
  GROUP_CONSTANTS,
  GROUP_TEXT,
  GROUP_WRITTEN,
  GROUP_DATA,
  GROUP_BANKS
} output_group;

static output_group output_group_of(const output *o, size_t index) {
  const final_section *const section = &o->f->sections.items[index];
  const uint32_t first = o->f->first_constant;
  if (section->flags & SHF_CUDA_MERCURY)
    return GROUP_NONE;
  if (!(section->flags & SHF_ALLOC))
    return section->flags & SHF_WRITE && section->type == SHT_PROGBITS ? GROUP_WRITTEN : GROUP_NONE;
  if (index >= first) /* what comes behind the banks is Mercury's */
    return GROUP_BANKS;
  if (section->flags & SHF_EXECINSTR)
    return GROUP_TEXT;
  return section->flags & SHF_WRITE ? GROUP_DATA : GROUP_CONSTANTS;
}

/* A segment over one group; nothing when it is empty. */
static uint8_t *output_load(const output *o, uint8_t *at, output_group group, uint32_t flags) {
  uint64_t start = 0, end = 0, memory = 0;
  bool found = false;
  for (size_t i = 1; i < o->f->sections.count; i++) {
    if (output_group_of(o, i) != group)
      continue;
    const final_section *const section = &o->f->sections.items[i];
    const uint64_t last = section->offset + (section->empty ? 0 : section->size);
    start = found ? start : section->offset;
    found = true;
    end = tl_larger(last, end);
    if (section->empty)
      memory = tl_align(memory, section->align) + section->size;
  }
  return found ? tl_plan_put_segment(at, PT_LOAD, flags, start, end - start, end - start + memory) : at;
}

static uint16_t output_add_segments(output *o) {
  uint8_t *const table = final_new(o->f, OUTPUT_MOST_SEGMENTS * ELF_SEGMENT_SIZE);
  uint8_t *at = table + 2 * (uint64_t)ELF_SEGMENT_SIZE;
  at = output_load(o, at, GROUP_CONSTANTS, PF_READ);
  at = output_load(o, at, GROUP_TEXT, PF_READ | PF_EXECUTE);
  at = output_load(o, at, GROUP_WRITTEN, PF_WRITE);
  at = output_load(o, at, GROUP_DATA, PF_READ | PF_WRITE);
  at = output_load(o, at, GROUP_BANKS, PF_READ);
  const uint64_t size = (uint64_t)(at - table);
  tl_plan_put_segment(table, PT_PHDR, PF_READ, o->plan->size, size, size);
  tl_plan_put_segment(table + ELF_SEGMENT_SIZE, PT_LOAD, PF_READ, o->plan->size, size, size);
  output_add(o, table, size);
  return (uint16_t)(size / ELF_SEGMENT_SIZE);
}

void final_plan(finalizer *f, uint64_t limit) {
  enum { FLAG_CAPSULE = 2 };
  output o = {f, &f->result->plan, limit};
  const tl_emitted *const e = f->mercury->emitted;
  static const tl_relocated nothing = {0};
  *o.plan = (tl_plan){.relocated = &nothing};
  uint8_t *const header = final_new(f, ELF_HEADER_SIZE);
  memcpy(header, f->mercury->image, ELF_HEADER_SIZE);
  output_add(&o, header, ELF_HEADER_SIZE);
  output_add_sections(&o);
  const uint64_t sections = o.plan->size;
  output_add_headers(&o);
  const uint64_t segments = o.plan->size;
  const bool loaded = e->module->mode->plain_types; /* W1.7 */
  const uint16_t count = loaded ? output_add_segments(&o) : 0;
  tl_put64(header + 32, count ? segments : 0);
  tl_put16(header + 54, count ? ELF_SEGMENT_SIZE : 0); /* M14 */
  tl_put64(header + 40, sections);
  tl_put32(header + 48, FLAG_CAPSULE | e->module->arch << 8 | final_plain_index(f, e->module->cuda_note) << 24);
  tl_put16(header + 56, count);
  tl_put16(header + 60, (uint16_t)f->sections.count);
}
