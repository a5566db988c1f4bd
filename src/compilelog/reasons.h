/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of Dynamo: which guard failed, and why a graph broke. */
#ifndef COMPILELOG_REASONS_H
#define COMPILELOG_REASONS_H

#include "compilelog.h"

/* "0/0: tensor 'x' size mismatch ...": the text behind the compile id, its first line. Points into the text. */
str reason_of(str text);

/* The size in it; a zeroed struct where it is about something else. Points into the text. */
struct log_size reason_size(str reason);

/* The value in it; empty where there is none. */
struct log_value reason_value(str reason);

/* The body of a record dynamo_graph_break_reason. Texts are copied into the arena. */
struct log_break reason_of_break(str body, struct arena *arena);

/* 'File "train.py", line 14, in score' of one stack, the innermost; zeroed where there is none. Copied. */
struct log_place place_of_stack(str stack, struct arena *arena);

/* "# File: train.py:14 in score, code: hidden = ...": zeroed where the line is another. Copied. */
struct log_place place_of_comment(str line, struct arena *arena);

#endif
