/* Words, values and the text of the tool note. Every expected text was printed by nvlink 13.0.88 for the same words; the
 * rule is named where there is one. */
#include "linker/command.h"
#include "input/library.h"
#include "tests/front/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words are separated by blanks; a lone "''" is an empty one. */
static int command_split(char *line, char **argv, int most) {
  int count = 0;
  argv[count++] = (char *)(uintptr_t)"nvlink";
  for (char *word = strtok(line, " "); word && count < most; word = strtok(NULL, " "))
    argv[count++] = strcmp(word, "''") == 0 ? word + 2 : word;
  return count;
}

typedef struct command_case {
  tl_command command;
  const char *line;
} command_case;

static void command_step(front_world *world, void *context) {
  command_case *c = context;
  char *argv[64];
  char *line = tl_arena_text(&world->arena, c->line, strlen(c->line));
  const int argc = command_split(line, argv, 64);
  char **kept = tl_arena_copy(&world->arena, argv, sizeof argv);
  tl_diagnostics_init(&world->diagnostics, &world->arena, NULL, &world->fatal);
  tl_command_read(&c->command, &world->arena, &world->diagnostics, argc, kept);
  world->diagnostics.options = &world->options;
  world->options = c->command.options;
  world->options.identity_nvlink = true;
  tl_command_check(&c->command, &world->diagnostics);
  tl_command_note(&c->command, &world->arena);
}

#define BASE "-arch=sm_90 a90.cubin b90.cubin -o o "

static const struct {
  const char *line, *object, *note;
} notes[] = {
    {BASE, "", "-arch sm_90 "},
    {BASE "-maxrregcount 0x10 -split-compile -3 -split-compile-extended 010", "",
     "-arch sm_90 -split-compile -3 -split-compile-extended 8 -maxrregcount 16 "},
    {BASE "-maxrregcount= -split-compile 5", "", "-arch sm_90 -split-compile 5 -maxrregcount 0 "},
    {BASE "-kernels-used a,,b, -l= -L=x -L,y -kernels-used ''", "", "-arch sm_90 -l  -L x,y -kernels-used a,b "},
    {BASE "-L \"x,y\",z -L 'q'", "", "-arch sm_90 -L x,y,z,'q' "},
    {BASE "-L \"c\"d\"e\" -L \"a\\\"b\" -L a\\\"b\" -L a\\\\b", "", "-arch sm_90 -L cde,a\\\"b,a\\b,a\\\\b "},
    {BASE "-verbose-tkinfo true --register-link-binaries /dir/rr", "o", "a90.cubin,b90.cubin -o o -arch sm_90 - rr "},
    {BASE "-device-stack-protector true", "", "-arch sm_90 -device-stack-protector true "},
    {BASE "-Xptxas -v,-O3 -Xptxas=-x -Xnvvm z", "", "-arch sm_90 -Xptxas -v,-O3,-x -Xnvvm z "},
    {BASE "-nvvmpath=foo -cpu-arch=X86_64 -report-arch -g -w -v --shared --host-ccbin gcc -time - "
          "-suppress-stack-size-warning -suppress-arch-warning",
     "o",
     "a90.cubin,b90.cubin -suppress-stack-size-warning  -suppress-arch-warning  -o o -g  -arch sm_90 -v  -w  -cpu-arch "
     "X86_64 -report-arch  -time - -nvvmpath foo "},
    {BASE "-m64 -m 64 -maxrregcount 5 -maxrregcount 5 -maxrregcount 005", "", "-arch sm_90 -m 64 -maxrregcount 5 "},
    {BASE "-libfoo=bar -lineinfo", "", "-arch sm_90 -l ibfoo=bar,ineinfo "},
    {BASE "--library x --library=y -l=z -lw --library-path=q", "", "-arch sm_90 -l x,y,z,w -L q "},
    {BASE "-verbose-tkinfo=false -g", "", "-g  -arch sm_90 "},
    {BASE "-g -verbose-tkinfo=false -time /dir/timef --register-link-binaries=rr -optf=", "", "-g  -arch sm_90 "},
    {BASE "-optf= -verbose-tkinfo=true -L a", "o", "a90.cubin,b90.cubin -o o -arch sm_90 -L a -optf  "},
    {"-arch=sm_90 d/a90.cubin ./b90.cubin -o=x/y/o -g -r", "o", "a90.cubin,b90.cubin -o o -g  -arch sm_90 -r  "},
    {BASE "--verbose-tkinfo=true -uidx /x/y -L /a/b -time d/t -nvvmpath e/f", "o",
     "a90.cubin,b90.cubin -o o -arch sm_90 -L /a/b -time t -nvvmpath e/f -uidx /x/y "},
    {BASE "-dump-callgraph -use-host-info -device-stack-protector=false -Xptxas a -Xnvvm b -maxrregcount 5", "",
     "-arch sm_90 -Xptxas a -Xnvvm b -maxrregcount 5 -dump-callgraph  -use-host-info  -device-stack-protector false "},
    {BASE "-g -L a -m64 -l x -v -cpu-arch=X86_64 -r -w -disable-infos -Werror -extrawarn -keep-system-libraries", "o",
     "a90.cubin,b90.cubin -o o -g  -arch sm_90 -m 64 -l x -L a -v  -w  -Werror  -disable-infos  -keep-system-libraries "
     " -cpu-arch X86_64 -extrawarn  -r  "},
    {BASE "--identity=nvlink --bug-compatible --map m --reproduce r --threads=3", "", "-arch sm_90 "},
};

static void command_test_notes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    front_world world;
    command_case c = {.line = notes[i].line};
    front_open(&world);
    if (!front_try(&world, command_step, &c))
      fail_msg("%s: %s", notes[i].line, front_lines(&world));
    assert_string_equal(c.command.options.note_arguments, notes[i].note);
    assert_string_equal(c.command.options.note_object, notes[i].object);
    front_close(&world);
  }
}

#define REDEFINED(name)                                                                                                \
  "nvlink warning : incompatible redefinition for option '" name "', the last value of this option was used\n"
#define FATAL "nvlink fatal   : "

static const struct {
  const char *line, *messages;
} refused[] = {
    {BASE "-device-stack-protector=maybe", FATAL "'maybe': expected true or false\n"},
    {BASE "-m64=3", FATAL "'64=3': expected a number\n"},
    {BASE "-m ''", FATAL "Value '' is not defined for option 'machine'\n"},
    {BASE "-m 65", FATAL "Value '65' is not defined for option 'machine'\n"},
    {BASE "-machine", FATAL "'achine': expected a number\n"},
    {BASE "-maxrregcount 2147483648", FATAL "32-bit integer value (2147483648) out of range\n"},
    {BASE "-maxrregcount -2147483649", FATAL "32-bit integer value (-2147483649) out of range\n"},
    {BASE "-maxrregcount 08", FATAL "'08': expected a number\n"},
    {BASE "-maxrregcount 0x", FATAL "'0x': expected a number\n"},
    {BASE "-arch -v", FATAL "Value '-v' is not defined for option 'arch'\n"},
    {BASE "-L c\"d", FATAL "Stray '\"' character\n"},
    {BASE "-L \"a\\\\\"", FATAL "Stray '\"' character\n"},
    {BASE "-foo -L \"", FATAL "Unknown option 'foo'\n"},
    {BASE "-foo=bar", FATAL "Unknown option 'foo'\n"},
    {BASE "-register-link-binaries=rr", FATAL "Unknown option 'register-link-binaries'\n"},
    {BASE "--o=a", FATAL "Unknown option '-o'\n"},
    {BASE "-lto=x", FATAL "no argument expected after '-lto'\n"},
    {BASE "--shared=1", FATAL "no argument expected after '--shared'\n"},
    {BASE "-arch=sm_80 -foo", REDEFINED("arch") FATAL "Unknown option 'foo'\n"},
    {BASE "-o p -maxrregcount=x", REDEFINED("output-file") FATAL "'x': expected a number\n"},
    {BASE "-optf none.options", FATAL "Could not open options file 'none.options'\n"},
    {BASE "-ghls a.cubin", FATAL "Value 'a.cubin' is not defined for option 'gen-host-linker-script'\n"},
    {BASE "-ghls", FATAL "Input files are not allowed with -ghls option; use --help for more information\n"},
    {"-arch=sm_90 -report-arch", FATAL "Must specify output file with -o option (target: sm_90)\n"},
    {"-arch=lto_90", FATAL "No input files specified; use option --help for more information\n"},
    {"-arch=compute_90 -g", FATAL "No input files specified; use option --help for more information\n"},
    {BASE "-use-host-info -ignore-host-info -emit-ptx",
     FATAL "Conflicting options '-use-host-info' and '-ignore-host-info'\n"},
    {BASE "-Ofc max -emit-ptx", FATAL "Conflicting options '-emit-ptx' and 'no -dlto'\n"},
    {BASE "-Ofc bad", FATAL "Conflicting options '--Ofast-compile' and 'no -dlto'\n"},
    {BASE "-use-host-info -kernels-used k -emit-ptx",
     "nvlink info    : ignore -use-host-info because -kernels-used or -variables-used is specified\n" FATAL
     "Conflicting options '-emit-ptx' and 'no -dlto'\n"},
    {"-arch=lto_90 a.cubin -lto",
     FATAL "Link target of 'lto_90' is virtual target that is not JIT-able; use 'sm_' target instead\n"},
    {BASE "-dlto", FATAL "-nvvmpath should be specified with -lto\n"},
    {BASE "-dlto -nvvmpath=x", FATAL "Option '-dlto' is not supported by this version of twinlink\n"}, /* ours: T3 */
};

static void command_test_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    front_world world;
    command_case c = {.line = refused[i].line};
    front_open(&world);
    if (front_try(&world, command_step, &c))
      fail_msg("%s: taken", refused[i].line);
    assert_string_equal(front_lines(&world), refused[i].messages);
    front_close(&world);
  }
}

typedef struct split_row {
  const char *text, *words; /* joined by '|' */
  const char *stray;        /* NULL: none */
} split_row;

/* C49: what nvlink makes of the text of an options file. */
static const split_row files[] = {
    {"", "", NULL},
    {" a  b\tc\r\nd\n", "a|b|c|d", NULL},
    {"x\"a\\\"b\"y", "xaby", NULL},
    {"\\\"xa", "xa", NULL},
    {"x\"a\\\\\"", "xa\\\"", NULL},
    {"x\"a\\\\\"b", "xa\\\"b", NULL},
    {"x\"a\\\\b\"", "xa\\b", NULL},
    {"x\\\\b", "x\\b", NULL},
    {"x\\b", "xb", NULL},
    {"x\\", "", ""},
    {"x\"a", "", "\""},
    {"x\"a b\"c", "xa bc", NULL},
    {"x\"a\\ b\"", "xa b", NULL},
    {"\"x\"\"y\"", "xy", NULL},
    {"x'a b'", "x'a|b'", NULL},
    {"x\\\"a b\\\"", "xa|b", NULL},
    {"x\"\\\"", "", "\""},
    {"x\"\\\"\"", "x", NULL},
    {"x\"\\\"y z\"", "xy z", NULL},
    {"x\\\\\"a b\"", "x\\\"a b", NULL},
    {"x\\\\\\\"a b", "x\\\"a|b", NULL},
    {"x\"a\\\\\\\"b\"", "xa\\\"b", NULL},
    {"x\\\\\\\\\"a\"", "x\\\\\"a", NULL},
    {"\"\"", "", NULL},
    {"a\fb a\vb # c", "a\fb|a\vb|#|c", NULL},
    {"a\\\nb", "a\nb", NULL},
};

/* C48: the items of a list. */
static const split_row lists[] = {
    {"", "", NULL},
    {",a", "a", NULL},
    {"a,,b,", "a|b", NULL},
    {"a b , c", "a b | c", NULL},
    {"\"a,b\"c,d", "a,bc|d", NULL},
    {"c\"d", "", "\""},
    {"\"c\"d\"e\"", "cde", NULL},
    {"\"\"", "", NULL},
    {"a\\,b", "a\\|b", NULL},
    {"a\\\"b", "", "\""},
    {"\"a\\\"b\"", "a\\\"b", NULL},
    {"a\\\"b\"", "a\\b", NULL},
    {"\"a\\\\\"", "", "\""},
    {"\"a\\\",b\"", "a\\\",b", NULL},
    {"'a,b'", "'a|b'", NULL},
    {"[a,b]", "[a|b]", NULL},
};

static void command_check_split(const split_row *row, const char *(*split)(tl_texts *, tl_arena *, const char *)) {
  front_world world;
  tl_texts words = {0};
  front_open(&world);
  const char *stray = split(&words, &world.arena, row->text);
  if (row->stray) {
    assert_non_null(stray);
    assert_string_equal(stray, row->stray);
  } else {
    assert_null(stray);
    assert_string_equal(tl_texts_join(&world.arena, &words, "|"), row->words);
  }
  front_close(&world);
}

static void command_test_words(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    command_check_split(&files[i], tl_words_split_file);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    command_check_split(&lists[i], tl_words_split_list);
}

/* Every option has a long name of its own, and a short name that no other has. */
static void command_test_table(void **state) {
  (void)state;
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++) {
    const tl_option_row *row = tl_option_row_of(id);
    char spelled[64];
    const int length = snprintf(spelled, sizeof spelled, "--%s", row->long_name);
    assert_int_equal(tl_option_find(spelled, (size_t)length), id);
    if (row->short_name) {
      snprintf(spelled, sizeof spelled, "-%s", row->short_name);
      assert_int_equal(tl_option_find(spelled, strlen(spelled)), id);
    }
    assert_true(row->field == TL_NO_FIELD || row->field < sizeof(tl_options));
  }
  assert_int_equal(tl_option_find("--", 2), TL_OPT_COUNT);
  assert_int_equal(tl_option_find("-", 1), TL_OPT_COUNT);
}

/* The words of run.sh mean the same link: reading them again gives the same note. */
static void command_test_words_again(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    front_world world;
    command_case c = {.line = notes[i].line};
    tl_command again = {0};
    front_open(&world);
    assert_true(front_try(&world, command_step, &c));
    tl_texts words = tl_command_words(&c.command, &world.arena);
    char *argv[64] = {(char *)(uintptr_t)"twinlink"};
    int argc = 1;
    for (size_t w = 0; w < words.count; w++)
      argv[argc++] = tl_arena_text(&world.arena, words.items[w], strlen(words.items[w]));
    for (size_t f = 0; f < c.command.inputs.count; f++)
      argv[argc++] = (char *)(uintptr_t)c.command.inputs.items[f];
    tl_diagnostics_init(&world.diagnostics, &world.arena, NULL, &world.fatal);
    tl_command_read(&again, &world.arena, &world.diagnostics, argc, argv);
    tl_command_note(&again, &world.arena);
    assert_string_equal(again.options.note_arguments, c.command.options.note_arguments);
    assert_string_equal(again.options.note_object, c.command.options.note_object);
    front_close(&world);
  }
}

/* The first eight characters of the first member's name. */
static void command_name_member(uint8_t *archive, const char *name) {
  for (size_t i = 0; name[i]; i++)
    archive[8 + i] = (uint8_t)name[i];
}

/* L1962: many members with one name, which is very long, take no time that grows with the square of the file's size. */
static void command_test_shared_names(void **state) {
  enum { NAME = 20000, MEMBERS = 5000, HEADER = 60, MEMBER = HEADER + 4 };
  (void)state;
  const size_t size = 8 + HEADER + NAME + (size_t)MEMBERS * MEMBER;
  char *const archive = malloc(size + 1);
  assert_non_null(archive);
  char *at = archive;
  at += sprintf(at, "!<arch>\n%-16s%-12d%-6d%-6d%-8d%-10d`\n", "//", 0, 0, 0, 644, NAME);
  memset(at, 'a', NAME);
  at += NAME;
  for (int i = 0; i < MEMBERS; i++)
    at += sprintf(at, "%-16s%-12d%-6d%-6d%-8d%-10d`\n\177ELF", "/0", 0, 0, 0, 644, 4);
  assert_ptr_equal(at, archive + size);
  const uint8_t *const bytes = (const uint8_t *)archive;
  assert_int_equal(tl_library_find_fault(bytes, 8 + HEADER + NAME + 50 * MEMBER), TL_ARCHIVE_SOUND);
  assert_int_equal(tl_library_find_fault(bytes, size), TL_ARCHIVE_LONG_NAME);
  free(archive);
}

/* C45: directories of -L first, then LIBRARY_PATH. C44: what fits. */
static void command_test_libraries(void **state) {
  (void)state;
  front_world world;
  tl_texts directories = {0}, paths = {0};
  front_open(&world);
  *tl_vector_push(&world.arena, &directories) = "/a";
  *tl_vector_push(&world.arena, &directories) = ".";
  tl_library_candidates(&paths, &world.arena, "x", &directories, "/b::/c");
  assert_string_equal(tl_texts_join(&world.arena, &paths, " "), "/a/libx.a ./libx.a /b/libx.a /c/libx.a");
  uint8_t object[80] = "\177ELF\2\1\1", archive[160] = "!<arch>\nmember.o/       0           0     0     644     80  "
                                                       "      `\n";
  object[16] = 1;
  object[18] = 62;
  memcpy(archive + 68, object, sizeof object);
  assert_int_equal(tl_library_use_of(archive, 148, NULL), TL_LIBRARY_TAKEN);
  assert_int_equal(tl_library_use_of(archive, 148, "unknown"), TL_LIBRARY_TAKEN);
  assert_int_equal(tl_library_use_of(archive, 148, "X86_64"), TL_LIBRARY_TAKEN);
  assert_int_equal(tl_library_use_of(archive, 148, "AARCH64"), TL_LIBRARY_SKIPPED);
  assert_int_equal(tl_library_use_of(archive, 148, "ARMv7"), TL_LIBRARY_SKIPPED);
  for (size_t size = 0; size < 148; size++)
    assert_int_equal(tl_library_use_of(archive, size, NULL), size < 87 ? TL_LIBRARY_SKIPPED : TL_LIBRARY_TAKEN);
  assert_int_equal(tl_library_find_fault(archive, 148), TL_ARCHIVE_SOUND);
  command_name_member(archive, "/12     "); /* L1962: of a table that is not there */
  assert_int_equal(tl_library_find_fault(archive, 148), TL_ARCHIVE_NO_NAMES);
  command_name_member(archive, "/SYM64/ ");
  assert_int_equal(tl_library_use_of(archive, 148, NULL), TL_LIBRARY_SKIPPED);
  assert_int_equal(tl_library_find_fault(archive, 148), TL_ARCHIVE_SOUND);
  command_name_member(archive, "member.o ");
  assert_int_equal(tl_library_find_fault(archive, 148), TL_ARCHIVE_NAME);
  assert_int_equal(tl_library_use_of(object, sizeof object, NULL), TL_LIBRARY_BROKEN);
  front_close(&world);
}

int front_test_commands(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(command_test_notes),       cmocka_unit_test(command_test_refused),
      cmocka_unit_test(command_test_words),       cmocka_unit_test(command_test_table),
      cmocka_unit_test(command_test_words_again), cmocka_unit_test(command_test_shared_names),
      cmocka_unit_test(command_test_libraries),
  };
  return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
