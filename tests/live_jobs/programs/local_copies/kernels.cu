/* An exchange in a loop that keeps what it met in a local variable through a generic pointer, as cuda::atomic_ref's
 * compare_exchange_weak does: loads and stores in the address window of local memory (L1970). */
extern "C" __global__ void exchange(unsigned long long *word) {
  unsigned long long met = 1, *const kept = &met;
  for (;;) {
    unsigned long long old;
    asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "l"(word), "l"(*kept), "l"(*kept * 3) : "memory");
    if (old == *kept)
      break;
    asm volatile("st.b64 [%0], %1;" ::"l"(kept), "l"(old) : "memory");
  }
}

extern "C" __global__ void bytes(unsigned *word, int shift) {
  unsigned met = 1, *const kept = &met;
  for (;;) {
    unsigned old;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(word), "r"(*kept), "r"(*kept << shift) : "memory");
    if (old == *kept)
      break;
    asm volatile("st.b32 [%0], %1;" ::"l"(kept), "r"(old) : "memory");
    asm volatile("st.b16 [%0], %1;" ::"l"((char *)kept + 2), "h"((short)shift) : "memory");
  }
}
