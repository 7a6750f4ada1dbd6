/* twin, the verification tool: this file only finds the subcommand's row and calls it. */
#include "twin.h"

#include <stdio.h>
#include <string.h>

int twin_bench(int argc, char **argv);
int twin_check(int argc, char **argv);
int twin_conformance(int argc, char **argv);
int twin_corpus(int argc, char **argv);
int twin_coverage(int argc, char **argv);
int twin_damage(int argc, char **argv);
int twin_defects(int argc, char **argv);
int twin_diff(int argc, char **argv);
int twin_dump(int argc, char **argv);
int twin_gen(int argc, char **argv);
int twin_mutate(int argc, char **argv);
int twin_pack(int argc, char **argv);
int twin_record(int argc, char **argv);
int twin_reduce(int argc, char **argv);
int twin_replay(int argc, char **argv);
int twin_report(int argc, char **argv);
int twin_sass(int argc, char **argv);
int twin_shrink(int argc, char **argv);
int twin_triage(int argc, char **argv);
int twin_unpack(int argc, char **argv);

typedef struct twin_subcommand {
  const char *name;
  int (*main)(int argc, char **argv);
  const char *purpose;
} twin_subcommand;

static const twin_subcommand subcommands[] = {
    {"bench", twin_bench, "twinlink, nvlink and cat on two large links: time and memory"},
    {"check", twin_check, "the invariants of one link: OUTPUT INPUT..."},
    {"conformance", twin_conformance, "random programs through nvlink and twinlink"},
    {"corpus", twin_corpus, "make, verify and count the stored programs"},
    {"coverage", twin_coverage, "what was executed of linker and oracle, from what llvm-cov wrote"},
    {"damage", twin_damage, "damaged cubins through nvlink and twinlink"},
    {"defects", twin_defects, "every row of the catalogue of nvlink's defects, in both modes"},
    {"diff", twin_diff, "linker, reference and nvlink on the same inputs; two linked cubins"},
    {"dump", twin_dump, "a cubin in readable form"},
    {"gen", twin_gen, "write a random multi-file CUDA program"},
    {"mutate", twin_mutate, "one step of the fuzzers' mutator on an input of theirs"},
    {"pack", twin_pack, "a command line and its files as an input of the fuzzers"},
    {"record", twin_record, "keep what a command wrote, with command, commit and date"},
    {"reduce", twin_reduce, "make a program on which the linkers differ small"},
    {"replay", twin_replay, "an input of the fuzzers: linker and reference, or all voters"},
    {"report", twin_report, "the page of all that was measured, from the records"},
    {"sass", twin_sass, "the instructions of cubins, and what their relocations patch"},
    {"shrink", twin_shrink, "make an input of the fuzzers small as long as a command ends in the same way"},
    {"triage", twin_triage, "what a campaign of the fuzzers found, an entry a cause"},
    {"unpack", twin_unpack, "an input of the fuzzers as files"},
    {NULL, NULL, NULL},
};

static int twin_usage(FILE *to) {
  fprintf(to, "usage: twin SUBCOMMAND [ARGUMENT...]\n\n");
  for (const twin_subcommand *row = subcommands; row->name; row++)
    fprintf(to, "  %-12s %s\n", row->name, row->purpose);
  return to == stdout ? TWIN_OK : TWIN_TROUBLE;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return twin_usage(stderr);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    return twin_usage(stdout);
  for (const twin_subcommand *row = subcommands; row->name; row++)
    if (strcmp(argv[1], row->name) == 0)
      return row->main(argc - 1, argv + 1);
  fprintf(stderr, "twin: no subcommand '%s'\n", argv[1]);
  return twin_usage(stderr);
}
