/* Applied, kept or dropped (R10-R38).
 *
 * All entries of the link form one list that is walked from its end (R10). The symbol's class decides first (R12-R24);
 * what it leaves open, the type's row decides (R25-R29). Every apply is done before any kept entry is checked, so its
 * errors come first. */
#include "relocate/relocate.h"

#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/sass_type.h"
#include "catalog/system_call.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "relocate/patch.h"
#include "relocate/unified_names.h"
#include "relocate/written.h"

#include <string.h>

typedef enum outcome {
  OUTCOME_KEEP,
  OUTCOME_DROP,
  OUTCOME_APPLY,
  OUTCOME_CLEAR,
  OUTCOME_KEEP_AS_NONE,
  OUTCOME_APPLY_AND_KEEP
} outcome;

/* A piece of the output made of a Mercury section, by the bytes of the input file. */
typedef struct relocate_copy {
  const uint8_t *data;
  uint64_t size, offset; /* in the output section */
  uint32_t file, section, output;
} relocate_copy;

/* The last answer of relocate_twin: a piece of another section that is made of the same bytes of the input file. */
typedef struct tl_twin {
  uint32_t file, section; /* of the relocation section; TL_NONE before the first */
  uint32_t output;        /* TL_NONE: there is none */
  uint64_t offset;        /* what an offset in the target's input section becomes there */
  relocate_copy *copies;  /* all there are, sorted; NULL before the first question */
  size_t copy_count;
} tl_twin;

enum { NO_CONSTANTS = 28 }; /* the bank of what has none (R6) */

typedef struct relocating {
  tl_relocated *relocated;
  const tl_module *module;
  const tl_layout *layout;
  tl_arena *arena;
  uint32_t uft_offset;       /* name of __UFT_OFFSET, TL_NONE */
  uint32_t unified_names[7]; /* the other seven (R13b) */
  tl_written written;        /* where entries are recorded (L1115) */
  tl_map labels;             /* loads whose value is a place in the code (L1307) */
  tl_twin twin;
  uint32_t recorded, record; /* the last target and its section of records (L1250); TL_NONE */
} relocating;

/* One entry on its way. */
typedef struct entry_state {
  const tl_relocation *entry;
  uint32_t index;
  uint32_t symbol, type;
  const tl_relocation_row *row;
  tl_texture_effect texture; /* by the type in the file */
  bool foreign;              /* a number of Mercury's outside its view (L611) */
  uint64_t offset;           /* in the output section, after K1a */
  uint64_t s;                /* S */
  int64_t a;                 /* A */
  uint64_t auxiliary;
  uint8_t bank;
  bool deleted;     /* what it names is not in the output (L1203) */
  tl_defect defect; /* row that decided S, where nvlink's is another; TL_DEFECT_COUNT for none */
} entry_state;

static const tl_symbol *relocate_symbol(const relocating *r, uint32_t symbol) {
  return &r->module->symbols.items[symbol];
}

/* Where the entry stands in its file: the output's section may have another name. */
static tl_site relocate_site(const relocating *r, const entry_state *e) {
  const tl_cubin *const cubin = &r->module->files[e->entry->file];
  const tl_cubin_section *const entries = tl_cubin_section_at(cubin, e->entry->section);
  return (tl_site){cubin->path, tl_module_text(r->module, tl_cubin_section_at(cubin, entries->info)->name),
                   tl_module_text(r->module, relocate_symbol(r, e->symbol)->name),
                   tl_cubin_relocation_at(entries, e->entry->index).offset};
}

static uint32_t relocate_name(const tl_module *module, const char *text) {
  return tl_names_find(module->names, text, strlen(text));
}

/* Of a fatal message. */
static _Noreturn void relocate_fail(const relocating *r, const entry_state *e, tl_message_id id) {
  tl_diagnostics_end(r->module->diagnostics, tl_message_row_of(id), relocate_site(r, e), NULL);
}

/* A class E defect: nvlink crashes or writes out of bounds. */
static _Noreturn void relocate_refuse(const relocating *r, const entry_state *e, const char *what) {
  const char *const file = r->module->files[e->entry->file].path;
  tl_diagnostics_end(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), relocate_site(r, e), NULL, file,
                     what);
}

/* R6: for any target section; no section gives 28, but for constants of the program in capsules, where Mercury's record says
 * which bank it is (L666). */
static uint8_t relocate_bank(const relocating *r, uint32_t symbol) {
  enum { USER_CONSTANTS = 3 };
  const tl_symbol *const s = relocate_symbol(r, symbol);
  if (s->block != TL_NONE)
    return (uint8_t)((r->module->constant_blocks.items[s->block].type - SHT_CUDA_CONSTANT0) & 31);
  const uint32_t section = r->layout->symbol_section[symbol];
  if (section == TL_NONE && r->module->capsule && (s->other & STO_SPACE_MASK) == STO_CONSTANT)
    return USER_CONSTANTS;
  const uint32_t type = section == TL_NONE ? 0 : r->module->sections.items[section].type;
  return (uint8_t)((type - SHT_CUDA_CONSTANT0) & 31);
}

/* Whether a compiler constant is one of a body that lost. */
static bool relocate_is_of_loser(const tl_module *module, uint32_t file, const tl_cubin_symbol *symbol) {
  const tl_cubin *const cubin = &module->files[file];
  const uint32_t primary = tl_cubin_primary(cubin, cubin->sections[symbol->section].info);
  return primary < cubin->symbol_count && module->resolution->bodies[file][primary].role == TL_BODY_LOSES &&
         tl_merge_is_compiler_constant(cubin, symbol);
}

/* What was in a section that was not taken still gives that section's bank (L29), and compiler constants their value and
 * alignment (L1094, L1095). */
static void relocate_find_dropped(const relocating *r, entry_state *e) {
  enum { COMPILER_BANK = 2 };
  const tl_module *const m = r->module;
  const tl_cubin *cubin = &m->files[e->entry->file];
  const uint32_t number = tl_cubin_relocation_at(&cubin->sections[e->entry->section], e->entry->index).symbol;
  const tl_cubin_symbol *symbol = tl_cubin_symbol_at(cubin, number);
  const uint32_t type = tl_cubin_section_at(cubin, symbol->section)->type;
  e->bank = (uint8_t)((type - SHT_CUDA_CONSTANT0) & 31);
  const bool object = type == SHT_CUDA_SHARED && tl_symbol_type(symbol) != STT_SECTION; /* L1937 */
  if (type != SHT_CUDA_CONSTANT0 + COMPILER_BANK && !object)
    return;
  const tl_standing_constant *const standing =
      relocate_is_of_loser(m, e->entry->file, symbol) ? tl_merge_standing_constant(m, e->entry->file, number) : NULL;
  if (standing) {
    cubin = &m->files[standing->file];
    symbol = &cubin->symbols[standing->symbol];
  }
  e->s = tl_symbol_type(symbol) == STT_SECTION ? 0 : symbol->value;
  e->defect = TL_DEFECT_COUNT;
  e->auxiliary = tl_merge_constant_align(cubin, symbol);
}

/* L1175: a shared object that went with its kernel's section is one without a place. */
static void relocate_find_gone(const relocating *r, entry_state *e) {
  e->s = UINT64_MAX;
  if (e->symbol)
    return;
  const tl_cubin *const cubin = &r->module->files[e->entry->file];
  const uint32_t number = tl_cubin_relocation_at(&cubin->sections[e->entry->section], e->entry->index).symbol;
  e->bank = (SHT_CUDA_SHARED - SHT_CUDA_CONSTANT0) & 31;
  e->auxiliary = (uint32_t)tl_cubin_symbol_at(cubin, number)->value;
}

/* --- S (R1) --- */

/* L1939: with preserved relocations an object of size 0 in a kernel's own section has its place there for data and for a function
 * that no kernel reaches, and the entry is recorded. */
static bool relocate_keeps_own_place(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  if (!r->module->mode->final || r->module->extern_by_name || r->layout->symbol_gone[e->symbol] ||
      !tl_module_is_own_external(r->module, symbol) ||
      r->layout->section_size[symbol->extern_section] <= r->layout->reserved) /* nothing else lies there (L1462) */
    return false;
  const uint32_t function = tl_layout_function_of(r->module, e->entry->target);
  return function == TL_NONE || r->layout->external_offset[function] == TL_NO_OFFSET;
}

/* ... and an entry that stays of a function that kernels reach names what has no symbol. */
static bool relocate_moves_with_kernels(const relocating *r, const entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  return r->module->mode->records_applied && r->module->mode->final && !r->module->extern_by_name &&
         tl_module_is_own_external(r->module, symbol) && !relocate_keeps_own_place(r, e, symbol);
}

static uint64_t relocate_shared_value(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  if (r->layout->symbol_gone[e->symbol])
    return UINT64_MAX; /* never laid out (L74) */
  if (relocate_keeps_own_place(r, e, symbol) || !symbol->external_shared || r->module->extern_by_name ||
      !r->module->mode->final)
    return r->layout->symbol_value[e->symbol];
  const uint32_t function = tl_layout_function_of(r->module, e->entry->target);
  if (function == TL_NONE)
    return UINT64_MAX;                         /* W11.7: debug sections */
  return r->layout->external_offset[function]; /* TL_NO_OFFSET is -1: no kernel reaches the function (L78) */
}

/* L1100: of extern shared memory that a kernel gives a place, and of what has none. */
static uint64_t relocate_external_align(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  enum { PLACED = 16 };
  if (r->module->extern_by_name)
    return tl_larger(symbol->align, PLACED); /* L1623 */
  return e->s == UINT64_MAX || !r->module->mode->final ? symbol->input_value : PLACED;
}

/* L1096: of shared memory without a place; what a kernel gives one by itself is in no section, also where the object has
 * one in the output (L1162). */
static void relocate_external_bank(const relocating *r, entry_state *e) {
  if (e->s == UINT64_MAX)
    e->bank = (SHT_CUDA_SHARED - SHT_CUDA_CONSTANT0) & 31;
  else if (r->module->mode->final && !r->module->extern_by_name)
    e->bank = relocate_bank(r, 0);
}

/* L1462: for a function that no kernel reaches an object of size 0 in a kernel's own section is at 0, and for data (L1689). */
static bool relocate_is_unreached_own(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  const bool unplaced = e->s == UINT64_MAX && !r->layout->symbol_gone[e->symbol];
  const bool data = r->module->sections.items[e->entry->target].flags & SHF_ALLOC;
  return unplaced && tl_module_is_own_external(r->module, symbol) &&
         (data || tl_layout_function_of(r->module, e->entry->target) != TL_NONE);
}

/* L251: with the constants of all files, or -1 if there are none. */
static uint64_t relocate_constants_size(const relocating *r) {
  const uint32_t section = tl_module_section_named(r->module, ".nv.constant3");
  return section == TL_NONE ? UINT64_MAX : r->layout->section_size[section];
}

static void relocate_note(const relocating *r, const entry_state *e, tl_defect defect) {
  tl_defect_note(r->module->diagnostics, defect, tl_module_text(r->module, relocate_symbol(r, e->symbol)->name));
}

/* In a capsule link a move gets a slot's place in the table alone: the load that reads the table has the table's (L133). */
static bool relocate_is_capsule_move(const relocating *r, const entry_state *e) {
  enum { R_CUDA_CONST_MOVE = 59 };
  return r->module->capsule && r->module->view == TL_VIEW_SASS && e->entry->type == R_CUDA_CONST_MOVE;
}

/* A kernel's own, which are not placed as a block; of a symbol that has a section. */
static bool relocate_is_compiler_constant(const relocating *r, const tl_symbol *symbol) {
  enum { COMPILER_BANK = 2 };
  return (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL &&
         r->module->sections.items[symbol->section].type == SHT_CUDA_CONSTANT0 + COMPILER_BANK;
}

/* L1423: a load from constants that are not of bank 0 reads from no table, whatever its entry is about. */
static bool relocate_reads_table(const relocating *r, const entry_state *e) {
  enum { BANK_SHIFT = 54, BANK = 31, LOAD = 66, UNIFORM_LOAD = 115 };
  const bool sass = r->module->capsule && r->module->view == TL_VIEW_SASS;
  const bool load = sass && (e->type == LOAD || e->type == UNIFORM_LOAD);
  const tl_piece *const piece = tl_layout_piece(&r->module->sections.items[e->entry->target], e->entry->offset);
  const uint64_t at = piece ? e->entry->offset - piece->offset : 0;
  const bool inside = piece && piece->data && at <= piece->size && piece->size - at >= sizeof(uint64_t);
  return !load || !inside || !(tl_get64(piece->data + at) >> BANK_SHIFT & BANK);
}

static bool relocate_is_in_code(const relocating *r, const entry_state *e) {
  return tl_layout_function_of(r->module, e->entry->target) != TL_NONE;
}

/* What is left in symbol 0 counts in data without the reserved bytes of shared memory, which Mercury's view, whose values those
 * are, has not (L1558). */
static void relocate_find_values(const relocating *r, entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  e->a = e->entry->addend;
  e->bank = relocate_bank(r, e->symbol);
  e->s = r->layout->symbol_value[e->symbol];
  const bool namesake = e->entry->merge_offset && e->entry->state == TL_ENTRY_NORMAL &&
                        tl_type_of(symbol) != STT_SECTION && !e->entry->shifted;
  if (namesake) /* the place of the section of its name (L1609) */
    e->a = (int64_t)((uint64_t)e->a + e->entry->merge_offset);
  if (e->entry->state == TL_ENTRY_MINUS_ONE) {
    relocate_find_gone(r, e);
  } else if (e->entry->state == TL_ENTRY_NULL || e->entry->state == TL_ENTRY_GONE) {
    e->s = tl_defect_matched(r->module->options, TL_DEFECT_D79) ? r->layout->null_value : 0;
    e->defect = e->s == r->layout->null_value ? TL_DEFECT_COUNT : TL_DEFECT_D79;
    e->s -= e->s && r->module->capsule && !relocate_is_in_code(r, e) ? r->layout->null_reserved : 0; /* L1558 */
    e->bank = relocate_bank(r, 0);
    if (e->entry->state == TL_ENTRY_GONE)
      relocate_find_dropped(r, e);
    e->a = (int64_t)((uint64_t)e->a + e->entry->merge_offset);
  } else if (tl_type_of(symbol) == STT_SECTION) {
    e->s = 0;
    e->a = (int64_t)((uint64_t)e->a + e->entry->merge_offset);
  } else if (symbol->constants_size) {
    e->s = relocate_constants_size(r);
  } else if (symbol->misplaced) {
    e->s = r->module->extern_by_name ? e->s : UINT64_MAX; /* L94 */
  } else if (symbol->shared) {
    e->s = relocate_shared_value(r, e, symbol);
    e->auxiliary = symbol->external_shared ? relocate_external_align(r, e, symbol) : symbol->align;
    if (relocate_keeps_own_place(r, e, symbol))
      e->auxiliary = symbol->input_value;
    else if (symbol->external_shared)
      relocate_external_bank(r, e);
    e->s = relocate_is_unreached_own(r, e, symbol) ? 0 : e->s;
  } else if (symbol->function != TL_NONE) {
    e->auxiliary = (uint64_t)symbol->function + 1; /* its number in the call graph (L28) */
  } else if (symbol->block != TL_NONE) {           /* L96: the block can be gone by D7 */
    const tl_constant_block *const block = &r->module->constant_blocks.items[symbol->block];
    e->s += block->orphan ? 0 : r->layout->block_offset[symbol->block];
    e->auxiliary = symbol->align; /* L1095 */
  } else if (r->layout->slot[e->symbol] != TL_NO_OFFSET) {
    tl_trace(r->module->diagnostics, TL_TRACE_SLOT_SYMBOL, (uint64_t)e->symbol,
             r->module->symbols.count + (r->layout->slot[e->symbol] - r->layout->bindless_base) / 4);
    const bool table = relocate_reads_table(r, e);
    e->s = r->layout->slot[e->symbol] - (relocate_is_capsule_move(r, e) ? r->layout->tables_begin : 0);
    e->s -= table ? 0 : r->layout->bindless_base;
    e->bank = table ? 0 : NO_CONSTANTS;
  } else if (symbol->section == TL_NONE) {
    e->s = tl_defect_matched(r->module->options, TL_DEFECT_D13) ? UINT64_MAX : 0;
    e->defect = e->s ? TL_DEFECT_COUNT : TL_DEFECT_D13;
  } else if (relocate_is_compiler_constant(r, symbol)) {
    e->auxiliary = symbol->align; /* L573 */
  }
}

/* --- what the symbol's class decides (section 2.1 of the facts) --- */

/* R11, U2, U12: with an index file the loader knows where things are. */
static bool relocate_rewrites_unified(const relocating *r) {
  return r->module->mode->rewrites_unified && !tl_module_has_tables(r->module);
}

/* Where the names go, a function of such a name is one like others (L1585), and so is a texture for what asks for its slot
 * or for a place of the tables (L1602). */
static bool relocate_is_of_own_kind(const relocating *r, const entry_state *e, const tl_symbol *symbol, bool listed) {
  if (listed)
    return false;
  const unsigned type = tl_type_of(symbol);
  const tl_relocation_row *const row = tl_relocation_in_view(e->entry->type, r->module->view == TL_VIEW_MERCURY);
  const bool place = row && row->kind == TL_RELOC_UNIFIED;
  const bool slot = r->module->capsule || place || e->texture == TL_TEX_BINDLESS;
  const bool plain = r->module->capsule || !(r->module->mode->records_applied || r->module->extern_by_name); /* L1667 */
  const bool function = type == STT_FUNC && (plain || tl_binding_of(symbol) == STB_GLOBAL);
  return function || (tl_type_is_texture(type) && slot);
}

/* The same of what is called __UFT_OFFSET, which a relocatable output has of functions (L1585). */
static bool relocate_is_own_offset(const entry_state *e, const tl_symbol *symbol, bool own, bool listed) {
  const bool function = tl_type_of(symbol) == STT_FUNC;
  return listed ? function : !function && own && e->texture == TL_TEX_BINDLESS;
}

/* The row of what nvlink loses when it makes a relocatable output; textures have their own. */
static tl_defect relocate_lost_by(const tl_symbol *symbol) {
  if (symbol->external_shared)
    return TL_DEFECT_D6;
  if ((symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL)
    return TL_DEFECT_D5;
  const bool constant =
      symbol->section == TL_NONE && (symbol->other & STO_SPACE_MASK) != STO_SHARED && tl_type_of(symbol) != STT_FUNC;
  return constant ? TL_DEFECT_D4 : TL_DEFECT_D1; /* D1 is a hidden function's, too (L905) */
}

/* What nothing moves any more: local memory, a section a kernel. */
static bool relocate_has_its_place(const relocating *r, const tl_symbol *symbol) {
  return symbol->section != TL_NONE && r->module->sections.items[symbol->section].type == SHT_CUDA_LOCAL;
}

/* Offsets in Mercury text count in decoded instructions, whose size the function's symbol has (R58, M8). */
static uint64_t relocate_extent(const relocating *r, uint32_t section) {
  return tl_module_decoded_size(r->module, section, r->layout->section_size[section]);
}

/* In a capsule's code the SASS side of an address of 64 bits, which Mercury's view writes (L565). */
static bool relocate_is_whole_address(const relocating *r, const entry_state *e) {
  enum { ADDRESS = 75 };
  return r->module->capsule && r->module->view == TL_VIEW_SASS && e->type == ADDRESS &&
         tl_layout_function_of(r->module, e->entry->target) != TL_NONE;
}

/* True where an entry that could be applied waits for the final link; so does the SASS side of what Mercury keeps (L1630). */
static bool relocate_keeps_for_later(const relocating *r, const entry_state *e, tl_defect row) {
  const bool applied = e->row && (e->row->kind == TL_RELOC_APPLY || relocate_is_whole_address(r, e));
  if (!applied || tl_defect_matched(r->module->options, row))
    return false;
  if (e->offset >= relocate_extent(r, e->entry->target)) /* nvlink carries it out (L598) */
    relocate_fail(r, e, TL_MESSAGE_RELOC_NOT_FOUND);
  relocate_note(r, e, row);
  return true;
}

/* As a symbol without a section: bank 28 (R6). */
static void relocate_as_nothing(entry_state *e) {
  e->s = 0;
  e->bank = 28;
}

/* Entries of a relocatable capsule stay; a load on the SASS side gets the place of the table already, without the slot's
 * (M27). */
static outcome relocate_capsule_texture(const relocating *r, entry_state *e) {
  enum { R_CUDA_CONST_FIELD21_38 = 66, R_CUDA_CONST_FIELD22_37 = 115 };
  const bool load = e->type == R_CUDA_CONST_FIELD21_38 || e->type == R_CUDA_CONST_FIELD22_37;
  const bool table = relocate_reads_table(r, e);
  e->s = (table ? r->layout->bindless_base : 0) - (uint64_t)e->a; /* L1423: what the entry adds is not written */
  e->bank = table ? 0 : NO_CONSTANTS;
  return load ? OUTCOME_APPLY_AND_KEEP : OUTCOME_KEEP; /* Mercury's types have other numbers */
}

static bool relocate_clears(const entry_state *e) {
  return e->row && e->row->kind == TL_RELOC_UNUSED_CLEAR;
}

/* Nothing is dead yet in a relocatable output, so what clears the traces of dead code has to wait (D91). */
static bool relocate_clear_waits(const relocating *r, const entry_state *e) {
  if (!relocate_clears(e) || r->module->mode->final || tl_defect_matched(r->module->options, TL_DEFECT_D91))
    return false;
  relocate_note(r, e, TL_DEFECT_D91);
  return true;
}

/* L616: data has no slots, nor has what the SASS view of a capsule moves with 32 bits; S is 0 there. */
static bool relocate_has_no_slot(const relocating *r, const entry_state *e) {
  enum { R_CUDA_ABS32 = 55 };
  const bool code = tl_layout_function_of(r->module, e->entry->target) != TL_NONE;
  return r->module->capsule && (!code || (r->module->view == TL_VIEW_SASS && e->type == R_CUDA_ABS32));
}

static outcome relocate_texture(const relocating *r, entry_state *e) { /* R18 */
  enum { TEXTURE_ADDRESS_BITS = 32 };
  if (relocate_clear_waits(r, e))
    return OUTCOME_KEEP;
  if (!e->row && e->type > TL_RELOC_LARGEST_LOOKED_UP)
    relocate_refuse(r, e, "a relocation has a type that there is not (D42)");
  switch (e->texture) {
  case TL_TEX_KEEP:
    break;
  case TL_TEX_BINDLESS:
    if (r->module->mode->final && relocate_has_no_slot(r, e))
      relocate_as_nothing(e);
    if (r->module->mode->final)
      return OUTCOME_APPLY;
    if (r->module->capsule)
      return relocate_capsule_texture(r, e);
    if (e->row->fields[0].width == TEXTURE_ADDRESS_BITS || e->foreign) /* L575, L611 */
      return OUTCOME_KEEP;
    e->s = 0; /* W12; the bank is that of the symbol's section, a text's for a parameter (L299) */
    return relocate_keeps_for_later(r, e, TL_DEFECT_D2) ? OUTCOME_KEEP : OUTCOME_APPLY;
  case TL_TEX_ZERO:
    e->s = 0;
    e->bank = relocate_bank(r, e->symbol); /* L1931 */
    return !r->module->mode->final && relocate_keeps_for_later(r, e, TL_DEFECT_D2) ? OUTCOME_KEEP : OUTCOME_APPLY;
  case TL_TEX_DROP:
    return OUTCOME_DROP;
  case TL_TEX_FATAL:
    relocate_fail(r, e, TL_MESSAGE_PC_RELATIVE);
  case TL_TEX_CRASH:
    relocate_refuse(r, e, "a function descriptor relocation names a texture (D15)");
  case TL_TEX_NONE:
    return OUTCOME_KEEP_AS_NONE;
  }
  return OUTCOME_KEEP;
}

static outcome relocate_function(const relocating *r, const entry_state *e) { /* R14 */
  if (relocate_clears(e) && relocate_symbol(r, e->symbol)->unlisted)          /* L571; the link ends with E69 */
    return OUTCOME_CLEAR;
  if (relocate_clears(e))
    return relocate_clear_waits(r, e) ? OUTCOME_KEEP : OUTCOME_DROP;
  return e->type == 0 ? OUTCOME_DROP : OUTCOME_KEEP;
}

/* L550, D100: for entries against it an internal function is dead code, although it stays in this output: they go, but for
 * those that clear the traces of dead code. These wait for the final link where the function is weak (R53). */
static outcome relocate_internal_function(const relocating *r, const entry_state *e) {
  if (!tl_defect_matched(r->module->options, TL_DEFECT_D100)) {
    relocate_note(r, e, TL_DEFECT_D100);
    return relocate_function(r, e);
  }
  if (!e->row || e->row->kind != TL_RELOC_UNUSED_CLEAR)
    return OUTCOME_DROP;
  return !r->module->mode->final && tl_binding_of(relocate_symbol(r, e->symbol)) == STB_WEAK ? OUTCOME_KEEP
                                                                                             : OUTCOME_CLEAR;
}

/* R13c; in the Mercury view the loader places reserved shared memory, too (L240), and so does the SASS view of a capsule but for
 * addresses that an executable's instructions have (L1200). */
static bool relocate_is_kept_section(const tl_module *module, uint32_t type, uint32_t relocation) {
  enum { ADDRESS32 = 55, MERCURY_ADDRESS32 = TL_R_MERCURY + 3 };
  const bool written = module->mode->final && (relocation == ADDRESS32 || relocation == MERCURY_ADDRESS32);
  return type == SHT_CUDA_GLOBAL || type == SHT_CUDA_GLOBAL_INIT || type == SHT_CUDA_UDT ||
         (type == SHT_CUDA_RESERVED_SHARED && (module->view == TL_VIEW_MERCURY || (module->capsule && !written)));
}

/* One of the loader's own names, whatever memory st_other says (L1576). */
static bool relocate_is_loader_s(const relocating *r, const tl_symbol *symbol) {
  const char *const name = tl_module_text(r->module, symbol->name);
  return tl_text_behind(name, ".nv.") && tl_reserved_name_is(name);
}

/* R21, R22, L577: an undefined name whose address the loader knows: by its memory, which stands in st_other, or because it
 * is one of the loader's own, by its whole name (L1720). */
static bool relocate_is_placed_by_loader(const relocating *r, const tl_symbol *symbol) {
  return (symbol->other & STO_SPACE_MASK) == STO_GLOBAL || symbol->constants_size || relocate_is_loader_s(r, symbol);
}

/* R19: what clears traces of reserved shared memory stays as an entry that says nothing. */
static bool relocate_is_reserved_clear(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  return relocate_clears(e) && tl_text_behind(tl_module_text(r->module, symbol->name), ".nv.reservedSmem");
}

/* Memory that the loader gives no address: of constants, but of a name of its own, and of shared memory also where it is a local
 * object that no file defines (L965). */
static bool relocate_is_of_kernels(const relocating *r, const tl_symbol *symbol) {
  const unsigned space = symbol->other & STO_SPACE_MASK;
  return (space == STO_CONSTANT && !relocate_is_loader_s(r, symbol)) ||
         ((space == STO_SHARED || space == STO_RESERVED_SHARED) && !relocate_is_placed_by_loader(r, symbol));
}

/* L965, L1589: an object that no file defines is nothing that a later link or the loader could place, but in global memory. */
static bool relocate_is_nowhere(const relocating *r, const tl_symbol *symbol) {
  const unsigned type = tl_type_of(symbol);
  return tl_binding_of(symbol) != STB_WEAK && symbol->section == TL_NONE && symbol->block == TL_NONE &&
         (type == STT_OBJECT || type == STT_CUDA_OBJECT) && (!r->module->capsule || !r->module->mode->final) &&
         !relocate_is_placed_by_loader(r, symbol);
}

/* L1146: against an object that no file defines and that the loader does not place, a branch and a type that is none end
 * the link, although entries of other types stay. */
static bool relocate_ends_nowhere(const relocating *r, const entry_state *e, const tl_symbol *symbol) {
  const unsigned type = tl_type_of(symbol);
  const bool none = !e->row || e->row->kind == TL_RELOC_SENTINEL;
  const bool known = e->type <= TL_RELOC_LARGEST_LOOKED_UP || tl_binding_of(symbol) == STB_LOCAL; /* D42 */
  const bool ends = none ? known : e->row->kind == TL_RELOC_PCREL;
  const bool hidden = type == STT_FUNC && symbol->section == TL_NONE && tl_binding_of(symbol) != STB_WEAK; /* L1686 */
  if (hidden && (ends || none))
    return true;
  return ends && (type == STT_OBJECT || type == STT_CUDA_OBJECT) && tl_binding_of(symbol) != STB_WEAK &&
         symbol->section == TL_NONE && symbol->block == TL_NONE && !symbol->shared &&
         !relocate_is_placed_by_loader(r, symbol);
}

/* R53, R54: a relocatable output keeps what is weak, what a kernel has an instance for and what is undefined outside
 * shared memory and constants; the rest is applied although nothing has its final place yet (D1, D4, D6). `result` is
 * OUTCOME_KEEP before. */
static bool relocate_in_relocatable(const relocating *r, entry_state *e, outcome *result) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  const uint32_t function = tl_layout_function_of(r->module, e->entry->target);
  const uint32_t instance = symbol->external_shared && function != TL_NONE ? r->layout->instance[function] : TL_NONE;
  if (instance != TL_NONE) {
    tl_trace(r->module->diagnostics, TL_TRACE_INSTANCE, (uint64_t)e->symbol, (uint64_t)instance);
    e->symbol = instance;
  }
  const bool reserved = relocate_is_reserved_clear(r, e, symbol);
  if (!reserved && relocate_clear_waits(r, e))
    return true;
  if (tl_type_of(symbol) == STT_SECTION)
    return relocate_keeps_for_later(r, e, TL_DEFECT_D92);
  const bool weak = tl_binding_of(symbol) == STB_WEAK;
  const bool in_code = symbol->external_shared && function != TL_NONE;
  const bool elsewhere = weak && !in_code && !relocate_is_placed_by_loader(r, symbol);
  const bool nothing = e->type == 0;
  if ((nothing && (elsewhere || instance != TL_NONE)) || (relocate_clears(e) && elsewhere)) /* L572 */
    *result = OUTCOME_DROP;
  if (e->type == TL_R_MERCURY && elsewhere) /* nor is Mercury's 0, whose number is looked up (L611) */
    *result = OUTCOME_APPLY;
  if (reserved)
    *result = OUTCOME_KEEP_AS_NONE;
  if (instance != TL_NONE || weak)
    return true;
  const bool function_elsewhere = tl_type_of(symbol) == STT_FUNC; /* a hidden one (L905) */
  if (symbol->section == TL_NONE && !symbol->shared && !relocate_is_of_kernels(r, symbol) && !symbol->constants_size &&
      !function_elsewhere && !relocate_is_nowhere(r, symbol))
    return true;
  const uint32_t owner = function == TL_NONE ? TL_NONE : r->module->symbol_of_function[function];
  if (symbol->external_shared && owner != TL_NONE && relocate_symbol(r, owner)->other & STO_ENTRY &&
      !r->layout->external_by_name && !tl_layout_forgets_kernel(r->module, relocate_symbol(r, owner)))
    return true; /* a kernel's, where there are no instances */
  const unsigned space = symbol->other & STO_SPACE_MASK;
  if (space != STO_CONSTANT && space != STO_SHARED && relocate_is_nowhere(r, symbol)) /* L1589 */
    return false;
  return !relocate_has_its_place(r, symbol) && relocate_keeps_for_later(r, e, relocate_lost_by(symbol));
}

/* What clears the traces of a listed name of the tables names nothing, but that of an internal one (L1692). */
static outcome relocate_keep_name(const relocating *r, const entry_state *e) {
  const bool internal = (relocate_symbol(r, e->symbol)->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  return relocate_clears(e) && !internal ? OUTCOME_KEEP_AS_NONE : OUTCOME_KEEP;
}

/* R13b: a relocatable output keeps them (L580), with an index file executables do, too (L1367). */
static outcome relocate_unified_name(const relocating *r, entry_state *e, bool lists_names) {
  if (lists_names)
    return relocate_keep_name(r, e);
  const tl_relocation_row *const row = tl_relocation_in_view(e->entry->type, r->module->view == TL_VIEW_MERCURY);
  if (row && (e->entry->type == 0 || row->kind == TL_RELOC_UNIFIED)) {
    /* E69 where it is written, behind undefined references (L1203), but for a function (L1667) */
    e->deleted = tl_type_of(relocate_symbol(r, e->symbol)) != STT_FUNC;
    return OUTCOME_KEEP;
  }
  tl_trace(r->module->diagnostics, TL_TRACE_UNIFIED, (uint64_t)e->entry->type, (uint64_t)0);
  return OUTCOME_DROP;
}

/* False when the class leaves the decision to the type's row. */
static bool relocate_by_class(const relocating *r, entry_state *e, outcome *result) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  const unsigned type = tl_type_of(symbol);
  const uint32_t section = r->layout->symbol_section[e->symbol];
  *result = OUTCOME_KEEP;
  if (e->symbol == 0)
    return false;
  const bool lists_names = tl_module_has_tables(r->module) || !r->module->mode->final;
  const bool own = relocate_is_of_own_kind(r, e, symbol, lists_names);
  if (symbol->name == r->uft_offset && section == TL_NONE &&
      !relocate_is_own_offset(e, symbol, own, lists_names)) {                                          /* R13a, W12.7 */
    *result = !r->module->unified_functions || !lists_names ? OUTCOME_DROP : relocate_keep_name(r, e); /* L1367 */
    if (*result == OUTCOME_DROP)
      tl_trace(r->module->diagnostics, TL_TRACE_UFT_OFFSET);
    return true;
  }
  if (section == TL_NONE && !own && TL_AMONG32(r->unified_names, symbol->name)) { /* R13b */
    *result = relocate_unified_name(r, e, lists_names);
    return true;
  }
  const bool texture = tl_type_is_texture(type);
  if (section != TL_NONE && relocate_is_kept_section(r->module, r->module->sections.items[section].type, e->type)) {
    if (texture && e->row && e->row->texture == TL_TEX_FATAL) /* L534 */
      relocate_fail(r, e, TL_MESSAGE_PC_RELATIVE);
    return true;
  }
  if (type == STT_FUNC && ((symbol->other & STO_VISIBILITY_MASK) != STV_HIDDEN || relocate_clears(e))) { /* L550 */
    *result = tl_symbol_is_kept_internal(symbol) ? relocate_internal_function(r, e) : relocate_function(r, e);
    return true;
  }
  if (texture) {
    *result = relocate_texture(r, e);
    return true;
  }
  if (relocate_ends_nowhere(r, e, symbol))
    return false;
  if (!r->module->mode->final)
    return relocate_in_relocatable(r, e, result);
  if (section != TL_NONE || symbol->shared || symbol->block != TL_NONE || symbol->constants_size)
    return false;
  if (symbol->weak_mention && !relocate_is_placed_by_loader(r, symbol))
    return false;
  if (type == STT_CUDA_OBJECT && relocate_is_of_kernels(r, symbol) && !symbol->weak_mention) /* L578 */
    return false;
  if (relocate_is_nowhere(r, symbol))
    return false;
  if (relocate_is_reserved_clear(r, e, symbol))
    *result = OUTCOME_KEEP_AS_NONE;
  return true; /* R19-R21, and strong undefined ones, which are errors soon (R20) */
}

/* --- what the type's row decides (section 2.2) --- */

static outcome relocate_pc_relative(const relocating *r, entry_state *e) { /* R25, D61 */
  const bool same = r->layout->symbol_section[e->symbol] == e->entry->target;
  if (!same || tl_defect_matched(r->module->options, TL_DEFECT_D61))
    relocate_fail(r, e, TL_MESSAGE_PC_RELATIVE);
  relocate_note(r, e, TL_DEFECT_D61);
  e->s -= e->offset;
  return OUTCOME_APPLY;
}

/* R28, L571: the traces of what nobody sees from outside, which an executable's shared objects are, too, but with -g
 * (L1163). */
static bool relocate_is_cleared(const relocating *r, const tl_symbol *symbol) {
  const bool internal = (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  const bool undefined = symbol->section == TL_NONE && !symbol->external_shared; /* L612 */
  return internal || (symbol->shared && !undefined && r->module->mode->final && !r->module->extern_by_name);
}

/* Numbers behind Mercury's last one, where nvlink finds memory of its own: `unexpected NVRS` of most (L1202). */
static bool relocate_is_behind_mercury(const relocating *r, const entry_state *e) {
  enum { LAST = TL_R_MERCURY + 0x1ffff };
  const bool finalized = r->module->capsule || r->module->files[e->entry->file].role.finalized;
  return finalized && e->type > TL_R_MERCURY && e->type <= LAST;
}

static outcome relocate_by_type(const relocating *r, entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  if (e->type == 0 && r->module->view == TL_VIEW_MERCURY) /* of no table's numbers (L1568) */
    return OUTCOME_DROP;
  switch (e->row ? e->row->kind : TL_RELOC_SENTINEL) {
  case TL_RELOC_APPLY:
    break;
  case TL_RELOC_YIELD:
    tl_trace(r->module->diagnostics, TL_TRACE_YIELD);
    return OUTCOME_DROP;
  case TL_RELOC_NONE:
    return OUTCOME_DROP;
  case TL_RELOC_RUNTIME:
    return OUTCOME_KEEP;
  case TL_RELOC_PCREL:
    return relocate_pc_relative(r, e);
  case TL_RELOC_UNUSED_CLEAR:
    return relocate_is_cleared(r, symbol) ? OUTCOME_CLEAR : OUTCOME_DROP;
  case TL_RELOC_FUNC_DESC:
    if (tl_type_of(symbol) != STT_FUNC)
      relocate_refuse(r, e, "a function descriptor relocation names no function (D15)");
    return OUTCOME_KEEP;
  case TL_RELOC_SENTINEL:
    if (e->type > TL_RELOC_LARGEST_LOOKED_UP && !relocate_is_behind_mercury(r, e))
      relocate_refuse(r, e, "a relocation has a type that there is not (D42)");
    relocate_fail(r, e, TL_MESSAGE_NVRS);
  case TL_RELOC_UNIFIED:
    return relocate_rewrites_unified(r) || e->foreign ? OUTCOME_APPLY : OUTCOME_KEEP;
  }
  return OUTCOME_APPLY;
}

/* --- carrying the decision out --- */

/* D38: a value that fits its field neither as signed nor as unsigned. */
static void relocate_check_fit(const relocating *r, const entry_state *e, uint64_t value) {
  const tl_field *const field = &e->row->fields[0];
  if (tl_defect_matched(r->module->options, TL_DEFECT_D38) || field->width >= 64 ||
      (field->part != TL_PART_ALL && field->part != TL_PART_DWORD))
    return;
  const int64_t part = field->part == TL_PART_DWORD ? (int64_t)value >> 2 : (int64_t)value;
  const int64_t low = -((int64_t)1 << (field->width - 1)), high = (int64_t)1 << field->width;
  if (part < low || part >= high)
    tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_OVERFLOW_VALUE), relocate_site(r, e),
                       "D38: nvlink cuts the value without a word", value, e->row->name);
}

/* By file and bytes. */
static int relocate_compare_bytes(const relocate_copy *x, const relocate_copy *y) {
  const uint64_t pairs[][2] = {{x->file, y->file}, {(uintptr_t)x->data, (uintptr_t)y->data}, {x->size, y->size}};
  return tl_compare_pairs(pairs, sizeof pairs / sizeof *pairs);
}

/* And section. */
static int relocate_compare_copies(const void *a, const void *b) {
  const relocate_copy *const x = a, *const y = b;
  const int order = relocate_compare_bytes(x, y);
  return order ? order : tl_compare(x->section, y->section);
}

/* The Mercury section that a piece of an output section is made of, where that one has its name; NULL. */
static const tl_cubin_section *relocate_mercury_section(const tl_module *module, uint32_t output,
                                                        const tl_piece *piece) {
  const tl_cubin_section *const section = &module->files[piece->file].sections[piece->section];
  return section->flags & SHF_CUDA_MERCURY && tl_module_find_section(module, section->name) == output ? section : NULL;
}

static void relocate_collect_copies(relocating *r) {
  TL_VECTOR(relocate_copy) copies = {0};
  for (uint32_t output = 1; output < r->module->sections.count; output++)
    for (size_t p = 0; p < r->module->sections.items[output].pieces.count; p++) {
      const tl_piece *const piece = &r->module->sections.items[output].pieces.items[p];
      const tl_cubin_section *const from = relocate_mercury_section(r->module, output, piece);
      if (from)
        *tl_vector_push(r->arena, &copies) =
            (relocate_copy){from->data, from->size, piece->offset, piece->file, piece->section, output};
    }
  tl_vector_sort(&copies, relocate_compare_copies);
  r->twin.copies = copies.items;
  r->twin.copy_count = copies.count;
}

/* The last copy of the target's bytes that is not the target itself; NULL. */
static const relocate_copy *relocate_find_copy(const relocating *r, uint32_t file, uint32_t target) {
  const tl_cubin_section *const section = &r->module->files[file].sections[target];
  const relocate_copy behind = {.data = section->data, .size = section->size, .file = file, .section = UINT32_MAX};
  size_t low = 0, high = r->twin.copy_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (relocate_compare_copies(&r->twin.copies[middle], &behind) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  while (low && r->twin.copies[low - 1].section == target && r->twin.copies[low - 1].file == file)
    low--;
  const relocate_copy *const copy = low ? &r->twin.copies[low - 1] : NULL;
  return copy && relocate_compare_bytes(copy, &behind) == 0 ? copy : NULL;
}

/* M2c: in SASS-kind files the Mercury copy of some debug sections is the same bytes of the file, and nvlink relocates in
 * the input's image. */
static const tl_twin *relocate_twin(relocating *r, const tl_relocation *entry) {
  tl_twin *const twin = &r->twin;
  const bool sass_kind = r->module->arch >= 100 && r->module->view == TL_VIEW_SASS;
  if (!sass_kind || (twin->file == entry->file && twin->section == entry->section))
    return twin;
  if (!twin->copies)
    relocate_collect_copies(r);
  const uint32_t target = r->module->files[entry->file].sections[entry->section].info;
  const relocate_copy *const copy = relocate_find_copy(r, entry->file, target);
  twin->file = entry->file;
  twin->section = entry->section;
  twin->output = copy ? copy->output : TL_NONE;
  twin->offset = copy ? copy->offset : 0;
  return twin;
}

/* True if the field of a REL entry is not zero in its input: an addend that nvlink loses (D12). */
static bool relocate_holds_something(const relocating *r, const entry_state *e) {
  const tl_piece *const piece = tl_layout_piece(&r->module->sections.items[e->entry->target], e->entry->offset);
  if (!piece)
    return false;
  const uint64_t size = tl_relocation_row_bytes(e->row), at = e->entry->offset - piece->offset;
  bool any = false;
  for (uint64_t i = 0; i < size && at + i < piece->size; i++)
    any |= piece->data[at + i] != 0;
  return any;
}

/* What the field of a REL entry holds in its input; where that ends inside the field, zeros follow (L1613). */
static uint64_t relocate_old_content(const relocating *r, const entry_state *e) {
  const tl_cubin *const cubin = &r->module->files[e->entry->file];
  const tl_cubin_section *const input = &cubin->sections[e->entry->section];
  const tl_cubin_section *const target = &cubin->sections[input->info];
  const uint64_t offset = tl_cubin_relocation_at(input, e->entry->index).offset;
  const tl_field *const field = tl_relocation_content(e->row);
  const uint64_t bytes = (field->start + field->width + 7u) / 8;
  uint8_t rest[32] = {0};
  if (!target->data || offset >= target->size)
    return 0;
  if (bytes <= target->size - offset)
    return tl_bits_get(target->data + offset, field->start, field->width);
  if (bytes > sizeof rest)
    return 0;
  memcpy(rest, target->data + offset, target->size - offset);
  return tl_bits_get(rest, field->start, field->width);
}

/* L1596: a compiler constant of a kernel's body that was replaced, which has no symbol. */
static bool relocate_is_lost_constant(const relocating *r, uint32_t index) {
  const tl_symbol *const symbol = relocate_symbol(r, index);
  const bool constant =
      symbol->section != TL_NONE && r->module->sections.items[symbol->section].type == SHT_CUDA_CONSTANT0 + 2;
  return constant && tl_type_of(symbol) != STT_SECTION && !r->module->capsule &&
         !tl_symbol_is_listed(r->module, r->layout, index);
}

/* W17.9: entries that -preserve-relocs does not record although they are applied: compiler constants of device functions,
 * what is cleared, and in an executable texture slots, what a kernel gives extern shared memory, and where the pool is
 * empty objects without a place. */
static bool relocate_is_recorded(const relocating *r, const entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  const unsigned type = tl_type_of(symbol);
  const bool final = r->module->mode->final, texture = tl_type_is_texture(type);
  const bool slot = texture && final && e->row->texture == TL_TEX_BINDLESS; /* L575 */
  if (symbol->block != TL_NONE || slot || symbol->constants_size || (final && relocate_is_lost_constant(r, e->symbol)))
    return false;
  const bool code = tl_layout_function_of(r->module, e->entry->target) != TL_NONE;
  const bool shared = symbol->shared || symbol->misplaced;               /* L900 */
  const bool placed = shared && (code || (final && e->s == UINT64_MAX)); /* L806 */
  if (r->module->capsule && !placed)                                     /* L145 */
    return false;
  if (relocate_clears(e)) /* L550, L571 */
    return (!symbol->external_shared || relocate_keeps_own_place(r, e, symbol)) &&
           (symbol->shared || type == STT_FUNC || (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL);
  const bool gone = r->layout->symbol_gone[e->symbol];                /* L806 */
  const bool external = symbol->external_shared || symbol->misplaced; /* L520 */
  if (!final || (!gone && (!external || r->module->extern_by_name)) || relocate_keeps_own_place(r, e, symbol))
    return true;
  if (gone ? !code && !r->layout->gone_recorded : !r->layout->extern_recorded || e->s != UINT64_MAX)
    return false;
  if (tl_defect_matched(r->module->options, TL_DEFECT_D90))
    return true;
  relocate_note(r, e, TL_DEFECT_D90);
  return false;
}

/* The opcode of the SASS instruction that an entry of code stands at; 0 where there is none. */
static uint16_t relocate_opcode(const relocating *r, const entry_state *e) {
  enum { OPCODE = 0xfff };
  const tl_piece *const piece = tl_layout_piece(&r->module->sections.items[e->entry->target], e->entry->offset);
  const uint64_t at = piece ? e->entry->offset - piece->offset : 0;
  const bool inside = piece && piece->data && at <= piece->size && piece->size - at >= sizeof(uint16_t);
  return inside ? tl_get16(piece->data + at) & OPCODE : 0;
}

/* In a capsule's SASS view: R_CUDA's number of an entry that went by Mercury's rules (L585, L1200). */
static uint32_t relocate_kept_type(const relocating *r, const entry_state *e) {
  if (!r->module->capsule || r->module->view != TL_VIEW_SASS || e->type <= TL_R_MERCURY)
    return e->type;
  const bool code = tl_layout_function_of(r->module, e->entry->target) != TL_NONE;
  return code ? tl_sass_type_in_code(e->type, relocate_opcode(r, e)) : tl_sass_type_in_data(e->type);
}

/* L831, L1250: nvlink looks for the records' section by its target's name in the output, in vain where the entries' section
 * that made it is called otherwise. */
static uint32_t relocate_record_section(relocating *r, const entry_state *e) {
  static const char prefix[] = ".nv.resolvedrela";
  const tl_section *const target = &r->module->sections.items[e->entry->target];
  if (target->resolved == TL_NONE || !tl_defect_matched(r->module->options, TL_DEFECT_D102))
    return target->resolved;
  if (r->recorded == e->entry->target)
    return r->record;
  const char *const name = tl_module_text(r->module, target->name);
  const char *const own = tl_module_text(r->module, r->module->sections.items[target->resolved].name);
  const bool found = strcmp(own + sizeof prefix - 1, name) == 0;
  r->recorded = e->entry->target;
  r->record =
      found ? target->resolved : tl_module_section_named(r->module, tl_arena_format(r->arena, "%s%s", prefix, name));
  return r->record;
}

/* L1690: how many bytes of a field are its file's where that one's part of the section ends inside it; 0 for all. What follows is
 * another file's, or nobody's. */
static uint8_t relocate_own_bytes(const relocating *r, const entry_state *e, const tl_relocation_row *row) {
  const tl_section *const target = &r->module->sections.items[e->entry->target];
  const tl_piece *piece = tl_layout_piece(target, e->entry->offset);
  const uint64_t size = tl_relocation_row_bytes(row), from = e->entry->offset;
  if (!piece || size > from + size)
    return 0;
  const uint32_t file = piece->file;
  uint64_t own = from;
  for (; piece && piece->file == file && own - from < size;
       piece = tl_layout_piece(target, own)) /* empty ones are not walked */
    own = piece->offset + piece->size;
  return own - from < size ? (uint8_t)(own - from) : 0;
}

static void relocate_record(relocating *r, const entry_state *e) {
  if (!r->module->mode->records_applied || r->module->sections.items[e->entry->target].resolved == TL_NONE ||
      !relocate_is_recorded(r, e))
    return;
  const uint32_t own = r->module->sections.items[e->entry->target].resolved, found = relocate_record_section(r, e);
  const uint32_t container = found == TL_NONE ? own : found;
  const bool lost = e->entry->merge_offset && tl_defect_matched(r->module->options, TL_DEFECT_D12);
  uint64_t old = 0;
  if (e->entry->rel && !relocate_clears(e) && !lost && /* L571, L574 */
      !tl_written_get(&r->written, e->entry->target, e->entry->offset, tl_relocation_content(e->row),
                      relocate_own_bytes(r, e, e->row), &old))
    old = relocate_old_content(r, e);
  const tl_kept record = {.container = container,
                          .symbol = e->symbol,
                          .type = relocate_kept_type(r, e),
                          .offset = e->offset,
                          .addend = (int64_t)((uint64_t)e->a + old),
                          .foreign = r->module->sections.items[container].about != e->entry->target,
                          .deleted = e->entry->deleted};
  if (found == TL_NONE) {
    *tl_vector_push(r->arena, &r->relocated->unrecorded) = record;
    return;
  }
  *tl_vector_push(r->arena, &r->relocated->kept) = record;
  r->relocated->container_used[container] = true;
}

/* Z000.70: one line an entry that is carried out. */
static void relocate_trace(const relocating *r, const entry_state *e) {
  tl_diagnostics *const diagnostics = r->module->diagnostics;
  if (!tl_trace_wants(diagnostics, TL_TRACE_RELOC))
    return;
  const uint64_t size = e->a < 0 ? 0 - (uint64_t)e->a : (uint64_t)e->a;
  const char *const addend = tl_arena_format(r->arena, e->a < 0 ? "-%u" : "%u", size);
  tl_trace(diagnostics, TL_TRACE_RESOLVE, (uint64_t)e->type, (uint64_t)e->symbol, addend, (uint64_t)e->entry->target,
           e->offset);
}

/* L488: in unified data with an index nvlink looks up what an applied entry names: an object, a function, its section; in a
 * jump slot a function, or what no file defines (L1259). */
static bool relocate_names_no_object(const relocating *r, const entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  if (e->entry->target == r->module->jump_slots && tl_module_has_tables(r->module))
    return symbol->section != TL_NONE && tl_type_of(symbol) != STT_FUNC;
  if (e->entry->target != r->module->unified_data || !tl_module_has_tables(r->module))
    return false;
  return e->symbol == 0 || (tl_type_of(symbol) == STT_SECTION && symbol->section != r->module->unified_data);
}

/* In a capsule's SASS view what Mercury keeps as a place in the code stands in the bytes (R63, L585). */
static bool relocate_is_place(const relocating *r, const entry_state *e) {
  return r->module->view == TL_VIEW_SASS && tl_relocation_is_code_place(e->row); /* of R_CUDA's types none is one */
}

/* Whether an entry is about constants, be its bank that of some by number (R6). */
static bool relocate_is_about_constants(const relocating *r, const entry_state *e) {
  enum { LAST_BANK = 4 };
  const uint32_t section = r->layout->symbol_section[e->symbol];
  const uint32_t type = section == TL_NONE ? SHT_CUDA_CONSTANT0 : r->module->sections.items[section].type;
  return e->bank <= LAST_BANK && type >= SHT_CUDA_CONSTANT0 && type <= SHT_CUDA_CONSTANT0 + LAST_BANK;
}

/* What is written of an entry that is carried out; NULL for nothing. In a capsule's SASS view an entry of code that has
 * Mercury's number stands in the instruction's own field, where there is one (L1200). */
static const tl_relocation_row *relocate_written_row(const relocating *r, const entry_state *e) {
  const bool sass = r->module->capsule && r->module->view == TL_VIEW_SASS;
  if (!sass || relocate_is_place(r, e) || tl_layout_function_of(r->module, e->entry->target) == TL_NONE)
    return e->row;
  const tl_relocation_row *const load = relocate_is_about_constants(r, e) ? NULL : tl_sass_row_without_bank(e->type);
  if (load) /* L1212: what is no constant leaves the bank that Mercury's record says */
    return load;
  return e->type > TL_R_MERCURY ? tl_sass_row_in_code(e->type, relocate_opcode(r, e)) : e->row;
}

static void relocate_apply(relocating *r, const entry_state *e) {
  const uint64_t size = relocate_extent(r, e->entry->target);
  if (e->foreign) /* L611: the table has no fields */
    relocate_fail(r, e, TL_MESSAGE_NVRS);
  if (e->offset >= size || relocate_names_no_object(r, e))
    relocate_fail(r, e, TL_MESSAGE_RELOC_NOT_FOUND);
  if (tl_relocation_row_bytes(e->row) > size - e->offset)
    relocate_refuse(r, e, "a relocated field runs past the end of its section (D14)");
  const bool lost = e->entry->merge_offset && tl_defect_matched(r->module->options, TL_DEFECT_D12);
  if (e->defect != TL_DEFECT_COUNT)
    relocate_note(r, e, e->defect);
  if (e->entry->merge_offset && e->entry->rel && !lost && relocate_holds_something(r, e))
    relocate_note(r, e, TL_DEFECT_D12);
  const uint64_t value = e->s + (uint64_t)e->a;
  relocate_check_fit(r, e, value);
  relocate_trace(r, e);
  const tl_relocation_row *const row = relocate_written_row(r, e);
  if (!row) {
    relocate_record(r, e);
    return;
  }
  *tl_vector_push(r->arena, &r->relocated->patches) = (tl_patch){.section = e->entry->target,
                                                                 .offset = e->offset,
                                                                 .row = row,
                                                                 .value = value,
                                                                 .auxiliary = e->auxiliary + (uint64_t)e->a,
                                                                 .bank = e->bank,
                                                                 .bytes = relocate_own_bytes(r, e, row),
                                                                 .rel = e->entry->rel && !lost,
                                                                 .entry = e->index};
  relocate_record(r, e);
  if (r->module->mode->records_applied)
    tl_written_add(&r->written, e->entry->target, e->entry->offset,
                   &r->relocated->patches.items[r->relocated->patches.count - 1]);
  const tl_twin *const twin = relocate_twin(r, e->entry);
  if (twin->output == TL_NONE)
    return;
  tl_patch *const patch = tl_vector_push(r->arena, &r->relocated->patches);
  *patch = r->relocated->patches.items[r->relocated->patches.count - 2];
  const uint32_t file = e->entry->file, section = e->entry->section;
  patch->section = twin->output;
  patch->offset =
      twin->offset + tl_cubin_relocation_at(&r->module->files[file].sections[section], e->entry->index).offset;
  if (r->module->mode->records_applied)
    tl_written_add(&r->written, patch->section, patch->offset, patch);
}

static void relocate_clear(relocating *r, entry_state *e) {
  e->defect = TL_DEFECT_COUNT; /* zeros are written, whatever S is */
  e->s = 0;
  relocate_apply(r, e);
}

/* S is what the table of symbols says, also of one that is undefined; what is left in symbol 0 counts without the reserved bytes
 * (L1547). */
static void relocate_apply_place(relocating *r, entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  if ((e->entry->state == TL_ENTRY_NULL || e->entry->state == TL_ENTRY_GONE) && e->s == r->layout->null_value &&
      !(r->module->capsule && !relocate_is_in_code(r, e)))
    e->s -= r->layout->null_reserved;
  if (e->symbol && symbol->section == TL_NONE && !symbol->shared && symbol->block == TL_NONE)
    e->s = r->layout->symbol_value[e->symbol];
  if (symbol->shared && r->module->mode->final && tl_symbol_is_listed(r->module, r->layout, e->symbol)) /* L617 */
    e->s += symbol->shared_places * r->layout->reserved;
  e->defect = TL_DEFECT_COUNT;
  relocate_apply(r, e);
}

/* What an entry of REL that becomes RELA brings along out of its field (R37), as a part of the addend: nothing with nvlink
 * (D12). */
static int64_t relocate_moved_content(const relocating *r, const entry_state *e) {
  const bool moved = e->entry->rel && e->entry->merge_offset && e->row;
  const uint64_t old = moved && !tl_defect_matched(r->module->options, TL_DEFECT_D12) ? relocate_old_content(r, e) : 0;
  if (!old)
    return 0;
  relocate_note(r, e, TL_DEFECT_D12);
  const unsigned part = tl_relocation_content(e->row)->part;
  return (int64_t)(part == TL_PART_HIGH ? old << 32 : part == TL_PART_DWORD ? old << 2 : old);
}

/* L1307: on the SASS side of a capsule an instruction at which half a place in the code stands, or several, has that for a value.
 * What a place behind the function's beginning makes of a load is not known. */
static void relocate_put_label(relocating *r, const entry_state *e) {
  enum { LOW = TL_R_MERCURY + 0x28, HIGH, FIRST = 0xd8, SM_120 = 120 };
  if (!r->module->capsule || r->module->view != TL_VIEW_SASS || (e->type != LOW && e->type != HIGH) ||
      tl_layout_function_of(r->module, e->entry->target) == TL_NONE)
    return;
  const tl_relocation_row *const row = tl_sass_row_of_label(relocate_opcode(r, e));
  if (!row || (e->entry->addend && row->fields[0].part != TL_PART_ZERO) || e->offset > UINT32_MAX ||
      !tl_set_add(&r->labels, tl_pair_key(e->entry->target, (uint32_t)e->offset)))
    return;
  *tl_vector_push(r->arena, &r->relocated->patches) = (tl_patch){.section = e->entry->target,
                                                                 .offset = e->offset,
                                                                 .row = row,
                                                                 .value = r->module->arch < SM_120 ? FIRST : 0,
                                                                 .rel = true,
                                                                 .entry = e->index};
}

static void relocate_keep(relocating *r, const entry_state *e, bool as_none) {
  if (as_none && r->module->capsule && r->module->view == TL_VIEW_SASS)
    return; /* only the Mercury view says it */
  *tl_vector_push(r->arena, &r->relocated->kept) =
      (tl_kept){.container = e->entry->container,
                .symbol = as_none ? 0 : e->symbol,
                .type = as_none ? 0 : relocate_kept_type(r, e),
                .offset = e->offset,
                .addend = e->a + relocate_moved_content(r, e),
                .deleted = e->entry->deleted || e->deleted || relocate_moves_with_kernels(r, e)};
  r->relocated->container_used[e->entry->container] = true;
  relocate_put_label(r, e);
}

/* R16: an alias stands for the primary function of its section. */
static void relocate_follow_alias(const relocating *r, entry_state *e) {
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  const uint32_t owner = tl_module_aliased(r->module, e->symbol);
  if (owner == TL_NONE)
    return;
  e->a = (int64_t)((uint64_t)e->a + symbol->value);
  tl_trace(r->module->diagnostics, TL_TRACE_ALIAS, tl_module_text(r->module, symbol->name),
           tl_module_text(r->module, relocate_symbol(r, owner)->name));
  e->symbol = owner;
  e->s = r->layout->symbol_value[owner]; /* L1657 */
  e->auxiliary = (uint64_t)relocate_symbol(r, owner)->function + 1;
}

/* L483: an entry in a section of jump slots' type is a slot's to nvlink, which looks for the slot's function. */
static void relocate_check_slot(const relocating *r, const entry_state *e) {
  const tl_section *const target = &r->module->sections.items[e->entry->target];
  if (r->module->mode->final && target->type == SHT_CUDA_UFT_REL && target->owner == TL_NONE)
    relocate_fail(r, e, TL_MESSAGE_NO_UFT_STUB);
}

/* L565: in a capsule's code the SASS side of what Mercury keeps for the loader stays, whatever it is about, and that of an
 * address of 64 bits, which Mercury has written, goes; it leaves a record all the same. */
static bool relocate_as_mercury(relocating *r, const entry_state *e, outcome *result) {
  enum { ADDRESS_LOW = 56, ADDRESS_HIGH = 57 };
  if (!r->module->capsule || r->module->view != TL_VIEW_SASS ||
      tl_layout_function_of(r->module, e->entry->target) == TL_NONE)
    return false;
  const bool address = relocate_is_whole_address(r, e);
  *result = address ? OUTCOME_DROP : OUTCOME_KEEP;
  if (address)
    relocate_record(r, e);
  return address || e->type == ADDRESS_LOW || e->type == ADDRESS_HIGH;
}

/* L615: the SASS side has the address of reserved shared memory in the instruction, where Mercury leaves it to the loader: in its
 * upper word, whatever that is, but for uniform loads, whose entry has a number of its own (L1309). */
static bool relocate_writes_reserved(const relocating *r, entry_state *e, outcome *result) {
  enum { ADDRESS32 = 55, MERCURY_ADDRESS32 = TL_R_MERCURY + 3 };
  const bool address = e->type == ADDRESS32 || e->type == MERCURY_ADDRESS32;
  if (!r->module->capsule || r->module->view != TL_VIEW_SASS || !address)
    return false;
  const tl_symbol *const symbol = relocate_symbol(r, e->symbol);
  const char *const name = tl_module_text(r->module, symbol->name);
  if (tl_layout_function_of(r->module, e->entry->target) == TL_NONE || !tl_text_behind(name, ".nv.reservedSmem") ||
      relocate_kept_type(r, e) != ADDRESS32)
    return false;
  e->type = ADDRESS32;
  e->row = tl_sass_row_of_reserved();
  e->s = r->layout->symbol_value[e->symbol];
  if (r->module->mode->final && (symbol->other & STO_SPACE_MASK) == STO_SHARED && tl_reserved_name_is(name)) /* L1721 */
    e->s += TL_RESERVED_SHARED;
  e->defect = TL_DEFECT_COUNT;
  *result = OUTCOME_APPLY;
  return true;
}

/* L1024: constants of a body that lost, in a relocatable output in which a replaced body has emptied them, go with their
 * entries (jump tables). */
static bool relocate_is_of_emptied(const relocating *r, uint32_t target) {
  return !r->module->mode->final && r->module->sections.items[target].symbol_cutoff &&
         r->layout->section_dropped[target];
}

/* L1291: an entry without a type nvlink's finalizer ends by a signal over. */
static bool relocate_is_capsule_code(const relocating *r, const entry_state *e) {
  return r->module->view == TL_VIEW_MERCURY && r->module->sections.items[e->entry->target].flags & SHF_EXECINSTR;
}

/* L1977: a file may say of an object of another file's that it is a function of that memory space; an executable's descriptor of it
 * ends nvlink as D15 does. */
static void relocate_check_descriptor(const relocating *r, const entry_state *e) {
  const unsigned type = tl_type_of(relocate_symbol(r, e->symbol));
  if (!r->module->mode->final || (type != STT_OBJECT && type != STT_CUDA_OBJECT))
    return;
  const tl_relocation_row *const row = tl_relocation_in_view(e->entry->type, r->module->view == TL_VIEW_MERCURY);
  if (row && row->kind == TL_RELOC_FUNC_DESC)
    relocate_refuse(r, e, "a function descriptor relocation names no function (D15)");
}

static void relocate_entry(relocating *r, uint32_t index) {
  enum { MERCURY_LAST = 0x40 };
  const tl_relocation *const entry = &r->module->relocations.items[index];
  if (tl_layout_offset_is_gone(r->layout, entry->target, entry->offset) ||
      r->module->sections.items[entry->target].bodyless || relocate_is_of_emptied(r, entry->target))
    return;
  entry_state e = {.entry = entry, .index = index, .defect = TL_DEFECT_COUNT};
  e.symbol = e.entry->symbol;
  if (tl_module_relocation_is_of_replaced(r->module, index))
    relocate_note(r, &e, TL_DEFECT_D83);
  relocate_check_slot(r, &e);
  relocate_check_descriptor(r, &e);
  e.offset = tl_layout_place_of_entry(r->layout, r->module, e.entry);
  /* In a capsule's data the SASS view has Mercury's number where there is no other (R63). */
  const bool mercury = r->module->view == TL_VIEW_MERCURY || (r->module->capsule && e.entry->type > TL_R_MERCURY);
  const tl_relocation_row *const row = tl_relocation_in_view(e.entry->type, mercury);
  if (mercury && !row && e.entry->type <= TL_R_MERCURY) /* R73 */
    relocate_fail(r, &e, TL_MESSAGE_UNEXPECTED_RELOC);
  const bool rewrites = e.entry->type && relocate_rewrites_unified(r); /* L1782: the number 0 stays */
  e.type = row && rewrites ? row->unified_to : e.entry->type;          /* R11, R104 */
  e.row = tl_relocation_in_view(e.type, mercury);
  e.foreign = !mercury && e.type >= TL_R_MERCURY;
  e.texture = row ? row->texture : TL_TEX_KEEP;
  if (e.type != e.entry->type)
    tl_trace(r->module->diagnostics, TL_TRACE_UNIFIED, (uint64_t)e.entry->type, (uint64_t)e.type);
  relocate_find_values(r, &e);
  if (e.entry->state == TL_ENTRY_DEAD) {
    relocate_clear(r, &e);
    return;
  }
  relocate_follow_alias(r, &e);
  outcome result;
  if (!relocate_writes_reserved(r, &e, &result) && !relocate_by_class(r, &e, &result) &&
      !relocate_as_mercury(r, &e, &result))
    result = relocate_by_type(r, &e);
  if (result == OUTCOME_KEEP && relocate_is_place(r, &e)) {
    relocate_apply_place(r, &e);
    return;
  }
  if (result == OUTCOME_KEEP_AS_NONE && relocate_is_capsule_code(r, &e))
    relocate_refuse(r, &e, "an entry of a capsule's code becomes one of no type (L1291)");
  if (result == OUTCOME_APPLY || result == OUTCOME_APPLY_AND_KEEP)
    relocate_apply(r, &e);
  else if (result == OUTCOME_CLEAR)
    relocate_clear(r, &e);
  else if (result == OUTCOME_DROP && e.type == TL_R_MERCURY + MERCURY_LAST && !e.entry->rel) /* L1489 */
    relocate_record(r, &e);
  if (result == OUTCOME_KEEP || result == OUTCOME_KEEP_AS_NONE || result == OUTCOME_APPLY_AND_KEEP)
    relocate_keep(r, &e, result == OUTCOME_KEEP_AS_NONE);
}

bool tl_symbol_names_nothing(const tl_module *module, const tl_layout *layout, const tl_symbol *symbol) {
  if (tl_type_of(symbol) != STT_SECTION) /* else it has one */
    return false;
  static const uint32_t made[] = {SHT_NOTE, SHT_CUDA_CALLGRAPH, SHT_CUDA_PROTOTYPE, SHT_CUDA_REL_ACTION,
                                  SHT_CUDA_METADATA};
  const uint32_t type = module->sections.items[symbol->section].type;
  if (TL_AMONG32(made, type))
    return false;
  return layout->section_size[symbol->section] == 0 || layout->section_hollow[symbol->section];
}

bool tl_symbol_is_listed(const tl_module *module, const tl_layout *layout, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  const bool forgotten = s->section != TL_NONE && module->sections.items[s->section].forgotten; /* L79 */
  if (s->unlisted || forgotten || layout->symbol_gone[symbol] || tl_module_leaves_name(module, s))
    return false;
  const bool own = tl_module_is_own_external(module, s); /* L964 */
  if ((s->external_shared || s->misplaced) && module->mode->final && !module->extern_by_name &&
      !(own && (layout->section_size[s->extern_section] || tl_symbol_is_marked(s))))
    return layout->extern_listed;                                                   /* D70 */
  const bool undefined = s->shared && s->section == TL_NONE && !s->external_shared; /* the link ends with that (L612) */
  const uint32_t place = layout->symbol_section[symbol];
  const bool placed = place != TL_NONE && !layout->section_dropped[place]; /* D112 */
  return undefined || (!s->shared && !s->misplaced) || module->keeps_shared ||
         (placed && tl_symbol_is_marked(s)); /* L553 */
}

/* The tables in a capsule's parameter banks are judged in Mercury's view, where they are sections of their own: an input's
 * SASS entry may lie behind the bank of another body (L1052). */
static bool relocate_is_laid(const relocating *r, uint32_t target) {
  return r->module->capsule && r->module->view == TL_VIEW_SASS &&
         r->module->sections.items[target].type == SHT_CUDA_CONSTANT0;
}

/* L1784, D137: the symbol that takes the place of symbol 0 has its number, which is none. */
static bool relocate_is_numberless(const relocating *r, uint32_t symbol) {
  const tl_module *const m = r->module;
  return m->null_is_shared && m->mode->final && m->locals.count && symbol == m->locals.items[0] &&
         tl_defect_matched(m->options, TL_DEFECT_D137);
}

/* Numbers so far behind Mercury's last one that nvlink ends by a signal over entries that stay (L1202). */
static bool relocate_is_beyond(const relocating *r, const tl_kept *kept) {
  enum { BEYOND = TL_R_MERCURY + 0x1800 };
  return r->module->capsule && kept->type > BEYOND && !r->module->diagnostics->errors;
}

/* R76: an entry that stays, or a record, about what is not in the output. */
static bool relocate_names_deleted(const relocating *r, const tl_kept *kept) {
  const tl_symbol *const symbol = relocate_symbol(r, kept->symbol);
  const bool dropped = tl_type_of(symbol) == STT_SECTION && r->layout->section_dropped[symbol->section]; /* L185 */
  return dropped || kept->deleted || tl_symbol_names_nothing(r->module, r->layout, symbol) ||
         !tl_symbol_is_listed(r->module, r->layout, kept->symbol) || relocate_is_numberless(r, kept->symbol);
}

/* L1946: a record for which nvlink finds no section has to name a symbol of the output all the same. */
static void relocate_check_unrecorded(const relocating *r) {
  for (size_t i = 0; i < r->relocated->unrecorded.count; i++) {
    const tl_kept *const record = &r->relocated->unrecorded.items[i];
    const tl_site site = {NULL, NULL, tl_module_text(r->module, relocate_symbol(r, record->symbol)->name),
                          record->offset};
    if ((record->symbol || record->deleted) && relocate_names_deleted(r, record))
      tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL), site, NULL);
  }
}

/* R71, R76: after every apply, in the order of the inputs' entries (L1112), which are kept last to first; records of entries
 * that are applied behind all that stay (L1257). */
static void relocate_check_kept(const relocating *r, bool record) {
  for (size_t i = r->relocated->kept.count; i-- > 0;) {
    const tl_kept *const kept = &r->relocated->kept.items[i];
    const uint32_t target = r->module->sections.items[kept->container].about;
    if ((r->module->sections.items[kept->container].type == SHT_CUDA_RESOLVEDRELA) != record ||
        (record && !kept->symbol && !kept->deleted))
      continue;
    const tl_site site = {NULL, tl_module_text(r->module, r->module->sections.items[target].name),
                          tl_module_text(r->module, relocate_symbol(r, kept->symbol)->name), kept->offset};
    if (target == r->module->jump_slots && !r->layout->section_size[target]) /* no function has a place (L433) */
      tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL), site, NULL);
    if (!record && !relocate_is_laid(r, target) && kept->offset >= relocate_extent(r, target))
      tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_PAST_END), site, NULL);
    if (relocate_is_beyond(r, kept))
      tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_UNEXPECTED_RELOC), site, NULL);
    if (relocate_names_deleted(r, kept))
      tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL), site, NULL);
  }
}

/* What went with a body, where an entry that stays names it (L461, L527) and is not among those that are written. */
static void relocate_check_deleted(const tl_module *module) {
  size_t site = 0; /* one a relocation that says so, in their order */
  for (size_t i = 0; i < module->relocations.count; i++) {
    if (!module->relocations.items[i].deleted || site >= module->deleted_entries.count)
      continue;
    const tl_site where = module->deleted_entries.items[site++];
    if (tl_module_relocation_stands(module, i)) /* L1224: one of a replaced body is not written */
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL), where, NULL);
  }
}

/* L1610: with 0 for each symbol the numbers of such a table fit. */
static bool relocate_names_symbols(const tl_section *table) {
  for (size_t i = 0; i < table->pieces.count; i++) {
    const tl_piece *const piece = &table->pieces.items[i];
    for (uint64_t at = 0; piece->data && at + UNIFIED_ENTRY_SIZE <= piece->size; at += UNIFIED_ENTRY_SIZE)
      if (tl_get32(piece->data + at))
        return true;
  }
  return false;
}

/* L473: what the unified tables of the output name is in it. */
static void relocate_check_unified(const relocating *r) {
  static const char *const tables[] = {".nv.uft.entry", ".nv.udt.entry"};
  static const uint32_t types[] = {SHT_CUDA_UFT_ENTRY, SHT_CUDA_UDT_ENTRY};
  bool deleted = tl_unified_names_deleted(r->relocated, r->module, r->layout); /* L1710 */
  for (size_t i = 0; i < r->module->unified_entries.count; i++) {
    const tl_unified_entry *const entry = &r->module->unified_entries.items[i];
    deleted |= entry->raw || (entry->symbol != TL_NONE &&
                              !tl_symbol_is_listed(r->module, r->layout, entry->symbol)); /* 0 is listed */
  }
  for (size_t i = 0; i < 2 && !r->module->mode->final; i++) { /* by their names */
    const uint32_t table = tl_module_section_named(r->module, tables[i]);
    deleted |= table != TL_NONE && r->module->sections.items[table].type != types[i] &&
               r->module->sections.items[table].size >= UNIFIED_ENTRY_SIZE &&
               relocate_names_symbols(&r->module->sections.items[table]);
  }
  if (deleted)
    tl_diagnostics_add(r->module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
}

/* A live function that is not in the output, also where no entry names it (L185, L226, L551). */
void tl_relocate_check_functions(const tl_module *module) {
  for (size_t i = 0; i < module->functions.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[module->symbol_of_function[module->functions.items[i]]];
    if (symbol->unlisted)
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL),
                         (tl_site){NULL, NULL, tl_module_text(module, symbol->name), TL_NO_OFFSET}, NULL);
  }
}

/* The text of a replaced body, also of a dead function's, that has entries in the file; 0. */
static uint32_t relocate_find_replaced(const tl_module *module, uint32_t file) {
  const tl_cubin *const cubin = &module->files[file];
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const input = &cubin->sections[i];
    if (!tl_section_type_is_relocations(input->type) || !tl_cubin_relocation_count(input) ||
        !(tl_cubin_section_at(cubin, input->info)->flags & SHF_EXECINSTR))
      continue;
    const uint32_t primary = tl_cubin_primary(cubin, input->info);
    if (primary < cubin->symbol_count && module->resolution->bodies[file][primary].replaced)
      return input->info;
  }
  return 0;
}

/* L810: an entry of constants against a variable that a strong one replaced; nvlink alone drops it (D83). */
static bool relocate_has_dropped(const tl_module *module) {
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const tl_section *const target = &module->sections.items[entry->target];
    if (tl_module_relocation_is_of_replaced(module, i) && i >= target->cutoff && !target->forgotten)
      return true;
  }
  return false;
}

void tl_relocate_check_replaced(const tl_module *module) {
  const tl_options *const options = module->options;
  const bool named = options->kernels_used.count || options->variables_used.count;
  if (!named || module->view != TL_VIEW_MERCURY || !module->mode->final)
    return;
  if (tl_defect_matched(options, TL_DEFECT_D83) && relocate_has_dropped(module))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_UNEXPECTED_RELOC),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
  for (uint32_t i = 0; i < module->file_count; i++) {
    const uint32_t text = relocate_find_replaced(module, i);
    if (!text)
      continue;
    const char *const name = tl_names_text(module->names, module->files[i].sections[text].name);
    const tl_site site = {module->files[i].path, name, NULL, TL_NO_OFFSET};
    if (tl_defect_matched(options, TL_DEFECT_D89))
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_UNEXPECTED_RELOC), site, NULL);
    tl_defect_note(module->diagnostics, TL_DEFECT_D89, name);
    return;
  }
}

/* L646: the section of what met in the output stays; emit/ writes it. */
static void relocate_note_bodies(const relocating *r) {
  if (r->module->bodies_section != TL_NONE)
    r->relocated->container_used[r->module->bodies_section] = true;
}

/* L1116, L1307: in a capsule's SASS view places in the code are written behind all that Mercury has written already; before them
 * those that are an instruction's value, and last the addresses of reserved shared memory (L1309). */
static unsigned relocate_round(const tl_patch *patch) {
  enum { FIRST, LABELS, PLACES, RESERVED };
  if (tl_sass_row_is_label(patch->row))
    return LABELS;
  if (tl_relocation_is_code_place(patch->row))
    return PLACES;
  return patch->row == tl_sass_row_of_reserved() ? RESERVED : FIRST;
}

static void relocate_order_patches(tl_relocated *relocated, tl_arena *arena) {
  enum { ROUNDS = 4 };
  const size_t count = relocated->patches.count;
  size_t begin[ROUNDS + 1] = {0};
  for (size_t i = 0; i < count; i++)
    begin[relocate_round(&relocated->patches.items[i]) + 1]++;
  if (begin[1] == count)
    return;
  for (size_t i = 1; i < ROUNDS; i++)
    begin[i] += begin[i - 1];
  tl_patch *const ordered = tl_arena_new(arena, tl_patch, count);
  for (size_t i = 0; i < count; i++)
    ordered[begin[relocate_round(&relocated->patches.items[i])]++] = relocated->patches.items[i];
  memcpy(relocated->patches.items, ordered, count * sizeof *ordered);
}

/* L1256: nvlink carries out no entries of a section that is empty in the output, and writes and looks at none of them. */
static bool relocate_is_in_empty(const relocating *r, const tl_relocation *entry) {
  const tl_module *const module = r->module;
  return !module->capsule && entry->target != module->jump_slots && entry->target != module->unified_data &&
         !r->layout->section_size[entry->target];
}

/* Z000.22, Z000.29: entries about dead functions, which the merge has left out; their types are replaced before. */
static void relocate_trace_dead(const relocating *r) {
  for (size_t i = r->module->dead.entries.count; i-- > 0;) {
    const tl_dead_entry *const entry = &r->module->dead.entries.items[i];
    if (entry->told)
      continue;
    const bool mercury = r->module->view == TL_VIEW_MERCURY || (r->module->capsule && entry->type > TL_R_MERCURY);
    const tl_relocation_row *const row = tl_relocation_in_view(entry->type, mercury);
    if (entry->type && row && relocate_rewrites_unified(r) && row->unified_to != entry->type)
      tl_trace(r->module->diagnostics, TL_TRACE_UNIFIED, (uint64_t)entry->type, (uint64_t)row->unified_to);
    tl_trace(r->module->diagnostics, TL_TRACE_DEAD_FUNCTION, tl_module_text(r->module, entry->name));
  }
}

void tl_relocate_run(tl_relocated *relocated, const tl_module *module, const tl_layout *layout, tl_arena *arena) {
  static const char *const unified[] = {"__UFT", "__UFT_END", "__UFT_CANONICAL", "__UDT_OFFSET",
                                        "__UDT", "__UDT_END", "__UDT_CANONICAL"};
  *relocated = (tl_relocated){.container_used = tl_arena_new(arena, bool, module->sections.count)};
  tl_vector_reserve(arena, &relocated->kept, module->relocations.count + layout->slot_entries.count);
  relocating r = {.relocated = relocated,
                  .recorded = TL_NONE,
                  .module = module,
                  .layout = layout,
                  .arena = arena,
                  .twin = {.file = TL_NONE, .output = TL_NONE}};
  tl_written_init(&r.written, module, arena);
  tl_map_init(&r.labels, arena);
  r.uft_offset = relocate_name(module, "__UFT_OFFSET");
  for (size_t i = 0; i < 7; i++)
    r.unified_names[i] = relocate_name(module, unified[i]);
  relocate_trace_dead(&r);
  for (size_t i = module->relocations.count; i-- > 0;)
    if (tl_module_relocation_stands(module, i) && !relocate_is_in_empty(&r, &module->relocations.items[i]))
      relocate_entry(&r, (uint32_t)i);
  if (module->capsule && module->view == TL_VIEW_SASS)
    relocate_order_patches(relocated, arena);
  for (size_t i = 0; i < module->copied_entries.count; i++) { /* M20 */
    const tl_copied_entry *const copied = &module->copied_entries.items[i];
    *tl_vector_push(arena, &relocated->kept) = (tl_kept){.container = copied->container,
                                                         .symbol = copied->entry.symbol,
                                                         .type = copied->entry.type,
                                                         .offset = copied->entry.offset,
                                                         .addend = copied->entry.addend};
    relocated->container_used[copied->container] = true;
  }
  for (size_t i = 0; i < layout->slot_entries.count; i++) { /* B6: behind everything else */
    const tl_slot_entry *const entry = &layout->slot_entries.items[i];
    *tl_vector_push(arena, &relocated->kept) =
        (tl_kept){.container = entry->container, .symbol = entry->symbol, .type = entry->type, .offset = entry->offset};
    relocated->container_used[entry->container] = true;
  }
  relocate_note_bodies(&r);
}

void tl_relocate_check_kept(tl_relocated *relocated, const tl_module *module, const tl_layout *layout) {
  const relocating r = {.relocated = relocated, .module = module, .layout = layout};
  relocate_check_kept(&r, false);
  relocate_check_kept(&r, true);
  relocate_check_unrecorded(&r);
  relocate_check_deleted(module);
  relocate_check_unified(&r);
}
