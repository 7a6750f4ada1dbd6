/* The pipeline: RF788. */
#include "reference.h"

#include "link.h"
#include "relocation_table.h"

#include <stdlib.h>
#include <string.h>

/* R55: the first type that an older toolkit does not know, on every architecture that is linked, is the last one, too. */
enum { ACTION_TYPE = 115, ACTION_SIZE = 8 };

/* R56: its two fields. The first two bytes are 0: its first field counts no words, and takes no byte of the value. */
static void ref_reference_add_action(ref_link *link, ref_bytes *data) {
  const ref_field *fields = ref_relocation_row_of(ACTION_TYPE)->fields;
  const uint8_t record[ACTION_SIZE] = {0, 0, 0, fields[0].width, fields[0].start, 0, fields[1].width, fields[1].start};
  ref_bytes_add(link, data, record, sizeof record);
}

/* W3.4, R55: in every executable, none with -r: the first type, then a record of it. */
static void ref_reference_write_action(ref_link *link) {
  if (link->relocatable) {
    return;
  }
  const uint8_t header[ACTION_SIZE] = {ACTION_TYPE};
  ref_out_section *section = &link->sections[link->action_section];
  ref_bytes_add(link, &section->data, header, sizeof header);
  ref_reference_add_action(link, &section->data);
  section->size = section->data.size;
}

/* What an executable lays out in merged sections. */
static void ref_reference_place_everything(ref_link *link) {
  ref_shared_layout(link);
  ref_bindless_layout(link);
  ref_constants_layout(link);     /* RF842 */
  ref_limits_check_unified(link); /* RF788 */
  ref_unified_place(link);
  ref_pool_user_constants(link);
  ref_overflow_user_constants(link);
}

/* RF1371: nvlink ends by a signal over a text of the SASS side whose function Mercury's side mentions alone. */
static void ref_reference_check_mentions(ref_link *link) {
  for (size_t i = 0; i < link->file_count && link->is_capsule; i++) {
    if (link->files[i].mention_of_text != NULL) {
      ref_message_add(link, REF_ERROR, "E20", "Undefined reference to '%s' in '%s'", link->files[i].mention_of_text,
                      link->files[i].name);
    }
  }
}

/* RF229, RF963: what an entry ends the link with comes before sizes and anything undefined are reported, the rest behind it (RF607). */
static void ref_reference_relocate(ref_link *link) {
  ref_unified_write_places(link);
  ref_relocate_apply(link);
  ref_limits_check_sizes(link);
  ref_symbols_report_undefined(link);
  ref_unified_check_entries(link);
  ref_relocate_check_aliases(link);
}

/* From admitted files to relocated sections; the order of C78. */
void ref_reference_lay_out(ref_link *link) {
  ref_link *whole = ref_statics_fork(link);
  ref_trace_merge(link);
  ref_functions_survey(link);
  ref_merge_files(link);
  if (link->has_unexpected_entry) { /* RF686: when all files are merged */
    ref_message_fatal(link, "E75", "Internal error: unexpected reloc");
  }
  ref_callgraph_warn(link);
  ref_relocate_check_dropped(link); /* RF255, RF453 */
  if (link->relocatable) {
    ref_relocatable_layout(link);
  } else {
    ref_reference_place_everything(link);
  }
  ref_reserved_layout(link);
  ref_partial_write_place(link);
  ref_symbols_settle_undefined(link);
  ref_functions_drop_internal(link);
  ref_reference_relocate(link);
  ref_callgraph_check_stacks(link);
  ref_attributes_finish(link);
  ref_functions_check_internal(link);
  ref_limits_check_large_parameters(link); /* RF556, RF600 */
  ref_dump_finish(link);
  ref_relocate_check_kept(link);
  ref_unified_check_namesakes(link);
  if (!link->is_capsule) {
    ref_preserve_check(link);
  }
  ref_relocate_check_refused(link);
  ref_functions_check_inside_kernels(link);
  ref_deleted_check_aliases(link);
  ref_deleted_check_parameters(link);
  ref_statics_check(link, whole);
  ref_deleted_check(link);
  ref_symbols_check_values(link);
  ref_deleted_check_sections(link);
  ref_namesakes_check_places(link);
  ref_bodies_add_section(link);
  ref_callgraph_measure(link);
  ref_notes_write(link);
  if (link->compat_section != REF_NONE) {
    ref_compat_write(link);
  }
}

static void ref_reference_merge(ref_link *link) {
  ref_inputs_check_order(link);
  for (size_t i = 0; i < link->file_count && (link->files[i].cubin.flags & REF_KIND_CAPSULE) != 0; i++) {
    ref_records_mend(link, &link->files[i]);
    if (!link->is_capsule) {
      ref_slots_schedule_file(link, &link->files[i]);
    }
    ref_mercury_repair(link,
                       &link->files[i]); /* RF683: of a mixed link those in front of the first file of SASS kind */
  }
  ref_levels_share(link);
  ref_exits_make_visible(link);
  if (link->is_capsule) {
    ref_capsule_run(link); /* M3 */
    ref_reference_check_mentions(link);
  } else {
    ref_namesakes_share_first(link);
    for (size_t i = 0; i < link->file_count; i++) {
      ref_marks_take_off(link, &link->files[i].cubin);
    }
    ref_capsule_name_first_constants(link);
    for (size_t i = 0; i < link->file_count; i++) {
      ref_inputs_prepare(link, &link->files[i]);
    }
    ref_reference_lay_out(link);
    ref_reference_write_action(link);
    ref_write_file(link);
  }
  ref_verbose_report(link);
  if (link->error_count == 0) {
    ref_write_check_spans(link);
    ref_attributes_check_masks(link);
    ref_compat_check_output(link);
  }
}

static void ref_reference_run(ref_link *link) {
  link->view = &ref_view_sass;
  ref_messages_take_words(link);
  if (link->job->words.prints != NULL) {
    return; /* C54b */
  }
  ref_options_check(link);
  ref_inputs_read(link);
  if (link->is_virtual && link->error_count == 0) {
    return; /* E12: no output */
  }
  if (link->error_count == 0) { /* RF277: what -Werror makes of a warning ends the link before anything is merged */
    ref_reference_merge(link);
  }
  if (link->error_count != 0) {
    link->result->bytes = NULL; /* C73, C74 */
    link->result->exit_code = 255;
  }
}

/* An output has at most 1 GiB, which takes that for a section, for the file, and for what both grow by. */
static size_t ref_reference_memory_limit(const ref_job *job) {
  const size_t largest = (size_t)1 << 32, times = 4096;
  size_t inputs = 0;
  for (size_t i = 0; i < job->input_count; i++) {
    inputs += job->inputs[i].size;
  }
  return inputs > (SIZE_MAX - largest) / times ? SIZE_MAX : largest + inputs * times;
}

ref_result ref_reference_link(const ref_job *job) {
  ref_result result = {0};
  ref_link *link = ref_memory_begin();
  if (link == NULL) {
    result.exit_code = 1;
    return result;
  }
  link->job = job;
  link->result = &result;
  link->traced = job->traced;
  link->memory_limit = ref_reference_memory_limit(job);
  if (setjmp(link->escape) == 0) {
    ref_reference_run(link);
  } else {
    result.bytes = NULL;
  }
  result.memory = link->blocks; /* the link lies there, too */
  return result;
}

void ref_result_free(ref_result *result) {
  ref_memory_free(result->memory);
  *result = (ref_result){0};
}
