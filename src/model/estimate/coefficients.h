/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was fitted, as text (doc/models.md): a file a family, lines of a word and
 * its values, `#` before remarks.
 *
 *     family gemm
 *     version 1
 *     source train_gemm.csv.gz: 119847 rows, 5 devices
 *     group bmm
 *     carry nearest
 *     residual own
 *     candidate pooled 0.153
 *     note ...                       of the fit, if there is something to say
 *     set *                          the devices together
 *     rows 87623
 *     error 0.153
 *     shared 0.12                    how far off, ln, all kernels alike (interval.h); of `*` on a device that was left out
 *     spread 0.09                    and each by itself; where a file lacks both, they follow from the error
 *     hosts 0.3                      of `*`: how much the launch figures of hosts differ, ln
 *     floor_us 21.7                  a line for each coefficient of the family
 *     set Tesla T4                   one device
 *     ...
 *     tree ...                       a line for each tree of its residual
 *     vendor NVIDIA                  a set of the devices of a vendor together
 *     held Tesla T4                  one device, held to what is usual, as it is carried (nearest_generation)
 *     calibrated NVIDIA L4           a set from a few rows of a device (calibrated.h), for it alone
 *
 * Every number is checked against what the family says of it; a file that does
 * not fit is refused, naming line and word. All lives in the arena.
 */
#ifndef MODEL_COEFFICIENTS_H
#define MODEL_COEFFICIENTS_H

#include "base/arena.h"
#include "calibrated.h"
#include "hw/catalogue.h"
#include "model/families/family.h"
#include "trees.h"
#include "steptime/error.h"

struct writer;

/*
 * For a device that was never measured: the coefficients of all devices together, those of the one most like it, or those
 * of all of its vendor together, with the host figures in the middle of what their hosts had; or, by generations, those of
 * a sibling with what was learned of it, else the mean of all (generation.h); or the mean of what the devices of the
 * nearest generation say, each by its coefficients as they are carried.
 */
enum carry { CARRY_POOLED, CARRY_NEAREST, CARRY_VENDOR, CARRY_GENERATIONS, CARRY_NEAREST_GENERATION, CARRIES };

/* Which learned residual: none, one for each measured device, or the same for its siblings (CARRY_GENERATIONS), too. */
enum residual { RESIDUAL_NONE, RESIDUAL_OWN, RESIDUAL_GENERATION, RESIDUALS };

/* What was tried, and its error in cross-validation. */
struct candidate {
    str name;
    double error;
};

enum { MOST_CANDIDATES = 16 };

str carry_word(enum carry carry);          /* "pooled" */
str residual_word(enum residual residual); /* "own" */

struct coefficient_set {
    str device;               /* of the catalogue; "*": the devices together */
    struct hardware hardware; /* of that device; unused of "*" */
    uint32_t rows;
    double error;  /* mean relative error in cross-validation */
    double shared; /* standard deviation of ln(true / predicted) that all kernels have in common; 0: not known */
    double spread; /* of each kernel beside; 0: not known */
    double host;   /* of the host figures, ln, from one host to another; 0: the family has none, or it is not known */
    double value[FAMILY_PARAMETERS];
    double width[FAMILY_PARAMETERS]; /* how well each is known (model/fit/fit_width.h); 0: never moved, or not told */
    double factor;                   /* on every time, from adapting to a few rows; 0: none */
    struct trees *residual;          /* NULL: none */
    struct calibrated *calibrated;   /* NULL: not from a few rows */
};

static inline double set_factor(const struct coefficient_set *set)
{
    return set->factor > 0 ? set->factor : 1;
}

struct group_model {
    str group;
    str note; /* of the fit: what was left out, and why; "" */
    enum carry carry;
    enum residual residual;
    struct candidate candidates[MOST_CANDIDATES];
    uint32_t candidate_count;
    struct coefficient_set *sets; /* "*" first */
    uint32_t set_count;
    struct coefficient_set *vendors; /* by the vendor's name; where these are carried */
    uint32_t vendor_count;
    struct coefficient_set *held; /* by device; where the nearest generation is carried */
    uint32_t held_count;
    struct coefficient_set *calibrated; /* of devices of which a few rows were measured; for no other device */
    uint32_t calibrated_count;
    struct known_sets *known; /* of a group that never changes: which sets devices were given; else NULL */
    bool over_links;          /* of the family */
    double
        apart; /* root mean square distance of devices to the nearest other; 0: none, or generations are told apart */
};

struct family_model {
    const struct family *family;
    str *sources;
    uint32_t source_count;
    struct group_model *groups;
    uint32_t group_count;
};

/* Sets `apart` and `over_links`, once all sets are there. */
void coefficients_settle(struct family_model *model);

/*
 * Into a model whose family is set and that is else zeroed; `line` is the number of the text's first line. An empty text
 * is a family that was never fitted. False with STEPTIME_INPUT: "PATH: line 12: floor_us is ...".
 */
bool coefficients_read(str text, uint32_t line, str path, const struct catalogue *catalogue, struct arena *arena,
                       struct family_model *model, struct steptime_error *err);

/*
 * The same of a text that is known to be whole and outlives the model, such as one that is built in: residuals are read
 * when they are first evaluated (trees.h). False where it does not fit nevertheless.
 */
bool coefficients_read_late(str text, const struct catalogue *catalogue, struct arena *arena,
                            struct family_model *model);

void coefficients_write(const struct family_model *model, struct writer *out);

/* The first word of a device's name: "NVIDIA". */
str vendor_of(str device);

bool same_vendor(str device, str other);

/* Whether a set of one measured device stands for what is carried: the most similar, or first of its generation. */
bool carries_one(const struct group_model *group);

/* The group of that name; NULL. */
const struct group_model *coefficients_group(const struct family_model *model, str group);

/*
 * Whose the coefficients are that a device is given: its own; those of a device with the same chip, beside which little
 * but memory or clock differs; where generations are told apart those of a device of its own; or what is carried over.
 */
enum kinship { KINSHIP_SELF, KINSHIP_CHIP, KINSHIP_GENERATION, KINSHIP_NONE };

struct kin {
    enum kinship kinship;
    double distance; /* to the measured device that is most like it; infinite: there is none whose figures are known */
    bool stranger;   /* no device of its vendor was measured */
    bool learned;    /* what was learned of the set's device holds here */
};

/* The set that is meant for a device; NULL where the group has none. */
const struct coefficient_set *coefficients_for(const struct group_model *group, const struct hardware *hardware,
                                               struct kin *kin);

#endif
