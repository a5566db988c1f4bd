/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a Python frame, taken apart. Profilers write
 *
 *     train.py(12): step                                   a function, with the line that it begins in
 *     <built-in method item of Tensor object at 0x7f...>   a builtin; the address is the object's
 *     <built-in function linear>
 *     nn.Module: Encoder_0                                 the call of a module
 */
#ifndef OPS_FRAME_H
#define OPS_FRAME_H

#include "base/str.h"

enum frame_kind { FRAME_OTHER, FRAME_FUNCTION, FRAME_BUILTIN, FRAME_MODULE };

struct frame {
    enum frame_kind kind;
    str file;     /* of a function, as recorded; "" otherwise */
    int64_t line; /* of a function: its first; -1 otherwise */
    str name;     /* "step", "item", "Encoder_0" */
};

/* "<listcomp>", "<lambda>", "<module>" */
static inline bool frame_is_unnamed(str name)
{
    return str_starts(name, S("<"));
}

/* The parts point into the text. */
struct frame frame_parse(str text);

/* "train.py:78", where a call was made from. False: the text is of another form. */
bool frame_parse_place(str text, str *file, int64_t *line);

/* A function of the framework or of the interpreter's own library, or no function at all: never the user's. */
bool frame_of_library(const struct frame *frame);

#endif
