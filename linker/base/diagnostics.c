/* base/diagnostics.c: adds records in the order in which stages find things, and formats one for printing.
 *
 * Suppression and promotion are decided here, once, so that no stage asks for -Werror or -disable-infos itself. The
 * options are looked at when a record is added, because nvlink has no options yet while it reads its command line: a
 * diagnostics object without options therefore neither drops nor promotes (E6). A plain line has an empty code. */
#include "base/diagnostics.h"

#include <stdarg.h>

void tl_diagnostics_init(tl_diagnostics *diagnostics, tl_arena *arena, const tl_options *options, jmp_buf *on_fatal) {
  static const tl_options before_words = {0};
  *diagnostics = (tl_diagnostics){.arena = arena, .options = options ? options : &before_words, .on_fatal = on_fatal};
}

/* C50a: -disable-infos drops warnings, also under -Werror; C50b: -Werror makes errors of the others. */
static bool diagnostics_decide(const tl_options *options, tl_severity *severity) {
  if (*severity != TL_WARNING)
    return true;
  if (options->disable_infos)
    return false;
  if (options->warnings_as_errors)
    *severity = TL_ERROR;
  return true;
}

static const char *diagnostics_text_or_empty(const char *text) {
  return text ? text : "";
}

static tl_message diagnostics_message(tl_arena *arena, const tl_message_row *row, tl_site site, const char *detail,
                                      va_list list) {
  return (tl_message){.severity = row->severity,
                      .code = row->code,
                      .text = tl_arena_format_list(arena, row->text, list),
                      .detail = diagnostics_text_or_empty(detail),
                      .file = diagnostics_text_or_empty(site.file),
                      .section = diagnostics_text_or_empty(site.section),
                      .symbol = diagnostics_text_or_empty(site.symbol),
                      .offset = site.offset == TL_NO_OFFSET ? 0 : site.offset,
                      .has_offset = site.offset != TL_NO_OFFSET};
}

static void diagnostics_record(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail,
                               va_list list) {
  tl_severity severity = row->severity;
  if (!diagnostics_decide(diagnostics->options, &severity))
    return;
  if (severity == TL_ERROR)
    diagnostics->errors++;
  tl_message message = diagnostics_message(diagnostics->arena, row, site, detail, list);
  message.severity = severity;
  *tl_vector_push(diagnostics->arena, &diagnostics->messages) = message;
}

void tl_diagnostics_add(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail, ...) {
  va_list list;
  va_start(list, detail);
  diagnostics_record(diagnostics, row, site, detail, list);
  va_end(list);
  if (row->severity == TL_FATAL)
    longjmp(*diagnostics->on_fatal, 1);
}

void tl_diagnostics_end(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail, ...) {
  va_list list;
  va_start(list, detail);
  diagnostics_record(diagnostics, row, site, detail, list);
  va_end(list);
  longjmp(*diagnostics->on_fatal, 1);
}

void tl_diagnostics_add_before(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, ...) {
  va_list list;
  va_start(list, site);
  diagnostics_record(diagnostics, row, site, NULL, list);
  va_end(list);
}

void tl_diagnostics_hold(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail,
                         ...) {
  va_list list;
  if (diagnostics->holds)
    return;
  va_start(list, detail);
  diagnostics->held = diagnostics_message(diagnostics->arena, row, site, detail, list);
  diagnostics->holds = true;
  va_end(list);
}

void tl_diagnostics_release(tl_diagnostics *diagnostics) {
  if (!diagnostics->holds)
    return;
  *tl_vector_push(diagnostics->arena, &diagnostics->messages) = diagnostics->held;
  longjmp(*diagnostics->on_fatal, 1);
}

void tl_diagnostics_add_plain(tl_diagnostics *diagnostics, const char *text) {
  *tl_vector_push(diagnostics->arena, &diagnostics->messages) = (tl_message){
      .severity = TL_INFO, .code = "", .text = text, .detail = "", .file = "", .section = "", .symbol = ""};
}

size_t tl_message_format(const tl_message *message, const tl_options *options, char *line, size_t size) {
  static const char *const severities[] = {"info    : ", "warning : ", "error   : ", "fatal   : "};
  const char *pieces[8];
  size_t count = 0;
  if (message->code[0]) {
    pieces[count++] = options && options->identity_nvlink ? "nvlink " : "twinlink ";
    pieces[count++] = severities[message->severity];
  }
  pieces[count++] = message->text;
  if (message->code[0] && options && options->report_arch && options->arch) {
    pieces[count++] = " (target: ";
    pieces[count++] = options->arch;
    pieces[count++] = ")";
  }
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t piece = strlen(pieces[i]), room = length < size ? size - 1 - length : 0;
    if (room)
      memcpy(line + length, pieces[i], piece < room ? piece : room);
    length += piece;
  }
  if (size)
    line[length < size ? length : size - 1] = '\0';
  return length;
}
