/* Every input relocation beside what became of it: kept, dropped by a rule, or applied, and then with the value of its
 * formula. Values that the output states nowhere (shared variables, compiler constants, bindless slots) are read off the
 * widest field that holds them and must then explain every other field. */
#include "check_parts.h"

#include "ref_names.h"
#include "ref_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum check_fate {
  CHECK_KEPT,
  CHECK_APPLIED, /* with a value that is known */
  CHECK_SOLVED,  /* with the value of an id */
  CHECK_DROPPED,
  CHECK_CLEARED, /* 72, 73: the field is zero or untouched (R15, R28) */
  CHECK_LOST     /* neither kept nor explained */
} check_fate;

typedef struct check_disposition {
  check_fate fate;
  uint32_t id;
  const char *defect; /* the row of nvlink's defect that shows here, or NULL */
  bool of_piece;      /* the value is one of this function only: extern shared memory (W9.5) */
  check_target target;
  check_formula formula;
  const char *why;
} check_disposition;

enum { BANK_OF_NOTHING = (0U - TYPE_CONSTANT) & 31, BANK_OF_TEXT = 29, EXTERN_SHARED_AUX = 16 }; /* R6, L28, L29 */

bool check_target_of(const ref_check_context *context, uint32_t input, uint32_t symbol, check_target *target) {
  const ref_cubin *cubin = context->link->inputs[input].cubin;
  if (symbol >= cubin->symbol_count) {
    return false;
  }
  *target = (check_target){.input = input, .index = symbol, .symbol = &cubin->symbols[symbol]};
  target->section = check_symbol_section(cubin, target->symbol);
  target->id = context->ids[input][symbol];
  if (target->symbol->section != 0 || target->symbol->info >> 4 == BINDING_LOCAL) {
    return true;
  }
  const check_names names = check_names_find(&context->inputs, target->symbol->name);
  for (size_t i = 0; i < names.count; i++) {
    const check_name *name = &names.items[i];
    const ref_cubin *other = context->link->inputs[name->input].cubin;
    if (other->symbols[name->index].info >> 4 != BINDING_LOCAL) {
      target->input = name->input;
      target->index = name->index;
      target->symbol = &other->symbols[name->index];
      target->section = check_symbol_section(other, target->symbol);
      break;
    }
  }
  return true;
}

/* The one output symbol of that name and binding class in a section whose name starts with `prefix`; 0 when there is none
 * or more than one. */
static uint32_t check_find_output(const ref_check_context *context, const ref_symbol *like, const char *prefix) {
  uint32_t found = 0;
  const check_names names = check_names_find(&context->symbols, like->name);
  for (size_t i = 0; i < names.count; i++) {
    const ref_symbol *symbol = &context->output->symbols[names.items[i].index];
    const ref_section *section = check_symbol_section(context->output, symbol);
    const bool same_class = (symbol->info >> 4 == BINDING_LOCAL) == (like->info >> 4 == BINDING_LOCAL);
    if (section != NULL && same_class && (symbol->info & 15) != SYMBOL_SECTION &&
        check_has_prefix(section->name, prefix)) {
      if (found != 0) {
        return 0;
      }
      found = names.items[i].index;
    }
  }
  return found;
}

static bool check_is_global_space(const check_target *target) {
  const unsigned space = target->symbol->other & SPACE_MASK;
  const uint32_t type = target->section != NULL ? target->section->type : 0;
  return type == TYPE_GLOBAL || type == TYPE_GLOBAL_INIT || type == TYPE_UDT ||
         (target->section == NULL && (space == SPACE_GLOBAL || target->symbol->section == 0xfff2));
}

static check_disposition check_solve_by(const check_target *target, check_formula formula) {
  return (check_disposition){.fate = CHECK_SOLVED,
                             .id = target->id,
                             .of_piece =
                                 target->section == NULL && (target->symbol->other & SPACE_MASK) == SPACE_SHARED,
                             .target = *target,
                             .formula = formula};
}

/* What debug sections say of a function stays where it stands; for the losing bodies of a weak function it goes (R15, R17,
 * W8.3). Which of several bodies won does not always show, so only functions with one body are judged. */
static bool check_is_only_body(const ref_check_context *context, const check_target *target) {
  return check_names_find(&context->sections, target->section->name).count == 1;
}

static check_disposition check_place_function(const ref_check_context *context, const check_piece *piece,
                                              const check_target *target, uint32_t type, check_formula formula) {
  const unsigned visibility = target->symbol->other & 3;
  const uint32_t output = check_find_output(context, target->symbol, ".text.");
  if (visibility == 2 && check_type_is_applied(type)) { /* R14: a hidden function is applied like data */
    formula.bank = BANK_OF_TEXT;
    formula.aux = context->ranks[target->id];
    formula.S = output != 0 ? context->output->symbols[output].value : target->symbol->value;
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula};
  }
  const bool debug = check_is_debug(&context->output->sections[piece->section]);
  if (output != 0 && visibility != 1 && target->section != NULL && (!debug || check_is_only_body(context, target))) {
    return (check_disposition){.fate = CHECK_LOST, .why = "its function is in the output"};
  }
  if (output == 0 && target->section != NULL && (type == 58 || type == 75)) {
    return (check_disposition){.fate = CHECK_LOST, .why = "the called function was removed: D58"};
  }
  return (check_disposition){.fate = CHECK_DROPPED, .formula = formula, .why = "its function is not in the output"};
}

static check_disposition check_place_constant(const ref_check_context *context, const check_target *target,
                                              check_formula formula) {
  const uint32_t output = check_find_output(context, target->symbol, ".nv.constant");
  formula.bank = (target->section->type - TYPE_CONSTANT) & 31;
  if (output != 0 && !check_has_prefix(target->section->name, ".nv.constant2.")) {
    formula.S = context->output->symbols[output].value;
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula};
  }
  return check_solve_by(target, formula);
}

static bool check_is_bindless_type(uint32_t type) {
  static const uint8_t types[] = {5,  12, 17, 18, 22, 23, 24, 25, 29, 30, 38, 39,
                                  42, 46, 50, 51, 54, 55, 59, 64, 65, 66, 115};
  return memchr(types, (int)type, type < 256 ? sizeof types : 0) != NULL;
}

static check_disposition check_place_object(const ref_check_context *context, const check_target *target, uint32_t type,
                                            check_formula formula) {
  const unsigned space = target->symbol->other & SPACE_MASK, kind = target->symbol->info & 15;
  if (kind >= SYMBOL_TEXTURE && kind <= SYMBOL_SURFACE) {
    formula.bank = check_is_bindless_type(type) ? 0 : BANK_OF_NOTHING;
    return check_is_bindless_type(type) ? check_solve_by(target, formula)
                                        : (check_disposition){.fate = CHECK_APPLIED, .formula = formula};
  }
  if (target->section != NULL && target->section->type >= TYPE_CONSTANT && target->section->type < TYPE_CONSTANT + 32) {
    return check_place_constant(context, target, formula);
  }
  formula.bank = ((target->section != NULL ? target->section->type : 0) - TYPE_CONSTANT) & 31;
  if (space == SPACE_SHARED) {
    formula.bank = target->section != NULL ? (TYPE_SHARED - TYPE_CONSTANT) & 31 : BANK_OF_NOTHING;
    formula.aux = target->section != NULL ? target->symbol->value : EXTERN_SHARED_AUX;
    return check_solve_by(target, formula);
  }
  if (target->section == NULL && target->symbol->info >> 4 == BINDING_WEAK) {
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula, .defect = "D13"}; /* nvlink takes -1 */
  }
  return check_solve_by(target, formula);
}

/* Types 40 and 41: the distance from the field, inside one section; nvlink refuses even that (R25, D61). */
static check_disposition check_place_relative(const ref_check_context *context, const check_piece *piece,
                                              const check_entry *entry, const check_target *target,
                                              check_formula formula) {
  const ref_section *own = &context->link->inputs[piece->input].cubin->sections[piece->source];
  if (target == NULL || target->section != own) {
    return (check_disposition){.fate = CHECK_LOST, .why = "its target lies in another section (R25)"};
  }
  const uint64_t moved = piece->offset - piece->from;
  formula.S = target->symbol->value + moved - (entry->relocation.offset + moved);
  return (check_disposition){.fate = CHECK_APPLIED, .formula = formula};
}

/* What became of an entry that was not kept. */
static check_disposition check_place_unkept(const ref_check_context *context, const check_piece *piece,
                                            const check_entry *entry) {
  const uint32_t type = entry->relocation.type;
  check_formula formula = {
      .A = (uint64_t)entry->relocation.addend, .bank = BANK_OF_NOTHING, .adds_old = !entry->has_addend};
  check_target target;
  if (type == 0 || type == 68 || type == 69) {
    return (check_disposition){.fate = CHECK_DROPPED, .why = "no bits"};
  }
  if (type == 72 || type == 73) {
    return (check_disposition){.fate = CHECK_CLEARED};
  }
  const bool named = check_target_of(context, piece->input, entry->relocation.symbol, &target);
  const unsigned kind = named ? target.symbol->info & 15 : SYMBOL_NOTYPE;
  if (named && (check_has_prefix(target.symbol->name, "__UFT") || check_has_prefix(target.symbol->name, "__UDT"))) {
    return (check_disposition){.fate = CHECK_DROPPED, .why = "a unified table's symbol (R13)"};
  }
  if (named && kind == SYMBOL_FUNC) {
    return check_place_function(context, piece, &target, type, formula);
  }
  if (check_type_is_runtime(type)) {
    return (check_disposition){.fate = CHECK_LOST, .why = "the loader applies this type (R26)"};
  }
  if (type == 40 || type == 41) {
    return check_place_relative(context, piece, entry, named ? &target : NULL, formula);
  }
  if (!named || kind == SYMBOL_NOTYPE || kind == SYMBOL_FILE || kind == SYMBOL_COMMON || kind == SYMBOL_TLS) {
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula}; /* R12 */
  }
  if (check_is_global_space(&target)) {
    return (check_disposition){.fate = CHECK_LOST, .why = "the loader places global variables (R13c)"};
  }
  if (kind == SYMBOL_SECTION && target.section != NULL && check_is_code(target.section)) {
    formula.bank = BANK_OF_TEXT;
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula}; /* R14: 0 + A */
  }
  const bool debug = check_is_debug(&context->output->sections[piece->section]);
  if (debug && (target.symbol->other & SPACE_MASK) == SPACE_SHARED) {
    return (check_disposition){.fate = CHECK_CLEARED}; /* W11.7, W17.2, W17.4: not looked at here */
  }
  if (debug && kind == SYMBOL_SECTION && target.section != NULL &&
      context->blocks[target.input][target.symbol->section] != UINT64_MAX) {
    formula.A += context->blocks[target.input][target.symbol->section]; /* R1 */
    return (check_disposition){.fate = CHECK_APPLIED, .formula = formula, .defect = entry->has_addend ? NULL : "D12"};
  }
  check_disposition fate = check_place_object(context, &target, type, formula);
  if (kind == SYMBOL_SECTION && !entry->has_addend) {
    fate.defect = "D12";
  }
  return fate;
}

/* The same, with the row of nvlink's defect where one is known to look like this. */
static check_disposition check_place_applied(const ref_check_context *context, const check_piece *piece,
                                             const check_entry *entry) {
  check_disposition fate = check_place_unkept(context, piece, entry);
  check_target target;
  const bool constant = strcmp(context->output->sections[piece->section].name, ".nv.constant3") == 0;
  if (fate.fate == CHECK_LOST && constant &&
      check_target_of(context, piece->input, entry->relocation.symbol, &target) &&
      target.symbol->info >> 4 == BINDING_WEAK) {
    fate.why = "a pointer in a constant to a weak symbol: D83";
  }
  return fate;
}

/* The kept entry that stands for an input entry, or NULL. */
static check_entry *check_find_kept(ref_check_context *context, const check_piece *piece, const check_entry *entry) {
  check_entries *kept = check_entries_of(&context->kept, piece->section);
  const uint64_t at = entry->relocation.offset - piece->from + piece->offset;
  for (size_t i = check_entries_from(kept, at); i < kept->count && kept->items[i].relocation.offset == at; i++) {
    const uint32_t type = kept->items[i].relocation.type;
    if (!kept->items[i].claimed &&
        (type == entry->relocation.type || type == check_type_rewritten(entry->relocation.type) ||
         ((entry->relocation.type == 72 || entry->relocation.type == 73) && type == 0))) {
      return &kept->items[i];
    }
  }
  return NULL;
}

/* R36: the kept entry names the same symbol, or the function that an alias names (R16), with the same addend. */
static void check_kept_pair(ref_check_context *context, const check_piece *piece, const check_entry *entry,
                            const check_entry *kept) {
  check_target target;
  if (kept->relocation.symbol >= context->output->symbol_count ||
      !check_target_of(context, piece->input, entry->relocation.symbol, &target)) {
    return;
  }
  const ref_symbol *symbol = &context->output->symbols[kept->relocation.symbol];
  const unsigned kind = target.symbol->info & 15;
  const bool function = kind == SYMBOL_FUNC && (symbol->info & 15) == SYMBOL_FUNC;
  if (kind == SYMBOL_NOTYPE || kind == SYMBOL_SECTION || kind == SYMBOL_FILE || kept->relocation.symbol == 0) {
    return;
  }
  if (strcmp(symbol->name, target.symbol->name) != 0 && !function) {
    check_found(context, piece->section, kept->relocation.offset, "kept against '%s', the input says '%s'",
                symbol->name, target.symbol->name);
  } else if (kept->relocation.addend != entry->relocation.addend && !function) {
    check_found(context, piece->section, kept->relocation.offset,
                "kept against '%s' with addend 0x%" PRIx64 ", the input says 0x%" PRIx64, symbol->name,
                (uint64_t)kept->relocation.addend, (uint64_t)entry->relocation.addend);
  }
}

static void check_add_near(ref_check_context *context, const check_piece *piece, const check_entry *entry,
                           const check_formula *formula) {
  ref_check_report *report = context->report;
  const uint32_t type = entry->relocation.type;
  const uint64_t value = formula->S + formula->A;
  uint64_t limit = 0;
  if (!check_field_limit(type, &limit) || value >= limit) {
    return;
  }
  if (report->near_count == report->near_capacity) {
    report->near_capacity = report->near_capacity == 0 ? 64 : 2 * report->near_capacity;
    report->near = ref_reallocate(report->near, report->near_capacity, sizeof *report->near);
  }
  report->near[report->near_count++] =
      (ref_check_near){.section = piece->section,
                       .type = type,
                       .offset = entry->relocation.offset - piece->from + piece->offset,
                       .value = value,
                       .slack = limit - value};
}

static void check_add_use(ref_check_context *context, const check_piece *piece, const check_disposition *fate) {
  if (context->use_count == context->use_capacity) {
    context->use_capacity = context->use_capacity == 0 ? 64 : 2 * context->use_capacity;
    context->uses = ref_reallocate(context->uses, context->use_capacity, sizeof *context->uses);
  }
  context->uses[context->use_count++] = (check_use){.section = piece->section,
                                                    .input = fate->target.input,
                                                    .symbol = fate->target.index,
                                                    .id = fate->id,
                                                    .S = fate->formula.S};
}

static int check_order_uses(const void *a, const void *b) {
  const check_use *x = a, *y = b;
  return x->section != y->section ? (x->section < y->section ? -1 : 1) : (x->id < y->id ? -1 : x->id > y->id);
}

check_uses check_uses_of(const ref_check_context *context, uint32_t section) {
  size_t low = 0, high = context->use_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (context->uses[middle].section < section) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  size_t end = low;
  while (end < context->use_count && context->uses[end].section == section) {
    end++;
  }
  return (check_uses){end == low ? NULL : &context->uses[low], end - low};
}

/* --- pass 0 ------------------------------------------------------------------------------------------------------- */

/* Solves the values of one piece: those of the whole link, or with `of_piece` those that are the piece's own. */
static void check_solve_piece(ref_check_context *context, const check_piece *piece, bool of_piece) {
  const uint8_t *made = check_piece_made(context, piece);
  const uint8_t *source = check_piece_source(context, piece);
  const check_chosen_entries entries = check_piece_entries(context, piece);
  for (size_t i = 0; i < entries.count; i++) {
    const check_entry *entry = entries.items[i];
    if (check_find_kept(context, piece, entry) != NULL) {
      continue;
    }
    const check_disposition fate = check_place_applied(context, piece, entry);
    uint64_t S = 0;
    if (fate.fate != CHECK_SOLVED || fate.of_piece != of_piece) {
      continue;
    }
    const unsigned width = check_solve_field(made, source, piece->size, entry->relocation.offset - piece->from,
                                             entry->relocation.type, &fate.formula, &S);
    if (width > context->values[fate.id].width) {
      context->values[fate.id] = (check_value){S, (uint8_t)width};
    }
  }
  free(entries.items);
}

void check_values_solve(ref_check_context *context) {
  for (size_t i = 0; context->executable && i < context->piece_count; i++) {
    if (context->pieces[i].input != CHECK_NO_SOURCE) {
      check_solve_piece(context, &context->pieces[i], false);
    }
  }
}

/* --- pass 1 ------------------------------------------------------------------------------------------------------- */

static void check_apply_entry(ref_check_context *context, const check_piece *piece, const check_entry *entry,
                              uint8_t *expected, const uint8_t *made) {
  const uint64_t at = entry->relocation.offset - piece->from;
  check_entry *kept = check_find_kept(context, piece, entry);
  if (kept != NULL) {
    kept->claimed = true;
    context->report->entries_kept++;
    check_kept_pair(context, piece, entry, kept);
    return;
  }
  check_disposition fate = check_place_applied(context, piece, entry);
  if (fate.fate == CHECK_LOST) {
    check_found(context, piece->section, piece->offset + at, "relocation type %u is neither kept nor applied: %s",
                entry->relocation.type, fate.why);
  } else if (fate.fate == CHECK_CLEARED) {
    check_copy_field(expected, made, piece->size, at, entry->relocation.type);
  } else if (fate.fate == CHECK_APPLIED || fate.fate == CHECK_SOLVED) {
    if (fate.fate == CHECK_SOLVED) {
      fate.formula.S = context->values[fate.id].S;
      check_add_use(context, piece, &fate);
      if ((fate.target.symbol->info & 15) == SYMBOL_SECTION) { /* R1: S is 0, the section's place goes to the addend */
        fate.formula.A += fate.formula.S;
        fate.formula.S = 0;
      }
    }
    check_write_field(expected, piece->size, at, entry->relocation.type, &fate.formula);
    if (!check_is_debug(&context->output->sections[piece->section])) {
      check_add_near(context, piece, entry, &fate.formula);
    }
    context->report->fields_checked++;
  }
}

/* What another piece said of the values that are each piece's own no longer counts. */
static void check_forget_piece(ref_check_context *context, const check_piece *piece, check_chosen_entries entries) {
  for (size_t i = 0; i < entries.count; i++) {
    const check_disposition fate = check_place_applied(context, piece, entries.items[i]);
    if (fate.fate == CHECK_SOLVED && fate.of_piece) {
      context->values[fate.id] = (check_value){0, 0};
    }
  }
}

/* The last applied of the entries whose field may hold a byte, or NULL. */
static const check_entry *check_entry_at(const check_piece *piece, check_chosen_entries entries, uint64_t byte) {
  for (size_t i = entries.count; i > 0; i--) {
    const ref_relocation *relocation = &entries.items[i - 1]->relocation;
    const uint64_t at = relocation->offset - piece->from;
    if (byte >= at && byte - at < sizeof(uint64_t) && check_type_is_applied(relocation->type)) {
      return entries.items[i - 1];
    }
  }
  return NULL;
}

static void check_found_byte(ref_check_context *context, const check_piece *piece, uint64_t at, uint8_t made,
                             uint8_t expected, const check_entry *entry) {
  const char *input = context->link->inputs[piece->input].name;
  if (entry == NULL) {
    check_found(context, piece->section, piece->offset + at, "0x%02x, in '%s' 0x%02x", made, input, expected);
    return;
  }
  const check_disposition fate = check_place_applied(context, piece, entry);
  check_found(context, piece->section, piece->offset + at, "0x%02x, by relocation type %u of '%s' 0x%02x%s%s", made,
              entry->relocation.type, input, expected, fate.defect != NULL ? ": " : "",
              fate.defect != NULL ? fate.defect : "");
}

static void check_compare_piece(ref_check_context *context, const check_piece *piece) {
  const uint8_t *made = check_piece_made(context, piece);
  const check_chosen_entries entries = check_piece_entries(context, piece);
  uint8_t *expected = check_piece_copy(context, piece);
  check_forget_piece(context, piece, entries);
  check_solve_piece(context, piece, true);
  for (size_t i = 0; i < entries.count; i++) {
    check_apply_entry(context, piece, entries.items[i], expected, made);
  }
  for (uint64_t i = 0; i < piece->size; i++) {
    if (expected[i] != made[i]) {
      check_found_byte(context, piece, i, made[i], expected[i], check_entry_at(piece, entries, i));
      i |= 7; /* one finding for eight bytes */
    }
  }
  context->report->bytes_explained += piece->size;
  free(expected);
  free(entries.items);
}

/* M42: nvlink schedules the leaf kernels of a capsule anew: what it wrote is no input's text. */
static bool check_is_made_anew(const ref_check_context *context, const check_piece *piece) {
  const uint32_t function = context->capsule ? check_function_of(context, piece->section) : 0;
  return function != 0 && check_is_kernel(&context->output->symbols[function]) && piece->input != CHECK_NO_SOURCE &&
         check_entries_of(&context->entries[piece->input], piece->source)->count == 0;
}

typedef enum check_kind { CHECK_CODE, CHECK_DATA, CHECK_DEBUG } check_kind;

static check_kind check_kind_of(const ref_section *section) {
  return check_is_code(section) ? CHECK_CODE : check_is_debug(section) ? CHECK_DEBUG : CHECK_DATA;
}

static void check_compare_pieces(ref_check_context *context, check_kind kind) {
  for (size_t i = 0; context->executable && i < context->piece_count; i++) {
    const check_piece *piece = &context->pieces[i];
    const ref_section *section = &context->output->sections[piece->section];
    if (check_kind_of(section) != kind || check_is_made_anew(context, piece)) {
      continue;
    }
    if (piece->input != CHECK_NO_SOURCE) {
      check_compare_piece(context, piece);
    } else {
      check_found(context, piece->section, piece->offset, "no input has 0x%" PRIx64 " bytes for this", piece->size);
    }
  }
}

void check_applied(ref_check_context *context) {
  check_compare_pieces(context, CHECK_CODE);
  if (context->use_count > 0) {
    qsort(context->uses, context->use_count, sizeof *context->uses, check_order_uses);
  }
}

/* What code uses is complete after `applied`; data and debug sections use nothing at run time. */
static void check_compare_unused(ref_check_context *context, check_kind kind) {
  const size_t uses = context->use_count;
  check_compare_pieces(context, kind);
  context->use_count = uses;
}

void check_data(ref_check_context *context) {
  check_compare_unused(context, CHECK_DATA);
}

void check_debug(ref_check_context *context) {
  check_compare_unused(context, CHECK_DEBUG);
}

/* Kept entries in the parts of the output that are accounted for: what no input entry claimed was invented. Entries for
 * the bindless table (B6, B7) lie in bank 0 and are `bindless`'s business. */
void check_kept_origin(ref_check_context *context) {
  for (size_t i = 0; context->executable && i < context->piece_count; i++) {
    const check_piece *piece = &context->pieces[i];
    const check_entries *kept = check_entries_of(&context->kept, piece->section);
    for (size_t k = check_entries_from(kept, piece->offset);
         piece->input != CHECK_NO_SOURCE && k < kept->count &&
         kept->items[k].relocation.offset < piece->offset + piece->size;
         k++) {
      if (!kept->items[k].claimed) {
        check_found(context, piece->section, kept->items[k].relocation.offset,
                    "a relocation of type %u that '%s' does not have", kept->items[k].relocation.type,
                    context->link->inputs[piece->input].name);
      }
    }
  }
}
