/* twin corpus points: how many jobs of the corpus, of all its sets, are about each of the systems beside the ordinary link
 * of an executable, by the architecture that they link for. Counted from cubins and command lines, and nothing is written
 * down by hand; the command fails when a point or the whole has fewer jobs than promised. */
#include "corpus_scan.h"
#include "twin.h"

#include <stdio.h>
#include <string.h>

enum { NEEDED_JOBS = 120, NEEDED_PER_POINT = 10, TYPE_EWP = 0xff00, SPECIAL_COMMON = 0xfff2 };
enum { BIND_LOCAL, BIND_GLOBAL, BIND_WEAK };
enum { TYPE_FUNCTION = 2, TYPE_TEXTURE = 10, TYPE_SURFACE = 12, OTHER_VISIBILITY = 3 };
enum { SECTION_METADATA = 0x70000004, SECTION_RESOLVED = 0x70000003 };

static const char *const point_architectures[] = {"75", "80",  "86",  "87",   "88", "89",
                                                  "90", "90a", "100", "100a", "120"};
enum { ARCHITECTURES = sizeof point_architectures / sizeof *point_architectures, OTHER = ARCHITECTURES, COLUMNS };

typedef bool (*point_question)(const ref_cubin *cubin);

static bool point_any(const corpus_loaded_job *job, point_question question) {
  for (size_t i = 0; i < job->input_count; i++)
    if (job->inputs[i].readable && question(&job->inputs[i].cubin))
      return true;
  return false;
}

static bool point_has_option(const corpus_loaded_job *job, const char *const *names) {
  for (size_t i = 0; i < job->job->arguments.count; i++)
    for (const char *const *name = names; *name; name++)
      if (strcmp(job->job->arguments.items[i], *name) == 0)
        return true;
  return false;
}

static bool point_has_section(const ref_cubin *cubin, const char *prefix) {
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].size && corpus_section_begins(&cubin->sections[i], prefix))
      return true;
  return false;
}

static bool point_has_type(const ref_cubin *cubin, uint32_t type) {
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == type)
      return true;
  return false;
}

/* The tool's note of what nvlink wrote has its name. */
static bool point_is_linked(const ref_cubin *cubin) {
  const ref_section *const note = &cubin->sections[ref_cubin_find_section(cubin, ".note.nv.tkinfo")];
  for (uint64_t at = 0; note->data && at + 7 <= note->size; at++)
    if (memcmp(note->data + at, "nvlink", 7) == 0)
      return true;
  return false;
}

static bool point_relocatable(const corpus_loaded_job *job) {
  static const char *const options[] = {"-r", "--relocatable-link", NULL};
  return point_has_option(job, options) || point_any(job, point_is_linked);
}

static bool point_has_resolved(const ref_cubin *cubin) {
  return point_has_type(cubin, SECTION_RESOLVED);
}

static bool point_preserved(const corpus_loaded_job *job) {
  static const char *const options[] = {"-preserve-relocs", "--preserve-relocs", NULL};
  return point_has_option(job, options) || point_any(job, point_has_resolved);
}

static bool point_has_texture(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->symbol_count; i++)
    if ((cubin->symbols[i].info & 15) >= TYPE_TEXTURE && (cubin->symbols[i].info & 15) <= TYPE_SURFACE)
      return true;
  return false;
}

static bool point_bindless(const corpus_loaded_job *job) {
  return point_any(job, point_has_texture);
}

static bool point_has_unified(const ref_cubin *cubin) {
  return point_has_section(cubin, ".nv.uft") || point_has_section(cubin, ".nv.udt");
}

static bool point_unified(const corpus_loaded_job *job) {
  static const char *const options[] = {"-uidx", "--uidx-file", NULL};
  return point_has_option(job, options) || point_any(job, point_has_unified);
}

/* Common, weak with a body, hidden or internal, or a second name of a function; or partitions of reserved memory. */
static bool point_is_odd_symbol(const ref_cubin *cubin, const ref_symbol *symbol) {
  const unsigned type = symbol->info & 15, binding = symbol->info >> 4;
  const bool defined = symbol->raw_section && symbol->raw_section < 0xff00;
  const ref_section *const section =
      defined && symbol->section < cubin->section_count ? &cubin->sections[symbol->section] : NULL;
  const bool alias = type == TYPE_FUNCTION && section && corpus_section_begins(section, ".text.") &&
                     strcmp(section->name + strlen(".text."), symbol->name) != 0;
  return symbol->raw_section == SPECIAL_COMMON || (binding == BIND_WEAK && defined) ||
         (binding != BIND_LOCAL && symbol->other & OTHER_VISIBILITY) || alias ||
         strstr(symbol->name, "__nv_reservedSMEM_tcgen05") != NULL;
}

static bool point_has_odd_symbol(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->symbol_count; i++)
    if (point_is_odd_symbol(cubin, &cubin->symbols[i]))
      return true;
  return false;
}

static bool point_symbols(const corpus_loaded_job *job) {
  return point_any(job, point_has_odd_symbol);
}

/* Banks other than that of the parameters. */
static bool point_has_bank(const ref_cubin *cubin) {
  static const char bank0[] = ".nv.constant0", any[] = ".nv.constant";
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].size && corpus_section_begins(&cubin->sections[i], any) &&
        !corpus_section_begins(&cubin->sections[i], bank0))
      return true;
  return false;
}

static bool point_constants(const corpus_loaded_job *job) {
  return point_any(job, point_has_bank);
}

static bool point_has_detail(const ref_cubin *cubin) {
  return cubin->type == TYPE_EWP || point_has_type(cubin, SECTION_METADATA) ||
         point_has_section(cubin, ".debug_info") || point_has_section(cubin, ".debug_line");
}

static bool point_details(const corpus_loaded_job *job) {
  return point_any(job, point_has_detail);
}

static bool point_has_mercury(const ref_cubin *cubin) {
  return point_has_section(cubin, ".nv.capmerc") || point_has_section(cubin, ".nv.merc");
}

static bool point_mercury(const corpus_loaded_job *job) {
  return point_any(job, point_has_mercury);
}

/* The points of the issue that brought these systems, in its order. */
static const struct {
  const char *name;
  bool (*found)(const corpus_loaded_job *job);
} points[] = {
    {"1 relocatable links and their outputs", point_relocatable},
    {"2 preserved relocations", point_preserved},
    {"3 bindless textures, samplers, surfaces", point_bindless},
    {"4 unified functions and data", point_unified},
    {"5 weak, common, alias, hidden, reserved", point_symbols},
    {"6 constants of banks other than 0", point_constants},
    {"7 debug sections, -ewp, metadata", point_details},
    {"8 Mercury and capsules", point_mercury},
};
enum { POINTS = sizeof points / sizeof *points, ANY = POINTS };

typedef struct point_count {
  size_t jobs[POINTS + 1][COLUMNS];
} point_count;

/* The architecture of the command line, or of the directory where it names none. */
static size_t point_column(const corpus_stored_job *job) {
  const char *name = job->architecture;
  for (size_t i = 0; i < job->arguments.count; i++)
    if (strncmp(job->arguments.items[i], "-arch=sm_", 9) == 0)
      name = job->arguments.items[i] + 9;
  size_t column = 0;
  while (column < ARCHITECTURES && strcmp(point_architectures[column], name) != 0)
    column++;
  return column;
}

static bool point_count_job(const corpus_stored_job *job, void *context) {
  point_count *const count = context;
  const size_t column = point_column(job);
  corpus_loaded_job loaded;
  bool any = false;
  corpus_load_job(&loaded, job);
  for (size_t p = 0; p < POINTS; p++) {
    const bool found = points[p].found(&loaded);
    count->jobs[p][column] += found;
    any |= found;
  }
  count->jobs[ANY][column] += any;
  corpus_unload_job(&loaded);
  return true;
}

static size_t point_print_row(const char *name, const size_t *jobs) {
  size_t sum = 0;
  printf("%-42s", name);
  for (size_t i = 0; i < COLUMNS; i++) {
    printf(" %5zu", jobs[i]);
    sum += jobs[i];
  }
  printf(" %6zu\n", sum);
  return sum;
}

int corpus_points(const char *corpus, int argc, char **argv) {
  static const char *const sets[] = {"cuda", "vendor-defects", "messages"};
  (void)argv;
  if (argc > 1) {
    fprintf(stderr, "usage: twin corpus points\n");
    return TWIN_TROUBLE;
  }
  point_count count = {0};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    text_buffer set = {0};
    text_add(&set, "%s/../%s", corpus, sets[i]);
    const bool visited = corpus_visit_jobs(set.bytes, point_count_job, &count);
    text_free(&set);
    if (!visited)
      return TWIN_TROUBLE;
  }
  printf("%-42s", "jobs by what they are about");
  for (size_t i = 0; i < ARCHITECTURES; i++)
    printf(" %5s", point_architectures[i]);
  printf(" %5s %6s\n", "other", "all");
  bool short_of = false;
  for (size_t p = 0; p < POINTS; p++)
    short_of |= point_print_row(points[p].name, count.jobs[p]) < NEEDED_PER_POINT;
  short_of |= point_print_row("any of them (each job once)", count.jobs[ANY]) < NEEDED_JOBS;
  printf("needed: %d jobs a point, %d in all: %s\n", NEEDED_PER_POINT, NEEDED_JOBS, short_of ? "not kept" : "kept");
  return short_of ? TWIN_FOUND : TWIN_OK;
}
