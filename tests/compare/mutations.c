/* twin diff is no blind checker: linked cubins of the corpus are changed in one place, and the comparison must report the
 * change under the right key.
 *
 * Every field of the ELF header, of every section header, program header and symbol is changed, and bytes of every
 * section and of the padding; then whole records are exchanged, dropped and renamed. What a place is, and which key
 * that demands, is decided here from the ELF structures alone (rows below), not by asking the comparison. */
#include "tests/harness/harness.h"

#include "ref_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64, SEGMENT_BYTES = 56, SYMBOL_BYTES = 24, CONTENT_BYTES_TRIED = 900 };

static const char *corpus_directory = "corpus";
static size_t changes_tried;

static const char *const jobs[] = {"function_pointers/sm_90/plain", "lineinfo/sm_75/plain", "switches/sm_90/plain",
                                   "doubles/sm_75/plain"};
enum { JOB_COUNT = sizeof jobs / sizeof *jobs };

typedef struct linked_cubin {
  harness_bytes original, changed;
  ref_cubin cubin; /* of the original */
} linked_cubin;

static void subject_load(linked_cubin *s, const char *job) {
  char path[HARNESS_PATH], error[200];
  harness_path(path, "%s/cuda/%s/expect.cubin", corpus_directory, job);
  if (!harness_read_file(path, &s->original) || !harness_read_file(path, &s->changed))
    harness_stop("cannot read %s", path);
  if (!ref_cubin_read(&s->cubin, s->original.data, s->original.size, error, sizeof error))
    harness_stop("%s: %s", path, error);
}

static void subject_free(linked_cubin *s) {
  ref_cubin_free(&s->cubin);
  free(s->original.data);
  free(s->changed.data);
}

static void subject_restore(linked_cubin *s) {
  memcpy(s->changed.data, s->original.data, s->original.size);
}

static void subject_compare(const linked_cubin *s, ref_comparison *result) {
  const ref_compared_file a = {"A", s->original.data, s->original.size};
  const ref_compared_file b = {"B", s->changed.data, s->original.size};
  char error[400];
  (void)ref_compare_files(result, &a, &b, NULL, 0, error, sizeof error);
}

/* Whether a key is one of the alternatives of `wanted` ("a|b."); one that ends with a dot stands for all keys under it. */
static bool key_is_wanted(const char *key, const char *wanted) {
  while (*wanted) {
    const size_t length = strcspn(wanted, "|");
    const bool open = length > 0 && wanted[length - 1] == '.';
    if (strncmp(key, wanted, length) == 0 && (open || key[length] == 0))
      return true;
    wanted += length + (wanted[length] == '|');
  }
  return false;
}

static const ref_difference *result_find(const ref_comparison *result, const char *wanted) {
  for (size_t i = 0; i < result->count; i++)
    if (key_is_wanted(result->differences[i].key, wanted))
      return &result->differences[i];
  return NULL;
}

/* A place is always named: no sentence may begin with a number. */
static void result_check_sentences(const ref_comparison *result) {
  for (size_t i = 0; i < result->count; i++) {
    const ref_difference *row = &result->differences[i];
    assert_non_null(row->where);
    assert_true(row->where[0] != 0 && strchr("0123456789+", row->where[0]) == NULL);
    assert_true(row->what[0] != 0);
    assert_true(row->a || row->b);
  }
}

/* Compares after a change, expects one of the keys, puts the bytes back. */
static void subject_expect(linked_cubin *s, const char *wanted, const char *place, uint64_t offset) {
  ref_comparison result;
  subject_compare(s, &result);
  changes_tried++;
  assert_false(result.equal);
  if (!result_find(&result, wanted)) {
    print_error("%s, file offset 0x%llx: wanted %s, got:\n", place, (unsigned long long)offset, wanted);
    for (size_t i = 0; i < result.count && i < 5; i++) {
      ref_difference_print(stderr, &result.differences[i]);
      print_error("\n");
    }
    fail();
  }
  result_check_sentences(&result);
  ref_comparison_free(&result);
  subject_restore(s);
}

static void equal_files_give_nothing(void **state) {
  (void)state;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    ref_comparison result;
    subject_load(&s, jobs[i]);
    subject_compare(&s, &result);
    assert_true(result.equal);
    assert_int_equal(result.count, 0);
    assert_int_equal(result.equal_in_place, s.original.size);
    ref_comparison_free(&result);
    subject_free(&s);
  }
}

typedef struct field_row {
  uint8_t offset, width;
  const char *wanted;
} field_row;

static const field_row header_rows[] = {
    {0, 4, "header.magic"},
    {4, 1, "header.class"},
    {5, 1, "header.data"},
    {6, 1, "header.ident_version"},
    {7, 1, "header.osabi"},
    {8, 1, "header.abi_version"},
    {9, 7, "header.ident_padding"},
    {16, 2, "header.type"},
    {18, 2, "header.machine"},
    {20, 4, "header.version"},
    {24, 8, "header.entry"},
    {32, 8, "header.segment_offset"},
    {40, 8, "header.section_offset"},
    {48, 4, "header.flags"},
    {52, 2, "header.header_size"},
    {54, 2, "header.segment_entry_size"},
    {56, 2, "header.segment_count|segment."},
    {58, 2, "header.section_entry_size"},
    {60, 2, "header.section_count"},
    {62, 2, "header.name_section"},
};

static const field_row section_rows[] = {
    {0, 4, "section.name"},    {4, 4, "section.type"},        {8, 8, "section.flags"}, {16, 8, "section.address"},
    {24, 8, "section.offset"}, {32, 8, "section.size"},       {40, 4, "section.link"}, {44, 4, "section.info"},
    {48, 8, "section.align"},  {56, 8, "section.entry_size"},
};

static const field_row segment_rows[] = {
    {0, 4, "segment.type"},         {4, 4, "segment.flags"},     {8, 8, "segment.offset"},
    {16, 8, "segment.address"},     {24, 8, "segment.physical"}, {32, 8, "segment.file_size"},
    {40, 8, "segment.memory_size"}, {48, 8, "segment.align"},
};

/* st_info holds two fields, so it has rows by bit instead. */
static const field_row symbol_rows[] = {
    {0, 4, "symtab.name"},  {5, 1, "symtab.other"}, {6, 2, "symtab.section"},
    {8, 8, "symtab.value"}, {16, 8, "symtab.size"},
};

/* Flips one bit of every byte of every field of one record, another bit each time. */
static void change_fields(linked_cubin *s, uint64_t record, const field_row *rows, size_t row_count,
                          const char *place) {
  for (size_t row = 0; row < row_count; row++)
    for (uint64_t byte = 0; byte < rows[row].width; byte++) {
      const uint64_t at = record + rows[row].offset + byte;
      s->changed.data[at] ^= (uint8_t)(1u << (at * 5 + row) % 8);
      subject_expect(s, rows[row].wanted, place, at);
    }
}

static void every_header_field(void **state) {
  (void)state;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    change_fields(&s, 0, header_rows, sizeof header_rows / sizeof *header_rows, "ELF header");
    for (size_t n = 0; n < s.cubin.segment_count; n++)
      change_fields(&s, s.cubin.segment_offset + n * SEGMENT_BYTES, segment_rows,
                    sizeof segment_rows / sizeof *segment_rows, "program header");
    subject_free(&s);
  }
}

static void every_section_header_field(void **state) {
  (void)state;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    for (size_t n = 0; n < s.cubin.section_count; n++)
      change_fields(&s, s.cubin.section_offset + n * SECTION_BYTES, section_rows,
                    sizeof section_rows / sizeof *section_rows, s.cubin.sections[n].name);
    subject_free(&s);
  }
}

static void every_symbol_field(void **state) {
  (void)state;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    const uint64_t table = s.cubin.sections[s.cubin.symbol_section].offset;
    for (size_t n = 0; n < s.cubin.symbol_count; n++) {
      const uint64_t record = table + n * SYMBOL_BYTES;
      change_fields(&s, record, symbol_rows, sizeof symbol_rows / sizeof *symbol_rows, s.cubin.symbols[n].name);
      for (unsigned bit = 0; bit < 8; bit++) {
        s.changed.data[record + 4] ^= (uint8_t)(1u << bit);
        subject_expect(&s, bit < 4 ? "symtab.type" : "symtab.binding", s.cubin.symbols[n].name, record + 4);
      }
    }
    subject_free(&s);
  }
}

/* The keys that a changed byte of a section's contents may have; first row whose type (0: any) and prefix fit. */
typedef struct content_row {
  uint32_t type;
  const char *prefix, *wanted;
} content_row;

static const content_row content_rows[] = {
    {3, ".shstrtab", "shstrtab.missing"},
    {3, "", "strtab.missing"},
    {2, "", "symtab."},
    {4, "", "reloc."},
    {9, "", "reloc."},
    {7, "", "note."},
    {0x70000000, "", "nvinfo."},
    {0x70000086, "", "compat."},
    {0x70000001, "", "callgraph."},
    {0x70000002, "", "prototype."},
    {1, ".text.", "text.field|text.bits"},
    {0, ".nv.constant", "constant.bytes"},
    {0, ".nv.global", "global.bytes"},
    {0, ".debug", "debug.bytes"},
    {0, ".nv_debug", "debug.bytes"},
    {0, ".nv.rel.action", "relaction.bytes"},
    {0, "", "section.bytes"},
};

static const char *content_keys(const ref_section *section) {
  const content_row *row = content_rows;
  while ((row->type != 0 && row->type != section->type) ||
         strncmp(section->name, row->prefix, strlen(row->prefix)) != 0)
    row++;
  return row->wanted;
}

static void bytes_of_every_section(void **state) {
  (void)state;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    const uint64_t step = s.original.size / CONTENT_BYTES_TRIED + 1;
    for (size_t n = 1; n < s.cubin.section_count; n++) {
      const ref_section *section = &s.cubin.sections[n];
      for (uint64_t at = section->offset; section->data && at < section->offset + section->size; at += step) {
        s.changed.data[at] ^= (uint8_t)(1u << (at / step + n) % 8);
        subject_expect(&s, content_keys(section), section->name, at);
      }
    }
    subject_free(&s);
  }
}

static void bytes_between_the_sections(void **state) {
  (void)state;
  size_t tried = 0;
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    for (size_t n = 1; n < s.cubin.section_count; n++) {
      const ref_section *before = &s.cubin.sections[n - 1];
      const uint64_t end = n == 1 ? HEADER_BYTES : before->offset + (before->data ? before->size : 0);
      for (uint64_t at = end; at < s.cubin.sections[n].offset; at++, tried++) {
        s.changed.data[at] ^= 0x40;
        subject_expect(&s, "file.padding", "padding", at);
      }
    }
    subject_free(&s);
  }
  assert_true(tried > 0);
}

static uint32_t find_section(const ref_cubin *cubin, uint32_t type, const char *prefix, uint64_t least_size) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == type && strncmp(cubin->sections[i].name, prefix, strlen(prefix)) == 0 &&
        cubin->sections[i].size >= least_size)
      return i;
  harness_stop("no section %s of type 0x%x", prefix, type);
}

static void exchange(linked_cubin *s, uint64_t a, uint64_t b, size_t size) {
  memcpy(s->changed.data + a, s->original.data + b, size);
  memcpy(s->changed.data + b, s->original.data + a, size);
}

/* Orders: two neighbours exchanged, nothing else. */
static void exchanged_records(void **state) {
  (void)state;
  linked_cubin s;
  subject_load(&s, jobs[0]);
  const ref_section *relocations = &s.cubin.sections[find_section(&s.cubin, 4, ".rela.text.", 48)];
  exchange(&s, relocations->offset, relocations->offset + 24, 24);
  subject_expect(&s, "reloc.order", "relocations", relocations->offset);
  const ref_section *graph = &s.cubin.sections[find_section(&s.cubin, 0x70000001, ".nv.callgraph", 32)];
  exchange(&s, graph->offset + 8, graph->offset + 16, 8);
  subject_expect(&s, "callgraph.order|callgraph.call", "call graph", graph->offset);
  const ref_section *symbols = &s.cubin.sections[s.cubin.symbol_section];
  exchange(&s, symbols->offset + (s.cubin.symbol_count - 1) * SYMBOL_BYTES,
           symbols->offset + (s.cubin.symbol_count - 2) * SYMBOL_BYTES, SYMBOL_BYTES);
  subject_expect(&s, "symtab.order", "symbols", symbols->offset);
  const ref_section *compat = &s.cubin.sections[find_section(&s.cubin, 0x70000086, ".nv.compat", 8)];
  exchange(&s, compat->offset, compat->offset + 4, 4);
  subject_expect(&s, "compat.order", "compat", compat->offset);
  const ref_section *module = &s.cubin.sections[find_section(&s.cubin, 0x70000000, ".nv.info", 36)];
  const uint64_t last = module->offset + module->size - 12;
  exchange(&s, last, last - 12, 12);
  subject_expect(&s, "nvinfo.order", "attributes", module->offset);
  exchange(&s, s.cubin.section_offset + 5 * SECTION_BYTES, s.cubin.section_offset + 6 * SECTION_BYTES, SECTION_BYTES);
  subject_expect(&s, "section.order", "section headers", s.cubin.section_offset);
  subject_free(&s);
}

/* Sizes: the last record of a section is cut off by its header. */
static void dropped_records(void **state) {
  (void)state;
  static const struct {
    uint32_t type, bytes;
    const char *prefix, *wanted;
  } rows[] = {
      {4, 24, ".rela.text.", "reloc.missing"},
      {0x70000000, 12, ".nv.info", "nvinfo."},
      {0x70000001, 8, ".nv.callgraph", "callgraph.reference"},
      {0x70000086, 4, ".nv.compat", "compat."},
      {2, 24, ".symtab", "symtab.missing"},
      {7, 4, ".note.nv.tkinfo", "note."},
      {1, 16, ".text.", "section.size"},
  };
  linked_cubin s;
  subject_load(&s, jobs[0]);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const uint32_t section = find_section(&s.cubin, rows[i].type, rows[i].prefix, rows[i].bytes);
    const uint64_t at = s.cubin.section_offset + section * (uint64_t)SECTION_BYTES + 32;
    const uint64_t size = s.cubin.sections[section].size - rows[i].bytes;
    for (unsigned byte = 0; byte < 8; byte++)
      s.changed.data[at + byte] = (uint8_t)(size >> 8 * byte);
    subject_expect(&s, rows[i].wanted, rows[i].prefix, at);
  }
  subject_free(&s);
}

/* The five strings of the tool note, by their names. */
static void tool_note_strings(void **state) {
  (void)state;
  static const char *const wanted[] = {"note.tkinfo.tool", "note.tkinfo.version", "note.tkinfo.build",
                                       "note.tkinfo.options"};
  linked_cubin s;
  subject_load(&s, jobs[0]);
  const ref_section *note = &s.cubin.sections[find_section(&s.cubin, 7, ".note.nv.tkinfo", 60)];
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const uint64_t string = 24 + 24 + ref_u32(note->data + 24 + 4 + 4 * (i + 1));
    s.changed.data[note->offset + string] ^= 1;
    subject_expect(&s, wanted[i], "tool note", note->offset + string);
  }
  s.changed.data[note->offset + 24 + 8] ^= 1;
  subject_expect(&s, "note.tkinfo.string_offsets", "tool note", note->offset + 32);
  subject_free(&s);
}

/* A differing instruction bit under a kept relocation names that relocation; given the inputs, an applied one too. */
static void relocation_fields(void **state) {
  (void)state;
  linked_cubin s;
  subject_load(&s, jobs[0]);
  const uint32_t index = find_section(&s.cubin, 4, ".rela.text.", 24);
  const ref_relocation entry = ref_cubin_relocation(&s.cubin, index, 0);
  const uint64_t at = s.cubin.sections[s.cubin.sections[index].info].offset + entry.offset;
  s.changed.data[at + 4] ^= 1; /* bit 32: in the field of types 55 to 57 and 75 alike, 34 on */
  s.changed.data[at + 5] ^= 1;
  ref_comparison result;
  subject_compare(&s, &result);
  const ref_difference *found = result_find(&result, "text.field");
  assert_non_null(found);
  assert_non_null(strstr(found->what, s.cubin.symbols[entry.symbol].name));
  assert_non_null(strstr(found->what, "R_CUDA_"));
  assert_non_null(strstr(found->where, "+0x"));
  ref_comparison_free(&result);
  subject_free(&s);
}

static void files_that_cannot_be_read(void **state) {
  (void)state;
  linked_cubin s;
  subject_load(&s, jobs[0]);
  const ref_compared_file a = {"A", s.original.data, s.original.size};
  char error[400];
  for (size_t size = 0; size < s.original.size; size += 97) {
    const ref_compared_file b = {"B", s.changed.data, size};
    ref_comparison result;
    assert_false(ref_compare_files(&result, &a, &b, NULL, 0, error, sizeof error));
    assert_non_null(strstr(error, "B: "));
    assert_false(result.equal);
    assert_non_null(result_find(&result, "file.size"));
    ref_comparison_free(&result);
  }
  subject_free(&s);
}

/* Random damage of a file, then compared and dumped: nothing but a crash or a hang is wrong here. */
static void damaged_files(void **state) {
  (void)state;
  FILE *nowhere = fopen("/dev/null", "w");
  uint32_t random = 12345;
  assert_non_null(nowhere);
  for (size_t i = 0; i < JOB_COUNT; i++) {
    linked_cubin s;
    subject_load(&s, jobs[i]);
    for (unsigned round = 0; round < 300; round++) {
      for (unsigned change = 0; change < 1 + round % 20; change++) {
        random = random * 1664525 + 1013904223;
        /* Half of the changes go where the numbers are: header, section headers, program headers. */
        const uint64_t from = round % 2 ? s.cubin.section_offset : 0;
        s.changed.data[from + (random >> 4) % (s.original.size - from)] = (uint8_t)(random >> 24);
      }
      ref_comparison result;
      ref_cubin cubin;
      char error[200];
      subject_compare(&s, &result);
      ref_comparison_free(&result);
      if (ref_cubin_read(&cubin, s.changed.data, s.original.size, error, sizeof error)) {
        ref_dump(nowhere, &cubin);
        ref_cubin_free(&cubin);
      }
      subject_restore(&s);
    }
    subject_free(&s);
  }
  assert_int_equal(fclose(nowhere), 0);
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_files_give_nothing),   cmocka_unit_test(every_header_field),
      cmocka_unit_test(every_section_header_field), cmocka_unit_test(every_symbol_field),
      cmocka_unit_test(bytes_of_every_section),     cmocka_unit_test(bytes_between_the_sections),
      cmocka_unit_test(exchanged_records),          cmocka_unit_test(dropped_records),
      cmocka_unit_test(tool_note_strings),          cmocka_unit_test(relocation_fields),
      cmocka_unit_test(files_that_cannot_be_read),  cmocka_unit_test(damaged_files),
  };
  if (argc > 1)
    corpus_directory = argv[1];
  const int failures = cmocka_run_group_tests_name("compare_mutations", tests, NULL, NULL);
  printf("changes of one place, each reported under its key: %zu\n", changes_tried);
  return failures;
}
