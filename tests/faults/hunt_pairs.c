/* Changes that both views of a capsule get alike. Most of what is changed on one side alone is refused, since the two no
 * longer describe one program; how they are joined is seen where they still do. A field of both headers, the name of a debug
 * section, a symbol, an entry, an attribute's word, an instruction, or a byte at the same place of both contents. */
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MOST = 512, SECTION_HEADER = 64, SYMBOL_SIZE = 24, ENTRY_SIZE = 24 };

typedef struct pair {
  uint32_t sass, mercury; /* sections */
} pair;

typedef struct pair_list {
  pair items[PAIRS_MOST];
  uint32_t count;
} pair_list;

typedef struct pair_file {
  const ref_cubin *cubin; /* as it was */
  gen_random *random;
  harness_bytes bytes; /* as it becomes */
} pair_file;

static void pairs_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static const char *pairs_plain_name(const char *name) {
  static const char *const prefixes[] = {".nv.merc.", ".nv.capmerc."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return name + strlen(prefixes[i]) - 1;
  return NULL;
}

/* The sections of Mercury's that have one of the same name on the SASS side. */
static void pairs_find(const ref_cubin *cubin, pair_list *list) {
  list->count = 0;
  for (uint32_t i = 1; i < cubin->section_count && list->count < PAIRS_MOST; i++) {
    const char *const plain = pairs_plain_name(cubin->sections[i].name);
    const uint32_t sass = plain ? ref_cubin_find_section(cubin, plain) : 0;
    if (sass)
      list->items[list->count++] = (pair){sass, i};
  }
}

/* One of them whose name begins so; NULL. */
static const pair *pairs_choose(const pair_file *file, const pair_list *list, const char *prefix) {
  const pair *chosen = NULL;
  uint32_t fitting = 0;
  for (uint32_t i = 0; i < list->count; i++)
    if (strncmp(file->cubin->sections[list->items[i].sass].name, prefix, strlen(prefix)) == 0 &&
        gen_random_below(file->random, ++fitting) == 0)
      chosen = &list->items[i];
  return chosen;
}

static uint64_t pairs_header(const pair_file *file, uint32_t section) {
  return file->cubin->section_offset + (uint64_t)SECTION_HEADER * section;
}

static void pairs_name(pair_file *file, uint32_t section, const char *prefix, const char *name) {
  char whole[HARNESS_PATH];
  harness_path(whole, "%s%s", prefix, name);
  const uint32_t offset = hunt_words_append(&file->bytes, file->cubin, file->cubin->section_name_index, whole);
  pairs_put(file->bytes.data + pairs_header(file, section), 4, offset);
}

/* A debug section becomes another one, with its relocations. */
static void pairs_rename(pair_file *file, const pair_list *list) {
  static const char *const names[] = {".debug_line",
                                      ".debug_info",
                                      ".debug_abbrev",
                                      ".debug_loc",
                                      ".debug_pubnames",
                                      ".debug_pubtypes",
                                      ".debug_str",
                                      ".debug_macinfo",
                                      ".debug_ranges",
                                      ".debug_aranges",
                                      ".nv_debug_info_reg_sass",
                                      ".debug_frame",
                                      ".nv_debug_line_sass",
                                      ".nv_debug_info_reg_type",
                                      ".nv_debug_ptx_txt"};
  const pair *const one = pairs_choose(file, list, gen_random_percent(file->random, 70) ? ".debug_" : ".nv_debug_");
  const char *const name = names[gen_random_below(file->random, sizeof names / sizeof *names)];
  if (!one || file->cubin->section_name_index >= file->cubin->section_count)
    return;
  const char *const old = file->cubin->sections[one->sass].name;
  pairs_name(file, one->sass, "", name);
  pairs_name(file, one->mercury, ".nv.merc", name);
  for (uint32_t i = 0; i < list->count; i++) {
    const char *const entries = file->cubin->sections[list->items[i].sass].name;
    if (strncmp(entries, ".rela", 5) != 0 || strcmp(entries + 5, old) != 0)
      continue;
    pairs_name(file, list->items[i].sass, ".rela", name);
    pairs_name(file, list->items[i].mercury, ".nv.merc.rela", name);
  }
}

/* The same flag, alignment, size of entries, or what is added to sh_info or sh_size. */
static void pairs_change_headers(pair_file *file, const pair_list *list) {
  static const struct {
    unsigned at, width;
  } fields[] = {{8, 8}, {8, 8}, {48, 8}, {48, 8}, {56, 8}, {32, 8}};
  static const uint64_t values[] = {1, 2, 4, 8, 16, 32, 64, 128};
  const pair *const one = pairs_choose(file, list, "");
  const uint32_t field = gen_random_below(file->random, sizeof fields / sizeof *fields);
  const uint64_t value = values[gen_random_below(file->random, sizeof values / sizeof *values)];
  for (int side = 0; one && side < 2; side++) {
    uint8_t *const at = file->bytes.data + pairs_header(file, side ? one->mercury : one->sass) + fields[field].at;
    const uint64_t old = ref_u64(at);
    pairs_put(at, fields[field].width,
              fields[field].at == 8    ? old ^ value
              : fields[field].at == 32 ? old - value
                                       : value);
  }
}

/* A symbol's st_info, st_other, value or size. */
static void pairs_change_symbols(pair_file *file) {
  static const struct {
    unsigned at, width;
  } fields[] = {{4, 1}, {5, 1}, {8, 8}, {16, 8}, {6, 2}};
  const uint32_t mercury = ref_cubin_find_section(file->cubin, ".nv.merc.symtab");
  const ref_section *const table = &file->cubin->sections[mercury];
  const uint64_t count = mercury ? table->size / SYMBOL_SIZE : 0;
  if (count < 2 || !table->data || file->cubin->symbol_count < count)
    return;
  const uint64_t at = SYMBOL_SIZE * (1 + (uint64_t)gen_random_below(file->random, (uint32_t)count - 1));
  const uint32_t field = gen_random_below(file->random, sizeof fields / sizeof *fields);
  const uint64_t bit = UINT64_C(1) << gen_random_below(file->random, 8 * fields[field].width > 12 ? 12 : 8);
  const uint64_t places[] = {file->cubin->sections[file->cubin->symbol_section].offset, table->offset};
  for (int side = 0; side < 2; side++) {
    uint8_t *const word = file->bytes.data + places[side] + at + fields[field].at;
    for (unsigned i = 0; i < fields[field].width; i++)
      word[i] ^= (uint8_t)(bit >> 8 * i);
  }
}

/* An entry and the one of the other side about the same symbol and addend: another symbol, addend, or place. */
static void pairs_change_entries(pair_file *file, const pair_list *list) {
  const pair *const one = pairs_choose(file, list, ".rela");
  const size_t count = one ? ref_cubin_relocation_count(file->cubin, one->sass) : 0;
  const size_t others = one ? ref_cubin_relocation_count(file->cubin, one->mercury) : 0;
  if (!count)
    return;
  const size_t entry = gen_random_below(file->random, (uint32_t)count);
  const ref_relocation own = ref_cubin_relocation(file->cubin, one->sass, entry);
  size_t same = 0;
  for (; same < others; same++) {
    const ref_relocation other = ref_cubin_relocation(file->cubin, one->mercury, same);
    if (other.symbol == own.symbol && other.addend == own.addend)
      break;
  }
  const uint32_t what = gen_random_below(file->random, 3);
  const uint64_t symbol = gen_random_below(file->random, (uint32_t)file->cubin->symbol_count);
  const uint64_t by = UINT64_C(1) << gen_random_below(file->random, 10);
  for (int side = 0; same < others && side < 2; side++) {
    uint8_t *const at = file->bytes.data + file->cubin->sections[side ? one->mercury : one->sass].offset +
                        ENTRY_SIZE * (side ? same : entry);
    if (what == 0)
      pairs_put(at + 12, 4, symbol);
    else
      pairs_put(at + (what == 1 ? 16 : 0), 8, ref_u64(at + (what == 1 ? 16 : 0)) + by);
  }
}

/* The n-th attribute of a code on both sides: a byte of its payload. */
static void pairs_change_attributes(pair_file *file, const pair_list *list) {
  const pair *const one = pairs_choose(file, list, ".nv.info");
  if (!one)
    return;
  ref_attribute own, other;
  uint64_t position = 0;
  uint8_t code = 0;
  for (uint32_t seen = 0; ref_cubin_next_attribute(&file->cubin->sections[one->sass], &position, &own);)
    if (gen_random_below(file->random, ++seen) == 0)
      code = own.code;
  const uint32_t byte = gen_random_below(file->random, 8);
  const uint8_t by = (uint8_t)(1u << gen_random_below(file->random, 8));
  for (int side = 0; side < 2; side++) {
    const ref_section *const section = &file->cubin->sections[side ? one->mercury : one->sass];
    for (position = 0; ref_cubin_next_attribute(section, &position, &other);)
      if (other.code == code && byte < other.size)
        file->bytes.data[section->offset + (uint64_t)(other.data - section->data) + byte] ^= by;
  }
}

/* A byte of debug data, or of constants, at one place of both. */
static void pairs_change_contents(pair_file *file, const pair_list *list) {
  static const char *const prefixes[] = {".debug_line", ".debug_frame", ".nv_debug_", ".debug_", ".nv."};
  const pair *const one = pairs_choose(file, list, prefixes[gen_random_below(file->random, 5)]);
  if (!one)
    return;
  const ref_section *const sass = &file->cubin->sections[one->sass], *const mercury =
                                                                         &file->cubin->sections[one->mercury];
  const uint64_t least = sass->size < mercury->size ? sass->size : mercury->size;
  if (!least || !sass->data || !mercury->data)
    return;
  const uint64_t at = gen_random_below(file->random, (uint32_t)(least > UINT32_MAX ? UINT32_MAX : least));
  const uint8_t by = (uint8_t)(gen_random_percent(file->random, 60) ? 1u << gen_random_below(file->random, 8)
                                                                    : 1 + gen_random_below(file->random, 255));
  file->bytes.data[sass->offset + at] ^= by;
  if (mercury->offset != sass->offset)
    file->bytes.data[mercury->offset + at] ^= by;
}

/* A bit of an instruction that decides what is executed next. Mercury's is derived from the SASS side's, or has a record. */
static void pairs_change_flow(pair_file *file, const pair_list *list) {
  enum { INSTRUCTION = 16, FLOW = 0x140, FLOW_MASK = 0x1e0 };
  const pair *const one = pairs_choose(file, list, ".text.");
  const ref_section *const text = &file->cubin->sections[one ? one->sass : 0];
  uint64_t chosen = 0;
  uint32_t fitting = 0;
  for (uint64_t at = 0; one && text->data && at + INSTRUCTION <= text->size; at += INSTRUCTION)
    if ((ref_u16(text->data + at) & FLOW_MASK) == FLOW && gen_random_below(file->random, ++fitting) == 0)
      chosen = text->offset + at;
  const uint32_t bit = gen_random_below(file->random, 8 * INSTRUCTION);
  if (fitting)
    file->bytes.data[chosen + bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void pairs_change_one(pair_file *file, const pair_list *list) {
  const uint32_t kind = gen_random_below(file->random, 12);
  if (kind < 2)
    pairs_rename(file, list);
  else if (kind < 4)
    pairs_change_headers(file, list);
  else if (kind < 5)
    pairs_change_symbols(file);
  else if (kind < 6)
    pairs_change_entries(file, list);
  else if (kind < 7)
    pairs_change_attributes(file, list);
  else if (kind < 9)
    pairs_change_flow(file, list);
  else
    pairs_change_contents(file, list);
}

static void pairs_rewrite(const ref_cubin *cubin, gen_random *random, harness_bytes *bytes) {
  pair_file file = {.cubin = cubin, .random = random, .bytes = *bytes};
  pair_list list;
  pairs_find(cubin, &list);
  const uint32_t changes = 1 + gen_random_below(random, 3);
  for (uint32_t i = 0; list.count && i < changes; i++)
    pairs_change_one(&file, &list);
  *bytes = file.bytes;
}

void hunt_pairs_change(gen_random *random, const char *from, const char *to) {
  hunt_input_rewrite(random, from, to, pairs_rewrite);
}
