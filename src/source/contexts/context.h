/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often, and in which part of a training run, a line runs.
 *
 * A training step loop is an innermost loop that calls .backward() or
 * optimizer.step(), itself or through functions of the run. Loops around it are
 * epoch loops; a loop within one step runs over elements. An evaluation loop goes
 * over a loader or batches without training: under no_grad or after model.eval(),
 * or in a function that is called from there. forward() and what the step calls
 * run per step. Dataset.__getitem__ and collate_fn run in the loader's workers.
 */
#ifndef SOURCE_CONTEXT_H
#define SOURCE_CONTEXT_H

#include "source/known/pace.h"
#include "source/ask/project.h"

enum gate {
    GATE_NONE,
    GATE_INTERVAL, /* if step % k == 0, if (i + 1) == len(loader), if meter.should_report() */
    GATE_FLAG,     /* if args.verbose, if debug, if self.log_... */
    GATE_RANK,     /* if rank == 0, is_main_process: one process, but each step */
    GATE_FIRST,    /* if step == 0: once */
};

struct context {
    enum pace pace;
    bool in_forward; /* forward of an nn.Module, or called from one */
    bool
        in_worker; /* __getitem__, __iter__ of a Dataset, collate_fn, transforms: on the CPU, beside the training thread */
    bool in_loader_main;  /* as before, but the run's loaders have no workers: on the training thread */
    bool on_error;        /* in raise, except, the message of an assert */
    bool no_grad;         /* under torch.no_grad, inference_mode, or such a decorator */
    bool in_test;         /* in a file of tests, by its name or folder */
    bool asserts;         /* in a function test_...() that asserts */
    bool acting;          /* in a function of which the result goes to the step of an environment: it is needed there */
    bool evaluation_only; /* under `if not self.training`, or the else of `if self.training` */
    bool cpu_only;        /* under `if not torch.cuda.is_available()` or the like */
    bool several;         /* reached in several paces: `pace` is the most frequent one */
    enum gate gate;       /* the strongest around it, up to the loop of the pace, callers included */
    uint32_t loop;        /* innermost loop or comprehension around it in its function; SYNTAX_NONE */
    uint32_t step_loop;   /* loop of the pace, where it stands in the same function; SYNTAX_NONE */
    uint32_t depth;       /* loops and comprehensions around it in its function */
    uint32_t inner;       /* of these, within one step: 0 = once a step, 1 = once an element ... In a function that is
                            called per step all its loops count, and those around the calls */
};

struct context context_of(const struct project *project, struct site site);

/* What a loop is. SYN_FOR, SYN_WHILE or a comprehension. */
enum loop_kind {
    LOOP_OTHER,
    LOOP_EPOCH,
    LOOP_STEP,       /* training steps */
    LOOP_EVALUATION, /* steps of an evaluation */
    LOOP_ELEMENT,    /* within a step, in a function called per step, or in forward */
};
enum loop_kind context_loop(const struct project *project, struct site loop);

/* Whether anything trains in the program of the file: the files that import each other. */
bool context_program_trains(const struct project *project, uint32_t file);
bool context_any_trains(const struct project *project);

#endif
