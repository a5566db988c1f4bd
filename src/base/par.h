/* SPDX-License-Identifier: Apache-2.0 */
/* Work on all cores. */
#ifndef BASE_PAR_H
#define BASE_PAR_H

#include <stddef.h>

/* Cores this process may run on. */
unsigned par_cores(void);

/*
 * Calls work(context, i) for every i below count, each once, on up to `threads`
 * threads (0: all cores), and returns when all are done. Where no thread can be
 * had the work is done by the caller. Work must not depend on its order.
 */
void par_each(size_t count, unsigned threads, void (*work)(void *context, size_t i), void *context);

#endif
