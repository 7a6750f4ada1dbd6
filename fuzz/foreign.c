/* fuzz/foreign.c: host objects with and without device code, and archives of them with tables, texts and damage on purpose. An
 * ELF file needs a header, names and a section a row; an archive's member has a header of 60 bytes in decimal (ar(5)). */
#include "fuzz/foreign.h"

#include <stdio.h>
#include <string.h>

enum {
  HEADER = 64,
  SECTION = 64,
  MEMBER_HEADER = 60,
  SIZE_AT = 48,
  END_AT = 58,
  MEMBERS_MOST = 6,
  SECTIONS_MOST = 4,
  OBJECT_ROOM = 1024,
  MACHINE_AT = 18
};

static const uint16_t machines[] = {62, 183, 3, 40, 21};
/* What an object's sections are called; the last row is device code. */
static const char *const names[][SECTIONS_MOST] = {{".text"},
                                                   {".data", ".text"},
                                                   {"__nv_relfatbin"},
                                                   {".nvFatBinSegment", ".text"},
                                                   {".text", "__nv_relfatbin", ".nvFatBinSegment"}};
enum { NAMES = sizeof names / sizeof *names };

unsigned foreign_choose(foreign_choices *choices, unsigned below) {
  return choices->at < choices->size ? choices->bytes[choices->at++] % below : 0;
}

static void foreign_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static void foreign_add(foreign_file *file, const void *bytes, size_t size) {
  memcpy(file->bytes + file->size, bytes, size);
  file->size += size;
}

/* How far nvlink comes in an archive. */
typedef struct foreign_walk {
  bool names;  /* it has met a table of names */
  bool looked; /* and a member that is no table */
  bool cut;    /* the member in front has lost its end: what is behind stands for it */
  bool over;
} foreign_walk;

typedef struct foreign_object {
  uint8_t bytes[OBJECT_ROOM];
  size_t size;
  unsigned machine;
  bool code, whole, cut;
} foreign_object;

static void foreign_add_section(foreign_object *object, size_t row, uint64_t name, uint64_t type, uint64_t at,
                                uint64_t size) {
  uint8_t *const section = object->bytes + object->size + row * SECTION;
  foreign_put(section, 4, name);
  foreign_put(section + 4, 4, type);
  foreign_put(section + 24, 8, at);
  foreign_put(section + 32, 8, size);
  foreign_put(section + 48, 8, 1);
}

/* Names first, then the table of sections, so that a file that is cut has lost its table. */
static void foreign_make_object(foreign_object *object, foreign_choices *choices) {
  static const char begin[] = "\177ELF\2\1\1", own[] = "\0.shstrtab";
  const unsigned row = foreign_choose(choices, NAMES);
  const bool executable = foreign_choose(choices, 8) == 1;
  size_t offsets[SECTIONS_MOST], count = 0;
  memset(object, 0, sizeof *object);
  memcpy(object->bytes, begin, sizeof begin - 1);
  object->machine = machines[foreign_choose(choices, sizeof machines / sizeof *machines)];
  memcpy(object->bytes + HEADER, own, sizeof own);
  size_t at = HEADER + sizeof own;
  for (; count < SECTIONS_MOST && names[row][count]; count++) {
    offsets[count] = at - HEADER;
    memcpy(object->bytes + at, names[row][count], strlen(names[row][count]) + 1);
    at += strlen(names[row][count]) + 1;
  }
  object->size = (at + 7) / 8 * 8;
  foreign_add_section(object, 1, 1, 3, HEADER, at - HEADER); /* STRTAB */
  for (size_t i = 0; i < count; i++)
    foreign_add_section(object, 2 + i, offsets[i], 1, HEADER, foreign_choose(choices, 32)); /* PROGBITS */
  foreign_put(object->bytes + 16, 2, executable ? 2 : 1);
  foreign_put(object->bytes + MACHINE_AT, 2, object->machine);
  foreign_put(object->bytes + 40, 8, object->size);
  foreign_put(object->bytes + 58, 2, SECTION);
  foreign_put(object->bytes + 60, 2, 2 + count);
  foreign_put(object->bytes + 62, 2, 1);
  object->size += (2 + count) * SECTION;
  const size_t cut = foreign_choose(choices, 5) == 1 ? 1 + foreign_choose(choices, SECTION) : 0;
  object->size -= cut;
  object->cut = cut > 0;
  object->whole = !cut || executable; /* nobody looks into a program */
  object->code = row == NAMES - 1 && !cut && !executable;
}

/* One member's header says another size, or is none. Only the size matters. */
static void foreign_damage_header(foreign_file *file, foreign_choices *choices, size_t header,
                                  const foreign_walk *walk) {
  static const char wrong[] = "-x `.";
  const unsigned how = foreign_choose(choices, 12);
  if (how == 1)
    file->bytes[header + SIZE_AT] = (uint8_t)wrong[foreign_choose(choices, sizeof wrong - 1)];
  else if (how == 2)
    file->bytes[header + SIZE_AT + 9] = 'x';
  else if (how == 3)
    file->bytes[header + END_AT + foreign_choose(choices, 2)] = '.';
  else if (how == 4)
    memset(file->bytes + header + SIZE_AT, ' ', END_AT - SIZE_AT);
  else
    return;
  file->flipped = file->flipped || (!walk->over && how != 2 && how != 3);
}

/* What nvlink makes of a member: it goes on behind tables and ELF files. */
static void foreign_walk_member(foreign_file *file, foreign_walk *walk, const char *name,
                                const foreign_object *object) {
  const bool numbered = name[0] == '/' && name[1] == '0', table = name[0] == '/' && !numbered;
  if (walk->over)
    return;
  walk->names = walk->names || strcmp(name, "//") == 0;
  file->whole = file->whole && (!numbered || walk->names);
  file->code = file->code || (object && object->code);
  walk->cut = object && object->cut;
  if (!table && !walk->looked)
    file->machine = object ? object->machine : 0;
  walk->looked = walk->looked || !table;
  walk->over = !file->whole || (!table && !object);
}

static void foreign_add_member(foreign_file *file, foreign_choices *choices, foreign_walk *walk) {
  static const struct {
    const char *name, *text;
  } rows[] = {{"host.o/", NULL},        {"/0", NULL},     {"/", "\1\2\3\4"},
              {"//", "long-name.o/\n"}, {"text/", "odd"}, {"/SYM64/", "\1\2\3\4\5\6\7\1"}};
  const unsigned row = foreign_choose(choices, sizeof rows / sizeof *rows);
  const char *const text = rows[row].text;
  foreign_object object;
  file->flipped = file->flipped || walk->cut;
  if (!text)
    foreign_make_object(&object, choices);
  const size_t size = text ? strlen(text) : object.size, header = file->size;
  char head[MEMBER_HEADER + 1];
  (void)snprintf(head, sizeof head, "%-16s%-12d%-6d%-6d%-8d%-10u`\n", rows[row].name, 0, 0, 0, 644,
                 (unsigned)size % 100000);
  foreign_add(file, head, MEMBER_HEADER);
  foreign_add(file, text ? (const void *)text : object.bytes, size);
  if (size & 1)
    foreign_add(file, "\n", 1);
  foreign_damage_header(file, choices, header, walk);
  foreign_walk_member(file, walk, rows[row].name, text ? NULL : &object);
  file->flipped = file->flipped || (walk->cut && size & 1);
}

static void foreign_make_archive(foreign_file *file, foreign_choices *choices) {
  const unsigned count = foreign_choose(choices, MEMBERS_MOST);
  foreign_walk walk = {0};
  foreign_add(file, file->kind == FOREIGN_THIN ? "!<thin>\n" : "!<arch>\n", 8);
  file->whole = true;
  for (unsigned i = 0; i < count; i++)
    foreign_add_member(file, choices, &walk);
  if (count && foreign_choose(choices, 8) == 1) { /* a header that the file ends in, which ends the walk */
    static const char rest[] = "rest.o/         0  ";
    foreign_add(file, rest, sizeof rest - 1);
    file->flipped = file->flipped || walk.cut;
  }
}

void foreign_make(foreign_file *file, foreign_choices *choices) {
  memset(file, 0, sizeof *file);
  file->kind = (foreign_kind)foreign_choose(choices, FOREIGN_KINDS);
  if (file->kind == FOREIGN_OBJECT) {
    foreign_object object;
    foreign_make_object(&object, choices);
    foreign_add(file, object.bytes, object.size);
    file->whole = object.whole;
    file->code = object.code;
  } else {
    foreign_make_archive(file, choices);
  }
  if (foreign_choose(choices, 4) == 1) {
    file->flipped = true;
    const size_t at = (foreign_choose(choices, 256) * (size_t)256 + foreign_choose(choices, 256)) % file->size;
    file->bytes[at] ^= (uint8_t)(1u << foreign_choose(choices, 8));
  }
}
