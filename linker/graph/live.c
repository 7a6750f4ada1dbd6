/* Liveness over the functions of all files, before anything is created (W7.4, L46).
 *
 * Roots are the kernels that may stay; edges are part -1 of the call graphs, and from a function with an indirect call
 * to every address-taken function with that prototype. A function whose address is taken always stays. nvlink does not
 * follow the edges of one that no kernel calls, and so deletes defined callees of kept code, even when a kernel takes
 * the address (D58, class R); by default such a function is a root and part -4 counts. The records of a losing body do not count, but for W7.7. */
#include "graph/live.h"
#include "graph/lost.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "cubin/elf.h"
#include "graph/graph.h"

#include <string.h>

bool tl_callgraph_next(const tl_cubin_section *section, uint64_t *position, uint32_t *part, uint32_t words[2]) {
  const uint64_t end = section->size / tl_larger(section->entry_size, 8) * 8;
  while (*position + 8 <= end) { /* as many records as sh_entsize says, but of 8 bytes (L172) */
    const uint8_t *const at = section->data + *position;
    *position += 8;
    words[0] = tl_get32(at);
    words[1] = tl_get32(at + 4);
    if (words[0] == 0)
      *part = words[1];
    else if (*part >= CALLGRAPH_REFERENCE)
      return true;
  }
  return false;
}

bool tl_kernel_is_used(const tl_options *options, const char *name) {
  if (options->kernels_used.count == 0)
    return options->variables_used.count == 0;
  for (size_t i = 0; i < options->kernels_used.count; i++)
    if (strstr(name, options->kernels_used.items[i]))
      return true;
  return false;
}

bool tl_kernel_is_late(const tl_options *options, const char *name) {
  const bool all = options->debug && !options->suppress_debug_info;
  return !all && !tl_kernel_is_used(options, name);
}

/* A record of a call of what is no function. */
typedef struct live_stray {
  uint32_t from, file, section;
  uint64_t position;
} live_stray;

typedef struct marker {
  tl_resolution *resolution;
  const tl_cubin *files;
  const tl_names *names;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  tl_edges edges;         /* function to function: calls */
  tl_edges references;    /* the same, part -4; none where D58 is matched */
  tl_edges indirect;      /* function to prototype (a dense number) */
  uint32_t *prototype_of; /* by function: from .nv.prototype, for function descriptor entries */
  uint32_t *taken_as;     /* by function: dense prototype number, TL_NONE */
  bool *referred;         /* by function: part -4 names it */
  tl_names prototypes;
  tl_u32_vector work;
  TL_VECTOR(live_stray) strays;
  uint32_t file_count;
  tl_lost_list lost; /* of all files, once it is asked for */
  bool lost_found;
} marker;

/* nvlink comes to it where it merges the file, so that what ends the link before is said (L1071). */
static void live_note_fault(const marker *m, tl_live_fault fault) {
  tl_live_fault *const first = &m->resolution->fault;
  if (!first->message || first->file > fault.file)
    *first = fault;
}

void tl_live_report(const tl_live_fault *fault, const tl_cubin *files, const tl_names *names,
                    tl_diagnostics *diagnostics) {
  const tl_cubin *const cubin = &files[fault->file];
  const tl_site site = {cubin->path, tl_names_text(names, cubin->sections[fault->section].name), NULL, fault->offset};
  tl_diagnostics_end(diagnostics, fault->message, site, NULL, cubin->path, fault->what);
}

static tl_live_fault live_no_node(uint32_t file, uint32_t section, uint64_t position) {
  return (tl_live_fault){tl_message_row_of(TL_MESSAGE_NO_NODE), file, section, position - 8, NULL};
}

static uint32_t live_find(const marker *m, uint32_t file, uint32_t section, uint64_t position, uint32_t symbol) {
  if (symbol < m->files[file].symbol_count)
    return m->resolution->bodies[file][symbol].function;
  live_note_fault(m, (tl_live_fault){tl_message_row_of(TL_MESSAGE_DAMAGED), file, section, position - 8,
                                     "a record names a symbol outside the symbol table"}); /* nvlink takes what lies in
                                                                                              memory (L173) */
  return TL_NONE;
}

static uint32_t live_function(const marker *m, uint32_t file, uint32_t section, uint64_t position, uint32_t symbol) {
  const uint32_t function = live_find(m, file, section, position, symbol);
  if (function == TL_NONE)
    live_note_fault(m, live_no_node(file, section, position));
  return function;
}

/* A text that no call can name. */
static uint32_t live_no_prototype(marker *m) {
  return tl_names_intern(&m->prototypes, "\0", 1);
}

static uint32_t live_prototype(marker *m, uint32_t file, uint32_t section, uint64_t position, uint32_t offset) {
  const char *const text = tl_cubin_string(&m->files[file], offset);
  if (text)
    return tl_names_intern(&m->prototypes, text, strlen(text));
  live_note_fault(m, (tl_live_fault){tl_message_row_of(TL_MESSAGE_DAMAGED), file, section, position - 4,
                                     "a prototype's text lies outside .strtab"});
  return live_no_prototype(m);
}

static bool live_loses(const marker *m, uint32_t file, uint32_t symbol) {
  const tl_body *const body = &m->resolution->bodies[file][symbol];
  return tl_body_loses(body);
}

/* L1030: it has no code, and stays the mention that it is for nvlink. */
static bool live_is_mentioned_kernel(const tl_function *f) {
  return f->kernel_somewhere && !f->defined;
}

static void live_refer(marker *m, uint32_t from, uint32_t to) {
  m->referred[to] = true;
  if (live_is_mentioned_kernel(&m->resolution->functions.items[to]))
    return;
  if (!tl_defect_matched(m->diagnostics->options, TL_DEFECT_D58))
    *tl_vector_push(m->arena, &m->references) = (tl_edge){from, to};
}

static void live_read_record(marker *m, uint32_t file, uint32_t section, uint64_t position, uint32_t part,
                             const uint32_t words[2]) {
  const uint32_t from = live_function(m, file, section, position, words[0]);
  if (from == TL_NONE)
    return;
  const bool elsewhere = part == CALLGRAPH_TAKEN && m->resolution->bodies[file][words[0]].taken_elsewhere; /* L646 */
  const bool counts = tl_bodies_record_counts(m->resolution, file, words[0], position - 8);
  const bool loses = (live_loses(m, file, words[0]) && !elsewhere) || !counts;
  if (!counts || (elsewhere && live_loses(m, file, words[0])))
    tl_defect_note(m->diagnostics, TL_DEFECT_D120, tl_names_text(m->names, m->resolution->functions.items[from].name));
  if (part == CALLGRAPH_TAKEN) {
    const uint32_t prototype = live_prototype(m, file, section, position, words[1]);
    if (!loses)
      m->taken_as[from] = prototype;
  } else if (part == CALLGRAPH_INDIRECT) {
    const uint32_t prototype = live_prototype(m, file, section, position, words[1]);
    if (!loses)
      *tl_vector_push(m->arena, &m->indirect) = (tl_edge){from, prototype};
  } else if (part == CALLGRAPH_CALL) {
    const uint32_t to = live_find(m, file, section, position, words[1]);
    if (to == TL_NONE && !loses)
      *tl_vector_push(m->arena, &m->strays) = (live_stray){from, file, section, position};
    else if (!loses)
      *tl_vector_push(m->arena, &m->edges) = (tl_edge){from, to};
  } else { /* CALLGRAPH_REFERENCE */
    const uint32_t to = live_function(m, file, section, position, words[1]);
    if (!loses && to != TL_NONE)
      live_refer(m, from, to);
  }
}

/* Of a text the symbol in sh_info says so; what else has a sh_info names a section there (L1478). */
static bool live_section_loses(const marker *m, uint32_t file, uint32_t section) {
  const tl_cubin *const cubin = &m->files[file];
  const uint32_t primary = tl_cubin_primary(cubin, section);
  return tl_cubin_section_at(cubin, section)->flags & SHF_EXECINSTR && primary < cubin->symbol_count &&
         live_loses(m, file, primary);
}

/* The prototype that .nv.prototype gives each function, the last record; where there is none a text that no call can
 * name. */
static void live_read_prototypes(marker *m, uint32_t file_count) {
  const size_t count = m->resolution->functions.count;
  const uint32_t none = live_no_prototype(m);
  m->prototype_of = tl_arena_new_bare(m->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++)
    m->prototype_of[i] = none;
  for (uint32_t file = 0; file < file_count; file++)
    for (uint32_t s = 1; s < m->files[file].section_count; s++) {
      const tl_cubin_section *const section = &m->files[file].sections[s];
      for (uint64_t at = 0; section->type == SHT_CUDA_PROTOTYPE && at + 8 <= section->size; at += 8) {
        const uint32_t function = tl_resolution_function(m->resolution, m->files, file, tl_get32(section->data + at));
        if (function != TL_NONE)
          m->prototype_of[function] = live_prototype(m, file, s, at + 8, tl_get32(section->data + at + 4));
      }
    }
}

/* nvlink goes to the function of a descriptor before anything is dropped, but for losing bodies (D15, L235). */
static void live_check_descriptor(const marker *m, uint32_t file, uint32_t section, uint64_t index) {
  const tl_cubin *const cubin = &m->files[file];
  const uint64_t size = cubin->sections[section].type == SHT_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE;
  live_note_fault(m, (tl_live_fault){tl_message_row_of(TL_MESSAGE_HOSTILE), file, section, index * size,
                                     "a function descriptor relocation names no function (D15)"});
}

/* Its address is taken though no record of part -2 says so: by its own prototype. */
static void live_take(const marker *m, uint32_t function) {
  if (m->taken_as[function] != TL_NONE)
    return;
  m->taken_as[function] = m->prototype_of[function];
  m->resolution->functions.items[function].described = true;
}

/* L618: what part -4 names is address-taken, whoever refers to it, as far as that body does not lose. */
static void live_read_references(const marker *m) {
  for (uint32_t i = 0; i < m->resolution->functions.count; i++)
    if (m->referred[i])
      live_take(m, i);
}

/* nvlink drops entries of constants (L85, D83, L760) and of debug sections (W8.3, RF301) against a function that loses
 * before it sees what they are. */
static bool live_forgets(const marker *m, uint32_t file, const tl_cubin_section *entries, uint32_t symbol) {
  const tl_cubin_section *const about = tl_cubin_section_at(&m->files[file], entries->info);
  if (!live_loses(m, file, symbol))
    return false;
  return tl_section_name_is_about_code(tl_names_text(m->names, about->name)) ||
         (tl_section_type_is_own_constant(about->type) && tl_defect_matched(m->diagnostics->options, TL_DEFECT_D83));
}

/* L1584: nor does it see one inside a weak variable that an earlier weak definition beats; in constants it does (L1464). */
static bool live_is_in_lost(marker *m, uint32_t file, uint32_t section, uint64_t offset) {
  const tl_cubin_section *const about = tl_cubin_section_at(&m->files[file], section);
  if (about->flags & SHF_EXECINSTR || tl_section_type_is_constant(about->type))
    return false;
  if (!m->lost_found)
    tl_lost_find(&m->lost, m->files, m->file_count, m->arena);
  m->lost_found = true;
  return tl_lost_has(&m->lost, file, section, offset);
}

/* R15: a function descriptor entry makes its function address-taken, with its own prototype (L20). */
static void live_read_descriptors(marker *m, uint32_t file) {
  const tl_cubin *const cubin = &m->files[file];
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    const tl_cubin_section *const section = &cubin->sections[s];
    if (!tl_section_type_is_relocations(section->type) || live_section_loses(m, file, section->info))
      continue;
    const uint64_t count = tl_cubin_relocation_count(section);
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
      const tl_relocation_row *const row = tl_relocation_in_view(entry.type, cubin->view == TL_VIEW_MERCURY);
      if (!row || row->kind != TL_RELOC_FUNC_DESC || entry.symbol >= cubin->symbol_count ||
          live_forgets(m, file, section, entry.symbol))
        continue;
      const uint32_t function = m->resolution->bodies[file][entry.symbol].function;
      if (function == TL_NONE)
        live_check_descriptor(m, file, s, i);
      else if (!live_is_in_lost(m, file, section->info, entry.offset))
        live_take(m, function);
    }
  }
}

/* Who calls whom: direct calls, calls by prototype, the functions of each prototype whose address is taken. */
typedef struct live_edges {
  tl_successors direct, indirect, taken;
  tl_successors references; /* none until everything that is called is found */
  bool *seen;               /* by prototype */
} live_edges;

static void live_visit(marker *m, uint32_t function) {
  tl_function *const f = &m->resolution->functions.items[function];
  if (f->reached)
    return;
  f->reached = f->live = true;
  tl_u32_push(m->arena, &m->work, function);
}

/* How many defined kernels -kernels-used lets stay. */
static uint32_t live_count_used_kernels(const marker *m) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->resolution->functions.count; i++) {
    const tl_function *const f = &m->resolution->functions.items[i];
    count += f->kernel_somewhere && f->defined &&
             tl_kernel_is_used(m->diagnostics->options, tl_names_text(m->names, f->name));
  }
  return count;
}

/* A kernel that only its address keeps is a kernel like the others, but beside a single one that is named (L45, L114). */
static void live_push_kernels(marker *m) {
  const bool single = live_count_used_kernels(m) == 1;
  for (uint32_t i = 0; i < m->resolution->functions.count; i++) {
    tl_function *const f = &m->resolution->functions.items[i];
    const bool used = tl_kernel_is_used(m->diagnostics->options, tl_names_text(m->names, f->name));
    f->rooted = f->kernel_somewhere && (used || (!single && m->taken_as[i] != TL_NONE));
    f->rooted |= f->provided && !single; /* L1474 */
    if (f->rooted)
      live_visit(m, i);
  }
}

/* What nvlink would delete of a function's callees. */
static void live_note_callees(const marker *m, const tl_successors *direct, uint32_t function) {
  for (uint32_t j = direct->first[function]; j < direct->first[function + 1]; j++) {
    const tl_function *const callee = &m->resolution->functions.items[direct->to[j]];
    if (!callee->reached && callee->defined && m->taken_as[direct->to[j]] == TL_NONE)
      tl_defect_note(m->diagnostics, TL_DEFECT_D58, tl_names_text(m->names, callee->name));
  }
}

/* Jump slots are kernels, but beside a single one nvlink follows them no further than to their functions (L554, D58). */
static void live_push_stubs(marker *m, const tl_successors *direct) {
  const bool single = live_count_used_kernels(m) == 1;
  if (single && tl_defect_matched(m->diagnostics->options, TL_DEFECT_D58))
    return;
  for (uint32_t i = 0; i < m->resolution->functions.count; i++) {
    if (!m->resolution->functions.items[i].stub || m->resolution->functions.items[i].reached)
      continue;
    live_visit(m, i);
    for (uint32_t j = direct->first[i]; single && j < direct->first[i + 1]; j++)
      live_note_callees(m, direct, direct->to[j]);
  }
}

/* W7.4, L531: its address is taken, or it is unified. */
static bool live_is_taken(const marker *m, uint32_t function) {
  const tl_function *const f = &m->resolution->functions.items[function];
  return m->taken_as[function] != TL_NONE || f->unified;
}

/* D58: what a function calls that only its address keeps. nvlink deletes it, and a kernel that is kept so is none. */
static void live_push_taken(marker *m, const tl_successors *direct) {
  if (tl_defect_matched(m->diagnostics->options, TL_DEFECT_D58))
    return;
  for (uint32_t i = 0; i < m->resolution->functions.count; i++) {
    tl_function *const f = &m->resolution->functions.items[i];
    if (!live_is_taken(m, i) || (f->reached && (f->rooted || !f->kernel_somewhere)) || live_is_mentioned_kernel(f))
      continue;
    live_visit(m, i); /* a kernel that others call, too (L1634) */
    f->rooted |= f->kernel_somewhere;
    if (f->kernel_somewhere)
      tl_defect_note(m->diagnostics, TL_DEFECT_D58, tl_names_text(m->names, f->name));
    live_note_callees(m, direct, i);
  }
}

/* By default a function that is only referred to lives, after those that are called: what it calls is D58's. */
static void live_push_references(marker *m) {
  for (size_t i = 0; i < m->references.count; i++)
    if (m->resolution->functions.items[m->references.items[i].from].reached)
      live_visit(m, m->references.items[i].to);
}

/* What the functions on the list reach by calls. */
static void live_drain(marker *m, const live_edges *edges) {
  while (m->work.count) {
    const uint32_t f = m->work.items[--m->work.count];
    for (uint32_t i = edges->direct.first[f]; i < edges->direct.first[f + 1]; i++)
      live_visit(m, edges->direct.to[i]);
    for (uint32_t i = edges->references.first[f]; i < edges->references.first[f + 1]; i++)
      live_visit(m, edges->references.to[i]);
    for (uint32_t i = edges->indirect.first[f]; i < edges->indirect.first[f + 1]; i++) {
      const uint32_t prototype = edges->indirect.to[i];
      for (uint32_t j = edges->taken.first[prototype]; !edges->seen[prototype] && j < edges->taken.first[prototype + 1];
           j++)
        live_visit(m, edges->taken.to[j]);
      edges->seen[prototype] = true;
    }
  }
}

/* W7.4: address-taken functions stay, and of what only they call the undefined functions. */
static void live_keep_taken(marker *m, const tl_successors *direct) {
  bool *const kept = tl_arena_new(m->arena, bool, m->resolution->functions.count);
  for (uint32_t i = 0; i < m->resolution->functions.count; i++)
    kept[i] = m->resolution->functions.items[i].stub || live_is_taken(m, i);
  for (uint32_t i = 0; i < m->resolution->functions.count; i++) {
    if (!kept[i] || m->resolution->functions.items[i].reached)
      continue;
    m->resolution->functions.items[i].live = true;
    for (uint32_t j = direct->first[i]; j < direct->first[i + 1]; j++) {
      tl_function *const callee = &m->resolution->functions.items[direct->to[j]];
      callee->live |= !callee->defined && !callee->local;
    }
  }
}

/* L552: what stands in the text of a kernel goes with the kernel, not with its own calls: local functions of -ewp. */
static void live_keep_in_kernels(marker *m, uint32_t file) {
  const tl_cubin *const cubin = &m->files[file];
  const tl_body *const bodies = m->resolution->bodies[file];
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    if (!bodies[i].in_kernel)
      continue;
    const uint32_t kernel = tl_cubin_primary(cubin, cubin->symbols[i].section);
    m->resolution->functions.items[bodies[i].function].live |=
        m->resolution->functions.items[bodies[kernel].function].live;
  }
}

/* L448: nvlink removes what is undefined last, in the reverse of the order of first mentions, and only what no undefined
 * function calls that is still there: itself, one mentioned earlier, one that stays. It never removes the one name (L1528). */
static void live_keep_undefined(marker *m) {
  static const char kept[] = "__cuda_syscall_32f3056bbb";
  const uint32_t name = tl_names_find(m->names, kept, sizeof kept - 1);
  tl_edges callers = {0};
  for (size_t i = 0; i < m->edges.count; i++)
    if (!m->resolution->functions.items[m->edges.items[i].from].defined)
      *tl_vector_push(m->arena, &callers) = (tl_edge){m->edges.items[i].to, m->edges.items[i].from};
  const uint32_t count = (uint32_t)m->resolution->functions.count;
  const tl_successors index = tl_successors_make(m->arena, &callers, count);
  for (uint32_t f = count; f-- > 0;) {
    tl_function *const function = &m->resolution->functions.items[f];
    function->live |= name != TL_NONE && function->name == name && !function->defined;
    for (uint32_t i = index.first[f]; i < index.first[f + 1] && !function->defined; i++)
      function->live |= index.to[i] <= f || m->resolution->functions.items[index.to[i]].live;
  }
}

/* L526: a call of what is no function is no call. In an executable nvlink ends by a signal on the way to it from a kernel,
 * but not from a function that its address keeps (L1187), nor from what by default lives through that one or through the slots
 * beside a single kernel (D58), when all files are merged (L1071). */
static void live_check_strays(const marker *m) {
  tl_live_fault *const first = &m->resolution->stray;
  for (size_t i = 0; i < m->strays.count && !m->diagnostics->options->relocatable && !first->message; i++) {
    const live_stray *const stray = &m->strays.items[i];
    if (m->resolution->functions.items[stray->from].reached)
      *first = live_no_node(stray->file, stray->section, stray->position);
  }
}

static void live_spread(marker *m) {
  const uint32_t count = (uint32_t)m->resolution->functions.count;
  tl_edges takers = {0};
  for (uint32_t i = 0; i < count; i++)
    if (m->taken_as[i] != TL_NONE)
      *tl_vector_push(m->arena, &takers) = (tl_edge){m->taken_as[i], i};
  const tl_edges none = {0};
  live_edges edges = {.references = tl_successors_make(m->arena, &none, count),
                      .direct = tl_successors_make(m->arena, &m->edges, count),
                      .indirect = tl_successors_make(m->arena, &m->indirect, count),
                      .taken = tl_successors_make(m->arena, &takers, (uint32_t)m->prototypes.list.count),
                      .seen = tl_arena_new(m->arena, bool, m->prototypes.list.count)};
  live_push_kernels(m);
  live_drain(m, &edges);
  const bool single = live_count_used_kernels(m) == 1;
  if (!single)
    live_push_stubs(m, &edges.direct);
  live_drain(m, &edges);
  live_check_strays(m);
  if (single)
    live_push_stubs(m, &edges.direct);
  live_drain(m, &edges);
  live_push_taken(m, &edges.direct);
  live_drain(m, &edges);
  live_push_references(m);
  edges.references = tl_successors_make(m->arena, &m->references, count);
  live_drain(m, &edges);
  live_keep_taken(m, &edges.direct);
  live_keep_undefined(m);
}

void tl_live_mark(tl_resolution *resolution, const tl_cubin *files, uint32_t file_count, const tl_names *names,
                  tl_arena *arena, tl_diagnostics *diagnostics, bool keep_all) {
  marker m = {.resolution = resolution,
              .files = files,
              .names = names,
              .arena = arena,
              .diagnostics = diagnostics,
              .file_count = file_count};
  tl_names_init(&m.prototypes, arena, 0);
  const size_t count = resolution->functions.count;
  m.taken_as = tl_arena_new_bare(arena, uint32_t, count);
  m.referred = tl_arena_new(arena, bool, count);
  for (size_t i = 0; i < count; i++)
    m.taken_as[i] = TL_NONE;
  for (uint32_t file = 0; file < file_count && !files[file].late; file++) /* the link ends there (L220) */
    for (uint32_t s = 1; s < files[file].section_count; s++) {
      if (files[file].sections[s].type != SHT_CUDA_CALLGRAPH)
        continue;
      uint64_t position = 0;
      uint32_t part = 0, words[2];
      while (tl_callgraph_next(&files[file].sections[s], &position, &part, words))
        live_read_record(&m, file, s, position, part, words);
    }
  live_read_prototypes(&m, file_count);
  live_read_references(&m);
  for (uint32_t file = 0; file < file_count; file++)
    live_read_descriptors(&m, file);
  live_spread(&m);
  for (uint32_t file = 0; file < file_count; file++)
    live_keep_in_kernels(&m, file);
  for (size_t i = 0; keep_all && i < count; i++)
    resolution->functions.items[i].live = true;
}
