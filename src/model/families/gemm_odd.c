/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on ways that serving tables do not have.
 *
 * Rows of 16 bits that do not begin at 16 bytes, of any shape. Where K or N is odd the library takes kernels of Turing's kind
 * (align1): two bytes cannot go to shared memory past the registers. Where both are even it takes Ampere's, four bytes at a
 * time (align2). For a tile of tm x tn and s parts of K
 *
 *     step  = tm tn / arithmetic + (tm + tn) / loaded           clocks for each of K; what is beyond C is not loaded
 *     tile  = (K / s + depth) step + tm tn / written
 *     us    = floor + (turns x tile / clock  and  operands out of memory, with a knee) + C / memory + adding up the parts
 *
 * and the least over tiles and parts is taken. Fitted on an H200, whose launch is a figure of its host.
 *
 * A few rows by threads (gemmSN in a kernel's name): as long as the instructions for each element of the larger operand.
 */
#include <math.h>

#include "engine.h"
#include "family.h"
#include "tiles.h"

enum coefficient {
    LAUNCH_US,
    FLOOR,
    MEMORY,
    ARITHMETIC,
    ARITHMETIC_EVEN,
    LOADED,
    LOADED_EVEN,
    WRITTEN,
    DEPTH,
    QUANTUM,
    KNEE,
    SPLIT,
    VECTOR_STEPS,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [LAUNCH_US] = {"launch_us", 24, 3, 200, 1.5, "what launching a lone call adds, us", true},
    [FLOOR] = {"floor", 3500, 500, 30000, 0.3, "the least that a kernel takes, clocks", false},
    [MEMORY] = {"memory", 0.8, 0.2, 1.1, 0.2, "of memory bandwidth", false},
    [ARITHMETIC] = {"arithmetic", 512, 64, 2048, 0.3, "multiplications a clock and multiprocessor, K or N odd", false},
    [ARITHMETIC_EVEN] = {"arithmetic_even", 1024, 64, 4096, 0.3, "the same, both even", false},
    [LOADED] = {"loaded", 10.7, 1, 128, 0.3, "elements a clock out of memory into shared memory, K or N odd", false},
    [LOADED_EVEN] = {"loaded_even", 32, 1, 256, 0.3, "the same, both even", false},
    [WRITTEN] = {"written", 8, 1, 128, 0.3, "elements of C a clock", false},
    [DEPTH] = {"depth", 16, 0.1, 1000, 0.3, "steps of K that starting and ending a tile are worth", false},
    [QUANTUM] = {"quantum", 0.7, 0, 1, 0.2, "share of a broken wave that waits for its end", false},
    [KNEE] = {"knee", 3, 1.2, 8, 0.2, "power with which tiles and memory overlap", false},
    [SPLIT] = {"split", 4500, 200, 60000, 0.3, "of adding up the parts of a cut K, clocks", false},
    [VECTOR_STEPS] = {"vector_steps", 90, 90, 90, 0, "instructions for each element of the larger operand, by threads",
                      false},
};

enum { ALIGNED_BYTES = 16, LEAST_PART = 64 };

/* As its kernels are named on H200. */
static const struct tile tiles[] = {{256, 128, false}, {128, 256, false}, {128, 128, false}, {128, 64, false},
                                    {64, 128, false},  {64, 64, false},   {32, 32, false}};
enum { TILES = sizeof tiles / sizeof *tiles };

static bool is_half(const struct kernel *kernel)
{
    return kernel->dtype == DTYPE_F16 || kernel->dtype == DTYPE_BF16;
}

static bool by_threads(const struct kernel *kernel)
{
    return str_eq(kernel->variant, S("vector"));
}

static bool is_odd(const struct kernel *kernel, int64_t whole)
{
    return kernel->product.n % whole || kernel->product.reduced % whole;
}

static bool takes(const struct kernel *kernel)
{
    return by_threads(kernel) ||
           (is_half(kernel) && kernel->format == FORMAT_PLAIN && is_odd(kernel, ALIGNED_BYTES / 2));
}

/* AMD's kernels load what is not aligned by vectors, too. */
static bool has_device(const struct hardware *hardware)
{
    return !str_starts(hardware->name, S("AMD "));
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    return by_threads(kernel) ? "threads" : "unaligned";
}

static double by_threads_us(const struct tiled *on, const struct hardware *hardware, const double *c)
{
    const double larger = on->batch * on->k * fmax(on->m, on->n);
    const double bytes = on->batch * (on->k * (on->m + on->n) + on->m * on->n) * on->element_bytes;
    return fmax(1e6 * issue_s(hardware, larger, c[VECTOR_STEPS]), bytes / (c[MEMORY] * on->bytes_per_us));
}

/* A product, with what does not depend on the tile. */
struct product {
    struct tiled on;
    double arithmetic, loaded, clocks_us, read_us;
    const double *c;
};

static double way_us(const struct product *p, const struct tile *tile, double parts)
{
    const struct tiled *on = &p->on;
    const double *c = p->c;
    const double rows = fmin(tile->m, on->m), columns = fmin(tile->n, on->n);
    const double step = tile->m * tile->n / p->arithmetic + (rows + columns) / p->loaded;
    const double clocks = (ceil(on->k / parts) + c[DEPTH]) * step + rows * columns / c[WRITTEN];
    const double tiled_us = wave_turns(tile_waves(on, tile, parts), 0, c[QUANTUM]) * clocks / p->clocks_us;
    return soft_max(tiled_us, p->read_us, c[KNEE]) + parts_us(on, parts, c[SPLIT] / p->clocks_us, 1);
}

static double unaligned_us(const struct kernel *kernel, const struct tiled *on, const struct hardware *hardware,
                           const double *c)
{
    const bool odd = is_odd(kernel, 2);
    const double rate = c[MEMORY] * on->bytes_per_us;
    const struct product p = {.on = *on,
                              .arithmetic = c[odd ? ARITHMETIC : ARITHMETIC_EVEN],
                              .loaded = c[odd ? LOADED : LOADED_EVEN],
                              .clocks_us = clocks_in_us(hardware),
                              .read_us = on->batch * on->k * (on->m + on->n) * on->element_bytes / rate,
                              .c = c};
    double least = INFINITY;
    for (int i = 0; i < TILES; i++)
        for (int cut = 0; cut < MATRIX_CUTS && (cut == 0 || on->k / matrix_cuts[cut] >= LEAST_PART); cut++)
            least = fmin(least, way_us(&p, &tiles[i], matrix_cuts[cut]));
    return c[FLOOR] / p.clocks_us + least + on->batch * on->m * on->n * on->element_bytes / rate;
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct tiled on = tiled_of(kernel, hardware, hardware->figure[HW_FP32], kernel_element_bytes(kernel));
    return (kernel->alone ? c[LAUNCH_US] : 0) +
           (by_threads(kernel) ? c[FLOOR] / clocks_in_us(hardware) + by_threads_us(&on, hardware, c)
                               : unaligned_us(kernel, &on, hardware, c));
}

const struct family family_gemm_odd = {
    .name = "gemm_odd",
    .forms = 1u << FORM_BMM | 1u << FORM_LINEAR,
    .needs = 1u << HW_FP32 | 1u << HW_SMS | 1u << HW_MEMORY_RATE,
    .about =
        "Products whose rows of 16 bits do not begin at 16 bytes: the least over tiles and cuts of K, element by element "
        "into tiles where K or N is odd; and of a few rows by threads, analytic.",
    .takes = takes,
    .has_device = has_device,
    .group = group,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
};
