/* All n(y, xi, xj) on bit planes in plain C: how fast the machine could be, for comparison only.
 *
 * Rows are grouped by class and padded to 64-bit words; a plane holds one state, the last state of a column has
 * none. Four planes are interleaved word by word, so that a vector holds the same word of four planes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { LANES = 4, CHUNK = 256 };

/* out[l] += sum over w of popcount(word[w] & group[w][l]) */
static void and_popcount(const uint64_t *word, const uint64_t *group, long n, int64_t *out) {
#if defined(__AVX2__) && !defined(__AVX512VPOPCNTDQ__)
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i total = _mm256_loadu_si256((const __m256i *)out);
    for (long first = 0; first < n; first += 31) { /* 31 * 8 < 256: bytes do not overflow */
        const long last = first + 31 < n ? first + 31 : n;
        __m256i bytes = _mm256_setzero_si256();
        for (long w = first; w < last; w++) {
            const __m256i x = _mm256_and_si256(_mm256_set1_epi64x((long long)word[w]),
                                               _mm256_loadu_si256((const __m256i *)(group + LANES * w)));
            const __m256i right = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
            const __m256i left = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
            bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(right, left));
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    _mm256_storeu_si256((__m256i *)out, total);
#else
    int64_t sums[LANES] = {0};
    for (long w = 0; w < n; w++)
        for (int l = 0; l < LANES; l++) sums[l] += __builtin_popcountll(word[w] & group[LANES * w + l]);
    for (int l = 0; l < LANES; l++) out[l] += sums[l];
#endif
}

/* the word whose bit t says whether code[t] is the state */
static uint64_t equal_mask(const uint8_t *code, int state) {
#ifdef __AVX2__
    const __m256i same = _mm256_set1_epi8((char)state);
    const uint32_t low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(same, _mm256_loadu_si256((const __m256i *)code)));
    const uint32_t high =
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(same, _mm256_loadu_si256((const __m256i *)(code + 32))));
    return (uint64_t)high << 32 | low;
#else
    uint64_t mask = 0;
    for (int t = 0; t < 64; t++) mask |= (uint64_t)(code[t] == state) << t;
    return mask;
#endif
}

static void build(const uint8_t *codes, const int64_t *y, long n, long d, long v, long k, const long *word,
                  long n_words, uint64_t *planes, int32_t *singles) {
    uint32_t *order = malloc((n + 1) * sizeof *order); /* the rows, grouped by class */
    long *start = calloc(k + 1, sizeof *start);
    for (long c = 0, at = 0; c < k; c++) {
        for (long r = 0; r < n; r++) {
            order[at] = (uint32_t)r;
            at += y[r] == c;
        }
        start[c + 1] = at;
    }
    for (long i = 0; i < d; i++)
        for (long c = 0; c < k; c++) {
            int32_t *single = singles + (i * k + c) * v;
            single[v - 1] = (int32_t)(start[c + 1] - start[c]);
            for (long w = word[c]; w < word[c + 1]; w++) {
                const long first = start[c] + 64 * (w - word[c]), left = start[c + 1] - first;
                uint8_t code[64];
                memset(code, 255, sizeof code);
                for (long t = 0; t < (left < 64 ? left : 64); t++) code[t] = codes[i * n + order[first + t]];
                for (long a = 0; a < v - 1; a++) {
                    const long p = i * (v - 1) + a;
                    const uint64_t mask = equal_mask(code, (int)a);
                    planes[(p / LANES * n_words + w) * LANES + p % LANES] = mask;
                    single[a] += __builtin_popcountll(mask);
                    single[v - 1] -= __builtin_popcountll(mask);
                }
            }
        }
    free(start);
    free(order);
}

static void add_tables(const int64_t *strip, long i, long c, long d, long v, long k, const int32_t *singles,
                       int32_t *pairs) {
    for (long j = i + 1; j < d; j++) {
        int32_t *table = pairs + (((i * (2 * d - i - 1) / 2 + j - i - 1) * k) + c) * v * v;
        int32_t *last = table + (v - 1) * v;
        int32_t corner = singles[(i * k + c) * v + v - 1];
        for (long b = 0; b < v - 1; b++) last[b] = singles[(j * k + c) * v + b];
        for (long a = 0; a < v - 1; a++) {
            const int64_t *found = strip + a * ((d * (v - 1) + LANES - 1) / LANES * LANES) + j * (v - 1);
            int32_t rest = singles[(i * k + c) * v + a];
            for (long b = 0; b < v - 1; b++) {
                table[a * v + b] = (int32_t)found[b];
                last[b] -= (int32_t)found[b];
                rest -= (int32_t)found[b];
            }
            table[a * v + v - 1] = rest;
        }
        for (long b = 0; b < v - 1; b++) corner -= last[b];
        last[v - 1] = corner;
    }
}

/* singles and pairs come zeroed, as counts packs them; every column has v states */
void count_pairs(const uint8_t *codes, const int64_t *y, long n, long d, long v, long k, int32_t *singles,
                 int32_t *pairs) {
    long *word = calloc(k + 1, sizeof *word);
    for (long r = 0; r < n; r++) word[y[r] + 1]++;
    for (long c = 0; c < k; c++) word[c + 1] = word[c] + (word[c + 1] + 63) / 64;
    const long n_words = word[k], groups = (d * (v - 1) + LANES - 1) / LANES;
    uint64_t *planes = calloc(groups * n_words * LANES, sizeof *planes);
    long batch = 32768 / ((v - 1) * groups * LANES); /* columns whose counts fit in the cache */
    if (batch < 1) batch = 1;
    int64_t *strip = malloc(batch * (v - 1) * groups * LANES * sizeof *strip);
    uint64_t mine[CHUNK];
    build(codes, y, n, d, v, k, word, n_words, planes, singles);
    for (long begin = 0; begin < d - 1; begin += batch) {
        const long end = begin + batch < d - 1 ? begin + batch : d - 1;
        for (long c = 0; c < k; c++) {
            memset(strip, 0, batch * (v - 1) * groups * LANES * sizeof *strip);
            for (long first = word[c]; first < word[c + 1]; first += CHUNK) {
                const long size = word[c + 1] - first < CHUNK ? word[c + 1] - first : CHUNK;
                for (long p = begin * (v - 1); p < end * (v - 1); p++) {
                    for (long w = 0; w < size; w++)
                        mine[w] = planes[(p / LANES * n_words + first + w) * LANES + p % LANES];
                    for (long g = (p / (v - 1) + 1) * (v - 1) / LANES; g < groups; g++)
                        and_popcount(mine, planes + (g * n_words + first) * LANES, size,
                                     strip + ((p - begin * (v - 1)) * groups + g) * LANES);
                }
            }
            for (long i = begin; i < end; i++)
                add_tables(strip + (i - begin) * (v - 1) * groups * LANES, i, c, d, v, k, singles, pairs);
        }
    }
    free(strip);
    free(planes);
    free(word);
}
