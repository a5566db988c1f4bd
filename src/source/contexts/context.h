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
    GATE_INTERVAL,  /* if step % k == 0, if (i + 1) == len(loader), if meter.should_report() */
    GATE_FLAG,      /* if args.verbose, if debug, if self.log_... */
    GATE_RANK,      /* if rank == 0, is_main_process: one process, but each step */
    GATE_FIRST,     /* if step == 0: once */
    GATE_EMPTY,     /* if boxes.shape[0] == 0: only for data in which there is nothing */
    GATE_UNMADE,    /* a network that nothing in the files linted makes */
    GATE_UNREACHED, /* a function that nothing which the files linted run comes to, by any name */
    GATE_OFF,       /* if args.fancy, an option that is off by default and that nothing beside the sources turns on */
    GATE_UNTAKEN,   /* if size is None, where all calls of the run give one */
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
    struct site gate_at;  /* the test that is the gate, or what registers it so; site_none where there is none */
    struct site untrained_at; /* what says that nothing is trained there: a test, or a function; site_none */
    uint32_t loop;            /* innermost loop or comprehension around it in its function; SYNTAX_NONE */
    uint32_t step_loop;       /* loop of the pace, where it stands in the same function; SYNTAX_NONE */
    uint32_t depth;           /* loops and comprehensions around it in its function */
    uint32_t inner; /* of these, within one step: 0 = once a step, 1 = once an element ... In a function that is
                            called per step all its loops count, and those around the calls */
};

/* The function that a framework has run just before this one, each time; SYNTAX_NONE. */
uint32_t context_runs_behind(const struct project *project, uint32_t function);
/* Whether an engine was given it as its step. */
bool context_steps_engine(const struct project *project, uint32_t function);
/* Whether it is the step of an engine, and what it gives is shown each time by what is attached. */
bool context_engine_shows(const struct project *project, uint32_t function);

/* Where the option is declared that a gate_at of GATE_OFF asks for; site_none. */
struct site context_option(const struct project *project, struct site test);

struct context context_of(const struct project *project, struct site site);

/* What makes a line run as often as it does: one link of the chain from a step to it, from the line outward. */
enum way_kind {
    WAY_NONE,     /* nobody in the run calls its function */
    WAY_LOOP,     /* the loop of the pace stands around it */
    WAY_CALL,     /* a call of its function; from there it goes on */
    WAY_LEARNER,  /* the same of an object that learns, whose class nobody knows: by the name of the method */
    WAY_ROUNDS,   /* the loop that goes over what its function yields; from its body it goes on */
    WAY_HANDLER,  /* its function is registered with an object of a framework: that call */
    WAY_CONTRACT, /* a framework calls the method: the class */
    WAY_FORWARD,  /* its function is the forward() of a network that nothing else says of: the function */
    WAY_TRAINS,   /* its function trains, so that a call is a step: the call in it that does */
    WAY_ONCE,     /* code of a module, a constructor, a function that is a whole training: the function */
};
struct way_in {
    enum way_kind kind;
    struct site at; /* site_none of WAY_NONE */
};
struct way_in context_way_in(const struct project *project, struct site site);

/* A call in a training step that runs a network that is not told by name, where the class or what makes it is named. */
struct site context_network_runs(const struct project *project, uint32_t class_id); /* site_none */

/*
 * Units, functions and classes among them, one place further toward a program that trains them: where one is named, and
 * in which unit. `at` is site_none where it is a part of the next.
 */
enum trained_kind {
    TRAINED_NOT,
    TRAINED_BY_NAME,
    TRAINED_ITSELF, /* `at`: the call that trains, or the method that a framework calls */
    TRAINED_OPEN,   /* a registry, or a setting beside the sources, may make it */
};
struct trained_step {
    struct site at;
    uint32_t next; /* unit */
    enum trained_kind kind;
    bool sure; /* by names that mean nothing else, from here to what trains */
};
struct trained_step context_trained(const struct project *project, uint32_t unit);
/* Whether the framework of a class really calls its methods: whether anything makes an object of it. */
enum driven_by {
    DRIVEN_NOT,        /* others are made, this is not, nor one that inherits from it */
    DRIVEN_MADE,       /* *made: the call */
    DRIVEN_BY_SETTING, /* a setting names it */
    DRIVEN_LIBRARY,    /* the files linted make none of any framework: who uses them does */
};
enum driven_by context_driven(const struct project *project, uint32_t class_id, struct site *made);
uint32_t context_class_unit(const struct project *project, uint32_t class_id);
bool context_trains_anything(const struct project *project);

/* The first call in a loop that trains, itself or through functions of the run; SYNTAX_NONE. */
uint32_t context_trains_in(const struct project *project, struct site within);

/*
 * The call that puts a module of the class on the device; `training`: in the file that asks, or in one in which something
 * is trained, else in any but tests; site_none.
 */
struct site context_class_moved(const struct project *project, uint32_t class_id, uint32_t file, bool training);
/* Calls that make a network of another class and are given one of this, one by one as in context_made. */
struct site context_wrapped(const struct project *project, uint32_t class_id, uint32_t *at);
/*
 * The nearest call, in a file that takes part in a run with this one: that puts a network of which nobody knows the class
 * on the device, that gives anything there, that sets where tensors are made; site_none.
 */
struct site context_network_moved(const struct project *project, uint32_t file);
struct site context_trained_moved(const struct project *project, uint32_t file); /* the same, of any network */
struct site context_device_used(const struct project *project, uint32_t file);
struct site context_default_set(const struct project *project, uint32_t file);
/* Calls that make objects of a class that a framework owns, or of a network, one by one: begin with at = SYNTAX_NONE;
 * site_none ends. */
struct site context_made(const struct project *project, uint32_t class_id, uint32_t *at);

/* What a loop is. SYN_FOR, SYN_WHILE or a comprehension. */
enum loop_kind {
    LOOP_OTHER,
    LOOP_EPOCH,
    LOOP_STEP,       /* training steps */
    LOOP_EVALUATION, /* steps of an evaluation */
    LOOP_ELEMENT,    /* within a step, in a function called per step, or in forward */
};
enum loop_kind context_loop(const struct project *project, struct site loop);

/* Whether a function runs a network without training, whoever calls it. */
bool context_evaluates(const struct project *project, uint32_t function);

/* Whether anything trains in the program of the file: the files that import each other. */
bool context_program_trains(const struct project *project, uint32_t file);
bool context_any_trains(const struct project *project);

#endif
