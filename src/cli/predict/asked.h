/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of a what-if question (the options of SHARED_QUESTION) as a struct question. */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/program/command.h"
#include "predict/question/question.h"
#include "predict/question/what_if_sweep.h"

extern const struct option question_options[];

/* Lists live in the arena, texts in the command line. False with STEPTIME_USAGE. */
bool asked_question(const struct call *call, struct arena *arena, struct question *question,
                    struct steptime_error *err);

/* --sweep; *given is false where there is none. */
bool asked_sweep(const struct call *call, struct arena *arena, struct sweep *sweep, bool *given,
                 struct steptime_error *err);

#endif
