/* A file's views (M1, M3, M7). The sections of code for sm_100 and later describe one program twice: as SASS and, under
 * flag 0x10000000 and names of their own, as Mercury. Reading a file in one view hides what only the other has, so that
 * every later stage runs over either without asking which. */
#include "cubin/view.h"

#include "cubin/elf.h"

#include <string.h>

/* A capsule that is linked as SASS because another file is of SASS kind (M4). */
static bool view_is_guest(const tl_cubin *cubin) {
  enum { FLAG_CAPSULE = 2, FIRST_CAPSULE_SM = 100 };
  return cubin->view == TL_VIEW_SASS && cubin->flags & FLAG_CAPSULE && (cubin->flags >> 8 & 0xffff) >= FIRST_CAPSULE_SM;
}

/* What a SASS link does not look at (M2b). The other Mercury sections of a SASS-kind file are merged under their own
 * names; a capsule that takes part in a mixed link leaves them all (L101). */
static bool view_sass_ignores(const tl_cubin *cubin, const tl_cubin_section *section) {
  if (view_is_guest(cubin) && section->flags & SHF_CUDA_MERCURY)
    return true;
  switch (section->type) {
  case SHT_CUDA_CAPSULE:
  case SHT_CUDA_MERCURY_RELA:
  case SHT_CUDA_MERCURY_INFO:
  case SHT_CUDA_OPTIMIZER_CONSTANT:
  case SHT_CUDA_MERCURY_SYMTAB:
    return true;
  case SHT_CUDA_RESERVED_SHARED:
    return (section->flags & SHF_CUDA_MERCURY) != 0;
  default:
    return false;
  }
}

static void view_hide(tl_cubin_section *section) {
  section->type = SHT_NULL;
  section->flags = 0;
  section->info = 0;
}

void tl_view_select_symbol(const tl_cubin *cubin, tl_cubin_symbol *symbol, const char *name) {
  if (view_is_guest(cubin) && symbol->section == SHN_UNDEF && strcmp(name, ".nv.reservedSmem.cap") == 0)
    symbol->info = STT_NOTYPE;
}

void tl_view_select(tl_cubin *cubin) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (view_sass_ignores(cubin, &cubin->sections[i]))
      view_hide(&cubin->sections[i]);
}
