/* The counts of cells in a file (cells_file.h). */
#define _DEFAULT_SOURCE
#include "fuzz/cells_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t *fuzz_cells_map(const char *path, size_t count) {
  const size_t size = count * sizeof(uint64_t);
  struct stat status;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return NULL;
  void *memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && ((size_t)status.st_size >= size || ftruncate(file, (off_t)size) == 0))
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  (void)close(file);
  return memory == MAP_FAILED ? NULL : memory;
}
