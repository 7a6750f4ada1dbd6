/* input/admission.c: the table C20 (extension against content) and the checks of one cubin's header.
 *
 * The table comes first and decides what a file is taken for; only then is a cubin's header looked at, in the order of
 * C76. Both are plain tables and a plain list of checks, because the order is the specification: the first check that
 * applies prints, the rest is not reached. Rules found while writing this file, all measured:
 *  - a file whose section table, segment table or section bytes lie outside it is no ELF file to nvlink (C23);
 *  - the warning E47 needs bit 10 of e_flags clear, the old layout's 64-bit flag;
 *  - SM number 0 is "Unknown arch name 'sm_0'"; a compute_ target takes every known number up to its own, and numbers
 *    from 100 on end in "specified arch exceeds buffer length";
 *  - index 0xff in e_flags means that .note.nv.cuinfo is found by its name;
 *  - "must be recompiled" exists for code of sm_90 and later only. */
#include "input/admission.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "input/archive.h"
#include "input/capsule.h"
#include "input/content.h"

/* The columns of C20. */
typedef enum admission_extension {
  EXT_CUBIN,
  EXT_FATBIN,
  EXT_PTX,
  EXT_OBJECT,
  EXT_OTHER,
  EXT_SHARED,
  EXT_NONE,
  EXT_BITCODE,
  EXT_NVVM,
  EXT_COUNT
} admission_extension;

static const struct {
  const char *text;
  admission_extension extension;
} extensions[] = {
    {"cubin", EXT_CUBIN}, {"fatbin", EXT_FATBIN}, {"ptx", EXT_PTX},   {"o", EXT_OBJECT},
    {"so", EXT_SHARED},   {"bc", EXT_BITCODE},    {"nvvm", EXT_NVVM}, {"ltoir", EXT_NVVM},
};

typedef enum admission_verdict {
  SKIP,   /* adds nothing, rc 0 */
  EMPTY,  /* the same, but an error where the name says device code (D35) */
  OPEN,   /* cannot be opened */
  LINK,   /* a cubin: check its header */
  HOST,   /* look for device code inside */
  LATER,  /* a kind that a later version reads */
  THIN,   /* an archive whose members lie elsewhere */
  NO_FAT, /* C20 A */
  NO_ELF, /* C20 B */
  NO_DEV, /* C20 C */
  BITC,   /* C20 D */
  NVVM,   /* C20 E */
  FORMAT  /* C20 F */
} admission_verdict;

/* clang-format off */
static const admission_verdict verdicts[TL_CONTENT_COUNT][EXT_COUNT] = {
    /*                            .cubin  .fatbin .ptx    .o     other  .so    none   .bc    .nvvm */
    [TL_CONTENT_EMPTY]        = { EMPTY,  EMPTY,  EMPTY,  SKIP,  SKIP,  SKIP,  SKIP,  SKIP,  SKIP },
    [TL_CONTENT_SHORT]        = { OPEN,   OPEN,   OPEN,   OPEN,  OPEN,  OPEN,  OPEN,  OPEN,  OPEN },
    [TL_CONTENT_DEVICE_ELF]   = { LINK,   NO_FAT, LINK,   LINK,  HOST,  SKIP,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_HOST_ELF]     = { NO_DEV, NO_FAT, FORMAT, HOST,  HOST,  SKIP,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_FATBIN]       = { NO_ELF, LATER,  LATER,  HOST,  HOST,  SKIP,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_PTX]          = { NO_ELF, NO_FAT, LATER,  HOST,  HOST,  SKIP,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_ARCHIVE]      = { NO_ELF, NO_FAT, FORMAT, HOST,  HOST,  HOST,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_THIN_ARCHIVE] = { NO_ELF, NO_FAT, FORMAT, THIN,  THIN,  THIN,  SKIP,  BITC,  NVVM },
    [TL_CONTENT_OTHER]        = { NO_ELF, NO_FAT, FORMAT, HOST,  HOST,  SKIP,  SKIP,  BITC,  NVVM },
};
/* clang-format on */

/* What T4 says of a kind that is not read yet. */
static const struct {
  const char *what, *advice;
} later[TL_CONTENT_COUNT] = {
    [TL_CONTENT_HOST_ELF] = {"a host object with device code",
                             "compile its source to a cubin first: nvcc -rdc=true -cubin -arch=<target>"},
    [TL_CONTENT_FATBIN] = {"a fat binary", "compile its source to a cubin first: nvcc -rdc=true -cubin -arch=<target>"},
    [TL_CONTENT_PTX] = {"PTX text", "assemble it first: ptxas -c -arch=<target> FILE.ptx -o FILE.cubin"},
    [TL_CONTENT_ARCHIVE] = {"an archive with device code",
                            "compile its sources to cubins first: nvcc -rdc=true -cubin -arch=<target>"},
    [TL_CONTENT_THIN_ARCHIVE] = {"a thin archive", "make one that holds its members: ar rcs"},
};

/* C25d: flags of the layout before ABI 8, which nvlink still takes apart (D69, E47). */
enum { OLD_ABI_VERSION = 7, OLD_FLAG_64BIT = 0x400, OLD_SM_MASK = 0xff };
enum {
  OSABI_CUDA = 0x41,
  ABI_VERSION = 8,
  SM_MASK = 0xffff, /* bits 16 to 23 belong to the number and are always 0 (C25d) */
  FLAG_TOOLKIT = 1, /* e_version is a toolkit (L444) */
  FLAG_CAPSULE = 2,
  FLAG_SASS = 4,
  NOTE_NEEDED_SM = 90,
  NOTE_SIZE = 30, /* up to the last word that is read */
  NOTE_WORDS_AT = 24,
  NOTE_VERSION_LEAST = 2,
  TOOLKIT_OLD = 100,
  TOOLKIT_LARGE_PARAMETERS = 121,
  TOOLKIT_LEAST = 120,
  TOOLKIT_GROUPS = 130, /* from it on TCGEN05 records spread */
  TOOLKIT_MOST = 130,
  NOTE_INDEX_BY_NAME = 0xff,
  COMPAT_ACCELERATED = 9,
  FIRST_CAPSULE_SM = 100,
  FIRST_LIMITED_SM = 90 /* of -preserve-relocs (R50) */
};

typedef struct admission {
  tl_admission *result;
  const tl_job *job;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
} admission;

/* One cubin while it is checked; the view is whole (tl_content_elf_is_whole). */
typedef struct candidate {
  const char *path;
  const uint8_t *bytes;
  size_t size;
  uint32_t flags;
  tl_accepted accepted;
} candidate;

static tl_site admission_site(const char *path) {
  return (tl_site){path, NULL, NULL, TL_NO_OFFSET};
}

static void admission_say(const admission *a, tl_message_id id, const char *path) {
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(id), admission_site(path), NULL, path);
}

static admission_extension admission_extension_of(const char *path) {
  const char *const slash = strrchr(path, '/');
  const char *const dot = strrchr(slash ? slash + 1 : path, '.');
  if (!dot)
    return EXT_NONE;
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
    if (strcmp(dot + 1, extensions[i].text) == 0)
      return extensions[i].extension;
  return EXT_OTHER;
}

/* D35: nvlink ignores a file that is named as device code and holds none. */
static void admission_refuse_ignored(const admission *a, const char *path, const char *what) {
  if (tl_defect_matched(&a->job->options, TL_DEFECT_D35))
    return;
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_IGNORED_INPUT), admission_site(path),
                     "D35: nvlink ignores it", path, what);
}

/* Two fatal lines, as nvlink prints them when its reader of containers gives up. */
static void admission_fail_twice(const admission *a, const char *path, tl_message_id first, tl_message_id second) {
  tl_diagnostics_add_before(a->diagnostics, tl_message_row_of(first), admission_site(path), path);
  admission_say(a, second, path);
}

/* Section header `index`, or NULL. */
static const uint8_t *candidate_section(const candidate *c, uint64_t index) {
  if (index >= tl_content_elf_section_count(c->bytes))
    return NULL;
  return c->bytes + tl_get64(c->bytes + 40) + index * ELF_SECTION_SIZE;
}

/* The header of .note.nv.cuinfo, which the top byte of e_flags names (F10). */
static const uint8_t *candidate_note(const candidate *c) {
  const uint32_t index = c->flags >> 24;
  return index == NOTE_INDEX_BY_NAME ? tl_content_elf_find_section(c->bytes, c->size, 0, ".note.nv.cuinfo")
                                     : candidate_section(c, index);
}

/* F56: attribute 9 of .nv.compat. */
static bool candidate_is_accelerated(const candidate *c) {
  const uint64_t count = tl_content_elf_section_count(c->bytes);
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const section = candidate_section(c, i);
    if (tl_get32(section + 4) != SHT_CUDA_COMPAT)
      continue;
    const uint8_t *record = c->bytes + tl_get64(section + 24);
    uint64_t left = tl_get64(section + 32);
    while (left >= 4) {
      const uint64_t size = 4 + (record[0] == 4 ? (uint64_t)tl_get16(record + 2) : 0);
      if (record[1] == COMPAT_ACCELERATED)
        return record[2] == 1;
      if (size > left)
        break;
      record += size;
      left -= size;
    }
  }
  return false;
}

/* Step 4 of C76, and its quirk D69. */
static void candidate_check_abi(const admission *a, const candidate *c) {
  const bool osabi = c->bytes[7] == OSABI_CUDA;
  if (!osabi && !(c->flags & OLD_FLAG_64BIT))
    admission_say(a, TL_MESSAGE_NOT_64BIT, c->path);
  const bool old = !osabi && c->bytes[8] == OLD_ABI_VERSION;
  if (old && tl_defect_matched(&a->job->options, TL_DEFECT_D69)) {
    if (!tl_architecture_accepts(a->result->target, c->flags & OLD_SM_MASK, false))
      tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_ARCH_MISMATCH), admission_site(c->path), NULL,
                         c->path, a->result->target->name);
    admission_say(a, TL_MESSAGE_RECOMPILE, c->path);
  }
  if (old)
    tl_defect_note(a->diagnostics, TL_DEFECT_D69, NULL);
  if (!osabi || c->bytes[8] != ABI_VERSION)
    admission_say(a, TL_MESSAGE_ABI_MISMATCH, c->path);
}

static bool candidate_is_capsule(const admission *a, const candidate *c) {
  return a->result->target->number >= FIRST_CAPSULE_SM && c->flags & FLAG_CAPSULE;
}

/* L1795: one that names its toolkit does not make a link one of SASS kind, though it is no capsule. */
static bool candidate_is_sass(const admission *a, const candidate *c) {
  return !candidate_is_capsule(a, c) && !(c->flags & FLAG_TOOLKIT && a->result->target->number >= FIRST_CAPSULE_SM);
}

/* A family's own target: sm_100f. */
static bool admission_is_for_family(const tl_architecture *target) {
  return target->name[strlen(target->name) - 1] == 'f';
}

/* M5, L1085: code that nvlink's finalizer carries over to another SM; that of sm_120 is sm_121's own otherwise. */
static bool candidate_is_carried(const admission *a, uint32_t number) {
  const tl_architecture *const target = a->result->target;
  return (number == 100 && target->number == 103) ||
         (number == 120 && target->number == 121 && admission_is_for_family(target));
}

/* L532, L1080: between two SM numbers of a family, and for a family's own target, nvlink asks .nv.compat. */
static bool candidate_goes_for_family(const admission *a, const candidate *c, uint32_t number) {
  const tl_architecture *const target = a->result->target;
  const bool family = admission_is_for_family(target);
  if (number < FIRST_CAPSULE_SM || (number == target->number && !family))
    return true;
  uint64_t offset;
  const bool carried = candidate_is_carried(a, number);
  const bool alone = !candidate_is_capsule(a, c) && !a->result->some_capsule; /* SASS kind: L109, L1081, L1085 */
  if (alone && (carried || (family && number == target->number && c->accepted.accelerated)))
    return false;
  if (carried && (tl_capsule_is_newer(c->bytes, c->size, &offset) || tl_capsule_is_variant(c->bytes, c->size)))
    return false;
  return tl_capsule_has_compat(c->bytes, c->size);
}

/* The note's words are read from where its header points, whatever size the header gives (C27). */
static const uint8_t *candidate_note_words(const candidate *c) {
  const uint8_t *const note = candidate_note(c);
  const uint64_t at = note ? tl_get64(note + 24) : 0;
  const bool found = note && tl_get32(note + 4) == SHT_NOTE && at <= c->size - NOTE_SIZE; /* a header alone is larger */
  return found ? c->bytes + at + NOTE_WORDS_AT : NULL;
}

static bool candidate_has_compat(const candidate *c) {
  const uint64_t count = tl_content_elf_section_count(c->bytes);
  for (uint64_t i = 0; i < count; i++)
    if (tl_get32(candidate_section(c, i) + 4) == SHT_CUDA_COMPAT)
      return true;
  return false;
}

/* L1626: sm_90's code may be for later devices only where its .nv.compat says so, which files of old notes need not. */
static bool candidate_goes_for_later(const admission *a, const candidate *c, uint32_t number) {
  const tl_architecture *const target = a->result->target;
  if (target->family != TL_ARCH_COMPUTE || number != NOTE_NEEDED_SM || target->number <= number)
    return true;
  const uint8_t *const words = candidate_note_words(c);
  if (!words)
    return false;
  return tl_get16(words) < NOTE_VERSION_LEAST || (candidate_has_compat(c) && !c->accepted.accelerated);
}

/* Step 5 of C76. */
static void candidate_check_arch(const admission *a, const candidate *c) {
  const tl_architecture *const target = a->result->target;
  const uint32_t number = c->flags >> 8 & SM_MASK;
  if (number == 0)
    admission_say(a, TL_MESSAGE_UNKNOWN_ARCH, "sm_0");
  if (target->family == TL_ARCH_COMPUTE && number >= FIRST_CAPSULE_SM)
    admission_say(a, TL_MESSAGE_ARCH_BUFFER, c->path);
  const bool goes = candidate_goes_for_family(a, c, number) && candidate_goes_for_later(a, c, number);
  if (!goes || !tl_architecture_accepts(target, number, c->accepted.accelerated))
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_ARCH_MISMATCH), admission_site(c->path), NULL,
                       c->path, target->name);
}

/* Steps 6 and 7 of C76. Code for a target that is not sm_90's, capsules too (L1525, L1626), may lack the note or have an old
 * one: it then has virtual SM 0. */
static void candidate_check_note(const admission *a, candidate *c) {
  const uint8_t *const words = candidate_note_words(c);
  const uint16_t version = words ? tl_get16(words) : 0, toolkit = words ? tl_get16(words + 4) : 0;
  if (a->result->target->number == NOTE_NEEDED_SM && (version < NOTE_VERSION_LEAST || toolkit < TOOLKIT_LEAST))
    admission_say(a, TL_MESSAGE_RECOMPILE, c->path);
  if (version >= NOTE_VERSION_LEAST && toolkit > TOOLKIT_MOST)
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_NEWER_TOOLKIT), admission_site(c->path), NULL,
                       c->path, tl_arena_format(a->arena, "%u", (uint64_t)toolkit));
  const bool beside = c->accepted.ewp || a->result->some_ewp;
  if (beside && (version < NOTE_VERSION_LEAST || toolkit < TOOLKIT_MOST)) /* L242, RF121 */
    admission_say(a, TL_MESSAGE_EWP_TOOLKIT, c->path);
  c->accepted.old = version < NOTE_VERSION_LEAST || toolkit < TOOLKIT_OLD;
  c->accepted.few_parameters = version < NOTE_VERSION_LEAST || toolkit < TOOLKIT_LARGE_PARAMETERS;
  c->accepted.keeps_groups = version < NOTE_VERSION_LEAST || toolkit < TOOLKIT_GROUPS;
  c->accepted.virtual_sm = words ? tl_get16(words + 2) : 0;
}

/* L444: e_version is a toolkit's in files that say so, and in capsules that stand before every SASS-kind file. */
static void candidate_check_toolkit(const admission *a, const candidate *c) {
  const uint32_t toolkit = tl_get32(c->bytes + 20);
  const uint16_t type = tl_get16(c->bytes + 16);
  const bool counts = candidate_is_capsule(a, c) && (type == ET_REL || type == ET_EWP) && !a->result->some_sass;
  if (toolkit > TOOLKIT_MOST && (counts || c->flags & FLAG_TOOLKIT))
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_NEWER_TOOLKIT), admission_site(c->path), NULL,
                       c->path, tl_arena_signed(a->arena, toolkit));
}

/* L1080, L1780; L1801 of what the finalizer reads. */
static void candidate_check_mercury(const admission *a, const candidate *c) {
  const char *section;
  uint64_t offset;
  if (!candidate_is_capsule(a, c))
    return;
  if (tl_capsule_is_refused(c->bytes, c->size, &section, &offset))
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER),
                       (tl_site){c->path, section, NULL, offset}, NULL, c->path);
  if (!a->result->some_sass && tl_capsule_needs_memory(c->bytes, c->size, &section))
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER),
                       (tl_site){c->path, section, NULL, TL_NO_OFFSET}, NULL, c->path);
  if (!tl_capsule_repeats_lines(c->bytes, c->size, a->arena))
    return;
  tl_diagnostics_add_before(a->diagnostics, tl_message_row_of(TL_MESSAGE_REPEATED_LINES), admission_site(c->path));
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER), admission_site(c->path), NULL, c->path);
}

/* E44, of the first file that has no capsules (R60, L100); of a virtual target, too. */
static void candidate_check_capsule(const admission *a, const candidate *c) {
  const tl_architecture *const target = a->result->target;
  if (target->number >= FIRST_CAPSULE_SM && candidate_is_sass(a, c) && !a->result->some_sass)
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_LIMITED), admission_site(c->path), NULL,
                       (uint64_t)target->number, c->path);
}

static bool candidate_has_relocations(const candidate *c) {
  const uint64_t count = tl_content_elf_section_count(c->bytes);
  for (uint64_t i = 1; i < count; i++) {
    const uint8_t *const section = candidate_section(c, i);
    if (tl_get32(section + 4) == SHT_RELA && tl_get64(section + 32))
      return true;
  }
  return false;
}

/* Step 8 of C76; F12. */
static void candidate_check_kind(const admission *a, const candidate *c) {
  const bool capsules = (c->flags >> 8 & SM_MASK) >= FIRST_CAPSULE_SM;
  const bool lacking = candidate_has_relocations(c) || c->flags & FLAG_TOOLKIT; /* L1795 */
  if (capsules && !(c->flags & (FLAG_CAPSULE | FLAG_SASS)) && lacking)
    tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), admission_site(c->path), NULL, c->path,
                       "its header says neither SASS nor capsule (D43)");
  if (!(c->flags & FLAG_CAPSULE) || (capsules && !(c->flags & FLAG_SASS)))
    return;
  if (c->flags & FLAG_SASS)
    admission_say(a, TL_MESSAGE_INTERNAL, c->path);
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), admission_site(c->path), NULL, c->path,
                     "its header says capsule, which its architecture does not have");
}

/* D24: nvlink says nothing when code of the accelerated variant goes into a link for another. */
static void candidate_warn_of_variant(const admission *a, const candidate *c) {
  const tl_architecture *const target = a->result->target;
  if (target->family != TL_ARCH_SM || !c->accepted.accelerated || target->accelerated ||
      tl_defect_matched(&a->job->options, TL_DEFECT_D24))
    return;
  const char *const name = tl_arena_format(a->arena, "sm_%ua", (uint64_t)(c->flags >> 8 & SM_MASK));
  tl_diagnostics_add(
      a->diagnostics, tl_message_row_of(TL_MESSAGE_VARIANT), admission_site(c->path),
      "D24: instructions of the variant fail on other devices of that number; name the variant with -arch", c->path,
      name, target->name);
}

static void candidate_refuse(const admission *a, const candidate *c, const char *what) {
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), admission_site(c->path), NULL, c->path,
                     what);
}

enum { FIRST_ENTRY_SM = 90 };

/* A cubin named .ptx is read as the one entry of a fat binary (L221): EI_CLASS and the SM number 0 are fatal, EI_DATA is
 * not looked at, and whatever makes the entry unfit ends nvlink by a signal (D44). Before sm_90 nvlink leaves it out without
 * a word (L1199). */
static bool candidate_is_taken_as_entry(const admission *a, const candidate *c) {
  const uint32_t number = tl_get32(c->bytes + 48) >> 8 & SM_MASK;
  if (c->bytes[4] != 2 || number == 0) {
    tl_diagnostics_add_before(a->diagnostics, tl_message_row_of(TL_MESSAGE_UNKNOWN_ARCH), admission_site(c->path), "");
    admission_say(a, TL_MESSAGE_FATBINARY_ERROR, c->path);
  }
  if (!tl_content_elf_is_whole(c->bytes, c->size, true))
    candidate_refuse(a, c, "it is truncated");
  if (c->bytes[7] != OSABI_CUDA)
    candidate_refuse(a, c, "EI_OSABI is not that of a cubin");
  if (!tl_architecture_accepts(a->result->target, number, false)) /* what an "a" variant may not, is looked at later */
    candidate_refuse(a, c, "it is code for another architecture");
  if (c->bytes[5] != 1)
    admission_refuse_ignored(a, c->path, "no little-endian cubin");
  if (a->result->target->number >= FIRST_ENTRY_SM || tl_defect_matched(&a->job->options, TL_DEFECT_D35))
    return a->result->target->number >= FIRST_ENTRY_SM;
  tl_defect_note(a->diagnostics, TL_DEFECT_D35, c->path); /* L1199 */
  return true;
}

/* D68: nvlink ends by a signal; of a .o file, too (L1627). */
static void candidate_refuse_header(const admission *a, const candidate *c) {
  const bool capsule = (tl_get32(c->bytes + 48) & FLAG_CAPSULE) != 0;
  if (c->bytes[4] == 2 && (c->bytes[7] != OSABI_CUDA || capsule))
    candidate_refuse(a, c,
                     c->bytes[5] == 1 ? "it is truncated, or its header is damaged"
                                      : "its header is damaged in more than one place");
}

/* Step 3 of C76: what nvlink ignores. False when the file is to be left out. A .o file is taken only with e_type 1. */
static bool candidate_is_taken(const admission *a, const candidate *c, admission_extension extension) {
  const bool whole = tl_content_elf_is_whole(c->bytes, c->size, false);
  const uint16_t type = tl_get16(c->bytes + 16);
  if (extension == EXT_OBJECT) {
    if (!whole && type == ET_REL)
      candidate_refuse_header(a, c);
    return whole && type == ET_REL;
  }
  if (type == ET_EXEC && whole) {
    if (!tl_defect_matched(&a->job->options, TL_DEFECT_D35))
      tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_EXECUTABLE_INPUT), admission_site(c->path),
                         "D35: nvlink ignores it without a word", c->path);
    return false;
  }
  if (extension == EXT_PTX)
    return candidate_is_taken_as_entry(a, c);
  if (whole)
    return true;
  admission_refuse_ignored(a, c->path, tl_content_elf_fault(c->bytes, c->size, false));
  candidate_refuse_header(a, c);
  return false;
}

static void admission_check_cubin(const admission *a, size_t index, admission_extension extension) {
  const tl_input *const input = &a->job->inputs[index];
  candidate c = {.path = input->path, .bytes = input->data, .size = input->size, .accepted = {.input = index}};
  if (!candidate_is_taken(a, &c, extension))
    return;
  c.flags = tl_get32(c.bytes + 48);
  c.accepted.accelerated = candidate_is_accelerated(&c);
  c.accepted.ewp = tl_get16(c.bytes + 16) == ET_EWP;
  c.accepted.system = strstr(c.path, "cudadevrt") != NULL;
  candidate_check_abi(a, &c);
  candidate_check_capsule(a, &c);
  candidate_check_arch(a, &c);
  candidate_check_note(a, &c);
  candidate_check_mercury(a, &c);
  candidate_check_toolkit(a, &c);
  candidate_check_kind(a, &c);
  candidate_warn_of_variant(a, &c);
  c.accepted.capsule = candidate_is_capsule(a, &c);
  a->result->some_ewp |= c.accepted.ewp;
  a->result->some_capsule |= c.accepted.capsule;
  a->result->some_sass |= candidate_is_sass(a, &c);
  *tl_vector_push(a->arena, &a->result->files) = c.accepted;
}

static void admission_refuse_later(const admission *a, const char *path, tl_content content) {
  tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_UNSUPPORTED_INPUT), admission_site(path), NULL, path,
                     later[content].what, later[content].advice);
}

void tl_admission_refuse_runtime(const tl_admission *result, tl_diagnostics *diagnostics) {
  tl_diagnostics_add(diagnostics, tl_message_row_of(TL_MESSAGE_UNSUPPORTED_INPUT), admission_site(result->runtime),
                     NULL, result->runtime, later[TL_CONTENT_ARCHIVE].what,
                     "leave it out to link without the runtime's functions");
}

static void admission_check_archive(const admission *a, const tl_input *input) {
  const tl_archive_fault fault = tl_archive_find_fault(input->data, input->size);
  if (fault)
    admission_fail_twice(a, input->path, tl_archive_message(fault), TL_MESSAGE_ELFLINK_INTERNAL);
}

static void admission_check_host(const admission *a, const tl_input *input, tl_content content) {
  const bool archive = content == TL_CONTENT_ARCHIVE;
  if (archive)
    admission_check_archive(a, input);
  const tl_host_code code = archive ? tl_content_archive_code(input->data, input->size)
                                    : tl_content_host_object_code(input->data, input->size);
  /* C46, C24: the runtime's own library adds nothing unless a function is missing, and then E20 says so, or T4 where nothing else does (-r, dead code). */
  if (archive && strstr(input->path, "cudadevrt")) {
    if (code == TL_HOST_CODE_FOUND && !a->result->runtime) {
      a->result->runtime = input->path;
      a->result->before_runtime = a->result->files.count;
    }
    return;
  }
  if (code == TL_HOST_CODE_FOUND)
    admission_refuse_later(a, input->path, archive ? content : TL_CONTENT_HOST_ELF);
  if (code == TL_HOST_CODE_DAMAGED)
    admission_fail_twice(a, input->path, TL_MESSAGE_FATBIN_NOT_FOUND, TL_MESSAGE_ELFLINK_INTERNAL);
}

static void admission_check_file(const admission *a, size_t index) {
  const tl_input *const input = &a->job->inputs[index];
  const admission_extension extension = admission_extension_of(input->path);
  const tl_content content = input->unreadable ? TL_CONTENT_SHORT : tl_content_of(input->data, input->size);
  switch (verdicts[content][extension]) {
  case SKIP:
    return;
  case EMPTY:
    return admission_refuse_ignored(a, input->path, "empty");
  case OPEN:
    return admission_say(a, TL_MESSAGE_CANNOT_OPEN_INPUT, input->path);
  case LINK:
    return admission_check_cubin(a, index, extension);
  case HOST:
    return admission_check_host(a, input, content);
  case LATER:
    return admission_refuse_later(a, input->path, content);
  case THIN:
    if (!tl_content_thin_archive_is_whole(input->data, input->size))
      return admission_fail_twice(a, input->path, TL_MESSAGE_ARCHIVE_FORMAT, TL_MESSAGE_ELFLINK_INTERNAL);
    return admission_refuse_later(a, input->path, content);
  case NO_FAT:
    return admission_say(a, TL_MESSAGE_NOT_FATBIN, input->path);
  case NO_ELF:
    return admission_say(a, TL_MESSAGE_NOT_AN_ELF, input->path);
  case NO_DEV:
    return admission_say(a, TL_MESSAGE_NOT_DEVICE_ELF, input->path);
  case BITC:
    return admission_say(a, TL_MESSAGE_BITCODE_INPUT, input->path);
  case NVVM:
    return admission_say(a, TL_MESSAGE_NVVM_INPUT, input->path);
  case FORMAT:
    return admission_fail_twice(a, input->path, TL_MESSAGE_BINARY_FORMAT, TL_MESSAGE_FATBINARY_ERROR);
  }
}

static void admission_find_target(const admission *a) {
  const char *const name = a->job->options.arch;
  const tl_architecture *const target = name ? tl_architecture_find(name) : NULL;
  const char *const said = name ? name : "(null)";
  a->result->target = target;
  if (!target)
    tl_diagnostics_end(a->diagnostics, tl_message_row_of(TL_MESSAGE_UNKNOWN_ARCH), admission_site(said), NULL, said);
  if (target->family == TL_ARCH_LTO)
    admission_say(a, TL_MESSAGE_VIRTUAL_TARGET, name);
}

void tl_admission_begin(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics) {
  *result = (tl_admission){0};
  const admission a = {result, job, arena, diagnostics};
  admission_find_target(&a);
  if (!job->limits_said && job->options.preserve_relocs && result->target->number >= FIRST_LIMITED_SM)
    admission_say(&a, TL_MESSAGE_PRESERVE_LIMITED, job->options.arch);
}

/* L1795: in a link of capsules what names its toolkit and is none has no Mercury side: its entries are not Mercury's, and
 * without any nvlink ends by a signal. */
static void admission_check_sides(const admission *a) {
  for (size_t i = 0; a->result->capsule && i < a->result->files.count; i++) {
    const tl_input *const input = &a->job->inputs[a->result->files.items[i].input];
    const candidate c = {.path = input->path, .bytes = input->data, .size = input->size};
    if (a->result->files.items[i].capsule)
      continue;
    if (candidate_has_relocations(&c))
      tl_diagnostics_add(a->diagnostics, tl_message_row_of(TL_MESSAGE_UNEXPECTED_RELOC), admission_site(c.path), NULL);
    candidate_refuse(a, &c, "its header names a toolkit, and says that it is no capsule (D43)");
  }
}

void tl_admission_check(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics) {
  const admission a = {result, job, arena, diagnostics};
  for (size_t i = 0; i < job->input_count; i++)
    admission_check_file(&a, i);
  result->capsule = result->target->number >= FIRST_CAPSULE_SM && !result->some_sass;
  admission_check_sides(&a);
}

void tl_admission_run(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics) {
  tl_admission_begin(result, job, arena, diagnostics);
  tl_admission_check(result, job, arena, diagnostics);
}
