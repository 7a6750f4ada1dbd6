/* Steps through the records of a .nv.info or .nv.compat section (F61). */
#ifndef TL_CUBIN_ATTRIBUTE_H
#define TL_CUBIN_ATTRIBUTE_H

#include "cubin/cubin.h"

typedef struct tl_record {
  uint8_t format, code;
  uint16_t size; /* of the payload; 2 in formats other than 4 (I1) */
  const uint8_t *data;
  uint64_t offset; /* of the record in its section */
} tl_record;

enum {
  TL_RECORD_BARE = 1,
  TL_RECORD_WHOLE = 4
}; /* the formats of records without a value, and of those that say how long they are (I1) */

/* The record at *position of a section of attributes, which moves behind it; false at the end, or at what is no whole record. */
bool tl_record_next_whole(const tl_cubin_section *section, uint64_t *position, tl_record *record);
/* Where the walk over a section's records ended: what is no whole record is fatal (D66, D67); one stray byte at the end is ignored
 * where zeros follow (I16). */
void tl_record_check_end(const tl_cubin *cubin, uint32_t section, uint64_t position, const tl_names *names,
                         tl_diagnostics *diagnostics);
/* The same as tl_record_next_whole, but what ends the walk is looked at. */
static inline bool tl_record_next(const tl_cubin *cubin, uint32_t section, uint64_t *position, tl_record *record,
                                  const tl_names *names, tl_diagnostics *diagnostics) {
  const bool whole = tl_record_next_whole(&cubin->sections[section], position, record);
  if (!whole)
    tl_record_check_end(cubin, section, *position, names, diagnostics);
  return whole;
}

/* Whether a list of records has one of that code with the format 4. */
bool tl_records_have_whole(const uint8_t *list, uint64_t size, uint8_t code);
/* The bytes that a record takes in its section. */
uint64_t tl_record_length(const tl_record *record);

/* One list of the targets of an indirect branch: its place, a word, their number, and they. All are offsets in the payload. */
typedef struct tl_targets {
  uint64_t branch, first, count;
} tl_targets;

/* The list at *position, which moves behind it; false at the end, and with *position before it where a list is not whole. */
bool tl_targets_next(const uint8_t *payload, uint64_t size, uint64_t *position, tl_targets *list);
/* Where in the payload of an ANNOTATIONS record the next place in the code stands, from *position on, which moves behind its
 * entry. Entries are {1, place}, {2, place, length, letters} and {3, length, letters} as -annotate of ptxas writes, the
 * letters filled up to words (L726, L873). */
bool tl_annotation_next(const uint8_t *payload, uint64_t size, uint64_t *position, uint64_t *place);

/* Attribute codes that the linker knows (F64, I4, I20-I27). */
enum {
  EIATTR_CTAIDZ_USED = 0x04,
  EIATTR_PARAM_CBANK = 0x0a,
  EIATTR_SYNC_STACK = 0x0d,
  EIATTR_EXTERNS = 0x0f,
  EIATTR_FRAME_SIZE = 0x11,
  EIATTR_MIN_STACK_SIZE = 0x12,
  EIATTR_KPARAM_INFO = 0x17,
  EIATTR_MAXREG_COUNT = 0x1b,
  EIATTR_CRS_STACK_SIZE = 0x1e,
  EIATTR_EXPLICIT_CACHING = 0x21,
  EIATTR_MAX_STACK_SIZE = 0x23,
  EIATTR_SUQ_USED = 0x24,
  EIATTR_LOAD_CACHE_REQUEST = 0x26,
  EIATTR_HAS_PRE_V10_OBJECT = 0x2c,
  EIATTR_REGCOUNT = 0x2f,
  EIATTR_NUM_MBARRIERS = 0x38,
  EIATTR_SAM_REGION_STACK_SIZE = 0x3b,
  EIATTR_RESERVED_SMEM_USED = 0x41,
  EIATTR_KPARAM_INFO_V2 = 0x45,
  EIATTR_VRC_CTA_INIT_COUNT = 0x4a,
  EIATTR_NUM_BARRIERS = 0x4c,
  EIATTR_AT_ENTRY_FRAGMENTS = 0x4f,
  EIATTR_SPARSE_MMA_MASK = 0x50,
  EIATTR_TCGEN05_1CTA_USED = 0x51,
  EIATTR_TCGEN05_2CTA_USED = 0x52,
  EIATTR_GEN_ERRBAR_AT_EXIT = 0x53,
  EIATTR_REG_RECONFIG = 0x54,
  EIATTR_MERCURY_ISA_VERSION = 0x5f
};

/* True for the codes whose first payload word is a symbol index (I4); EXTERNS is not among them. */
static inline bool tl_attribute_names_symbol(uint8_t code) {
  static const uint16_t codes[] = {0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12,
                                   0x13, 0x14, 0x17, 0x23, 0x26, 0x2f, 0x3b, 0x45};
  return TL_AMONG16(codes, code);
}
/* True for the codes of records about one body of a function, which go when it loses or dies (I8, L261). */
static inline bool tl_attribute_is_of_body(uint8_t code) {
  return code == EIATTR_REGCOUNT || code == EIATTR_FRAME_SIZE || code == EIATTR_MAX_STACK_SIZE ||
         code == EIATTR_SAM_REGION_STACK_SIZE;
}

#endif
