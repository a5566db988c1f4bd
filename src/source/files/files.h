/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first round: what each file says by itself (functions, classes, definitions), read in parallel, and the tables
 * over all files by which they find one another. Nothing here changes in later rounds but what they prove of
 * definitions and of classes.
 */
#ifndef SOURCE_FILES_H
#define SOURCE_FILES_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "source/flow/file.h"
#include "given.h"
#include "source/known/names.h"

/* A folder of packages, for files below another (given.h). */
struct module_root {
    struct source_root said;
    uint32_t next; /* another for the same files; MAP_NONE */
};

/* For each file those that it imports, or that import it: to[first[file]] up to first[file + 1]. */
struct links {
    uint32_t *first, *to;
};

struct files {
    struct arena arena;
    struct names *names;
    struct file *at;
    uint32_t count;
    struct function *functions;
    uint32_t function_count;
    struct class_info *classes;
    uint32_t class_count;
    struct map by_path, by_module; /* name id -> file */
    struct map folders;            /* name id of a path -> it is a folder of the run */
    struct map first_words;        /* name id -> a file or folder is called so */
    struct module_root *roots;
    uint32_t root_count;
    size_t root_room;
    struct map root_below;    /* name id of a folder -> its first root */
    struct map module_slot;   /* file << 32 | name id -> slot of a variable of the module */
    struct map class_by_node; /* file << 32 | node */
    struct map function_by_node;
    bool *calls_forward; /* per function: a method that calls self(...) or self.forward(...) */
    uint64_t *counts;    /* per function: bits of the parameters that bound a slice or a range(): whole numbers */
    struct map methods_by_name; /* name id -> a method of that name; the others by next_of_name */
    uint32_t *next_of_name;     /* per function; NONE */
    struct map method_count;    /* name id -> how many classes define a method of that name */
    struct map method;          /* class << 32 | name id -> function */
    struct links imports, importers;
    bool sets_default_type; /* a file names torch.set_default_dtype() or the like */
    struct limits *limits;  /* what any round did not follow to its end: file and byte */
};

void files_read(struct files *files, const struct project_source *sources, uint32_t count,
                const struct project_options *options); /* NULL: none */
void files_free(struct files *files);

/* ---- the steps of the round, in their order, once each file is known by itself (file.h) ---- */
void paths_find(struct file *file); /* what it puts on sys.path; needs its flow */
void roots_build(struct files *files, const struct source_root *said, uint32_t count);
void path_share(struct files *files, uint32_t to, uint32_t from); /* what one puts on sys.path, another sees */
/* Names of modules, and what imports name; options: NULL. */
void module_link(struct files *files, const struct project_options *options);
void runs_build(struct files *files);                       /* once imports are found: who imports whom (runs.h) */
void exports_find(struct files *files, uint32_t file);      /* once imports are found */
void method_list(struct files *files);                      /* methods by class and by name */
void flow_prove(struct files *files, uint32_t file);        /* what uses prove, once methods are known */
void flow_prove_losses(struct files *files, uint32_t file); /* what losses are computed from */

/* Any round tells here what it does not follow to its end. */
static inline void files_limit(const struct files *files, const struct limit *limit, uint32_t file, uint32_t node)
{
    const struct syntax *tree = files->at[file].shown.tree;
    limits_tell(files->limits, limit, file, node < tree->count ? tree->begin[node] : 0);
}

/* ---- paths ---- */
str path_folder(str path);                     /* that it lies in */
str path_last(str path);                       /* its last name */
str path_plain(struct arena *arena, str path); /* without `.`, and `..` as far as can be told */
str path_join(struct arena *arena, str folder, str name);

/* ---- asking ---- */
uint32_t module_at(const struct files *files, str path);                    /* the file of a path; MAP_NONE */
uint32_t module_find(const struct files *files, uint32_t from, str dotted); /* file; NONE */
bool module_exports(const struct files *files, uint32_t file, str name);    /* to `from file import *` */
/* The file from which the module fetches a name when it is asked for; NONE. */
uint32_t module_lazy(const struct files *files, uint32_t file, const struct name *name);
uint32_t module_slot(const struct files *files, uint32_t file, const struct name *name); /* its variable; NONE */
/* The parameter of a function that an argument of a call goes to; NONE. */
uint32_t call_parameter_of(const struct files *files, uint32_t function, const struct syntax *tree, uint32_t argument,
                           uint32_t position, uint32_t self);

#endif
