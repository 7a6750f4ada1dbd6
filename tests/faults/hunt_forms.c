/* The same links in other words. The reference takes cubins and options, nothing else; so where twinlink is given options
 * files, libraries, host objects and threads, the other voter gets the plain link that this must be: the words in place,
 * and without the files that hold no device code. What must be refused both get, and both must refuse. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum {
  FORMS_FILE = 4096,
  ELF_HEADER = 64,
  ELF_SECTION = 64,
  ELF_RELOCATABLE = 1,
  ELF_X86_64 = 62,
  ELF_AARCH64 = 183,
  ELF_CUDA = 190,
  AR_HEADER = 60,
  FORMS_WORDS = 24
};

/* A file that is made, or a link's words. */
typedef struct forms_maker {
  gen_random random;
  const char *directory;
  harness_words own, plain;
  uint8_t bytes[FORMS_FILE];
  size_t size;
} forms_maker;

static void forms_put(forms_maker *f, size_t at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    f->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void forms_append(forms_maker *f, const void *bytes, size_t size) {
  memcpy(f->bytes + f->size, bytes, size);
  f->size += size;
}

static void forms_write(forms_maker *f, const char *name) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s", f->directory, name);
  hunt_input_write(path, f->bytes, f->size);
}

/* A host object with the named sections, up to a NULL. */
static void forms_host_object(forms_maker *f, unsigned machine, const char *const *sections) {
  static const char magic[] = "\177ELF\2\1\1";
  size_t count = 2;
  memset(f->bytes, 0, sizeof f->bytes);
  memcpy(f->bytes, magic, sizeof magic - 1);
  f->size = ELF_HEADER;
  const size_t names = f->size;
  forms_append(f, "\0.shstrtab", sizeof "\0.shstrtab");
  size_t offsets[FORMS_WORDS];
  for (size_t i = 0; sections[i]; i++, count++) {
    offsets[i] = f->size - names;
    forms_append(f, sections[i], strlen(sections[i]) + 1);
  }
  const size_t names_size = f->size - names;
  f->size = (f->size + 7) / 8 * 8;
  const size_t table = f->size;
  for (size_t i = 1; i < count; i++) {
    const size_t at = table + i * ELF_SECTION;
    forms_put(f, at, 4, i == 1 ? 1 : offsets[i - 2]);
    forms_put(f, at + 4, 4, i == 1 ? 3 : 1); /* STRTAB, PROGBITS */
    forms_put(f, at + 24, 8, i == 1 ? names : 0);
    forms_put(f, at + 32, 8, i == 1 ? names_size : 16);
    forms_put(f, at + 48, 8, 1);
  }
  f->size = table + count * ELF_SECTION;
  forms_put(f, 16, 2, ELF_RELOCATABLE);
  forms_put(f, 18, 2, machine);
  forms_put(f, 20, 4, 1);
  forms_put(f, 40, 8, table);
  forms_put(f, 52, 2, ELF_HEADER);
  forms_put(f, 58, 2, ELF_SECTION);
  forms_put(f, 60, 2, count);
  forms_put(f, 62, 2, 1);
}

/* Puts what the maker holds into an archive, behind a symbol table and a text. */
static void forms_archive(forms_maker *f, const char *magic) {
  static uint8_t member[FORMS_FILE];
  const size_t size = f->size;
  memcpy(member, f->bytes, size);
  f->size = 0;
  const struct {
    const char *name;
    const void *bytes;
    size_t size;
  } members[] = {{"/", "\0\0\0\0", 4},      {"//", "long-name.o/", 12}, {"/SYM64/", "\0\0\0\0\0\0\0\0", 8},
                 {"host.o/", member, size}, {"text/", "odd", 3},        {"again.o/", member, size}};
  const size_t first = gen_random_below(&f->random, 4), last = 4 + gen_random_below(&f->random, 3);
  forms_append(f, magic, 8);
  for (size_t i = first; i < last && f->size + AR_HEADER + members[i].size < FORMS_FILE; i++) {
    char header[AR_HEADER + 1];
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", members[i].name, 0, 0, 0, 644, members[i].size);
    forms_append(f, header, AR_HEADER);
    forms_append(f, members[i].bytes, members[i].size);
    if (members[i].size & 1)
      forms_append(f, "\n", 1);
  }
}

/* --- the forms --- */

static bool forms_is_output(const harness_words *words, size_t i) {
  return strcmp(words->items[i], "-o") == 0 || strcmp(words->items[i], "out.cubin") == 0;
}

/* A word of an options file: as it is, in quotes, or each letter behind a backslash. In quotes a blank is a letter. */
static void forms_quote(forms_maker *f, const char *word) {
  static const char *const blanks[] = {" ", "\n", "\t", "\r\n", "  \n"};
  const uint32_t how = gen_random_below(&f->random, 4);
  const bool special = strpbrk(word, " \"\\\t") != NULL;
  if (how == 1)
    forms_append(f, "\"", 1);
  for (; *word; word++) {
    if (how == 2 || (special && (how != 1 || !strchr(" \t", *word))))
      forms_append(f, "\\", 1);
    forms_append(f, word, 1);
    if (how == 3 && !special && gen_random_percent(&f->random, 10))
      forms_append(f, "\"\"", 2);
  }
  if (how == 1)
    forms_append(f, "\"", 1);
  const char *const blank = blanks[gen_random_below(&f->random, sizeof blanks / sizeof *blanks)];
  forms_append(f, blank, strlen(blank));
}

/* Some words stand in an options file, and of these some in a further one. */
static void forms_make_options_file(forms_maker *f, const harness_words *words) {
  const size_t first = gen_random_below(&f->random, (uint32_t)words->count);
  const size_t last = first + 1 + gen_random_below(&f->random, 3);
  const bool nested = gen_random_percent(&f->random, 30), equals = gen_random_percent(&f->random, 50);
  const char *const name = gen_random_percent(&f->random, 50) ? "-optf" : "--options-file";
  f->size = 0;
  if (gen_random_percent(&f->random, 20)) { /* a word with a blank, which names no kernel */
    static const char blank[] = "-kernels-used=a b\tc";
    hunt_words_add(&f->plain, "%s", blank);
    forms_quote(f, blank);
  }
  for (size_t i = 0; i < words->count; i++) {
    hunt_words_add(&f->plain, "%s", words->items[i]);
    if (i >= first && i < last && f->size + 2 * strlen(words->items[i]) + 64 < FORMS_FILE)
      forms_quote(f, words->items[i]);
    else
      hunt_words_add(&f->own, "%s", words->items[i]);
    if (i != first)
      continue;
    if (equals)
      hunt_words_add(&f->own, "%s=words.opt", name);
    else
      hunt_words_add(&f->own, "%s", name), hunt_words_add(&f->own, "words.opt");
  }
  forms_write(f, nested ? "inner.opt" : "words.opt");
  if (nested) {
    static const char text[] = "-optf \"inner.opt\"\n";
    f->size = 0;
    forms_append(f, text, sizeof text - 1);
    forms_write(f, "words.opt");
  }
}

/* One further word, or two, somewhere in the own words; NULL: none. */
static void forms_make_with(forms_maker *f, const harness_words *words, const char *one, const char *two, bool both) {
  const size_t place = gen_random_below(&f->random, (uint32_t)words->count);
  for (size_t i = 0; i < words->count; i++) {
    if (i == place && (i == 0 || strcmp(words->items[i - 1], "-o") != 0)) {
      const char *const more[] = {one, two};
      for (size_t j = 0; j < 2 && more[j]; j++) {
        hunt_words_add(&f->own, "%s", more[j]);
        if (both)
          hunt_words_add(&f->plain, "%s", more[j]);
      }
    }
    hunt_words_add(&f->own, "%s", words->items[i]);
    hunt_words_add(&f->plain, "%s", words->items[i]);
  }
}

static void forms_damage(forms_maker *f) {
  enum { FIRST_SIZE_AT = 8 + 48 };
  if (f->size == 0)
    return;
  if (f->bytes[0] == '!' && gen_random_percent(&f->random, 15)) { /* the size of an archive's first member is none */
    f->bytes[FIRST_SIZE_AT] = gen_random_percent(&f->random, 50) ? '-' : 'x';
    return;
  }
  if (gen_random_percent(&f->random, 30)) {
    f->size = 1 + gen_random_below(&f->random, (uint32_t)f->size);
    return;
  }
  const uint32_t at = gen_random_below(&f->random, (uint32_t)f->size);
  f->bytes[at] ^= (uint8_t)(1u << gen_random_below(&f->random, 8));
}

/* A file without device code, which adds nothing, or with some, which is refused; at times damaged. */
static void forms_make_host(forms_maker *f, const harness_words *words) {
  static const char *const sections[][3] = {
      {".text"}, {".data", ".text"}, {"__nv_relfatbin"}, {".nvFatBinSegment"}, {"__nv_relfatbin", ".nvFatBinSegment"}};
  static const char *const names[] = {"host.o", "libhost.a", "host", "host.lib", "host.so", "host.a.o", "dir.x/host"};
  const uint32_t kind = gen_random_below(&f->random, 5), form = gen_random_below(&f->random, 8);
  const char *const wanted[] = {sections[kind][0], kind == 1 || kind == 4 ? sections[kind][1] : NULL, NULL};
  forms_host_object(f, gen_random_percent(&f->random, 80) ? ELF_X86_64 : ELF_AARCH64, wanted);
  if (form >= 3 && form <= 6)
    forms_archive(f, form == 6 ? "!<thin>\n" : "!<arch>\n");
  if (form == 7)
    f->size = gen_random_below(&f->random, 20);
  const bool damaged = gen_random_percent(&f->random, 30);
  if (damaged)
    forms_damage(f);
  const char *const name = names[gen_random_below(&f->random, sizeof names / sizeof *names - 1)];
  forms_write(f, name);
  forms_make_with(f, words, name, NULL, kind == 4 || damaged);
}

/* A file of any content under any name: what it is taken for says whether the link goes on. */
static void forms_make_foreign(forms_maker *f, const harness_words *words) {
  enum { LEAST = 16, MACHINE_AT = 18 };
  static const char *const texts[] = {"//\n.version 8.0\n", "BC\xc0\xde",
                                      "\xde\xc0\x17\x0b",   "\x50\xed\x55\xba\1",
                                      ".version",           "text",
                                      "!<arch>\n",          "!<thin>\n",
                                      "\177ELF\2\1\1",      ""};
  static const char *const names[] = {"x.cubin", "x.fatbin", "x.ptx", "x.o",    "x.a",
                                      "x.so",    "x",        "x.bc",  "x.nvvm", "x.ltoir"};
  static const uint16_t machines[] = {ELF_CUDA, ELF_X86_64};
  const char *const text = texts[gen_random_below(&f->random, sizeof texts / sizeof *texts)];
  memset(f->bytes, 0, sizeof f->bytes);
  memcpy(f->bytes, text, strlen(text));
  forms_put(f, MACHINE_AT, 2, machines[gen_random_below(&f->random, 2)]);
  f->size = *text ? LEAST + gen_random_below(&f->random, 80) : 0;
  const char *const name = names[gen_random_below(&f->random, sizeof names / sizeof *names)];
  forms_write(f, name);
  forms_make_with(f, words, name, NULL, true);
}

/* A library that is looked for: with code of the host alone, or none that fits. */
static void forms_make_library(forms_maker *f, const harness_words *words) {
  static const char *const paths[] = {"-L.",  "-L=.", "-Lnowhere:.", "--library-path=.", "-L\".\",nowhere",
                                      "-L,.", NULL};
  static const char *const libraries[] = {"-lhost",        "-l=host",     "--library=host",
                                          "-lhost,absent", "-lhost,host", "-l,host"};
  static const char *const sections[] = {".text", NULL};
  static const struct {
    uint16_t machine;
    const char *name;
  } hosts[] = {{ELF_X86_64, "X86_64"}, {ELF_AARCH64, "AARCH64"}, {3, "X86"}, {40, "ARMv7"}, {21, "PPC64LE"}};
  const uint32_t host = gen_random_below(&f->random, sizeof hosts / sizeof *hosts);
  forms_host_object(f, hosts[host].machine, sections);
  if (gen_random_percent(&f->random, 85))
    forms_archive(f, gen_random_percent(&f->random, 85) ? "!<arch>\n" : "!<thin>\n");
  const bool damaged = gen_random_percent(&f->random, 20);
  if (damaged)
    forms_damage(f);
  forms_write(f, "libhost.a");
  const char *const path = paths[gen_random_below(&f->random, sizeof paths / sizeof *paths)];
  const char *const library = libraries[gen_random_below(&f->random, sizeof libraries / sizeof *libraries)];
  forms_make_with(f, words, library, path, damaged);
  if (gen_random_percent(&f->random, 60)) {
    const bool fits = gen_random_percent(&f->random, 70);
    const uint32_t asked = fits ? host : gen_random_below(&f->random, sizeof hosts / sizeof *hosts);
    hunt_words_add(&f->own, "-cpu-arch=%s", hosts[asked].name);
  }
}

/* Options in every spelling, good and bad. */
static const char *const forms_options[][2] = {{"--verbose"},
                                               {"--debug"},
                                               {"--warning-as-error"},
                                               {"--disable-infos"},
                                               {"--disable-warnings"},
                                               {"-m=64"},
                                               {"-m64"},
                                               {"-m", "64"},
                                               {"--machine=64"},
                                               {"--machine", "64"},
                                               {"-m=32"},
                                               {"--extra-warnings"},
                                               {"--report-arch"},
                                               {"--dump-callgraph"},
                                               {"--dump-callgraph-no-demangle"},
                                               {"--suppress-debug-info"},
                                               {"-maxrregcount=32"},
                                               {"-maxrregcount", "0x10"},
                                               {"-maxrregcount=x"},
                                               {"-maxrregcount="},
                                               {"-split-compile=4"},
                                               {"-split-compile-extended=2"},
                                               {"-Xptxas=-v"},
                                               {"-Xptxas", "-O1,-O2"},
                                               {"-Xnvvm=-a,\"b,c\""},
                                               {"-Xnvvm=-a -b"},
                                               {"-nvvmpath=here"},
                                               {"-cpu-arch=X86_64"},
                                               {"-cpu-arch=X"},
                                               {"-device-stack-protector=true"},
                                               {"-device-stack-protector=false"},
                                               {"-device-stack-protector=maybe"},
                                               {"-verbose-tkinfo"},
                                               {"-shared"},
                                               {"-host-ccbin=cc"},
                                               {"-host-ccbin", "cc"},
                                               {"-kernels-used=a,b"},
                                               {"-kernels-used", "k"},
                                               {"--kernels-used=\"k,1\",k2"},
                                               {"-variables-used=d0,d1"},
                                               {"-variables-used="},
                                               {"-use-host-info"},
                                               {"-use-host-info", "-kernels-used=k"},
                                               {"-use-host-info", "-kernels-used=,"},
                                               {"-ignore-host-info"},
                                               {"--no-such-option"},
                                               {"-nosuch=1"},
                                               {"-x"},
                                               {"--"},
                                               {"-"},
                                               {"-v=1"},
                                               {"-v=true"},
                                               {"-g", "-g"},
                                               {"-r"},
                                               {"-lto"},
                                               {"-dlto"},
                                               {"-dlto", "-nvvmpath=here"},
                                               {"-dlto", "-emit-ptx"},
                                               {"-emit-ptx"},
                                               {"-Ofc=max"},
                                               {"-Ofc=none"},
                                               {"-time=-"},
                                               {"-time=times.csv"},
                                               {"--map=out.map"},
                                               {"--identity=other"},
                                               {"-arch=sm_90"},
                                               {"-arch=sm_1"},
                                               {"-arch=compute_90"},
                                               {"-arch=sm_90a"},
                                               {"-arch", "sm_75"},
                                               {"-o", "out.cubin"},
                                               {"-o=out.cubin"},
                                               {"--output-file=out.cubin"},
                                               {"-register-link-binaries=reg.c"},
                                               {"-preserve-relocs"},
                                               {"-uidx=nowhere"},
                                               {"-suppress-stack-size-warning"},
                                               {"nowhere.cubin"},
                                               {"-keep-system-libraries"},
                                               {"-optf=nowhere"},
                                               {"-optf"},
                                               {"-ghls"},
                                               {"-ghls=lcs-abs"},
                                               {"-ghls=lcs-aug"},
                                               {"--help"},
                                               {"-V"},
                                               {"-h"}};

/* A target of any family, mostly the base's number in another variant. */
static void forms_make_target(forms_maker *f, const harness_words *words) {
  static const char *const families[] = {"sm_", "sm_", "sm_", "compute_", "lto_"}, *const variants[] = {"", "a", "f",
                                                                                                        "x"};
  static const unsigned numbers[] = {70, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  unsigned number = numbers[gen_random_below(&f->random, sizeof numbers / sizeof *numbers)], base = 0;
  for (size_t i = 0; i < words->count; i++)
    if (sscanf(words->items[i], "-arch=sm_%u", &base) == 1 && gen_random_percent(&f->random, 50))
      number = base;
  char word[FORMS_WORDS];
  const char *const family = families[gen_random_below(&f->random, sizeof families / sizeof *families)];
  const char *const variant = variants[gen_random_below(&f->random, sizeof variants / sizeof *variants)];
  snprintf(word, sizeof word, "-arch=%s%u%s", family, number, variant);
  forms_make_with(f, words, word, NULL, true);
}

/* Both get them. */
static void forms_make_option(forms_maker *f, const harness_words *words) {
  const uint32_t number = gen_random_below(&f->random, sizeof forms_options / sizeof *forms_options);
  forms_make_with(f, words, forms_options[number][0], forms_options[number][1], true);
}

static void forms_make_threads(forms_maker *f, const harness_words *words) {
  static const char *const threads[] = {"--threads=1", "--threads=2", "--threads=7", "--threads=0", "--threads=64"};
  forms_make_with(f, words, threads[gen_random_below(&f->random, sizeof threads / sizeof *threads)], NULL, false);
}

/* What twinlink tells of its steps: the other voter says nothing of them, so only words that nobody knows speak. Times are
 * others in each run (hunt_judge.c). */
static void forms_make_trace(forms_maker *f, const harness_words *words) {
  static const char *const traces[] = {"--trace=merge,layout,bindless,reloc,maps", "--trace=merge",
                                       "--trace=layout,maps", "--trace=bindless", "--trace=reloc"};
  forms_make_with(f, words, traces[gen_random_below(&f->random, sizeof traces / sizeof *traces)], NULL, false);
}

/* Where the output goes: through symbolic links, into a directory, or nowhere. What stands for a device is left out: a
 * faulty linker might put a file in its place. */
static void forms_make_output(forms_maker *f, const harness_words *words) {
  static const char *const names[] = {"link.cubin", "again.cubin",      "circle",           "below/out.cubin",
                                      "below",      "absent/out.cubin", "below/link.cubin", ""};
  static const char *const links[][2] = {{"link.cubin", "behind.cubin"},
                                         {"again.cubin", "link.cubin"},
                                         {"circle", "circle"},
                                         {"below/link.cubin", "../below-behind.cubin"}};
  char path[HARNESS_PATH];
  harness_path(path, "%s/below", f->directory);
  harness_make_directories(path);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    hunt_input_link(f->directory, links[i][0], links[i][1]);
  const char *const name = names[gen_random_below(&f->random, sizeof names / sizeof *names)];
  for (size_t i = 0; i < words->count; i++) {
    const char *const word = strcmp(words->items[i], "out.cubin") == 0 ? name : words->items[i];
    hunt_words_add(&f->own, "%s", word);
    hunt_words_add(&f->plain, "%s", word);
  }
}

static bool forms_is_cubin(const char *word) {
  return strlen(word) > 6 && strcmp(word + strlen(word) - 6, ".cubin") == 0;
}

/* The base's cubins, copied to the form's directory; false when it has other files too. */
static bool forms_copy(const hunt_input *base, const char *directory) {
  bool any = false;
  for (size_t i = 0; i < base->arguments.count; i++) {
    char from[HARNESS_PATH], to[HARNESS_PATH];
    harness_bytes bytes;
    const char *const word = base->arguments.items[i];
    if (forms_is_output(&base->arguments, i) || !forms_is_cubin(word))
      continue;
    harness_path(from, "%s/%s", base->directory, word);
    harness_path(to, "%s/%s", directory, word);
    if (word[0] == '-' || strchr(word, '/') || !harness_read_file(from, &bytes))
      return false;
    hunt_input_write(to, bytes.data, bytes.size);
    free(bytes.data);
    any = true;
  }
  return any;
}

/* What only prints: in every mode. */
static void forms_add_printed(hunt_inputs *inputs, const char *root) {
  static const char *const words[] = {"--help", "-V", "-ghls", "-ghls=lcs-aug", "-ghls=lcs-abs"};
  char directory[HARNESS_PATH], name[HARNESS_PATH];
  harness_path(directory, "%s/forms/printed", root);
  harness_make_directories(directory);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    harness_path(name, "form %s", words[i]);
    hunt_words_add(&hunt_inputs_add(inputs, name, directory, NULL)->arguments, "%s", words[i]);
  }
}

void hunt_forms_add(hunt_inputs *inputs, const char *root, size_t count) {
  static void (*const makers[])(forms_maker *, const harness_words *) = {
      forms_make_options_file, forms_make_host,   forms_make_library, forms_make_option,
      forms_make_target,       forms_make_option, forms_make_host,    forms_make_output,
      forms_make_threads,      forms_make_trace,  forms_make_foreign};
  const size_t bases = inputs->count;
  forms_add_printed(inputs, root);
  for (size_t i = 0; i < count && bases; i++) {
    char directory[HARNESS_PATH], name[HARNESS_PATH];
    forms_maker f = {.random = {.state = 0x666f726d73u + i}, .directory = directory};
    const size_t number = gen_random_below(&f.random, (uint32_t)bases);
    harness_path(directory, "%s/forms/%zu", root, i);
    harness_path(name, "form %zu of %s", i, inputs->items[number].name);
    harness_make_directories(directory);
    if (!forms_copy(&inputs->items[number], directory))
      continue;
    makers[i % (sizeof makers / sizeof *makers)](&f, &inputs->items[number].arguments);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->arguments = f.own;
    input->plain = f.plain;
    input->modes = 1u << (i + i / (sizeof makers / sizeof *makers)) % HUNT_MODES;
  }
}
