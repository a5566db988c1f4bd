/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a thread of the host did not do what a step is for. One table of names,
 * which everything that judges host time asks: the parts of a step, the verdict,
 * idle time by its pieces, the critical path.
 *
 * Names of what is ordinary execution stand in no row: "Torch-Compiled Region",
 * "TorchDynamo Cache Lookup", "CompiledFunction", frames of triton/runtime/jit.py
 * and of eval_frame.py run compiled code and compile nothing.
 */
#ifndef BREAKDOWN_CAUSE_H
#define BREAKDOWN_CAUSE_H

#include "trace/trace.h"

enum cause {
    CAUSE_NONE, /* the name says nothing: what stands around it may */

    /* what stands over the calls of a thread */
    CAUSE_COMPILATION, /* Dynamo, AOTAutograd, Inductor, Triton */
    CAUSE_MODULES,     /* code of kernels loaded on first use */
    CAUSE_START,       /* first use of the device or of a library on it */
    CAUSE_SEARCH,      /* a library or tuner tries algorithms */
    CAUSE_ALLOCATION,  /* the caching allocator asks the driver for memory */
    CAUSE_RETRY,       /* ... gives all it can back first: memory is full */
    CAUSE_NO_CACHE,    /* memory asked and given back for about each tensor: caching is off */
    CAUSE_MAPPING,     /* expandable segments grow or shrink */
    CAUSE_COLLECTION,  /* Python's garbage collection */
    CAUSE_CHECKPOINT,
    CAUSE_LOGGING,
    CAUSE_LOADING,     /* the data loader works on this thread */
    CAUSE_LOADER_WAIT, /* its worker processes are waited for */
    CAUSE_COLLECTIVE,  /* communication that runs on the host */
    CAUSE_SLEEP,
    CAUSE_WAITING,  /* for another thread or process, by the call that waits; what stands around it says more */
    CAUSE_CAPTURE,  /* a graph of launches is recorded and made */
    CAUSE_RECORDER, /* the profiler's own work */

    /* what is left */
    CAUSE_SYNC,     /* in a call that waits for the device, beside the wait */
    CAUSE_GRAPH,    /* in the launch of a graph */
    CAUSE_LAUNCH,   /* in a launch */
    CAUSE_RUNTIME,  /* in another call of the runtime */
    CAUSE_OPERATOR, /* in an operator */
    CAUSE_PYTHON,   /* in none */

    CAUSE_UNKNOWN,           /* a long stretch in which nothing was recorded: told of what stands around it */
    CAUSE_PAUSE,             /* in none for the same time to a thousandth, step after step: told of all of them */
    CAUSE_RUN_TIME_COMPILER, /* a hole in the first call of an operator: told by more than a stretch, never of one */
    CAUSE_NO_LAUNCH,         /* operators one after another that launch nothing: told of a run of them */
    CAUSE_DEVICE,            /* kernels of one name: of the device, not of the host */
    CAUSES,
};

const char *cause_id(enum cause cause);         /* "module_loading" */
const char *cause_title(enum cause cause);      /* for people */
const char *cause_long_title(enum cause cause); /* of single long stretches of ordinary execution */

/* What the name by itself says; CAUSE_NONE up to CAUSE_RECORDER. What follows from more than a name: cause_track.h. */
enum cause cause_of_name(str name, enum event_kind kind);

#endif
