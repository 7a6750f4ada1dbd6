/* Numbers whose bits are affine forms over GF(2) in the bits of a value and of the old content: what the linker's patch
 * engine computes with when its source is compiled a second time for the proof (C++, for the operators alone).
 *
 * Exclusive or, shifts by known amounts, and and or with known bits keep a form affine. Everything else (a comparison, a
 * carry, an and of two unknown bits, an unknown index) makes `affine_broken` name it; the proof then fails. A number
 * without unknown bits behaves like the integer it is. */
#ifndef TWINLINK_TESTS_PATCH_PROOF_AFFINE_H
#define TWINLINK_TESTS_PATCH_PROOF_AFFINE_H

#include <stddef.h>
#include <stdint.h>

/* Variables: 64 bits of the value, 128 old bits; then the constant 1. */
enum { AFFINE_VALUE = 0, AFFINE_OLD = 64, AFFINE_ONE = 192, AFFINE_WORDS = 4 };

extern const char *affine_broken; /* the first operation that is not affine, or null */

static inline void affine_break(const char *why) {
  if (!affine_broken)
    affine_broken = why;
}

/* One bit: the exclusive or of the variables whose bits are set. */
struct affine_form {
  uint64_t words[AFFINE_WORDS];

  bool is_constant() const {
    return (words[0] | words[1] | words[2] | (words[3] & ~UINT64_C(1))) == 0;
  }
  bool one() const {
    return (words[AFFINE_ONE / 64] & 1) != 0;
  }
  void set(size_t variable) {
    words[variable / 64] ^= UINT64_C(1) << variable % 64;
  }
  bool operator==(const affine_form &other) const {
    bool same = true;
    for (size_t i = 0; i < AFFINE_WORDS; i++)
      same = same && words[i] == other.words[i];
    return same;
  }
};

static inline affine_form affine_constant(bool one) {
  affine_form form = {{0, 0, 0, one}};
  return form;
}

static inline affine_form affine_xor(const affine_form &a, const affine_form &b) {
  affine_form form = a;
  for (size_t i = 0; i < AFFINE_WORDS; i++)
    form.words[i] ^= b.words[i];
  return form;
}

static inline affine_form affine_and(const affine_form &a, const affine_form &b) {
  if (a.is_constant())
    return a.one() ? b : a;
  if (b.is_constant())
    return b.one() ? a : b;
  if (!(a == b))
    affine_break("an and of two unknown bits");
  return a;
}

/* a | b = a ^ b ^ (a & b) */
static inline affine_form affine_or(const affine_form &a, const affine_form &b) {
  return affine_xor(affine_xor(a, b), affine_and(a, b));
}

template <unsigned Width> struct affine {
  affine_form bits[Width];

  affine() {
    for (unsigned i = 0; i < Width; i++)
      bits[i] = affine_constant(false);
  }
  template <class Integer> affine(Integer number) {
    for (unsigned i = 0; i < Width; i++)
      bits[i] = affine_constant(((uint64_t)number >> (i < 64 ? i : 63) & 1) != 0);
  }
  template <unsigned Other> affine(const affine<Other> &other) {
    for (unsigned i = 0; i < Width; i++)
      bits[i] = i < Other ? other.bits[i < Other ? i : 0] : affine_constant(false);
  }

  uint64_t number(const char *what) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < Width; i++) {
      if (!bits[i].is_constant())
        affine_break(what);
      value |= (uint64_t)bits[i].one() << i;
    }
    return value;
  }
  /* An index, a loop's end, a condition: only of known bits. */
  operator uint64_t() const {
    return number("an unknown number used as an index or a condition");
  }
};

/* C's arithmetic is done in the wider type, at least 32 bits; 64 hold every result here. */
typedef affine<64> affine_wide;

static inline affine_wide affine_widen(int number) {
  return affine_wide(number);
}
static inline affine_wide affine_widen(unsigned int number) {
  return affine_wide(number);
}
template <unsigned Width> static inline affine_wide affine_widen(const affine<Width> &number) {
  return affine_wide(number);
}

#define AFFINE_BITWISE(sign, function)                                                                                 \
  static inline affine_wide affine_apply_##function(const affine_wide &a, const affine_wide &b) {                      \
    affine_wide result;                                                                                                \
    for (unsigned i = 0; i < 64; i++)                                                                                  \
      result.bits[i] = function(a.bits[i], b.bits[i]);                                                                 \
    return result;                                                                                                     \
  }                                                                                                                    \
  template <unsigned A, class B> static inline affine_wide operator sign(const affine<A> &a, const B &b) {             \
    return affine_apply_##function(affine_widen(a), affine_widen(b));                                                  \
  }                                                                                                                    \
  template <unsigned B> static inline affine_wide operator sign(int a, const affine<B> &b) {                           \
    return affine_apply_##function(affine_widen(a), affine_widen(b));                                                  \
  }                                                                                                                    \
  template <unsigned B> static inline affine_wide operator sign(unsigned int a, const affine<B> &b) {                  \
    return affine_apply_##function(affine_widen(a), affine_widen(b));                                                  \
  }
AFFINE_BITWISE(&, affine_and)
AFFINE_BITWISE(|, affine_or)
AFFINE_BITWISE(^, affine_xor)

template <unsigned A> static inline affine_wide operator~(const affine<A> &a) {
  affine_wide result = affine_widen(a);
  for (unsigned i = 0; i < 64; i++)
    result.bits[i] = affine_xor(result.bits[i], affine_constant(true));
  return result;
}

static inline affine_wide affine_shift(const affine_wide &a, uint64_t by, bool left) {
  affine_wide result;
  if (by >= 64)
    affine_break("a shift by 64 or more");
  for (uint64_t i = 0; i < 64 && by < 64; i++) {
    if (left && i >= by)
      result.bits[i] = a.bits[i - by];
    else if (!left && i + by < 64)
      result.bits[i] = a.bits[i + by];
  }
  return result;
}

/* The shift happens in the left operand's type: an affine<32> loses what leaves its 32 bits. */
template <unsigned A, class B> static inline affine<(A < 32 ? 32 : A)> operator<<(const affine<A> &a, const B &by) {
  return affine<(A < 32 ? 32 : A)>(affine_shift(affine_widen(a), affine_widen(by).number("an unknown shift"), true));
}
template <unsigned A, class B> static inline affine<(A < 32 ? 32 : A)> operator>>(const affine<A> &a, const B &by) {
  return affine<(A < 32 ? 32 : A)>(affine_shift(affine_widen(a), affine_widen(by).number("an unknown shift"), false));
}
template <unsigned B> static inline affine<32> operator<<(unsigned int a, const affine<B> &by) {
  return affine<32>(affine_shift(affine_wide(a), affine_widen(by).number("an unknown shift"), true));
}

/* Arithmetic and comparison: of known numbers only. */
#define AFFINE_KNOWN(sign, result_type, what)                                                                          \
  template <unsigned A, class B> static inline result_type operator sign(const affine<A> &a, const B &b) {             \
    return result_type(affine_widen(a).number(what) sign affine_widen(b).number(what));                                \
  }                                                                                                                    \
  template <unsigned B> static inline result_type operator sign(int a, const affine<B> &b) {                           \
    return result_type(affine_widen(a).number(what) sign affine_widen(b).number(what));                                \
  }
AFFINE_KNOWN(+, affine_wide, "an addition with unknown bits")
AFFINE_KNOWN(-, affine_wide, "a subtraction with unknown bits")
AFFINE_KNOWN(*, affine_wide, "a multiplication with unknown bits")
AFFINE_KNOWN(<, bool, "a comparison of unknown bits")
AFFINE_KNOWN(>, bool, "a comparison of unknown bits")
AFFINE_KNOWN(<=, bool, "a comparison of unknown bits")
AFFINE_KNOWN(>=, bool, "a comparison of unknown bits")
AFFINE_KNOWN(==, bool, "a comparison of unknown bits")
AFFINE_KNOWN(!=, bool, "a comparison of unknown bits")

/* A divisor of 0 would end the program; it breaks the proof instead. */
template <unsigned A> static inline affine_wide operator/(const affine<A> &a, int b) {
  return affine_wide(a.number("a division of unknown bits") / (uint64_t)(b == 0 ? 1 : b));
}
template <unsigned A> static inline affine_wide operator%(const affine<A> &a, int b) {
  return affine_wide(a.number("a remainder of unknown bits") % (uint64_t)(b == 0 ? 1 : b));
}

template <unsigned A, class B> static inline affine<A> &operator|=(affine<A> &a, const B &b) {
  return a = affine<A>(a | b);
}
template <unsigned A, class B> static inline affine<A> &operator+=(affine<A> &a, const B &b) {
  return a = affine<A>(a + b);
}

#endif
