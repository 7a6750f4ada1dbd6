/* RF1398: what is noted of a leaf kernel so that a hostile text, in which everything is pending everywhere, costs no more than it may. Lists are
 * compared by marks, and who needs what is looked up. What is done is counted; where it is too much nothing more is done. */
#include "leaf.h"

enum { MOST_WORK = 1 << 28, ROOM_COST = 16, REGISTERS = 512 };

ref_leaf_notes *ref_leaf_notes_make(ref_link *link, size_t count) {
  ref_leaf_notes *notes = REF_TAKE_ONE(link, ref_leaf_notes);
  notes->marks = REF_TAKE(link, unsigned, BARRIERS *count + 1);
  notes->writers = REF_TAKE(link, ref_indices, REGISTERS);
  notes->strange = REF_TAKE(link, size_t, count + 1);
  notes->all = REF_TAKE(link, size_t, count + 1);
  return notes;
}

void ref_leaf_spend(const ref_leaf *leaf, size_t work) {
  leaf->notes->work += work;
}

bool ref_leaf_is_spent(const ref_leaf *leaf) {
  return leaf->notes->work > MOST_WORK;
}

void ref_leaf_add(const ref_leaf *leaf, ref_indices *list, size_t item) {
  const size_t room = list->capacity;
  if (!ref_leaf_is_spent(leaf)) {
    ref_indices_add(leaf->link, list, item);
    ref_leaf_spend(leaf, ROOM_COST * (list->capacity - room));
  }
}

void ref_leaf_mark(const ref_leaf *leaf, const ref_indices *list) {
  leaf->notes->stamp++;
  for (size_t i = 0; i < list->count; i++) {
    leaf->notes->marks[list->items[i]] = leaf->notes->stamp;
  }
}

bool ref_leaf_is_marked(const ref_leaf *leaf, size_t token) {
  return leaf->notes->marks[token] == leaf->notes->stamp;
}

void ref_leaf_add_marked(const ref_leaf *leaf, ref_indices *list, size_t item) {
  if (!ref_leaf_is_marked(leaf, item)) {
    leaf->notes->marks[item] = leaf->notes->stamp;
    ref_leaf_add(leaf, list, item);
  }
}

/* Of a set, whatever its order. */
uint64_t ref_leaf_digest(const ref_indices *list) {
  const uint64_t odd = 0x9e3779b97f4a7c15U, mixer = 0xbf58476d1ce4e5b9U;
  uint64_t sum = 0;
  for (size_t i = 0; i < list->count; i++) {
    const uint64_t one = (list->items[i] + 1) * odd, mixed = (one ^ one >> 30) * mixer;
    sum += mixed ^ mixed >> 27;
  }
  return sum;
}

void ref_leaf_note_users(ref_leaf *leaf) {
  for (size_t i = 0; i < leaf->token_count; i++) {
    leaf->tokens[i].users.count = 0;
  }
  for (size_t i = 0; i < leaf->count; i++) {
    const ref_indices *waits = &leaf->instructions[i].waits;
    ref_leaf_spend(leaf, waits->count);
    for (size_t k = 0; k < waits->count && !ref_leaf_is_spent(leaf); k++) {
      ref_leaf_add(leaf, &leaf->tokens[waits->items[k]].users, i);
    }
  }
  for (size_t b = 0; b < leaf->block_count; b++) {
    leaf->blocks[b].is_asked = false;
  }
}

void ref_leaf_note_waits(ref_leaf *leaf) {
  leaf->notes->all[0] = 0;
  for (size_t i = 0; i < leaf->count; i++) {
    leaf->notes->all[i + 1] = leaf->instructions[i].waits_for_all ? i + 1 : leaf->notes->all[i];
  }
}

size_t ref_leaf_find_from(const ref_indices *list, size_t from) {
  size_t low = 0, high = list->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list->items[middle] < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < list->count ? list->items[low] : REF_NONE;
}
