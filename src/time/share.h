/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which share of some times makes what is made of them so long. A replay gets no longer where the times get shorter, so the
 * share is found by halving.
 */
#ifndef TIME_SHARE_H
#define TIME_SHARE_H

#include <stdbool.h>

/* How long it takes with the times of that share of themselves. False: it cannot be told. */
typedef bool share_replay(void *context, double share, double *length);

/*
 * The share, above 0 and at most 1, with which it takes `length`; 0 where none above 0 does, as what is left takes longer than
 * that. False where replay is.
 */
bool share_for(share_replay *replay, void *context, double length, double *share);

#endif
