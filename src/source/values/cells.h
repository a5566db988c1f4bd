/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second round: what expressions hold. Files are evaluated in parallel against *cells*, the joined values of
 * everything that functions see of each other (results, parameters, attributes, variables of modules and of outer
 * functions). A file writes down what it contributes to cells (facts); then the cells are joined again from all facts,
 * and files that read a changed cell are evaluated again.
 */
#ifndef SOURCE_CELLS_H
#define SOURCE_CELLS_H

#include "source/files/files.h"
#include "values.h"

struct fact {
    int64_t key; /* a cell, see cell_key_attribute, or one of those below */
    const struct value *value;
};

enum {
    FACT_DEVICE_USED = -1,
    FACT_MODULE_MOVED = -2,
    FACT_HOST_ONLY = -4, /* its framework is told to run on the CPU */
    FACT_CLASSES = -16,  /* FACT_CLASSES - class: on the GPU */
};

/* FACT_MADE - class: there are objects of it. */
#define FACT_MADE         (-((int64_t)1 << 40))
/* FACT_SETS_DEFAULT - function: it says that tensors are made on the device (torch.set_default_device). */
#define FACT_SETS_DEFAULT (-((int64_t)1 << 41))

struct facts {
    struct fact *at;
    size_t count, room;
};

struct call {
    uint32_t node;   /* of the caller's file */
    uint32_t caller; /* function */
    uint32_t target; /* function */
    uint32_t self;   /* arguments begin at this parameter */
};

struct calls {
    struct call *at;
    size_t count, room;
};

/* What evaluation finds in one file. */
struct evaluated {
    uint32_t first_slot_cell;
    bool default_changed;   /* in the last round: where tensors are made that are not told where */
    uint32_t *value_of;     /* per node: value id */
    uint32_t *value_of_def; /* per def */
    struct facts facts;
    struct map reads;   /* cells, attributes and classes that it has read (read_key_*): what makes it dirty */
    struct calls calls; /* that reach a function of the run; once values are settled in order of node and target */
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
    bool module_moved, next_module_moved; /* a module of which the class is not known */
    bool model_on_gpu;                    /* any module of it */
    bool host_only, next_host_only;       /* frameworks put nothing on a device */
    bool device_used;
    bool more_set; /* in the last round: a default device, by another function than before */
    bool changed;  /* in the last round: what its files ask of it */
};

struct class_data {
    uint32_t *bases; /* classes of the run */
    uint32_t base_count;
    uint32_t *order; /* it and those above it, in which an attribute is looked for (C3) */
    uint32_t order_count;
    bool order_cut;                        /* there are more */
    uint32_t first_diamond, diamond_count; /* in cells.diamonds */
    bool inherited;                        /* by another class of the run */
    bool made, made_below;                 /* there are objects of it; of it or of one that inherits from it */
    bool made_spread;                      /* those above know */
    bool rebased;                          /* in the last round: its bases are others */
    bool changed;                          /* in the last round: it, its order, or what inherits from it */
    bool on_gpu, next_on_gpu;              /* its instances are; in the round that is joined */
};

/* Where tensors are made on the device that are not told where: by file. */
struct defaults {
    bool *set_by; /* per function of the run */
    bool *moved;  /* per file */
};

struct cells {
    struct arena arena;
    struct files *files;
    struct project_options options;
    struct values *values;
    struct evaluated *of_file;
    struct defaults defaults;
    struct program *programs; /* by the number that its files have */
    struct class_data *classes;
    struct cell *at;
    size_t room;
    uint32_t count, parameters_end;
    uint32_t *first_parameter; /* per function: cell */
    struct map of_attribute;   /* class << 32 | name id -> cell */
    uint32_t *diamonds;        /* of each class in turn: those below it of which one above has several bases */
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
static inline uint32_t cell_of_parameter(const struct cells *cells, uint32_t function, uint32_t k)
{
    return cells->first_parameter[function] + k;
}
static inline uint32_t cell_of_slot(const struct cells *cells, uint32_t file, uint32_t slot)
{
    return cells->of_file[file].first_slot_cell + slot;
}
static inline struct program *program_of(const struct cells *cells, uint32_t file)
{
    return &cells->programs[cells->files->at[file].program];
}
static inline const struct value *cells_node(const struct cells *cells, uint32_t file, uint32_t node)
{
    return values_by_id(cells->values, cells->of_file[file].value_of[node]);
}

/* From `files` alone to settled values. */
void cells_settle(struct cells *cells, struct files *files, const struct project_options *options);
void cells_free(struct cells *cells);

/* ---- the steps of the round, in their order ---- */
void eval_file(struct cells *cells, uint32_t file);
void class_link(struct cells *cells);         /* bases and kinds, as values tell them */
void class_put_in_order(struct cells *cells); /* once bases are known: orders, diamonds */
void class_spread_made(struct cells *cells);  /* from those that are made to those above */
void defaults_spread(struct cells *cells);    /* from functions that set them to the files of the runs that do */

/* ---- asking ---- */
/* A class and those above it, in the order of Python; cut: beyond MOST_ABOVE there are more. */
enum { MOST_ABOVE = 64 };
struct classes {
    const uint32_t *at;
    uint32_t count;
    bool cut;
};
struct classes class_order(const struct cells *cells, uint32_t class_id);
void class_tell_order(const struct cells *cells, uint32_t class_id);              /* that it was cut */
bool class_inherits(const struct cells *cells, uint32_t class_id, uint32_t from); /* or is the same */
/* The method of a class by name, its bases in the run too; NONE. */
uint32_t class_method(const struct cells *cells, uint32_t class_id, str name);
/* Where parameter k of a function is, as its callers and conventions say. */
enum value_device resolve_parameter(const struct cells *cells, uint32_t function, uint32_t k, uint16_t *flags);
/* The function that a call registers: the one that it decorates, else the value that is its argument; NONE. */
uint32_t call_registered(const struct files *files, uint32_t file, uint32_t call, const struct value *argument);

#endif
