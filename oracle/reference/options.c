#include "link.h"

#include <string.h>

/* C61: the order of the tool note; C48: short names with one dash, long names with two. */
static const ref_option_row ref_rows[REF_OPTION_COUNT] = {
    {REF_OPTION_SUPPRESS_STACK_SIZE_WARNING, REF_OPTION_FLAG, "suppress-stack-size-warning",
     "suppress-stack-size-warning"},
    {REF_OPTION_SUPPRESS_ARCH_WARNING, REF_OPTION_FLAG, "suppress-arch-warning", "suppress-arch-warning"},
    {REF_OPTION_OUTPUT, REF_OPTION_VALUE, "o", "output-file"},
    {REF_OPTION_DEBUG, REF_OPTION_FLAG, "g", "debug"},
    {REF_OPTION_ARCH, REF_OPTION_VALUE, "arch", "arch"},
    {REF_OPTION_MACHINE, REF_OPTION_VALUE, "m", "machine"},
    {REF_OPTION_LIBRARY, REF_OPTION_LIST, "l", "library"},
    {REF_OPTION_LIBRARY_PATH, REF_OPTION_LIST, "L", "library-path"},
    {REF_OPTION_REGISTER_LINK_BINARIES, REF_OPTION_VALUE, "", "register-link-binaries"},
    {REF_OPTION_VERBOSE, REF_OPTION_FLAG, "v", "verbose"},
    {REF_OPTION_PRESERVE_RELOCS, REF_OPTION_FLAG, "preserve-relocs", "preserve-relocs"},
    {REF_OPTION_NO_WARNINGS, REF_OPTION_FLAG, "w", "disable-warnings"},
    {REF_OPTION_WARNINGS_ARE_ERRORS, REF_OPTION_FLAG, "Werror", "warning-as-error"},
    {REF_OPTION_DISABLE_INFOS, REF_OPTION_FLAG, "disable-infos", "disable-infos"},
    {REF_OPTION_KEEP_SYSTEM_LIBRARIES, REF_OPTION_FLAG, "keep-system-libraries", "keep-system-libraries"},
    {REF_OPTION_KERNELS_USED, REF_OPTION_LIST, "kernels-used", "kernels-used"},
    {REF_OPTION_VARIABLES_USED, REF_OPTION_LIST, "variables-used", "variables-used"},
    {REF_OPTION_CPU_ARCH, REF_OPTION_VALUE, "cpu-arch", "cpu-arch"},
    {REF_OPTION_REPORT_ARCH, REF_OPTION_FLAG, "report-arch", "report-arch"},
    {REF_OPTION_TIME, REF_OPTION_VALUE, "time", "time"},
    {REF_OPTION_EXTRA_WARNINGS, REF_OPTION_FLAG, "extrawarn", "extra-warnings"},
    {REF_OPTION_NVVM_PATH, REF_OPTION_VALUE, "nvvmpath", "nvvmpath"},
    {REF_OPTION_SPLIT_COMPILE, REF_OPTION_VALUE, "split-compile", "split-compile"},
    {REF_OPTION_SPLIT_COMPILE_EXTENDED, REF_OPTION_VALUE, "split-compile-extended", "split-compile-extended"},
    {REF_OPTION_SUPPRESS_DEBUG_INFO, REF_OPTION_FLAG, "suppress-debug-info", "suppress-debug-info"},
    {REF_OPTION_XPTXAS, REF_OPTION_LIST, "Xptxas", "Xptxas"},
    {REF_OPTION_XNVVM, REF_OPTION_LIST, "Xnvvm", "Xnvvm"},
    {REF_OPTION_MAXRREGCOUNT, REF_OPTION_VALUE, "maxrregcount", "maxrregcount"},
    {REF_OPTION_DUMP_CALLGRAPH, REF_OPTION_FLAG, "dump-callgraph", "dump-callgraph"},
    {REF_OPTION_DUMP_CALLGRAPH_NO_DEMANGLE, REF_OPTION_FLAG, "dump-callgraph-no-demangle",
     "dump-callgraph-no-demangle"},
    {REF_OPTION_IGNORE_HOST_INFO, REF_OPTION_FLAG, "ignore-host-info", "ignore-host-info"},
    {REF_OPTION_USE_HOST_INFO, REF_OPTION_FLAG, "use-host-info", "use-host-info"},
    {REF_OPTION_RELOCATABLE, REF_OPTION_FLAG, "r", "relocatable-link"},
    {REF_OPTION_UIDX, REF_OPTION_VALUE, "uidx", "uidx-file"},
    {REF_OPTION_DEVICE_STACK_PROTECTOR, REF_OPTION_VALUE, "device-stack-protector", "device-stack-protector"},
    {REF_OPTION_VERBOSE_TKINFO, REF_OPTION_VALUE, "verbose-tkinfo", "verbose-tkinfo"},
    {REF_OPTION_HOST_CCBIN, REF_OPTION_VALUE, "host-ccbin", "host-ccbin"},
    {REF_OPTION_SHARED, REF_OPTION_FLAG, "shared", "shared"},
};

const ref_option_row *ref_option_rows(void) {
  return ref_rows;
}

bool ref_option_given(const ref_link *link, ref_option option) {
  return link->job->options.values[option] != NULL;
}

/* C34, M5: the target among those that the toolkit knows. */
static void ref_options_read_arch(ref_link *link, const char *arch) {
  link->target = strncmp(arch, "sm_", 3) == 0 ? ref_target_find(arch + 3) : NULL;
  if (link->target != NULL) {
    link->sm = link->target->sm;
    link->sm_accelerated = link->target->variant == 'a';
    return;
  }
  if (strncmp(arch, "lto_", 4) == 0) {
    ref_message_fatal(link, "E11",
                      "Link target of '%s' is virtual target that is not JIT-able; use 'sm_' target instead", arch);
  }
  link->target = strncmp(arch, "compute_", 8) == 0 ? ref_target_find(arch + 8) : NULL;
  if (link->target != NULL) {
    link->is_virtual = true;
    link->sm = link->target->sm;
    return;
  }
  ref_message_fatal(link, "E4", "Value '%s' is not defined for option 'arch'", arch);
}

/* E10; C77: `-suppress-debug-info` comes before the others. */
static void ref_options_check_conflicts(ref_link *link) {
  if (ref_option_given(link, REF_OPTION_SUPPRESS_DEBUG_INFO) && !ref_option_given(link, REF_OPTION_DEBUG)) {
    ref_message_fatal(link, "E10", "Conflicting options '-suppress-debug-info' and 'no -g'");
  }
  if (ref_option_given(link, REF_OPTION_USE_HOST_INFO) && ref_option_given(link, REF_OPTION_IGNORE_HOST_INFO)) {
    ref_message_fatal(link, "E10", "Conflicting options '-use-host-info' and '-ignore-host-info'");
  }
  if (ref_option_given(link, REF_OPTION_DUMP_CALLGRAPH) &&
      ref_option_given(link, REF_OPTION_DUMP_CALLGRAPH_NO_DEMANGLE)) {
    ref_message_fatal(link, "E10", "Conflicting options '-dump-callgraph' and '-dump-callgraph-no-demangle'");
  }
}

/* E10, C52: behind what is said of the target. */
static void ref_options_check_words(ref_link *link) {
  const ref_job_words *words = &link->job->words;
  if (words->emits_ptx != NULL && words->optimizes == NULL) {
    ref_message_fatal(link, "E10", "Conflicting options '-emit-ptx' and 'no -dlto'");
  }
  if (words->compiles_fast != NULL && words->optimizes == NULL) {
    ref_message_fatal(link, "E10", "Conflicting options '--Ofast-compile' and 'no -dlto'");
  }
  if (words->optimizes != NULL && !ref_option_given(link, REF_OPTION_NVVM_PATH)) {
    ref_message_fatal(link, "C52", "-nvvmpath should be specified with -lto");
  }
  if (words->optimizes != NULL) {
    ref_message_fatal(link, "X6", "the reference does not optimise");
  }
}

/* C54a: behind the libraries (RF272). */
static void ref_options_check_times(ref_link *link) {
  const char *times = link->job->options.values[REF_OPTION_TIME];
  if (times != NULL && !REF_IS(times, "-")) {
    FILE *file = fopen(times, "ab");
    if (file == NULL) {
      ref_message_fatal(link, "C54a", "Cannot open file '%s'", times);
    }
    (void)fclose(file);
  }
  link->result->options_are_good = true;
}

/* C77, phase 0: E7, E8, E9, E10, E11. */
void ref_options_check(ref_link *link) {
  const char *arch = link->job->options.values[REF_OPTION_ARCH];
  if (link->job->words.host_script != NULL) {
    ref_message_fatal(link, "C54",
                      link->job->input_count != 0
                          ? "Input files are not allowed with -ghls option; use --help for more information"
                          : "the reference makes no script for the host linker");
  }
  if (arch == NULL) {
    ref_message_fatal(link, "E7", "Unknown arch name '(null)'");
  }
  if (!ref_option_given(link, REF_OPTION_OUTPUT)) {
    ref_message_fatal(link, "E8", "Must specify output file with -o option");
  }
  if (link->job->input_count == 0) {
    ref_message_fatal(link, "E9", "No input files specified; use option --help for more information");
  }
  ref_options_check_conflicts(link);
  ref_options_read_arch(link, arch);
  ref_options_check_words(link);
  if (ref_option_given(link, REF_OPTION_USE_HOST_INFO) && ref_options_list_names(link)) {
    ref_message_tell(link, REF_INFO, "ignore -use-host-info because -kernels-used or -variables-used is specified");
  }
  link->preserves = ref_option_given(link, REF_OPTION_PRESERVE_RELOCS);
  ref_preserve_warn(link); /* L657: before what is wrong with the index */
  ref_foreign_find_libraries(link);
  ref_options_check_times(link);
  ref_unified_read_index(link);
  link->relocatable = ref_option_given(link, REF_OPTION_RELOCATABLE);
  /* W17.1, W17.11 */
  link->everything_live = ref_option_given(link, REF_OPTION_DEBUG) || link->relocatable || link->preserves;
}

static bool ref_options_list_is_empty(const char *list) {
  return list == NULL || list[strspn(list, ",")] == 0;
}

/* W17.2, W17.6 */
bool ref_options_keep_shared_symbols(const ref_link *link) {
  return ref_option_given(link, REF_OPTION_DEBUG) && !ref_option_given(link, REF_OPTION_SUPPRESS_DEBUG_INFO);
}

/* W17.2, W17.7: the symbols of shared objects stay in an executable. */
bool ref_options_list_shared_symbols(const ref_link *link) {
  return link->preserves || ref_options_keep_shared_symbols(link);
}

bool ref_options_list_names(const ref_link *link) {
  const char *const *values = link->job->options.values;
  return !ref_options_list_is_empty(values[REF_OPTION_KERNELS_USED]) ||
         !ref_options_list_is_empty(values[REF_OPTION_VARIABLES_USED]);
}

/* C55b, W17.11: with -g (and no -suppress-debug-info) the two lists have no effect at all. */
bool ref_options_restrict_kernels(const ref_link *link) {
  return !ref_options_keep_shared_symbols(link) && ref_options_list_names(link);
}

/* C55b, D49: a kernel or variable is named when an element of the list is a part of its name. */
bool ref_options_list_has_part(const ref_link *link, ref_option option, const char *name) {
  const char *list = link->job->options.values[option];
  const size_t name_length = strlen(name);
  while (list != NULL && *list != 0) {
    const size_t length = strcspn(list, ",");
    for (size_t i = 0; length > 0 && i + length <= name_length; i++) {
      if (strncmp(name + i, list, length) == 0) {
        return true;
      }
    }
    list += length + (list[length] == ',');
  }
  return false;
}
