/* Random kernels of fences and of what orders memory, between instructions of other kinds (M44, L691). */
#include "fences.h"

#include <stdint.h>
#include <stdio.h>

typedef struct maker {
  uint64_t state;
  unsigned labels;
} maker;

static const char *const fences[] = {
    "membar.cta;",
    "membar.gl;",
    "membar.sys;",
    "fence.acq_rel.gpu;",
    "fence.sc.gpu;",
    "fence.sc.sys;",
    "fence.acq_rel.cta;",
    "fence.acq_rel.cluster;",
    "fence.sc.cta;",
    "fence.sc.cluster;",
    "fence.acq_rel.sys;",
    "fence.release.gpu;",
    "fence.acquire.gpu;",
    "st.release.gpu.global.u32 [%rd0],%r1;",
    "atom.acq_rel.gpu.global.add.u32 %r2,[%rd1],%r3;",
    "red.release.sys.global.add.u32 [%rd1],%r3;",
    "ld.acquire.gpu.global.u32 %r4,[%rd1];",
    "ld.acquire.sys.global.u32 %r4,[%rd1+4];",
    "atom.release.cta.shared.add.u32 %r5,[sh],%r3;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "fence.proxy.async;",
    "fence.proxy.alias;",
    "fence.mbarrier_init.release.cluster;",
    "st.shared.u32 [sh],%r2;",
    "bar.sync 0;",
    "cp.async.ca.shared.global [sh],[%rd1],4;",
    "cp.async.wait_all;",
    "mbarrier.init.shared.b64 [sh+32],8;",
    "mbarrier.arrive.shared.b64 %rd4,[sh+32];",
};

static const char *const others[] = {
    "add.u32 %r1,%r1,%r2;",
    "ld.global.u32 %r2,[%rd1+8];",
    "st.global.u32 [%rd0+16],%r3;",
    "mul.lo.u32 %r3,%r3,%r1;",
    "ld.shared.u32 %r4,[sh+4];",
    "st.local.u32 [lo],%r2;",
    "div.u32 %r5,%r3,%r1;",
    "sin.approx.f32 %f1,%f2;",
    "st.global.f32 [%rd0+4],%f1;",
    "mov.u32 %r6,%tid.x;",
    "atom.global.add.u32 %r6,[%rd1],%r2;",
    "shfl.sync.bfly.b32 %r2,%r3,1,31,0xffffffff;",
};

/* splitmix64 */
static unsigned maker_draw(maker *m, unsigned bound) {
  uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (unsigned)((z ^ z >> 31) % bound);
}

static const char *maker_fence(maker *m) {
  return fences[maker_draw(m, sizeof fences / sizeof *fences)];
}

static void maker_statement(maker *m, unsigned depth);

static void maker_block(maker *m, unsigned depth) {
  for (unsigned left = 1 + maker_draw(m, 4); left; left--)
    maker_statement(m, depth);
}

static void maker_statement(maker *m, unsigned depth) { /* NOLINT(misc-no-recursion) */
  const unsigned kind = maker_draw(m, 100), label = ++m->labels;
  if (kind < 35) {
    printf("%s ", maker_fence(m));
  } else if (kind < 72 || depth > 2) {
    printf("%s ", others[maker_draw(m, sizeof others / sizeof *others)]);
  } else if (kind < 88) {
    printf("setp.gt.u32 %%p%u,%%r%u,%u; @%%p%u bra X%u; ", depth, 1 + maker_draw(m, 6), 1 + maker_draw(m, 9), depth,
           label);
    maker_block(m, depth + 1);
    printf("X%u: ", label);
  } else if (kind < 94) {
    printf("setp.gt.u32 %%p5,%%r1,3; @%%p5 %s ", maker_fence(m));
  } else {
    printf("Y%u: ", label);
    maker_block(m, depth + 1);
    printf("add.u32 %%r7,%%r7,1; setp.lt.u32 %%p6,%%r7,%%r6; @%%p6 bra Y%u; ", label);
  }
}

/* Every fourth kernel calls a function. */
static void maker_kernel(maker *m, unsigned long number) {
  printf(
      ".visible .entry k%lu(.param .u64 p0,.param .u64 p1) { .reg .b32 %%r<20>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; "
      ".reg .pred %%p<9>; .shared .align 8 .b8 sh[64]; .local .align 8 .b8 lo[16]; ld.param.u64 %%rd0,[p0]; "
      "ld.param.u64 %%rd1,[p1]; ld.global.u32 %%r1,[%%rd1]; ld.global.u32 %%r2,[%%rd1+4]; "
      "ld.global.u32 %%r3,[%%rd1+12]; mov.u32 %%r6,5; mov.u32 %%r7,0; mov.f32 %%f2,1.0; mov.f32 %%f1,0.0; "
      "mov.u32 %%r4,0; mov.u32 %%r5,0; ",
      number);
  maker_block(m, 0);
  if (number % 4 == 3) {
    printf("{ .param .b32 x; .param .b32 y; st.param.b32 [x],%%r1; call.uni (y),f,(x); ld.param.b32 %%r2,[y]; } ");
    maker_block(m, 0);
  }
  printf("st.global.u32 [%%rd0+40],%%r4; st.global.u32 [%%rd0+44],%%r5; st.global.u32 [%%rd0+48],%%r2; "
         "st.global.u32 [%%rd0+52],%%r1; ret; }\n");
}

void print_fences(unsigned long seed, unsigned long count) {
  for (unsigned long i = 0; i < count; i++) {
    maker m = {.state = seed * 1000003 + i};
    maker_kernel(&m, i);
  }
}
