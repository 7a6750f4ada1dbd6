/* The statements that need the toolkit's own headers: what people write with cooperative groups, CUB, Thrust, libcu++,
 * cuRAND and the headers of the small number formats. The headers are the toolkit's; programs that include them are built
 * and compared, and never kept. */
#include "gen_headers.h"

static const gen_header_row gen_headers[] = {
    {75, "#include <cooperative_groups.h>",
     "auto b = cooperative_groups::this_thread_block(); b.sync(); acc += b.thread_rank();"},
    {75, "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>",
     "auto t = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); acc += "
     "cooperative_groups::reduce(t, acc, cooperative_groups::plus<int>());"},
    {75, "#include <cooperative_groups.h>\n#include <cooperative_groups/scan.h>",
     "auto t = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block()); acc += "
     "cooperative_groups::inclusive_scan(t, acc);"},
    {75, "#include <cooperative_groups.h>",
     "cooperative_groups::this_grid().sync(); acc += cooperative_groups::coalesced_threads().size();"},
    {80, "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>",
     "__shared__ int cs[64]; auto b = cooperative_groups::this_thread_block(); cooperative_groups::memcpy_async(b, cs, "
     "p, 64 * sizeof(int)); cooperative_groups::wait(b); acc += cs[x & 63];"},
    {90, "#include <cooperative_groups.h>",
     "auto c = cooperative_groups::this_cluster(); c.sync(); acc += c.num_blocks();"},
    {75, "#include <cub/block/block_reduce.cuh>",
     "typedef cub::BlockReduce<int, 64> reduce; __shared__ typename reduce::TempStorage space; acc += "
     "reduce(space).Sum(acc);"},
    {75, "#include <cub/block/block_scan.cuh>",
     "typedef cub::BlockScan<int, 32> scan; __shared__ typename scan::TempStorage space; scan(space).InclusiveSum(acc, "
     "acc);"},
    {75, "#include <cub/block/block_radix_sort.cuh>",
     "typedef cub::BlockRadixSort<int, 32, 2> sort; __shared__ typename sort::TempStorage space; int keys[2] = {acc, "
     "x}; sort(space).Sort(keys); acc = keys[0];"},
    {75, "#include <cub/warp/warp_reduce.cuh>",
     "typedef cub::WarpReduce<double> reduce; __shared__ typename reduce::TempStorage space; acc += "
     "(int)reduce(space).Sum((double)acc);"},
    {75, "#include <thrust/sort.h>\n#include <thrust/execution_policy.h>",
     "thrust::sort(thrust::seq, p, p + 8); acc += p[0];"},
    {75, "#include <thrust/reduce.h>\n#include <thrust/execution_policy.h>",
     "acc += thrust::reduce(thrust::seq, p, p + (x & 15));"},
    {75, "#include <cuda/atomic>",
     "cuda::atomic_ref<int, cuda::thread_scope_device> r(*p); acc += r.fetch_add(x, cuda::std::memory_order_acq_rel);"},
    {75, "#include <cuda/std/array>\n#include <cuda/std/optional>",
     "cuda::std::array<int, 4> a{acc, x, 3, 4}; cuda::std::optional<int> o; if (x > 3) o = a[acc & 3]; acc += "
     "o.value_or(7);"},
    {75, "#include <cuda/std/complex>",
     "cuda::std::complex<double> z(acc, x); z = cuda::std::exp(z) * z; acc += (int)z.real();"},
    {75, "#include <cuda/std/functional>", "cuda::std::plus<int> f; acc = f(acc, x);"},
    {80, "#include <cuda/barrier>",
     "__shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); "
     "__syncthreads(); bar.arrive_and_wait();"},
    {80, "#include <cuda/pipeline>",
     "__shared__ int ps[32]; auto q = cuda::make_pipeline(); q.producer_acquire(); cuda::memcpy_async(&ps[x & 31], p, "
     "sizeof(int), q); q.producer_commit(); q.consumer_wait(); acc += ps[x & 31]; q.consumer_release();"},
    {75, "#include <curand_kernel.h>",
     "curandState s; curand_init(x, acc, 0, &s); acc += (int)curand(&s) + (int)(curand_uniform(&s) * 9);"},
    {75, "#include <curand_kernel.h>",
     "curandStatePhilox4_32_10_t s; curand_init(x, acc, 0, &s); float4 f = curand_normal4(&s); acc += (int)(f.x + "
     "f.y);"},
    {75, "#include <curand_kernel.h>",
     "curandStateMRG32k3a s; curand_init(x, acc, 0, &s); acc += (int)curand_normal_double(&s);"},
    {75, "#include <curand_kernel.h>",
     "curandState s; curand_init(x, acc, 5, &s); acc += (int)curand_poisson(&s, 12.5);"},
    {75, "#include <cuda_fp16.h>",
     "__half h = __int2half_rn(acc); h = hsin(h) + hexp(h) * __float2half(1.5f); acc += __half2int_rn(h);"},
    {75, "#include <cuda_bf16.h>",
     "__nv_bfloat16 h = __float2bfloat16((float)acc); h = h * h + hrcp(h); acc += (int)__bfloat162float(h);"},
    {75, "#include <cuda_fp8.h>", "__nv_fp8_e4m3 f((float)acc); acc += (int)(float)f;"},
    {75, "#include <mma.h>",
     "using namespace nvcuda; wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; "
     "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b; wmma::fragment<wmma::accumulator, 16, 16, "
     "16, float> c; wmma::fill_fragment(c, 0.0f); wmma::load_matrix_sync(a, (half *)p, 16); wmma::load_matrix_sync(b, "
     "(half *)p, 16); wmma::mma_sync(c, a, b, c); wmma::store_matrix_sync((float *)p, c, 16, wmma::mem_row_major);"},
    {75, "#include <cuComplex.h>",
     "cuDoubleComplex z = make_cuDoubleComplex(acc, x); z = cuCdiv(z, cuCmul(z, z)); acc += (int)cuCabs(z);"},
};

/* The last row below `index` that the architecture has: the first row is for all. */
const gen_header_row *gen_header_of(const gen_operation *operation, unsigned sm) {
  size_t index = operation->a % (sizeof gen_headers / sizeof gen_headers[0]);
  while (gen_headers[index].sm > sm)
    index--;
  return &gen_headers[index];
}
