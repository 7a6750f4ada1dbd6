/* The invariants in the order in which they are checked; design.md names them, docs/specification/check.md says what each
 * sees. The three that were asked for by name: `address`, `same-section`, `limits`. */
#include "check_parts.h"

#include "ref_sass.h"
#include "ref_text.h"

#define U REF_CHECK_UNCONDITIONAL
#define I REF_CHECK_INHERITED

const ref_check_row ref_check_rows[] = {
    {"header", U, false, check_header, "the ELF header agrees with the file and with the notes"},
    {"cover", U, false, check_cover, "header, sections and tables cover the file without overlap; gaps are zero"},
    {"sections", U, false, check_sections, "alignments are powers of two and kept; entry sizes, links and infos fit"},
    {"segments", U, false, check_segments, "program headers lie in the file and hold every allocated section once"},
    {"symbol-indices", U, false, check_symbol_indices, "every symbol has a section and a name that exist"},
    {"record-indices", U, false, check_record_indices, "attributes, call graph and prototypes name symbols that exist"},
    {"symbol-order", U, false, check_symbol_order, "local symbols stand before all others"},
    {"overlap", U, false, check_overlap, "variables lie in their section and on no other variable's bytes"},
    {"alignment", U, true, check_alignment, "a common variable has the largest alignment that an input gives it"},
    {"kept", U, false, check_kept, "every kept relocation lies in its section and names a live symbol"},
    {"applied", U, true, check_applied, "every byte of code is the input's, every applied field its formula's value"},
    {"data", U, true, check_data, "every variable has the bytes of a definition of its name"},
    {"debug", U, true, check_debug, "debug sections are the inputs' blocks, with their fields applied"},
    {"kept-origin", U, true, check_kept_origin, "every kept relocation comes from an input"},
    {"compiler-constants", U, true, check_compiler_constants, "what code reads in bank 2 is what its function brought"},
    {"shared", U, true, check_shared, "shared variables of one kernel do not overlap and fit its section"},
    {"bindless", U, true, check_bindless, "a bindless slot that code reads has its texture's entry in every kernel"},
    {"callgraph", U, false, check_callgraph, "the call graph connects functions of the output"},
    {"spread", U, false, check_spread, "a kernel has the registers, barriers and stack of all that it reaches"},
    {"address", I, false, check_address, "a relocation sits on an instruction or data slot and writes a field of it"},
    {"same-section", I, false, check_same_section, "PC-relative targets stay in the section, on an instruction"},
    {"limits", I, false, check_limits, "shared memory, constants, registers, barriers, textures are within limits"},
    {"call-targets", I, false, check_call_targets, "what is called is a function"},
};

#undef U
#undef I

const size_t ref_check_row_count = sizeof ref_check_rows / sizeof *ref_check_rows;

void ref_check(ref_check_report *report, const ref_check_link *link) {
  *report = (ref_check_report){0};
  ref_check_context context = {.link = link, .output = link->output.cubin, .report = report};
  context.executable = context.output->type == FILE_EXECUTABLE;
  context.capsule = (context.output->flags & FILE_CAPSULE) != 0;
  context.sm = ref_sass_sm(context.output);
  check_index_make(&context);
  check_graph_make(&context);
  if (link->input_count > 0) {
    check_match_make(&context);
    check_values_solve(&context);
  }
  for (size_t i = 0; i < ref_check_row_count; i++) {
    context.row = &ref_check_rows[i];
    context.listed = 0;
    if (!context.row->needs_inputs || link->input_count > 0) {
      context.row->run(&context);
    }
  }
  check_sort_near(report);
  check_match_free(&context);
  check_graph_free(&context);
  check_index_free(&context);
}
