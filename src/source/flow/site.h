/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of files, files, functions and classes as they are handed out. */
#ifndef SOURCE_SITE_H
#define SOURCE_SITE_H

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

enum { SUMMARY_PARAMETERS = 64 }; /* of a function; those beyond are not followed */

struct framework;

struct class_info {
    uint32_t file, node; /* SYN_CLASS */
    str name;
    bool is_module;                    /* torch.nn.Module or a descendant, as far as the run or a public name shows */
    bool is_dataset;                   /* torch.utils.data.Dataset or a descendant */
    const struct framework *framework; /* that calls its methods (frameworks.h); NULL */
};

#endif
