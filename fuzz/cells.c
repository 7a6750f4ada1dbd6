/* The counters of cells (cells.h): libFuzzer's extra ones, put back to zero by it before each input, and a file of counts
 * over all inputs and processes of a campaign (TWIN_FUZZ_CELLS). The linker's own objects call two functions through the
 * wrappers of ld's --wrap here (CMakeLists.txt): where relocation places an entry, and where a message is looked up. So
 * nothing in the linker is made for this, and what ships counts nothing. */
#include "fuzz/cells.h"

#include "cubin/elf.h"
#include "fuzz/cells_file.h"
#include "layout/layout.h"

#include <stdlib.h>

/* AFL++ and the replay driver leave the section alone. */
static uint8_t cells_features[FUZZ_CELLS] __attribute__((section("__libfuzzer_extra_counters"), used));
static uint64_t *cells_counts; /* of the campaign; NULL where it keeps none */

static void cells_add(size_t cell) {
  if (cells_features[cell] < UINT8_MAX)
    cells_features[cell]++;
  if (cells_counts)
    (void)__atomic_fetch_add(&cells_counts[cell], 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void cells_begin(void) {
  const char *const path = getenv("TWIN_FUZZ_CELLS");
  if (path)
    cells_counts = fuzz_cells_map(path, FUZZ_CELLS);
}

/* ---- what an entry is about ---- */

static fuzz_place cells_place(const tl_module *module, uint32_t section) {
  const tl_section *const target = &module->sections.items[section];
  const uint32_t function = tl_layout_function_of(module, section);
  if (function != TL_NONE)
    return module->resolution->functions.items[function].kernel ? FUZZ_IN_KERNEL : FUZZ_IN_FUNCTION;
  if (target->type == SHT_CUDA_GLOBAL_INIT)
    return FUZZ_IN_DATA;
  if (tl_section_type_is_constant(target->type))
    return FUZZ_IN_CONSTANTS;
  return target->type == SHT_PROGBITS ? FUZZ_IN_DEBUG : FUZZ_IN_OTHER;
}

static fuzz_class cells_class_of_section(const tl_module *module, const tl_symbol *symbol) {
  if (symbol->section == TL_NONE)
    return FUZZ_OTHER_SECTION;
  const tl_section *const section = &module->sections.items[symbol->section];
  if (section->flags & SHF_EXECINSTR)
    return FUZZ_CODE_SECTION;
  if (section->type == SHT_CUDA_GLOBAL || section->type == SHT_CUDA_GLOBAL_INIT)
    return FUZZ_DATA_SECTION;
  return tl_section_type_is_constant(section->type) ? FUZZ_CONSTANT_SECTION : FUZZ_OTHER_SECTION;
}

static fuzz_class cells_class_of_function(const tl_module *module, const tl_symbol *symbol) {
  if (symbol->section == TL_NONE)
    return FUZZ_UNDEFINED_FUNCTION;
  if (symbol->function != TL_NONE && module->resolution->functions.items[symbol->function].kernel)
    return FUZZ_KERNEL;
  if (symbol->other & STO_VISIBILITY_MASK)
    return FUZZ_MARKED_FUNCTION;
  const unsigned binding = tl_binding_of(symbol);
  return binding == STB_LOCAL ? FUZZ_LOCAL_FUNCTION : binding == STB_WEAK ? FUZZ_WEAK_FUNCTION : FUZZ_GLOBAL_FUNCTION;
}

static fuzz_class cells_class_of_object(const tl_module *module, const tl_symbol *symbol) {
  const uint32_t type = symbol->section == TL_NONE ? SHT_NULL : module->sections.items[symbol->section].type;
  if (symbol->external_shared)
    return FUZZ_EXTERNAL_SHARED;
  if (symbol->shared)
    return FUZZ_SHARED;
  if (symbol->block != TL_NONE)
    return FUZZ_COMPILER_CONSTANT;
  if (symbol->waits)
    return FUZZ_COMMON;
  if (symbol->section == TL_NONE)
    return FUZZ_UNDEFINED_OBJECT;
  if (tl_section_type_is_constant(type))
    return (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL ? FUZZ_COMPILER_CONSTANT : FUZZ_CONSTANT;
  return type == SHT_CUDA_GLOBAL || type == SHT_CUDA_GLOBAL_INIT ? FUZZ_GLOBAL : FUZZ_OTHER_OBJECT;
}

/* What became symbol 0 (R12, L571): labels, by what the input says of them. */
static fuzz_class cells_class_of_nothing(const tl_module *module, const tl_relocation *entry) {
  const tl_cubin *const cubin = &module->files[entry->file];
  const uint32_t number = tl_cubin_relocation_at(&cubin->sections[entry->section], entry->index).symbol;
  if (number == 0 || number >= cubin->symbol_count || tl_symbol_type(&cubin->symbols[number]) != STT_NOTYPE)
    return FUZZ_NOTHING;
  return cubin->symbols[number].section == SHN_UNDEF ? FUZZ_UNDEFINED_LABEL : FUZZ_LABEL;
}

static fuzz_class cells_class(const tl_module *module, const tl_relocation *entry) {
  const tl_symbol *const symbol = &module->symbols.items[entry->symbol];
  const unsigned type = tl_type_of(symbol);
  if (entry->state == TL_ENTRY_DEAD || entry->state == TL_ENTRY_MINUS_ONE)
    return entry->state == TL_ENTRY_DEAD ? FUZZ_DEAD : FUZZ_MINUS_ONE;
  if (entry->state == TL_ENTRY_NULL || entry->symbol == 0)
    return cells_class_of_nothing(module, entry);
  if (type == STT_SECTION)
    return cells_class_of_section(module, symbol);
  if (type == STT_FUNC)
    return cells_class_of_function(module, symbol);
  return type >= STT_CUDA_TEXTURE && type <= STT_CUDA_SURFACE ? FUZZ_TEXTURE : cells_class_of_object(module, symbol);
}

static fuzz_mode cells_mode(const tl_mode *mode) {
  if (!mode->final)
    return FUZZ_RELOCATABLE;
  return mode->records_applied ? FUZZ_PRESERVED : FUZZ_EXECUTABLE;
}

/* ---- the wrappers ---- */

uint64_t __real_tl_layout_place_of_entry(const tl_layout *layout, const tl_module *module, const tl_relocation *entry);
uint64_t __wrap_tl_layout_place_of_entry(const tl_layout *layout, const tl_module *module, const tl_relocation *entry);
uint64_t __wrap_tl_layout_place_of_entry(const tl_layout *layout, const tl_module *module, const tl_relocation *entry) {
  const fuzz_cell cell = {entry->type, cells_class(module, entry), cells_place(module, entry->target),
                          cells_mode(module->mode)};
  const size_t number = fuzz_cell_number(&cell);
  if (number < FUZZ_CELLS)
    cells_add(number);
  return __real_tl_layout_place_of_entry(layout, module, entry);
}

const tl_message_row *__real_tl_message_row_of(tl_message_id id);
const tl_message_row *__wrap_tl_message_row_of(tl_message_id id);
const tl_message_row *__wrap_tl_message_row_of(tl_message_id id) {
  cells_add(FUZZ_ENTRY_CELLS + (size_t)id);
  return __real_tl_message_row_of(id);
}
