/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a kernel takes on a device. A family of models answers for each form:
 * a roofline with a fitted efficiency curve, and a learned model on
 * dimensionless features; the one with the smaller error when a whole GPU was
 * left out of the fitting is used, and says so.
 *
 * Coefficients are text with provenance (data/models/, doc/models.md), built in;
 * a file of the user's own can take their place. Evaluating is our own code.
 * What is built in is read when a kernel first asks for it. Thread-safe: to who estimates, models are constant once loaded.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "hw/hardware.h"
#include "ops/operators/kernel.h"

/* How sure an estimate is, best first. */
enum estimate_basis {
    BASIS_MEASURED,   /* coefficients fitted on measurements of this very device */
    BASIS_CALIBRATED, /* carried, then moved towards a few rows measured on this very device */
    BASIS_CARRIED,    /* fitted on other devices, carried over by dimensionless features */
    BASIS_ANALYTIC,   /* the form's analytic model, never fitted */
    BASIS_BYTES,      /* no model of the form: bytes over bandwidth */
};

/*
 * A time with its doubt. ln(true / us) has two parts that are independent: what all kernels of the family share on this
 * device, and what is this kernel's alone. Both are given by their standard deviation.
 */
struct estimate {
    double us;
    enum estimate_basis basis;
    double error;     /* mean relative error of this model in cross-validation; NaN: it was never measured */
    double shared;    /* of all kernels of the family on this device alike, ln */
    double unlike;    /* of `shared`, in quadrature, what is so because no table has such kernels, on any device */
    double own;       /* of this kernel beside the others, ln */
    double launch_us; /* of `us`, what launching a lone call takes, which is the host's; 0 in a queue */
    uint32_t family;  /* kernels of the same number share `shared`; below ESTIMATE_FAMILIES */
    str from;  /* whose coefficients: the device itself, another one, a vendor, "all"; "" where none were fitted */
    str model; /* its name in `model show` */
};

struct models;

/* Those built in; in the arena. */
const struct models *models_new(struct arena *arena);

/* From a file written by `model fit`, beside those built in. False with STEPTIME_INPUT, naming line and field. */
const struct models *models_load(str path, struct arena *arena, struct steptime_error *err);

/*
 * False where the kernel is none (kernel_check) or the device lacks the figures
 * that the form needs, both STEPTIME_INPUT; with STEPTIME_USAGE where it lacks the
 * arithmetic, or no model has the type: then its bytes say nothing of it either.
 * err names which. Never a silent zero: us > 0.
 */
bool models_estimate(const struct models *models, const struct hardware *hardware, const struct kernel *kernel,
                     struct estimate *estimate, struct steptime_error *err);

/* Of a kernel that no model takes: its bytes over the memory's rate. False where the rate is not known. */
bool estimate_bytes(const struct hardware *hardware, const struct kernel *kernel, struct estimate *estimate);

str estimate_basis_word(enum estimate_basis basis);

#endif
