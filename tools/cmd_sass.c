/* twin sass [--summary] [--json] FILE...: the instructions of cubins, what each relocation patches, where control goes.
 *
 * Without an option a listing; with --summary only the counts, over all files together: unknown instructions by opcode,
 * relocation sites by verdict, targets outside their section. Exit code: 0, 1 when a site or a target is wrong, 2 when a
 * file cannot be read. Unknown instructions are counted and change nothing. */
#include "files.h"
#include "json_file.h"
#include "twin.h"

#include "ref_names.h"
#include "ref_sass.h"
#include "ref_view.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_sass(int argc, char **argv);

enum { OPCODES = 1 << 13, VERDICTS = REF_SASS_SITE_UNKNOWN + 1 };

typedef struct sass_totals {
  size_t files, instructions, unknown, sites[VERDICTS], targets, outside;
  size_t by_opcode[OPCODES];
} sass_totals;

typedef struct sass_listing {
  const ref_view *view;
  bool quiet;
  sass_totals *totals;
} sass_listing;

static void print_text(ref_text *text) {
  char *line = ref_text_take(text);
  fputs(line, stdout);
  free(line);
}

static void add_operands(ref_text *text, const ref_sass_instruction *instruction) {
  for (size_t i = 0; i < instruction->field_count; i++) {
    if (instruction->fields[i].role >= REF_SASS_REGISTER)
      ref_text_add(text, " %s=0x%" PRIx64, instruction->fields[i].name, instruction->values[i]);
  }
}

/* Every relocation entry for byte `offset` of `section`, from all relocation sections of the file. */
static void add_sites(ref_text *text, const sass_listing *listing, uint32_t section, uint64_t offset) {
  const ref_cubin *cubin = listing->view->cubin;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const size_t count = cubin->sections[i].info == section ? ref_cubin_relocation_count(cubin, i) : 0;
    for (size_t k = 0; k < count; k++) {
      const ref_relocation relocation = ref_cubin_relocation(cubin, i, k);
      if (relocation.offset / REF_SASS_BYTES != offset / REF_SASS_BYTES)
        continue;
      ref_sass_site site;
      ref_sass_judge(&site, cubin, &cubin->sections[section], relocation.offset, relocation.type);
      ref_text_add(text, "\n                ");
      ref_add_relocation_type(text, relocation.type);
      ref_text_add(text, " ");
      ref_add_symbol_label(text, listing->view, relocation.symbol);
      ref_text_add(text, ": %s", ref_sass_verdict_text(site.verdict));
      if (site.first)
        ref_text_add(text, " (%s%s%s)", site.first->name, site.last != site.first ? ", " : "",
                     site.last != site.first ? site.last->name : "");
    }
  }
}

static void count_sites(const sass_listing *listing) {
  const ref_cubin *cubin = listing->view->cubin;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const uint32_t target = cubin->sections[i].info;
    const size_t count = ref_cubin_relocation_count(cubin, i);
    if (count == 0 || target >= cubin->section_count || !ref_sass_is_code(&cubin->sections[target]))
      continue;
    for (size_t k = 0; k < count; k++) {
      const ref_relocation relocation = ref_cubin_relocation(cubin, i, k);
      ref_sass_site site;
      ref_sass_judge(&site, cubin, &cubin->sections[target], relocation.offset, relocation.type);
      listing->totals->sites[site.verdict]++;
    }
  }
}

static void list_section(const sass_listing *listing, uint32_t index) {
  const ref_section *section = &listing->view->cubin->sections[index];
  sass_totals *totals = listing->totals;
  ref_text text = {0};
  if (!listing->quiet) {
    ref_add_section_label(&text, listing->view, index);
    ref_text_add(&text, "\n");
  }
  for (uint64_t offset = 0; offset + REF_SASS_BYTES <= section->size; offset += REF_SASS_BYTES) {
    ref_sass_instruction instruction;
    const ref_sass_word word = ref_sass_read(section->data + offset);
    ref_sass_decode(&instruction, word, ref_sass_sm(listing->view->cubin));
    int64_t target = 0;
    const bool has_target = ref_sass_target(&instruction, offset, &target);
    const bool inside = target >= 0 && (uint64_t)target < section->size;
    totals->instructions++;
    totals->unknown += instruction.row == NULL;
    totals->by_opcode[instruction.opcode] += instruction.row == NULL;
    totals->targets += has_target;
    totals->outside += has_target && !inside;
    if (listing->quiet)
      continue;
    const uint64_t guard = word.low >> 12 & 7, negated = word.low >> 15 & 1;
    ref_text_add(&text, "  %6" PRIx64 "  %04x ", offset, instruction.opcode);
    if (guard != 7 || negated)
      ref_text_add(&text, "@%sP%" PRIu64 " ", negated ? "!" : "", guard);
    ref_text_add(&text, "%s", instruction.row ? instruction.row->name : "?");
    add_operands(&text, &instruction);
    if (has_target)
      ref_text_add(&text, " -> %s0x%" PRIx64 "%s", target < 0 ? "-" : "",
                   target < 0 ? 0 - (uint64_t)target : (uint64_t)target, inside ? "" : " outside the section");
    add_sites(&text, listing, index, offset);
    ref_text_add(&text, "\n");
  }
  if (!listing->quiet)
    print_text(&text);
  else
    ref_text_free(&text);
}

static bool list_file(const char *path, bool quiet, sass_totals *totals) {
  size_t size = 0;
  char *bytes = file_read(path, &size);
  char error[256] = "cannot be read";
  ref_cubin cubin;
  if (!bytes || !ref_cubin_read(&cubin, bytes, size, error, sizeof error)) {
    fprintf(stderr, "twin sass: %s: %s\n", path, error);
    free(bytes);
    return false;
  }
  ref_view view;
  ref_view_make(&view, &cubin, path);
  const sass_listing listing = {&view, quiet, totals};
  totals->files++;
  for (uint32_t i = 1; i < cubin.section_count; i++) {
    if (ref_sass_is_code(&cubin.sections[i]))
      list_section(&listing, i);
  }
  count_sites(&listing);
  ref_view_free(&view);
  ref_cubin_free(&cubin);
  free(bytes);
  return true;
}

static void print_totals(const sass_totals *totals) {
  printf("%zu files, %zu instructions, %zu unknown (%.3f %%)\n", totals->files, totals->instructions, totals->unknown,
         totals->instructions ? 100.0 * (double)totals->unknown / (double)totals->instructions : 0.0);
  for (size_t i = 0; i < OPCODES; i++) {
    if (totals->by_opcode[i])
      printf("  unknown opcode %04zx: %zu\n", i, totals->by_opcode[i]);
  }
  for (size_t i = 0; i < VERDICTS; i++)
    printf("  relocations on %s: %zu\n", ref_sass_verdict_text((ref_sass_site_verdict)i), totals->sites[i]);
  printf("  PC-relative targets: %zu, outside their section: %zu\n", totals->targets, totals->outside);
}

static void print_json(const sass_totals *totals) {
  cJSON *json = cJSON_CreateObject();
  cJSON_AddNumberToObject(json, "files", (double)totals->files);
  cJSON_AddNumberToObject(json, "instructions", (double)totals->instructions);
  cJSON *unknown = cJSON_AddObjectToObject(json, "unknown");
  cJSON_AddNumberToObject(unknown, "count", (double)totals->unknown);
  for (size_t i = 0; i < OPCODES; i++) {
    char name[8];
    snprintf(name, sizeof name, "%04zx", i);
    if (totals->by_opcode[i])
      cJSON_AddNumberToObject(unknown, name, (double)totals->by_opcode[i]);
  }
  cJSON *sites = cJSON_AddObjectToObject(json, "relocations");
  for (size_t i = 0; i < VERDICTS; i++)
    cJSON_AddNumberToObject(sites, ref_sass_verdict_text((ref_sass_site_verdict)i), (double)totals->sites[i]);
  cJSON_AddNumberToObject(json, "targets", (double)totals->targets);
  cJSON_AddNumberToObject(json, "targets outside", (double)totals->outside);
  json_print(json);
}

int twin_sass(int argc, char **argv) {
  bool summary = false, json = false, good = true;
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "--summary") == 0)
      summary = true;
    else if (strcmp(argv[first], "--json") == 0)
      json = true;
    else
      break;
  }
  if (first >= argc || argv[first][0] == '-') {
    fprintf(stderr, "usage: twin sass [--summary] [--json] FILE...\n");
    return TWIN_TROUBLE;
  }
  sass_totals *totals = ref_allocate(1, sizeof *totals);
  for (int i = first; i < argc; i++)
    good &= list_file(argv[i], summary || json, totals);
  if (json)
    print_json(totals);
  else if (summary)
    print_totals(totals);
  const bool wrong = totals->outside || totals->sites[REF_SASS_SITE_OUTSIDE] ||
                     totals->sites[REF_SASS_SITE_MISPLACED] || totals->sites[REF_SASS_SITE_NOT_FIELD];
  free(totals);
  return !good ? TWIN_TROUBLE : wrong ? TWIN_FOUND : TWIN_OK;
}
