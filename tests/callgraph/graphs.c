/* Each program is the smallest that shows its rule (docs/specification/callgraph.md). Recorded with nvlink 13.0.88,
 * -arch=sm_90 -dump-callgraph -extrawarn, from the files that `callgraph DIRECTORY` writes. */
#include "graphs.h"

static tb_cubin *add_file(built_graph *graph) {
  return graph->files[graph->file_count++] = tb_new(90);
}

static tb_symbol function(tb_cubin *file, const char *name, unsigned registers) {
  return tb_function(file, name, TB_GLOBAL, NULL, 0, registers);
}

static tb_symbol kernel(tb_cubin *file, const char *name, unsigned registers) {
  return tb_kernel(file, name, NULL, 0, registers);
}

/* A kernel that calls what another file defines, whose symbol comes first: two calls as arguments would have no order. */
static void call_undefined(tb_cubin *cubin, const char *name, const char *callee) {
  const tb_symbol undefined = tb_undefined_function(cubin, callee);
  tb_call(cubin, kernel(cubin, name, 8), undefined);
}

/* L40: `late` is created first, as a mention, but its text comes last. */
static void text_order(built_graph *graph) {
  tb_cubin *const a = add_file(graph), *const b = add_file(graph);
  call_undefined(a, "k", "late");
  const tb_symbol early = function(b, "early", 20), late = function(b, "late", 30);
  tb_call(b, late, early);
}

/* L40: a caller whose text comes before its callee's. */
static void chain(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol top = function(a, "top", 20), middle = function(a, "middle", 30), bottom = function(a, "bottom", 40);
  tb_call(a, kernel(a, "k", 8), top);
  tb_call(a, top, middle);
  tb_call(a, middle, bottom);
}

/* L41: kernels last first; each takes strict maxima only. */
static void diamond(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol left = function(a, "left", 40), right = function(a, "right", 30), bottom = function(a, "bottom", 50);
  const tb_symbol k = kernel(a, "k", 8), k2 = kernel(a, "k2", 45), k3 = kernel(a, "k3", 8);
  tb_call(a, k, left);
  tb_call(a, k, right);
  tb_call(a, k2, left);
  tb_call(a, k3, right);
  tb_call(a, left, bottom);
  tb_call(a, right, bottom);
}

/* L41 with E34: three kernels over their limit of 255. */
static void over_limit(built_graph *graph) {
  tb_cubin *const a = add_file(graph), *const b = add_file(graph);
  call_undefined(a, "wide", "heavy");
  call_undefined(a, "limited", "middle");
  call_undefined(a, "narrow", "heavy");
  (void)function(b, "middle", 300);
  (void)function(b, "heavy", 301);
}

static void recursion(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol f = function(a, "f", 30), g = function(a, "g", 40), h = function(a, "h", 20);
  tb_call(a, f, g);
  tb_call(a, g, f);
  tb_call(a, h, h);
  const tb_symbol k = kernel(a, "k", 8);
  tb_call(a, k, g);
  tb_call(a, k, h);
}

/* The second body wins (V2); the place of the text is the first one's, and the first one's edges stay (V5). */
static void weak_bodies(built_graph *graph) {
  for (unsigned i = 0; i < 2; i++) {
    tb_cubin *const a = add_file(graph);
    const tb_symbol other = function(a, i ? "second" : "first", 25 + i);
    const tb_symbol w = tb_function(a, "w", TB_WEAK, NULL, 0, i ? 30 : 60);
    tb_call(a, w, other);
    if (!i)
      tb_call(a, kernel(a, "k", 8), w);
  }
}

/* L42: indirect callees by record, candidates last created first; then direct ones last record first. */
static void indirect(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol f = function(a, "f", 20), g = function(a, "g", 30), h = function(a, "h", 25);
  const tb_symbol k = kernel(a, "k", 8);
  tb_address_taken(a, g, "#ii");
  tb_address_taken(a, f, "#ii");
  tb_address_taken(a, h, "#ll");
  tb_indirect_call(a, k, "#ll");
  tb_indirect_call(a, k, "#ii");
  tb_call(a, k, h);
  tb_call(a, k, f);
}

/* L42, L44, L46: g is deleted, although the kernel refers to f; the dump still names it. */
static void only_referred_to(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol f = function(a, "f", 20), g = function(a, "g", 30), k = kernel(a, "k", 8);
  tb_call(a, f, g);
  tb_address_taken(a, f, "#ii");
  tb_function_reference(a, k, f);
}

/* L43: the line for `early` is there, then the link ends. */
static void without_count(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol early = function(a, "early", 20), zero = function(a, "zero", 0), late = function(a, "late", 30);
  const tb_symbol k = kernel(a, "k", 8);
  tb_call(a, k, early);
  tb_call(a, k, zero);
  tb_call(a, k, late);
}

/* L45: with another kernel named, `stays` is a function whose edges do not count; with none named, a kernel. */
static void kept_kernel(built_graph *graph) {
  tb_cubin *const a = add_file(graph);
  const tb_symbol f = function(a, "f", 20), stays = kernel(a, "stays", 8);
  const tb_symbol named = kernel(a, "named", 8);
  tb_call(a, stays, f);
  tb_address_taken(a, stays, "");
  tb_function_reference(a, named, stays);
}

const graph_case graph_cases[] = {
    {"text_order", text_order, NULL,
     "1: late [30] -> 3\n"
     "2: ^k [8] -> 1\n"
     "3: early [20] ->\n"
     "regcount 20 for early propagated to entry k\n"
     "regcount 30 for late propagated to entry k\n",
     0},
    {"chain", chain, NULL,
     "1: top [20] -> 2\n"
     "2: middle [30] -> 3\n"
     "3: bottom [40] ->\n"
     "4: ^k [8] -> 1\n"
     "regcount 20 for top propagated to entry k\n"
     "regcount 30 for middle propagated to entry k\n"
     "regcount 40 for bottom propagated to entry k\n",
     0},
    {"diamond", diamond, NULL,
     "1: left [40] -> 3\n"
     "2: right [30] -> 3\n"
     "3: bottom [50] ->\n"
     "4: ^k [8] -> 2 1\n"
     "5: ^k2 [45] -> 1\n"
     "6: ^k3 [8] -> 2\n"
     "regcount 40 for left propagated to entry k\n"
     "regcount 30 for right propagated to entry k3\n"
     "regcount 50 for bottom propagated to entry k3\n"
     "regcount 50 for bottom propagated to entry k2\n"
     "regcount 50 for bottom propagated to entry k\n",
     0},
    {"over_limit", over_limit, NULL,
     "1: heavy [301] ->\n"
     "2: ^wide [8] -> 1\n"
     "3: middle [300] ->\n"
     "4: ^limited [8] -> 3\n"
     "5: ^narrow [8] -> 1\n"
     "nvlink error   : entry function 'limited' with max regcount of 255 calls function 'middle' with regcount of 300\n"
     "regcount 300 for middle propagated to entry limited\n"
     "nvlink error   : entry function 'narrow' with max regcount of 255 calls function 'heavy' with regcount of 301\n"
     "regcount 301 for heavy propagated to entry narrow\n"
     "nvlink error   : entry function 'wide' with max regcount of 255 calls function 'heavy' with regcount of 301\n"
     "regcount 301 for heavy propagated to entry wide\n",
     255},
    {"recursion", recursion, NULL,
     "nvlink warning : Stack size for entry function 'k' cannot be statically determined\n"
     "nvlink warning : Stack size for entry function 'k' cannot be statically determined\n"
     "1: f [30] -> 2\n"
     "2: g [40] -> 1\n"
     "3: h [20] -> 3\n"
     "4: ^k [8] -> 3 2\n"
     "regcount 30 for f propagated to entry k\n"
     "regcount 40 for g propagated to entry k\n",
     0},
    {"weak_bodies", weak_bodies, NULL,
     "1: w [30] -> 4 2\n"
     "2: first [25] ->\n"
     "3: ^k [8] -> 1\n"
     "4: second [26] ->\n"
     "regcount 30 for w propagated to entry k\n",
     0},
    {"indirect", indirect, NULL,
     "1: &f [20] ->\n"
     "2: &g [30] ->\n"
     "3: &h [25] ->\n"
     "4: ^k [8] -> 3 2 1 1 3\n"
     "regcount 20 for f propagated to entry k\n"
     "regcount 30 for g propagated to entry k\n",
     0},
    {"only_referred_to", only_referred_to, NULL,
     "nvlink warning : Function 'f' has address taken but no calls to it found\n"
     "1: &f [20] -> 2\n"
     "2: \n"
     "3: ^k [8] ->\n",
     0},
    {"without_count", without_count, NULL,
     "1: early [20] ->\n"
     "2: zero [0] ->\n"
     "3: late [30] ->\n"
     "4: ^k [8] -> 3 2 1\n"
     "regcount 20 for early propagated to entry k\n"
     "nvlink fatal   : Internal error: no regcount?\n",
     1},
    {"kept_kernel", kept_kernel, NULL,
     "1: f [20] ->\n"
     "2: ^&stays [8] -> 1\n"
     "3: ^named [8] ->\n"
     "regcount 20 for f propagated to entry stays\n",
     0},
    {"kept_kernel_other_named", kept_kernel, "named",
     "nvlink warning : Function 'stays' has address taken but no calls to it found\n"
     "1: \n"
     "2: &stays [8] -> 1\n"
     "3: ^named [8] ->\n",
     0},
    {"kept_kernel_none_named", kept_kernel, "nobody",
     "1: f [20] ->\n"
     "2: ^&stays [8] -> 1\n"
     "3: \n"
     "regcount 20 for f propagated to entry stays\n",
     0},
};
const size_t graph_case_count = sizeof graph_cases / sizeof *graph_cases;
