/* Findings: gathered, printed, freed. A row that finds very much lists its first findings and counts the rest, so that a
 * damaged file cannot make a report without end. */
#include "check_parts.h"

#include "ref_names.h"
#include "ref_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum { LINE = 512 };

/* M24, M25: in an executable the SASS side of a capsule has frames and lines that are made anew, so that no input has their
 * bytes and entries; where one has them by chance says nothing. */
static bool check_is_remade(const ref_check_context *context, uint32_t section) {
  return context->capsule && context->executable && section < context->output->section_count &&
         check_is_about_code(&context->output->sections[section]);
}

static void check_add_finding(ref_check_context *context, ref_check_finding finding, const char *format,
                              va_list arguments) {
  ref_check_report *report = context->report;
  report->in_inputs += finding.in_input;
  report->broken += !finding.in_input;
  report->remade += !finding.in_input && check_is_remade(context, finding.section);
  if (context->listed++ >= REF_CHECK_FINDINGS_MAX) {
    return;
  }
  if (report->count == report->capacity) {
    report->capacity = report->capacity == 0 ? 16 : 2 * report->capacity;
    report->findings = ref_reallocate(report->findings, report->capacity, sizeof *report->findings);
  }
  char line[LINE];
  (void)vsnprintf(line, sizeof line, format, arguments);
  ref_text text = {0};
  ref_text_add_name(&text, line);
  finding.row = context->row;
  finding.text = ref_text_take(&text);
  report->findings[report->count++] = finding;
}

void check_found(ref_check_context *context, uint32_t section, uint64_t offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  check_add_finding(context, (ref_check_finding){.section = section, .offset = offset}, format, arguments);
  va_end(arguments);
}

void check_found_inherited(ref_check_context *context, uint32_t section, uint64_t offset, bool in_input,
                           const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  check_add_finding(context, (ref_check_finding){.section = section, .offset = offset, .in_input = in_input}, format,
                    arguments);
  va_end(arguments);
}

static void check_add_place(ref_text *text, const ref_check_link *link, uint32_t section, uint64_t offset) {
  if (section > 0) {
    ref_text_add_name(text, link->output.cubin->sections[section].name);
  } else {
    ref_text_add(text, "file");
  }
  ref_text_add(text, "+0x%" PRIx64, offset);
}

void ref_check_print(FILE *to, const ref_check_report *report, const ref_check_link *link, size_t near) {
  ref_text text = {0};
  for (size_t i = 0; i < report->count; i++) {
    const ref_check_finding *finding = &report->findings[i];
    ref_text_add(&text, "%s (%s): ", finding->row->name,
                 finding->row->class == REF_CHECK_INHERITED ? "inherited" : "unconditional");
    check_add_place(&text, link, finding->section, finding->offset);
    ref_text_add(&text, ": %s%s\n", finding->text, finding->in_input ? " (in the input too)" : "");
  }
  if (report->broken + report->in_inputs > report->count) {
    ref_text_add(&text, "%zu more of the same kinds\n", report->broken + report->in_inputs - report->count);
  }
  for (size_t i = 0; i < near && i < report->near_count; i++) {
    const ref_check_near *field = &report->near[i];
    check_add_place(&text, link, field->section, field->offset);
    ref_text_add(&text, ": ");
    ref_add_relocation_type(&text, field->type);
    ref_text_add(&text, ": value 0x%" PRIx64 ", %" PRIu64 " below the first that does not fit\n", field->value,
                 field->slack);
  }
  char *whole = ref_text_take(&text);
  (void)fputs(whole, to);
  free(whole);
}

static int check_order_near(const void *a, const void *b) {
  const ref_check_near *x = a, *y = b;
  if (x->slack != y->slack) {
    return x->slack < y->slack ? -1 : 1;
  }
  return x->section != y->section ? (x->section < y->section ? -1 : 1)
                                  : (x->offset < y->offset ? -1 : x->offset > y->offset);
}

void check_sort_near(ref_check_report *report) {
  if (report->near_count > 0) {
    qsort(report->near, report->near_count, sizeof *report->near, check_order_near);
  }
}

void ref_check_free(ref_check_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    free(report->findings[i].text);
  }
  free(report->findings);
  free(report->near);
  *report = (ref_check_report){0};
}
