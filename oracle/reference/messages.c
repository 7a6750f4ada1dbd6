#include "link.h"

#include <stdarg.h>

static void ref_message_append(ref_link *link, ref_severity severity, const char *id, const char *format,
                               va_list arguments) {
  if (severity == REF_ERROR && link->is_capsule && link->view != NULL && !link->view->is_mercury) {
    return; /* RF926 */
  }
  ref_result *result = link->result;
  const char *kept = ref_memory_print_list(link, format, arguments);
  result->messages =
      ref_memory_grow(link, result->messages, result->message_count, &link->message_capacity, sizeof *result->messages);
  result->messages[result->message_count++] = (ref_message){severity, id, kept, false};
  if (severity == REF_ERROR) {
    link->error_count++;
  }
}

void ref_message_add(ref_link *link, ref_severity severity, const char *id, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ref_message_append(link, severity, id, format, arguments);
  va_end(arguments);
}

void ref_message_tell(ref_link *link, ref_severity severity, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ref_message_append(link, severity, "", format, arguments);
  va_end(arguments);
}

/* C50a: -disable-infos silences warnings, also under -Werror; C50b: -Werror makes them errors. */
void ref_message_warn(ref_link *link, const char *id, const char *format, ...) {
  if (ref_option_given(link, REF_OPTION_DISABLE_INFOS)) {
    return;
  }
  const ref_severity severity = ref_option_given(link, REF_OPTION_WARNINGS_ARE_ERRORS) ? REF_ERROR : REF_WARNING;
  va_list arguments;
  va_start(arguments, format);
  ref_message_append(link, severity, id, format, arguments);
  va_end(arguments);
}

void ref_message_stop(ref_link *link) {
  link->result->exit_code = 1;
  longjmp(link->escape, 1);
}

/* C71. */
void ref_message_fatal(ref_link *link, const char *id, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ref_message_append(link, REF_FATAL, id, format, arguments);
  va_end(arguments);
  ref_message_stop(link);
}

/* E1-E6: what the words themselves brought, first of all. */
void ref_messages_take_words(ref_link *link) {
  for (size_t i = 0; i < link->job->said_count; i++) {
    const ref_message *said = &link->job->said[i];
    ref_message_add(link, said->severity, said->id, "%s", said->text);
    link->result->messages[link->result->message_count - 1].of_words = true;
    if (said->severity == REF_FATAL) {
      ref_message_stop(link);
    }
  }
}

/* C69, C50d. */
void ref_result_print(const ref_job *job, const ref_result *result, FILE *stream) {
  static const char *const severities[] = {"info    ", "warning ", "error   ", "fatal   "};
  const char *prefix = job->identity_nvlink ? "nvlink" : "twinlink";
  for (size_t i = 0; i < result->message_count; i++) {
    const ref_message *message = &result->messages[i];
    const bool is_line = message->severity == REF_LINE || message->severity == REF_TRACE;
    if (!is_line) {
      (void)fputs(prefix, stream); /* which costs less than a format of texts alone */
      (void)fputc(' ', stream);
      (void)fputs(severities[message->severity], stream);
      (void)fputs(": ", stream);
    }
    (void)fputs(message->text, stream);
    if (!is_line && !message->of_words && job->options.values[REF_OPTION_REPORT_ARCH] != NULL &&
        job->options.values[REF_OPTION_ARCH] != NULL) {
      (void)fprintf(stream, " (target: %s)", job->options.values[REF_OPTION_ARCH]);
    }
    (void)fputc('\n', stream);
  }
}
