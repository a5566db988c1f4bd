/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All Python files of one run, parsed and understood together.
 *
 *     struct project *project = project_new(sources, count, &options);
 *     ... name.h, value.h, flow.h, context.h and summary.h answer questions about any node ...
 *     project_free(project);
 *
 * Files, functions and classes are numbered; a node of a file is a `struct site`.
 * After project_new nothing changes, so any number of threads may ask: walk the
 * nodes of a file in order and ask about each, file by file, in parallel.
 *
 * What a run knows is what its files say. Where that leaves a doubt the answer is
 * "unknown", and whoever asks stays silent.
 */
#ifndef SOURCE_PROJECT_H
#define SOURCE_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "syntax/syntax.h"

/* A node of a file. */
struct site {
    uint32_t file, node;
};

static const struct site site_none = {SYNTAX_NONE, SYNTAX_NONE};

static inline bool site_is_none(struct site site)
{
    return site.node == SYNTAX_NONE;
}

/* Path (as the user gave it; folders make the module names) and bytes; both must outlive the project. */
struct project_source {
    str path, text;
};

/* What the user's configuration adds. Names are last names ("to_gpu") or dotted ends of qualified names. */
struct project_options {
    const str *uploads; /* helpers that move their first argument to the device, nested containers too */
    uint32_t upload_count;
    const str *downloads; /* helpers that move it back to the CPU */
    uint32_t download_count;
    unsigned threads; /* 0: all cores */
};

struct project_file {
    str path;
    str module;                /* dotted: "pkg.sub.mod"; of __init__.py the package */
    const struct syntax *tree; /* NULL where the text was refused */
    uint32_t too_deep;         /* byte where something is nested too deep to be looked into; 0: nowhere */
    bool uses_torch;           /* it imports torch or something built on it */
    bool uses_device;          /* something in it is put on the device */
    uint32_t first_function;   /* functions of a file are numbered in a row, the module's own code first */
    uint32_t function_count;
};

/* A function, lambda, or the code of a module or class body outside of any function. */
struct function {
    uint32_t file, node; /* SYN_FUNCTION, SYN_LAMBDA, SYN_CLASS, SYN_MODULE */
    str name;            /* "forward"; "<lambda>", "<module>"; of a class body the class's name */
    uint32_t class_id;   /* of a method; else SYNTAX_NONE */
    uint32_t outer;      /* function in which it stands; SYNTAX_NONE for a module */
    uint32_t parameters; /* how many, self, * and ** included */
    bool is_static, is_classmethod, is_property, is_generator;
};

struct framework;

struct class_info {
    uint32_t file, node; /* SYN_CLASS */
    str name;
    bool is_module;                    /* torch.nn.Module or a descendant, as far as the run or a public name shows */
    bool is_dataset;                   /* torch.utils.data.Dataset or a descendant */
    const struct framework *framework; /* that calls its methods (frameworks.h); NULL */
};

struct project;

struct project *project_new(const struct project_source *sources, uint32_t count,
                            const struct project_options *options /* may be NULL */);
void project_free(struct project *project);

uint32_t project_files(const struct project *project);
const struct project_file *project_file(const struct project *project, uint32_t file);
const struct syntax *project_tree(const struct project *project, uint32_t file);

uint32_t project_functions(const struct project *project);
const struct function *project_function(const struct project *project, uint32_t function);
const struct class_info *project_class(const struct project *project, uint32_t class_id);

/* The function whose code the node is; of a def statement itself the function around it. */
uint32_t project_function_at(const struct project *project, struct site site);
/* The method of a class by name, its bases in the run too; SYNTAX_NONE. */
uint32_t project_method(const struct project *project, uint32_t class_id, str name);
/* Where parameter k of a function stands (SYN_PARAMETER); SYNTAX_NONE. */
uint32_t project_parameter(const struct project *project, uint32_t function, uint32_t k);

/*
 * Whether anything is put on a device in the program of the file: the files that
 * import each other. Where not, there is no device that could wait.
 */
bool project_uses_device(const struct project *project, uint32_t file);

#endif
