/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and layer norm, forward: a row is reduced, then written. What PyTorch
 * launches depends on the row (SoftMax.cu, PersistentSoftmax.cuh,
 * layer_norm_kernel.cu):
 *
 *     softmax, up to 1024 columns   a warp holds a row (two of at most 128) in registers: read once
 *     softmax, more                 a block of the largest power of two up to 512 threads that is at most cols / 4
 *                                   reads the row three times: largest, sum, result
 *     layer norm                    a block of 4 warps reads the row twice
 *
 * On AMD a warp has 64 lanes, a block of softmax is 1024 threads, and rows that begin at 16 bytes stay in shared memory
 * once they are read.
 *
 * Reading again misses L2 where the rows under work do not fit:
 *
 *     under work = min(rows, multiprocessors x blocks resident x rows a block) x cols x 4
 *     miss = 1 / (1 + (share x L2 / under work)^steepness)
 *     memory = bytes / bandwidth / efficiency x (2 + again x miss) / 2 x e^unaligned
 *
 * and a block takes as many round trips as its threads take steps along the row:
 *
 *     steps of 4 elements a thread; what is left over goes one element a step (softmax), or is left to part of a
 *     warp, which then takes the unrolled loop and the plain one in turn (layer norm)
 *     trips = waves of blocks x (fixed + each x steps) / clock
 *     and of layer norm, a block a row, at least rows / multiprocessors x block / clock; rows that are no multiple of 4
 *     take another kernel (sums by 512 threads a row, then the result), and so longer
 *
 *     us = max(floor, offset x floor + max(memory, trips))     with soft knees
 *
 * Softmax and layer norm of a device share what belongs to its memory.
 */
#include <math.h>

#include "family.h"

enum coefficient {
    NORM_FLOOR_US,
    BLOCK_FLOOR_US,
    WARP_FLOOR_US,
    NORM_OFFSET,
    BLOCK_OFFSET,
    WARP_OFFSET,
    EFFICIENCY,
    REACHED,
    SHARE,
    NEAR_SHARE,
    BEHIND_SHARE,
    STEEPNESS,
    UNALIGNED_LINE,
    UNALIGNED_SECTOR,
    NORM_FIXED,
    NORM_STEP,
    BLOCK_FIXED,
    BLOCK_STEP,
    WARP_FIXED,
    WARP_STEP,
    NORM_BLOCK,
    NORM_ODD,
    KNEE,
    COEFFICIENTS,
};

static const struct parameter parameters[COEFFICIENTS] = {
    [NORM_FLOOR_US] = {"norm_floor_us", 46, 15, 200, 1.5, "the least that a lone layer norm takes, us", true},
    [BLOCK_FLOOR_US] = {"block_floor_us", 33, 10, 200, 1.5, "the least that a lone softmax by blocks takes, us", true},
    [WARP_FLOOR_US] = {"warp_floor_us", 34, 10, 200, 1.5, "the least that a lone softmax by warps takes, us", true},
    [NORM_OFFSET] = {"norm_offset", 0.7, 0.3, 0.95, 0.2, "of that floor, what the call takes besides its work", false},
    [BLOCK_OFFSET] = {"block_offset", 0.7, 0.3, 0.95, 0.2, "of that floor, what the call takes besides its work",
                      false},
    [WARP_OFFSET] = {"warp_offset", 0.7, 0.3, 0.95, 0.2, "of that floor, what the call takes besides its work", false},
    [EFFICIENCY] = {"efficiency", 0.8, 0.5, 1.05, 0.15, "of memory bandwidth, where it is not known what streams reach",
                    false},
    [REACHED] = {"reached", 1, 0.85, 1.2, 0.05, "of the bandwidth that streams were measured to reach", false},
    [SHARE] = {"share", 0.9, 0.15, 2, 0.3, "of L2 that holds rows under work", false},
    [BEHIND_SHARE] =
        {"behind_share", 0.55, 0.15, 2, 0.2,
         "of L2 that does where multiprocessors keep what they read, and where its halves may hold the same", false},
    [NEAR_SHARE] = {"near_share", 0.9, 0.2, 1.5, 0.2, "of the cache of multiprocessors that holds rows under work",
                    false},
    [STEEPNESS] = {"steepness", 4, 1.2, 9, 0.4, "with which reading again begins to miss", false},
    [UNALIGNED_LINE] = {"unaligned_line", 0.04, 0.001, 0.3, 0.5, "of rows that begin inside a line of 128 bytes: power",
                        false},
    [UNALIGNED_SECTOR] = {"unaligned_sector", 0.08, 0.001, 0.4, 0.5, "of rows that begin inside a sector of 32: power",
                          false},
    [NORM_FIXED] = {"norm_fixed", 2500, 100, 30000, 0.5, "cycles of a block of layer norm", false},
    [NORM_STEP] = {"norm_step", 900, 20, 8000, 0.5, "cycles of each of its steps", false},
    [BLOCK_FIXED] = {"block_fixed", 3000, 100, 30000, 0.5, "cycles of a block of softmax", false},
    [BLOCK_STEP] = {"block_step", 600, 20, 8000, 0.5, "cycles of each of its steps", false},
    [WARP_FIXED] = {"warp_fixed", 1500, 100, 30000, 0.5, "cycles of a warp of softmax", false},
    [WARP_STEP] = {"warp_step", 400, 20, 8000, 0.5, "cycles of each of its steps", false},
    [NORM_BLOCK] = {"norm_block", 400, 10, 6000, 0.5,
                    "cycles between two blocks of layer norm that a multiprocessor begins", false},
    [NORM_ODD] = {"norm_odd", 1.5, 1, 8, 0.3, "times that, of rows that are no multiple of 4, which take two kernels",
                  false},
    [KNEE] = {"knee", 3, 1.3, 8, 0.3, "power with which memory and round trips overlap", false},
};

enum kind { NORM, BLOCK, WARP };

/* How the rows are shared out. */
struct layout {
    enum kind kind;
    double threads;    /* of a block */
    double rows_block; /* a block works on at once */
    double steps;      /* of a thread along its row */
    double again;      /* times that the row is read once more */
};

static double power_of_two_from(double least)
{
    double power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static struct layout norm_layout(double cols, double warp)
{
    const double threads = 4 * warp, vectors = floor(cols / 4), steps = fmax(1, ceil(vectors / threads));
    const bool split_warp = fmod(vectors, warp) != 0, unrolled = fmod(steps, 4) == 0;
    return (struct layout){NORM, threads, 1, steps + (split_warp && unrolled ? 3 : 0), 1};
}

/* Steps of 16 bytes a thread, and of an element for what is left over. */
static double block_steps(double cols, double threads, double wide)
{
    return floor(cols / (wide * threads)) + ceil(fmod(cols, wide * threads) / threads);
}

/* A row that does not begin at 16 bytes takes a step of its own for the start; with odd widths only some rows do. */
static double mean_steps(double cols, double threads, double wide)
{
    const double aligned = block_steps(cols, threads, wide),
                 shifted = 1 + block_steps(cols + wide / 2 - threads, threads, wide);
    double odd = 0;
    for (double part = wide; part > 1 && fmod(cols, part) != 0; part /= 2)
        odd += part / 2 / wide;
    return (1 - odd) * aligned + odd * shifted;
}

/* Of 16 bits newer kernels: 1024 threads, and rows that all begin at 16 bytes stay in shared memory once they are read. */
static struct layout narrow_block_layout(double cols, double wide)
{
    const double threads = 1024;
    const bool kept = fmod(cols, wide) == 0;
    return (struct layout){BLOCK, threads, 1, mean_steps(cols, threads, wide), kept ? 0 : 2};
}

static struct layout block_layout(double cols)
{
    const double threads = fmin(512, power_of_two_from(floor(cols / 4) / 2));
    return (struct layout){BLOCK, threads, 1, mean_steps(cols, threads, 4), 2};
}

/* On AMD. Rows that all begin at 16 bytes are read once, 4 elements a step with none left over. */
static struct layout large_block_layout(double cols)
{
    const double threads = 1024;
    const bool kept = fmod(cols, 4) == 0;
    return (struct layout){BLOCK, threads, 1, kept ? ceil(cols / 4 / threads) : mean_steps(cols, threads, 4),
                           kept ? 0 : 2};
}

static struct layout warp_layout(double cols, double warp)
{
    const double padded = power_of_two_from(cols), lanes = fmin(warp, padded), rows_warp = padded <= 128 ? 2 : 1;
    return (struct layout){WARP, 128, 128 / lanes * rows_warp, fmax(1, padded / warp) * rows_warp, 0};
}

static struct layout layout_of(const struct kernel *kernel, const struct hardware *hardware)
{
    const bool amd = str_starts(hardware->name, S("AMD "));
    const double cols = (double)kernel->rows.cols, warp = amd ? 64 : 32;
    if (kernel->form == FORM_LAYER_NORM)
        return norm_layout(cols, warp);
    if (cols <= 1024)
        return warp_layout(cols, warp);
    const double wide = 16 / kernel_element_bytes(kernel);
    return amd ? large_block_layout(cols) : wide > 4 ? narrow_block_layout(cols, wide) : block_layout(cols);
}

static double figure_or(const struct hardware *hardware, enum hw_key key, double otherwise)
{
    return hardware->figure[key] > 0 ? hardware->figure[key] : otherwise;
}

static double unaligned(const struct kernel *kernel, const double *c)
{
    const int64_t bytes = kernel->rows.cols * (int64_t)kernel_element_bytes(kernel);
    return bytes % 128 == 0 ? 0 : bytes % 32 == 0 ? c[UNALIGNED_LINE] : c[UNALIGNED_SECTOR];
}

/*
 * Since Volta a multiprocessor keeps what it reads in the memory that it shares, which on large chips holds more than L2
 * does; before, and on AMD, next to nothing.
 */
static bool keeps_near(const struct hardware *hardware)
{
    return hardware->figure[HW_FP16] > 3 * hardware->figure[HW_FP32] && !str_starts(hardware->name, S("AMD "));
}

/* Bytes of rows under work that need not come from memory again. */
static double room_for_rows(const struct hardware *hardware, const double *c)
{
    const double l2 = figure_or(hardware, HW_L2_BYTES, 4 << 20), *figure = hardware->figure;
    const double near = c[NEAR_SHARE] * figure[HW_SMS] * figure[HW_SHARED_BYTES_PER_SM];
    return keeps_near(hardware) ? fmax(c[BEHIND_SHARE] * l2, near) : c[SHARE] * l2;
}

static double memory_us(const struct kernel *kernel, const struct hardware *hardware, const double *c,
                        const struct layout *layout, double rows_resident)
{
    const double bytes = (double)kernel->rows.rows * (double)kernel->rows.cols * kernel_element_bytes(kernel);
    const double under_work =
        fmin((double)kernel->rows.rows, rows_resident) * (double)kernel->rows.cols * kernel_element_bytes(kernel);
    const double room = room_for_rows(hardware, c);
    const double miss = 1 / (1 + pow(room / under_work, c[STEEPNESS]));
    return bytes * (2 + layout->again * miss) / stream_rate(hardware, c[REACHED], c[EFFICIENCY]) *
           exp(unaligned(kernel, c)) * 1e6;
}

/* Cycles in which a multiprocessor begins all its blocks of layer norm, a row each; of softmax, whose blocks are fewer, 0. */
static double begun(const struct kernel *kernel, const struct hardware *hardware, const double *c,
                    const struct layout *layout)
{
    const double block = c[NORM_BLOCK] * (kernel->rows.cols % 4 ? c[NORM_ODD] : 1);
    return layout->kind == NORM ? (double)kernel->rows.rows / hardware->figure[HW_SMS] * block : 0;
}

static double work_us(const struct kernel *kernel, const struct hardware *hardware, const double *c,
                      const struct layout *layout)
{
    const double blocks = fmax(1, floor(figure_or(hardware, HW_THREADS_PER_SM, 2048) / layout->threads));
    const double rows_resident = hardware->figure[HW_SMS] * blocks * layout->rows_block;
    const double waves = fmax(1, (double)kernel->rows.rows / rows_resident);
    const uint32_t fixed = NORM_FIXED + 2 * layout->kind;
    const double clocks_us = figure_or(hardware, HW_CLOCK, 1.4e9) / 1e6;
    const double trips =
        soft_max(waves * (c[fixed] + c[fixed + 1] * layout->steps), begun(kernel, hardware, c, layout), c[KNEE]) /
        clocks_us;
    return soft_max(memory_us(kernel, hardware, c, layout, rows_resident), trips, c[KNEE]);
}

static double us(const struct kernel *kernel, const struct hardware *hardware, const double *c)
{
    const struct layout layout = layout_of(kernel, hardware);
    const double floor_us = c[NORM_FLOOR_US + layout.kind];
    const double busy = lone_offset_us(kernel, hardware, c[NORM_OFFSET + layout.kind] * floor_us) +
                        work_us(kernel, hardware, c, &layout);
    return soft_max(lone_floor_us(kernel, hardware, floor_us), busy, 12);
}

static bool takes(const struct kernel *kernel)
{
    return !kernel->backward;
}

static const char *group(const struct kernel *kernel, const struct hardware *hardware)
{
    (void)hardware;
    (void)kernel;
    return "rows";
}

/* Which share of L2 holds the rows is found from a small one and a large one. */
static double start(uint32_t way, uint32_t parameter)
{
    return parameter == SHARE || parameter == BEHIND_SHARE ? (way == 1 ? 0.3 : 1.1) : parameters[parameter].start;
}

const struct family family_rows_reduced = {
    .name = "rows",
    .forms = 1u << FORM_SOFTMAX | 1u << FORM_LAYER_NORM,
    .needs = 1u << HW_MEMORY_RATE | 1u << HW_SMS,
    .about =
        "A row is read once, twice or three times, from memory where the rows under work do not fit L2; round trips "
        "of a block along its row.",
    .takes = takes,
    .group = group,
    .set_shift = 0.03,
    .lone_tables = true,
    .us = us,
    .parameters = parameters,
    .parameter_count = COEFFICIENTS,
    .light_us = 45,
    .held = 0.005,
    .start = start,
    .start_count = 2,
};
