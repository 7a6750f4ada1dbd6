/* Which constructs a job holds: each row is a question put to the cubins' tables.
 *
 * The names follow the list that the corpus promises; where a construct leaves no trace of its own, the row asks for the
 * nearest thing that does, and its name says so. */
#include "corpus_scan.h"

#include <string.h>

enum { TYPE_FUNCTION = 2, TYPE_TEXTURE = 10, TYPE_SAMPLER = 11, TYPE_SURFACE = 12, TYPE_OBJECT = 13 };
enum { BIND_LOCAL, BIND_GLOBAL, BIND_WEAK };
enum { SPACE_GLOBAL = 0x20, SPACE_SHARED = 0x40, OTHER_ENTRY = 0x10, OTHER_MANAGED = 0x04 };
enum { GROUP_CALL = 1, GROUP_ADDRESS, GROUP_INDIRECT, GROUP_REFERENCE };

typedef bool (*corpus_symbol_question)(const ref_symbol *symbol);

static unsigned corpus_type(const ref_symbol *symbol) {
  return symbol->info & 15u;
}

static unsigned corpus_binding(const ref_symbol *symbol) {
  return symbol->info >> 4;
}

static bool corpus_defined(const ref_symbol *symbol) {
  return symbol->raw_section != 0 && symbol->raw_section < 0xff00;
}

static bool corpus_any_symbol(const corpus_loaded_job *job, corpus_symbol_question question) {
  for (size_t i = 0; i < job->input_count; i++)
    for (size_t j = 1; job->inputs[i].readable && j < job->inputs[i].cubin.symbol_count; j++)
      if (question(&job->inputs[i].cubin.symbols[j]))
        return true;
  return false;
}

static bool corpus_any_section(const corpus_loaded_job *job, const char *prefix, bool whole_name) {
  for (size_t i = 0; i < job->input_count; i++)
    for (size_t j = 1; job->inputs[i].readable && j < job->inputs[i].cubin.section_count; j++) {
      const ref_section *section = &job->inputs[i].cubin.sections[j];
      if (section->size && corpus_section_begins(section, prefix) &&
          (!whole_name || strcmp(section->name, prefix) == 0))
        return true;
    }
  return false;
}

/* Asks every attribute record with that code in the sections of one cubin. */
static bool corpus_cubin_attribute(const ref_cubin *cubin, uint8_t code, bool (*question)(const ref_attribute *)) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    uint64_t position = 0;
    ref_attribute attribute;
    if (corpus_section_begins(&cubin->sections[i], ".nv.info"))
      while (ref_cubin_next_attribute(&cubin->sections[i], &position, &attribute))
        if (attribute.code == code && (!question || question(&attribute)))
          return true;
  }
  return false;
}

static bool corpus_any_attribute(const corpus_loaded_job *job, uint8_t code, bool (*question)(const ref_attribute *)) {
  for (size_t i = 0; i < job->input_count; i++)
    if (job->inputs[i].readable && corpus_cubin_attribute(&job->inputs[i].cubin, code, question))
      return true;
  return false;
}

static bool corpus_any_call_record(const corpus_loaded_job *job, uint32_t wanted) {
  for (size_t i = 0; i < job->input_count; i++) {
    if (!job->inputs[i].readable)
      continue;
    const ref_cubin *cubin = &job->inputs[i].cubin;
    const ref_section *graph = &cubin->sections[ref_cubin_find_section(cubin, ".nv.callgraph")];
    uint32_t group = 0;
    for (uint64_t at = 0; graph->data && at + 8 <= graph->size; at += 8) {
      uint32_t first = ref_u32(graph->data + at), second = ref_u32(graph->data + at + 4);
      if (first == 0 && second >= 0xfffffffc)
        group = 0u - second;
      else if (group == wanted)
        return true;
    }
  }
  return false;
}

/* Puts a question to every pair of symbols of one name in two files. */
static bool corpus_any_pair(const corpus_loaded_job *job, bool (*question)(const corpus_loaded *, const ref_symbol *,
                                                                           const corpus_loaded *, const ref_symbol *)) {
  for (size_t i = 0; i < job->input_count; i++)
    for (size_t j = 0; j < job->input_count; j++) {
      const corpus_loaded *left = &job->inputs[i], *right = &job->inputs[j];
      if (i == j || !left->readable || !right->readable || strcmp(left->path, right->path) == 0)
        continue;
      for (size_t a = 1; a < left->cubin.symbol_count; a++)
        for (size_t b = 1; b < right->cubin.symbol_count; b++) {
          const ref_symbol *first = &left->cubin.symbols[a], *second = &right->cubin.symbols[b];
          if (*first->name && strcmp(first->name, second->name) == 0 && question(left, first, right, second))
            return true;
        }
    }
  return false;
}

static bool corpus_across(const corpus_loaded *left, const ref_symbol *first, const corpus_loaded *right,
                          const ref_symbol *second) {
  (void)left;
  (void)right;
  return corpus_type(first) == TYPE_FUNCTION && first->raw_section == 0 && corpus_type(second) == TYPE_FUNCTION &&
         corpus_defined(second) && !(second->other & OTHER_ENTRY);
}

static bool corpus_has_calls_across(const corpus_loaded_job *job) {
  return corpus_any_pair(job, corpus_across);
}

static bool corpus_has_plain_globals(const corpus_loaded_job *job) {
  return corpus_any_section(job, ".nv.global", true);
}

static bool corpus_has_set_globals(const corpus_loaded_job *job) {
  return corpus_any_section(job, ".nv.global.init", true);
}

static bool corpus_has_constants(const corpus_loaded_job *job) {
  return corpus_any_section(job, ".nv.constant3", true);
}

static bool corpus_is_shared(const ref_symbol *symbol) {
  return corpus_type(symbol) == TYPE_OBJECT && (symbol->other & 0xe0) == SPACE_SHARED;
}

static bool corpus_is_static_shared(const ref_symbol *symbol) {
  return corpus_is_shared(symbol) && symbol->size && corpus_defined(symbol);
}

static bool corpus_is_extern_shared(const ref_symbol *symbol) {
  return corpus_is_shared(symbol) && symbol->size == 0;
}

static bool corpus_has_static_shared(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_static_shared);
}

static bool corpus_has_extern_shared(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_extern_shared);
}

static bool corpus_second_word_set(const ref_attribute *attribute) {
  return attribute->size >= 8 && ref_u32(attribute->data + 4) != 0;
}

static bool corpus_has_stack(const corpus_loaded_job *job) {
  return corpus_any_attribute(job, 0x11, corpus_second_word_set);
}

static bool corpus_has_function_pointers(const corpus_loaded_job *job) {
  return corpus_any_call_record(job, GROUP_ADDRESS);
}

static bool corpus_has_indirect_calls(const corpus_loaded_job *job) {
  return corpus_any_call_record(job, GROUP_INDIRECT);
}

static bool corpus_is_virtual_table(const ref_symbol *symbol) {
  return strncmp(symbol->name, "_ZTV", 4) == 0;
}

static bool corpus_has_virtual_tables(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_virtual_table);
}

static bool corpus_all_ones(const ref_attribute *attribute) {
  return attribute->size >= 4 && ref_u32(attribute->data) == 0xffffffff;
}

static bool corpus_has_recursion(const corpus_loaded_job *job) {
  return (job->output.readable && corpus_cubin_attribute(&job->output.cubin, 0x1e, corpus_all_ones)) ||
         (job->job->answer.messages && strstr(job->job->answer.messages, "cannot be statically determined"));
}

static bool corpus_both_weak(const ref_symbol *first, const ref_symbol *second) {
  return corpus_type(first) == TYPE_FUNCTION && corpus_binding(first) == BIND_WEAK && corpus_defined(first) &&
         corpus_type(second) == TYPE_FUNCTION && corpus_binding(second) == BIND_WEAK && corpus_defined(second);
}

/* The register count that the module's attributes give a function; 0 when there is none. */
static uint32_t corpus_registers(const ref_cubin *cubin, const ref_symbol *function) {
  const ref_section *section = &cubin->sections[ref_cubin_find_section(cubin, ".nv.info")];
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(section, &position, &attribute))
    if (attribute.code == 0x2f && attribute.size >= 8 &&
        ref_u32(attribute.data) == (uint32_t)(function - cubin->symbols))
      return ref_u32(attribute.data + 4);
  return 0;
}

/* The virtual architecture in .note.nv.cuinfo; 0 when there is none. */
static uint16_t corpus_virtual(const ref_cubin *cubin) {
  const ref_section *note = &cubin->sections[ref_cubin_find_section(cubin, ".note.nv.cuinfo")];
  return note->data && note->size >= 0x1c ? ref_u16(note->data + 0x1a) : 0;
}

static bool corpus_other_registers(const corpus_loaded *left, const ref_symbol *first, const corpus_loaded *right,
                                   const ref_symbol *second) {
  return corpus_both_weak(first, second) &&
         corpus_registers(&left->cubin, first) != corpus_registers(&right->cubin, second);
}

static bool corpus_other_virtual(const corpus_loaded *left, const ref_symbol *first, const corpus_loaded *right,
                                 const ref_symbol *second) {
  return corpus_both_weak(first, second) && corpus_virtual(&left->cubin) != corpus_virtual(&right->cubin);
}

static bool corpus_has_weak_registers(const corpus_loaded_job *job) {
  return corpus_any_pair(job, corpus_other_registers);
}

static bool corpus_has_weak_virtual(const corpus_loaded_job *job) {
  return corpus_any_pair(job, corpus_other_virtual);
}

static bool corpus_weak_and_strong(const corpus_loaded *left, const ref_symbol *first, const corpus_loaded *right,
                                   const ref_symbol *second) {
  (void)left;
  (void)right;
  return corpus_binding(first) == BIND_WEAK && corpus_defined(first) && corpus_binding(second) == BIND_GLOBAL &&
         corpus_defined(second);
}

static bool corpus_has_strong_over_weak(const corpus_loaded_job *job) {
  return corpus_any_pair(job, corpus_weak_and_strong);
}

static bool corpus_is_named_local(const ref_symbol *symbol) {
  return corpus_binding(symbol) == BIND_LOCAL && corpus_defined(symbol) &&
         (corpus_type(symbol) == TYPE_FUNCTION || (corpus_type(symbol) == TYPE_OBJECT && !(symbol->other & 3)));
}

static bool corpus_both_local(const corpus_loaded *left, const ref_symbol *first, const corpus_loaded *right,
                              const ref_symbol *second) {
  (void)left;
  (void)right;
  return corpus_is_named_local(first) && corpus_is_named_local(second);
}

static bool corpus_has_local_clash(const corpus_loaded_job *job) {
  return corpus_any_pair(job, corpus_both_local);
}

static bool corpus_has_branch_tables(const corpus_loaded_job *job) {
  for (size_t i = 0; i < job->input_count; i++) {
    const ref_cubin *cubin = &job->inputs[i].cubin;
    for (uint32_t j = 1; job->inputs[i].readable && j < cubin->section_count; j++)
      if (corpus_section_begins(&cubin->sections[j], ".nv.constant2.") && corpus_cubin_attribute(cubin, 0x34, NULL))
        return true;
  }
  return false;
}

static bool corpus_is_wide_constant(const ref_symbol *symbol) {
  return symbol->other == 0x81 && symbol->size == 8 && strstr(symbol->name, ".const_opt.");
}

static bool corpus_has_compiler_constants(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_wide_constant);
}

static bool corpus_is_internal_routine(const ref_symbol *symbol) {
  return corpus_type(symbol) == TYPE_FUNCTION && corpus_defined(symbol) &&
         (strncmp(symbol->name, "__internal_", 11) == 0 || strncmp(symbol->name, "__cuda_sm", 9) == 0);
}

static bool corpus_has_internal_math(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_internal_routine);
}

static bool corpus_is_managed(const ref_symbol *symbol) {
  return corpus_type(symbol) == TYPE_OBJECT && (symbol->other & 0xe4) == (SPACE_GLOBAL | OTHER_MANAGED);
}

static bool corpus_has_managed(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_managed);
}

static bool corpus_is_printf(const ref_symbol *symbol) {
  return strcmp(symbol->name, "vprintf") == 0;
}

static bool corpus_is_assert(const ref_symbol *symbol) {
  return strcmp(symbol->name, "__assertfail") == 0;
}

static bool corpus_is_malloc(const ref_symbol *symbol) {
  return strcmp(symbol->name, "malloc") == 0;
}

static bool corpus_has_printf(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_printf);
}

static bool corpus_has_assert(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_assert);
}

static bool corpus_has_malloc(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_malloc);
}

static bool corpus_has_launch_bounds(const corpus_loaded_job *job) {
  return corpus_any_attribute(job, 0x05, NULL) || corpus_any_attribute(job, 0x10, NULL);
}

static bool corpus_many_barriers(const ref_attribute *attribute) {
  return attribute->data[0] != 0;
}

static bool corpus_has_barriers(const corpus_loaded_job *job) {
  return corpus_any_attribute(job, 0x4c, corpus_many_barriers);
}

static bool corpus_has_clusters(const corpus_loaded_job *job) {
  return corpus_any_attribute(job, 0x3d, NULL) || corpus_any_attribute(job, 0x3e, NULL) ||
         corpus_any_attribute(job, 0x3f, NULL);
}

typedef enum corpus_debug { DEBUG_NONE, DEBUG_LINES, DEBUG_FULL } corpus_debug;

static corpus_debug corpus_debug_of(const ref_cubin *cubin) {
  if (ref_cubin_find_section(cubin, ".debug_info"))
    return DEBUG_FULL;
  return ref_cubin_find_section(cubin, ".debug_line") ? DEBUG_LINES : DEBUG_NONE;
}

static unsigned corpus_debug_kinds(const corpus_loaded_job *job) {
  unsigned kinds = 0;
  for (size_t i = 0; i < job->input_count; i++)
    if (job->inputs[i].readable)
      kinds |= 1u << corpus_debug_of(&job->inputs[i].cubin);
  return kinds;
}

static bool corpus_has_lines(const corpus_loaded_job *job) {
  return corpus_debug_kinds(job) & 1u << DEBUG_LINES;
}

static bool corpus_has_debug(const corpus_loaded_job *job) {
  return corpus_debug_kinds(job) & 1u << DEBUG_FULL;
}

static bool corpus_has_mixed_debug(const corpus_loaded_job *job) {
  unsigned kinds = corpus_debug_kinds(job);
  return kinds & 1u << DEBUG_FULL && kinds & ~(1u << DEBUG_FULL);
}

static bool corpus_is_content(const ref_symbol *symbol) {
  unsigned type = corpus_type(symbol);
  return (type == TYPE_FUNCTION || (type >= TYPE_TEXTURE && type <= TYPE_OBJECT)) && *symbol->name;
}

static bool corpus_has_empty_file(const corpus_loaded_job *job) {
  for (size_t i = 0; i < job->input_count; i++) {
    bool content = !job->inputs[i].readable;
    for (size_t j = 1; !content && j < job->inputs[i].cubin.symbol_count; j++)
      content = corpus_is_content(&job->inputs[i].cubin.symbols[j]);
    if (!content)
      return true;
  }
  return false;
}

/* A file with functions of which none is in the output. */
static bool corpus_has_dead_file(const corpus_loaded_job *job) {
  for (size_t i = 0; job->output.readable && i < job->input_count; i++) {
    size_t defined = 0, kept = 0;
    const ref_cubin *cubin = &job->inputs[i].cubin;
    for (size_t j = 1; job->inputs[i].readable && j < cubin->symbol_count; j++) {
      const ref_symbol *symbol = &cubin->symbols[j];
      if (corpus_type(symbol) != TYPE_FUNCTION || !corpus_defined(symbol))
        continue;
      defined++;
      for (size_t k = 1; k < job->output.cubin.symbol_count; k++)
        kept += strcmp(job->output.cubin.symbols[k].name, symbol->name) == 0;
    }
    if (defined && !kept)
      return true;
  }
  return false;
}

static bool corpus_is_common(const ref_symbol *symbol) {
  return symbol->raw_section == 0xfff2;
}

static bool corpus_has_common(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_common);
}

static bool corpus_has_alias(const corpus_loaded_job *job) {
  for (size_t i = 0; i < job->input_count; i++) {
    const ref_cubin *cubin = &job->inputs[i].cubin;
    for (size_t j = 1; job->inputs[i].readable && j < cubin->symbol_count; j++)
      for (size_t k = 1; k < j; k++)
        if (corpus_type(&cubin->symbols[j]) == TYPE_FUNCTION && corpus_type(&cubin->symbols[k]) == TYPE_FUNCTION &&
            corpus_defined(&cubin->symbols[j]) && cubin->symbols[j].section == cubin->symbols[k].section)
          return true;
  }
  return false;
}

static bool corpus_is_texture(const ref_symbol *symbol) {
  return corpus_type(symbol) >= TYPE_TEXTURE && corpus_type(symbol) <= TYPE_SURFACE;
}

static bool corpus_has_textures(const corpus_loaded_job *job) {
  return corpus_any_symbol(job, corpus_is_texture);
}

static bool corpus_has_mixed_architectures(const corpus_loaded_job *job) {
  for (size_t i = 0; job->output.readable && i < job->input_count; i++)
    if (job->inputs[i].readable && (job->inputs[i].cubin.flags & 0xff00) != (job->output.cubin.flags & 0xff00))
      return true;
  return false;
}

static bool corpus_has_option_g(const corpus_loaded_job *job) {
  return string_list_holds(&job->job->arguments, "-g");
}

static bool corpus_is_refused(const corpus_loaded_job *job) {
  return job->job->answer.exit_code != 0;
}

const corpus_construct corpus_constructs[] = {
    {"device functions across files", true, corpus_has_calls_across},
    {"globals without initialiser", true, corpus_has_plain_globals},
    {"globals with initialiser", true, corpus_has_set_globals},
    {"constants", true, corpus_has_constants},
    {"static shared memory", true, corpus_has_static_shared},
    {"extern shared memory", true, corpus_has_extern_shared},
    {"stack frames", true, corpus_has_stack},
    {"function pointers", true, corpus_has_function_pointers},
    {"indirect calls", true, corpus_has_indirect_calls},
    {"virtual function tables", true, corpus_has_virtual_tables},
    {"recursion", true, corpus_has_recursion},
    {"weak function in several files, different registers", true, corpus_has_weak_registers},
    {"weak function in several files, different virtual architecture", true, corpus_has_weak_virtual},
    {"strong over weak", true, corpus_has_strong_over_weak},
    {"file-local names that clash", true, corpus_has_local_clash},
    {"switch tables", true, corpus_has_branch_tables},
    {"compiler constants of 8 bytes", true, corpus_has_compiler_constants},
    {"internal math subroutines", true, corpus_has_internal_math},
    {"managed variables", true, corpus_has_managed},
    {"printf", true, corpus_has_printf},
    {"assert", true, corpus_has_assert},
    {"malloc", true, corpus_has_malloc},
    {"launch bounds", true, corpus_has_launch_bounds},
    {"barriers", true, corpus_has_barriers},
    {"-lineinfo files", true, corpus_has_lines},
    {"-G files", true, corpus_has_debug},
    {"-G beside other files", true, corpus_has_mixed_debug},
    {"empty files", true, corpus_has_empty_file},
    {"dead-only files", true, corpus_has_dead_file},
    {"common symbols", false, corpus_has_common},
    {"function aliases", false, corpus_has_alias},
    {"texture, sampler or surface references", false, corpus_has_textures},
    {"cluster kernels", false, corpus_has_clusters},
    {"inputs of another architecture than the output", false, corpus_has_mixed_architectures},
    {"-g on the command line", false, corpus_has_option_g},
    {"refused links", false, corpus_is_refused},
    {NULL, false, NULL},
};
