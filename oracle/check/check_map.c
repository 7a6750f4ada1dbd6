/* The link map against the link: what `twinlink --map=FILE` says of an output is compared with the output itself.
 *
 * Read line by line, a part of the map a function. A part's rows must agree with the file in every number and name, and
 * what the file has must be there: a map that leaves something out is as wrong as one that invents it. Of a capsule link
 * the map tells the Mercury view's symbols, so there only sections and names are compared (L340). */
#include "check_parts.h"

#include "ref_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_NAME = 4096 };

typedef struct map_reader {
  const ref_check_link *link;
  const ref_cubin *output;
  const char *at; /* the rest of the map */
  char line[2 * MAP_NAME];
  bool capsule;
  bool *taken;    /* by input: the map lists it */
  char **dropped; /* names that it says were dropped */
  size_t dropped_count;
  FILE *to;
  size_t wrong, line_number;
} map_reader;

__attribute__((format(printf, 2, 3))) static void map_complain(map_reader *r, const char *format, ...) {
  va_list arguments;
  r->wrong++;
  fprintf(r->to, "map line %zu: ", r->line_number);
  va_start(arguments, format);
  vfprintf(r->to, format, arguments);
  va_end(arguments);
  fputc('\n', r->to);
}

/* The next line into r->line; false at the end. */
static bool map_next(map_reader *r) {
  if (!*r->at) {
    r->line[0] = '\0';
    return false;
  }
  const size_t length = strcspn(r->at, "\n"), kept = length < sizeof r->line ? length : sizeof r->line - 1;
  memcpy(r->line, r->at, kept);
  r->line[kept] = '\0';
  r->at += length + (r->at[length] == '\n');
  r->line_number++;
  return true;
}

static void map_expect(map_reader *r, const char *text) {
  map_next(r);
  if (strcmp(r->line, text) != 0)
    map_complain(r, "'%s' instead of '%s'", r->line, text);
}

/* The beginnings of the numbers of a row, and of the name behind them, stand under those of its table's heading, but where what is in
 * front is longer than its column. `from`: the heading's first word that the row has. */
static void map_check_columns(map_reader *r, const char *heading, unsigned from, unsigned count) {
  const size_t words = strlen(heading);
  size_t below = 0, end = 0, at = 0;
  for (unsigned word = 0; word < from; word++) {
    below += strspn(heading + below, " ");
    below += strcspn(heading + below, " ");
  }
  for (unsigned word = 0; word < count && below < words; word++) {
    below += strspn(heading + below, " ");
    at += strspn(r->line + at, " ");
    if (at != below && (at < below || !word || at != end + 1)) {
      map_complain(r, "'%s' does not stand under '%s'", r->line, heading);
      return;
    }
    at += strcspn(r->line + at, " ");
    end = at;
    below += strcspn(heading + below, " ");
  }
}

/* Is it one of the input files that the map lists? While they are read: one of the link's inputs? */
static bool map_is_input(const map_reader *r, const char *name, size_t length) {
  for (size_t i = 0; i < r->link->input_count; i++)
    if (r->taken[i] && strlen(r->link->inputs[i].name) == length && memcmp(r->link->inputs[i].name, name, length) == 0)
      return true;
  return false;
}

static size_t map_count_kept(const ref_cubin *cubin) {
  size_t count = 0;
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == TYPE_REL || cubin->sections[i].type == TYPE_RELA)
      count += ref_cubin_relocation_count(cubin, i);
  return count;
}

static void map_read_head(map_reader *r) {
  char expected[256];
  const ref_cubin *const o = r->output;
  map_next(r);
  r->capsule = strncmp(r->line, "Link map of a capsule link", 26) == 0;
  const int length = snprintf(expected, sizeof expected, "Link map%s, %zu bytes, %zu sections, ",
                              r->capsule ? " of a capsule link" : "", o->size, o->section_count);
  if (strncmp(r->line, expected, (size_t)length) != 0) {
    map_complain(r, "'%s' instead of '%s'", r->line, expected);
    return;
  }
  size_t symbols = 0, written = 0, kept = 0;
  const int numbers =
      sscanf(r->line + length, "%zu symbols, %zu fields written, %zu entries kept", &symbols, &written, &kept);
  if (numbers != (r->capsule ? 1 : 3))
    map_complain(r, "the first line is not complete: '%s'", r->line);
  else if (!r->capsule && (symbols != o->symbol_count || kept != map_count_kept(o)))
    map_complain(r, "%zu symbols and %zu entries kept, the file has %zu and %zu", symbols, kept, o->symbol_count,
                 map_count_kept(o));
}

/* Inputs that did not take part (executables) are left out; the others keep their order. */
static void map_read_files(map_reader *r) {
  map_expect(r, "");
  map_expect(r, "Input files");
  size_t next = 0;
  while (map_next(r) && *r->line) {
    while (next < r->link->input_count &&
           (strncmp(r->line, "  ", 2) != 0 || strcmp(r->link->inputs[next].name, r->line + 2) != 0))
      next++;
    if (next == r->link->input_count)
      map_complain(r, "'%s' is no input, or not in its place", r->line);
    else
      r->taken[next++] = true;
  }
}

/* A piece of a section: "         0x7d8      0xd0              a.cubin(.debug_frame)". */
static void map_read_piece(map_reader *r, const ref_section *section) {
  uint64_t offset = 0, size = 0;
  int name = 0;
  const char *const open = strrchr(r->line, '(');
  if (!section || sscanf(r->line, " 0x%" SCNx64 " 0x%" SCNx64 " %n", &offset, &size, &name) != 2 || !open ||
      !map_is_input(r, r->line + name, (size_t)(open - r->line) - (size_t)name)) {
    map_complain(r, "'%s' is no piece of an input", r->line);
    return;
  }
  if (offset < section->offset || size > section->size || offset - section->offset > section->size - size)
    map_complain(r, "0x%" PRIx64 " bytes at 0x%" PRIx64 " lie outside section %s", size, offset, section->name);
}

static void map_compare_section(map_reader *r, uint32_t index, uint64_t offset, uint64_t size, const uint64_t *align,
                                const char *name) {
  if (index >= r->output->section_count) {
    map_complain(r, "section %u, the file has %zu", index, r->output->section_count);
    return;
  }
  const ref_section *const s = &r->output->sections[index];
  if (s->offset != offset || s->size != size || (align && s->align != *align) || strcmp(s->name, name) != 0)
    map_complain(r, "section %u is %s at 0x%" PRIx64 ", 0x%" PRIx64 " bytes aligned to %" PRIu64 " in the file", index,
                 s->name, s->offset, s->size, s->align);
}

static void map_read_sections(map_reader *r) {
  map_expect(r, "Output sections");
  const char *const heading =
      r->capsule ? "  index  offset     size       name" : "  index  offset     size       align  name";
  map_expect(r, heading);
  uint32_t last = 0;
  while (map_next(r) && *r->line) {
    uint64_t offset = 0, size = 0, align = 0;
    uint32_t index = 0;
    int name = 0;
    if (strncmp(r->line, "         ", 9) == 0) {
      map_read_piece(r, last < r->output->section_count ? &r->output->sections[last] : NULL);
      map_check_columns(r, heading, 1, 2);
      continue;
    }
    const int numbers =
        r->capsule
            ? sscanf(r->line, " %u 0x%" SCNx64 " 0x%" SCNx64 " %n", &index, &offset, &size, &name)
            : sscanf(r->line, " %u 0x%" SCNx64 " 0x%" SCNx64 " %" SCNu64 " %n", &index, &offset, &size, &align, &name);
    if (numbers != (r->capsule ? 3 : 4) || index != ++last)
      map_complain(r, "'%s' is not section %u", r->line, last);
    else {
      map_compare_section(r, index, offset, size, r->capsule ? NULL : &align, r->line + name);
      map_check_columns(r, heading, 0, (unsigned)numbers + 1);
    }
  }
  if (last + 1 != r->output->section_count)
    map_complain(r, "%u sections of %zu", last, r->output->section_count - 1);
}

static const char *map_section_of(const map_reader *r, const ref_symbol *symbol) {
  return symbol->section > 0 && symbol->section < r->output->section_count ? r->output->sections[symbol->section].name
                                                                           : "-";
}

static bool map_has_global(const map_reader *r, const char *name) {
  for (size_t i = 1; i < r->output->symbol_count; i++)
    if (r->output->symbols[i].info >> 4 != BINDING_LOCAL && r->output->symbols[i].section &&
        strcmp(r->output->symbols[i].name, name) == 0)
      return true;
  return false;
}

static bool map_knows_symbol(const map_reader *r, const char *name) {
  for (size_t i = 1; i < r->output->symbol_count; i++)
    if (strcmp(r->output->symbols[i].name, name) == 0)
      return true;
  return false;
}

/* "14     0x0        0x280      .text.k                          k  (a.cubin)". */
static void map_read_symbol(map_reader *r, size_t *listed) {
  uint64_t value = 0, size = 0;
  uint32_t index = 0;
  static char section[MAP_NAME], name[MAP_NAME];
  int origin = 0;
  if (sscanf(r->line, " %u 0x%" SCNx64 " 0x%" SCNx64 " %4095s %4095s  (%n", &index, &value, &size, section, name,
             &origin) != 5 ||
      !origin) {
    map_complain(r, "'%s' is no symbol", r->line);
    return;
  }
  const char *const from = r->line + origin;
  const size_t length = strlen(from);
  if (!length ||
      (!map_is_input(r, from, length - 1) && strcmp(from, "(undefined))") != 0 && strcmp(from, "(linker))") != 0))
    map_complain(r, "'%s' comes from no input", r->line);
  if (r->capsule || index >= r->output->symbol_count) {
    if (!r->capsule || !map_knows_symbol(r, name))
      map_complain(r, "the file has no symbol %u %s", index, name);
    return;
  }
  const ref_symbol *const s = &r->output->symbols[index];
  if (s->value != value || s->size != size || strcmp(s->name, name) != 0 || strcmp(map_section_of(r, s), section) != 0)
    map_complain(r, "symbol %u is %s in %s at 0x%" PRIx64 ", 0x%" PRIx64 " bytes in the file", index, s->name,
                 map_section_of(r, s), s->value, s->size);
  ++*listed;
}

static void map_read_symbols(map_reader *r) {
  size_t listed = 0, all = 0;
  map_expect(r, "Symbols");
  static const char heading[] = "  index  value      size       section                          name  (from)";
  map_expect(r, heading);
  while (map_next(r) && *r->line) {
    map_read_symbol(r, &listed);
    map_check_columns(r, heading, 0, 4);
  }
  for (size_t i = 1; i < r->output->symbol_count; i++)
    all += (r->output->symbols[i].info & 0xf) != SYMBOL_SECTION;
  if (!r->capsule && listed != all)
    map_complain(r, "%zu symbols, the file has %zu that name no section", listed, all);
}

/* Kernels that were made anew: functions of the output, each with a reason. */
static void map_read_kernels(map_reader *r) {
  while (map_next(r) && *r->line) {
    char *const colon = strstr(r->line, ": ");
    if (colon)
      *colon = '\0';
    if (!colon || !colon[2] || strncmp(r->line, "  ", 2) != 0 || !map_knows_symbol(r, r->line + 2))
      map_complain(r, "'%s' is no kernel of the output", r->line);
  }
}

static bool map_section_has(const map_reader *r, uint32_t section, const char *name) {
  for (size_t i = 1; i < r->output->symbol_count; i++)
    if (r->output->symbols[i].section == section && (r->output->symbols[i].info & 0xf) != SYMBOL_SECTION &&
        strcmp(r->output->symbols[i].name, name) == 0)
      return true;
  return false;
}

/* Shared objects: sizes and places inside their section, where they have one. What nothing refers to has no symbol. */
static void map_read_shared(map_reader *r) {
  static const char heading[] = "  offset     size       align  section                          name";
  map_expect(r, heading);
  while (map_next(r) && *r->line) {
    static char section[MAP_NAME], name[MAP_NAME];
    uint64_t offset = 0, size = 0, align = 0;
    if (sscanf(r->line, " 0x%" SCNx64 " 0x%" SCNx64 " %" SCNu64 " %4095s %4095s", &offset, &size, &align, section,
               name) != 5) {
      map_complain(r, "'%s' is no shared object", r->line);
      continue;
    }
    map_check_columns(r, heading, 0, 4);
    const uint32_t index = ref_cubin_find_section(r->output, section);
    const bool gone = strstr(r->line, "  (nothing refers to it)");
    if (gone && index && map_section_has(r, index, name))
      map_complain(r, "%s has a symbol in %s", name, section);
    if (gone || strcmp(section, ".nv_debug.shared") == 0 || (!index && strcmp(section, "-") == 0))
      continue;
    const uint64_t room = r->output->sections[index].size;
    if (!index || size > room || offset > room - size || (align && offset % align))
      map_complain(r, "%s does not lie in %s", name, section);
  }
}

static void map_note_dropped(map_reader *r, const char *name) {
  const size_t size = strlen(name) + 1, count = r->dropped_count;
  if ((count & (count - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
    char **const larger = ref_allocate(count ? 2 * count : 1, sizeof *larger);
    if (count)
      memcpy(larger, r->dropped, count * sizeof *larger);
    free(r->dropped);
    r->dropped = larger;
  }
  r->dropped[count] = ref_allocate(size, 1);
  memcpy(r->dropped[count], name, size);
  r->dropped_count++;
}

static void map_read_dropped(map_reader *r) {
  static const char *const reasons[] = {"no kernel reaches it (W7.4)",
                                        "another definition of the weak function was taken (W8.1)",
                                        "replaced by a later definition (W8.2)"};
  while (map_next(r)) {
    const char *const from = strstr(r->line, " from "), *const colon = from ? strstr(from, ": ") : NULL;
    bool known = false;
    for (size_t i = 0; colon && i < sizeof reasons / sizeof *reasons; i++)
      known = known || strcmp(colon + 2, reasons[i]) == 0;
    if (!known || strncmp(r->line, "  ", 2) != 0 || !map_is_input(r, from + 6, (size_t)(colon - from) - 6))
      map_complain(r, "'%s' is nothing that was dropped", r->line);
    else if (strcmp(colon + 2, reasons[0]) == 0) {
      r->line[from - r->line] = '\0';
      map_note_dropped(r, r->line + 2);
      if (map_has_global(r, r->line + 2))
        map_complain(r, "'%s' was not dropped", r->line + 2);
    }
  }
}

static int map_compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool map_has_name(char *const *names, size_t count, const char *name) {
  return count && bsearch(&name, names, count, sizeof *names, map_compare_names) != NULL;
}

/* The functions of the inputs, but for those that are one file's own: each is in the output, or was dropped. */
static void map_check_dropped(map_reader *r) {
  char **const there = ref_allocate(r->output->symbol_count + 1, sizeof *there);
  size_t count = 0;
  for (size_t i = 1; i < r->output->symbol_count; i++)
    there[count++] = (char *)(uintptr_t)r->output->symbols[i].name;
  qsort(there, count, sizeof *there, map_compare_names);
  if (r->dropped_count)
    qsort(r->dropped, r->dropped_count, sizeof *r->dropped, map_compare_names);
  for (size_t f = 0; f < r->link->input_count; f++)
    for (size_t i = 1; r->taken[f] && i < r->link->inputs[f].cubin->symbol_count; i++) {
      const ref_symbol *const s = &r->link->inputs[f].cubin->symbols[i];
      const bool function = (s->info & 15) == SYMBOL_FUNC && s->info >> 4 != BINDING_LOCAL && s->section && *s->name;
      if (function && !map_has_name(there, count, s->name) && !map_has_name(r->dropped, r->dropped_count, s->name))
        map_complain(r, "'%s' of %s is not in the output, and was not dropped", s->name, r->link->inputs[f].name);
    }
  free(there);
}

size_t ref_check_map(const ref_check_link *link, const char *map, FILE *to) {
  map_reader *const r = ref_allocate(1, sizeof *r);
  r->link = link;
  r->output = link->output.cubin;
  r->at = map;
  r->to = to;
  r->taken = ref_allocate(link->input_count, sizeof *r->taken);
  map_read_head(r);
  map_read_files(r);
  map_read_sections(r);
  if (r->capsule) {
    map_expect(r, "Kernels whose text nvlink makes anew");
    map_read_kernels(r);
  }
  map_read_symbols(r);
  map_next(r);
  if (strcmp(r->line, "Shared memory") == 0) {
    map_read_shared(r);
    map_next(r);
  }
  if (strcmp(r->line, "Dropped") != 0)
    map_complain(r, "'%s' instead of 'Dropped'", r->line);
  map_read_dropped(r);
  map_check_dropped(r);
  const size_t wrong = r->wrong;
  for (size_t i = 0; i < r->dropped_count; i++)
    free(r->dropped[i]);
  free(r->dropped);
  free(r->taken);
  free(r);
  return wrong;
}
