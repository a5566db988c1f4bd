/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter in the program's own process by its public functions, all of CPython since 3.9. */
#ifndef CUDA_PYTHON_H
#define CUDA_PYTHON_H

#include "stack.h"

/*
 * Looks for it. False: there is none. *missing: a function that the one that is there has not, so that nothing else may be called;
 * else NULL.
 */
bool python_find(const char **missing);

/* "3.12.3 (main, ...) [GCC ...]" */
const char *python_version(void);

/* The calling thread's; NULL: it has never run Python. Asks for no lock. */
void *python_thread(void);

/* The calling thread holds the interpreter's lock, and no error is under way: what follows may be asked. */
bool python_may_be_asked(void);

/*
 * The calling thread's stack. The codes are references, for python_release.
 *
 * From one to the other the collector is off, so that nothing of the program runs inside its own call: up to 3.11 a collection may
 * begin wherever an object is made, and what it frees may call CUDA, or let another thread run. Python 3.9 has no function to turn
 * it off, so hold no lock of ours meanwhile.
 */
void python_walk(struct stack *stack);
void python_release(const struct stack *stack);

/* An object, which the caller has a reference to. A text that Python cannot tell in UTF-8 has no bytes. */
void python_describe(const void *code, struct function *function);

/* Has the main thread call this soon, with the lock. Any thread, with or without the lock. False: not now. */
bool python_call_later(int (*call)(void *), void *with);

#endif
