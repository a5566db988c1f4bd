/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items that one thread gives away and takes back, in order, with others that
 * work on them in between:
 *
 *     for (;;) {
 *         while (relay_room(relay) && (make item number `given`))
 *             relay_give(relay);
 *         if (!relay_take(relay))
 *             break;
 *         (use item number `taken`)
 *     }
 *
 * Items are numbered from 0. At most `room` of them are out at a time, so that
 * item i can lie in place i % room of an array of the caller's.
 */
#ifndef BASE_RELAY_H
#define BASE_RELAY_H

#include <stdbool.h>
#include <stddef.h>

struct relay;

/* What is done to an item, by one of the workers, numbered from 0. */
typedef void (*relay_work)(void *context, unsigned worker, size_t item);

/* NULL where no thread can be had. */
struct relay *relay_open(unsigned workers, size_t room, relay_work work, void *context);

bool relay_room(const struct relay *relay); /* one more may be given */
void relay_give(struct relay *relay);       /* the next item is ready to be worked on */
bool relay_take(struct relay *relay);       /* waits for the oldest item that is out; false where none is */

/* Waits for the items that are being worked on; the others are left as they are. */
void relay_close(struct relay *relay);

#endif
