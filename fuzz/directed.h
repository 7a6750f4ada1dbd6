/* The directed engine (docs/fuzzing.md, "What a change touches"): links a program of two linkers, one with a change and one
 * from before it, makes inputs that execute what was changed, and asks the reference about those on which the two differ. */
#ifndef FUZZ_DIRECTED_H
#define FUZZ_DIRECTED_H

#include "fuzz/answer.h"

#include "tools/gen_random.h"

/* ---- places (directed_places.c): what of the changed files a link executes ---- */

/* How near to the change a basic block lies. Who reaches no line of it, nor the block before, cannot show it. Beyond all of them: the
 * two linkers go on otherwise in what is the same code of theirs, whether an answer says so or not. */
typedef enum directed_level {
  DIRECTED_FILE,
  DIRECTED_FUNCTION,
  DIRECTED_BEFORE,
  DIRECTED_LINE,
  DIRECTED_OTHERWISE
} directed_level;

typedef struct directed_reach {
  directed_level level;
  bool any;           /* a block of the changed files at all */
  uint64_t way;       /* what was compared in functions of the changed files that have not changed */
  uint32_t near, far; /* features that no link had before: in the changed functions, and elsewhere in their files */
} directed_reach;

/* The engine is two, by turns, that know nothing of one another: what one has kept and has seen is not the other's. One begins with the
 * seeds, or the generator's stock, and the other with nothing, since each finds what the other does not. Both begin as number 0. */
enum { DIRECTED_ENGINES = 2 };
void directed_places_choose(unsigned engine);

/* Lines "ADDRESS LEVEL" (directed.sh). False when there is no such file. Without one every link reaches the change. */
bool directed_places_read(const char *path);
/* Those that ran in any link, as lines of addresses. */
void directed_places_write(const char *path);
/* `first`: what was compared before is forgotten. */
void directed_places_begin(bool first);
directed_reach directed_places_end(void);

/* What the linker from before the change came to, added to what the changed one did. */
void directed_reach_add(directed_reach *reach, const directed_reach *before);

/* Two values that a changed function compared in the last link, and which were not the same. */
enum { DIRECTED_PAIRS = 16 };
typedef struct directed_pair {
  uint64_t a, b;
} directed_pair;
/* Some of them; returns how many. */
size_t directed_places_pairs(gen_random *random, directed_pair pairs[DIRECTED_PAIRS]);

/* ---- links (directed_links.c) ---- */

/* The two linkers; directed.sh puts them in the place of those of directed_stub.c. */
void fuzz_link_changed(const fuzz_envelope *envelope, fuzz_answer *answer);
void fuzz_link_before(const fuzz_envelope *envelope, fuzz_answer *answer);

/* Memory of the two linkers, which may end in the middle of a link. */
void *directed_malloc(size_t size);
void directed_free(void *memory);
void *directed_memory(size_t size);

typedef struct directed_verdict {
  directed_reach reach;
  uint64_t answer;        /* a hash of the changed linker's */
  bool links;             /* which made an image */
  bool differs;           /* from the answer before the change */
  int ended_before;       /* the signal that ended the linker from before the change, which so says nothing; 0: none */
  char cause[FUZZ_CAUSE]; /* "": nothing is wrong */
} directed_verdict;

void directed_links_start(void);
void directed_link(const fuzz_envelope *envelope, directed_verdict *verdict);

/* ---- parts (directed_parts.c) ---- */

/* Where the answer before the change and the reference's are not the same as a whole: what of those parts on which they agree (exit
 * code, lines of messages, sections) the changed linker says otherwise; false: nothing. */
bool directed_parts_differ(const fuzz_answer *changed, const fuzz_answer *before, const fuzz_answer *reference,
                           char cause[FUZZ_CAUSE]);
uint64_t directed_hash(const void *bytes, size_t size, uint64_t seed);

/* ---- doubts (directed_doubts.c): where the reference says nothing ---- */

/* Texts, or directories of them, whose words are those that messages are made of. */
void directed_doubts_read(const char *path);
/* What speaks against the changed linker's answer and not against the one from before: an invariant of the output (oracle/check), the link
 * map beside it, a word that neither the documentation nor the input has. */
bool directed_doubts_find(const fuzz_envelope *envelope, const fuzz_answer *changed, const fuzz_answer *before,
                          char cause[FUZZ_CAUSE]);

/* ---- corpus (directed_corpus.c) ---- */

typedef struct directed_input {
  uint8_t *bytes; /* an envelope */
  size_t size;
  uint32_t kinds[8], kind_count; /* the changes that made it */
  uint32_t source;               /* the generator's, and one; 0: it was made of another input */
} directed_input;

/* As directed_places_choose. */
void directed_corpus_choose(unsigned engine);
/* An input to try: a program of the generator, or one of the corpus with changes. The caller frees its bytes. */
void directed_corpus_make(gen_random *random, directed_input *input);
/* What became of it; it is kept, or not. `seed`: it is one of those that were given. */
void directed_corpus_note(gen_random *random, const directed_input *input, const directed_verdict *verdict, bool seed);
/* How many are kept at a level. */
size_t directed_corpus_count(directed_level level);
/* Whether any of them comes to the change, or to the block before it. */
bool directed_corpus_is_near(void);

#endif
