/* nvlink's finalizer makes the SASS side of a capsule anew from the Mercury side, and of the input's reads no more than the
 * code and the names of sections: symbols, attributes, entries and parameter banks of the SASS side may hold anything
 * (L497, M40). This file does the same to a file that is being read, so that every later stage finds what nvlink has. In a
 * file as ptxas writes it nothing changes. */
#include "cubin/derive.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/relocation.h"
#include "catalog/sass_type.h"
#include "cubin/attribute.h"
#include "cubin/code.h"
#include "cubin/elf.h"
#include "cubin/known.h"
#include "cubin/namesakes.h"

#include <string.h>

enum { WORD = 4 };

typedef struct deriver {
  tl_cubin *cubin;
  const tl_names *names;
  tl_arena *arena;
  const uint32_t *sass;  /* of tl_derive_pairs */
  uint32_t *bank;        /* by SASS text: the section of its parameters, 0 */
  uint32_t *bank_symbol; /* and that's symbol, 0 */
  tl_derive_version version;
  uint32_t *alone_of; /* by SASS text: attributes that it alone has (L1537), 0 */
  uint64_t *sizes;    /* by capsule: of the decoded code of its functions; by section of constants: where they end */
  const uint8_t *symbols; /* of the Mercury side */
  uint64_t symbol_count;
  uint32_t strings;    /* the section of their names */
  const uint8_t *text; /* the SASS side's in hand */
  tl_code code;        /* of the text in hand */
  bool known;          /* code adds up */
  /* By Mercury section whose contents are a namesake's (L656): what it was; others are of type 0. NULL where there is none. */
  const tl_cubin_section *before;
  tl_map targets; /* of jumps of the text in hand */
  bool foreign;   /* the contents of the section in hand are a namesake's */
  tl_map halves;  /* the entry of half a place in the code that counts at an instruction of the text in hand (L1540) */
  const uint8_t *halves_of; /* in this list */
  tl_code **codes;          /* by capsule: where its instructions are, once frames or debug data ask */
  const bool *lone;         /* by section: nvlink leaves it alone */
  bool debug_is_moved;      /* addresses of code in debug data are translated */
} deriver;

static tl_cubin_section *derive_section(const deriver *d, uint32_t index) {
  return &d->cubin->sections[index];
}

static const char *derive_name(const deriver *d, uint32_t section) {
  return tl_names_text(d->names, derive_section(d, section)->name);
}

/* --- sections --- */

/* The SASS side's name of one of Mercury's sections, as a number; TL_NONE when no section is called so. */
static uint32_t derive_sass_name(const char *name, const tl_names *names, tl_arena *arena) {
  static const char *const renamed[][2] = {{"user", "3"} /* L1036 */, {"pic", "4"} /* L1200 */, {"optimizer.", "2."}};
  const char *text = tl_text_behind(name, ".nv.merc");
  if (!text)
    return TL_NONE;
  const char *const entries = tl_text_behind(text, ".rela");
  const char *const bank = tl_text_behind(entries ? entries : text, ".nv.constant.");
  for (size_t i = 0; bank && i < sizeof renamed / sizeof *renamed; i++) {
    const char *const behind = tl_text_behind(bank, renamed[i][0]);
    if (behind)
      text = tl_arena_format(arena, "%s.nv.constant%s%s", entries ? ".rela" : "", renamed[i][1], behind);
  }
  return tl_names_find(names, text, strlen(text));
}

const uint32_t *tl_derive_find_names(const tl_cubin *cubin, const tl_names *names, tl_arena *arena) {
  uint32_t *const found = tl_arena_new_bare(arena, uint32_t, cubin->section_count);
  for (uint32_t i = 0; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    const bool mercury = section->flags & SHF_CUDA_MERCURY;
    found[i] = mercury ? derive_sass_name(tl_names_text(names, section->name), names, arena) : TL_NONE;
  }
  return found;
}

/* The SASS section of a name that is about the text of the Mercury one's capsule, or the first of them; 0. `next` chains those
 * of one name: functions of one name have several in an output of -r. */
static uint32_t derive_find_section(const tl_cubin *cubin, const uint32_t *sass, uint32_t section, uint32_t found,
                                    const uint32_t *next) {
  const uint32_t about = cubin->sections[section].info;
  const bool text = tl_cubin_section_at(cubin, about)->type == SHT_CUDA_CAPSULE;
  for (uint32_t i = text ? found : 0; i; i = next[i])
    if (cubin->sections[i].info == sass[about])
      return i;
  return found;
}

/* The name of what the SASS side has beside a table that ptxas laid out and its entries (L749): a kernel's parameters; TL_NONE. */
static uint32_t derive_bank_name(const char *called, const tl_names *names, tl_arena *arena) {
  static const char images[] = "nv.constant.entry_image_header_indices.";
  const char *const own = tl_text_behind(called, ".nv.merc.");
  const char *const entries = own ? tl_text_behind(own, "rela.") : NULL;
  const char *const kernel = own ? tl_text_behind(entries ? entries : own, images) : NULL;
  const char *const name = kernel ? tl_arena_format(arena, ".%snv.constant0.%s", entries ? "rela." : "", kernel) : NULL;
  return name ? tl_names_find(names, name, strlen(name)) : TL_NONE;
}

tl_derive_pairs tl_derive_find_pairs(const tl_cubin *cubin, const tl_names *names, const uint32_t *sass_names,
                                     tl_arena *arena) {
  const uint32_t count = cubin->section_count;
  uint32_t *const next = tl_arena_new(arena, uint32_t, count), *const sass = tl_arena_new(arena, uint32_t, count);
  uint32_t *const banks = tl_arena_new(arena, uint32_t, count);
  tl_map by_name;
  tl_map_init(&by_name, arena);
  tl_map_expect(&by_name, count);
  for (uint32_t i = count; i-- > 1;) {
    const tl_cubin_section *const section = &cubin->sections[i];
    if (section->type == SHT_CUDA_CAPSULE && section->data && section->size >= WORD) {
      const uint32_t text = tl_get32(section->data);
      sass[i] = text < count ? text : 0; /* checked behind this, but headers and types are taken before (L1546) */
    }
    if (section->flags & SHF_CUDA_MERCURY)
      continue;
    const uint32_t known = tl_map_get(&by_name, section->name);
    next[i] = known == TL_NONE ? 0 : known;
    tl_map_set(&by_name, section->name, i);
  }
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    if (section->type == SHT_CUDA_CAPSULE || !(section->flags & SHF_CUDA_MERCURY))
      continue;
    const uint32_t found = tl_map_get(&by_name, sass_names[i]); /* no section has the name TL_NONE */
    const uint32_t bank = tl_map_get(&by_name, derive_bank_name(tl_names_text(names, section->name), names, arena));
    banks[i] = bank == TL_NONE ? 0 : bank;
    sass[i] = found == TL_NONE ? 0 : derive_find_section(cubin, sass, i, found, next);
  }
  return (tl_derive_pairs){sass, banks};
}

/* L1529: a file's own attributes are found by their type on both sides, whatever they are called. */
static uint32_t derive_find_file_attributes(const deriver *d, bool mercury) {
  for (uint32_t i = 1; i < d->cubin->section_count; i++) {
    const tl_cubin_section *const section = derive_section(d, i);
    if (section->type == (mercury ? SHT_CUDA_MERCURY_INFO : SHT_CUDA_INFO) && !section->info &&
        !(section->flags & SHF_CUDA_MERCURY) == !mercury)
      return i;
  }
  return 0;
}

/* Debug data, attributes and entries of Mercury's. */
static bool derive_is_read(const tl_cubin_section *section) {
  const bool debug = section->type == SHT_PROGBITS && !(section->flags & SHF_ALLOC);
  return (debug || section->type == SHT_CUDA_MERCURY_RELA || section->type == SHT_CUDA_MERCURY_INFO) &&
         section->flags & SHF_CUDA_MERCURY;
}

/* Whether nvlink leaves a section of Mercury's alone: debug data, attributes or entries without the SASS side's of that name,
 * and about the same text (L1492). */
static bool derive_is_lone(const deriver *d, uint32_t index) {
  const tl_cubin_section *const section = derive_section(d, index), *const own = derive_section(d, d->sass[index]);
  const uint32_t type = section->type == SHT_CUDA_MERCURY_RELA   ? SHT_RELA
                        : section->type == SHT_CUDA_MERCURY_INFO ? SHT_CUDA_INFO
                                                                 : SHT_PROGBITS;
  if (!derive_is_read(section))
    return false;
  const uint32_t about = tl_cubin_section_at(d->cubin, section->info)->type;
  if (type == SHT_RELA && about == SHT_CUDA_IMAGE_HEADERS) /* not known: it has another name there (M27) */
    return false;
  const bool text = type != SHT_PROGBITS && about == SHT_CUDA_CAPSULE;
  return !d->sass[index] || own->type != type || (text && own->info != d->sass[section->info]);
}

/* Mercury's variables, constants and unified tables, of which the first section of a name counts alone, too (L1551, of
 * compiler constants L1791, of tables L1682). */
static bool derive_is_variables(const tl_cubin_section *section) {
  static const uint32_t types[] = {SHT_CUDA_GLOBAL_INIT,        SHT_CUDA_USER_CONSTANT, SHT_CUDA_PIC_CONSTANT,
                                   SHT_CUDA_OPTIMIZER_CONSTANT, SHT_CUDA_UFT_ENTRY,     SHT_CUDA_UDT_ENTRY};
  return section->flags & SHF_CUDA_MERCURY && TL_AMONG32(types, section->type);
}

static const bool *derive_find_lone(const deriver *d) {
  const uint32_t count = d->cubin->section_count;
  bool *const lone = tl_arena_new(d->arena, bool, count);
  bool *const taken = tl_arena_new(d->arena, bool, count); /* by SASS section: Mercury's was there (L1529) */
  const uint32_t own = derive_find_file_attributes(d, false), file = derive_find_file_attributes(d, true);
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = derive_section(d, i);
    const uint32_t sass = d->sass[i];
    const bool counts = derive_is_read(section) || derive_is_variables(section);
    if (section->type == SHT_CUDA_MERCURY_INFO && !section->info)
      lone[i] = i != file || !own || sass != own;
    else
      lone[i] = derive_is_lone(d, i) || (counts && taken[sass]);
    taken[sass] |= sass && !lone[i] && counts;
  }
  return lone;
}

/* L1537: attributes of the SASS side, a text's or the file's, where Mercury's side has no section of their name. */
static const bool *derive_find_alone(const deriver *d) {
  const uint32_t count = d->cubin->section_count;
  bool *const alone = tl_arena_new(d->arena, bool, count), *const paired = tl_arena_new(d->arena, bool, count);
  tl_map seen; /* names; of several sections of one the first counts */
  tl_map_init(&seen, d->arena);
  for (uint32_t i = 1; i < count; i++)
    paired[d->sass[i]] = true;
  const uint32_t own = derive_find_file_attributes(d, false), file = derive_find_file_attributes(d, true);
  if (own && (!file || d->sass[file] != own)) /* L1577 */
    alone[own] = true;
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = derive_section(d, i);
    const bool text = tl_cubin_section_at(d->cubin, section->info)->flags & SHF_EXECINSTR && paired[section->info];
    if (section->type == SHT_CUDA_INFO && !(section->flags & SHF_CUDA_MERCURY) && text &&
        tl_set_add(&seen, section->name))
      alone[i] = !paired[i];
  }
  return alone;
}

/* By section: of Mercury's attributes, entries and debug data that nvlink reads, and of the SASS side's attributes that it takes
 * for such, where they stand on the SASS side (L1539); 0 of others. */
static const uint32_t *derive_find_places(const deriver *d, const bool *lone, const bool *alone,
                                          const uint32_t *again) {
  uint32_t *const places = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  for (uint32_t i = 1; i < d->cubin->section_count; i++) {
    const bool file = derive_section(d, i)->type == SHT_CUDA_MERCURY_INFO && !derive_section(d, i)->info;
    if (alone[i] || again[i])
      places[i] = i;
    else if (derive_is_read(derive_section(d, i)) && !lone[i] && !file)
      places[i] = d->sass[i];
  }
  return places;
}

/* Of the SASS side. */
static bool derive_is_debug(const tl_cubin_section *section) {
  return section->type == SHT_PROGBITS && !(section->flags & (SHF_ALLOC | SHF_CUDA_MERCURY));
}

/* L1552: by section of the SASS side's debug data that is not the first of its name: Mercury's section of that name, which stands
 * for it again; 0 of others. */
static const uint32_t *derive_find_again(const deriver *d, const bool *lone) {
  const uint32_t count = d->cubin->section_count;
  uint32_t *const again = tl_arena_new(d->arena, uint32_t, count);
  tl_map mercury; /* by the number of the SASS side's name */
  tl_map_init(&mercury, d->arena);
  for (uint32_t i = 1; i < count; i++)
    if (derive_section(d, i)->type == SHT_PROGBITS && derive_is_read(derive_section(d, i)) && !lone[i])
      tl_map_set(&mercury, derive_section(d, d->sass[i])->name, i);
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = derive_section(d, i);
    const uint32_t known = derive_is_debug(section) ? tl_map_get(&mercury, section->name) : TL_NONE;
    if (known != TL_NONE && d->sass[known] != i)
      again[i] = known;
  }
  return again;
}

tl_derive_roles tl_derive_find_roles(tl_cubin *cubin, const tl_derive_pairs *pairs, tl_arena *arena) {
  const deriver d = {.cubin = cubin, .sass = pairs->sass, .arena = arena};
  const bool *const lone = derive_find_lone(&d), *const alone = derive_find_alone(&d);
  const uint32_t *const again = derive_find_again(&d, lone);
  return (tl_derive_roles){lone, alone, derive_find_places(&d, lone, alone, again), again};
}

void tl_derive_take_again(tl_cubin_section *section, const tl_cubin_section *mercury) {
  section->data = mercury->data;
  section->size = mercury->size;
  section->file_offset = mercury->file_offset;
}

/* Debug data (L1546), variables and constants of the user's (L1561) and the compiler's (L1745). */
static bool derive_has_header_of(const tl_cubin_section *section, const tl_cubin_section *own) {
  static const uint32_t pairs[][2] = {{SHT_PROGBITS, SHT_PROGBITS},
                                      {SHT_CUDA_GLOBAL_INIT, SHT_CUDA_GLOBAL_INIT},
                                      {SHT_CUDA_USER_CONSTANT, SHT_CUDA_CONSTANT0 + 3},
                                      {SHT_CUDA_PIC_CONSTANT, SHT_CUDA_CONSTANT0 + 4},
                                      {SHT_CUDA_OPTIMIZER_CONSTANT, SHT_CUDA_CONSTANT0 + 2}};
  return TL_PAIRED32(pairs, section->type, SHT_NULL) == own->type && own->type != SHT_NULL;
}

void tl_derive_take_headers(tl_cubin *cubin, const tl_derive_pairs *pairs) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    const tl_cubin_section *const own =
        &cubin->sections[pairs->banks[i] ? pairs->banks[i] : pairs->sass[i]]; /* L1743 */
    const bool entries = section->type == SHT_CUDA_MERCURY_RELA && own->type == SHT_RELA;
    if (section->type == SHT_CUDA_IMAGE_HEADERS && own->type == SHT_CUDA_CONSTANT0)
      section->link = own->link; /* L1754 */
    if (!(section->flags & SHF_CUDA_MERCURY) || !(entries || derive_has_header_of(section, own)))
      continue;
    section->entry_size = own->entry_size;
    if (entries)
      continue;
    section->flags = own->flags | SHF_CUDA_MERCURY;
    section->align = own->align;
    section->link = own->link; /* L1754 */
  }
}

/* Whether what stands in a section may be another type's, too: not entries of REL, a capsule, the compiler's constants and Mercury's
 * symbols, over which nvlink ends. */
static bool derive_may_be_debug(const tl_cubin *cubin, const tl_cubin_section *section) {
  static const uint32_t others[] = {SHT_REL, SHT_CUDA_CAPSULE, SHT_CUDA_OPTIMIZER_CONSTANT, SHT_CUDA_MERCURY_SYMTAB};
  const bool inside = section->file_offset <= cubin->size && section->size <= cubin->size - section->file_offset;
  return section->flags & SHF_CUDA_MERCURY && section->type != SHT_PROGBITS && !section->unnamed && inside &&
         !TL_AMONG32(others, section->type);
}

void tl_derive_take_types(tl_cubin *cubin, const uint32_t *sass_names, tl_arena *arena) {
  tl_map debug;
  tl_map_init(&debug, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (derive_is_debug(&cubin->sections[i]))
      tl_set_add(&debug, cubin->sections[i].name);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    if (!derive_may_be_debug(cubin, section) || !tl_set_has(&debug, sass_names[i]))
      continue;
    section->type = SHT_PROGBITS;
    section->data = cubin->bytes + section->file_offset;
  }
}

/* Mercury's section of the same contents by SASS section, and the other way round by name alone; 0 where there is none, or more than
 * one of the name. */
typedef struct derive_partners {
  uint32_t *mercury, *sass;
} derive_partners;

static derive_partners derive_find_partners(const tl_cubin *cubin, const uint32_t *sass_names, tl_arena *arena) {
  const uint32_t count = cubin->section_count;
  derive_partners p = {tl_arena_new(arena, uint32_t, count), tl_arena_new(arena, uint32_t, count)};
  tl_map by_name, again;
  tl_map_init(&by_name, arena);
  tl_map_expect(&by_name, count);
  tl_map_init(&again, arena);
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    if (section->unnamed)
      continue;
    if (tl_map_get(&by_name, section->name) != TL_NONE)
      tl_set_add(&again, section->name);
    tl_map_set(&by_name, section->name, i);
  }
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    uint32_t sass = 0;
    if (section->type == SHT_CUDA_CAPSULE)
      sass = section->size < WORD ? 0 : tl_get32(section->data);
    else if (section->flags & SHF_CUDA_MERCURY && !section->unnamed) {
      const uint32_t name = sass_names[i], found = tl_map_get(&by_name, name);
      const bool twice = tl_set_has(&again, name) || tl_set_has(&again, section->name);
      sass = p.sass[i] = found == TL_NONE || twice ? 0 : found;
    }
    if (sass && sass < count && !p.mercury[sass])
      p.mercury[sass] = i;
  }
  return p;
}

void tl_derive_take_targets(tl_cubin *cubin, const uint32_t *sass_names, tl_arena *arena) {
  static const uint32_t nobody_s[][2] = {{SHT_CUDA_GLOBAL_INIT, SHT_CUDA_GLOBAL_INIT},
                                         {SHT_CUDA_USER_CONSTANT, SHT_CUDA_CONSTANT0 + 3},
                                         {SHT_CUDA_PIC_CONSTANT, SHT_CUDA_CONSTANT0 + 4},
                                         {SHT_CUDA_MERCURY_INFO, SHT_CUDA_INFO}};
  const derive_partners p = derive_find_partners(cubin, sass_names, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    const tl_cubin_section *const own = &cubin->sections[p.sass[i]];
    const bool data = section->type != SHT_CUDA_MERCURY_RELA && section->type != SHT_CUDA_MERCURY_INFO;
    if (!p.sass[i] || (!data && section->info >= cubin->section_count)) /* over which nvlink crashes */
      continue;
    if (section->type == SHT_CUDA_MERCURY_RELA && own->type == SHT_RELA && own->info < cubin->section_count &&
        p.mercury[own->info])
      section->info = p.mercury[own->info];
    else if (TL_PAIRED32(nobody_s, section->type, SHT_NULL) == own->type && own->type != SHT_NULL && !own->info)
      section->info = 0;
  }
}

tl_derive_version tl_derive_find_version(const tl_cubin *cubin, const tl_names *names) {
  enum { VERSION = 7, UNSAID = 0x100 };
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    uint64_t position = 0;
    tl_record record;
    if (section->type != SHT_CUDA_COMPAT || strcmp(tl_names_text(names, section->name), ".nv.compat") != 0)
      continue;
    tl_derive_version version = {.said = true, .number = UNSAID};
    while (tl_record_next_whole(section, &position, &record))
      if (record.code == VERSION)
        version.number = record.format == TL_RECORD_WHOLE ? record.size : tl_get16(record.data);
    return version;
  }
  return (tl_derive_version){.said = false};
}

void tl_derive_add_version(tl_cubin_section *attributes, tl_derive_version version, tl_arena *arena) {
  enum { SHORT = 3, SIZE = 4 };
  if (!attributes->info || !version.said)
    return;
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, attributes->size + SIZE);
  if (attributes->size)
    memcpy(bytes, attributes->data, attributes->size);
  bytes[attributes->size] = SHORT;
  bytes[attributes->size + 1] = EIATTR_MERCURY_ISA_VERSION;
  tl_put16(bytes + attributes->size + 2, version.number);
  attributes->data = bytes;
  attributes->size += SIZE;
}

/* --- symbols (M8) --- */

typedef struct derive_reserved {
  const char *name;
  uint64_t value;
} derive_reserved;

/* The undefined symbols that have a value on the SASS side. */
static const derive_reserved derive_reserved_rows[] = {{".nv.reservedSmem.offset0", 0x40},
                                                       {".nv.reservedSmem.cap", TL_RESERVED_SHARED}};

/* Whether a symbol of the Mercury side has that name. */
static bool derive_is_called(const deriver *d, const uint8_t *symbol, const char *text) {
  const char *const name = tl_cubin_text_in(d->cubin, d->strings, tl_get32(symbol));
  return name && strcmp(name, text) == 0;
}

static void derive_undefined_value(const deriver *d, uint8_t *symbol) {
  for (size_t i = 0; i < sizeof derive_reserved_rows / sizeof *derive_reserved_rows; i++)
    if (derive_is_called(d, symbol, derive_reserved_rows[i].name))
      tl_put64(symbol + 8, derive_reserved_rows[i].value);
}

/* One symbol of both tables: `to` has the SASS side's, which stays where its section is not known. */
static void derive_symbol(const deriver *d, const uint8_t *from, uint8_t *to) {
  const uint32_t section = tl_get16(from + 6);
  if (section == SHN_COMMON)           /* ptxas calls some internal on the SASS side (L497) */
    memcpy(to, from, ELF_SYMBOL_SIZE); /* L1553 */
  if (section >= d->cubin->section_count)
    return;
  const bool mirrored = derive_section(d, section)->flags & SHF_CUDA_MERCURY; /* section 0 has none */
  if (mirrored && !d->sass[section])
    return;
  const uint64_t value = tl_get64(to + 8), size = tl_get64(to + 16);
  const uint32_t name = tl_get32(to);
  memcpy(to, from, ELF_SYMBOL_SIZE);
  if (section == SHN_UNDEF)
    derive_undefined_value(d, to);
  if (!mirrored)
    return;
  tl_put16(to + 6, (uint16_t)d->sass[section]);
  if ((from[4] & 15) == STT_SECTION)
    tl_put32(to, name);                                                      /* nobody reads it (L171) */
  const bool inside = (from[4] & 15) == STT_FUNC && tl_get64(from + 8) != 0; /* not the text's own function */
  if (inside) {
    tl_put64(to + 8, value);
    tl_put64(to + 16, size);
  } else if ((from[4] & 15) == STT_FUNC && tl_get64(from + 16))
    tl_put64(to + 16, derive_section(d, d->sass[section])->size);
}

/* By the number of its name: the first bank that is called so. */
static tl_map derive_bank_names(const deriver *d) {
  tl_map banks;
  tl_map_init(&banks, d->arena);
  for (uint32_t i = d->cubin->section_count; i-- > 1;)
    if (derive_section(d, i)->type == SHT_CUDA_CONSTANT0)
      tl_map_set(&banks, derive_section(d, i)->name, i);
  return banks;
}

/* Behind the symbols of both views the SASS side has those of its parameter banks. They are found by their names alone, and
 * nothing else that is there counts (L1536). */
static void derive_bank_symbol(const deriver *d, const tl_map *banks, uint32_t strings, uint8_t *symbol) {
  const char *const name = tl_cubin_text_in(d->cubin, strings, tl_get32(symbol));
  const uint32_t section = name ? tl_map_get(banks, tl_names_find(d->names, name, strlen(name))) : TL_NONE;
  memset(symbol + 4, 0, ELF_SYMBOL_SIZE - 4);
  if (section == TL_NONE) {
    memset(symbol, 0, ELF_SYMBOL_SIZE);
    return;
  }
  symbol[4] = STT_SECTION;
  tl_put16(symbol + 6, (uint16_t)section);
}

static void derive_find_banks(deriver *d) {
  const uint32_t symbols = tl_cubin_find_section(d->cubin, SHT_SYMTAB);
  d->bank = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  d->bank_symbol = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  for (uint32_t i = 1; i < d->cubin->section_count; i++) {
    const tl_cubin_section *const bank = derive_section(d, i);
    if (bank->type == SHT_CUDA_CONSTANT0 && bank->info < d->cubin->section_count)
      d->bank[bank->info] = i;
  }
  for (uint32_t i = 1; i < d->cubin->section_count; i++) { /* behind the parameters a table may have been laid (M27) */
    const tl_cubin_section *const images = derive_section(d, i);
    if (images->type == SHT_CUDA_IMAGE_HEADERS && images->info < d->cubin->section_count)
      d->bank[d->sass[images->info]] = 0;
  }
  if (!symbols)
    return;
  const tl_cubin_section *const table = derive_section(d, symbols);
  for (uint32_t i = 0; (uint64_t)i * ELF_SYMBOL_SIZE + ELF_SYMBOL_SIZE <= table->size; i++) {
    const uint8_t *const symbol = table->data + (uint64_t)i * ELF_SYMBOL_SIZE;
    const tl_cubin_section *const bank = tl_cubin_section_at(d->cubin, tl_get16(symbol + 6));
    if (bank->type == SHT_CUDA_CONSTANT0 && bank->info < d->cubin->section_count && (symbol[4] & 15) == STT_SECTION)
      d->bank_symbol[bank->info] = i;
  }
}

/* By section: a section symbol's name in a table, 0. */
static uint32_t *derive_section_names(const deriver *d, const uint8_t *table, uint64_t count) {
  uint32_t *const names = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const symbol = table + i * ELF_SYMBOL_SIZE;
    if ((symbol[4] & 15) == STT_SECTION && tl_get16(symbol + 6) < d->cubin->section_count)
      names[tl_get16(symbol + 6)] = tl_get32(symbol);
  }
  return names;
}

/* L1502: every bank has a symbol, also where Mercury has one of its number, with the name of the input's. Writes those that are
 * missing behind `count` symbols, for which there is room, and returns how many there are then. */
static uint64_t derive_add_bank_symbols(const deriver *d, const uint32_t *names, uint8_t *table, uint64_t count) {
  const uint32_t *const known = derive_section_names(d, table, count);
  for (uint32_t i = 1; i < d->cubin->section_count; i++)
    if (derive_section(d, i)->type == SHT_CUDA_CONSTANT0 && !known[i]) {
      uint8_t *const symbol = table + count++ * ELF_SYMBOL_SIZE;
      tl_put32(symbol, names[i]);
      symbol[4] = STT_SECTION;
      tl_put16(symbol + 6, (uint16_t)i);
    }
  return count;
}

/* A symbol of a table that ptxas laid out, beside which the SASS side has that of the kernel's parameters. */
static bool derive_is_of_images(const deriver *d, const uint8_t *symbol) {
  const tl_cubin_section *const section = tl_cubin_section_at(d->cubin, tl_get16(symbol + 6));
  return section->type == SHT_CUDA_IMAGE_HEADERS && section->flags & SHF_CUDA_MERCURY;
}

static void derive_symbols(deriver *d) {
  const uint32_t mercury = tl_cubin_find_section(d->cubin, SHT_CUDA_MERCURY_SYMTAB);
  if (!mercury)
    return;
  const tl_cubin_section *const table = derive_section(d, mercury);
  d->symbols = table->data;
  d->symbol_count = table->size / ELF_SYMBOL_SIZE;
  d->strings = table->link;
  tl_cubin_section *const own = derive_section(d, tl_cubin_find_section(d->cubin, SHT_SYMTAB));
  const uint64_t had = own->size / ELF_SYMBOL_SIZE, count = tl_larger(had, d->symbol_count);
  if (own->entry_size != ELF_SYMBOL_SIZE)
    return;
  uint64_t banks = 0;
  for (uint32_t i = 1; i < d->cubin->section_count; i++)
    banks += derive_section(d, i)->type == SHT_CUDA_CONSTANT0;
  uint8_t *const bytes = tl_arena_new(d->arena, uint8_t, (count + banks) * ELF_SYMBOL_SIZE);
  if (had)
    memcpy(bytes, own->data, had * ELF_SYMBOL_SIZE);
  const uint32_t *const names = derive_section_names(d, bytes, had);
  const tl_map called = derive_bank_names(d);
  for (uint64_t i = 0; i < count; i++)
    if (i < d->symbol_count && !derive_is_of_images(d, d->symbols + i * ELF_SYMBOL_SIZE))
      derive_symbol(d, d->symbols + i * ELF_SYMBOL_SIZE, bytes + i * ELF_SYMBOL_SIZE);
    else
      derive_bank_symbol(d, &called, own->link, bytes + i * ELF_SYMBOL_SIZE);
  own->data = bytes;
  own->size = derive_add_bank_symbols(d, names, bytes, count) * ELF_SYMBOL_SIZE;
}

/* --- attributes (M19) --- */

/* What the words of an attribute are. */
typedef enum derive_words {
  WORDS_COPY,       /* the same on both sides */
  WORDS_MERCURY,    /* Mercury's alone: no record on the SASS side */
  WORDS_OWN,        /* only the SASS side's record says it */
  WORDS_PLACES,     /* places in the code */
  WORDS_PAIRS,      /* the first of each two is a place */
  WORDS_TRIPLES,    /* of each three */
  WORDS_QUADRUPLES, /* of each four (L866) */
  WORDS_NOTES,      /* annotations, some with a place (L873) */
  WORDS_TARGETS     /* lists: place, a word, number, places */
} derive_words;

/* By code (L762, L1503). */
static const uint32_t derive_rows[][2] = {
    {0x43, WORDS_MERCURY},    {0x48, WORDS_MERCURY}, {0x5a, WORDS_MERCURY}, {0x15, WORDS_OWN},    {0x16, WORDS_OWN},
    {0x1c, WORDS_PLACES},     {0x28, WORDS_PLACES},  {0x2e, WORDS_PAIRS},   {0x31, WORDS_PLACES}, {0x34, WORDS_TARGETS},
    {0x39, WORDS_QUADRUPLES}, {0x40, WORDS_TRIPLES}, {0x44, WORDS_PAIRS},   {0x46, WORDS_PLACES}, {0x47, WORDS_PLACES},
    {0x55, WORDS_NOTES},      {0x57, WORDS_PLACES},
};

static derive_words derive_words_of(uint8_t code) {
  return (derive_words)TL_PAIRED32(derive_rows, code, WORDS_COPY);
}

/* How many words there are to a place; 0: none is one. */
static uint64_t derive_words_of_place(derive_words words) {
  enum { PAIR = 2, TRIPLE = 3, QUADRUPLE = 4 };
  return words == WORDS_PLACES       ? 1
         : words == WORDS_PAIRS      ? PAIR
         : words == WORDS_TRIPLES    ? TRIPLE
         : words == WORDS_QUADRUPLES ? QUADRUPLE
                                     : 0;
}

/* L1503: makes a place in decoded code, cut to whole instructions, that of the instruction which nvlink knows by it in the SASS
 * text, or of the first one that is made there; 0 where none begins there (L762, L872). */
static void derive_place(const deriver *d, bool first, uint8_t *word) {
  const uint32_t place = tl_get32(word) / TL_CODE_INSTRUCTION * TL_CODE_INSTRUCTION;
  const tl_code_place *const found = tl_code_find(&d->code, place);
  const bool begins = found && found->mercury == place;
  const uint32_t index = begins && !first ? tl_code_known_of(d->text, found).own : 0;
  tl_put32(word, begins ? (uint32_t)found->sass + index * TL_CODE_INSTRUCTION : 0);
}

static void derive_targets(const deriver *d, uint8_t *payload, uint64_t size) {
  uint64_t position = 0;
  tl_targets list;
  while (tl_targets_next(payload, size, &position, &list)) {
    derive_place(d, true, payload + list.branch);
    for (uint64_t i = 0; i < list.count; i++)
      derive_place(d, true, payload + list.first + i * WORD);
  }
}

static void derive_payload(const deriver *d, derive_words words, uint8_t *payload, uint64_t size) {
  const uint64_t step = WORD * derive_words_of_place(words);
  if (words == WORDS_TARGETS)
    derive_targets(d, payload, size);
  for (uint64_t position = 0, place; words == WORDS_NOTES && tl_annotation_next(payload, size, &position, &place);)
    derive_place(d, false, payload + place);
  for (uint64_t i = 0; step && i + WORD <= size; i += step)
    derive_place(d, false, payload + i);
}

/* The next record of that code in a section's list; false behind the last. */
static bool derive_next_own(const tl_cubin_section *own, uint8_t code, uint64_t *position, tl_record *record) {
  while (tl_record_next_whole(own, position, record))
    if (record->code == code)
      return true;
  return false;
}

enum { AVOIDED = 0x36 }; /* what the machine's code has to avoid */

static uint8_t derive_avoided(const deriver *d) {
  enum { BITS = 8, SM_120 = 120 };
  return (d->cubin->flags >> 8 & UINT8_MAX) < SM_120 ? BITS : 0;
}

/* Appends the SASS side's form of a Mercury record. */
static void derive_record(const deriver *d, const tl_cubin_section *mercury, const tl_record *record,
                          const tl_cubin_section *own, uint64_t *position, tl_cubin_section *out) {
  const derive_words words = derive_words_of(record->code);
  const uint64_t size = tl_record_length(record);
  uint8_t *const to = (uint8_t *)out->data + out->size;
  tl_record same;
  if (words == WORDS_MERCURY)
    return;
  memcpy(to, mercury->data + record->offset, size);
  out->size += size;
  if (record->code == AVOIDED && record->format == TL_RECORD_WHOLE && size >= WORD + WORD)
    tl_put32(to + WORD, tl_get32(to + WORD) | derive_avoided(d)); /* L1798 */
  if (words == WORDS_COPY)
    return;
  if (words != WORDS_OWN && d->known) {
    if (record->format == TL_RECORD_WHOLE)
      derive_payload(d, words, to + WORD, size - WORD);
    return;
  }
  if (derive_next_own(own, record->code, position, &same) && tl_record_length(&same) == size)
    memcpy(to, own->data + same.offset, size);
}

/* L1275: a bank is as large as Mercury's records say, and its alignment is always the same. All banks share their zeros, or many
 * small texts took much memory. */
static void derive_bank(const deriver *d, uint32_t text, uint64_t size) {
  enum { ALIGN = 4, LARGEST = 0x380 + 0xffff + 0xffff };
  static const uint8_t zeros[LARGEST];
  tl_cubin_section *const bank = derive_section(d, d->bank[text]);
  if (bank->type != SHT_CUDA_CONSTANT0)
    return;
  bank->align = ALIGN;
  if (bank->size != size)
    bank->data = zeros;
  bank->size = size;
}

/* Where a kernel's parameters end, as its records say (L1275; L1700 where there are more than 4 KB). One at 0xffff is nowhere. */
static uint32_t derive_parameters_end(const tl_cubin_section *mercury) {
  enum { NOWHERE = 0xffff, PLACE = 6, SIZE = 8, LEAST = 12, SIZE_SHIFT = 18 };
  uint32_t end = 0;
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(mercury, &position, &record)) {
    const bool is_large = record.code == EIATTR_KPARAM_INFO_V2;
    if ((record.code != EIATTR_KPARAM_INFO && !is_large) || record.size < LEAST)
      continue;
    const uint32_t place = tl_get16(record.data + PLACE), word = tl_get32(record.data + SIZE);
    if (place != NOWHERE)
      end = (uint32_t)tl_larger(end, place + (is_large ? word & UINT16_MAX : word >> SIZE_SHIFT));
  }
  return end;
}

static void derive_add_record(tl_cubin_section *out, const uint8_t *record, size_t size) {
  memcpy((uint8_t *)out->data + out->size, record, size);
  out->size += size;
}

/* What the SASS side alone has (L1228): the size of the parameters, which Mercury's records say, their bank, both where they have
 * a size (L1797), and what the machine's code has to avoid; each where Mercury's side has none such (L1535). */
static void derive_own_records(const deriver *d, const tl_cubin_section *mercury, const tl_cubin_section *own,
                               tl_cubin_section *out) {
  enum { SIZE = 0x19, WHOLE = 4, SHORT = 3, PARAMETERS = 0x380 };
  const uint32_t end = derive_parameters_end(mercury); /* 0: no records (L1751) */
  derive_bank(d, own->info, PARAMETERS + end);
  const uint8_t size[] = {SHORT, SIZE, (uint8_t)end, (uint8_t)(end >> 8)};
  uint8_t bank[12] = {WHOLE, EIATTR_PARAM_CBANK, 8, 0};
  tl_put32(bank + 4, d->bank_symbol[own->info]);
  tl_put16(bank + 8, PARAMETERS);
  tl_put16(bank + 10, (uint16_t)end);
  if (end && !tl_records_have_whole(mercury->data, mercury->size, SIZE))
    derive_add_record(out, size, sizeof size);
  const bool judged = d->cubin->role.joined; /* by what stays of Mercury's in its link (L1802) */
  if (end && (judged || !tl_records_have_whole(mercury->data, mercury->size, EIATTR_PARAM_CBANK)))
    derive_add_record(out, bank, sizeof bank);
  const uint8_t avoided[] = {WHOLE, AVOIDED, 4, 0, derive_avoided(d), 0, 0, 0};
  if (!tl_records_have_whole(mercury->data, mercury->size, AVOIDED))
    derive_add_record(out, avoided, sizeof avoided);
}

/* By section: whether a function stands behind the beginning of its text. */
static const bool *derive_find_inner(const deriver *d) {
  bool *const inner = tl_arena_new(d->arena, bool, d->cubin->section_count);
  for (uint64_t i = 0; i < d->symbol_count; i++) {
    const uint8_t *const symbol = d->symbols + i * ELF_SYMBOL_SIZE;
    const uint32_t section = tl_get16(symbol + 6);
    if ((symbol[4] & 15) == STT_FUNC && section < d->cubin->section_count && tl_get64(symbol + 8))
      inner[section] = true;
  }
  return inner;
}

/* L1885, as L721: a text with several functions has one stack, that of the last record about one of them. */
static void derive_share_stacks(const deriver *d, tl_cubin_section *own) {
  enum { VALUE = 4, PAIR = 8 };
  const bool *const inner = derive_find_inner(d);
  uint32_t *const stacks = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  for (int round = 0; round < 2; round++) {
    tl_record record;
    for (uint64_t position = 0; tl_record_next_whole(own, &position, &record);) {
      if (record.code != EIATTR_FRAME_SIZE || record.format != TL_RECORD_WHOLE || record.size < PAIR)
        continue;
      const uint64_t symbol = tl_get32(record.data);
      const uint8_t *const function = symbol < d->symbol_count ? d->symbols + symbol * ELF_SYMBOL_SIZE : NULL;
      const uint32_t text = function && (function[4] & 15) == STT_FUNC ? tl_get16(function + 6) : 0;
      if (text >= d->cubin->section_count || !inner[text])
        continue;
      if (!round)
        stacks[text] = tl_get32(record.data + VALUE);
      else
        tl_put32((uint8_t *)own->data + (record.data - own->data) + VALUE, stacks[text]);
    }
  }
}

/* The attributes of one text, or of the file; what is not the SASS side's attributes stays. */
static void derive_attributes(const deriver *d, const tl_cubin_section *mercury, tl_cubin_section *own) {
  enum { OWN_RECORDS = 24 };
  if (own->type != SHT_CUDA_INFO)
    return;
  uint8_t *const bytes = tl_arena_new(d->arena, uint8_t, mercury->size + own->size + OWN_RECORDS);
  tl_cubin_section out = {.data = bytes};
  uint64_t own_positions[256] = {0}, position = 0;
  tl_record record;
  while (tl_record_next_whole(mercury, &position, &record))
    derive_record(d, mercury, &record, own, &own_positions[record.code], &out);
  if (own->info && own->info < d->cubin->section_count)
    derive_own_records(d, mercury, own, &out);
  own->data = bytes;
  own->size = out.size;
  if (!own->info && !d->cubin->role.joined)
    derive_share_stacks(d, own);
}

/* --- entries of texts --- */

/* The SASS side has the place in the bytes, and no entry. */
static bool derive_is_code_place(uint32_t type) {
  return tl_relocation_is_code_place(tl_relocation_in_view(type, true));
}

/* A type of an entry of Mercury text, and of the SASS entry beside it: by the SASS instruction's opcode. */
typedef struct derive_type {
  uint32_t mercury;
  uint16_t opcode;
  uint32_t sass;
  uint32_t other; /* where the SASS side has this one, it stays; 0: none */
} derive_type;

static const derive_type derive_types[] = {
    {TL_R_MERCURY + 0x02, 0x343, 114, 0},  {TL_R_MERCURY + 0x02, 0x943, 75, 0},   {TL_R_MERCURY + 0x03, 0x7ac, 115, 0},
    {TL_R_MERCURY + 0x03, 0x802, 55, 0},   {TL_R_MERCURY + 0x03, 0x882, 55, 0},   {TL_R_MERCURY + 0x04, 0x802, 59, 0},
    {TL_R_MERCURY + 0x04, 0x882, 59, 0},   {TL_R_MERCURY + 0x04, 0xb82, 66, 0},   {TL_R_MERCURY + 0x05, 0x802, 56, 62},
    {TL_R_MERCURY + 0x05, 0x882, 56, 62},  {TL_R_MERCURY + 0x06, 0x802, 57, 63},  {TL_R_MERCURY + 0x06, 0x882, 57, 63},
    {TL_R_MERCURY + 0x3e, 0x802, 112, 62}, {TL_R_MERCURY + 0x3e, 0x882, 112, 62}, {TL_R_MERCURY + 0x3f, 0x802, 113, 63},
    {TL_R_MERCURY + 0x3f, 0x882, 113, 63},
};

/* What an entry of Mercury's is about; of an index behind its table a symbol of no type, whose name lies in no table. */
static const uint8_t *derive_subject(const deriver *d, const uint8_t *entry) {
  static const uint8_t none[ELF_SYMBOL_SIZE] = {0xff, 0xff, 0xff, 0xff};
  const uint64_t symbol = tl_get32(entry + 12);
  return symbol < d->symbol_count ? d->symbols + symbol * ELF_SYMBOL_SIZE : none;
}

/* L1508: what an instruction makes of half a place in the code, by its opcode: its addend stays, or is 0. */
typedef enum derive_half { HALF_PLACE, HALF_STAYS, HALF_ZERO } derive_half;

static derive_half derive_half_of(uint16_t opcode) {
  static const uint16_t stays[] = {0x387, 0x5b2, 0x7ac, 0x805, 0x8cb, 0x919, 0x91a,
                                   0x949, 0x958, 0x983, 0x9c3, 0xb1d, 0xb82};
  static const uint16_t zero[] = {0x943, 0x944, 0x945, 0x947, 0x94e};
  return TL_AMONG16(stays, opcode) ? HALF_STAYS : TL_AMONG16(zero, opcode) ? HALF_ZERO : HALF_PLACE;
}

/* L615, L1231: against a kernel the SASS side has its descriptor, also of what an executable rewrites to such a type; 0 where the
 * type is none of an address. */
static uint32_t derive_descriptor_type(uint32_t type) {
  enum { DESCRIPTOR = 61, DESCRIPTOR_LOW, DESCRIPTOR_HIGH };
  switch (type) {
  case TL_R_MERCURY + 0x03:
  case TL_R_MERCURY + 0x33:
    return DESCRIPTOR;
  case TL_R_MERCURY + 0x05:
  case TL_R_MERCURY + 0x3e:
    return DESCRIPTOR_LOW;
  case TL_R_MERCURY + 0x06:
  case TL_R_MERCURY + 0x3f:
    return DESCRIPTOR_HIGH;
  default:
    return 0;
  }
}

static uint32_t derive_descriptor(const deriver *d, const uint8_t *entry) {
  const uint8_t *const subject = derive_subject(d, entry);
  const bool kernel = (subject[4] & 15) == STT_FUNC && subject[5] & STO_ENTRY;
  return kernel ? derive_descriptor_type(tl_get32(entry + 8)) : 0;
}

uint32_t tl_derive_type_in_code(uint32_t type, uint16_t opcode, bool kernel) {
  enum { LOAD = 0x7ac };
  const bool load = opcode == LOAD && type == TL_R_MERCURY + 0x03; /* has its own number */
  const uint32_t descriptor = kernel && !load ? derive_descriptor_type(type) : 0;
  if (descriptor)
    return descriptor;
  for (size_t i = 0; i < sizeof derive_types / sizeof *derive_types; i++)
    if (derive_types[i].mercury == type && derive_types[i].opcode == opcode)
      return derive_types[i].sass;
  return tl_sass_type_in_code(type, opcode);
}

bool tl_derive_half_addend(const tl_code *code, uint16_t opcode, uint64_t addend, uint64_t *place) {
  const tl_code_place *const target = tl_code_find(code, tl_code_whole(addend));
  const derive_half half = derive_half_of(opcode);
  if (half == HALF_STAYS)
    return false;
  *place = half == HALF_PLACE && target ? target->sass : 0;
  return true;
}

/* Of several half places at an instruction nvlink changes the one that stands furthest behind its beginning, and of those the
 * first one that it reads (L1540): by instruction the entry's place in the list. */
static void derive_find_halves(deriver *d, const tl_cubin_section *mercury) {
  tl_map_init(&d->halves, d->arena);
  for (uint32_t i = 0; i < mercury->size / ELF_RELA_SIZE; i++) {
    const uint8_t *const entry = mercury->data + (uint64_t)i * ELF_RELA_SIZE;
    const tl_code_place *const place =
        tl_code_is_half_place(tl_get32(entry + 8)) ? tl_code_find(&d->code, tl_get64(entry)) : NULL;
    if (!place)
      continue;
    const uint64_t instruction = (uint64_t)(place - d->code.items);
    const uint32_t known = tl_map_get(&d->halves, instruction);
    const uint64_t before = known == TL_NONE ? 0 : tl_get64(mercury->data + (uint64_t)known * ELF_RELA_SIZE);
    const bool last = !d->cubin->role.joined && before == tl_get64(entry); /* L1747 */
    if (known == TL_NONE || before < tl_get64(entry) || last)
      tl_map_set(&d->halves, instruction, i);
  }
  d->halves_of = mercury->data;
}

static bool derive_is_chosen_half(const deriver *d, const uint8_t *entry) {
  const tl_code_place *const place = tl_code_find(&d->code, tl_get64(entry));
  const uint32_t chosen = place ? tl_map_get(&d->halves, (uint64_t)(place - d->code.items)) : TL_NONE;
  return chosen != TL_NONE && (uint64_t)(entry - d->halves_of) == (uint64_t)chosen * ELF_RELA_SIZE;
}

/* A place of the caller. False where no instruction begins there. */
static bool derive_half_place(const deriver *d, uint16_t opcode, const uint8_t *from, uint8_t *to) {
  const uint64_t addend = tl_code_whole(tl_get64(from + 16));
  const tl_code_place *const target = tl_code_find(&d->code, addend);
  const derive_half half = derive_half_of(opcode);
  if (half == HALF_STAYS || !derive_is_chosen_half(d, from))
    return true;
  if (half == HALF_PLACE && (!target || target->mercury != addend) && addend != d->code.mercury_size)
    return false;
  tl_put64(to + 16, half == HALF_PLACE && target ? target->sass : 0);
  return true;
}

/* The SASS entry of a Mercury one; `own` is the SASS side's, NULL where that has another number of entries. False where
 * nothing is known. What has no number of its own for the instruction has the one of L1200. */
static bool derive_entry(deriver *d, const uint8_t *from, const uint8_t *own, const tl_cubin_section *sass,
                         uint8_t *to) {
  enum { LOAD = 0x7ac };
  const uint32_t type = tl_get32(from + 8);
  const tl_code_place *const place = tl_code_find(&d->code, tl_get64(from));
  if (!place)
    return false;
  memcpy(to, from, ELF_RELA_SIZE);
  tl_put64(to, place->sass);
  const uint16_t opcode = tl_code_opcode(place, sass);
  if (tl_code_is_half_place(type) && !derive_half_place(d, opcode, from, to))
    return false;
  const bool load = opcode == LOAD && type == TL_R_MERCURY + 0x03; /* has its own number */
  const uint32_t descriptor = load ? 0 : derive_descriptor(d, from);
  for (size_t i = 0; i < sizeof derive_types / sizeof *derive_types; i++) {
    const derive_type *const row = &derive_types[i];
    if (row->mercury != type || row->opcode != opcode)
      continue;
    const bool other = own && row->other && tl_get32(own + 8) == row->other;
    tl_put32(to + 8, descriptor ? descriptor : other ? row->other : row->sass);
    return true;
  }
  if (descriptor)
    tl_put32(to + 8, descriptor);
  else if (!d->cubin->role.joined) /* else relocate/ goes by Mercury's number, and writes the other (L1200) */
    tl_put32(to + 8, tl_sass_type_in_code(type, opcode));
  return true;
}

/* L933: of an entry of which nothing is known the SASS side's at its number is the same one only where it stands at the same
 * instruction. */
static bool derive_contradicts(const deriver *d, const uint8_t *from, const uint8_t *own) {
  const tl_code_place *const place = tl_code_find(&d->code, tl_get64(from));
  return place && place->sass != tl_get64(own);
}

/* ptxas writes no entry of the reserved bytes of shared memory on the SASS side (M17); the instruction has their number, which
 * a link of SASS kind leaves alone. */
static bool derive_is_reserved(const deriver *d, const uint8_t *entry) {
  return derive_is_called(d, derive_subject(d, entry), ".nv.reservedSmem.cap");
}

/* Such an entry whose value the finalizer writes before the link; of the other types it makes entries (L1200). */
static bool derive_is_written_reserved(const deriver *d, const uint8_t *entry) {
  return tl_get32(entry + 8) == TL_R_MERCURY + 0x03 && !d->cubin->role.joined && derive_is_reserved(d, entry);
}

/* Puts a number in the instructions where entries of the reserved bytes of shared memory stand: the SASS side has no
 * entry there. */
static void derive_put_reserved(const deriver *d, const tl_cubin_section *entries, uint32_t value, uint8_t *text) {
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const uint8_t *const entry = entries->data + at;
    const tl_code_place *const place = tl_code_find(&d->code, tl_get64(entry));
    if (place && place->count && derive_is_reserved(d, entry))
      tl_put32(text + place->sass + WORD, value);
  }
}

/* L763: the instructions at a namesake's entries of that kind have the number, and those at the function's own have none.
 * The text in hand is copied once, however many sections of entries are about it. */
static void derive_foreign_text(const deriver *d, uint32_t entries, tl_cubin_section *sass, uint8_t **copy) {
  if (!*copy)
    *copy = tl_arena_copy(d->arena, sass->data, sass->size);
  derive_put_reserved(d, &d->before[entries], 0, *copy);
  derive_put_reserved(d, derive_section(d, entries), TL_RESERVED_SHARED, *copy);
  const uint8_t *const records = derive_section(d, derive_section(d, entries)->info)->data;
  sass->torn |= tl_namesakes_change_text(&d->code, records, sass, derive_section(d, entries), *copy, d->arena);
  sass->data = *copy;
}

/* Entries of which the SASS side has none: that say nothing, and in a file that is finalized before it is linked places in the
 * code, which stand in the bytes there (L1200). */
static bool derive_is_silent(const deriver *d, const uint8_t *entry) {
  const uint32_t type = tl_get32(entry + 8);
  return type == 0 || type == TL_R_MERCURY || (!d->cubin->role.joined && derive_is_code_place(type));
}

/* An address of the program in code, which the instruction has on the SASS side, whatever the entry is about. */
static bool derive_is_address(uint32_t type) {
  enum { FIRST = TL_R_MERCURY + 0x08, LAST = TL_R_MERCURY + 0x0a };
  return type >= FIRST && type <= LAST;
}

/* The place in the SASS text, 0 for the end of the code; the high half is 0, too. */
static uint32_t derive_address(const deriver *d, const uint8_t *entry) {
  enum { HIGH = TL_R_MERCURY + 0x0a };
  const tl_code_place *const target = tl_code_find(&d->code, tl_code_whole(tl_get64(entry + 16)));
  return target && tl_get32(entry + 8) != HIGH ? (uint32_t)target->sass : 0;
}

/* Writes the place in the code that an entry says, as the SASS side's table of symbols has it. `at`: where in the section. */
static void derive_put_place(const deriver *d, const uint8_t *entry, uint64_t at, uint8_t *bytes, uint64_t size) {
  const tl_relocation_row *const row = tl_relocation_in_view(tl_get32(entry + 8), true);
  const tl_cubin_section *const symbols = derive_section(d, tl_cubin_find_section(d->cubin, SHT_SYMTAB));
  const uint64_t number = tl_get32(entry + 12), count = symbols->size / ELF_SYMBOL_SIZE;
  if (!tl_relocation_is_code_place(row) || number >= count)
    return;
  const unsigned width = row->fields[0].width / 8u;
  if (at > size || width > size - at)
    return;
  const uint64_t value = tl_get64(symbols->data + number * ELF_SYMBOL_SIZE + 8) + tl_get64(entry + 16);
  const bool byte = row->fields[0].part == TL_PART_BYTE;
  tl_put(bytes + at, byte ? value >> row->fields[0].shift : value, width);
}

/* L1561, L1743: how many entries both sides have is what the SASS side's sh_entsize says. */
static uint64_t derive_entry_count(const tl_cubin_section *section, const tl_cubin_section *own) {
  return section->size / tl_larger(own->entry_size, ELF_RELA_SIZE);
}

static void derive_entries(deriver *d, const tl_cubin_section *mercury, tl_cubin_section *own,
                           const tl_cubin_section *sass) {
  const uint64_t count = derive_entry_count(mercury, own), own_count = derive_entry_count(own, own);
  uint64_t reserved = 0, done = 0, beside = 0;
  for (uint64_t i = 0; i < count; i++)
    reserved += derive_is_reserved(d, mercury->data + i * ELF_RELA_SIZE);
  const bool all = own_count == count, others = own_count == count - reserved;
  derive_find_halves(d, mercury);
  uint8_t *const bytes = tl_arena_new(d->arena, uint8_t, count *ELF_RELA_SIZE);
  bool *const places = tl_arena_new(d->arena, bool, count);
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const from = mercury->data + i * ELF_RELA_SIZE;
    const bool named = derive_is_reserved(d, from);
    if (derive_is_written_reserved(d, from)) {
      d->cubin->writes_reserved = true;
      beside += all;
      continue;
    }
    const uint8_t *const same = all || (others && !named) ? own->data + beside++ * ELF_RELA_SIZE : NULL;
    if (derive_is_silent(d, from) || derive_is_address(tl_get32(from + 8)))
      continue;
    uint8_t *const to = bytes + done * ELF_RELA_SIZE;
    const bool known = derive_entry(d, from, same, sass, to);
    places[done] = known && derive_is_chosen_half(d, from);
    if (!known && (same ? derive_contradicts(d, from, same) : !named))
      return;
    if (!known && same)
      memcpy(to, same, ELF_RELA_SIZE);
    done += known || same;
  }
  own->data = bytes;
  own->size = done * ELF_RELA_SIZE;
  own->places = places;
  own->entry_size = ELF_RELA_SIZE;
}

static void derive_foreign_entries(deriver *d, const tl_cubin_section *mercury, tl_cubin_section *own,
                                   const tl_cubin_section *sass) {
  const bool *const later = tl_namesakes_find_later(&d->code, mercury, d->arena);
  const uint8_t *const records = derive_section(d, mercury->info)->data;
  uint8_t *const bytes = tl_arena_new(d->arena, uint8_t, mercury->size);
  uint64_t done = 0;
  derive_find_halves(d, mercury);
  for (uint64_t i = 0; i < derive_entry_count(mercury, own); i++) {
    const uint8_t *const from = mercury->data + i * ELF_RELA_SIZE;
    if (derive_is_reserved(d, from))
      continue;
    if (!tl_namesakes_entry(&d->code, records, sass, from, later[i], bytes + done) &&
        !derive_entry(d, from, NULL, sass, bytes + done))
      return;
    done += ELF_RELA_SIZE;
  }
  own->data = bytes;
  own->size = done;
  own->entry_size = ELF_RELA_SIZE;
}

/* Attributes or entries of the text in hand; `own` are the SASS side's. */
static void derive_contents(deriver *d, const tl_cubin_section *mercury, tl_cubin_section *own,
                            const tl_cubin_section *sass) {
  if (mercury->type == SHT_CUDA_MERCURY_INFO)
    derive_attributes(d, mercury, own);
  if (mercury->type != SHT_CUDA_MERCURY_RELA || own->type != SHT_RELA || !d->known)
    return;
  if (d->foreign)
    derive_foreign_entries(d, mercury, own, sass);
  else
    derive_entries(d, mercury, own, sass);
}

/* --- entries of data --- */

/* A texture's address of 32 bits, which the SASS side's number would leave to the loader (L616). */
static bool derive_is_texture(const deriver *d, const uint8_t *entry) {
  return tl_get32(entry + 8) == TL_R_MERCURY + 3 && tl_type_is_texture(derive_subject(d, entry)[4] & 15);
}

/* Where the SASS side alone would be linked otherwise than the Mercury side, its entry takes Mercury's number, and relocate/
 * writes the other (R63, L585, L1200). */
static uint32_t derive_data_type(const deriver *d, const uint8_t *entry) {
  static const uint32_t alike[] = {TL_R_MERCURY + 0x01, TL_R_MERCURY + 0x02, TL_R_MERCURY + 0x03, TL_R_MERCURY + 0x0e,
                                   TL_R_MERCURY + 0x0f, TL_R_MERCURY + 0x32, TL_R_MERCURY + 0x33};
  const uint32_t type = tl_get32(entry + 8);
  const bool plain = TL_AMONG32(alike, type) && !derive_is_texture(d, entry);
  return plain || !d->cubin->role.joined ? tl_sass_type_in_data(type) : type;
}

/* L1500: the place of a unit's line table, which every view has its own of (L768). */
static bool derive_is_line_unit(const deriver *d, const uint8_t *entry) {
  const uint8_t *const subject = derive_subject(d, entry);
  const uint32_t section = tl_get16(subject + 6);
  return tl_get32(entry + 8) == TL_R_MERCURY + 0x08 && (subject[4] & 15) == STT_SECTION && section &&
         section < d->cubin->section_count && strcmp(derive_name(d, section), ".nv.merc.debug_line") == 0;
}

/* Where the instructions of a capsule are that the SASS side has the text of; NULL where that is not known. `context` is the
 * deriver. */
static const tl_code *derive_code_of(void *context, uint32_t capsule) {
  deriver *const d = context;
  const tl_cubin_section *const body = derive_section(d, capsule), *const text = derive_section(d, d->sass[capsule]);
  if (!d->codes)
    d->codes = tl_arena_new(d->arena, tl_code *, d->cubin->section_count);
  if (!d->codes[capsule]) {
    d->codes[capsule] = tl_arena_new(d->arena, tl_code, 1);
    if (!tl_code_read(d->codes[capsule], body->data, body->size, text->data, text->size, d->arena))
      *d->codes[capsule] = (tl_code){0};
  }
  return d->codes[capsule]->count ? d->codes[capsule] : NULL;
}

/* L1645: the address of code in debug data is that of an instruction on the SASS side, as where both views are linked (L1484). */
static uint64_t derive_debug_addend(deriver *d, const uint8_t *entry) {
  enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };
  const uint32_t type = tl_get32(entry + 8);
  const uint8_t *const subject = derive_subject(d, entry);
  const uint32_t capsule = tl_get16(subject + 6);
  const uint64_t place = tl_get64(entry + 16);
  if (!d->debug_is_moved || (type != CODE_WORD && type != CODE_ADDRESS) || (subject[4] & 15) != STT_FUNC ||
      capsule >= d->cubin->section_count || derive_section(d, capsule)->type != SHT_CUDA_CAPSULE || !d->sass[capsule])
    return place;
  const tl_code *const code = derive_code_of(d, capsule);
  return code ? tl_code_translate(code, place, derive_section(d, d->sass[capsule])->size) : place;
}

/* L1932: part of an entry behind them does not count. */
static void derive_data_entries(deriver *d, const tl_cubin_section *mercury, tl_cubin_section *own, bool debug) {
  enum { ADDRESS32 = 1 };
  uint64_t done = 0;
  if (mercury->type != SHT_CUDA_MERCURY_RELA || own->type != SHT_RELA)
    return;
  uint8_t *const bytes = tl_arena_new(d->arena, uint8_t, mercury->size);
  const uint64_t count = derive_entry_count(mercury, own);
  for (uint64_t at = 0; at < count * ELF_RELA_SIZE; at += ELF_RELA_SIZE) {
    const uint8_t *const entry = mercury->data + at;
    const bool unit = derive_is_line_unit(d, entry);
    if (derive_is_silent(d, entry) && !unit)
      continue;
    memcpy(bytes + done, entry, ELF_RELA_SIZE);
    tl_put32(bytes + done + 8, unit ? ADDRESS32 : derive_data_type(d, entry));
    if (debug)
      tl_put64(bytes + done + 16, derive_debug_addend(d, entry));
    done += ELF_RELA_SIZE;
  }
  own->data = bytes;
  own->size = done;
  own->entry_size = ELF_RELA_SIZE;
}

/* The places in the code that a file which is finalized before it is linked has in its data. */
static void derive_data_places(const deriver *d, const tl_cubin_section *mercury, tl_cubin_section *data) {
  if (d->cubin->role.joined || mercury->type != SHT_CUDA_MERCURY_RELA || !data->data)
    return;
  uint8_t *copy = NULL;
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= mercury->size; at += ELF_RELA_SIZE) {
    const uint8_t *const entry = mercury->data + at;
    if (!derive_is_code_place(tl_get32(entry + 8)))
      continue;
    copy = copy ? copy : tl_arena_copy(d->arena, data->data, data->size);
    derive_put_place(d, entry, tl_get64(entry), copy, data->size);
  }
  data->data = copy ? copy : data->data;
}

/* --- all --- */

static void derive_sizes(deriver *d) {
  d->sizes = tl_arena_new(d->arena, uint64_t, d->cubin->section_count);
  for (uint64_t i = 0; i < d->symbol_count; i++) {
    const uint8_t *const symbol = d->symbols + i * ELF_SYMBOL_SIZE;
    const uint32_t section = tl_get16(symbol + 6);
    const uint64_t size = tl_get64(symbol + 16);
    if (section >= d->cubin->section_count)
      continue;
    if ((symbol[4] & 15) == STT_FUNC)
      d->sizes[section] = tl_larger(d->sizes[section], size);
    else if (derive_section(d, section)->type == SHT_CUDA_OPTIMIZER_CONSTANT)
      d->sizes[section] = tl_larger(d->sizes[section], tl_get64(symbol + 8) + size);
  }
}

/* What a move holds on the SASS side, where there is no entry: an address of the program, or the place of the reserved bytes
 * of shared memory. */
static void derive_put_held(const deriver *d, const uint8_t *entry, const tl_code_place *place,
                            const tl_cubin_section *sass, uint8_t *bytes) {
  enum { MOVE = 0x802, MOVE_UNIFORM = 0x882 };
  const uint16_t opcode = tl_code_opcode(place, sass);
  const bool address = derive_is_address(tl_get32(entry + 8));
  if (opcode == MOVE || opcode == MOVE_UNIFORM)
    tl_put32(bytes + place->sass + WORD,
             address ? derive_address(d, entry) : TL_RESERVED_SHARED + tl_get32(entry + 16));
}

/* What entries say that the SASS side has not stands in its text. */
static void derive_text_places(const deriver *d, const tl_cubin_section *mercury, tl_cubin_section *sass,
                               uint8_t **copy) {
  for (uint64_t at = 0; mercury->type == SHT_CUDA_MERCURY_RELA && at + ELF_RELA_SIZE <= mercury->size;
       at += ELF_RELA_SIZE) {
    const uint8_t *const entry = mercury->data + at;
    const uint32_t type = tl_get32(entry + 8);
    const tl_code_place *const place = tl_code_find(&d->code, tl_get64(entry));
    const bool held = derive_is_address(type) || derive_is_written_reserved(d, entry);
    const bool other = !held && !d->cubin->role.joined && derive_is_code_place(type);
    if (!place || !place->count || (!held && !other))
      continue;
    if (!*copy)
      *copy = tl_arena_copy(d->arena, sass->data, sass->size);
    if (held)
      derive_put_held(d, entry, place, sass, *copy);
    else
      derive_put_place(d, entry, place->sass, *copy, sass->size);
    sass->data = *copy;
  }
}

/* Entries that are not read say nothing of reserved shared memory (L1492). */
static void derive_lone_entries(const deriver *d, uint32_t entries, tl_cubin_section *sass, uint8_t **copy) {
  if (derive_section(d, entries)->type != SHT_CUDA_MERCURY_RELA)
    return;
  *copy = *copy ? *copy : tl_arena_copy(d->arena, sass->data, sass->size);
  derive_put_reserved(d, derive_section(d, entries), 0, *copy);
  sass->data = *copy;
}

/* L1420: behind the last instruction the SASS side has a branch to itself and NOPs, as many as the capsule says, whatever the
 * input has there. */
static void derive_end_of_text(const deriver *d, tl_cubin_section *sass, uint8_t **copy) {
  static const uint8_t branch[] = {0x47, 0x79, 0xfc, 0x00, 0xfc, 0xff, 0xff, 0xff,
                                   0xff, 0xff, 0x83, 0x03, 0x00, 0xc0, 0x0f, 0x00};
  static const uint8_t nop[] = {0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x0f, 0};
  const tl_code_place *const last = d->code.count ? &d->code.items[d->code.count - 1] : NULL;
  if (!last || last->code || !last->count)
    return;
  for (uint64_t at = last->sass; at + sizeof nop <= sass->size; at += sizeof nop) {
    const uint8_t *const made = at == last->sass ? branch : nop;
    if (memcmp(sass->data + at, made, sizeof nop) == 0)
      continue;
    *copy = *copy ? *copy : tl_arena_copy(d->arena, sass->data, sass->size);
    memcpy(*copy + at, made, sizeof nop);
    sass->data = *copy;
  }
}

/* The places that the records of 0x34 of the text in hand list as targets of jumps (L1490, L1753), for a file that is finalized
 * before it is linked. */
static void derive_find_targets(deriver *d, uint32_t capsule, const tl_cubin_about *about) {
  enum { INDIRECT_TARGETS = 0x34 };
  tl_map_init(&d->targets, d->arena);
  for (uint32_t i = d->cubin->role.joined ? 0 : about->last[capsule]; i; i = about->previous[i]) {
    const tl_cubin_section *const records = derive_section(d, i);
    uint64_t position = 0;
    tl_record record;
    while (records->type == SHT_CUDA_MERCURY_INFO && tl_record_next_whole(records, &position, &record)) {
      uint64_t at = 0;
      tl_targets list;
      const bool lists = record.code == INDIRECT_TARGETS && record.format == TL_RECORD_WHOLE;
      while (lists && tl_targets_next(record.data, record.size, &at, &list))
        for (uint64_t k = 0; k < list.count; k++)
          tl_set_add(&d->targets, tl_get32(record.data + list.first + k * WORD));
    }
  }
}

/* A word of a table of jumps: the SASS place of what the entry says, 0 for none of its function's targets. */
static uint32_t derive_jump(const deriver *d, const uint8_t *entry, uint32_t capsule) {
  const uint64_t place = tl_get64(entry + 16);
  const tl_code_place *const target = d->known ? tl_code_find(&d->code, place) : NULL;
  const bool own = tl_get16(derive_subject(d, entry) + 6) == capsule;
  return own && target && target->mercury == place && tl_set_has(&d->targets, place) ? (uint32_t)target->sass : 0;
}

/* The SASS place that an entry says where both views are linked (final_jump_tables has the last word); without one the input's own
 * word stays. */
static void derive_put_joined_jump(const deriver *d, const uint8_t *entry, uint64_t at, const tl_cubin_section *own,
                                   uint8_t *bytes) {
  const tl_code_place *const target = d->known ? tl_code_find(&d->code, tl_get64(entry + 16)) : NULL;
  if (target && target->mercury == tl_get64(entry + 16))
    tl_put32(bytes + at, (uint32_t)target->sass);
  else if (at <= own->size && own->size - at >= WORD)
    memcpy(bytes + at, own->data + at, WORD);
}

/* What an entry of compiler constants writes. */
static void derive_put_jump(const deriver *d, const uint8_t *entry, const tl_cubin_section *mercury,
                            const tl_cubin_section *own, uint8_t *bytes) {
  enum { PROG_REL32 = TL_R_MERCURY + 0x08, MOST = 8 };
  const uint64_t at = tl_get64(entry), size = mercury->size;
  const bool jump = tl_get32(entry + 8) == PROG_REL32;
  if (!jump && !d->cubin->role.joined) {
    uint8_t room[2 * MOST] = {0}; /* as much of a place as there is room for */
    const uint64_t count = at < size ? tl_smaller(size - at, MOST) : 0;
    memcpy(room, bytes + (count ? at : 0), (size_t)count);
    derive_put_place(d, entry, 0, room, sizeof room);
    memcpy(bytes + (count ? at : 0), room, (size_t)count);
    return;
  }
  if (!jump || at > size || size - at < WORD)
    return;
  if (d->known && !d->cubin->role.joined)
    tl_put32(bytes + at, derive_jump(d, entry, mercury->info));
  else
    derive_put_joined_jump(d, entry, at, own, bytes);
}

/* L1463: the compiler constants of the text in hand are Mercury's, and as many, with SASS places in tables of jumps. Where
 * symbols end behind them, what stands there in the file counts, too (D88). */
static void derive_tables(const deriver *d, uint32_t constants, const tl_cubin_section *entries) {
  const tl_cubin_section *const mercury = derive_section(d, constants);
  tl_cubin_section *const own = derive_section(d, d->sass[constants]);
  if (own->type != SHT_CUDA_CONSTANT0 + 2 || !mercury->data || !own->data || d->sizes[constants] > mercury->size)
    return;
  uint8_t *const bytes = tl_arena_copy(d->arena, mercury->data, mercury->size);
  for (uint64_t at = 0; entries->type == SHT_CUDA_MERCURY_RELA && at + ELF_RELA_SIZE <= entries->size;
       at += ELF_RELA_SIZE)
    derive_put_jump(d, entries->data + at, mercury, own, bytes);
  if (own->size == mercury->size && memcmp(own->data, bytes, own->size) == 0)
    return; /* what follows it in the file stays at hand */
  own->data = bytes;
  own->size = mercury->size;
}

/* L1537: attributes of the SASS side alone are Mercury's, too, and translated as those. */
static void derive_alone(const deriver *d, uint32_t attributes) {
  tl_cubin_section mercury = *derive_section(d, attributes);
  tl_derive_add_version(&mercury, d->version, d->arena);
  derive_attributes(d, &mercury, derive_section(d, attributes));
}

/* L1572: the last section about it that nvlink reads; 0. */
static uint32_t derive_entries_about(const deriver *d, const tl_cubin_about *about, uint32_t section) {
  uint32_t entries = about->last[section];
  while (entries && d->lone[entries])
    entries = about->previous[entries];
  return entries;
}

/* Attributes and entries of one text. */
static void derive_text(deriver *d, uint32_t capsule, const tl_cubin_about *about) {
  const tl_cubin_section *const body = derive_section(d, capsule);
  enum { ALIGN = 128 }; /* whatever the input has (L1494) */
  tl_cubin_section *const sass = derive_section(d, d->sass[capsule]);
  uint8_t *copy = NULL;
  sass->align = ALIGN;
  d->text = sass->data;
  const bool whole = tl_code_read(&d->code, body->data, body->size, sass->data, sass->size, d->arena);
  d->known = whole;
  derive_find_targets(d, capsule, about);
  for (uint32_t i = about->last[capsule]; i; i = about->previous[i]) {
    d->foreign = d->before && d->before[i].type != SHT_NULL;
    if (d->foreign && d->known && d->cubin->role.joined && !derive_is_lone(d, i) &&
        derive_section(d, i)->type == SHT_CUDA_MERCURY_RELA)
      derive_foreign_text(d, i, sass, &copy);
    const uint32_t entries = derive_entries_about(d, about, i);
    const bool constants = d->sass[i] && derive_section(d, i)->type == SHT_CUDA_OPTIMIZER_CONSTANT;
    if (constants)
      derive_tables(d, i, derive_section(d, d->cubin->role.joined || d->sass[entries] ? entries : 0));
    if (constants && !d->cubin->role.joined && d->sass[entries]) /* L1753 */
      derive_data_entries(d, derive_section(d, entries), derive_section(d, d->sass[entries]), false);
    if (constants)
      continue;
    if (d->sass[i])
      derive_contents(d, derive_section(d, i), derive_section(d, d->sass[i]), sass);
  }
  if (d->alone_of[d->sass[capsule]])
    derive_alone(d, d->alone_of[d->sass[capsule]]);
  for (uint32_t i = d->known ? about->last[capsule] : 0; i; i = about->previous[i])
    if (d->cubin->role.joined && derive_is_lone(d, i))
      derive_lone_entries(d, i, sass, &copy);
    else
      derive_text_places(d, derive_section(d, i), sass, &copy);
  if (whole)
    derive_end_of_text(d, sass, &copy);
}

/* L1274: variables and user constants have Mercury's bytes, as many as there are. */
static void derive_data_bytes(const deriver *d, uint32_t data) {
  const tl_cubin_section *const mercury = derive_section(d, data);
  tl_cubin_section *const own = derive_section(d, d->sass[data]);
  const uint32_t type = mercury->type == SHT_CUDA_USER_CONSTANT  ? SHT_CUDA_CONSTANT0 + 3
                        : mercury->type == SHT_CUDA_PIC_CONSTANT ? SHT_CUDA_CONSTANT0 + 4
                                                                 : SHT_CUDA_GLOBAL_INIT;
  if (own->type != type)
    return;
  own->data = mercury->data;
  own->size = mercury->size;
}

/* L1480: the debug data of the SASS side is what nvlink makes of Mercury's when both are linked; the input's counts for
 * nothing. So it is Mercury's here, and has no entries: finalize/ makes them. */
static void derive_debug(const deriver *d, uint32_t debug) {
  const tl_cubin_section *const mercury = derive_section(d, debug);
  tl_cubin_section *const own = derive_section(d, d->sass[debug]);
  if (own->type != SHT_PROGBITS || own->flags & SHF_ALLOC)
    return;
  own->data = mercury->data;
  own->size = mercury->size;
}

/* Entries of debug data, on the SASS side. */
static bool derive_is_debug_entries(const deriver *d, const tl_cubin_section *entries) {
  const tl_cubin_section *const about = tl_cubin_section_at(d->cubin, entries->info);
  return entries->type == SHT_RELA && about->type == SHT_PROGBITS && !(about->flags & (SHF_ALLOC | SHF_CUDA_MERCURY));
}

/* What one section of data has, `entries` about it. */
static void derive_data(deriver *d, uint32_t data, uint32_t entries) {
  const tl_cubin_section *const mercury = derive_section(d, entries);
  const bool debug = derive_section(d, data)->type == SHT_PROGBITS;
  derive_data_entries(d, mercury, derive_section(d, d->sass[entries]), debug);
  if (d->sass[data])
    derive_data_places(d, mercury, derive_section(d, d->sass[data]));
}

/* L1500: in a file that is finalized before it is linked, debug data has Mercury's bytes and entries, too. Tables of registers and
 * frames are made when the code is (finalize/); rows of lines say places in the code, so that the input's stay (L1644). */
static bool derive_is_debug_data(const deriver *d, uint32_t section) {
  static const char *const tables[] = {".nv_debug_info_reg_sass", ".nv_debug_info_reg_type", ".debug_frame",
                                       ".debug_line", ".nv_debug_line_sass"};
  const tl_cubin_section *const mercury = derive_section(d, section);
  return mercury->type == SHT_PROGBITS && mercury->flags & SHF_CUDA_MERCURY && !(mercury->flags & SHF_ALLOC) &&
         d->sass[section] && derive_section(d, d->sass[section])->type == SHT_PROGBITS &&
         !TL_AMONG_TEXTS(tables, derive_name(d, d->sass[section]));
}

static void derive_debug_data(deriver *d, uint32_t section, const tl_cubin_about *about) {
  tl_cubin_section *const own = derive_section(d, d->sass[section]);
  own->data = derive_section(d, section)->data;
  own->size = derive_section(d, section)->size;
  for (uint32_t i = about->last[section]; i; i = about->previous[i])
    if (d->sass[i])
      derive_data(d, section, i);
}

/* L1724, before entries change the code. Of several sections of the name the first, or many would each take a copy. */
static void derive_frames(deriver *d, const tl_cubin_about *about) {
  uint32_t frames = 1;
  while (frames < d->cubin->section_count && (!d->sass[frames] || !d->sass[about->last[frames]] ||
                                              strcmp(derive_name(d, frames), ".nv.merc.debug_frame") != 0))
    frames++;
  if (frames >= d->cubin->section_count) /* there may be none at all */
    return;
  const uint32_t entries = about->last[frames];
  const tl_cubin_section *const own = derive_section(d, d->sass[frames]), *const list =
                                                                              derive_section(d, d->sass[entries]);
  const tl_derive_frames of = {.cubin = d->cubin,
                               .symbols = d->symbols,
                               .symbol_count = d->symbol_count,
                               .sass = d->sass,
                               .barriers = d->cubin->role.barriers,
                               .arena = d->arena,
                               .context = d,
                               .code_of = derive_code_of};
  if (derive_section(d, entries)->type == SHT_CUDA_MERCURY_RELA && own->type == SHT_PROGBITS && list->type == SHT_RELA)
    tl_derive_make_frames(&of, frames, entries);
}

/* Places in the code are looked up where the file has tables of registers (L1484). */
static void derive_find_registers(deriver *d) {
  uint32_t tables = 0;
  for (uint32_t i = 1; i < d->cubin->section_count; i++) {
    const tl_cubin_section *const section = derive_section(d, i);
    const bool debug = section->type == SHT_PROGBITS && section->flags & SHF_CUDA_MERCURY;
    if (!debug || section->flags & SHF_ALLOC)
      continue;
    tables |= strcmp(derive_name(d, i), ".nv.merc.nv_debug_info_reg_sass") == 0 ? 1 : 0;
    tables |= strcmp(derive_name(d, i), ".nv.merc.nv_debug_info_reg_type") == 0 ? 2 : 0;
  }
  d->debug_is_moved = tables == 3 && !d->cubin->role.joined;
}

static void derive_list_alone(deriver *d) {
  const bool *const alone = derive_find_alone(d);
  d->version = tl_derive_find_version(d->cubin, d->names);
  d->alone_of = tl_arena_new(d->arena, uint32_t, d->cubin->section_count);
  for (uint32_t i = 1; i < d->cubin->section_count; i++)
    if (alone[i] && derive_section(d, i)->info)
      d->alone_of[derive_section(d, i)->info] = i;
}

void tl_derive_sass(tl_cubin *cubin, const tl_names *names, const tl_derive_pairs *pairs, tl_arena *arena,
                    const tl_cubin_section *before) {
  const bool joined = cubin->role.joined;
  deriver d = {.cubin = cubin, .names = names, .arena = arena, .sass = pairs->sass, .before = before};
  const uint32_t count = cubin->section_count;
  const tl_cubin_about about = tl_cubin_find_about(cubin, arena);
  derive_symbols(&d);
  derive_find_banks(&d);
  derive_sizes(&d);
  derive_list_alone(&d);
  derive_find_registers(&d);
  d.lone = derive_find_lone(&d);
  const uint32_t *const again = derive_find_again(&d, d.lone);
  for (uint32_t i = 1; i < count; i++) {
    tl_cubin_section *const section = derive_section(&d, i);
    if (again[i])
      tl_derive_take_again(section, derive_section(&d, again[i]));
    if (section->type == SHT_CUDA_CONSTANT0)
      section->flags = SHF_ALLOC | SHF_INFO_LINK; /* whatever the input has (L505) */
    if (section->type == SHT_CUDA_CONSTANT0 && !joined)
      section->data = tl_arena_new(arena, uint8_t, section->size); /* zeros (M20) */
    if (joined && derive_is_debug_entries(&d, section))
      section->size = 0;
  }
  if (!joined)
    derive_frames(&d, &about);
  for (uint32_t i = 1; i < count; i++) {
    const tl_cubin_section *const section = derive_section(&d, i);
    const uint32_t last = derive_entries_about(&d, &about, i);
    if (joined && section->type == SHT_PROGBITS && section->flags & SHF_CUDA_MERCURY && d.sass[i])
      derive_debug(&d, i);
    const bool data = section->type == SHT_CUDA_GLOBAL_INIT || section->type == SHT_CUDA_USER_CONSTANT ||
                      section->type == SHT_CUDA_PIC_CONSTANT;
    if (data && section->flags & SHF_CUDA_MERCURY && d.sass[i])
      derive_data_bytes(&d, i);
    if (!joined && derive_is_debug_data(&d, i))
      derive_debug_data(&d, i, &about);
    if (data && section->flags & SHF_CUDA_MERCURY && d.sass[last])
      derive_data(&d, i, last);
    else if (section->type == SHT_CUDA_CAPSULE)
      derive_text(&d, i, &about);
    else if (section->type == SHT_CUDA_MERCURY_INFO && !section->info && d.sass[i])
      derive_attributes(&d, section, derive_section(&d, d.sass[i]));
  }
}
