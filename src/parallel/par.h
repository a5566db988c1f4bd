/* SPDX-License-Identifier: Apache-2.0 */
/* Work on all cores. */
#ifndef PARALLEL_PAR_H
#define PARALLEL_PAR_H

#include <stddef.h>

/*
 * Cores that the caller may keep busy: those this process may run on. Inside of par_each it is the caller's share of
 * them, so that work that is split again never asks for more threads than there are cores.
 */
unsigned par_cores(void);

/*
 * Calls work(context, i) for every i below count, each once, on up to `threads`
 * threads (0: par_cores), and returns when all are done. Where no thread can be
 * had the work is done by the caller. Work must not depend on its order.
 */
void par_each(size_t count, unsigned threads, void (*work)(void *context, size_t i), void *context);

#endif
