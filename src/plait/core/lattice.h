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

/* out = exp(x - top) for x <= top, in single precision: error below 2e-7 of the value; what is more than 87 below the top
 * counts as 87 below it, which is nothing beside 1. As above, with the polynomial of Cephes' expf. */
PLAIT_FAST static void exp_below(float *PLAIT_RESTRICT out, const float *PLAIT_RESTRICT x, float top, ptrdiff_t n)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23 */
    for (ptrdiff_t i = 0; i < n; i++) {
        float v = x[i] - top, power;
        uint32_t bits;
        memcpy(&bits, &v, 4);
        bits = bits > 0xc2ae0000u ? 0xc2ae0000u : bits; /* -87; GCC makes a branch of v < -87, and does not vectorise */
        memcpy(&v, &bits, 4);
        float shifted = v * 1.44269504088896341f + magic;
        float k = shifted - magic;
        float r = v - k * 0.693359375f + k * 2.12194440e-4f;
        float p = 1.9875691500e-4f;
        p = p * r + 1.3981999507e-3f;
        p = p * r + 8.3334519073e-3f;
        p = p * r + 4.1665795894e-2f;
        p = p * r + 1.6666665459e-1f;
        p = p * r + 5.0000001201e-1f;
        p = p * r * r + r + 1.0f;
        memcpy(&bits, &shifted, 4);
        bits = (bits + 127) << 23;
        memcpy(&power, &bits, 4);
        out[i] = p * power;
    }
}

/* The sum of some numbers; eight running sums, so that the order is fixed and yet wide */
PLAIT_FAST static float sum_of(const float *x, ptrdiff_t n)
{
    float sum[8] = {0.0f};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[i + k];
    for (; i < n; i++)
        sum[0] += x[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
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
        const double *e = E + a * n, *m = M ? M + a * n : NULL;
        for (ptrdiff_t b = 0; b < n; b++)
            out[b] += f * (m ? m[b] * e[b] : e[b]);
    }
}

/* out[a] = sum over b of M[a][b] E[a][b] to[b]; four running sums: a fixed order that can be vectorized */
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
        const double *e = E + a * n, *m = M ? M + a * n : NULL;
        double *sum = total + a * n, *h = here ? here + a * n : NULL;
        for (ptrdiff_t b = 0; b < n; b++) {
            double p = f * (m ? m[b] * e[b] : e[b]) * to[b];
            sum[b] += p;
            if (h)
                h[b] += p;
        }
    }
}

/* best[b] = max over a of from[a] + M[a][b] + E[a][b], back[b] the first such a */
PLAIT_FAST static void max_step(float *PLAIT_RESTRICT best, int32_t *PLAIT_RESTRICT back, const float *PLAIT_RESTRICT from,
                                const float *PLAIT_RESTRICT M, const float *PLAIT_RESTRICT E, ptrdiff_t n)
{
    ptrdiff_t i = 0;
#if defined(PLAIT_VECTORS)
    /* Twice eight labels at a time over all predecessors; the last ones may be computed twice. */
    for (; i < n && n >= 8; i += 16) {
        const ptrdiff_t p = i + 8 <= n ? i : n - 8, q = i + 16 <= n ? i + 8 : n - 8;
        plait_8f best_p = {0}, best_q = {0};
        plait_8i back_p = {0}, back_q = {0};
        best_p -= INFINITY;
        best_q -= INFINITY;
        for (ptrdiff_t a = 0; a < n; a++) {
            plait_8f x = *(const plait_8f *)(E + a * n + p), y = *(const plait_8f *)(E + a * n + q);
            if (M) {
                x = *(const plait_8f *)(M + a * n + p) + x;
                y = *(const plait_8f *)(M + a * n + q) + y;
            }
            x = from[a] + x;
            y = from[a] + y;
            const plait_8i better_p = x > best_p, better_q = y > best_q;
            best_p = (plait_8f)(((plait_8i)x & better_p) | ((plait_8i)best_p & ~better_p));
            best_q = (plait_8f)(((plait_8i)y & better_q) | ((plait_8i)best_q & ~better_q));
            back_p = ((int32_t)a & better_p) | (back_p & ~better_p);
            back_q = ((int32_t)a & better_q) | (back_q & ~better_q);
        }
        *(plait_8f *)(best + p) = best_p;
        *(plait_8f *)(best + q) = best_q;
        *(plait_8i *)(back + p) = back_p;
        *(plait_8i *)(back + q) = back_q;
    }
#endif
    for (; i < n; i++) {
        best[i] = -INFINITY;
        back[i] = 0;
        for (ptrdiff_t a = 0; a < n; a++) {
            const float v = from[a] + (M ? M[a * n + i] + E[a * n + i] : E[a * n + i]);
            if (v > best[i]) {
                best[i] = v;
                back[i] = (int32_t)a;
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
