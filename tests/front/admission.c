/* Admission: one changed field of a good cubin, one extension, one kind of content at a time (C20-C36, C76). The expected
 * texts are nvlink's; where nvlink is installed, one more check asks it the same questions. */
#include "input/admission.h"
#include "base/bytes.h"
#include "input/registration.h"
#include "tests/front/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct admission_setup {
  harness_bytes good; /* an sm_90 cubin, ptxas's own */
  uint64_t note;      /* offset of .note.nv.cuinfo, and of its header */
  uint64_t note_header;
} admission_setup;

static admission_setup setup;

/* Where a change goes: into the file, into the note's bytes, or into the note's header. */
typedef enum admission_place { IN_FILE, IN_NOTE, IN_NOTE_HEADER } admission_place;

typedef struct admission_change {
  admission_place place;
  unsigned offset, bytes;
  uint64_t value;
} admission_change;

#define FATAL "nvlink fatal   : "
#define NOT_64 "nvlink warning : expected 64bit object 'in.cubin' to have EF_CUDA_64BIT_ADDRESS set\n"
#define ABI FATAL "Input file 'in.cubin' abi does not match\n"
#define ARCH FATAL "Input file 'in.cubin' arch does not match target 'sm_90'\n"
#define RECOMPILE FATAL "Input file 'in.cubin' must be recompiled with toolkit >= Cuda 12.0\n"

typedef struct admission_row {
  const char *name;
  admission_change changes[3];
  bool taken;
  const char *vendor; /* messages with --bug-compatible: nvlink's */
  const char *right;  /* messages without; NULL: the same */
} admission_row;

#define IGNORED(what) FATAL "Input file 'in.cubin' is named as device code but is " what "\n"
#define LINKED "nvlink warning : Input file 'in.cubin' is already linked and adds nothing\n"

static const admission_row rows[] = {
    {"nothing", {{IN_FILE, 0, 1, 0x7f}}, true, "", NULL},
    {"magic", {{IN_FILE, 0, 1, 0}}, false, FATAL "cubin not an elf?\n", NULL},
    {"e_machine", {{IN_FILE, 18, 2, 62}}, false, FATAL "cubin not a device elf?\n", NULL},
    {"EI_CLASS", {{IN_FILE, 4, 1, 1}}, false, "", IGNORED("no 64-bit cubin: EI_CLASS")},
    {"EI_DATA", {{IN_FILE, 5, 1, 2}}, false, "", IGNORED("no 64-bit cubin: EI_DATA")},
    {"EI_VERSION", {{IN_FILE, 6, 1, 0}}, true, "", NULL},
    {"e_version", {{IN_FILE, 20, 4, 9}}, true, "", NULL},
    {"EI_OSABI", {{IN_FILE, 7, 1, 0x33}}, false, NOT_64 ABI, NULL},
    {"EI_OSABI, bit 10 of e_flags set", {{IN_FILE, 7, 1, 0x33}, {IN_FILE, 48, 4, 0x06005604}}, false, ABI, NULL},
    {"EI_ABIVERSION", {{IN_FILE, 8, 1, 7}}, false, ABI, NULL},
    {"both, D69", {{IN_FILE, 7, 1, 0x40}, {IN_FILE, 8, 1, 7}}, false, NOT_64 ARCH, NOT_64 ABI},
    {"both, old flags, D69",
     {{IN_FILE, 7, 1, 0x40}, {IN_FILE, 8, 1, 7}, {IN_FILE, 48, 4, 0x0600055a}},
     false,
     RECOMPILE,
     ABI},
    {"both, another version", {{IN_FILE, 7, 1, 0x40}, {IN_FILE, 8, 1, 9}}, false, NOT_64 ABI, NULL},
    {"executable", {{IN_FILE, 16, 2, 2}}, false, "", LINKED},
    {"e_type 0", {{IN_FILE, 16, 2, 0}}, true, "", NULL},
    {"e_type 4", {{IN_FILE, 16, 2, 4}}, true, "", NULL},
    {"e_type ewp", {{IN_FILE, 16, 2, 0xff00}}, true, "", NULL},
    {"SM 86", {{IN_FILE, 48, 4, 0x06005604}}, false, ARCH, NULL},
    {"SM 100", {{IN_FILE, 48, 4, 0x06006404}}, false, ARCH, NULL},
    {"SM 0", {{IN_FILE, 48, 4, 0x06000004}}, false, FATAL "Unknown arch name 'sm_0'\n", NULL},
    {"bit 16 of e_flags", {{IN_FILE, 48, 4, 0x06015a04}}, false, ARCH, NULL},
    {"note index 0", {{IN_FILE, 48, 4, 0x00005a04}}, false, RECOMPILE, NULL},
    {"note index 5", {{IN_FILE, 48, 4, 0x05005a04}}, false, RECOMPILE, NULL},
    {"note index 0xfe", {{IN_FILE, 48, 4, 0xfe005a04}}, false, RECOMPILE, NULL},
    {"note by name", {{IN_FILE, 48, 4, 0xff005a04}}, true, "", NULL},
    {"note by name, old", {{IN_FILE, 48, 4, 0xff005a04}, {IN_NOTE, 24, 2, 1}}, false, RECOMPILE, NULL},
    {"low byte 0", {{IN_FILE, 48, 4, 0x06005a00}}, true, "", NULL},
    {"low byte 0xfc", {{IN_FILE, 48, 4, 0x06005afc}}, true, "", NULL},
    {"low byte 6", {{IN_FILE, 48, 4, 0x06005a06}}, false, FATAL "Internal error\n", NULL},
    {"low byte 7, old note", {{IN_FILE, 48, 4, 0x06005a07}, {IN_NOTE, 24, 2, 1}}, false, RECOMPILE, NULL},
    {"note version 1", {{IN_NOTE, 24, 2, 1}}, false, RECOMPILE, NULL},
    {"note version 3", {{IN_NOTE, 24, 2, 3}}, true, "", NULL},
    {"virtual SM", {{IN_NOTE, 26, 2, 35}}, true, "", NULL},
    {"toolkit 119", {{IN_NOTE, 28, 2, 119}}, false, RECOMPILE, NULL},
    {"toolkit 120", {{IN_NOTE, 28, 2, 120}}, true, "", NULL},
    {"toolkit 131",
     {{IN_NOTE, 28, 2, 131}},
     false,
     FATAL "Input file 'in.cubin' newer than toolkit (131 vs 130)\n",
     NULL},
    {"toolkit, upper half", {{IN_NOTE, 28, 4, 0x10082}}, true, "", NULL},
    {"note of another type", {{IN_NOTE_HEADER, 4, 4, 1}}, false, RECOMPILE, NULL},
    {"note of size 0", {{IN_NOTE_HEADER, 32, 8, 0}}, true, "", NULL},
    {"note of size 0, old", {{IN_NOTE_HEADER, 32, 8, 0}, {IN_NOTE, 24, 2, 1}}, false, RECOMPILE, NULL},
    {"note outside the file",
     {{IN_NOTE_HEADER, 24, 8, 1ULL << 40}},
     false,
     "",
     IGNORED("truncated, or the sh_offset of a section lies outside the file")},
    {"section table outside",
     {{IN_FILE, 40, 8, 1ULL << 63}},
     false,
     "",
     IGNORED("truncated, or e_shoff lies outside the file")},
    {"section table nowhere", {{IN_FILE, 40, 8, 0}}, false, "", IGNORED("without sections: e_shoff is 0")},
    {"section headers of size 63", {{IN_FILE, 58, 2, 63}}, false, "", IGNORED("no cubin: e_shentsize is not 64")},
    {"segment table outside",
     {{IN_FILE, 32, 8, 1ULL << 40}},
     false,
     "",
     IGNORED("truncated, or e_phoff lies outside the file")},
    {"no sections", {{IN_FILE, 60, 2, 0}}, false, RECOMPILE, NULL},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static int admission_prepare(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  harness_path(path, "%s/cuda/calls/sm_90/c.cubin", front_corpus);
  if (!harness_read_file(path, &setup.good))
    harness_stop("cannot read %s", path);
  const uint8_t *bytes = setup.good.data;
  setup.note_header = tl_get64(bytes + 40) + 64ULL * bytes[51];
  setup.note = tl_get64(bytes + setup.note_header + 24);
  return 0;
}

static int admission_tidy(void **state) {
  (void)state;
  free(setup.good.data);
  return 0;
}

/* A copy of the good cubin with the row's changes; malloc'ed. */
static uint8_t *admission_change_file(const admission_row *row) {
  uint8_t *bytes = harness_grow(NULL, setup.good.size);
  memcpy(bytes, setup.good.data, setup.good.size);
  for (size_t i = 0; i < 3; i++) {
    const admission_change *c = &row->changes[i];
    const uint64_t base = c->place == IN_FILE ? 0 : c->place == IN_NOTE ? setup.note : setup.note_header;
    tl_put(bytes + base + c->offset, c->value, c->bytes);
  }
  return bytes;
}

typedef struct admission_case {
  tl_input inputs[2];
  tl_job job;
  tl_admission admission;
} admission_case;

static void admission_step(front_world *world, void *context) {
  admission_case *c = context;
  tl_admission_run(&c->admission, &c->job, &world->arena, &world->diagnostics);
}

/* Runs one file through admission; false after a fatal record. */
static bool admission_run(front_world *world, admission_case *c, const char *path, const void *bytes, size_t size,
                          bool compatible) {
  front_open(world);
  world->options.arch = "sm_90";
  world->options.bug_compatible = compatible;
  memset(c, 0, sizeof *c);
  c->inputs[0] = (tl_input){path, bytes, size, bytes == NULL};
  c->job = (tl_job){.options = world->options, .inputs = c->inputs, .input_count = 1};
  return front_try(world, admission_step, c);
}

static void admission_test_changes(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * ROW_COUNT; i++) {
    const admission_row *row = &rows[i / 2];
    const bool compatible = i & 1;
    const char *wanted = compatible || !row->right ? row->vendor : row->right;
    uint8_t *bytes = admission_change_file(row);
    front_world world;
    admission_case c;
    const bool good = admission_run(&world, &c, "in.cubin", bytes, setup.good.size, compatible);
    const char *lines = front_lines(&world);
    if (strcmp(lines, wanted) != 0 || (good && c.admission.files.count) != row->taken)
      fail_msg("%s, %s: %s\n%s", row->name, compatible ? "compatible" : "right", good ? "taken" : "refused", lines);
    if (row->taken) {
      assert_int_equal(c.admission.files.items[0].virtual_sm, strcmp(row->name, "virtual SM") == 0 ? 35 : 90);
      assert_int_equal(c.admission.files.items[0].ewp, strcmp(row->name, "e_type ewp") == 0);
    }
    front_close(&world);
    free(bytes);
  }
}

/* C23, D35: every length of a good cubin. Shorter than 56 bytes it cannot be opened, then it is ignored or refused. */
static void admission_test_truncated(void **state) {
  (void)state;
  for (size_t size = 0; size <= setup.good.size; size++)
    for (unsigned compatible = 0; compatible < 2; compatible++) {
      uint8_t *bytes = harness_grow(NULL, size + 1);
      memcpy(bytes, setup.good.data, size);
      bytes = harness_grow(bytes, size ? size : 1); /* so that a byte behind the end is found out */
      front_world world;
      admission_case c;
      const bool good = admission_run(&world, &c, "in.cubin", bytes, size, compatible);
      const bool whole = size == setup.good.size, opened = size == 0 || size >= 56;
      assert_int_equal(good, whole || (compatible && opened));
      if (good)
        assert_int_equal(c.admission.files.count, whole);
      if (!opened)
        assert_string_equal(front_lines(&world), FATAL "Could not open input file 'in.cubin'\n");
      front_close(&world);
      free(bytes);
    }
}

/* The columns of C20 with the file name that stands for each. */
static const char *const names[] = {"in.cubin", "in.fatbin", "in.ptx", "in.o",   "in.xyz",
                                    "in.CUBIN", "in.so",     "in",     "d.x/in", "in.bc",
                                    "in.nvvm",  "in.ltoir",  ".cubin", "in.",    "a/b.c/in.o"};

/* Kinds of content, and one letter a column: L linked, - ignored, O not opened, A-G as C20, T refused until a later
 * version (T4). */
static const struct {
  const char *name, *bytes;
  size_t size;
  const char *verdicts;
} contents[] = {
    {"text", "abc def\nabc def\nabc def\nabc def\nabc def\nabc def\nabc def\n", 56, "BAF------DEEB--"},
    {"empty", "", 0, "---------------"},
    {"short", "abc", 3, "OOOOOOOOOOOOOOO"},
    {"fatbin",
     "\x50\xed\x55\xba\1\0\x10\0\x28\0\0\0\0\0\0\0"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     64, "BTT------DEEB--"},
    {"PTX", "// c\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n", 80,
     "BAT------DEEB--"},
    {"empty archive", "!<arch>\n", 8, "BAF------DEEB--"},
};

static char admission_letter(bool good, size_t taken, const char *lines) {
  static const struct {
    char letter;
    const char *text;
  } texts[] = {{'O', "Could not open"},
               {'A', "fatbin wrong format?"},
               {'B', "not an elf?"},
               {'C', "not a device"},
               {'D', "bc files"},
               {'E', "nvvm files"},
               {'F', "elfLink fatbinary error"},
               {'T', "does not read"}};
  if (good)
    return taken ? 'L' : '-';
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strstr(lines, texts[i].text))
      return texts[i].letter;
  return '?';
}

static void admission_check_content(const char *what, const void *bytes, size_t size, const char *verdicts) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    front_world world;
    admission_case c;
    const bool good = admission_run(&world, &c, names[i], bytes, size, true);
    const char letter = admission_letter(good, c.admission.files.count, front_lines(&world));
    if (letter != verdicts[i])
      fail_msg("%s as %s: %c\n%s", what, names[i], letter, front_lines(&world));
    front_close(&world);
  }
}

static void admission_test_contents(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
    admission_check_content(contents[i].name, contents[i].bytes, contents[i].size, contents[i].verdicts);
  admission_check_content("cubin", setup.good.data, setup.good.size, "LALL-----DEEL-L");
  admission_check_content("missing file", NULL, 0, "OOOOOOOOOOOOOOO");
}

/* D35 without --bug-compatible, C36 and D24: what is said of a file that nvlink passes over. */
static void admission_test_said(void **state) {
  (void)state;
  front_world world;
  admission_case c;
  assert_false(admission_run(&world, &c, "in.ptx", "", 0, false));
  assert_string_equal(front_lines(&world), FATAL "Input file 'in.ptx' is named as device code but is empty\n");
  front_close(&world);
  assert_true(admission_run(&world, &c, "in.o", "", 0, false));
  assert_string_equal(front_lines(&world), "");
  front_close(&world);
  char path[HARNESS_PATH];
  harness_bytes accelerated;
  harness_path(path, "%s/cuda/calls/sm_90a/c.cubin", front_corpus);
  assert_true(harness_read_file(path, &accelerated));
  assert_true(admission_run(&world, &c, "in.cubin", accelerated.data, accelerated.size, false));
  assert_string_equal(front_lines(&world),
                      "nvlink warning : Input file 'in.cubin' is code for 'sm_90a', the output claims 'sm_90'\n");
  assert_true(c.admission.files.items[0].accelerated);
  front_close(&world);
  assert_true(admission_run(&world, &c, "in.cubin", accelerated.data, accelerated.size, true));
  assert_string_equal(front_lines(&world), "");
  front_close(&world);
  free(accelerated.data);
}

/* Measured on sm_75, 80 and 86: code for architectures before sm_90 needs no note, and an old one is taken. */
static void admission_test_before_sm_90(void **state) {
  (void)state;
  static const struct {
    unsigned offset, bytes;
    uint64_t value;
    bool in_note;
    int virtual_sm; /* -1: refused */
  } changes[] = {
      {6, 1, 1, false, 75},     {51, 1, 0, false, 0},   {51, 1, 5, false, 0},
      {51, 1, 0xff, false, 75}, {24, 2, 1, true, 75},   {24, 2, 0, true, 75},
      {28, 2, 119, true, 75},   {28, 2, 131, true, -1}, {26, 2, 50, true, 50},
  };
  char path[HARNESS_PATH];
  harness_bytes good;
  harness_path(path, "%s/cuda/calls/sm_75/c.cubin", front_corpus);
  assert_true(harness_read_file(path, &good));
  const uint64_t note = tl_get64(good.data + tl_get64(good.data + 40) + 64ULL * good.data[51] + 24);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    uint8_t *bytes = harness_grow(NULL, good.size);
    admission_case c;
    front_world world;
    memcpy(bytes, good.data, good.size);
    tl_put(bytes + (changes[i].in_note ? note : 0) + changes[i].offset, changes[i].value, changes[i].bytes);
    front_open(&world);
    world.options.arch = "sm_75";
    memset(&c, 0, sizeof c);
    c.inputs[0] = (tl_input){"in.cubin", bytes, good.size, false};
    c.job = (tl_job){.options = world.options, .inputs = c.inputs, .input_count = 1};
    assert_int_equal(front_try(&world, admission_step, &c), changes[i].virtual_sm >= 0);
    if (changes[i].virtual_sm >= 0)
      assert_int_equal(c.admission.files.items[0].virtual_sm, changes[i].virtual_sm);
    front_close(&world);
    free(bytes);
  }
  free(good.data);
}

/* A .o file is taken with e_type 1 alone, a .cubin with anything but 2. */
static void admission_test_types(void **state) {
  (void)state;
  static const uint16_t types[] = {0, 1, 2, 3, 4, 0xfe00, 0xff00, 0xffff};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const admission_row row = {"type", {{IN_FILE, 16, 2, types[i]}}, true, "", NULL};
    uint8_t *bytes = admission_change_file(&row);
    for (unsigned object = 0; object < 2; object++) {
      front_world world;
      admission_case c;
      assert_true(admission_run(&world, &c, object ? "in.o" : "in.cubin", bytes, setup.good.size, true));
      assert_int_equal(c.admission.files.count, object ? types[i] == 1 : types[i] != 2);
      front_close(&world);
    }
    free(bytes);
  }
}

/* N12, N13b: the registration file of cubins. */
static void admission_test_registration(void **state) {
  (void)state;
  static const char *const paths[] = {"./../fe/b90.cubin", "/dir/fe/a90.cubin", "x/cudadevrt/b.cubin"};
  static const char *const wanted[] = {"_dir_fe______fe_b90_cubin", "_dir_fe_a90_cubin", NULL};
  for (size_t i = 0; i < 3; i++) {
    front_world world;
    admission_case c;
    char text[256] = "#define NUM_PRELINKED_OBJECTS 0\n";
    if (wanted[i])
      snprintf(text, sizeof text, "#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(%s)\n", wanted[i]);
    assert_true(admission_run(&world, &c, paths[i], setup.good.data, setup.good.size, true));
    const bool taken = wanted[i] != NULL;
    assert_string_equal(tl_registration_text(&c.job, &c.admission, "/dir/fe", &taken, &world.arena), text);
    front_close(&world);
  }
}

/* nvlink's own answer to every row and every content, told from its messages. */
static void admission_test_vendor(void **state) {
  (void)state;
  const char *nvlink = harness_find_nvlink();
  char scratch[HARNESS_PATH], path[HARNESS_PATH];
  const char *argv[] = {nvlink, "-arch=sm_90", "in.cubin", "-o", "out", NULL};
  if (!nvlink)
    skip();
  harness_make_scratch(scratch);
  harness_path(path, "%s/in.cubin", scratch);
  for (size_t i = 0; i < ROW_COUNT; i++) {
    uint8_t *bytes = admission_change_file(&rows[i]);
    harness_outcome outcome;
    harness_write_file(path, bytes, setup.good.size);
    harness_run(&(harness_command){.argv = argv, .directory = scratch}, &outcome);
    if (strcmp((char *)outcome.err.data, rows[i].vendor) != 0)
      fail_msg("%s: nvlink says\n%s", rows[i].name, (char *)outcome.err.data);
    harness_free_outcome(&outcome);
    free(bytes);
  }
  harness_remove_tree(scratch);
}

int front_test_admission(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(admission_test_changes),      cmocka_unit_test(admission_test_truncated),
      cmocka_unit_test(admission_test_contents),     cmocka_unit_test(admission_test_said),
      cmocka_unit_test(admission_test_registration), cmocka_unit_test(admission_test_vendor),
      cmocka_unit_test(admission_test_before_sm_90), cmocka_unit_test(admission_test_types),
  };
  return cmocka_run_group_tests_name("admission", tests, admission_prepare, admission_tidy);
}
