/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading ahead: a producer fills blocks on a thread of its own, at most a few
 * before the consumer. Where no thread can be started, and while it is paused, it
 * works at the consumer's call instead.
 */
#ifndef IO_AHEAD_H
#define IO_AHEAD_H

#include <stddef.h>

struct ahead;

/* Fills `room` bytes, or fewer at the end, then 0; never called from two threads at a time. */
typedef size_t (*ahead_fill)(void *context, unsigned char *into, size_t room);

struct ahead *ahead_open(ahead_fill fill, void *context);
size_t ahead_read(struct ahead *ahead, void *into, size_t room); /* 0 at the end */
void ahead_pause(struct ahead *ahead);                           /* what was filled is kept */
void ahead_resume(struct ahead *ahead);
void ahead_close(struct ahead *ahead); /* stops the producer, wherever it is */

#endif
