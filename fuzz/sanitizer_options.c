/* What the sanitizers of a fuzzing build are asked for unless ASAN_OPTIONS says otherwise. A link is over in less than a
 * millisecond and frees all it took: freed blocks of some links in quarantine are enough to see a use after the end, and
 * with the usual 256 MB of them every block is cold memory. Blocks are not filled (the target `metamorphic` fills them, and
 * the memory sanitizer sees what nobody wrote); stack frames stay where they are (the tests of the preset `asan` move
 * them). Together this doubles the links a second (docs/fuzzing.md). */
const char *__asan_default_options(void);

const char *__asan_default_options(void) {
  return "quarantine_size_mb=8:thread_local_quarantine_size_kb=64:malloc_context_size=4:max_malloc_fill_size=0:"
         "detect_stack_use_after_return=0:allocator_may_return_null=1";
}
