/* A walk over the instructions: from the start and from every mark to the next marks. */
#include "tests/sass/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  INSTRUCTIONS = 512,
  TARGETS = 64,
  MARK_BASE = 0x40000,
  EXIT_OFFSETS = 0x1c,
  INDIRECT_TARGETS = 0x34,
  LINE = 512
};

typedef struct truth_code {
  const ref_cubin *cubin;
  const ref_section *text;
  uint32_t section;
  ref_sass_instruction at[INSTRUCTIONS];
  size_t count;
  uint32_t indexed_targets[TARGETS];
  size_t indexed_count;
} truth_code;

static bool truth_fail(truth_graph *graph, const char *text, const char *what, uint64_t number) {
  if (!graph->problem[0])
    snprintf(graph->problem, sizeof graph->problem, "%.40s: %.80s (%llu)", what, text, (unsigned long long)number);
  return false;
}

/* 0: no mark. */
static unsigned truth_mark(const ref_sass_instruction *instruction) {
  uint64_t offset = 0;
  if (!instruction->row || (instruction->opcode & 0x1ff) != 0x186 ||
      !ref_sass_find(instruction, REF_SASS_MEMORY_OFFSET, &offset) || offset <= MARK_BASE ||
      offset >= MARK_BASE + 4 * TRUTH_END)
    return 0;
  return (unsigned)(offset - MARK_BASE) / 4;
}

typedef struct truth_walk {
  const truth_code *code;
  bool seen[INSTRUCTIONS];
  size_t stack[INSTRUCTIONS];
  size_t depth;
  uint64_t found;
} truth_walk;

static void truth_push(truth_walk *walk, int64_t offset) {
  if (offset < 0 || (uint64_t)offset >= walk->code->count * REF_SASS_BYTES)
    return;
  const size_t index = (size_t)offset / REF_SASS_BYTES;
  if (!walk->seen[index]) {
    walk->seen[index] = true;
    walk->stack[walk->depth++] = index;
  }
}

/* BSYNC goes on at its barrier's label: at the next instruction if that is one of the labels, otherwise at any. */
static void truth_push_meeting(truth_walk *walk, size_t index) {
  uint64_t barrier = 0, other = 0;
  int64_t labels[TARGETS];
  size_t count = 0;
  ref_sass_find(&walk->code->at[index], REF_SASS_BARRIER, &barrier);
  const int64_t next = (int64_t)(index + 1) * REF_SASS_BYTES;
  for (size_t i = 0; i < walk->code->count && count < TARGETS; i++) {
    const ref_sass_instruction *set = &walk->code->at[i];
    if (set->row && set->row->shape == REF_SASS_MEETING && ref_sass_find(set, REF_SASS_BARRIER, &other) &&
        other == barrier && ref_sass_target(set, i * REF_SASS_BYTES, &labels[count])) {
      if (labels[count] == next) {
        truth_push(walk, next);
        return;
      }
      count++;
    }
  }
  for (size_t i = 0; i < count; i++)
    truth_push(walk, labels[i]);
}

static void truth_follow(truth_walk *walk, size_t index) {
  const ref_sass_instruction *instruction = &walk->code->at[index];
  const ref_sass_flow flow = instruction->row ? (ref_sass_flow)instruction->row->flow : REF_SASS_NEXT;
  const int64_t next = (int64_t)(index + 1) * REF_SASS_BYTES;
  const bool conditional = ref_sass_is_conditional(instruction);
  int64_t target = 0;
  const bool has_target = ref_sass_target(instruction, index * REF_SASS_BYTES, &target);
  if (flow == REF_SASS_MEET)
    truth_push_meeting(walk, index);
  else if (flow == REF_SASS_INDEXED)
    for (size_t i = 0; i < walk->code->indexed_count; i++)
      truth_push(walk, walk->code->indexed_targets[i]);
  else if ((flow == REF_SASS_BRANCH || flow == REF_SASS_CALL_RELATIVE) && has_target)
    truth_push(walk, target);
  if (flow == REF_SASS_EXIT || flow == REF_SASS_RETURN)
    walk->found |= UINT64_C(1) << TRUTH_END;
  const bool leaves = flow == REF_SASS_BRANCH || flow == REF_SASS_EXIT || flow == REF_SASS_RETURN ||
                      flow == REF_SASS_INDEXED || flow == REF_SASS_MEET;
  if (conditional || !leaves)
    truth_push(walk, next);
}

static uint64_t truth_find_next(const truth_code *code, size_t from, bool at_mark) {
  truth_walk *walk = calloc(1, sizeof *walk);
  if (!walk)
    return 0;
  walk->code = code;
  truth_push(walk, (int64_t)(from + (at_mark ? 1 : 0)) * REF_SASS_BYTES);
  while (walk->depth) {
    const size_t index = walk->stack[--walk->depth];
    const unsigned mark = truth_mark(&code->at[index]);
    if (mark)
      walk->found |= UINT64_C(1) << mark;
    if (!mark || ref_sass_is_conditional(&code->at[index]))
      truth_follow(walk, index);
  }
  const uint64_t found = walk->found;
  free(walk);
  return found;
}

static void truth_read_indexed(truth_code *code, const ref_attribute *attribute) {
  uint32_t at = 0;
  while (at + 12 <= attribute->size) { /* F64: {u32 address, u16, u16, u32 n, n labels} */
    const uint32_t labels = ref_u32(attribute->data + at + 8);
    at += 12;
    for (uint32_t i = 0; i < labels && at + 4 <= attribute->size && code->indexed_count < TARGETS; i++, at += 4)
      code->indexed_targets[code->indexed_count++] = ref_u32(attribute->data + at);
  }
}

/* EXIT_INSTR_OFFSETS lists the EXITs of the text, all of them and nothing else. */
static void truth_check_exits(truth_graph *graph, const truth_code *code, const ref_attribute *attribute) {
  size_t listed = attribute->size / 4;
  for (size_t i = 0; i < listed; i++) {
    const uint32_t offset = ref_u32(attribute->data + 4 * i);
    const ref_sass_instruction *at = &code->at[offset / REF_SASS_BYTES];
    if (offset / REF_SASS_BYTES >= code->count || !at->row || at->row->flow != REF_SASS_EXIT)
      truth_fail(graph, "listed as EXIT and decoded as something else", code->text->name, offset);
  }
  if (listed != graph->exits)
    truth_fail(graph, "EXITs decoded, another number listed", code->text->name, graph->exits);
}

static void truth_read_records(truth_graph *graph, truth_code *code) {
  size_t exits_listed = 0;
  for (size_t i = 1; i < code->cubin->section_count; i++) {
    const ref_section *section = &code->cubin->sections[i];
    if (strncmp(section->name, ".nv.info.", 9) != 0 || section->info != code->section)
      continue;
    ref_attribute attribute;
    for (uint64_t position = 0; ref_cubin_next_attribute(section, &position, &attribute);) {
      if (attribute.code == INDIRECT_TARGETS)
        truth_read_indexed(code, &attribute);
      if (attribute.code == EXIT_OFFSETS) {
        truth_check_exits(graph, code, &attribute);
        exits_listed++;
      }
    }
  }
  if (!exits_listed && graph->exits)
    truth_fail(graph, "EXITs decoded, none listed", code->text->name, graph->exits);
}

static void truth_count(truth_graph *graph, truth_code *code) {
  for (size_t i = 0; i < code->count; i++) {
    ref_sass_decode(&code->at[i], ref_sass_read(code->text->data + i * REF_SASS_BYTES), ref_sass_sm(code->cubin));
    const ref_sass_row *row = code->at[i].row;
    int64_t target = 0;
    if (!row)
      continue;
    graph->calls += row->flow == REF_SASS_CALL;
    graph->call_registers += row->flow == REF_SASS_CALL_REGISTER;
    graph->indexed += row->flow == REF_SASS_INDEXED;
    graph->returns += row->flow == REF_SASS_RETURN;
    graph->exits += row->flow == REF_SASS_EXIT;
    graph->barriers += strcmp(row->name, "BAR") == 0;
    graph->traps += strcmp(row->name, "BPT") == 0;
    if (ref_sass_target(&code->at[i], i * REF_SASS_BYTES, &target) &&
        (target < 0 || (uint64_t)target >= code->text->size || target % REF_SASS_BYTES != 0))
      truth_fail(graph, "target outside its section", code->text->name, i * REF_SASS_BYTES);
  }
}

/* T17: behind the last transfer stands a branch to itself, then NOPs. */
static void truth_check_end(truth_graph *graph, const truth_code *code) {
  size_t last = code->count;
  while (last > 0 && code->at[last - 1].row && strcmp(code->at[last - 1].row->name, "NOP") == 0)
    last--;
  int64_t target = -1;
  if (last == 0 || !ref_sass_target(&code->at[last - 1], (last - 1) * REF_SASS_BYTES, &target) ||
      target != (int64_t)(last - 1) * REF_SASS_BYTES)
    truth_fail(graph, "does not end with a branch to itself", code->text->name, last);
}

void truth_build(truth_graph *graph, const ref_cubin *cubin, const char *function) {
  *graph = (truth_graph){.problem = ""};
  char name[LINE];
  snprintf(name, sizeof name, ".text.%s", function);
  truth_code *code = calloc(1, sizeof *code);
  const uint32_t section = ref_cubin_find_section(cubin, name);
  if (!code || !section || cubin->sections[section].size > INSTRUCTIONS * REF_SASS_BYTES) {
    truth_fail(graph, "no such text", function, section);
    free(code);
    return;
  }
  *code = (truth_code){.cubin = cubin, .text = &cubin->sections[section], .section = section};
  code->count = code->text->size / REF_SASS_BYTES;
  truth_count(graph, code);
  truth_read_records(graph, code);
  truth_check_end(graph, code);
  graph->next[0] = truth_find_next(code, 0, false);
  for (size_t i = 0; i < code->count; i++) {
    const unsigned mark = truth_mark(&code->at[i]);
    if (mark)
      graph->next[mark] |= truth_find_next(code, i, true);
  }
  free(code);
}

/* --- the expectation ---------------------------------------------------------------------------------------------- */

static bool truth_compare_edges(truth_graph *graph, char *line) {
  uint64_t wanted = 0;
  char *rest = NULL;
  const unsigned long mark = strtoul(line, &rest, 10);
  if (mark >= TRUTH_END || strncmp(rest, " ->", 3) != 0)
    return truth_fail(graph, line, "not a line of marks", mark);
  for (char *word = strtok(rest + 3, " "); word; word = strtok(NULL, " "))
    wanted |= UINT64_C(1) << (strcmp(word, "end") == 0 ? TRUTH_END : strtoul(word, NULL, 10) % TRUTH_END);
  if (graph->next[mark] != wanted) {
    char found[64];
    snprintf(found, sizeof found, "next marks 0x%llx, expected 0x%llx", (unsigned long long)graph->next[mark],
             (unsigned long long)wanted);
    return truth_fail(graph, found, "mark", mark);
  }
  return true;
}

static bool truth_compare_count(truth_graph *graph, const char *line) {
  const struct {
    const char *name;
    size_t count;
  } kinds[] = {{"call ", graph->calls},      {"call-register ", graph->call_registers},
               {"indexed ", graph->indexed}, {"return ", graph->returns},
               {"exit ", graph->exits},      {"barrier ", graph->barriers},
               {"trap ", graph->traps}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t length = strlen(kinds[i].name);
    if (strncmp(line, kinds[i].name, length) == 0)
      return kinds[i].count == strtoul(line + length, NULL, 10) || truth_fail(graph, line, "count", kinds[i].count);
  }
  return truth_fail(graph, line, "no such kind", 0);
}

static int truth_order_offsets(const void *a, const void *b) {
  const ref_relocation *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The relocations on absolute calls, ordered by offset, against the names of the line. */
static bool truth_compare_calls(truth_graph *graph, const ref_cubin *cubin, const char *function, char *line) {
  char name[LINE];
  snprintf(name, sizeof name, ".text.%s", function);
  const uint32_t text = ref_cubin_find_section(cubin, name);
  ref_relocation calls[TARGETS];
  size_t count = 0;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    for (size_t k = 0; cubin->sections[i].info == text && k < ref_cubin_relocation_count(cubin, i); k++) {
      const ref_relocation relocation = ref_cubin_relocation(cubin, i, k);
      ref_sass_site site;
      ref_sass_judge(&site, cubin, &cubin->sections[text], relocation.offset, relocation.type);
      if (site.verdict == REF_SASS_SITE_GOOD && site.instruction.row->flow == REF_SASS_CALL && count < TARGETS)
        calls[count++] = relocation;
    }
  }
  qsort(calls, count, sizeof *calls, truth_order_offsets);
  size_t at = 0;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " "), at++) {
    if (at >= count || calls[at].symbol >= cubin->symbol_count ||
        strcmp(cubin->symbols[calls[at].symbol].name, word) != 0)
      return truth_fail(graph, word, "call expected", at);
  }
  return at == count || truth_fail(graph, "more calls than expected", function, count);
}

bool truth_compare(truth_graph *graph, const ref_cubin *cubin, const char *expect) {
  char function[LINE] = "", line[LINE];
  *graph = (truth_graph){.problem = ""};
  while (*expect && !graph->problem[0]) {
    const size_t length = strcspn(expect, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, expect);
    expect += length + (expect[length] == '\n');
    if (strncmp(line, "function ", 9) == 0) {
      snprintf(function, sizeof function, "%s", line + 9);
      truth_build(graph, cubin, function);
    } else if (strncmp(line, "count ", 6) == 0)
      truth_compare_count(graph, line + 6);
    else if (strncmp(line, "calls ", 6) == 0)
      truth_compare_calls(graph, cubin, function, line + 6);
    else
      truth_compare_edges(graph, line);
  }
  if (!function[0])
    truth_fail(graph, "no function", "expectation", 0);
  return !graph->problem[0];
}
