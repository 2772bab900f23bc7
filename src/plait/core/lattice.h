/* Kernels over the tables of a chain of labels: steps from the labels of one item to those of the next.
 *
 * M and E are [n][n], M[a][b] for "a, then b"; M may be NULL, which stands for a table of ones (zeros in max_step). */
#ifndef PLAIT_LATTICE_H
#define PLAIT_LATTICE_H

#include <math.h>
#include <string.h>

#include "portable.h"

/* x = exp(x) for x <= 700; -inf and anything below -700 give 0. Error below 3e-16 of the value: x = k ln 2 + r with
 * |r| <= ln 2 / 2, and the Taylor series of exp(r) to the 12th power. Four times as fast as libm, as it vectorises. */
PLAIT_FAST static void exp_all(double *PLAIT_RESTRICT x, ptrdiff_t n)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to a whole number in the low bits */
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = x[i] < -700.0 ? -700.0 : x[i];
        double shifted = v * 1.4426950408889634 + magic;
        double k = shifted - magic;
        double r = v - k * 0.693147180369123816490 - k * 1.90821492927058770002e-10;
        double p = 1.0 / 479001600;
        p = p * r + 1.0 / 39916800;
        p = p * r + 1.0 / 3628800;
        p = p * r + 1.0 / 362880;
        p = p * r + 1.0 / 40320;
        p = p * r + 1.0 / 5040;
        p = p * r + 1.0 / 720;
        p = p * r + 1.0 / 120;
        p = p * r + 1.0 / 24;
        p = p * r + 1.0 / 6;
        p = p * r + 0.5;
        p = p * r + 1.0;
        p = p * r + 1.0;
        int64_t bits;
        memcpy(&bits, &shifted, 8);
        bits = (int64_t)((uint64_t)(bits + 1023) << 52);
        double power;
        memcpy(&power, &bits, 8);
        x[i] = x[i] < -700.0 ? 0.0 : p * power;
    }
}

PLAIT_FAST static double max_of(const double *x, ptrdiff_t n)
{
    double best = x[0];
    for (ptrdiff_t i = 1; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

/* out[b] = sum over a of from[a] M[a][b] E[a][b] */
PLAIT_FAST static void forward_step(double *PLAIT_RESTRICT out, const double *PLAIT_RESTRICT from,
                                    const double *PLAIT_RESTRICT M, const double *PLAIT_RESTRICT E, ptrdiff_t n)
{
    memset(out, 0, n * sizeof(double));
    for (ptrdiff_t a = 0; a < n; a++) {
        double f = from[a];
        if (f == 0.0)
            continue;
        const double *e = E + a * n;
        if (M) {
            const double *m = M + a * n;
            for (ptrdiff_t b = 0; b < n; b++)
                out[b] += f * (m[b] * e[b]);
        } else {
            for (ptrdiff_t b = 0; b < n; b++)
                out[b] += f * e[b];
        }
    }
}

/* out[a] = sum over b of M[a][b] E[a][b] to[b]; four running sums, so that the order is fixed and yet wide */
PLAIT_FAST static void backward_step(double *PLAIT_RESTRICT out, const double *PLAIT_RESTRICT M,
                                     const double *PLAIT_RESTRICT E, const double *PLAIT_RESTRICT to, ptrdiff_t n)
{
    for (ptrdiff_t a = 0; a < n; a++) {
        const double *e = E + a * n;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        ptrdiff_t b = 0;
        if (M) {
            const double *m = M + a * n;
            for (; b + 4 <= n; b += 4)
                for (int k = 0; k < 4; k++)
                    sum[k] += m[b + k] * e[b + k] * to[b + k];
            for (; b < n; b++)
                sum[0] += m[b] * e[b] * to[b];
        } else {
            for (; b + 4 <= n; b += 4)
                for (int k = 0; k < 4; k++)
                    sum[k] += e[b + k] * to[b + k];
            for (; b < n; b++)
                sum[0] += e[b] * to[b];
        }
        out[a] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* p = from[a] M[a][b] E[a][b] to[b] is added to total[a][b] and, unless it is NULL, to here[a][b] */
PLAIT_FAST static void expect_step(double *PLAIT_RESTRICT total, double *PLAIT_RESTRICT here,
                                   const double *PLAIT_RESTRICT from, const double *PLAIT_RESTRICT M,
                                   const double *PLAIT_RESTRICT E, const double *PLAIT_RESTRICT to, ptrdiff_t n)
{
    for (ptrdiff_t a = 0; a < n; a++) {
        double f = from[a];
        if (f == 0.0)
            continue;
        const double *e = E + a * n;
        const double *m = M ? M + a * n : NULL;
        double *sum = total + a * n;
        if (here) {
            double *h = here + a * n;
            if (m)
                for (ptrdiff_t b = 0; b < n; b++) {
                    double p = f * (m[b] * e[b]) * to[b];
                    sum[b] += p;
                    h[b] += p;
                }
            else
                for (ptrdiff_t b = 0; b < n; b++) {
                    double p = f * e[b] * to[b];
                    sum[b] += p;
                    h[b] += p;
                }
        } else if (m) {
            for (ptrdiff_t b = 0; b < n; b++)
                sum[b] += f * (m[b] * e[b]) * to[b];
        } else {
            for (ptrdiff_t b = 0; b < n; b++)
                sum[b] += f * e[b] * to[b];
        }
    }
}

/* best[b] = max over a of from[a] + M[a][b] + E[a][b], back[b] the first such a */
PLAIT_FAST static void max_step(float *PLAIT_RESTRICT best, int32_t *PLAIT_RESTRICT back, const float *PLAIT_RESTRICT from,
                                const float *PLAIT_RESTRICT M, const float *PLAIT_RESTRICT E, ptrdiff_t n)
{
    for (ptrdiff_t b = 0; b < n; b++) {
        best[b] = -INFINITY;
        back[b] = 0;
    }
    for (int32_t a = 0; a < n; a++) {
        float f = from[a];
        if (f == -INFINITY)
            continue;
        const float *e = E + (ptrdiff_t)a * n;
        if (M) {
            const float *m = M + (ptrdiff_t)a * n;
            for (ptrdiff_t b = 0; b < n; b++) {
                float v = f + (m[b] + e[b]);
                int better = v > best[b];
                best[b] = better ? v : best[b];
                back[b] = better ? a : back[b];
            }
        } else {
            for (ptrdiff_t b = 0; b < n; b++) {
                float v = f + e[b];
                int better = v > best[b];
                best[b] = better ? v : best[b];
                back[b] = better ? a : back[b];
            }
        }
    }
}

/* out[i] += x[i] */
PLAIT_FAST static void add_row(double *PLAIT_RESTRICT out, const double *PLAIT_RESTRICT x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        out[i] += x[i];
}

#endif
