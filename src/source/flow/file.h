/* SPDX-License-Identifier: Apache-2.0 */
/* One file by itself: its functions, classes and definitions. What other files say of it is files.h. */
#ifndef SOURCE_FILE_H
#define SOURCE_FILE_H

#include "base/arena.h"
#include "changes.h"
#include "flows.h"
#include "site.h"

struct name;

/* `from x import *` of a module: a file of the run, or a name outside of it. */
struct star {
    uint32_t file; /* NONE */
    const struct name *name;
};

struct stars {
    struct star *at;
    size_t count, room;
};

/* A folder that the file puts on sys.path; one that is not `placed` is seen from where the program is started. */
struct path_entry {
    str folder;
    bool placed;
};

struct path_entries {
    struct path_entry *at;
    size_t count, room;
};

struct folders {
    str *at;
    size_t count, room;
};

struct file {
    struct project_file shown;
    uint32_t id;
    str text;
    struct arena arena;
    struct function *functions; /* numbered in the file; those of all files are files.functions */
    uint32_t function_count;
    struct class_info *classes;
    uint32_t class_count, first_class;
    uint32_t *first_parameter_def; /* per function: def of parameter 0; they follow one another; NONE */
    uint32_t *function_first_def, *function_last_def;
    bool *function_loops;   /* a definition reaches one before it */
    bool sets_default_type; /* it names torch.set_default_dtype() or the like */
    bool is_test;           /* by its path: its calls say nothing of how the rest is used */
    bool imported;          /* by a file of the run */
    uint32_t program;       /* after module_link the same for all files of one */
    struct stars own_stars; /* `from x import *`, in order */
    struct stars stars;     /* those of the modules that these name too, in the order in which a name is looked for */
    uint32_t far_path;      /* node: an expression for sys.path that nests too deep; 0: none */
    struct path_entries on_path; /* as it says */
    struct folders seen_on_path; /* those of the run; of the first file of a program what all of it puts there */
    bool has_namespaces;         /* it imports a.b where there is no module a */
    bool has_exports;            /* __all__ says what it gives: exported */
    struct map exported;         /* name id */
    struct map lazy;             /* name id -> file from which __getattr__ fetches it */
    struct flow flow;
    struct changes changes;
};

/* ---- the steps, in their order ---- */
void scope_find(struct file *file); /* functions and classes of a file */
void flow_build(struct file *file); /* slots and definitions */

/* ---- asking ---- */
uint32_t scope_parameters(const struct syntax *tree, uint32_t function); /* SYN_PARAMETERS; NONE */
uint32_t scope_function_at(const struct file *file, uint32_t node);      /* file-local */

#endif
