/* Which compiler constants of an executable nobody reads (L792): those of bodies that lost or were replaced, which nvlink
 * leaves in kernels' images and in sections of their own (W8.8, L73, D8).
 *
 * Code of a function reads them from the image of whatever kernel calls it. So an image is read where the kernel reaches a
 * function with a field about such constants, and the section of a function that is no kernel never. */
#include "canonical_parts.h"

#include <stdlib.h>

/* A section of compiler constants by its place in the file's own words: of the inputs' type, or of an executable's. */
static bool constants_are(const ref_section *section) {
  return section->type == TYPE_CONSTANT + 2 || check_has_prefix(section->name, ".nv.constant2.");
}

static void constants_visit(ref_check_context *check, uint32_t kernel, const check_reach *reach, void *extra) {
  canonical_context *context = extra;
  const uint32_t image = check_section_of_kernel(check, kernel, CHECK_CONSTANT2);
  context->stray[image] = false;
  for (size_t i = 0; image != 0 && i < reach->count; i++) {
    const uint32_t node = reach->nodes[i]; /* a function's symbol, or a prototype's number behind all symbols */
    const uint32_t text = node < check->output->symbol_count ? check->output->symbols[node].section : 0;
    if (text < check->output->section_count && context->reads[text]) {
      context->unread[image] = false;
    }
  }
}

void canonical_constants_make(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  context->unread = ref_allocate(output->section_count, sizeof *context->unread);
  context->stray = ref_allocate(output->section_count, sizeof *context->stray);
  for (uint32_t i = 1; i < output->section_count; i++) {
    context->unread[i] = context->stray[i] = constants_are(&output->sections[i]);
  }
  check_graph_make(&context->check);
  check_each_kernel(&context->check, constants_visit, context);
  check_graph_free(&context->check);
}

void canonical_constants_free(canonical_context *context) {
  free(context->reads);
  free(context->unread);
  free(context->stray);
}
