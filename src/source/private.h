/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a project is held: for this room alone.
 *
 * Work goes in three rounds. Per file, in parallel: parse, scopes, definitions.
 * Then values: files are evaluated in parallel against *cells*, the joined values
 * of everything that functions see of each other (results, parameters, attributes,
 * variables of modules and of outer functions). A file writes down what it
 * contributes to cells (facts); after each round the cells are joined anew from
 * all facts, and files that read a changed cell are evaluated again. Last:
 * effects and contexts over the call graph.
 */
#ifndef SOURCE_PRIVATE_H
#define SOURCE_PRIVATE_H

#include <pthread.h>

#include "base/map.h"
#include "source/context.h"
#include "source/flow.h"
#include "source/name.h"
#include "source/summary.h"
#include "source/value.h"

enum { NONE = SYNTAX_NONE };

/* ---- names: texts of the whole project, equal ones at one address ---- */

struct known;

struct name {
    str text;
    uint32_t id;
    const struct known *known; /* what the table of public functions says; NULL */
};

struct names;
struct names *names_new(void);
void names_free(struct names *names);
/* Safe from any thread. */
const struct name *names_get(struct names *names, str text);
/* "base.part", in canonical form. */
const struct name *names_dot(struct names *names, const struct name *base, str part);

/* ---- values: equal ones at one address ---- */

struct values;
enum { VALUE_NOTHING = VALUE_KINDS }; /* no way leads here yet: the least value, unknown to who asks from outside */
extern const struct value value_nothing;

struct values *values_new(void);
void values_free(struct values *values);
/* The one value that is equal. Safe from any thread. Items are copied. */
const struct value *values_get(struct values *values, const struct value *value);
const struct value *values_by_id(const struct values *values, uint32_t id);
const struct value *values_of_kind(struct values *values, enum value_kind kind);

enum join {
    JOIN_WAYS, /* of the ways through a function: what is moved on one way is moved; None and a number to begin with give way */
    JOIN_CALLERS, /* of unrelated places: what differs is unknown */
};
const struct value *values_join(struct values *values, const struct value *a, const struct value *b, enum join join);
const struct value *values_container(struct values *values, enum value_kind kind, const struct value *item);
const struct value *values_tuple(struct values *values, enum value_kind kind, const struct value *const *items,
                                 uint32_t count);
const struct value *values_without(struct values *values, const struct value *value, uint16_t flags);
const struct value *values_on(struct values *values, const struct value *value, enum value_device device, uint16_t add,
                              uint16_t drop);

/* ---- definitions of a file ---- */

struct def {
    struct definition shown;
    uint32_t slot;
    uint32_t previous;                /* of CHANGE and AUGMENT: the definition before */
    uint32_t first_operand, operands; /* of MEETING */
    uint32_t same_as;                 /* of a MEETING that is none: the definition it stands for; else NONE */
    uint32_t import_file;             /* of IMPORT: the file of the module; NONE */
    uint8_t proof;                    /* enum proof */
};

/* What the uses of a definition prove about it. */
enum proof {
    PROOF_TENSOR = 1,
    PROOF_CPU = 2,
    PROOF_MODULE = 4,
    PROOF_LOSS = 8,
    PROOF_KEYED = 32 /* it has keys: no tensor */,
    PROOF_ITEM = 16 /* a tensor, if it has a device */
};

struct slot {
    uint32_t function; /* in the file */
    str text;
    uint32_t outer; /* slot it stands for: of an outer function or of the module; NONE: its own */
    bool outside;   /* not bound in the function */
    bool shared;    /* another function reads or binds it */
};

/* Of a group of definitions: names that it may be read by, from flow.reached[first] on. See flow_reach.c. */
struct reached {
    uint32_t first, count;
};

struct flow {
    struct def *defs;
    uint32_t def_count;
    uint32_t *operands;
    uint32_t operand_count;
    uint32_t *def_of;             /* per node: of names */
    uint32_t *first_use, *uses;   /* per definition: names that read it, from uses[first_use[d]] on */
    uint32_t *first_next, *nexts; /* per definition: others through which it is seen: meetings, changes */
    uint32_t *group;              /* per definition: of those that lead to the same names */
    struct reached *groups;
    uint32_t *reached; /* names, of each group in order */
    struct slot *slots;
    uint32_t slot_count;
    struct map slot_by_name; /* function << 32 | file-local name id */
};

struct fact {
    int64_t key; /* see cell_key */
    const struct value *value;
};

struct call {
    uint32_t node;   /* of the caller's file */
    uint32_t caller; /* function */
    uint32_t target; /* function */
    uint32_t self;   /* arguments begin at this parameter */
};

struct facts {
    struct fact *at;
    size_t count, room;
};

struct nodes {
    uint32_t *at;
    size_t count, room;
};

/* `from x import *` of a module: a file of the run, or a name outside of it. */
struct star {
    uint32_t file; /* NONE */
    const struct name *name;
};

struct file {
    struct project_file shown;
    str text;
    struct arena arena;
    struct function *functions; /* while a file is built; then project->functions + first */
    uint32_t function_count;
    struct class_info *classes;
    uint32_t class_count, first_class;
    uint32_t *class_function;      /* function of the class body, file-local */
    uint32_t *first_parameter_def; /* per function: def of parameter 0; they follow one another; NONE */
    uint32_t *function_first_def, *function_last_def;
    bool *function_loops; /* a definition reaches one before it */
    bool is_test;         /* by its path: its calls say nothing of how the rest is used */
    uint32_t program;     /* after module_link the same for all files of one */
    struct star *stars;   /* `from x import *` */
    uint32_t star_count;
    struct flow flow;
    uint32_t first_slot_cell;
    uint32_t *value_of;     /* per node: value id */
    uint32_t *value_of_def; /* per def */
    struct facts facts;
    struct map reads;   /* cells, attributes and classes that it has read (read_key_*): what makes it dirty */
    struct call *calls; /* that reach a function of the run, in order of node */
    size_t call_count, calls_room;
    struct map loops;      /* node -> enum loop_kind, of those that are told */
    struct nodes training; /* calls that train, themselves or through functions of the run */
    struct nodes acting;   /* expressions that the next step of an environment needs */
};

struct cell {
    const struct value *value, *next;
    bool changed; /* in the last round */
};

/*
 * Files that import each other, at any remove: what runs together. A folder of
 * many scripts is many programs, and what one moves says nothing of another.
 */
struct program {
    bool module_moved, next_module_moved;   /* a module of which the class is not known */
    bool default_moved, next_default_moved; /* torch.set_default_tensor_type(torch.cuda.FloatTensor) and its kin */
    bool model_on_gpu;                      /* any module of it */
    bool device_used;
    bool trains; /* something in it calls backward or step */
};

struct class_data {
    uint32_t *bases; /* classes of the run */
    uint32_t base_count;
    bool changed;             /* in the last round */
    bool on_gpu, next_on_gpu; /* its instances are; in the round that is joined */
};

struct project {
    struct arena arena;
    struct project_options options;
    unsigned threads;
    struct names *names;
    struct values *values;
    struct file *files;
    uint32_t file_count;
    struct program *programs; /* by the number that its files have */
    struct function *functions;
    uint32_t function_count;
    uint32_t *first_parameter_cell; /* per function */
    struct class_info *classes;
    struct class_data *class_data;
    uint32_t class_count;
    struct map file_by_path, file_by_module; /* name id -> file */
    struct map module_slot;                  /* file << 32 | name id -> slot of a variable of the module */
    struct map class_by_node;                /* file << 32 | node */
    struct map function_by_node;
    bool *calls_forward;        /* per function: a method that calls self(...) or self.forward(...) */
    struct map methods_by_name; /* name id -> a method of that name; the others by next_of_name */
    uint32_t *next_of_name;     /* per function; NONE */
    struct map method_count;    /* name id -> how many classes define a method of that name */
    struct map method;          /* class << 32 | name id -> function */
    struct cell *cells;
    size_t cell_room;
    uint32_t cell_count, parameter_cells_end;
    struct map cell_of_attribute; /* class << 32 | name id */
    struct summary *summaries;
    struct site *callers;         /* grouped by target */
    uint32_t *first_caller;       /* function_count + 1 */
    bool all_dirty;               /* something changed that everything depends on */
    bool *acts;                   /* per function: what it gives goes to the step of an environment */
    bool *evaluates;              /* per function: it runs a model without training, whoever calls it */
    uint8_t *trains;              /* per function: enum trains of loops.c */
    uint32_t *kept_from;          /* per function: from this node on it makes what it keeps for later calls; NONE */
    struct run_context *contexts; /* per function; context.c */
};

/* Cells. Results come first: cell of function f is f. Then parameters, slots, attributes as they are met. */
int64_t cell_key_attribute(uint32_t class_id, const struct name *name);
static inline int64_t read_key_class(uint32_t class_id)
{
    return (int64_t)1 << 62 | class_id;
}
static inline uint32_t cell_of_result(uint32_t function)
{
    return function;
}
static inline uint32_t cell_of_parameter(const struct project *project, uint32_t function, uint32_t k)
{
    return project->first_parameter_cell[function] + k;
}
static inline uint32_t cell_of_slot(const struct file *file, uint32_t slot)
{
    return file->first_slot_cell + slot;
}

/* ---- the steps, in their order ---- */
void scope_find(struct file *file);        /* functions and classes of a file */
void flow_build(struct file *file);        /* slots and definitions */
void module_link(struct project *project); /* names of modules, and what imports name */
uint32_t module_find(const struct project *project, uint32_t from, str dotted); /* file; NONE */
static inline struct program *program_of(const struct project *project, uint32_t file)
{
    return &project->programs[project->files[file].program];
}
uint32_t module_slot(const struct project *project, uint32_t file, const struct name *name); /* its variable; NONE */
void class_methods(struct project *project);
void flow_prove(struct project *project, uint32_t file); /* what uses prove, once methods are known */
void class_link(struct project *project);                /* bases and kinds, as values tell them */
void cells_new(struct project *project);
void cells_join(struct project *project); /* marks the files in which something changed */
void eval_file(struct project *project, uint32_t file);
void summary_build(struct project *project);
void context_build(struct project *project);

/* ---- small helpers ---- */
const struct call *call_at(const struct project *project, struct site site); /* NULL */
/* The parameter of a function that an argument of a call goes to; NONE. */
uint32_t call_parameter_of(const struct project *project, uint32_t function, const struct syntax *tree,
                           uint32_t argument, uint32_t position, uint32_t self);
static inline const struct value *node_value(const struct project *project, const struct file *file, uint32_t node)
{
    return values_by_id(project->values, file->value_of[node]);
}
uint32_t flow_resolve(const struct flow *flow, uint32_t def);   /* through same_as */
uint32_t flow_read_def(const struct flow *flow, uint32_t name); /* what it reads: of `x += 1` the one before; NONE */
void flow_index(struct file *file);                             /* first_use, first_next */
void flow_reach(struct flow *flow);                             /* group, groups, reached; after flow_index */
uint32_t scope_parameters(const struct syntax *tree, uint32_t function); /* SYN_PARAMETERS; NONE */
bool scope_owns(const struct file *file, uint32_t function, uint32_t node);
uint32_t scope_function_at(const struct file *file, uint32_t node); /* file-local */

#endif
