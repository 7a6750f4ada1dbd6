/* Kernels that nvlink makes anew (M42-M45): two texts of ptxas with what nvlink 13.0.88 made of them, what makes a kernel
 * another case, and random texts, of which nothing but control bits may ever change. */
#include "finalize/leaf.h"
#include "tests/unit/unit.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_LINE = 16, LEAF_ROUNDS = 4000 };

/* One instruction of 16 bytes, and its upper word in nvlink's output. */
typedef struct leaf_line {
  uint64_t low, high, made;
} leaf_line;

/* if (i < n) p[i] = q[i] * 2 + p[i], compiled for sm_100 */
static const leaf_line leaf_a[] = {
    {0x0000df00ff017b82, 0x000e220000000800, 0x000fe20000000800},
    {0x0000000000077919, 0x000e6e0000002100, 0x000e2e0000002100},
    {0x00000000000479c3, 0x000e620000002500, 0x000e220000002500},
    {0x00007200ff0577ac, 0x000eae0008000800, 0x000e6e0008000800},
    {0x0000d800ff007b82, 0x000e640000000800, 0x000e240000000800},
    {0x0000000400077c24, 0x002fca000f8e0207, 0x001fca000f8e0207},
    {0x0000000507007c0c, 0x004fda000bf06270, 0x002fda000bf06270},
    {0x000000000000094d, 0x001fea0003800000, 0x000fea0003800000},
    {0x0000e200ff027b82, 0x000e220000000a00, 0x000e220000000a00},
    {0x00006b00ff0477ac, 0x000e6e0008000a00, 0x000e6e0008000a00},
    {0x0000e000ff047b82, 0x000ea20000000a00, 0x000ea20000000a00},
    {0x0000000407027825, 0x001fcc00078e0202, 0x001fcc00078e0202},
    {0x0000000402027981, 0x002ee2000c1e1900, 0x002ee2000c1e1900},
    {0x0000000407047825, 0x004fca00078e0204, 0x004fca00078e0204},
    {0x0000000404077981, 0x000ee4000c1e1900, 0x000ee4000c1e1900},
    {0x4000000002077823, 0x008fca0000000007, 0x008fca0000000007},
    {0x0000000704007986, 0x000fe2000c101904, 0x000fe2000c101904},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

/* for (i = threadIdx.x; i < n; i += blockDim.x) s += q[i]; the same way */
static const leaf_line leaf_b[] = {
    {0x0000df00ff017b82, 0x000e220000000800, 0x000fe20000000800},
    {0x00000000000b7919, 0x000e620000002100, 0x000e220000002100},
    {0x00007200ff0677ac, 0x000e6c0008000800, 0x000e2c0008000800},
    {0x0000e000ff047b82, 0x000ea20000000a00, 0x000e620000000a00},
    {0x000000f000007945, 0x000fe20003800200, 0x000fe20003800200},
    {0x00000000ff097431, 0x000fe200000001ff, 0x000fe200000001ff},
    {0x00006b00ff0477ac, 0x000ee20008000a00, 0x000ea20008000a00},
    {0x000000060b007c0c, 0x042fe2000bf06270, 0x041fe2000bf06270},
    {0x000000040b047825, 0x004fd800078e0004, 0x002fd800078e0004},
    {0x0000000000240947, 0x009fea0003800000, 0x004fea0003800000},
    {0x0000d800ff007b82, 0x000e220000000800, 0x000e220000000800},
    {0x000000ff00097202, 0x000fce0000000f00, 0x000fce0000000f00},
    {0x0000e200ff067b82, 0x000e640000000a00, 0x000e640000000a00},
    {0x000000040b027825, 0x002fcc00078e0206, 0x002fcc00078e0206},
    {0x0000000402027981, 0x000ea2000c1e1900, 0x000ea2000c1e1900},
    {0x0000000b000b7210, 0x001fc80007ffe0ff, 0x001fc80007ffe0ff},
    {0x000000060b007c0c, 0x000fe2000bf06270, 0x000fe2000bf06270},
    {0x0000000902097221, 0x004fd80000000000, 0x004fd80000000000},
    {0xfffffffc00e88947, 0x000fea000383ffff, 0x000fea000383ffff},
    {0x0000000000007941, 0x000fea0003800200, 0x000fea0003800200},
    {0x0000000904007986, 0x000fe2000c101904, 0x000fe2000c101904},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

/* y = tex1Dfetch(t, n) before for (i < n) { x += 2; for (j < i) x += y; }: the inner loop waits for y, and so does what is
 * behind it (L774) */
static const leaf_line leaf_c[] = {
    {0x0000df00ff017b82, 0x000e300000000800, 0x000ff00000000800},
    {0x0000e400ff007b82, 0x000e620000000800, 0x000e220000000800},
    {0x00007100ff0477ac, 0x000e620008000800, 0x000e220008000800},
    {0x000000ff00057c82, 0x000fc40008000000, 0x000fc40008000000},
    {0x00ff04ff00007f66, 0x00236200081e01ff, 0x00116200081e01ff},
    {0x3f800000ff057431, 0x000fe200000001ff, 0x000fe200000001ff},
    {0x00006b00ff0677ac, 0x000ea20008000a00, 0x000e620008000a00},
    {0x00007200ff0477ac, 0x002e640008000800, 0x001e240008000800},
    {0x000000010400788c, 0x002fd2000bf06270, 0x001fd2000bf06270},
    {0x0000000108387547, 0x005fea000b800000, 0x002fea000b800000},
    {0x3f80000000057802, 0x000fe20000000f00, 0x000fe20000000f00},
    {0x000000ff00047c82, 0x000fcc0008000000, 0x000fcc0008000000},
    {0x000000ff0400728c, 0x000fe2000bf05270, 0x000fe2000bf05270},
    {0x4000000005057421, 0x000fe20000000000, 0x000fe20000000000},
    {0x00007200ff0877ac, 0x000e2e0008000800, 0x000e2e0008000800},
    {0x0000000108147547, 0x020fea000b800000, 0x020fea000b800000},
    {0x000000ff04057290, 0x000fd8000fffe1ff, 0x000fd8000fffe1ff},
    {0x0000000105057890, 0x000fe2000fffe0ff, 0x000fe2000fffe0ff},
    {0x0000000500057221, 0x020fc60000000000, 0x020fc60000000000},
    {0x000000ff0500728c, 0x000fd2000bf05270, 0x000fd2000bf05270},
    {0xfffffffd00f07547, 0x000fea000b83ffff, 0x000fea000b83ffff},
    {0x0000000104047890, 0x000fc8000fffe0ff, 0x000fc8000fffe0ff},
    {0x000000080400728c, 0x001fd2000bf05270, 0x001fd2000bf05270},
    {0xfffffffd00d07547, 0x000fea000b83ffff, 0x000fea000b83ffff},
    {0x0000e000ff027b82, 0x000e240000000a00, 0x000e240000000a00},
    {0x0000040502007986, 0x001fe2000c101906, 0x001fe2000c101906},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

/* Numbers run out before the first wait; the sixth load got R1's, the seventh another one's (L770, L772) */
static const leaf_line leaf_d[] = {
    {0x0000df00ff017b82, 0x000e300000000800, 0x000ff00000000800},
    {0x0000e000ff027b82, 0x000e620000000a00, 0x000e220000000a00},
    {0x00006b00ff0677ac, 0x000e620008000a00, 0x000e220008000a00},
    {0x0000000000087919, 0x000eac0000008800, 0x000e6c0000008800},
    {0x0000e800ff0d7b82, 0x000ee20000000800, 0x000ea20000000800},
    {0x00000000000b7919, 0x000f2e0000002100, 0x000eee0000002100},
    {0x0000e000ff047b82, 0x000e220000000a00, 0x000f220000000a00},
    {0x0000000602097981, 0x002322000c1e1900, 0x0010e2000c1e1900},
    {0x0000040000067802, 0x000fe20000000f00, 0x000fe20000000f00},
    {0x0000000000047882, 0x000fc80000000000, 0x000fc80000000000},
    {0x0000000406077c36, 0x000fe20008000000, 0x000fe20008000000},
    {0x000000020d067819, 0x048fe400000006ff, 0x044fe400000006ff},
    {0x0000000a0d00780c, 0x000fe40003f06270, 0x000fe40003f06270},
    {0x0000000708077211, 0x004fe400078ec0ff, 0x002fe400078ec0ff},
    {0x000000fc06027812, 0x002fca00078ec0ff, 0x001fca00078ec0ff},
    {0x0000000102077824, 0x000fe400078e0207, 0x000fe400078e0207},
    {0x000000040d027825, 0x001fc800078e0204, 0x010fc800078e0204},
    {0x000000040b047825, 0x010fe200078e0004, 0x008fe200078e0004},
    {0x0000000900007305, 0x000e22000020f000, 0x000e22000020f000},
    {0x0000000902007986, 0x0003e8000c101906, 0x0003e8000c101906},
    {0x0000000007007388, 0x0013e20000000800, 0x0013e20000000800},
    {0x0000000000208947, 0x000fea0003800000, 0x000fea0003800000},
    {0x00007300ff0477ac, 0x000e240008000800, 0x000e240008000800},
    {0x10ff040006067f99, 0x001f6400081ea900, 0x001f6400081ea900},
    {0x0000000609097221, 0x022fc80000000000, 0x022fc80000000000},
    {0x0000000906097221, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000000000007992, 0x000fec0000003000, 0x000fec0000003000},
    {0x00000000000079ab, 0x000fc00000000000, 0x000fc00000000000},
    {0x00000000000075ab, 0x000fec0000000000, 0x000fec0000000000},
    {0x00000000ff00798f, 0x000fe20002000000, 0x000fe20002000000},
    {0x0000000904007986, 0x000fe2000c101906, 0x000fe2000c101906},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

/* Bulk copies, whose groups have number 0 for themselves (L1914) */
static const leaf_line leaf_e[] = {
    {0x0000df00ff017b82, 0x000e620000000800, 0x000fe20000000800},
    {0x0000000000077919, 0x000ea20000002100, 0x000e620000002100},
    {0x0000000100047882, 0x000fe20000000000, 0x000fe20000000000},
    {0x00006b00ff0a77ac, 0x000ee20008000a00, 0x000ea20008000a00},
    {0x000000ff0700720c, 0x004fda0003f05270, 0x002fda0003f05270},
    {0x0000000000058919, 0x000ea20000008800, 0x000e620000008800},
    {0x0000010000008802, 0x000fe20000000f00, 0x000fe20000000f00},
    {0x0000000000ff7886, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000040000038802, 0x000fc80000000f00, 0x000fc80000000f00},
    {0x0010000004048890, 0x000fc8000fffe1ff, 0x000fc8000fffe1ff},
    {0x0000000b04058899, 0x000fe400080006ff, 0x000fe400080006ff},
    {0x0000000104048899, 0x000fe200080006ff, 0x000fe200080006ff},
    {0x0000000100008824, 0x000fe200078e0203, 0x000fe200078e0203},
    {0x0000000000ff7886, 0x000fc80000000000, 0x000fc80000000000},
    {0x0000000005008211, 0x004fc800078ec0ff, 0x002fc800078ec0ff},
    {0x00000000000682ca, 0x000fda00000e0000, 0x000fda00000e0000},
    {0x0000000406ff85b2, 0x0005220008000100, 0x0002e20008000100},
    {0x0000000000008918, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000000000007b1d, 0x010fec0000010000, 0x008fec0000010000},
    {0x0000000000580947, 0x00efea0003800000, 0x006fea0003800000},
    {0x0000000000057919, 0x000e620000008800, 0x000e620000008800},
    {0x0000010000007802, 0x000fe20000000f00, 0x000fe20000000f00},
    {0x00000000000679c3, 0x000ea20000008800, 0x000ea20000008800},
    {0x0000040000057882, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000000000047882, 0x000fe20000000000, 0x000fe20000000000},
    {0x000000000008781c, 0x000fe20003f0f070, 0x000fe20003f0f070},
    {0x0000000500007c36, 0x000fe20008000000, 0x000fe20008000000},
    {0x0000000405047290, 0x000fe2000fffe0ff, 0x000fe2000fffe0ff},
    {0x00007000ff0877ac, 0x000ee60008000a00, 0x000ee60008000a00},
    {0x0000000406047291, 0x004fc6000f8ec0ff, 0x004fc6000f8ec0ff},
    {0x0000001000067882, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000000005057211, 0x002fc800078ec0ff, 0x002fc800078ec0ff},
    {0x00000000050572ca, 0x008fde00000e0000, 0x008fde00000e0000},
    {0x0000000000ff082f, 0x000fe20003820000, 0x000fe20003820000},
    {0x00000004080073ba, 0x0003d80008000206, 0x0003d80008000206},
    {0x000000000080181c, 0x000fe40000f0e170, 0x000fe40000f0e170},
    {0x000000000080781c, 0x000fd60003f2e170, 0x000fd60003f2e170},
    {0xfffffffd00ec0947, 0x002fea000393ffff, 0x002fea000393ffff},
    {0x00000100ff027431, 0x000fcc00000001ff, 0x000fcc00000001ff},
    {0x00000002050279a7, 0x000e6400080000ff, 0x000e6400080000ff},
    {0x00000003050075a7, 0x002e6400080011ff, 0x002e6400080011ff},
    {0x0000000000648947, 0x002fea0003800000, 0x002fea0003800000},
    {0x0000000000007948, 0x000fea0003800000, 0x000fea0003800000},
    {0x00000000000679c3, 0x000e700000008800, 0x000e700000008800},
    {0x0000000000007b1d, 0x000fe20000010000, 0x000fe20000010000},
    {0x000000000008781c, 0x000fca0003f0f070, 0x000fca0003f0f070},
    {0x0000000000047882, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000040000057882, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000e000ff027b82, 0x000ea20000000a00, 0x000ea20000000a00},
    {0x0000000405047290, 0x000fc6000fffe0ff, 0x000fc6000fffe0ff},
    {0x0000001000057882, 0x000fe20000000000, 0x000fe20000000000},
    {0x0000000406047291, 0x002fe2000f8ec0ff, 0x002fe2000f8ec0ff},
    {0x00007000ff0677ac, 0x000e6a0008000a00, 0x000e6a0008000a00},
    {0x0000000407007c11, 0x040fe2000f8e10ff, 0x040fe2000f8e10ff},
    {0x0000000407027825, 0x004fca00078e0002, 0x004fca00078e0002},
    {0x0000000000007984, 0x000ea40000000800, 0x000ea40000000800},
    {0x0000000100057810, 0x004fca0007ffe0ff, 0x004fca0007ffe0ff},
    {0x0000000502007986, 0x0025e4000c10190a, 0x0025e4000c10190a},
    {0x0000000000ff082f, 0x000fe20003820000, 0x000fe20003820000},
    {0x00000006040073bb, 0x0003d80008020405, 0x0003d80008020405},
    {0x000000000080181c, 0x000fe40000f0e170, 0x000fe40000f0e170},
    {0x000000000080781c, 0x000fd60003f2e170, 0x000fd60003f2e170},
    {0xfffffffd00ec0947, 0x002fea000393ffff, 0x002fea000393ffff},
    {0x00000000000079b7, 0x0001e20000000000, 0x0001e20000000000},
    {0x000080000000791a, 0x000fc80000000000, 0x000fc80000000000},
    {0x00000000ff00798f, 0x000fe20002000000, 0x000fe20002000000},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0x0000000000007946, 0x000fea0003800000, 0x000fea0003800000},
    {0x00000003050075a7, 0x000e6400080011ff, 0x000e6400080011ff},
    {0xfffffffc00f48947, 0x002fea000383ffff, 0x002fea000383ffff},
    {0xfffffffc008c7947, 0x000fea000383ffff, 0x000fea000383ffff},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

/* Numbers run out among loads for all lanes, where the one set longest ago is shared and waits move to who needs them (L1920 to L1922) */
static const leaf_line leaf_f[] = {
    {0x0000df00ff017b82, 0x000e220000000800, 0x000fe20000000800},
    {0x0000000000057919, 0x000e6e0000002100, 0x000e2e0000002100},
    {0x00000000000679c3, 0x000ea20000002700, 0x000e620000002700},
    {0x00006e00ff0777ac, 0x000ee20008000800, 0x000ea20008000800},
    {0x00000000ff127431, 0x000fe200000001ff, 0x000fe200000001ff},
    {0x0000000000007919, 0x000e620000002200, 0x000e220000002200},
    {0x00006e80ff0877ac, 0x000f220008000800, 0x000ee20008000800},
    {0x0000000000037919, 0x000f660000002300, 0x000f260000002300},
    {0x00000000000579c3, 0x000fe20000002500, 0x000fe20000002500},
    {0x00006c00ff0f77ac, 0x000ee20008000800, 0x000f620008000800},
    {0x00006c80ff1077ac, 0x000f6c0008000800, 0x000f2c0008000800},
    {0x00000000000479c3, 0x000f220000002600, 0x000ea20000002600},
    {0x00007000ff1477ac, 0x000ee20008000a00, 0x000ee20008000a00},
    {0x00007100ff1277ac, 0x000e2c0008000a00, 0x000f6c0008000a00},
    {0x0000da00ff067b82, 0x000e220000000800, 0x000f620000000800},
    {0x00006f00ff0977ac, 0x000f220008000800, 0x000f620008000800},
    {0x000000ff06117290, 0x004fe2000fffe1ff, 0x002fe2000fffe1ff},
    {0x00006b00ff0c77ac, 0x000ea20008000a00, 0x000e620008000a00},
    {0x0000000005027210, 0x002fc40007ffe0ff, 0x001fc40007ffe0ff},
    {0x0000000000087805, 0x000fca0000008a00, 0x000fca0000008a00},
    {0xffffff6008087824, 0x000fca00078e02ff, 0x000fca00078e02ff},
    {0x00000000080b72ca, 0x000fdc00000e0000, 0x000fdc00000e0000},
    {0x00004b000b0b77ac, 0x000e620008000800, 0x000e220008000800},
    {0x0000001400077c02, 0x008fe20008000f00, 0x008fe20008000f00},
    {0x0000001003007c24, 0x020fe2000f8e0200, 0x010fe2000f8e0200},
    {0x00000004050a7290, 0x010fe2000fffe0ff, 0x004fe2000fffe0ff},
    {0x0000000302ff7212, 0x000fe2000780fcff, 0x000fe2000780fcff},
    {0x00000008060672a4, 0x000fe2000f8e0204, 0x000fe2000f8e0204},
    {0x0000000f00057c24, 0x000fe2000f8e0205, 0x020fe2000f8e0205},
    {0x00000009080472a4, 0x000fe2000f8e02ff, 0x000fe2000f8e02ff},
    {0x0000001500087c02, 0x000fe20008000f00, 0x000fe20008000f00},
    {0x000000100f0972a4, 0x000fe2000f8e02ff, 0x000fe2000f8e02ff},
    {0x0000001200027c02, 0x001fe20008000f00, 0x000fe20008000f00},
    {0x000000ff04087290, 0x000fe2000fffe1ff, 0x000fe2000fffe1ff},
    {0x0000001300037c02, 0x000fe20008000f00, 0x000fe20008000f00},
    {0x00000006070672a4, 0x000fc4000f8e0205, 0x000fc4000f8e0205},
    {0x00000007040472a4, 0x000fe2000f8e02ff, 0x000fe2000f8e02ff},
    {0x0000000906067c24, 0x000fe2000f8e02ff, 0x000fe2000f8e02ff},
    {0x000000110a00728c, 0x000fe4000bf05270, 0x000fe4000bf05270},
    {0x80000001070574a4, 0x000fe2000f8e0208, 0x000fe2000f8e0208},
    {0x0000000606007c24, 0x000fe2000f8e0205, 0x000fe2000f8e0205},
    {0x0000000500007352, 0x000fcc0000000000, 0x000fcc0000000000},
    {0x0000000000057805, 0x000fca0000008a00, 0x000fca0000008a00},
    {0xffffff6005057824, 0x000fca00078e02ff, 0x000fca00078e02ff},
    {0x00000000050e72ca, 0x000fe400000e0000, 0x000fe400000e0000},
    {0x0000000000057353, 0x000fd80000000000, 0x000fd80000000000},
    {0x00004a800e0e77ac, 0x000e220008000800, 0x000ea20008000800},
    {0x0000000406067c24, 0x000fe2000f8e02ff, 0x000fe2000f8e02ff},
    {0x0000000105057887, 0x006fd8000c000000, 0x003fd8000c000000},
};

/* A loop's last store has its number for what it reads, which the load in front of the loop shares in the input (L1832). */
static const leaf_line leaf_carried[] = {
    {0x0000df00ff017b82, 0x000e220000000800, 0x000fe20000000800},
    {0x00000000000d7919, 0x000e620000002100, 0x000e220000002100},
    {0x00007100ff0477ac, 0x000e640008000800, 0x000e240008000800},
    {0x000000040d007c0c, 0x002fda000bf06270, 0x001fda000bf06270},
    {0x000000000000094d, 0x000fea0003800000, 0x000fea0003800000},
    {0x0000e200ff007b82, 0x000e620000000800, 0x000e220000000800},
    {0x00006c00ff0477ac, 0x000ea20008000800, 0x000e620008000800},
    {0x00006b00ff0677ac, 0x000eec0008000a00, 0x000eac0008000a00},
    {0x0000e000ff0a7b82, 0x000f240000000a00, 0x000ee40000000a00},
    {0x000000000d037210, 0x042fe20007ffe0ff, 0x041fe20007ffe0ff},
    {0x000000080d067825, 0x010fc800078e020a, 0x018fc800078e020a},
    {0x0000000803027825, 0x000fe200078e020a, 0x000fe200078e020a},
    {0x0000000606087981, 0x008ee6000c1e1b00, 0x004ea6000c1e1b00},
    {0x0000000800047825, 0x000fe400078e0202, 0x000fe400078e0202},
    {0x0000000602027981, 0x000ee8000c1e1b00, 0x000ea8000c1e1b00},
    {0x0000000604047981, 0x000ee2000c1e1b00, 0x000ea2000c1e1b00},
    {0x000000040d0d7c10, 0x004fc8000fffe0ff, 0x002fc8000fffe0ff},
    {0x000000000d00720c, 0x000fe20003f06270, 0x000fe20003f06270},
    {0x000000040208722b, 0x008fce0000000008, 0x004fce0000000008},
    {0x0000000806007986, 0x0003ea000c101b06, 0x0009ea000c101b06},
    {0xfffffffc00d08947, 0x000fea000383ffff, 0x000fea000383ffff},
    {0x000000000000794d, 0x000fea0003800000, 0x000fea0003800000},
    {0xfffffffc00fc7947, 0x000fc0000383ffff, 0x000fc0000383ffff},
};

#define LEAF_COUNT(lines) (sizeof(lines) / sizeof *(lines))

static uint8_t *leaf_text(const leaf_line *lines, size_t count) {
  uint8_t *const text = harness_grow(NULL, count * LEAF_LINE);
  for (size_t i = 0; i < count; i++) {
    tl_put64(text + i * LEAF_LINE, lines[i].low);
    tl_put64(text + i * LEAF_LINE + 8, lines[i].high);
  }
  return text;
}

static tl_remake leaf_run(uint8_t *text, size_t count) {
  tl_arena arena;
  unit_open_arena(&arena);
  const tl_remake what = tl_leaf_remake(text, count * LEAF_LINE, &arena);
  tl_arena_release(&arena);
  return what;
}

static void leaf_check_made(const leaf_line *lines, size_t count) {
  uint8_t *const text = leaf_text(lines, count);
  assert_int_equal(leaf_run(text, count), TL_REMAKE_SURE);
  for (size_t i = 0; i < count; i++) {
    assert_true(tl_get64(text + i * LEAF_LINE) == lines[i].low);
    assert_true(tl_get64(text + i * LEAF_LINE + 8) == lines[i].made);
  }
  free(text);
}

static void leaf_test_made(void **state) {
  (void)state;
  leaf_check_made(leaf_a, LEAF_COUNT(leaf_a));
  leaf_check_made(leaf_carried, LEAF_COUNT(leaf_carried));
  leaf_check_made(leaf_b, LEAF_COUNT(leaf_b));
  leaf_check_made(leaf_c, LEAF_COUNT(leaf_c));
  leaf_check_made(leaf_d, LEAF_COUNT(leaf_d));
  leaf_check_made(leaf_e, LEAF_COUNT(leaf_e));
  leaf_check_made(leaf_f, LEAF_COUNT(leaf_f));
}

/* With one instruction in the place of line `at`: what is found, and that the text stays as it was. */
static void leaf_check_kept(size_t at, uint64_t low, uint64_t high, tl_remake expected) {
  leaf_line lines[LEAF_COUNT(leaf_a)];
  memcpy(lines, leaf_a, sizeof lines);
  lines[at].low = low;
  lines[at].high = high;
  uint8_t *const text = leaf_text(lines, LEAF_COUNT(lines)), *const before = leaf_text(lines, LEAF_COUNT(lines));
  assert_int_equal(leaf_run(text, LEAF_COUNT(lines)), expected);
  assert_memory_equal(text, before, sizeof lines / sizeof *lines * LEAF_LINE);
  free(text);
  free(before);
}

/* Whether it is made anew with -r, with what nvlink made of a text in its first line and another instruction in line 15. */
static bool leaf_opens(uint64_t first, uint64_t low, bool calls) {
  leaf_line lines[LEAF_COUNT(leaf_a)];
  tl_arena arena;
  memcpy(lines, leaf_a, sizeof lines);
  lines[0].high = first;
  lines[15].low = low;
  uint8_t *const text = leaf_text(lines, LEAF_COUNT(lines));
  unit_open_arena(&arena);
  const bool opens = tl_leaf_is_opened(text, sizeof lines / sizeof *lines * LEAF_LINE, calls, &arena);
  tl_arena_release(&arena);
  free(text);
  return opens;
}

/* L723 */
static void leaf_test_opened(void **state) {
  (void)state;
  const uint64_t left = leaf_a[0].made, asked = leaf_a[0].high, nothing = leaf_a[15].low;
  assert_true(leaf_opens(left, nothing, true));
  assert_false(leaf_opens(left, nothing, false));
  assert_false(leaf_opens(asked, nothing, true));
  assert_false(leaf_opens(left, 0x0000000001057210, true));  /* R1 is read */
  assert_true(leaf_opens(asked, 0x0000000000007992, false)); /* a fence */
}

static void leaf_test_kept(void **state) {
  (void)state;
  const uint64_t plain = 0x000fe20000000800;
  leaf_check_kept(0, leaf_a[0].low, plain, TL_REMAKE_NONE);               /* R1 is loaded without a barrier */
  leaf_check_kept(0, 0x0000df00ff027b82, leaf_a[0].high, TL_REMAKE_NONE); /* another register is */
  leaf_check_kept(0, leaf_a[0].low, 0x00321e0000000800, TL_REMAKE_NONE);  /* -O0 code */
  leaf_check_kept(15, 0x0000000000007943, plain, TL_REMAKE_NONE);         /* a call */
  leaf_check_kept(15, 0x0000000000007944, plain, TL_REMAKE_NONE);
  leaf_check_kept(15, 0x0000000001057210, plain, TL_REMAKE_NONE);   /* R1 is read */
  leaf_check_kept(15, 0x0000180401007387, plain, TL_REMAKE_NONE);   /* a store to the stack */
  leaf_check_kept(15, 0x0000000000007949, plain, TL_REMAKE_UNSURE); /* a jump to a register */
  leaf_line fence[LEAF_COUNT(leaf_a)];
  memcpy(fence, leaf_a, sizeof fence);
  for (size_t i = 8; i < 12; i++)
    fence[i].low = 0x00000000ffff7984; /* four loads of nothing (M44) */
  uint8_t *const text = leaf_text(fence, LEAF_COUNT(fence));
  assert_int_equal(leaf_run(text, LEAF_COUNT(fence)), TL_REMAKE_FENCE);
  free(text);
  uint8_t nothing = 0;
  assert_int_equal(leaf_run(&nothing, 0), TL_REMAKE_NONE);
}

/* Numbers 0 to 4 all pending when another S2R comes, which takes the one of `shared`. */
static void leaf_run_out(unsigned shared, tl_remake expected, unsigned number) {
  leaf_line lines[8] = {leaf_a[0]};
  for (size_t i = 1; i < 6; i++) /* S2R R2.. with barriers 1 to 4, and the shared one */
    lines[i] = (leaf_line){0x0000000000007919 | (uint64_t)(i + 1) << 16,
                           0x000e220000002100 | (uint64_t)(i < 5 ? i : shared) << 46, 0};
  lines[6] = (leaf_line){0x000000000000794d, 0x01ffea0003800000, 0}; /* EXIT waits for them */
  lines[7] = leaf_a[LEAF_COUNT(leaf_a) - 1];
  uint8_t *const text = leaf_text(lines, LEAF_COUNT(lines));
  assert_int_equal(leaf_run(text, LEAF_COUNT(lines)), expected);
  assert_int_equal(tl_get64(text + 5 * LEAF_LINE + 8) >> 46 & 7, number);
  free(text);
}

/* R1's load gives its number back (L772); what shared another one, though 5 was free (RF1391), shares it again (L770). */
static void leaf_test_run_out(void **state) {
  (void)state;
  leaf_run_out(0, TL_REMAKE_SURE, 4);
  leaf_run_out(1, TL_REMAKE_SURE, 0);
}

/* Instructions of the two texts in any order, with random control bits and some random words between. */
static void leaf_test_random(void **state) {
  (void)state;
  const uint64_t control = (uint64_t)0xf << 41 | (uint64_t)0x3f << 46 | (uint64_t)0x3f << 52;
  uint64_t random = 0x1eaf;
  size_t sure = 0;
  for (int round = 0; round < LEAF_ROUNDS; round++) {
    const size_t count = 1 + unit_random(&random) % 40;
    leaf_line lines[41] = {leaf_a[0]};
    for (size_t i = 1; i < count; i++) {
      lines[i] = leaf_b[unit_random(&random) % LEAF_COUNT(leaf_b)];
      if (unit_random(&random) % 8 == 0)
        lines[i].high ^= unit_random(&random) & control;
      if (unit_random(&random) % 32 == 0)
        lines[i].low ^= unit_random(&random);
    }
    uint8_t *const text = leaf_text(lines, count);
    const tl_remake what = leaf_run(text, count);
    sure += what == TL_REMAKE_SURE;
    for (size_t i = 0; i < count; i++) {
      const uint64_t may = what == TL_REMAKE_SURE ? control : 0;
      assert_true(tl_get64(text + i * LEAF_LINE) == lines[i].low);
      assert_true(((tl_get64(text + i * LEAF_LINE + 8) ^ lines[i].high) & ~may) == 0);
    }
    free(text);
  }
  assert_true(sure > LEAF_ROUNDS / 20);
}

int unit_test_leaf(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(leaf_test_made), cmocka_unit_test(leaf_test_kept),
                                     cmocka_unit_test(leaf_test_opened), cmocka_unit_test(leaf_test_run_out),
                                     cmocka_unit_test(leaf_test_random)};
  return cmocka_run_group_tests_name("leaf", tests, NULL, NULL);
}
