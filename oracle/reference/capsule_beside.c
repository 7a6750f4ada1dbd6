/* RF812, RF872, RF879: nvlink walks over the sections of a capsule's SASS side, and takes what Mercury's side has for one of entries,
 * of attributes or of debug data by its name, whatever the type and the sh_info of Mercury's are: so it is of the SASS
 * section's type and about what that one is about. RF908: what no SASS section has the name of counts for nothing, nor
 * do further ones of a name; where Mercury's side has none of the name, attributes and debug data are the SASS side's. */
#include "capsule.h"

#include <string.h>

enum { VERSION_RECORD = 0x5f03 };

typedef struct ref_beside {
  ref_link *link;
  const ref_cubin *whole;
  ref_cubin *view;
  ref_map first;    /* Mercury's sections by plain name */
  ref_map names;    /* the next one of a name that nothing has taken, or 0 */
  uint32_t *next;   /* by section of Mercury's the next one of its name, or 0 */
  uint32_t *bodies; /* by SASS section the capsule that is about it; 0: none */
  bool *taken;
  bool *has_version; /* a text about which Mercury's side has attributes */
  bool file_says;    /* `.nv.compat` is there, and says: */
  uint16_t file_version;
  uint32_t *moved; /* by section of Mercury's the SASS section in whose place it stands, or 0 */
} ref_beside;

static bool ref_beside_is_mercury(const ref_section *section) {
  return (section->flags & REF_FLAG_MERCURY) != 0;
}

static bool ref_beside_is_table(uint32_t type) {
  return type == REF_TYPE_RELA || type == REF_TYPE_REL;
}

/* RF1058: loaded or not. */
static bool ref_beside_is_debug(const ref_section *section) {
  return section->type == REF_TYPE_PROGBITS && (section->flags & REF_FLAG_EXEC) == 0;
}

/* RF821: of these further ones of a name alone count for nothing. */
static bool ref_beside_is_data(uint32_t type) {
  return type == REF_TYPE_GLOBAL_INIT || ref_section_type_is_constant(type);
}

/* RF1187 */
static bool ref_beside_is_unified(uint32_t type) {
  return type == REF_TYPE_UFT_ENTRY || type == REF_TYPE_UDT || type == REF_TYPE_UDT_ENTRY;
}

/* What is found by its name. */
static bool ref_beside_is_named(const ref_section *section) {
  return ref_beside_is_table(section->type) || section->type == REF_TYPE_INFO || ref_beside_is_debug(section) ||
         ref_beside_is_data(section->type) || ref_beside_is_unified(section->type);
}

/* What Mercury's section beside a SASS one is called, without `.nv.merc`. */
static const char *ref_beside_name(ref_link *link, const char *name) {
  if (!ref_text_begins(name, ".nv.constant")) {
    return name; /* as most */
  }
  const struct {
    const char *sass, *mercury;
  } rows[] = {{ref_view_sass.optimizer_prefix, ref_view_mercury.optimizer_prefix},
              {ref_view_sass.table_prefix, ref_view_mercury.table_prefix},
              {ref_view_sass.user_name, ref_view_mercury.user_name},
              {".nv.constant4", ".nv.constant.pic"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t length = strlen(rows[i].sass);
    if (strncmp(name, rows[i].sass, length) == 0) {
      return ref_memory_join(link, rows[i].mercury, name + length);
    }
  }
  return name;
}

static void ref_beside_add(ref_beside *beside, uint32_t number) {
  static const char prefix[] = ".nv.merc";
  const ref_section *section = &beside->view->sections[number];
  const ref_section *input = &beside->whole->sections[number];
  const bool is_whole = strncmp(section->name, prefix, sizeof prefix - 1) == 0;
  const char *name = section->name + (is_whole ? sizeof prefix - 1 : 0);
  const uint32_t text = input->type == REF_TYPE_MERCURY_INFO ? input->info & REF_TEXT_OF_INFO : 0;
  beside->has_version[text < beside->whole->section_count ? text : 0] = true;
  if (input->type == REF_TYPE_MERCURY_INFO && strncmp(input->name, prefix, sizeof prefix - 1) != 0) {
    return; /* another one's name */
  }
  const size_t known = ref_map_find(&beside->names, name);
  beside->next[number] = known == REF_NONE ? 0 : (uint32_t)known;
  ref_map_set(beside->link, &beside->names, name, number);
  if (input->type == REF_TYPE_CAPSULE_TEXT && section->data != NULL && section->size >= 4 &&
      ref_u32(section->data) < beside->whole->section_count) {
    beside->bodies[ref_u32(section->data)] = number;
  }
}

/* RF1235: the code of another text of the name, which says so itself. */
static bool ref_beside_is_of_namesake(const ref_beside *beside, size_t found, uint32_t target) {
  const ref_cubin *whole = beside->whole;
  const ref_section *section = &whole->sections[found];
  if (section->type != REF_TYPE_CAPSULE_TEXT || section->data == NULL || section->size < 4) {
    return false;
  }
  const uint32_t text = ref_u32(section->data);
  return text != target && text < whole->section_count && beside->bodies[text] == found &&
         strcmp(whole->sections[text].name, whole->sections[target].name) == 0;
}

/* Mercury's section beside what a SASS section is about; 0: none. */
static uint32_t ref_beside_target(const ref_beside *beside, uint32_t target) {
  if (target == 0 || target >= beside->whole->section_count ||
      ref_beside_is_mercury(&beside->whole->sections[target])) {
    return 0;
  }
  if (beside->bodies[target] != 0) {
    return beside->bodies[target];
  }
  const char *name = ref_beside_name(beside->link, beside->view->sections[target].name);
  const size_t found = ref_map_find(&beside->first, name);
  if (found != REF_NONE && ref_beside_is_debug(&beside->whole->sections[target])) {
    return target; /* RF1154: of several of a name the one itself */
  }
  return found == REF_NONE || ref_beside_is_of_namesake(beside, found, target) ? 0 : (uint32_t)found;
}

/* L1538: what the last attribute 7 of `.nv.compat` says, of the format with a size that; false: there is no such section. */
static bool ref_beside_find_version(const ref_cubin *whole, uint16_t *version) {
  enum { SIZED = 4, CODE_VERSION = 7, OLDEST = 0x100 };
  for (uint32_t i = 1; i < whole->section_count; i++) {
    uint64_t position = 0;
    ref_attribute attribute;
    if (whole->sections[i].type != REF_TYPE_COMPAT || !REF_IS(whole->sections[i].name, ".nv.compat")) {
      continue;
    }
    *version = OLDEST;
    while (ref_cubin_next_attribute(&whole->sections[i], &position, &attribute)) {
      if (attribute.code == CODE_VERSION) {
        *version = attribute.format == SIZED ? (uint16_t)attribute.size : ref_u16(attribute.data);
      }
    }
    return true;
  }
  return false;
}

static bool ref_beside_says_version(const ref_section *section) {
  enum { CODE_ISA_VERSION = 0x5f };
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    if (attribute.code == CODE_ISA_VERSION) {
      return true;
    }
  }
  return false;
}

/* RF827: attributes of a function whose own section says another type or what is not its code are said to be of the first version, too. RF999: and
 * those that have no version are of the file's, also where there are none (RF1247). */
static void ref_beside_add_version(ref_beside *beside, uint32_t number, uint32_t target) {
  const ref_section *input = &beside->whole->sections[number];
  ref_section *section = &beside->view->sections[number];
  const bool is_own =
      input->type == REF_TYPE_MERCURY_INFO && beside->has_version[target]; /* RF1008: by any of Mercury's */
  if (target == 0 || (section->data == NULL && section->size != 0) ||
      (is_own && (!beside->file_says || ref_beside_says_version(section)))) {
    return;
  }
  const uint16_t version = is_own ? beside->file_version : 0x101;
  const uint8_t record[] = {3, 0x5f, (uint8_t)version, (uint8_t)(version >> 8)};
  ref_bytes bytes = {0};
  ref_bytes_add(beside->link, &bytes, section->data, (size_t)section->size);
  ref_bytes_add(beside->link, &bytes, record, sizeof record);
  section->data = bytes.data;
  section->size = bytes.size;
}

/* RF880: records of the SASS side's in place of Mercury's, with the version that nothing of Mercury's says: the file's (RF1248). */
static void ref_beside_take_sass(const ref_beside *beside, const ref_section *input, ref_section *own) {
  ref_bytes records = {0};
  ref_bytes_add(beside->link, &records, input->data, (size_t)input->size);
  if (own->info != 0 && own->info < beside->whole->section_count && !beside->has_version[own->info] &&
      beside->file_says) { /* RF1248 */
    ref_bytes_add_u32(beside->link, &records, (uint32_t)beside->file_version << 16 | VERSION_RECORD);
  }
  own->type = REF_TYPE_INFO;
  own->data = records.data;
  own->size = records.size;
}

/* They have the order and the headers of the SASS side's (RF824). RF1020: Mercury's first one of the name stands for each. */
static void ref_beside_take_debug(ref_beside *beside, uint32_t number) {
  ref_section *own = &beside->view->sections[number];
  const size_t found = ref_map_find(&beside->first, ref_beside_name(beside->link, own->name));
  if (found == REF_NONE) {
    return;
  }
  ref_section *section = &beside->view->sections[found];
  own->type = beside->whole->sections[number].type;
  own->data = section->data;
  own->size = section->size;
  own->offset = section->offset;
  section->type = 0;
  beside->taken[found] = true;
  beside->moved[found] = beside->moved[found] == 0 ? number : beside->moved[found];
}

/* RF1055, RF1023: of variables and constants the SASS side's header says what both sides have. */
static void ref_beside_take_headers(const ref_section *input, ref_section *section) {
  section->link = input->link;
  section->flags = input->flags;
  section->align = input->align;
  section->entry_size = input->entry_size;
}

static void ref_beside_take(ref_beside *beside, uint32_t number) {
  static const char prefix[] = ".rela";
  const ref_section *input = &beside->whole->sections[number];
  ref_section *own = &beside->view->sections[number];
  const bool is_table = ref_beside_is_table(input->type);
  const size_t length = is_table && strncmp(own->name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
  const char *plain = ref_beside_name(beside->link, own->name + length);
  const char *name = length == 0 ? plain : ref_memory_join(beside->link, prefix, plain);
  const size_t found = ref_map_find(&beside->names, name);
  const uint32_t mask = input->type == REF_TYPE_INFO ? REF_TEXT_OF_INFO : UINT32_MAX;
  const uint32_t target = ref_beside_target(beside, input->info & mask);
  ref_section *section = own;
  if (found != REF_NONE && found != 0) {
    section = &beside->view->sections[found];
    beside->taken[found] = true;
    ref_map_set(beside->link, &beside->names, name, beside->next[found]);
    if (ref_beside_is_data(input->type)) {
      const bool of_file = input->type == REF_TYPE_GLOBAL_INIT || input->type == ref_view_sass.user_type ||
                           input->type == REF_TYPE_CONSTANT + 4;
      ref_beside_take_headers(input, section);
      section->info = of_file ? target : section->info; /* RF1178 */
      return;
    }
    section->type = is_table ? REF_TYPE_RELA : input->type;
    if (ref_beside_is_unified(input->type)) {
      return;
    }
    if (is_table) {
      own->turn = (uint32_t)found; /* RF1009, RF1170 */
      section->turn = (uint32_t)beside->whole->section_count;
    }
    if (input->type == REF_TYPE_INFO) {
      section->info = 0;
      ref_beside_add_version(beside, (uint32_t)found, target);
    }
  }
  section->info = target != 0 ? target : section->info;
  if (found == REF_NONE && input->type == REF_TYPE_INFO && input->data != NULL) {
    ref_beside_take_sass(beside, input, own);
  }
  if (section != own && input->type == REF_TYPE_INFO) { /* RF1007 */
    *own = *section;
    section->type = 0;
    beside->moved[found] = number;
  }
}

/* What lies in a section that has been moved, and is about it. */
static void ref_beside_move(const ref_beside *beside) {
  ref_cubin *view = beside->view;
  for (size_t i = 1; i < view->section_count; i++) {
    ref_section *section = &view->sections[i];
    if (ref_beside_is_table(section->type) && section->info < view->section_count &&
        beside->moved[section->info] != 0) {
      section->info = beside->moved[section->info];
    }
  }
  for (size_t i = 1; i < view->symbol_count; i++) {
    ref_symbol *symbol = &view->symbols[i];
    if (symbol->section < view->section_count && beside->moved[symbol->section] != 0) {
      symbol->section = beside->moved[symbol->section];
      symbol->raw_section = (uint16_t)symbol->section;
    }
  }
}

/* RF879: what lies in a section of the SASS side lies in Mercury's beside it. */
static void ref_beside_move_objects(const ref_beside *beside) {
  ref_cubin *view = beside->view;
  for (size_t i = 1; i < view->symbol_count; i++) {
    ref_symbol *symbol = &view->symbols[i];
    if (symbol->section == 0 || symbol->section >= view->section_count ||
        ref_beside_is_mercury(&beside->whole->sections[symbol->section]) || view->sections[symbol->section].type != 0) {
      continue;
    }
    const char *name = ref_beside_name(beside->link, beside->whole->sections[symbol->section].name);
    const size_t found = ref_map_find(&beside->first, name);
    if (found != REF_NONE && found <= UINT16_MAX) {
      symbol->section = (uint32_t)found;
      symbol->raw_section = (uint16_t)found;
    }
  }
}

/* RF1017: constants of Mercury's beside which the SASS side has no section of the name, of whatever type: nvlink ends by a signal, behind all
 * that it says of the link (RF1173). */
static void ref_beside_check_constants(const ref_beside *beside) {
  const char *const names[][2] = {{ref_view_mercury.user_name, ref_view_sass.user_name},
                                  {".nv.constant.pic", ".nv.constant4"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const size_t mercury = ref_map_find(&beside->first, names[k][0]);
    const uint32_t type = mercury == REF_NONE ? 0 : beside->whole->sections[mercury].type;
    bool found = type != REF_TYPE_CONSTANT_USER && type != REF_TYPE_CONSTANT_PIC;
    for (size_t i = 1; i < beside->whole->section_count && !found; i++) {
      const ref_section *section = &beside->whole->sections[i];
      found = !ref_beside_is_mercury(section) && strcmp(section->name, names[k][1]) == 0;
    }
    if (!found && beside->link->lone_constants == NULL) {
      beside->link->lone_constants = names[k][0];
      beside->link->missing_constants = names[k][1];
    }
  }
}

/* RF1252: with -r constants of the compiler's whose SASS section is of another type have no bytes. */
static void ref_beside_take_empty(ref_beside *beside, uint32_t number) {
  const char *prefix = ref_view_sass.optimizer_prefix;
  const char *name = beside->whole->sections[number].name;
  if (!beside->link->relocatable || strncmp(name, prefix, strlen(prefix)) != 0) {
    return;
  }
  const size_t found = ref_map_find(&beside->first, ref_beside_name(beside->link, name));
  if (found != REF_NONE && beside->view->sections[found].type == REF_TYPE_CONSTANT_OPTIMIZER) {
    beside->taken[found] = true;
    beside->view->sections[found].data = NULL;
    beside->view->sections[found].size = 0;
  }
}

void ref_beside_settle(ref_link *link, const ref_cubin *whole, ref_cubin *view) {
  const size_t count = whole->section_count;
  ref_beside beside = {.link = link, .whole = whole, .view = view};
  beside.next = REF_TAKE(link, uint32_t, count);
  beside.bodies = REF_TAKE(link, uint32_t, count);
  beside.taken = REF_TAKE(link, bool, count);
  beside.has_version = REF_TAKE(link, bool, count);
  beside.moved = REF_TAKE(link, uint32_t, count);
  beside.file_says = ref_beside_find_version(whole, &beside.file_version);
  for (size_t i = count; i-- > 1;) {
    if (ref_beside_is_mercury(&whole->sections[i])) {
      ref_beside_add(&beside, (uint32_t)i);
    }
  }
  beside.first = ref_map_copy(link, &beside.names);
  for (uint32_t i = 1; i < count; i++) {
    const ref_section *section = &whole->sections[i];
    if (!ref_beside_is_mercury(section) && ref_beside_is_named(section)) {
      (ref_beside_is_debug(section) ? ref_beside_take_debug : ref_beside_take)(&beside, i);
    } else if (!ref_beside_is_mercury(section)) {
      ref_beside_take_empty(&beside, i);
    }
  }
  for (uint32_t i = 1; i < count; i++) {
    if (ref_beside_is_mercury(&whole->sections[i]) && !beside.taken[i] && ref_beside_is_named(&view->sections[i])) {
      view->sections[i].type = 0;
    }
  }
  ref_beside_check_constants(&beside);
  ref_beside_move(&beside);
  ref_beside_move_objects(&beside);
}
