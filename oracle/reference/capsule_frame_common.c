/* The common entry of a Mercury frame, and the one that nvlink's finalizer writes for the SASS side: L1120. */
#include "capsule.h"
#include "frame_layout.h"

enum {
  TEXT_AT = 21, /* behind the head, the mark of a common entry and the version */
  VERSION_AT = 20,
  VERSION = 3, /* what is written; older ones have a byte for the register */
  SASS_UNIT = 4,
  SIGN = 0x40,
  LOW_BITS = 0x7f,
  MORE = 0x80
};

typedef struct ref_common_reader {
  const uint8_t *data;
  size_t size, at;
  bool is_short;
} ref_common_reader;

static uint8_t ref_common_take(ref_common_reader *reader) {
  if (reader->at >= reader->size) {
    reader->is_short = true;
    return 0;
  }
  return reader->data[reader->at++];
}

/* In 32 bits, in which the shift goes round. */
static uint32_t ref_common_take_number(ref_common_reader *reader, bool has_sign) {
  uint32_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = ref_common_take(reader);
    value |= (uint32_t)(byte & LOW_BITS) << (shift & 31);
    shift += 7;
  } while ((byte & MORE) != 0);
  if (has_sign && (byte & SIGN) != 0 && shift < 32) {
    value |= UINT32_MAX << shift;
  }
  return value;
}

static void ref_common_add(ref_link *link, ref_bytes *bytes, uint8_t byte) {
  ref_bytes_add(link, bytes, &byte, 1);
}

static void ref_common_add_number(ref_link *link, ref_bytes *bytes, uint32_t value) {
  for (; value > LOW_BITS; value >>= 7) {
    ref_common_add(link, bytes, (uint8_t)(MORE | (value & LOW_BITS)));
  }
  ref_common_add(link, bytes, (uint8_t)value);
}

static void ref_common_add_signed(ref_link *link, ref_bytes *bytes, int32_t value) {
  int64_t rest = value;
  while (rest < -SIGN || rest >= SIGN) {
    ref_common_add(link, bytes, (uint8_t)(MORE | ((uint64_t)rest & LOW_BITS)));
    rest = (rest - (int64_t)((uint64_t)rest & LOW_BITS)) / (LOW_BITS + 1);
  }
  ref_common_add(link, bytes, (uint8_t)((uint64_t)rest & LOW_BITS));
}

/* What has been read of one. */
typedef struct ref_common_parts {
  const uint8_t *data;
  uint32_t factor, address;
  ref_bytes operations;
} ref_common_parts;

static ref_bytes ref_common_write(ref_link *link, const ref_common_parts *parts, uint32_t unit) {
  ref_bytes bytes = {0};
  ref_bytes_add(link, &bytes, parts->data, VERSION_AT);
  ref_put_u64(bytes.data + REF_FRAME_HEAD, UINT64_MAX); /* RF1177 */
  ref_common_add(link, &bytes, VERSION);
  ref_common_add(link, &bytes, 0);
  ref_common_add_number(link, &bytes, unit);
  ref_common_add_signed(link, &bytes, (int32_t)parts->factor);
  ref_common_add_number(link, &bytes, parts->address);
  ref_bytes_add(link, &bytes, parts->operations.data, parts->operations.size);
  ref_bytes_fill(link, &bytes, (size_t)ref_align_up(bytes.size, 8));
  ref_put_u64(bytes.data + REF_FRAME_LENGTH_AT, bytes.size - REF_FRAME_HEAD);
  return bytes;
}

ref_common ref_common_read(ref_link *link, const uint8_t *data, size_t size, size_t limit) {
  ref_common_reader reader = {data, size, TEXT_AT, size <= TEXT_AT};
  ref_common common = {.unit = 1};
  if (reader.is_short) {
    return common;
  }
  while (ref_common_take(&reader) != 0) {
  }
  common.unit = ref_common_take_number(&reader, false);
  const uint32_t factor = ref_common_take_number(&reader, true);
  const bool is_old = (int8_t)data[VERSION_AT] < VERSION;
  const uint32_t address = is_old ? (uint32_t)(int8_t)ref_common_take(&reader) : ref_common_take_number(&reader, false);
  ref_bytes operations = {0};
  common.place = reader.is_short ? 0 : ref_expression_place(data, size, reader.at);
  if (reader.is_short ||
      !ref_rows_read_common(link, data + reader.at, size - reader.at, limit - reader.at, &operations)) {
    return common;
  }
  const ref_common_parts parts = {data, factor, address, operations};
  common.bytes = ref_common_write(link, &parts, SASS_UNIT);
  common.bare = ref_common_write(link, &parts, common.unit);
  common.is_whole = true;
  return common;
}
