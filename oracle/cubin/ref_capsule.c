/* Undoes the mirroring of M7: names, types and flags of Mercury sections as the ordinary rules know them, and the symbols
 * of `.nv.merc.symtab` (M8). What has no bytes in the file (`.nv.global`, `.nv.shared.K`) has no mirror and is in both. */
#include "ref_capsule.h"

#include <stdlib.h>
#include <string.h>

enum {
  FILE_KIND = 0xff,
  FILE_CAPSULE = 2,
  FLAG_EXECUTABLE = 4,
  FLAG_ALLOC = 2,
  FLAG_MERCURY = 0x10000000,
  TYPE_PROGBITS = 1,
  TYPE_SYMTAB = 2,
  TYPE_STRTAB = 3,
  TYPE_RELA = 4,
  TYPE_RESOLVED = 0x70000003,
  TYPE_INFO = 0x70000000,
  TYPE_MERCURY_TEXT = 0x70000016
};

/* M7, F38, F42: what a type of the Mercury view is called in an ordinary file. */
static const struct {
  uint32_t mercury, plain;
} capsule_types[] = {{TYPE_MERCURY_TEXT, TYPE_PROGBITS},
                     {0x70000082, TYPE_RELA},
                     {0x70000083, TYPE_INFO},
                     {0x70000085, TYPE_SYMTAB},
                     {0x70000088, TYPE_RESOLVED}};

/* What stands before the plain name. */
static const char *const capsule_prefixes[] = {".nv.capmerc", ".nv.merc"};

bool ref_capsule_is(const ref_cubin *cubin) {
  return (cubin->flags & FILE_KIND) == FILE_CAPSULE;
}

static bool capsule_is_mercury(const ref_section *section) {
  return (section->flags & FLAG_MERCURY) != 0;
}

static void capsule_make_plain(ref_section *section) {
  for (size_t i = 0; i < sizeof capsule_prefixes / sizeof *capsule_prefixes; i++) {
    const size_t length = strlen(capsule_prefixes[i]);
    if (strncmp(section->name, capsule_prefixes[i], length) == 0) {
      section->name += length;
      break;
    }
  }
  section->flags &= ~(uint64_t)FLAG_MERCURY;
  section->flags |= section->type == TYPE_MERCURY_TEXT ? FLAG_ALLOC | FLAG_EXECUTABLE : 0;
  for (size_t i = 0; i < sizeof capsule_types / sizeof *capsule_types; i++) {
    if (section->type == capsule_types[i].mercury) {
      section->type = capsule_types[i].plain;
      break;
    }
  }
}

static void capsule_make_empty(ref_section *section) {
  *section = (ref_section){.name = ""};
}

/* A copy of the file with sections of its own and without symbols. */
static bool capsule_copy(ref_cubin *view, const ref_cubin *cubin) {
  *view = *cubin;
  view->segments = NULL;
  view->segment_count = 0;
  view->symbols = NULL;
  view->symbol_count = 0;
  view->sections = malloc((cubin->section_count + 1) * sizeof *view->sections);
  if (view->sections != NULL && cubin->section_count > 0) {
    memcpy(view->sections, cubin->sections, cubin->section_count * sizeof *view->sections);
  }
  return view->sections != NULL;
}

static bool capsule_make_sass(ref_cubin *view, const ref_cubin *cubin) {
  if (!capsule_copy(view, cubin)) {
    return false;
  }
  for (size_t i = 0; i < view->section_count; i++) {
    if (capsule_is_mercury(&view->sections[i])) {
      capsule_make_empty(&view->sections[i]);
    }
  }
  view->symbols = malloc((cubin->symbol_count + 1) * sizeof *view->symbols);
  view->segments = malloc((cubin->segment_count + 1) * sizeof *view->segments);
  if (view->symbols == NULL || view->segments == NULL) {
    ref_cubin_free(view);
    return false;
  }
  view->symbol_count = cubin->symbol_count;
  view->segment_count = cubin->segment_count;
  if (cubin->symbol_count > 0) {
    memcpy(view->symbols, cubin->symbols, cubin->symbol_count * sizeof *view->symbols);
  }
  if (cubin->segment_count > 0) {
    memcpy(view->segments, cubin->segments, cubin->segment_count * sizeof *view->segments);
  }
  return true;
}

/* True for sections of the SASS view that the Mercury view has too: string tables, and what has no bytes and no mirror. */
static bool capsule_is_common(const ref_cubin *view, const ref_section *section) {
  return section->type == TYPE_STRTAB ||
         (section->data == NULL && section->type != 0 && (section->flags & FLAG_ALLOC) != 0 &&
          ref_cubin_find_section(view, section->name) == 0);
}

static bool capsule_make_mercury(ref_cubin *view, const ref_cubin *cubin) {
  if (!capsule_copy(view, cubin)) {
    return false;
  }
  for (size_t i = 0; i < view->section_count; i++) {
    if (capsule_is_mercury(&view->sections[i])) {
      capsule_make_plain(&view->sections[i]);
    } else {
      capsule_make_empty(&view->sections[i]);
    }
  }
  for (size_t i = 1; i < view->section_count; i++) {
    if (!capsule_is_mercury(&cubin->sections[i]) && capsule_is_common(view, &cubin->sections[i])) {
      view->sections[i] = cubin->sections[i];
      view->sections[i].info = 0; /* a section of the SASS view */
    }
  }
  if (!ref_cubin_read_symbols(view, NULL, 0)) {
    ref_cubin_free(view);
    return false;
  }
  return true;
}

bool ref_capsule_split(ref_capsule *capsule, const ref_cubin *cubin) {
  *capsule = (ref_capsule){0};
  if (!capsule_make_sass(&capsule->sass, cubin)) {
    return false;
  }
  if (!capsule_make_mercury(&capsule->mercury, cubin)) {
    ref_cubin_free(&capsule->sass);
    return false;
  }
  return true;
}

void ref_capsule_free(ref_capsule *capsule) {
  ref_cubin_free(&capsule->sass);
  ref_cubin_free(&capsule->mercury);
}
