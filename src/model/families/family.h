/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A family: forms of kernels that share one model, a file each (gemm.c, ...). It
 * says how long a kernel takes by an analytic form with a few coefficients, and
 * what describes a kernel in dimensionless features. All else is common: fitting
 * (fit.h), the choice between candidates by cross-validation, the text format
 * (coefficients.h), looking up, showing.
 *
 * Coefficients belong to a group of kernels ("bmm") on a device. For a device
 * that was never measured they are carried over (carry.h). What the analytic form
 * leaves over, ln(measured / analytic), may be learned by boosted trees on the
 * features (estimate/trees.h), a set of trees for each device.
 *
 * A new family: its file, its row in families.c, data/models/NAME.txt (empty until
 * fitted: then the starts below are used, and the estimate is BASIS_ANALYTIC).
 */
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include "hw/hardware.h"
#include "ops/operators/kernel.h"

enum { FAMILY_PARAMETERS = 28, FAMILY_FEATURES = 24 };

/*
 * A coefficient. Where low is above 0 it is fitted on a logarithmic scale, else on
 * a linear one; low == high is a constant. Between the fitted devices it is
 * expected to differ by about `spread` (on that scale; of the natural logarithm,
 * so 0.2 is a fifth): what adapting to ten rows may move it by. 0: never moved.
 */
struct parameter {
    const char *name; /* "efficiency"; its word in data/models */
    double start, low, high, spread;
    const char *meaning; /* a few words with the unit, for `model show` */
    bool host;           /* of the host that launches lone calls, not of the GPU (fit_host.c) */
};

struct family {
    const char *name;  /* "gemm", of data/models/gemm.txt */
    uint32_t forms;    /* bits 1u << FORM_BMM ... */
    uint32_t needs;    /* bits 1u << HW_FP32 ...: figures without which there is no estimate */
    const char *about; /* a sentence or two: the form, for `model show` */

    bool of_power; /* of kernels whose time is told (busy_us), it says watts where others say microseconds */

    /* Further figures that this kernel needs there, as bits; NULL: none. */
    uint32_t (*also_needs)(const struct kernel *kernel, const struct hardware *hardware);

    /* How much further off kernels of this sort are than usual ones of the family: a factor on what is each one's own. NULL: 1. */
    double (*doubt)(const struct kernel *kernel);

    /* Beside what is each one's own, of kernels unlike those of the tables, each for itself, a standard deviation (ln). NULL: 0. */
    double (*scatter)(const struct kernel *kernel);

    /* How far devices may differ as a whole that were not measured, ln, nine of ten; 0, NULL: as is usual (estimate/doubt.c). */
    double (*shift)(const struct kernel *kernel);

    /*
     * By how much versions of a library differ that were not fitted, a standard deviation of ln time of which all kernels of a
     * step have a part; NULL: the family tells no libraries apart.
     */
    double (*versions)(const struct kernel *kernel);

    /* Whether what engines differ by is of their generation, so that no other is told by it; NULL: it carries. */
    bool (*engines_stay)(const struct kernel *kernel);

    /* Which kernels of its forms it has; NULL: all. The first family that takes a kernel has it. */
    bool (*takes)(const struct kernel *kernel);

    /* Whether it is of a device; NULL: of all. Where it is not, the next family that takes the kernel has it. */
    bool (*has_device)(const struct hardware *hardware);

    /* The kernels that share coefficients on a device: "bmm". Constant text. NULL: the word of the form. */
    const char *(*group)(const struct kernel *kernel, const struct hardware *hardware);

    /* Whose kernels were told apart for this one, as bits 1u << LIBRARY_VLLM; NULL: nobody's. */
    uint32_t (*libraries)(const struct kernel *kernel);

    /* Analytic time in microseconds, above 0 and finite for every kernel that kernel_check lets pass. */
    double (*us)(const struct kernel *kernel, const struct hardware *hardware, const double *coefficients);
    const struct parameter *parameters;
    uint32_t parameter_count; /* at most FAMILY_PARAMETERS */

    /*
     * Where a fit may end depends on where it starts: further starting values, for `way` from 1 to start_count, tried
     * beside those of the parameters. NULL: none.
     */
    double (*start)(uint32_t way, uint32_t parameter);
    uint32_t start_count;

    /*
     * Of tables of short kernels most rows say what a launch costs, and the long ones, which say what the kernel costs,
     * are few; and a machine that is disturbed or not yet at its full clock only makes rows longer. Above 0: rows of up
     * to 1.6 times this weigh a tenth, longer ones with their time up to 1; and a row that took longer than predicted
     * weighs a quarter of that, so that a fit runs along the fast rows. 0: all alike.
     */
    double light_us;

    /*
     * Above 0: what is carried is held to the starting values, which are what is usual: a coefficient that is its spread off
     * costs as much as this share of the rows a tenth off. What rows do not tell stays as usual, and does not take up small
     * differences between devices that then are carried to others. 0: free.
     */
    double held;

    /* Dimensionless features for the learned residual, finite; none: feature_count is 0. */
    void (*describe)(const struct kernel *kernel, const struct hardware *hardware, const double *coefficients,
                     double *features);
    const char *const *features;
    uint32_t feature_count; /* at most FAMILY_FEATURES */

    /* Whether what was learned says anything of this kernel: whether it is like those that were measured. NULL: always. */
    bool (*like_measured)(const struct kernel *kernel);

    /*
     * What such a kernel, which was predicted to take `us`, may be off as a whole beside those that were measured, as a
     * standard deviation (ln): other types, other ways through memory, other kernels before it. NULL: it is like them.
     */
    double (*unlike)(const struct kernel *kernel, double us);

    /*
     * The share of what the device holds at best that a measured time attains: by it devices of which something else was
     * measured are found and left out. NULL: all are believed.
     */
    double (*attained)(const struct kernel *kernel, const struct hardware *hardware, double us);

    /*
     * Whether this device's times are those of its kernels alone, so that a residual can be learned; else rows that took
     * longer than predicted weigh a quarter. NULL: of all.
     */
    bool (*steady)(const struct hardware *hardware);

    /* Whether rows of such a kernel tell of their group, so that others are not fitted to beside them. NULL: all do. */
    bool (*tells)(const struct kernel *kernel);

    uint32_t trees, leaves; /* of the residual; 0: as many as is usual (fit.c) */
    uint32_t least_rows;    /* of a leaf; 0: as is usual */
    uint32_t rows_a_leaf;   /* fewer trees where fewer rows than this stand behind each of all leaves; 0: never */
    uint32_t learn_rows;    /* of a device, below which nothing is learned; 0: as is usual */
    double rate;            /* share of a leaf that is taken; 0: as is usual */

    /* Devices of a generation run the same kernels: what is carried is as in estimate/generation.h. */
    bool generations;

    /*
     * Devices show little of some coefficients. Set: each is fitted near what all show together, within the spread of each
     * coefficient, so that what a device does not show is that of all.
     */
    bool near_all;

    /*
     * What a measured device's rows are off as a whole from one set of them to another, a standard deviation (ln); 0: as is usual.
     * Root mean squares, over measured GPUs, of the middle of test rows that were not fitted.
     */
    double set_shift;

    /* What a device that was not measured may be off as a whole beside what measured ones would say, ln, nine of ten; 0: as is usual. */
    double device_shift;

    double sibling_shift, /* what another device of the generation may be off as a whole, ln; 0: as is usual */
        far_shift; /* what another generation may be off as a whole where none was measured, ln; 0: as siblings show */
    double most_residual; /* how far what was learned may move a time, ln; 0: as is usual, a factor of two */

    bool
        lone_tables; /* its tables are of lone calls: what the shortest kernels take in a queue is told by none of them */

    bool drifts; /* its tables drift from row to row (drift.h), which is taken out before fitting */
};

/* Whose kernel it may be, as bits, where no library is told or its word is not known; 0: it is told, or was never told apart. */
uint32_t family_libraries(const struct family *family, const struct kernel *kernel);

double family_doubt(const struct family *family, const struct kernel *kernel);

/* How far what was learned may move a time of the family either way, ln. */
double family_most_residual(const struct family *family);

/* Whether its kernels go over links between devices. */
static inline bool family_over_links(const struct family *family)
{
    return family->forms & (1u << FORM_COLLECTIVE | 1u << FORM_ITERATION);
}

/* NULL where no family takes it. */
const struct family *family_of_kernel(const struct kernel *kernel, const struct hardware *hardware);
str family_group(const struct family *family, const struct kernel *kernel, const struct hardware *hardware);

/*
 * What a product takes among other kernels, as in a model, beside what it takes where one kernel is repeated, us; and the
 * standard deviation (ln) that this leaves of `us` in all.
 */
double among_us(const struct kernel *kernel);
double among_doubt(const struct kernel *kernel, double us);

/* So many instructions an element on the 64 integer lanes of each multiprocessor; 0 where the catalogue lacks the clock. */
double issue_s(const struct hardware *hardware, double elements, double instructions);

/* The same of a kernel that works out an address for each element; 0 of one that does not. */
double scattered_s(const struct hardware *hardware, enum scattered scattered, double elements);

/* (a^power + b^power)^(1/power): the larger of the two, with a soft knee between them. Both from 0 on. */
double soft_max(double a, double b, double power);

/*
 * Bytes a second of long streams: `reached` times what was measured of this board or its chip (HW_STREAM_SHARE); where that
 * is not known, the share `efficiency` of the memory's rate. Memories differ in it by a quarter, and no other figure tells.
 */
double stream_rate(const struct hardware *hardware, double reached, double efficiency);

/*
 * What a lone call costs besides the work, microseconds, where kernel->alone; else the little that a kernel in a
 * full queue costs. Every family takes its floor and its offset through these, so that `alone` means one thing.
 */
double lone_floor_us(const struct kernel *kernel, const struct hardware *hardware, double fitted_us);
double lone_offset_us(const struct kernel *kernel, const struct hardware *hardware, double fitted_us);

/* What the shortest kernels of a full queue take. */
double queued_floor_us(const struct hardware *hardware);

/*
 * How many launches of one kernel a lone call costs the host: gradients go through the thread of autograd, some operators launch
 * several kernels. Families that were fitted in queues alone take a launch for 24 us: the middle of seven hosts' floors, 26 us,
 * less what the shortest kernel takes.
 */
double lone_launches(const struct kernel *kernel);

#endif
