/* Numbers of 64 bits that are terms of SMT-LIB: what the linker's additions compute with when their source is compiled a
 * second time (C++, for the operators alone). An operator of two terms writes a definition and names it; a number that is
 * known is written as itself. A condition on a term cannot be computed, so a special case (`if (v == K)`) is written as
 * the term's own comparison and makes `symbol_broken` name it. */
#ifndef TWINLINK_TESTS_PATCH_PROOF_SYMBOL_H
#define TWINLINK_TESTS_PATCH_PROOF_SYMBOL_H

#include <stdint.h>
#include <stdio.h>

extern const char *symbol_broken;   /* the first operation that is no term, or null */
extern unsigned symbol_definitions; /* so far; the next one's number */

struct symbol {
  char text[32];

  symbol() : symbol(0) {}
  template <class Integer> symbol(Integer number) {
    snprintf(text, sizeof text, "#x%016llx", (unsigned long long)number);
  }
  static symbol named(const char *name) {
    symbol result;
    snprintf(result.text, sizeof result.text, "%s", name);
    return result;
  }
  explicit operator bool() const {
    symbol_broken = "a condition on an unknown number";
    return false;
  }
};

static inline symbol symbol_apply(const char *operation, const symbol &a, const symbol &b) {
  symbol result;
  snprintf(result.text, sizeof result.text, "t%u", symbol_definitions++);
  printf("(define-fun %s () (_ BitVec 64) (%s %s %s))\n", result.text, operation, a.text, b.text);
  return result;
}

#define SYMBOL_OPERATOR(sign, operation)                                                                               \
  static inline symbol operator sign(const symbol &a, const symbol &b) {                                               \
    return symbol_apply(operation, a, b);                                                                              \
  }
SYMBOL_OPERATOR(+, "bvadd")
SYMBOL_OPERATOR(-, "bvsub")
SYMBOL_OPERATOR(&, "bvand")
SYMBOL_OPERATOR(|, "bvor")
SYMBOL_OPERATOR(^, "bvxor")
SYMBOL_OPERATOR(<<, "bvshl")
SYMBOL_OPERATOR(>>, "bvlshr")

#define SYMBOL_COMPARISON(sign)                                                                                        \
  static inline symbol operator sign(const symbol &a, const symbol &) {                                                \
    return a; /* its use as a condition breaks the proof */                                                            \
  }
SYMBOL_COMPARISON(==)
SYMBOL_COMPARISON(!=)
SYMBOL_COMPARISON(<)
SYMBOL_COMPARISON(>)
SYMBOL_COMPARISON(<=)
SYMBOL_COMPARISON(>=)

#endif
