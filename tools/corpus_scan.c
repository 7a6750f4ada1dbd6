/* The keys of one cubin and of one job's command line and messages, for twin corpus features. */
#include "corpus_scan.h"

#include "oracle/compare/ref_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { SECTION_RELA = 4, SECTION_REL = 9, SECTION_INFO = 0x70000000, SECTION_COMPAT = 0x70000086 };

bool corpus_section_begins(const ref_section *section, const char *prefix) {
  return strncmp(section->name, prefix, strlen(prefix)) == 0;
}

/* Writes a section's name without what is particular to one program: ".text.*", ".rela.nv.constant2.*". */
static void corpus_add_kind(text_buffer *text, const char *name) {
  static const char *const owned[] = {".text.",     ".nv.info.",    ".nv.shared.", ".nv_debug_ptx_txt.",
                                      ".nv.local.", ".nv.uft.rel.", NULL};
  static const char *const relocations[] = {".rela", ".rel", ".nv.resolvedrela", NULL};
  for (const char *const *prefix = relocations; *prefix; prefix++) {
    size_t length = strlen(*prefix);
    if (strncmp(name, *prefix, length) == 0 && name[length] == '.' && strncmp(name, ".rel.action", 11) != 0) {
      text_add(text, "%s", *prefix);
      corpus_add_kind(text, name + length);
      return;
    }
  }
  for (const char *const *prefix = owned; *prefix; prefix++)
    if (strncmp(name, *prefix, strlen(*prefix)) == 0) {
      text_add(text, "%s*", *prefix);
      return;
    }
  static const char constant[] = ".nv.constant";
  if (strncmp(name, constant, sizeof constant - 1) == 0) {
    size_t digits = strspn(name + sizeof constant - 1, "0123456789");
    const char *rest = name + sizeof constant - 1 + digits;
    text_add(text, "%.*s%s", (int)(rest - name), name, *rest == '.' ? ".*" : rest);
    return;
  }
  text_add(text, "%s", *name ? name : "(null)");
}

static void corpus_scan_relocations(const ref_cubin *cubin, uint32_t index, string_list *keys) {
  size_t count = ref_cubin_relocation_count(cubin, index);
  const char *form = cubin->sections[index].type == SECTION_REL ? "REL" : "RELA";
  bool seen[256] = {false};
  for (size_t i = 0; i < count; i++) {
    uint32_t type = ref_cubin_relocation(cubin, index, i).type;
    if (type < 256 && seen[type])
      continue;
    if (type < 256)
      seen[type] = true;
    const ref_relocation_row *row = ref_find_relocation_row(type);
    string_list_add(keys, "relocation\t%3" PRIu32 " %s %s", type, row ? row->name : "unknown", form);
  }
}

static void corpus_scan_attributes(const ref_section *section, string_list *keys) {
  bool compat = section->type == SECTION_COMPAT;
  const char *place = compat ? ".nv.compat" : strcmp(section->name, ".nv.info") == 0 ? "module" : "function";
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    const ref_attribute_row *row = compat ? NULL : ref_find_attribute_row(attribute.code);
    const char *name = compat ? ref_find_compat_name(attribute.code) : row ? row->name : NULL;
    string_list_add(keys, "attribute\t%s 0x%02x %s form %u", place, attribute.code, name ? name : "unknown",
                    attribute.format);
  }
}

static const char *corpus_symbol_state(const ref_symbol *symbol) {
  switch (symbol->raw_section) {
  case 0:
    return "undefined";
  case 0xfff1:
    return "absolute";
  case 0xfff2:
    return "common";
  default:
    return "defined";
  }
}

static void corpus_scan_symbols(const ref_cubin *cubin, string_list *keys) {
  static const char *const bindings[] = {"local", "global", "weak"};
  static const char *const types[] = {"notype",  "object",      "function", "section", "file",    "type 5",
                                      "type 6",  "type 7",      "type 8",   "type 9",  "texture", "sampler",
                                      "surface", "CUDA object", "type 14",  "type 15"};
  static const char *const spaces[] = {"no space",        "global memory",   "shared memory", "local memory",
                                       "constant memory", "reserved shared", "space 6",       "space 7"};
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    unsigned binding = symbol->info >> 4;
    string_list_add(keys, "symbol\t%s %s, %s, other 0x%02x, %s", binding < 3 ? bindings[binding] : "other binding",
                    types[symbol->info & 15], spaces[symbol->other >> 5], symbol->other, corpus_symbol_state(symbol));
  }
}

void corpus_scan_cubin(const ref_cubin *cubin, string_list *keys) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    text_buffer kind = {0};
    corpus_add_kind(&kind, section->name);
    string_list_add(keys, "section\t%s type 0x%" PRIx32 " flags 0x%" PRIx64, kind.bytes, section->type, section->flags);
    text_free(&kind);
    if (section->type == SECTION_RELA || section->type == SECTION_REL)
      corpus_scan_relocations(cubin, i, keys);
    if (section->type == SECTION_INFO || section->type == SECTION_COMPAT)
      corpus_scan_attributes(section, keys);
  }
  corpus_scan_symbols(cubin, keys);
}

/* One line of nvlink's messages without names and numbers. */
static void corpus_scan_message(const char *line, size_t length, string_list *keys) {
  static const char tool[] = "nvlink ";
  if (length < sizeof tool || strncmp(line, tool, sizeof tool - 1) != 0)
    return;
  text_buffer text = {0};
  for (size_t i = sizeof tool - 1; i < length; i++) {
    bool quoted = line[i] == '\'';
    const char *end = quoted ? memchr(line + i + 1, '\'', length - i - 1) : NULL;
    if (end) {
      text_add(&text, "'*'");
      i = (size_t)(end - line);
    } else if (isdigit((unsigned char)line[i]) || (line[i] == '-' && isdigit((unsigned char)line[i + 1]))) {
      while (i + 1 < length && isxdigit((unsigned char)line[i + 1]))
        i++;
      if (i + 2 < length && line[i + 1] == 'x')
        for (i++; i + 1 < length && isxdigit((unsigned char)line[i + 1]);)
          i++;
      text_add(&text, "N");
    } else {
      text_add_bytes(&text, line + i, 1);
    }
  }
  string_list_add(keys, "message\t%s", text.bytes ? text.bytes : "");
  text_free(&text);
}

void corpus_scan_job(const corpus_stored_job *job, string_list *keys) {
  for (size_t i = 0; i < job->arguments.count; i++) {
    const char *argument = job->arguments.items[i];
    if (argument[0] == '-' && strcmp(argument, "-o") != 0 && strncmp(argument, "-arch=", 6) != 0)
      string_list_add(keys, "option\t%.*s", (int)strcspn(argument, "="), argument);
  }
  for (const char *line = job->answer.messages; *line;) {
    size_t length = strcspn(line, "\n");
    corpus_scan_message(line, length, keys);
    line += length + (line[length] == '\n');
  }
  string_list_add(keys, "exit code\t%3d", job->answer.exit_code);
}
