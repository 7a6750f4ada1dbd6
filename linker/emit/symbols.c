/* The symbol table (W4): locals and weak symbols first, then globals, each in creation order. */
#include "emit/emit.h"

#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/trace.h"
#include "cubin/elf.h"

#include <string.h>

/* Undefined names of the unified tables leave an executable without a uidx file (W4.2): these eight and no others, unless they
 * are a function's or a texture's (L1585), or extern shared memory (L1654). */
bool tl_emit_is_unified_mention(const tl_emitted *e, const tl_symbol *symbol) {
  return tl_type_of(symbol) != STT_FUNC && !tl_type_is_texture(tl_type_of(symbol)) && !symbol->external_shared &&
         tl_module_names_unified(e->module, symbol);
}

/* Z002.55: a symbol that is there, of a section that is not written or was taken back (L79). */
static bool symbols_is_in_unused(const tl_emitted *e, uint32_t index, bool listed) {
  const tl_symbol *const symbol = &e->module->symbols.items[index];
  const uint32_t section = e->layout->symbol_section[index];
  if (section == TL_NONE || e->section_index[section])
    return false;
  return listed ||
         (e->module->sections.items[section].forgotten && !symbol->unlisted && !e->layout->symbol_gone[index]);
}

static bool symbols_stays(const tl_emitted *e, uint32_t index) {
  const tl_symbol *const symbol = &e->module->symbols.items[index];
  const uint32_t section = e->layout->symbol_section[index];
  const bool listed = tl_symbol_is_listed(e->module, e->layout, index) && !tl_emit_is_unified_mention(e, symbol);
  if (!listed && !tl_trace_wants(e->module->diagnostics, TL_TRACE_LAYOUT))
    return false;
  if (symbols_is_in_unused(e, index, listed))
    tl_trace(e->module->diagnostics, TL_TRACE_UNUSED_SECTION, tl_module_text(e->module, symbol->name));
  if (!listed || section == TL_NONE)
    return listed;
  return e->section_index[section] && !tl_symbol_names_nothing(e->module, e->layout, symbol);
}

/* L746, D137: nvlink deletes the symbols of extern shared memory, and that of an -ewp object has symbol 0. The first of all,
 * a section symbol, takes its place. */
static bool symbols_lose_null(const tl_emitted *e) {
  const tl_module *const module = e->module;
  if (!module->null_is_shared || !module->mode->final)
    return false;
  const bool matched = tl_defect_matched(module->options, TL_DEFECT_D137);
  if (!matched)
    tl_defect_note(module->diagnostics, TL_DEFECT_D137, NULL);
  return matched;
}

static void symbols_number(tl_emitted *e, const tl_u32_vector *half) {
  for (size_t i = 0; i < half->count; i++)
    if (half->items[i] != e->null_symbol && symbols_stays(e, half->items[i])) {
      tl_u32_push(e->arena, &e->symbols, half->items[i]);
      e->symbol_index[half->items[i]] = (uint32_t)e->symbols.count;
    }
}

void tl_emit_symbols(tl_emitted *e) {
  e->null_symbol = symbols_lose_null(e) ? e->module->locals.items[0] : TL_NONE;
  symbols_number(e, &e->module->locals);
  e->first_global = (uint32_t)e->symbols.count + 1;
  symbols_number(e, &e->module->globals);
}

/* W17.2: -g shows shared objects behind the reserved part, moved once for each place in nvlink's list (L94); not so in a
 * section in which nothing has a size (L964). */
uint64_t tl_emit_symbol_value(const tl_emitted *e, uint32_t index) {
  const uint32_t section = e->layout->symbol_section[index];
  const bool pool = section == e->module->debug_shared;
  const bool filled = section != TL_NONE && e->layout->section_size[section] > e->layout->reserved;
  const bool shifted = pool ? e->layout->debug_shared_shifted : filled;
  const uint64_t places = shifted && e->module->mode->final ? e->module->symbols.items[index].shared_places : 0;
  return e->layout->symbol_value[index] + places * e->layout->reserved;
}

/* What nvlink's .symtab_shndx holds for a symbol whose st_shndx says it all: the section's number when it was created
 * (D30). One more is counted behind the sections that stand before everything else (L402). */
static uint32_t symbols_stale_number(const tl_emitted *e, uint32_t section) {
  const uint32_t last_fixed = e->module->compat_section == TL_NONE ? e->module->info : e->module->compat_section;
  return section > last_fixed ? section + 1 : section;
}

/* st_shndx, and with very many sections the symbol's word of .symtab_shndx (X1-X3, D21). */
static uint16_t symbols_section(const tl_emitted *e, uint32_t section, uint8_t *wide) {
  if (section == TL_NONE)
    return SHN_UNDEF;
  const uint32_t index = e->section_index[section];
  const bool narrow = index < SHN_LORESERVE || index == SHN_COMMON;
  if (wide)
    tl_put32(wide, narrow ? symbols_stale_number(e, section) : index);
  return narrow ? (uint16_t)index : SHN_XINDEX;
}

/* L522: nvlink loses in relocatable outputs, too, that a symbol is hidden; R14 asks for it in the last link. */
static uint8_t symbols_lose_hidden(const tl_emitted *e, const tl_symbol *symbol, uint8_t other) {
  if ((other & STO_VISIBILITY_MASK) != STV_HIDDEN)
    return other;
  if (tl_defect_matched(e->module->options, TL_DEFECT_D114))
    return (uint8_t)(other & ~STO_VISIBILITY_MASK);
  tl_defect_note(e->module->diagnostics, TL_DEFECT_D114, tl_module_text(e->module, symbol->name));
  return other;
}

/* st_other of an executable: L27, L185; W17.2, W17.7. In the Mercury table shared objects keep their space. */
static uint8_t symbols_visibility(const tl_emitted *e, const tl_symbol *symbol, uint8_t other) {
  const bool records = e->module->mode->records_applied, marked = records && !e->module->extern_by_name;
  const unsigned space = e->module->view == TL_VIEW_MERCURY ? other & STO_SPACE_MASK : 0; /* M8, L135 */
  const unsigned visibility = other & STO_VISIBILITY_MASK;
  if (symbol->shared || symbol->misplaced) { /* L553 */
    const bool internal = records && (visibility == STV_INTERNAL || (marked && !tl_symbol_is_marked(symbol)));
    const unsigned rest = other & ~(unsigned)(STO_SPACE_MASK | STO_VISIBILITY_MASK); /* L1176 */
    return (uint8_t)(space | rest | (visibility == STV_PROTECTED ? STV_PROTECTED : internal ? STV_INTERNAL : 0));
  }
  const bool kept = visibility == STV_PROTECTED || (records && visibility == STV_INTERNAL);
  return kept ? other : (uint8_t)(other & ~STO_VISIBILITY_MASK);
}

/* The section keeps the number that it had when it was made, whatever has this number in the output. */
static void symbols_write_null(const tl_emitted *e, uint8_t *at) {
  tl_put64(at + 8, e->layout->null_value); /* W8.9 */
  if (e->null_symbol == TL_NONE)
    return;
  const tl_symbol *const symbol = &e->module->symbols.items[e->null_symbol];
  tl_put32(at, e->string[symbol->name]);
  at[4] = symbol->info;
  tl_put16(at + 6, (uint16_t)symbols_stale_number(e, symbol->section));
  tl_put64(at + 8, symbol->value);
}

void tl_emit_symbol_table(tl_emitted *e) {
  uint8_t *wide = NULL;
  if (e->section_index[e->module->symtab_shndx])
    wide = tl_emit_table(e, e->module->symtab_shndx, (e->symbols.count + 1) * (uint64_t)4);
  uint8_t *at = tl_emit_table(e, e->module->symtab, (e->symbols.count + 1) * (uint64_t)ELF_SYMBOL_SIZE);
  symbols_write_null(e, at);
  const bool mercury = e->module->view == TL_VIEW_MERCURY, plain = e->module->mode->plain_types;
  for (size_t i = 0; i < e->symbols.count; i++) {
    const uint32_t index = e->symbols.items[i];
    const tl_symbol *const symbol = &e->module->symbols.items[index];
    const uint32_t section = e->layout->symbol_section[index];
    const bool spaced = plain && !mercury && symbol->other & STO_SPACE_MASK;
    const bool function = tl_type_of(symbol) == STT_FUNC && !e->module->capsule;       /* L1130 */
    const bool object = spaced && (function || tl_type_of(symbol) == STT_CUDA_OBJECT); /* W4.3, L181, M8 */
    const bool provided = symbol->section == TL_NONE && tl_type_of(symbol) == STT_OBJECT;
    const bool untyped = mercury && provided;                                                           /* M15 */
    const bool own = symbol->plain && !e->module->mode->final && tl_type_of(symbol) == STT_CUDA_OBJECT; /* L1732 */
    const unsigned type = object || own ? STT_OBJECT : untyped ? STT_CUDA_OBJECT : tl_type_of(symbol);
    const bool spaceless = object || (spaced && provided); /* L840 */
    const uint8_t other = (uint8_t)(spaceless ? symbol->other & ~STO_SPACE_MASK : symbol->other);
    at += ELF_SYMBOL_SIZE;
    tl_put32(at, e->string[symbol->name]);
    at[4] = (uint8_t)((symbol->info & 0xf0) | type);
    at[5] = plain ? symbols_visibility(e, symbol, other) : symbols_lose_hidden(e, symbol, other);
    tl_put16(at + 6, symbol->waits ? SHN_COMMON : symbols_section(e, section, wide ? wide + 4 * (i + 1) : NULL));
    tl_put64(at + 8, tl_emit_symbol_value(e, index));
    tl_put64(at + 16, symbol->size);
  }
}
