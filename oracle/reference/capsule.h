/* Shared by the files that join the two views of a capsule link: M3, M7-M26. */
#ifndef REF_CAPSULE_H
#define REF_CAPSULE_H

#include "link.h"
#include "relocation_table.h"

/* One section of the output behind `.symtab`. */
typedef struct ref_piece {
  const char *name, *old_name; /* old_name: what step 1 called it, if that was another name (M12) */
  uint32_t name_offset, type, link, info, index;
  uint32_t symbol_name; /* in `.strtab`, of a section that step 1 called otherwise (M13) */
  uint64_t flags, align, entry_size, size, offset;
  ref_bytes data;
  bool has_bytes;
  bool has_places;  /* L585: no bytes shared with the other view's */
  int class;        /* W1.4; 0: not in a segment */
  size_t section;   /* of the Mercury module, or REF_NONE */
  const char *mark; /* L895: behind the section's name; NULL: nothing */
} ref_piece;

/* The SASS instructions of one place. */
typedef struct ref_known_place {
  size_t first, count; /* 0: behind the last */
} ref_known_place;

/* capsule_places.c: the decoded place of each SASS instruction that begins one of a body; RF90. */
typedef struct ref_places {
  size_t count;
  uint64_t end; /* of the decoded bytes */
  uint64_t *at;
  bool *is_padding; /* NOPs: they take no decoded bytes, and stand at the place of what follows */
  bool *is_waiting; /* of these, DEPBAR */
  size_t *self;     /* the SASS instruction that nvlink knows by the place (L871) */
  ref_bytes text;
  ref_known_place *known; /* all that begin there but padding */
  size_t known_count;
} ref_places;

/* By 16 decoded bytes the instruction that they are of, or REF_NONE. */
typedef struct ref_units {
  const size_t *self;
  size_t *items;
  size_t count;
} ref_units;

/* The entries of a link about each of its sections, as they are listed: those about section i are items[starts[i]] up to
 * items[starts[i + 1]]. */
typedef struct ref_targets {
  size_t *starts, *items;
} ref_targets;

/* What stands for a relocation of the Mercury module about frames. */
typedef struct ref_frame_entry {
  uint64_t offset;
  uint32_t type;
  int64_t addend;
  bool is_place; /* written, without an entry */
} ref_frame_entry;

typedef struct ref_capsule {
  ref_link *mercury, *sass;
  ref_units *units;                          /* by function, items NULL until somebody asks */
  ref_targets mercury_targets, sass_targets; /* starts NULL until then */
  size_t *symbol_of;                         /* the Mercury module's symbol of each of the SASS module's, or REF_NONE */
  size_t *sass_symbol_of;                    /* and the other way round */
  ref_places *places;                        /* by function, as soon as somebody asks */
  ref_bytes frames;                          /* the SASS side's `.debug_frame`, as soon as somebody asks */
  ref_frame_entry *frame_entries;            /* by relocation of the Mercury module; NULL until then */
  uint64_t laid_base;                        /* where the tables that ptxas laid out begin in bank 0 (RF304) */
  ref_indices order;                         /* the Mercury module's sections */
  ref_indices kernels;                       /* functions with parameters, in the order of their texts */
  ref_piece *pieces;
  size_t piece_count, piece_capacity;
  const char **marks; /* L895: by section of the Mercury module; NULL: none */
  size_t *piece_of;   /* the SASS piece of each section of the Mercury module */
  size_t *mercury_piece_of;
  uint64_t compat_size; /* of `.nv.compat` in the file of step 1, without attribute 11 */
  uint64_t slot_bytes;  /* of the jump slots in that file (RF226) */
  uint32_t first_parameter_symbol;
  ref_strings new_names;
} ref_capsule;

/* capsule_beside.c */
void ref_beside_settle(ref_link *link, const ref_cubin *whole, ref_cubin *view);

/* capsule_body.c: one instruction of a capsule after another. */
typedef struct ref_capsule_step {
  const uint8_t *data;
  size_t data_size;
  uint64_t count, number;    /* of instructions; this one's */
  uint64_t sass, sass_count; /* its first SASS instruction, and how many it makes */
  size_t at, record, end;    /* of what the capsule holds for it; record: behind the two bytes of RF71 */
  bool derived, begun;
} ref_capsule_step;

bool ref_capsule_body_begin(const uint8_t *data, size_t size, ref_capsule_step *step);
/* False behind the last instruction, or where the capsule is damaged. */
bool ref_capsule_body_next(ref_capsule_step *step);

/* capsule_lengths.c: RF141 */
uint64_t ref_capsule_derived_length(const uint8_t *instruction);

#define REF_PLACE_UNKNOWN UINT64_MAX

/* capsule_known.c */
size_t ref_known_of(const ref_bytes *text, size_t first, size_t count);
/* Where a branch or a BSSY goes: the number of an instruction, or REF_NONE. */
size_t ref_known_target(const ref_bytes *text, size_t number);
bool *ref_known_block_begins(ref_link *link, const ref_bytes *text);
size_t ref_known_behind(const ref_bytes *text, const bool *begins, const ref_known_place *place,
                        const ref_known_place *next);

/* capsule_guards.c: RF1350 */
uint64_t *ref_guards_of(ref_link *link, const ref_bytes *text);
uint64_t ref_guards_waits(const uint8_t *at, uint64_t state);

/* capsule_rows.c: the rows of a frame by ascending place, each once; the first is at 0. */
typedef struct ref_row {
  uint64_t place;
  bool is_given; /* some advance leads there, be it one of 0 */
  ref_bytes operations;
} ref_row;

typedef struct ref_rows {
  ref_row *items;
  size_t count, capacity;
} ref_rows;

/* A number of the variable form, its first 32 bits; the place behind it. */
uint64_t ref_rows_read_number(const uint8_t *data, uint64_t size, uint64_t at, uint32_t *value);
/* The end of an operation that is no advance. */
size_t ref_rows_end_of(const uint8_t *data, size_t size, size_t at);
/* `limit`, not below `size`: to where the last operation may be read (RF995). `unit`: what an advance counts, in bytes. */
ref_rows ref_rows_read(ref_link *link, const uint8_t *data, size_t size, size_t limit, uint64_t unit);
bool ref_rows_read_common(ref_link *link, const uint8_t *data, size_t size, size_t limit, ref_bytes *operations);
void ref_rows_put(ref_link *link, ref_rows *rows, uint64_t place, const ref_bytes *operations);
void ref_rows_write(ref_link *link, const ref_rows *rows, uint64_t unit, ref_bytes *output);

/* capsule_forms.c: RF1220; all of an instruction but its times from its record; false: not known. */
bool ref_forms_write(const uint8_t *record, size_t size, uint8_t *instruction);

/* capsule_times.c: RF1221; `number` of `count` instructions. */
void ref_times_give_stall(uint8_t *text, size_t count, size_t number);
void ref_times_give(uint8_t *text, size_t count, size_t number);
bool ref_times_are_impossible(const uint8_t *instruction);
void ref_times_settle(ref_link *link, uint8_t *text, size_t count, bool is_damaged);
size_t ref_times_count_first(const uint8_t *text, size_t count);
size_t ref_times_target(const uint8_t *at, size_t number, size_t count);

/* capsule_early.c: RF1230; of a text of `count` instructions. */
void ref_early_settle(ref_link *link, uint8_t *text, size_t count);

/* capsule_stack.c: L1806, RF1228; of a text of `count` instructions. */
void ref_stack_settle_number(uint8_t *text, size_t count);
void ref_stack_settle_stall(uint8_t *text, size_t count);

/* capsule_wholes.c: RF1263; one of the instructions that a record makes; `size` 2: what fills a text. False: it is not known. */
bool ref_wholes_write(const uint8_t *record, size_t size, uint64_t count, uint64_t part, uint8_t *instruction);
/* RF1237: bits of an instruction that follow from what its record has beside its fields. */
typedef struct ref_rest_bits {
  uint64_t low, high;
} ref_rest_bits;
/* capsule_rests.c: RF1263; `record`: without its fields. False: no compiler writes it. */
bool ref_rests_find(const uint8_t *record, size_t size, uint64_t count, uint64_t part, ref_rest_bits *bits);
/* capsule_unused.c: RF1222; what an instruction has no field for. */
void ref_unused_clear(uint8_t *instruction);
/* RF1360: of a table of truth of LOP3. */
bool ref_unused_is_logic_of_two(unsigned table);

/* capsule_frame_expressions.c: RF981; `at`: where the operations begin; 0: none. */
uint64_t ref_expression_place(const uint8_t *data, uint64_t size, uint64_t at);

/* capsule_frame_common.c: the common entry of a Mercury frame, `size` bytes with its head. */
typedef struct ref_common {
  uint32_t unit;
  bool is_whole;         /* `bytes` is what the SASS side gets */
  ref_bytes bytes, bare; /* bare: in Mercury's unit, where no frame of it is translated (L1722) */
  uint64_t place;        /* RF981; 0: none */
} ref_common;
ref_common ref_common_read(ref_link *link, const uint8_t *data, size_t size, size_t limit);

/* Of a capsule and its text, as an object has them. */
ref_places ref_places_of_sections(ref_link *link, const ref_section *capsule, const ref_section *text);
/* A section of code on the SASS side as it was before entries were carried out. */
const ref_bytes *ref_places_text(const ref_capsule *capsule, size_t text);
/* Of the function's body that stands. */
ref_places ref_places_of_function(const ref_capsule *capsule, size_t function);
ref_units ref_places_units(ref_link *link, const ref_places *places);
/* The offset of the instruction that holds a decoded byte, or of the one that nvlink knows by it (L872); REF_NONE. */
size_t ref_units_find(const ref_units *units, uint64_t decoded, bool self);
/* Those of a function's body that stands, found once for all entries that ask. */
const ref_units *ref_places_units_of_function(ref_capsule *capsule, size_t function);
/* As ref_places_around, of a table. */
uint64_t ref_units_around(const ref_units *units, uint64_t decoded);
/* The first at a place, NOPs included, or REF_NONE. */
size_t ref_places_find(const ref_places *places, uint64_t place);
/* By decoded place the instruction at which the row of a frame begins, and that of one place, or REF_NONE. */
ref_units ref_places_rows(ref_link *link, const ref_places *places);
size_t ref_rows_instruction(const ref_units *rows, uint64_t place);
/* Does an instruction begin there? */
bool ref_places_begin(const ref_places *places, uint64_t place);
/* The offset of the instruction that holds a decoded byte. */
uint64_t ref_places_around(const ref_places *places, uint64_t decoded);
/* That of the one that nvlink knows by it (L872). */
uint64_t ref_places_self_around(const ref_places *places, uint64_t decoded);
/* RF144: offsets in the SASS text of the instruction at a place and of what stands directly in front of the next one; 0: none. */
uint64_t ref_places_self(const ref_places *places, uint64_t place);
/* By instruction the one directly in front of what nvlink knows next. */
size_t *ref_places_list_behind(ref_link *link, const ref_places *places);
uint64_t ref_places_behind(const ref_places *places, const size_t *behind, uint64_t place);
/* The offset of the first instruction at a place or behind it, or of the text's end. */
uint64_t ref_places_from(const ref_places *places, uint64_t place);

/* The SASS module's section with what a section of the Mercury module holds, or REF_NONE. */
size_t ref_capsule_sass_section(const ref_capsule *capsule, size_t section);
/* The function whose text, constants or attributes a section holds, or REF_NONE. */
size_t ref_capsule_function_of(const ref_capsule *capsule, size_t section);
bool ref_capsule_is_shared_debug(const char *name);
uint32_t ref_capsule_symbol_index(const ref_capsule *capsule, size_t sass_symbol);
/* capsule_laid.c: L749; what ptxas laid out on the SASS side of a Mercury table. */
bool ref_laid_is_table(const ref_link *mercury, size_t section);
void ref_laid_move_loads(ref_capsule *capsule, size_t text);
uint64_t ref_laid_size(const ref_capsule *capsule, size_t section);
ref_bytes ref_laid_entries(ref_capsule *capsule, size_t section);
size_t ref_laid_table_of(const ref_link *mercury, size_t function);
/* capsule_content.c: what the SASS section beside a Mercury one holds. */
ref_bytes ref_capsule_content(ref_capsule *capsule, size_t section);
ref_bytes ref_capsule_attributes(ref_capsule *capsule, size_t function);
/* capsule_compat.c: M18 */
void ref_capsule_add_compat(ref_capsule *capsule);
void ref_capsule_check_schedule(ref_capsule *capsule);
/* Where loads from a table that ptxas laid out go. */
typedef struct ref_laid_place {
  uint64_t base;             /* where all tables begin */
  uint64_t own;              /* behind that, the table of the body that stands (D149) */
  uint64_t input_base, size; /* where that is in the file, and its size; 0: nobody asks */
  uint64_t slots;            /* the link's begin here */
} ref_laid_place;

/* mercury.c: RF77; `sass` is the function's text. */
void ref_mercury_move_loads(ref_capsule *capsule, size_t section, const ref_laid_place *place, ref_bytes *sass);
void ref_mercury_set_table(ref_capsule *capsule, size_t section, ref_bytes *sass);
/* capsule_relocatable.c: M16 */
void ref_capsule_name_constants(ref_link *link, const ref_file *file);
void ref_capsule_restore_names(ref_cubin *view);
ref_bytes ref_capsule_resolved(ref_capsule *capsule, size_t target);

/* capsule_moves.c, I41: which words of an attribute are instructions: `stride` bytes a record, one word of each; NULL: none. */
typedef struct ref_moved_attribute {
  uint8_t code, stride, at;
} ref_moved_attribute;

const ref_moved_attribute *ref_moves_find_attribute(uint8_t code);
/* RF1075, RF1103: the next place of a list of annotations (0x55); false: there is none. */
bool ref_moves_next_annotation(const uint8_t *data, uint64_t size, uint64_t *position, uint64_t *place);

/* capsule_namesakes.c: RF173, RF252 */
void ref_namesakes_share(ref_link *link, ref_cubin *view);
void ref_namesakes_move(ref_link *link, ref_file *file);
void ref_namesakes_mend_attributes(ref_link *link, ref_file *file);

/* capsule_split.c: RF371; the numbers of instructions at which blocks begin. */
void ref_split_text(ref_link *link, ref_bytes *text, const ref_indices *places);

/* RF906, RF985: a move that writes, or reads, other registers than in the input. */
typedef struct ref_split_move {
  size_t instruction;
  unsigned first, count;
  bool is_uniform, writes;
} ref_split_move;

/* capsule_numbers.c: RF986; `before`: the text in which they are right, `end` instructions of which are its first block. */
void ref_numbers_open(ref_link *link, ref_bytes *text); /* RF997 */
void ref_numbers_give_again(ref_link *link, ref_bytes *text, const uint8_t *before, size_t end);
void ref_split_change_moves(ref_link *link, ref_bytes *text, const ref_split_move *moves, size_t move_count);

/* capsule_marks.c: L895 */
const char **ref_marks_of_sections(ref_link *link, const ref_indices *order);

/* leaf.c: M42-M45; is an instruction a call, by the low bits of it? */
bool ref_leaf_is_call(unsigned opcode);
void ref_leaf_finalize(ref_link *link, ref_bytes *text);
void ref_leaf_open(ref_link *link, ref_bytes *text); /* RF1317 */

/* capsule_inner.c: L720, L721, L893; functions inside another function's text. */
bool ref_inner_is_function(const ref_link *mercury, size_t function);
/* Where the function that begins at `start` of the SASS text of `owner` ends. */
uint64_t ref_inner_end(const ref_capsule *capsule, size_t owner, const ref_places *places, uint64_t start);
uint64_t ref_inner_object_place(ref_capsule *capsule, const ref_out_symbol *symbol);
void ref_inner_place_symbol(const ref_capsule *capsule, size_t function, uint64_t *value, uint64_t *size);
/* For each section the last record about the stack of a function in it. */
const ref_record **ref_inner_list_stacks(ref_link *mercury);
/* `written`: the record as it was written. */
void ref_inner_share_stack(const ref_link *mercury, const ref_record *const *stacks, const ref_record *record,
                           uint8_t *written);
void ref_inner_keep_stack_order(ref_link *mercury);

/* An entry about a frame written anew: of no type where there is none. */
/* capsule_frames.c: M24; and what stands for each relocation of the Mercury module. */
ref_bytes ref_capsule_frames(ref_capsule *capsule);
const ref_frame_entry *ref_capsule_frame_entries(ref_capsule *capsule);
/* capsule_frame_entries.c */
void ref_capsule_check_frame_entries(const ref_capsule *capsule);
/* capsule_code_entries.c */
void ref_capsule_check_code_entries(const ref_capsule *capsule);

void ref_capsule_write_frame_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *data);
bool ref_capsule_alias_comes_first(ref_link *mercury, size_t function);
bool ref_capsule_is_first_alias(ref_link *mercury, size_t function, size_t name);

/* capsule_exits.c: where the instructions of a SASS text went: the first instruction made for each, and its own place. One more
 * in `start` for the end. */
typedef struct ref_moves {
  size_t count;
  size_t *start, *self;
} ref_moves;

/* capsule_fences.c: M44, RF314 */
void ref_fences_drop(ref_link *link, ref_file *file);
/* L1833: a kernel that stores to surfaces keeps the MEMBAR of its error barriers. */
bool ref_fences_for_surfaces(const ref_section *text);

/* capsule_moves.c: changes what refers to the text's instructions; `sass` is the new text. */
void ref_moves_apply(ref_link *link, ref_file *file, uint32_t text, const ref_section *capsule, const ref_moves *moves,
                     ref_bytes *sass);
/* Gives each capsule of a file to `edit`, with the number of its SASS text; the link then reads what was made of them. */
void ref_moves_edit_texts(ref_link *link, ref_file *file,
                          void (*edit)(ref_link *, ref_file *, ref_section *, uint32_t));

/* capsule_line_moves.c: the same of the line table that `relocations` are about. */
void ref_line_moves_apply(ref_link *link, ref_cubin *cubin, uint32_t text, const ref_moves *moves,
                          ref_section *relocations);

/* capsule_tables.c: RF811; by 16 decoded bytes whether an indirect branch leads there. */
typedef struct ref_leads {
  const ref_units *units;
  bool *is_target;
} ref_leads;

ref_leads ref_leads_of_section(ref_link *link, const ref_section *attributes, const ref_units *units);
/* The place in the SASS text, or 0. */
uint64_t ref_leads_place(const ref_leads *leads, int64_t place);
void ref_leads_write(const ref_leads *leads, uint32_t type, uint64_t offset, int64_t addend, size_t times,
                     ref_bytes *bytes);

/* capsule_tables.c: M20; `bytes` with the jump targets written anew. */
ref_bytes ref_capsule_jump_tables(ref_capsule *capsule, size_t section, ref_bytes bytes);

/* capsule_line_rows.c: RF142; without `places`: RF131 */
void ref_line_rows_write(ref_link *link, const uint8_t *unit, uint64_t start, uint64_t end, const ref_places *places,
                         const ref_indices *begins, ref_bytes *output, size_t *address_at);

/* capsule_lines.c: M25 */
ref_bytes ref_capsule_lines(ref_capsule *capsule, size_t section, ref_bytes *entries, ref_indices *units);
ref_bytes ref_capsule_debug_info(ref_capsule *capsule, size_t section);
ref_bytes ref_capsule_debug_info_entries(ref_capsule *capsule, size_t section);
/* capsule_addends.c: RF145 */
void ref_capsule_move_addends(ref_capsule *capsule);
uint64_t ref_addends_place(const ref_places *places, uint64_t addend);
typedef struct ref_known_places {
  ref_places places;
  size_t function; /* whose they are */
} ref_known_places;
void ref_capsule_shared_entry(ref_capsule *capsule, const ref_out_relocation *entry, ref_known_places *known,
                              ref_bytes *output);
ref_bytes ref_capsule_shared_entries(ref_capsule *capsule, size_t target);

/* capsule_registers.c: RF79, RF144 */
ref_bytes ref_capsule_registers(ref_capsule *capsule, size_t section);
ref_bytes ref_capsule_register_types(ref_capsule *capsule, size_t section);

/* capsule_slots.c: RF226; jump slots with an index file, stubs with -r. */
void ref_slots_make(ref_capsule *capsule);
void ref_slots_move_entries(ref_capsule *capsule);
ref_bytes ref_slots_entries(ref_capsule *capsule);
bool ref_slots_is_slot(const ref_capsule *capsule, size_t function);
/* Value and size of a slot's symbol on the SASS side. */
void ref_slots_place_symbol(const ref_capsule *capsule, size_t function, uint64_t *value, uint64_t *size);
bool ref_slots_keeps_frame(const ref_capsule *capsule, size_t function);
uint64_t ref_slots_frame_range(const ref_capsule *capsule, size_t function);
void ref_slots_share_count(const ref_capsule *capsule, size_t function, const ref_record *record, ref_bytes *output);
ref_bytes ref_slots_module_attributes(ref_capsule *capsule);

/* capsule_data.c */
/* Whether the finalizer makes the SASS side of such a section from Mercury's, and its entries. */
void ref_capsule_write_entry(ref_capsule *capsule, ref_bytes *output, uint64_t offset, uint32_t type, uint32_t symbol,
                             int64_t addend);
bool ref_data_is_derived(uint32_t type);
uint32_t ref_data_sass_type(uint32_t type, bool is_code);
ref_bytes ref_data_entries(ref_capsule *capsule, size_t target);

bool ref_data_place_field(uint32_t type, ref_field *field);
uint64_t ref_data_place_value(const ref_link *link, const ref_out_relocation *entry, const ref_bytes *symbols);

/* capsule_lines.c: one operation of a unit's program; notes where an address stands. */
bool ref_lines_step(const uint8_t *unit, uint64_t size, uint64_t *at, uint64_t *address_at);

/* capsule_derived.c */
bool ref_lines_are_named_by(const ref_link *mercury, const ref_out_relocation *entry);
void ref_derived_write_value(ref_bytes *text, uint64_t place, uint32_t type, uint64_t value);
unsigned ref_derived_opcode(const ref_bytes *text, uint64_t place);
bool ref_derived_is_place(uint32_t type);
int64_t ref_derived_addend(uint32_t type, int64_t addend, const ref_units *places, unsigned opcode, bool is_first);
uint32_t ref_derived_code_type(uint32_t type, bool kernel, const ref_bytes *text, uint64_t place);
uint32_t ref_derived_sass_type(const ref_link *mercury, const ref_out_relocation *entry, const ref_bytes *text,
                               uint64_t place);
const ref_targets *ref_derived_targets(ref_capsule *capsule);
bool ref_derived_is_own(const ref_link *mercury, const ref_out_relocation *entry, size_t function);

/* capsule_written.c: an instruction's decoded bytes, and the record that they are; 0: it has none. */
typedef struct ref_written_step {
  size_t decoded, length, record, sass;
  unsigned opcode;
} ref_written_step;

/* What entries write into the decoded code of a function. */
typedef struct ref_written {
  unsigned sm;
  ref_bytes *body;
  const ref_bytes *text;
  ref_written_step *steps;
  size_t count, size;
  size_t end, end_count; /* what fills the text: its first instruction, or REF_NONE, and how many */
  uint8_t *bytes;
  bool *is_set; /* both by place */
} ref_written;

ref_written ref_written_begin(const ref_capsule *capsule, size_t function);
void ref_written_add(ref_written *written, const ref_out_relocation *entry);
void ref_written_put_place(const ref_written *written, uint64_t decoded, uint64_t place, bool is_shown,
                           ref_bytes *text);
/* RF907, of a text as an object has it. */
void ref_written_end_of_section(ref_link *link, const ref_section *body, ref_bytes *text);
void ref_written_restore_text(ref_capsule *capsule, size_t function, ref_bytes *text);
void ref_written_translate(ref_link *link, const ref_written *written, ref_bytes *text);
void ref_written_records(ref_capsule *capsule);

void ref_derived_write(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *text);
bool ref_derived_entries(ref_capsule *capsule, size_t section, size_t target, size_t function, ref_bytes *output);

bool ref_capsule_write_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *data);
void ref_capsule_write_table_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *bytes);

#endif
