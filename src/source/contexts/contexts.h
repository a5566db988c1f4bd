/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The third round: what functions do to their callers and how often lines run, over the calls that evaluation found.
 * Nothing of the rounds before changes in it.
 */
#ifndef SOURCE_CONTEXTS_H
#define SOURCE_CONTEXTS_H

#include "choices.h"
#include "context.h"
#include "source/ask/flow.h"
#include "source/ask/name.h"
#include "source/ask/rounds.h"
#include "source/ask/value_at.h"

struct nodes {
    uint32_t *at;
    size_t count, room;
};

/* A call that is about a class; `before`: another of the same, NONE. */
struct call_of_class {
    struct site call;
    uint32_t before;
};

struct calls_of_class {
    struct call_of_class *at;
    size_t count, room;
    uint32_t *last; /* per class; NONE */
};

/* Where networks of each class are put on the device, the first place of a kind in the order of the files. */
struct moves_of_class {
    struct map in_file; /* class and file -> the node of the call */
    struct site *untold, *trains,
        *test; /* per class: in a file that trains nothing, that trains, of tests; site_none */
};

/* Of each file the first place of a kind, and whose first place is nearest to a file in a run with it. */
struct near_site {
    struct site *of_file; /* site_none */
    uint32_t *nearest;    /* file; NONE */
};

/* A call of a method of something that learns, of which nobody knows the class; and a method that it may be. */
struct learner_call {
    struct site call;
    uint32_t target;
};

struct learners {
    struct learner_call *at;
    size_t count, room;
};

/* Who makes an object of each class, outside of tests. */
struct driven {
    struct site *made; /* per class: of it or of one that inherits; site_none */
    bool any;          /* of a class of a framework */
};

struct trained {
    struct trained_step *steps; /* per unit: functions, then classes */
    uint32_t classes;           /* the unit of the first class */
    bool any, everything;       /* something trains; and it looks classes up wherever a name leads */
    bool *named_by_setting;     /* per class */
};

/* What is told of the lines of one file. */
struct placed {
    struct map loops;      /* node -> enum loop_kind, of those that are told */
    struct map elifs;      /* node -> enum otherwise of paces/around.c, of those in which it says something */
    struct map gates;      /* node of a test -> what gates its two sides, of gates/gate.c */
    struct map behind;     /* block -> the first node of it that no call of the run comes to, of gates/gate.c */
    uint32_t runs_network; /* a call in a training step that runs a network of which the class is not known; NONE */
    struct nodes training; /* calls that train, themselves or through functions of the run */
    struct nodes acting;   /* expressions that the next step of an environment needs */
};

struct contexts {
    struct arena arena;
    struct choices choices;
    struct learners learners;
    struct placed *of_file;
    bool *program_trains; /* per program: something in it calls backward or step */
    bool *acts;           /* per function: what it gives goes to the step of an environment */
    bool *unmade;         /* per class: a network that no program makes that trains */
    bool *unreached;      /* per function: no program in the files linted comes to it */
    struct trained trained;
    struct driven driven;
    bool *evaluates;                 /* per function: it runs a model without training, whoever calls it */
    uint8_t *trains;                 /* per function: enum trains of paces/loops.c */
    uint32_t *kept_from;             /* per function: from this node on it makes what it keeps for later calls; NONE */
    uint32_t *behind;                /* per function: that which a framework has run just before; NONE */
    bool *steps_engine;              /* per function: it was given to an engine as its step */
    bool *engine_shown;              /* per program: what steps of engines give is shown each time */
    struct run_context *of_function; /* paces/context.c */
    struct moves_of_class moved;
    struct calls_of_class wrapped;  /* that make a network of another class, and are given one of this */
    struct calls_of_class made;     /* that make an object of a class that a framework owns, or of a network */
    struct near_site network_moved; /* where a network is put on the device of which nobody knows the class */
    struct near_site trained_moved; /* where any network is */
    struct near_site device_used;   /* where anything is given on the device */
    struct near_site default_set;   /* where it is set that tensors are made there */
};

/* ---- the steps of the round ---- */
void summary_build(struct project *project); /* after evaluation; callers and summaries */
void context_build(struct project *project);
void moved_build(struct project *project); /* of context_build */
void contexts_free(struct project *project);
void summaries_free(struct summaries *summaries);

void contexts_add_node(struct nodes *nodes, uint32_t node);

/* ---- asking ---- */
static inline struct placed *placed_in(const struct project *project, const struct file *file)
{
    return &project->contexts->of_file[file->id];
}

#endif
