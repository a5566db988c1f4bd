/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --explain: the formula behind a number of `steptime predict`, and the events,
 * operators or steps that it is made of, largest first. What each walk shows is
 * taken as it is made (predict_asked.seen), so that what is told is that of the
 * very walks whose means are printed.
 */
#ifndef PREDICT_EXPLAIN_H
#define PREDICT_EXPLAIN_H

#include "predict.h"
#include "report/report.h"

struct predict_explain;

/* What a word asks for: a number's id, with or without its unit ("active_ns", "active"), or "list". NULL: none. */
struct predict_explain *predict_explain_new(str word, struct arena *arena);

/* A predict_asked.seen, whose context is the struct predict_explain. */
void predict_explain_see(void *explain, const struct predict_seen *seen);

/* The section "explain": of several ranks the one that predict_show tells of, whose numbers the report has already. */
void predict_explain_show(const struct predict_explain *explain, const struct prediction *prediction,
                          struct report *report);

#endif
