/* launch.c: one line of a launch description. */
#include "tests/gpu/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_MOST = 1 << 24, THREADS_MOST = 1024, GRID_MOST = 65535, SHARED_MOST = 49152 };

static bool launch_read_number(const char *text, unsigned long most, unsigned *number) {
  char *end = NULL;
  const unsigned long value = strtoul(text, &end, 10);
  *number = (unsigned)value;
  return end != text && *end == 0 && value <= most;
}

static bool launch_read_parameter(gpu_parameter *parameter, const char *text) {
  const char *const colon = strchr(text, ':');
  char *end = NULL;
  if (!colon || !colon[1])
    return false;
  const size_t length = (size_t)(colon - text);
  const long long number = strtoll(colon + 1, &end, 10);
  *parameter = (gpu_parameter){.size = 8, .value = (uint64_t)number};
  if (strncmp(text, "f64", length) == 0 && length == 3) {
    const double real = strtod(colon + 1, &end);
    memcpy(&parameter->value, &real, sizeof real);
    return *end == 0;
  }
  if (*end)
    return false;
  parameter->pointers = strncmp(text, "pointers", length) == 0 && length == 8;
  if (parameter->pointers || (strncmp(text, "buffer", length) == 0 && length == 6)) {
    parameter->buffer = (size_t)number;
    return number > 0 && number <= BUFFER_MOST && number % (parameter->pointers ? 8 : 4) == 0;
  }
  parameter->size = strncmp(text, "i32", length) == 0 ? 4 : 8;
  return length == 3 && (parameter->size == 4 || strncmp(text, "i64", length) == 0);
}

bool gpu_launch_read(gpu_launch *launch, const char *line, const char **reason) {
  char text[1024], *rest = text;
  *launch = (gpu_launch){.count = 0};
  *reason = "the line is too long";
  if ((size_t)snprintf(text, sizeof text, "%s", line) >= sizeof text)
    return false;
  const char *const kernel = strtok_r(rest, " ", &rest), *const grid = strtok_r(NULL, " ", &rest);
  const char *const block = strtok_r(NULL, " ", &rest), *const shared = strtok_r(NULL, " ", &rest);
  *reason = "not KERNEL GRID BLOCK SHARED PARAMETER...";
  if (!kernel || !grid || !block || !shared || strlen(kernel) >= sizeof launch->kernel)
    return false;
  memcpy(launch->kernel, kernel, strlen(kernel) + 1);
  *reason = "a number that no launch can have";
  if (!launch_read_number(grid, GRID_MOST, &launch->grid) || !launch_read_number(block, THREADS_MOST, &launch->block) ||
      !launch_read_number(shared, SHARED_MOST, &launch->shared) || !launch->grid || !launch->block)
    return false;
  for (const char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    *reason = "not buffer:BYTES, pointers:BYTES, i32:N, i64:N or f64:N";
    if (launch->count == LAUNCH_PARAMETERS || !launch_read_parameter(&launch->parameters[launch->count], word))
      return false;
    launch->count++;
  }
  *reason = NULL;
  return true;
}

size_t gpu_launch_parameter_bytes(const gpu_launch *launch) {
  size_t bytes = 0;
  for (size_t i = 0; i < launch->count; i++) {
    const size_t size = launch->parameters[i].size;
    bytes = (bytes + size - 1) / size * size + size;
  }
  return bytes;
}
