/* Resource limits (H8, K3, K5, B9; the register file's 255 and the 16 barriers of a thread block). */
#include "check_parts.h"

#include <inttypes.h>
#include <string.h>

enum {
  CONSTANT_MAX = 0x10000,
  REGISTERS_MAX = 255,
  BARRIERS_MAX = 16,
  TEXTURES_MAX = 256,
  SAMPLERS_MAX = 32,
  SURFACES_MAX = 32,
  REGCOUNT = 0x2f,
  NUM_BARRIERS = 0x4c
};

/* `a` targets may use what the chip has; .nv.compat says that a file is for one (F56, L60). */
static uint64_t check_shared_max(const ref_check_context *context) {
  enum { BASE = 0xc000, ACCELERATED = 0x38c00, ACCELERATED_120 = 0x18c00, TYPE_COMPAT = 0x70000086, TARGET = 9 };
  for (size_t i = 1; i < context->output->section_count; i++) {
    ref_attribute attribute;
    if (context->output->sections[i].type != TYPE_COMPAT) {
      continue;
    }
    for (uint64_t at = 0; ref_cubin_next_attribute(&context->output->sections[i], &at, &attribute);) {
      if (attribute.code == TARGET && attribute.format == 2 && attribute.data[0] == 1) {
        return context->sm >= 120 ? ACCELERATED_120 : ACCELERATED;
      }
    }
  }
  return BASE;
}

static void check_limit_sections(ref_check_context *context, uint32_t i, uint64_t shared_max) {
  const ref_section *section = &context->output->sections[i];
  const uint64_t reserved = context->executable && context->sm >= 90 ? RESERVED_SHARED : 0;
  if (check_has_prefix(section->name, ".nv.shared.") && !check_has_prefix(section->name, ".nv.shared.reserved") &&
      section->size > shared_max + reserved) {
    check_found(context, i, 0, "0x%" PRIx64 " bytes of shared memory, 0x%" PRIx64 " max", section->size - reserved,
                shared_max);
  }
  if (check_has_prefix(section->name, ".nv.constant") && section->size > CONSTANT_MAX) {
    check_found(context, i, 0, "0x%" PRIx64 " bytes of constants, 0x%x max", section->size, CONSTANT_MAX);
  }
}

static void check_limit_records(ref_check_context *context, uint32_t i) {
  ref_attribute attribute;
  for (uint64_t at = 0; ref_cubin_next_attribute(&context->output->sections[i], &at, &attribute);) {
    if (attribute.code == REGCOUNT && attribute.format == 4 && attribute.size == 8 &&
        ref_u32(attribute.data + 4) > REGISTERS_MAX) {
      check_found(context, i, attribute.offset, "%u registers, %d max", ref_u32(attribute.data + 4), REGISTERS_MAX);
    }
    if (attribute.code == NUM_BARRIERS && attribute.format == 2 && attribute.data[0] > BARRIERS_MAX) {
      check_found(context, i, attribute.offset, "%u barriers, %d max", attribute.data[0], BARRIERS_MAX);
    }
  }
}

static void check_limit_tables(ref_check_context *context, uint32_t i) {
  static const struct {
    uint32_t type, other;
    size_t max;
    const char *what;
  } kinds[] = {
      {6, 6, TEXTURES_MAX, "textures"}, {7, 101, SAMPLERS_MAX, "samplers"}, {52, 52, SURFACES_MAX, "surfaces"}};
  const check_entries *kept = check_entries_of(&context->kept, i);
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    size_t count = 0;
    for (size_t k = 0; k < kept->count; k++) {
      const uint32_t type = kept->items[k].relocation.type;
      count += type == kinds[kind].type || type == kinds[kind].other;
    }
    if (count > kinds[kind].max) {
      check_found(context, i, 0, "%zu %s in one kernel, %zu max", count, kinds[kind].what, kinds[kind].max);
    }
  }
}

void check_limits(ref_check_context *context) {
  const uint64_t shared_max = check_shared_max(context);
  for (uint32_t i = 1; i < context->output->section_count; i++) {
    check_limit_sections(context, i, shared_max);
    if (context->output->sections[i].type == TYPE_INFO) {
      check_limit_records(context, i);
    }
    if (check_has_prefix(context->output->sections[i].name, ".nv.constant0.")) {
      check_limit_tables(context, i);
    }
  }
}
