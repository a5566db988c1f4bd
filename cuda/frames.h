/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling thread's Python frames, read from memory without the interpreter's lock.
 *
 * Why that may be done. A thread's chain of frames is changed by that thread alone: it enters and leaves functions. It is in a call
 * of ours now, so the chain stands still, whoever holds the lock. Each frame of the chain holds a reference to its code, and a code
 * to its texts and its table of lines, none of which changes while it runs. So for as long as the call lasts all that is read here
 * lives. Nothing of it is kept: what is kept are copies, and no reference is taken or given back, which the lock would be needed for.
 *
 * Where the fields lie is known for each version of CPython (frames.c). Nothing public promises it, so it is not believed: until
 * frames_check has found the same as public functions say, reads go through the kernel, which fails where there is no memory;
 * and where it finds anything else, once, no frame is read from memory any more.
 */
#ifndef CUDA_FRAMES_H
#define CUDA_FRAMES_H

#include "stack.h"

enum frames_state { FRAMES_UNCHECKED, FRAMES_CHECKED, FRAMES_OFF };

/* After python_find. */
void frames_begin(void);
enum frames_state frames_state(void);

/* Why they are off, else "". For a person. */
const char *frames_why_off(void);

/* Compares with what public functions say of the calling thread's stack. Where python_may_be_asked. */
void frames_check(void);

/* Where they are checked. False: what was read makes no sense. No frames: the thread runs no Python now. */
bool frames_walk(void *thread, struct stack *stack);

/* A code of the stack, before the call that frames_walk was made in ends. */
bool frames_describe(const void *code, struct function *function);

#endif
