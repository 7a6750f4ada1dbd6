/* The frames of a capsule's SASS side in a file that is finalized before it is linked (L1724): as nvlink makes them of
 * Mercury's, whatever the input has there. An entry of Mercury's stands at the word of its frame that nvlink knows, and
 * otherwise at the first byte of the section (L1304); a pointer to a CIE that has an entry stays as Mercury has it (L1822). */
#include "cubin/derive.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/vector.h"
#include "catalog/relocation.h"
#include "catalog/sass_type.h"
#include "cubin/call_frame.h"
#include "cubin/elf.h"
#include "cubin/frame_writer.h"

#include <string.h>

enum { POINTER_SIZE = 8 };

/* A place in the decoded code of a text where a function other than its first begins (L720). */
typedef struct frame_function {
  uint32_t capsule;
  uint64_t mercury;
} frame_function;

/* What the entries at one place say: the first of them, and the last address of code. */
typedef struct frame_entry {
  uint64_t offset, addend;
  uint32_t symbol, order;
  uint32_t addressed; /* what that address is about, TL_NONE without one; the addend is that one's */
} frame_entry;
typedef TL_VECTOR(frame_entry) frame_entries;

typedef struct framer {
  const tl_derive_frames *of;
  const tl_cubin_section *frames, *list; /* Mercury's */
  const tl_cubin_section *symbols;       /* the SASS side's, derived already */
  uint64_t count;                        /* of its entries */
  frame_entries entries;                 /* by offset */
  TL_VECTOR(frame_function) inner;       /* ascending */
  bool *aliased;                         /* by capsule: a second name stands before its function (L104) */
  tl_frame_pairs pairs;
  tl_frames_moved moved;
  tl_frame_output out;
} framer;

static const tl_cubin_section *framer_section(const framer *w, uint32_t index) {
  return &w->of->cubin->sections[index];
}

/* NULL for an index behind the table. */
static const uint8_t *framer_symbol(const framer *w, uint32_t symbol) {
  return symbol < w->of->symbol_count ? w->of->symbols + (uint64_t)symbol * ELF_SYMBOL_SIZE : NULL;
}

/* The capsule that a symbol lies in, if the SASS side has its text; 0. */
static uint32_t framer_capsule(const framer *w, const uint8_t *symbol) {
  const uint32_t section = symbol ? tl_get16(symbol + 6) : 0;
  const bool capsule = section && section < w->of->cubin->section_count && w->of->sass[section] &&
                       framer_section(w, section)->type == SHT_CUDA_CAPSULE;
  return capsule ? section : 0;
}

/* --- functions in texts --- */

static int framer_compare_functions(const void *a, const void *b) {
  const frame_function *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->capsule, y->capsule}, {x->mercury, y->mercury}};
  return tl_compare_pairs(pairs, 2);
}

static void framer_find_functions(framer *w) {
  w->aliased = tl_arena_new(w->of->arena, bool, w->of->cubin->section_count);
  for (uint32_t i = 0; i < w->of->symbol_count; i++) {
    const uint8_t *const symbol = framer_symbol(w, i);
    const uint32_t capsule = (symbol[4] & 15) == STT_FUNC ? framer_capsule(w, symbol) : 0;
    const uint64_t value = tl_get64(symbol + 8);
    if (capsule && value)
      *tl_vector_push(w->of->arena, &w->inner) = (frame_function){capsule, value};
    else if (capsule && i < tl_cubin_primary(w->of->cubin, capsule))
      w->aliased[capsule] = true;
  }
  tl_vector_sort(&w->inner, framer_compare_functions);
}

static bool framer_begins_inner(const framer *w, uint32_t capsule, uint64_t mercury) {
  const frame_function key = {capsule, mercury};
  return tl_sorted_find(&key, w->inner.items, w->inner.count, sizeof key, framer_compare_functions) != NULL;
}

/* Where the function that begins at a place of the decoded code ends there. */
static uint64_t framer_end(const framer *w, uint32_t capsule, uint64_t start) {
  size_t low = 0, high = w->inner.count;
  const frame_function key = {capsule, start};
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (framer_compare_functions(&w->inner.items[middle], &key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < w->inner.count && w->inner.items[low].capsule == capsule ? w->inner.items[low].mercury : UINT64_MAX;
}

static uint64_t framer_sass_place(const framer *w, const tl_code *map, uint32_t capsule, uint64_t mercury) {
  const tl_code_place *const place = tl_code_find(map, mercury);
  return place ? place->sass : framer_section(w, w->of->sass[capsule])->size;
}

/* --- entries --- */

static int framer_compare_entries(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->offset, y->offset}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

static int framer_compare_places(const void *a, const void *b) {
  return tl_compare(((const frame_entry *)a)->offset, ((const frame_entry *)b)->offset);
}

static void framer_read_entries(framer *w) {
  enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };
  for (uint64_t i = 0; i < w->count; i++) {
    const uint8_t *const at = w->list->data + i * ELF_RELA_SIZE;
    const uint32_t type = tl_get32(at + 8), symbol = tl_get32(at + 12);
    const bool address = type == CODE_WORD || type == CODE_ADDRESS;
    *tl_vector_push(w->of->arena, &w->entries) =
        (frame_entry){tl_get64(at), tl_get64(at + 16), symbol, (uint32_t)i, address ? symbol : TL_NONE};
  }
  tl_vector_sort(&w->entries, framer_compare_entries);
  size_t kept = 0;
  for (size_t i = 0; i < w->entries.count; i++) {
    const frame_entry *const entry = &w->entries.items[i];
    frame_entry *const last = kept ? &w->entries.items[kept - 1] : NULL;
    if (!last || last->offset != entry->offset) {
      w->entries.items[kept++] = *entry;
    } else if (entry->addressed != TL_NONE) {
      last->addressed = entry->addressed;
      last->addend = entry->addend;
    }
  }
  w->entries.count = kept;
}

static const frame_entry *framer_find_entry(const framer *w, uint64_t offset) {
  const frame_entry key = {.offset = offset};
  return tl_sorted_find(&key, w->entries.items, w->entries.count, sizeof key, framer_compare_places);
}

/* What the entries of a place add on the SASS side: of an address of code that of an instruction (L1524). */
static uint64_t framer_addend(const framer *w, const frame_entry *entry) {
  const uint8_t *const symbol = entry->addressed == TL_NONE ? NULL : framer_symbol(w, entry->addressed);
  const uint32_t capsule = framer_capsule(w, symbol);
  if (!capsule)
    return entry->addend;
  if ((symbol[4] & 15) == STT_SECTION) /* L1746 */
    return 0;
  const tl_code *const map = w->of->code_of(w->of->context, capsule);
  if (!map)
    return 0;
  if (framer_begins_inner(w, capsule, entry->addend))
    return framer_sass_place(w, map, capsule, entry->addend);
  return tl_code_translate(map, entry->addend, framer_section(w, w->of->sass[capsule])->size);
}

/* --- frames --- */

/* Finds a frame's function, and its code. */
static void framer_find_code(framer *w, tl_frame_pair *pair, uint64_t addend) {
  const uint8_t *const symbol = framer_symbol(w, pair->symbol);
  const uint32_t capsule = framer_capsule(w, symbol);
  const uint64_t stored = tl_get64(pair->frame + TL_FRAME_ADDRESS);
  const bool function = capsule && (symbol[4] & 15) == STT_FUNC;
  pair->nobody = !function || (stored && !framer_begins_inner(w, capsule, stored));
  pair->stays = function && w->aliased[capsule];
  pair->map = function && !pair->stays ? w->of->code_of(w->of->context, capsule) : NULL;
  if (pair->nobody)
    return;
  const uint64_t value = tl_get64(symbol + 8), place = value ? value : addend;
  pair->start = framer_begins_inner(w, capsule, place) ? place : 0;
  if (!pair->map)
    return;
  pair->text = framer_section(w, w->of->sass[capsule])->data;
  pair->sass_start = pair->start ? framer_sass_place(w, pair->map, capsule, pair->start) : 0;
  pair->code_size = framer_sass_place(w, pair->map, capsule, framer_end(w, capsule, pair->start)) - pair->sass_start;
}

/* False where the bytes are no frames. */
static bool framer_read(framer *w) {
  const uint64_t size = w->frames->size;
  tl_call_frame cie = {0}, frame;
  tl_call_frame_kind kind = TL_FRAME_WHOLE;
  for (uint64_t at = 0; at < size && kind == TL_FRAME_WHOLE;) {
    kind = tl_call_frame_next(w->frames->data, size, &at, &frame);
    if (kind == TL_FRAME_NONE)
      return false;
    const frame_entry *const entry = frame.cie ? NULL : framer_find_entry(w, frame.offset + TL_FRAME_ADDRESS);
    if (frame.cie)
      cie = frame; /* a frame's CIE is the one before it */
    if (!cie.size || (entry && frame.ends))
      return false;
    if (!entry && frame.ends) /* L1725 */
      break;
    if (!entry)
      continue;
    tl_frame_pair *const pair = tl_vector_push(w->of->arena, &w->pairs);
    *pair = (tl_frame_pair){.place = frame.offset,
                            .symbol = entry->symbol,
                            .frame = w->frames->data + frame.offset,
                            .size = frame.size,
                            .behind = size - at,
                            .cie = w->frames->data + cie.offset,
                            .cie_size = cie.size,
                            .cie_at = cie.offset};
    framer_find_code(w, pair, entry->addend);
  }
  return true;
}

/* Where an entry is on the SASS side, 0 where that has no such word (L1304). L1885: an address in a CIE has its place, too, but
 * where error barriers are asked for (D135). */
static uint64_t framer_place(const framer *w, uint64_t offset, const tl_frame_moved *found) {
  const bool known = tl_frames_is_word(found, w->frames->data, offset) && !(found->cie && w->of->barriers);
  return known ? found->to + (offset - found->from) : 0;
}

/* L1304: what an entry says that is a place in the code stands in the bytes. */
static void framer_put_place(const framer *w, const tl_relocation_row *row, uint32_t symbol, uint64_t offset,
                             uint64_t place) {
  const unsigned width = row->fields[0].width / 8u;
  if (symbol >= w->symbols->size / ELF_SYMBOL_SIZE || place > w->out.size || width > w->out.size - place)
    return;
  const uint64_t begin = tl_get64(w->symbols->data + (uint64_t)symbol * ELF_SYMBOL_SIZE + 8);
  const uint64_t value = begin + framer_addend(w, framer_find_entry(w, offset));
  tl_put(w->out.bytes + place, value >> row->fields[0].shift, width);
}

static void framer_write_entries(const framer *w, tl_cubin_section *own) {
  uint8_t *const bytes = tl_arena_new(w->of->arena, uint8_t, w->count *ELF_RELA_SIZE);
  uint64_t done = 0;
  for (uint64_t i = 0; i < w->count; i++) {
    const uint8_t *const from = w->list->data + i * ELF_RELA_SIZE;
    const uint64_t offset = tl_get64(from);
    const uint32_t type = tl_get32(from + 8);
    const tl_frame_moved *const found = tl_frames_find(&w->moved, offset);
    const uint64_t place = framer_place(w, offset, found);
    const bool pointer = found && !found->cie && offset - found->from == TL_FRAME_CIE;
    if (pointer && place < w->out.size)
      memcpy(w->out.bytes + place, w->frames->data + offset, POINTER_SIZE);
    const tl_relocation_row *const row = tl_relocation_in_view(type, true);
    if (tl_relocation_is_code_place(row))
      framer_put_place(w, row, tl_get32(from + 12), offset, place);
    if (type == 0 || type == TL_R_MERCURY || tl_relocation_is_code_place(row))
      continue;
    uint8_t *const to = bytes + done;
    memcpy(to, from, ELF_RELA_SIZE);
    tl_put64(to, place);
    tl_put32(to + 8, tl_sass_type_in_data(type));
    tl_put64(to + 16, framer_addend(w, framer_find_entry(w, offset)));
    done += ELF_RELA_SIZE;
  }
  own->data = bytes;
  own->size = done;
  own->entry_size = ELF_RELA_SIZE;
}

void tl_derive_make_frames(const tl_derive_frames *of, uint32_t frames, uint32_t entries) {
  tl_cubin_section *const sections = of->cubin->sections;
  tl_cubin_section *const own = &sections[of->sass[frames]], *const list = &sections[of->sass[entries]];
  framer w = {.of = of,
              .frames = &sections[frames],
              .list = &sections[entries],
              .symbols = &sections[tl_cubin_find_section(of->cubin, SHT_SYMTAB)]};
  if (!own->data || !w.frames->data || !w.list->data)
    return;
  w.count = w.list->size / tl_larger(list->entry_size, ELF_RELA_SIZE);
  framer_find_functions(&w);
  framer_read_entries(&w);
  if (!framer_read(&w) || tl_frames_write(&w.pairs, of->arena, &w.out, &w.moved))
    return;
  framer_write_entries(&w, list);
  own->data = w.out.bytes;
  own->size = w.out.size;
}
