/* From named bytes to admitted cubins: C20-C36, C76, C77 phase 1, RF716, RF779, RF983. */
#include "link.h"

#include <string.h>

enum {
  SMALLEST_FILE = 56,
  OSABI_CUDA = 0x41,
  ABI_VERSION = 8,
  MACHINE_CUDA = 190,
  TYPE_RELOCATABLE = 1,
  TYPE_EXEC = 2,
  TYPE_EXTENDED = 0xff00,
  COMPAT_MERCURY = 7,
  COMPAT_ACCELERATED = 9,
  LARGEST_VERSION = 0x101,
  KIND_MERCURY = 1,
  KIND_SASS = 4,
  FLAG_64_BIT = 0x400,
  SYMBOL_BYTES = 24,
  SEGMENT_OFFSET_AT = 32,
  SEGMENT_SIZE_AT = 54,
  SEGMENT_COUNT_AT = 56,
  SEGMENT_BYTES = 56,
  SECTION_BYTES_AT = 58,
  HEADER_BYTES = 64,
  NOTE_BY_NAME = 0xff,
  SMALLEST_IN_NAME = 10,
  LARGEST_IN_NAME = 99,
  SM_WITHOUT_OLD_OBJECTS = 90,
  NOTE_BYTES = 0x20,
  VERSION_AT = 0x14, /* in the file's header */
  TOOLKIT = 130,
  TOOLKIT_OF_RECORD = 100,
  TOOLKIT_OF_OLDEST = 120,
  TOOLKIT_OF_LARGE_PARAMETERS = 121,
  TOOLKIT_OF_GROUPS = 130
};

/* C21 */
static const char *ref_input_extension(const char *name) {
  const char *slash = strrchr(name, '/');
  const char *dot = strrchr(slash == NULL ? name : slash + 1, '.');
  return dot == NULL ? "" : dot + 1;
}

static bool ref_input_extension_is(const char *extension, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(extension, list[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* C20: what the extension alone decides. False: the file is ignored. */
static bool ref_input_extension_links(ref_link *link, const char *name) {
  static const char *const linked[] = {"cubin", "ptx", "o"};
  static const char *const late[] = {"nvvm", "ltoir"};
  const char *extension = ref_input_extension(name);
  if (REF_IS(extension, "bc")) {
    ref_message_fatal(link, "E53", "should never see bc files");
  }
  if (ref_input_extension_is(extension, late, 2)) {
    ref_message_fatal(link, "E53", "should only see nvvm files when -lto");
  }
  if (REF_IS(extension, "fatbin")) {
    ref_message_fatal(link, "E53", "fatbin wrong format?");
  }
  return ref_input_extension_is(extension, linked, 3);
}

/* D35: device code that nvlink drops without a word; an error by default. */
static bool ref_input_ignore(ref_link *link, const char *name, const char *reason) {
  static const char *const code[] = {"cubin", "ptx", "fatbin"};
  const char *extension = ref_input_extension(name);
  if (!link->job->bug_compatible && ref_input_extension_is(extension, code, 3)) {
    ref_message_fatal(link, "D35", "Input file '%s' %s", name, reason);
  }
  return false;
}

/* F56: attribute 9 of `.nv.compat`, 0 where there is none. */
static uint8_t ref_input_acceleration(const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    ref_attribute attribute;
    uint64_t position = 0;
    while (section->type == REF_TYPE_COMPAT && ref_cubin_next_attribute(section, &position, &attribute)) {
      if (attribute.code == COMPAT_ACCELERATED) {
        return attribute.size == 0 ? 0 : attribute.data[0];
      }
    }
  }
  return 0;
}

/* RF137, RF138, RF613: for other targets than sm_90, virtual ones of more at that, nothing is too old (RF670), but code for sm_90 does not
 * match those; without a note of version 2, or of a toolkit before 10.0, it is told in the output. RF650: for an architecture of capsules
 * the file's own counts. */
static void ref_input_take_old(ref_link *link, ref_file *file, uint16_t toolkit) {
  const uint32_t own = file->cubin.flags >> 8 & 0xffff;
  const uint32_t sm = ref_target_has_capsules(link->sm) ? own : link->sm;
  const bool is_refused = (link->is_virtual ? link->sm : sm) == SM_WITHOUT_OLD_OBJECTS; /* RF873 */
  if (toolkit < TOOLKIT_OF_OLDEST && is_refused) {
    ref_message_fatal(link, "E51", "Input file '%s' must be recompiled with toolkit >= Cuda 12.0", file->name);
  }
  if (toolkit < TOOLKIT_OF_OLDEST && link->is_virtual && (file->cubin.flags >> 8 & 0xff) >= SM_WITHOUT_OLD_OBJECTS) {
    ref_message_fatal(link, "E51", "Input file '%s' arch does not match target '%s'", file->name,
                      link->job->options.values[REF_OPTION_ARCH]);
  }
  file->is_oldest = toolkit < TOOLKIT_OF_RECORD;
  file->is_old = toolkit < TOOLKIT_OF_LARGE_PARAMETERS;
  link->has_ungrouped_object = link->has_ungrouped_object || toolkit < TOOLKIT_OF_GROUPS;
}

/* RF198: any note, whatever its name; 0xff stands for the one of the name. */
static size_t ref_input_note_index(const ref_cubin *cubin) {
  const size_t index = cubin->flags >> 24;
  if (index != NOTE_BY_NAME) {
    return index;
  }
  for (size_t i = 1; i < cubin->section_count; i++) {
    if (REF_IS(cubin->sections[i].name, ".note.nv.cuinfo")) {
      return i;
    }
  }
  return index;
}

/* RF121: an object of -ewp and all behind it are of this toolkit. */
static void ref_input_check_extended(ref_link *link, uint16_t toolkit) {
  if (link->saw_extended && toolkit < TOOLKIT) {
    ref_message_fatal(link, "RF121", "linking with -ewp objects requires using current toolkit");
  }
}

/* C25e, C27: the note that e_flags names, whatever its size (RF138). */
static void ref_input_check_note(ref_link *link, ref_file *file) {
  const ref_cubin *cubin = &file->cubin;
  const size_t index = ref_input_note_index(cubin);
  const ref_section *note = index < cubin->section_count ? &cubin->sections[index] : NULL;
  link->saw_extended = link->saw_extended || cubin->type == TYPE_EXTENDED;
  if (note == NULL || note->type != REF_TYPE_NOTE) {
    ref_input_take_old(link, file, 0);
    ref_input_check_extended(link, 0); /* RF404 */
    return;
  }
  if (note->offset > cubin->size || cubin->size - note->offset < NOTE_BYTES) {
    return;
  }
  const uint8_t *data = cubin->bytes + note->offset;
  const uint16_t toolkit = ref_u16(data + 0x1c);
  const uint16_t known = ref_u16(data + 0x18) < 2 ? 0 : toolkit;
  ref_input_take_old(link, file, known);
  ref_input_check_extended(link, known);
  if (known > TOOLKIT) { /* RF536: a note of an older version says none */
    ref_message_fatal(link, "E51", "Input file '%s' newer than toolkit (%u vs %d)", file->name, toolkit, TOOLKIT);
  }
  file->virtual_sm = ref_u16(data + 0x1a);
}

/* L444: e_version is a toolkit too: in a file whose e_flags have bit 0, and in a capsule in front of every file of SASS kind. RF679: in the first one
 * nvlink looks at it before it asks which architecture and kind the file has, in the other one after what its finalizer says. */
static void ref_input_check_version(ref_link *link, const ref_file *file, uint32_t kind) {
  const uint32_t version = ref_u32(file->cubin.bytes + VERSION_AT);
  if (version > TOOLKIT && (file->cubin.flags & kind) != 0) {
    ref_message_fatal(link, "E51", "Input file '%s' newer than toolkit (%d vs %d)", file->name, (int32_t)version,
                      TOOLKIT);
  }
}

/* D24: code for the accelerated variant in a link for the base one; nvlink says nothing. */
static void ref_input_check_variant(ref_link *link, const ref_file *file) {
  if (!link->job->bug_compatible && !link->sm_accelerated && ref_input_acceleration(file) == 1) {
    ref_message_warn(link, "D24", "Input file '%s' is code for 'sm_%ua', the output claims '%s'", file->name,
                     (unsigned)(file->cubin.flags >> 8 & 0xff), link->job->options.values[REF_OPTION_ARCH]);
  }
}

static bool ref_input_has_relocations(const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const uint32_t type = file->cubin.sections[i].type;
    if ((type == REF_TYPE_REL || type == REF_TYPE_RELA) && file->cubin.sections[i].size != 0) {
      return true;
    }
  }
  return false;
}

/* F12, R61: the low byte of e_flags. D43: where nvlink crashes. */
static void ref_input_check_kind(ref_link *link, const ref_file *file) {
  const uint32_t kind = file->cubin.flags & 0xff;
  const bool capsules = ref_target_has_capsules(file->cubin.flags >> 8 & 0xff);
  if ((kind & (REF_KIND_CAPSULE | KIND_SASS)) == (REF_KIND_CAPSULE | KIND_SASS)) {
    ref_message_fatal(link, "E90", "Internal error");
  }
  if (!capsules && (kind & REF_KIND_CAPSULE) != 0) {
    ref_message_fatal(link, "D43", "Internal error");
  }
  if (capsules && (kind & REF_KIND_CAPSULE) == 0 && (kind & KIND_MERCURY) != 0) {
    ref_message_fatal(link, "R73", "Internal error: unexpected reloc");
  }
  if (capsules && (kind & (REF_KIND_CAPSULE | KIND_SASS)) == 0 && ref_input_has_relocations(file)) {
    ref_message_fatal(link, "D43", "Input file '%s' has flags 0x%02x and relocations", file->name, kind);
  }
}

/* RF523: the finalizer reads one section, the first that has both its type and its name. */
static const ref_section *ref_input_compat(const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    if (section->type == REF_TYPE_COMPAT && REF_IS(section->name, ".nv.compat")) {
      return section;
    }
  }
  return NULL;
}

/* RF484: the last record of attribute 7 in `.nv.compat`, of whatever format. */
static uint16_t ref_input_mercury_version(const ref_file *file) {
  const ref_section *section = ref_input_compat(file);
  uint16_t version = 0;
  ref_attribute attribute;
  uint64_t position = 0;
  while (section != NULL && ref_cubin_next_attribute(section, &position, &attribute)) {
    version = attribute.code == COMPAT_MERCURY ? ref_u16(section->data + attribute.offset + 2) : version;
  }
  return version;
}

static bool ref_input_is_bare(const ref_link *link, const ref_file *file) {
  bool bare = (file->cubin.flags & REF_KIND_CAPSULE) == 0;
  for (size_t i = 0; bare && i + 1 < link->file_count; i++) {
    bare = (link->files[i].cubin.flags & REF_KIND_CAPSULE) == 0;
  }
  return bare;
}

/* RF484, RF524: for another SM of its family, and for a family, a file says which Mercury it is; what the finalizer carries over must be of a
 * known one. */
static bool ref_input_goes_for_family(const ref_link *link, const ref_file *file, uint32_t sm) {
  if (!ref_target_has_capsules(sm) || (sm == link->sm && link->target->variant != 'f')) {
    return true;
  }
  return ref_input_compat(file) != NULL &&
         (!ref_target_is_finalized(link->target, sm) || ref_input_mercury_version(file) <= LARGEST_VERSION);
}

/* C76, step 5. RF82: numbers that no architecture has; a virtual target (E12) makes a name of the number first, which may be
 * too long for it, and takes all code that is not newer. */
static void ref_input_check_arch(ref_link *link, const ref_file *file, bool hidden) {
  const char *arch = link->job->options.values[REF_OPTION_ARCH];
  const uint32_t sm = file->cubin.flags >> 8 & 0xffff;
  const bool takes = link->is_virtual ? ref_target_is_sm(sm) && sm <= link->sm
                                      : ref_target_takes(link->target, sm, ref_input_acceleration(file),
                                                         ref_input_is_bare(link, file)) &&
                                            ref_input_goes_for_family(link, file, sm);
  if (link->is_virtual && sm > LARGEST_IN_NAME) {
    ref_message_fatal(link, "E52", "specified arch exceeds buffer length");
  }
  if (!hidden && (link->is_virtual ? sm < SMALLEST_IN_NAME : sm == 0)) {
    ref_message_fatal(link, "E52", "Unknown arch name '%s_%u'", link->is_virtual ? "compute" : "sm", sm);
  }
  if (hidden || !takes) {
    ref_message_fatal(link, "E51", "Input file '%s' arch does not match target '%s'", file->name, arch);
  }
}

/* C76, steps 4 to 8. D69: a wrong OSABI hides a wrong ABI version, and an older layout of e_flags is assumed. */
static void ref_input_admit(ref_link *link, ref_file *file) {
  const ref_cubin *cubin = &file->cubin;
  const bool old_abi = cubin->ident[7] != OSABI_CUDA;
  if (old_abi && (cubin->flags & FLAG_64_BIT) == 0) {
    ref_message_warn(link, "E47", "expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", file->name);
  }
  const bool hidden = link->job->bug_compatible && old_abi && cubin->ident[8] == ABI_VERSION - 1;
  if (!hidden && (old_abi || cubin->ident[8] != ABI_VERSION)) {
    ref_message_fatal(link, "E51", "Input file '%s' abi does not match", file->name);
  }
  ref_input_check_version(link, file, KIND_MERCURY);
  const bool sass = (cubin->flags & (REF_KIND_CAPSULE | KIND_MERCURY)) == 0;
  if (sass && ref_target_has_capsules(link->sm) && !link->is_limited) {
    ref_message_warn(link, "E44", "Output is limited to run on SM Arch '%u' only due to limitations in input file %s",
                     link->sm, file->name); /* C35, M2: once, whatever -suppress-arch-warning says (RF199) */
    link->is_limited = true;
  }
  ref_input_check_arch(link, file, hidden);
  ref_input_check_note(link, file);
  ref_input_check_variant(link, file);
  ref_input_check_kind(link, file);
}

/* E66 comes when the file is merged (C76), so a symbol table without strings is read as if it had some. */
static const uint8_t *ref_input_heal_strings(ref_link *link, const uint8_t *bytes, size_t size, uint64_t headers,
                                             ref_file *file) {
  const uint16_t count = ref_u16(bytes + 60);
  for (size_t i = 1; i < count; i++) {
    const size_t header = (size_t)headers + i * 64;
    if (ref_u32(bytes + header + 4) != REF_TYPE_SYMTAB) {
      continue;
    }
    if (ref_u32(bytes + header + 40) < count) {
      return bytes;
    }
    uint8_t *healed = REF_TAKE(link, uint8_t, size);
    memcpy(healed, bytes, size);
    ref_put_u32(healed + header + 40, 0);
    file->has_no_strings = true;
    return healed;
  }
  return bytes;
}

/* L971, RF456: every section symbol of Mercury's table names a section, or none; nvlink takes another from what lies behind its table. */
static void ref_input_check_section_symbols(ref_link *link, const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *table = &file->cubin.sections[i];
    const uint64_t size = table->type == REF_TYPE_MERCURY_SYMTAB && table->data != NULL ? table->size : 0;
    for (uint64_t at = SYMBOL_BYTES; at + SYMBOL_BYTES <= size; at += SYMBOL_BYTES) {
      const uint8_t *symbol = table->data + at;
      if ((symbol[4] & 15) == REF_SYMBOL_SECTION && ref_u16(symbol + 6) >= file->cubin.section_count) {
        ref_message_fatal(link, "L971", "A section symbol of Mercury's in '%s' names no section", file->name);
      }
    }
  }
}

/* RF677: what the finalizer makes anew, or has no bytes of. */
static bool ref_input_stands_anywhere(const ref_section *section) {
  static const char bank[] = ".nv.constant";
  const bool constant =
      ref_section_type_is_constant(section->type) && strncmp(section->name, bank, sizeof bank - 1) == 0;
  const bool data = !ref_section_type_has_bytes(section->type) && section->type != REF_TYPE_SHARED_RESERVED;
  return constant || data || section->type == REF_TYPE_STRTAB;
}

/* RF593: nvlink ends by a signal over a section of the SASS view, one of no type too, behind one of Mercury's. */
static void ref_input_check_order(ref_link *link, const ref_file *file) {
  bool mercury = false;
  for (size_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    const bool is_mercury = (section->flags & REF_FLAG_MERCURY) != 0;
    if (mercury && !is_mercury && !ref_input_stands_anywhere(section)) {
      ref_message_fatal(link, "RF593",
                        "Input file '%s' is damaged: section '%s' stands behind those of Mercury (RF593)", file->name,
                        section->name);
    }
    mercury = mercury || is_mercury;
  }
}

/* RF983: that is when all files are read. RF676: nothing of Mercury's is in a file behind one of SASS kind. */
void ref_inputs_check_order(ref_link *link) {
  for (size_t i = 0; i < link->file_count && (link->files[i].cubin.flags & REF_KIND_CAPSULE) != 0; i++) {
    ref_input_check_order(link, &link->files[i]);
  }
}

/* RF594: and over a large alignment, or says that its finalizer, which allocates so many bytes, has no memory; RF676 here, too. */
static void ref_input_check_alignments(ref_link *link, const ref_file *file) {
  const uint64_t largest_align = (uint64_t)1 << 31;
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    if (section->align > largest_align && ((section->flags & REF_FLAG_MERCURY) == 0 || !link->is_limited)) {
      ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", file->name);
    }
  }
}

/* RF81: the symbols of a capsule are local, global or weak. RF230: its relocations have addends; a section of others, also an empty one,
 * ends the link. */
static void ref_input_check_capsule(ref_link *link, const ref_file *file) {
  const uint16_t type = file->cubin.type;
  if ((file->cubin.flags & REF_KIND_CAPSULE) == 0) {
    return;
  }
  if ((type != TYPE_RELOCATABLE && type != TYPE_EXTENDED) || ref_input_mercury_version(file) > LARGEST_VERSION) {
    ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", file->name); /* RF484 */
  }
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    if (file->cubin.sections[i].type == REF_TYPE_REL) {
      ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", file->name);
    }
  }
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    if (file->cubin.symbols[i].info >> 4 > REF_BIND_WEAK) {
      ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", file->name);
    }
  }
  ref_input_check_section_symbols(link, file);
  ref_input_check_alignments(link, file);
  ref_line_inputs_check(link, file);
}

static const char *ref_input_text(const ref_cubin *cubin, uint32_t table, uint64_t offset) {
  const char *text = ref_cubin_string(cubin, table, offset);
  if (*text != 0 || table >= cubin->section_count) { /* RF403: of section 0 from the file's beginning */
    return text;
  }
  const uint64_t start = cubin->sections[table].offset;
  if (start > cubin->size || offset >= cubin->size - start) {
    return "";
  }
  text = (const char *)cubin->bytes + start + offset;
  return memchr(text, 0, (size_t)(cubin->size - start - offset)) == NULL ? "" : text;
}

/* RF86: a text begins anywhere behind the start of `.strtab` and runs to the next 0 of the file. */
const char *ref_input_string(const ref_cubin *cubin, uint64_t offset) {
  return ref_input_text(cubin, cubin->string_section, offset);
}

/* RF1174: a name of Mercury's that does not end in its table ends with it, and one that begins behind it ends nvlink by a signal. By default both are
 * damage (D40). */
const char *ref_input_last_text(ref_link *link, const ref_cubin *cubin, uint32_t table, uint64_t offset,
                                ref_bytes *ended) {
  const ref_section *section = table != 0 && table < cubin->section_count ? &cubin->sections[table] : NULL;
  const uint64_t size = section == NULL || section->data == NULL ? 0 : section->size;
  if (size == 0 || (offset < size && memchr(section->data + offset, 0, (size_t)(size - offset)) != NULL)) {
    return ref_cubin_string(cubin, table, offset);
  }
  if (offset > size || !link->job->bug_compatible) {
    ref_message_fatal(link, "D40", "a name in a capsule lies outside its table");
  }
  if (ended->size == 0) {
    ref_bytes_add(link, ended, section->data, (size_t)size);
    ref_bytes_add(link, ended, "", 1);
  }
  return (const char *)ended->data + offset;
}

/* RF1174: a section's name runs to the next 0 of the file; by default it ends inside its table (D40). Of capsules one that begins behind the
 * table ends nvlink by a signal. Not done: of capsules nvlink reads some names to the end of the table alone. */
static void ref_input_read_section_names(ref_link *link, ref_file *file) {
  ref_cubin *cubin = &file->whole;
  const uint32_t number = cubin->section_name_index;
  const ref_section *table = number < cubin->section_count ? &cubin->sections[number] : NULL;
  if (number == 0 || table == NULL || table->data == NULL) {
    return;
  }
  for (size_t i = 1; i < cubin->section_count; i++) {
    ref_section *section = &cubin->sections[i];
    if (*section->name != 0) {
      continue; /* as nearly all are read */
    }
    const bool behind = section->name_offset >= table->size;
    const char *name = behind ? section->name : ref_input_text(cubin, number, section->name_offset);
    if ((behind && (cubin->flags & REF_KIND_CAPSULE) != 0) ||
        (!link->job->bug_compatible && name != section->name && strcmp(name, section->name) != 0)) {
      ref_message_fatal(link, "D40", "Input file '%s' is damaged: a section's name lies outside its table", file->name);
    }
    section->name = name;
  }
}

/* D40: by default every name ends inside its table; nvlink reads on behind it. */
static void ref_input_read_names(ref_link *link, ref_file *file) {
  ref_cubin *cubin = &file->whole;
  if (file->has_no_strings) {
    return;
  }
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    ref_symbol *symbol = &cubin->symbols[i];
    if ((symbol->info & 15) == REF_SYMBOL_SECTION || *symbol->name != 0) {
      continue;
    }
    const char *name = ref_input_string(cubin, symbol->name_offset);
    if (*name == 0) {
      continue;
    }
    if (!link->job->bug_compatible) {
      ref_message_fatal(link, "D40", "Input file '%s' is damaged: a symbol's name lies outside .strtab", file->name);
    }
    symbol->name = name;
  }
}

/* RF200: nobody reads an input's program headers, so what its header says of them counts no further (RF400). RF83: nobody looks at the byte order of a
 * cubin that is named `.ptx`; little-endian it is all the same. */
static const uint8_t *ref_input_heal_header(ref_link *link, const uint8_t *bytes, size_t size) {
  if (bytes[5] == 1 && ref_u64(bytes + SEGMENT_OFFSET_AT) == 0 && ref_u16(bytes + SEGMENT_COUNT_AT) == 0) {
    return bytes;
  }
  uint8_t *healed = ref_memory_copy(link, bytes, size);
  healed[5] = 1;
  ref_put_u64(healed + SEGMENT_OFFSET_AT, 0);
  ref_put_u16(healed + SEGMENT_COUNT_AT, 0);
  return healed;
}

/* RF201: bytes that the file does not have, be it of the null section. */
bool ref_input_has_outside_section(const uint8_t *bytes, size_t size, uint64_t headers) {
  const uint16_t count = ref_u16(bytes + 60);
  for (uint16_t i = 0; i < count; i++) {
    const uint8_t *header = bytes + headers + (size_t)i * 64;
    const uint64_t offset = ref_u64(header + 24);
    if (ref_section_type_has_bytes(ref_u32(header + 4)) && (offset > size || ref_u64(header + 32) > size - offset)) {
      return true;
    }
  }
  return false;
}

/* RF400: the table of program headers, of whose entries nobody reads one, must lie in the file. */
static bool ref_input_has_outside_segment(const uint8_t *bytes, size_t size) {
  const uint64_t offset = ref_u64(bytes + SEGMENT_OFFSET_AT);
  return offset > size || (uint64_t)ref_u16(bytes + SEGMENT_COUNT_AT) * SEGMENT_BYTES > size - offset;
}

/* What is no file of device code has no other reader here. */
static void ref_input_check_format(ref_link *link, const ref_input *input, const char *extension) {
  const uint8_t *bytes = input->bytes;
  if (memcmp(bytes, "\177ELF", 4) != 0) {
    if (REF_IS(extension, "cubin")) {
      ref_message_fatal(link, "E53", "cubin not an elf?");
    }
    if (REF_IS(extension, "ptx")) { /* RF83 */
      ref_message_add(link, REF_ERROR, "E54", "Binary format for key='0', ident='' is not recognized");
      ref_message_fatal(link, "E53", "elfLink fatbinary error");
    }
    ref_message_fatal(link, "X3", "Input file '%s': the reference links cubins only", input->name);
  }
  if (ref_u16(bytes + 18) != MACHINE_CUDA) {
    if (REF_IS(extension, "cubin")) {
      ref_message_fatal(link, "E53", "cubin not a device elf?");
    }
    ref_message_fatal(link, "X3", "Input file '%s': the reference links cubins only", input->name);
  }
}

/* D35: what is linked already adds nothing; by default that is said, of a file that is whole (RF587). */
static bool ref_input_is_linked(ref_link *link, const ref_input *input) {
  if (ref_u16(input->bytes + 16) != TYPE_EXEC) {
    return false;
  }
  if (!link->job->bug_compatible) {
    ref_message_warn(link, "D35", "Input file '%s' is already linked and adds nothing", input->name);
  }
  return true;
}

/* The bytes of an entry of what is counted by sh_entsize, or 0. */
static uint64_t ref_input_usual_entry(uint32_t type) {
  switch (type) {
  case REF_TYPE_REL:
    return 16;
  case REF_TYPE_RELA:
    return 24;
  case REF_TYPE_CALLGRAPH:
  case REF_TYPE_PROTOTYPE:
    return 8;
  default:
    return 0;
  }
}

/* RF642, L172: how many entries a table has sh_entsize says, though each lies where the next one of the usual size begins. With a smaller one nvlink
 * reads behind the table; here the table ends where it ends. */
static void ref_input_count_entries(ref_cubin *cubin, uint32_t number) {
  ref_section *section = &cubin->sections[number];
  const uint64_t usual = ref_input_usual_entry(section->type);
  if (usual != 0 && section->entry_size > usual && (cubin->flags & REF_KIND_CAPSULE) == 0) {
    section->size = section->size / section->entry_size * usual;
    section->entry_size = usual;
  }
  if (number == cubin->symbol_section && section->entry_size > SYMBOL_BYTES) {
    cubin->symbol_count = (size_t)ref_smaller(cubin->symbol_count, section->size / section->entry_size);
  }
}

/* RF716, L1199: a cubin that is named `.ptx` is left out for a target before sm_90 that takes its architecture. */
static bool ref_input_is_left_out(const ref_link *link, const uint8_t *bytes, const char *extension) {
  enum { FIRST_READ = 90 };
  return REF_IS(extension, "ptx") && link->job->bug_compatible && !link->is_virtual && link->sm < FIRST_READ &&
         bytes[7] == OSABI_CUDA && ref_target_takes(link->target, ref_u32(bytes + 48) >> 8 & 0xffff, 0, true);
}

static void *ref_input_take(void *owner, size_t count, size_t size) {
  ref_link *link = owner;
  return ref_memory_take_room(link, count, size); /* every field is read from the file */
}

/* C25, C25a, C28: false when the file takes no part. */
static bool ref_input_open(ref_link *link, const ref_input *input, ref_file *file) {
  char error[200] = "";
  const uint8_t *bytes = input->bytes;
  const char *extension = ref_input_extension(input->name);
  ref_input_check_format(link, input, extension);
  if (input->size < HEADER_BYTES && !REF_IS(extension, "ptx")) {
    return ref_input_ignore(link, input->name, "is named as device code but is shorter than its header"); /* RF400 */
  }
  if (input->size < HEADER_BYTES) {
    ref_message_fatal(link, "X3", "Input file '%s' is shorter than its header", input->name);
  }
  if (bytes[5] != 1 && (bytes[7] != OSABI_CUDA || (ref_u32(bytes + 48) & REF_KIND_CAPSULE) != 0)) {
    ref_message_fatal(link, "D68", "Input file '%s' is damaged in more than one place of its header", input->name);
  }
  if (REF_IS(extension, "ptx") && (bytes[4] != 2 || bytes[49] == 0)) { /* RF83 */
    ref_message_add(link, REF_FATAL, "E52", "Unknown arch name ''");
    ref_message_fatal(link, "E53", "elfLink fatbinary error");
  }
  if (bytes[4] != 2 || (bytes[5] != 1 && (!REF_IS(extension, "ptx") || !link->job->bug_compatible))) {
    return ref_input_ignore(link, input->name, "is not a 64-bit little-endian cubin");
  }
  if (REF_IS(extension, "o") && ref_u16(bytes + 16) != TYPE_RELOCATABLE) {
    return false; /* RF204 */
  }
  if (ref_u16(bytes + SEGMENT_COUNT_AT) != 0 && ref_u16(bytes + SEGMENT_SIZE_AT) != SEGMENT_BYTES) { /* RF779 */
    return ref_input_ignore(link, input->name, "is named as device code but is no cubin: e_phentsize is not 56");
  }
  if (ref_input_has_outside_segment(bytes, input->size)) {
    return ref_input_ignore(link, input->name, "is named as device code but has segments outside the file");
  }
  bytes = ref_input_heal_header(link, bytes, input->size);
  const uint64_t headers = ref_u64(bytes + 40);
  const bool none =
      headers == 0 || headers >= input->size || ref_u16(bytes + SECTION_BYTES_AT) != HEADER_BYTES; /* RF419 */
  if (none || (uint64_t)ref_u16(bytes + 60) * 64 > input->size - headers ||
      ref_input_has_outside_section(bytes, input->size, headers)) {
    return ref_input_ignore(link, input->name,
                            "is named as device code but is truncated or has sections outside the file");
  }
  if (ref_input_is_linked(link, input) || ref_input_is_left_out(link, bytes, extension)) {
    return false;
  }
  const uint8_t *read = ref_input_heal_strings(link, bytes, input->size, headers, file);
  const ref_cubin_memory memory = {ref_input_take, link};
  if (!ref_cubin_read_in(&file->whole, read, input->size, &memory, error, sizeof error)) {
    ref_message_fatal(link, "D40", "Input file '%s': %s", input->name, error);
  }
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    ref_view_settle_type(&file->whole, &file->whole.sections[i]);
    ref_input_count_entries(&file->whole, i);
  }
  return true;
}

static void ref_input_find_shared(const ref_file *file) {
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (symbol->section < file->cubin.section_count && ref_object_is_shared(symbol)) {
      file->holds_shared[symbol->section] = true;
    }
  }
}

void ref_inputs_prepare(ref_link *link, ref_file *file) {
  ref_symbols_restore_provided(&file->cubin);
  ref_symbols_bare_textures(&file->cubin, link->is_capsule);
  const ref_cubin *cubin = &file->cubin;
  const size_t asked = (size_t)cubin->symbol_count + 1; /* symbol 0 is asked for where there is none, too */
  file->function_of = ref_memory_take_numbers(link, asked);
  file->body_of = REF_TAKE(link, ref_body, asked);
  file->fewer_of = REF_TAKE(link, bool, asked);
  file->symbol_of = ref_memory_take_numbers(link, cubin->symbol_count);
  file->lost = REF_TAKE(link, bool, asked);
  file->section_of = ref_memory_take_numbers(link, cubin->section_count);
  file->owner_of = NULL;
  file->knows_twins = false;
  file->has_rare_records = false;
  file->offset_in = REF_TAKE(link, uint64_t, cubin->section_count);
  file->compared_bank = REF_TAKE(link, bool, cubin->section_count);
  file->holds_shared = REF_TAKE(link, bool, cubin->section_count);
  file->shared_in = ref_memory_take_numbers(link, cubin->section_count);
  ref_input_find_shared(file);
  ref_function_find_leading(link, file);
}

/* All files are read in command order before any is merged (C77). */
void ref_inputs_read(ref_link *link) {
  const ref_job *job = link->job;
  link->files = REF_TAKE(link, ref_file, job->input_count);
  for (size_t i = 0; i < job->input_count; i++) {
    const ref_input *input = &job->inputs[i];
    if (input->bytes == NULL || (input->size != 0 && input->size < SMALLEST_FILE && !ref_foreign_is_archive(input))) {
      ref_message_fatal(link, "E53", "Could not open input file '%s'", input->name);
    }
    if (ref_foreign_take(link, input, ref_input_extension(input->name))) {
      continue;
    }
    if (input->size == 0) { /* RF400: whatever its name */
      (void)ref_input_ignore(link, input->name, "is named as device code but is empty");
      continue;
    }
    if (!ref_input_extension_links(link, input->name)) {
      continue;
    }
    ref_file *file = &link->files[link->file_count];
    *file = (ref_file){.name = input->name};
    if (ref_input_open(link, input, file)) {
      link->file_count++;
      ref_input_read_section_names(link, file);
      ref_input_read_names(link, file);
      file->cubin = file->whole;
      ref_input_admit(link, file);
      ref_entry_sizes_settle(link, file); /* RF1372: what is said of the file's target comes first */
      ref_laid_check_tables(link, file);
      if (link->error_count == 0) {          /* RF1026: nor does the finalizer read a file behind an error */
        ref_input_check_capsule(link, file); /* RF415: what is said of the file comes first */
      }
      if (!link->is_limited) {
        ref_input_check_version(link, file, REF_KIND_CAPSULE);
      }
    }
  }
  ref_system_choose_files(link);
  /* M4; RF203: of no file, too. RF687: a file of SASS kind counts that is not linked after all. */
  link->is_capsule = (link->file_count != 0 || ref_target_has_capsules(link->sm)) && !link->is_limited;
  for (size_t i = 0; i < link->file_count; i++) {
    link->is_capsule = link->is_capsule && (link->files[i].cubin.flags & REF_KIND_CAPSULE) != 0;
  }
  for (size_t i = 0; i < link->file_count && !link->is_capsule && link->error_count == 0; i++) { /* RF1173 */
    if ((link->files[i].cubin.flags & REF_KIND_CAPSULE) == 0) {
      break; /* RF676 */
    }
    ref_capsule_check_unread_entries(link, &link->files[i]);
  }
}
