__global__ void leaf(int *p, int n)
{
  if (n < 3)
    return;
  if (p[n] > 7)
    p[1] = p[2] * 3 + n;
  p[n] += n;
}
