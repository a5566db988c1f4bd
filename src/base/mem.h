/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one door to the heap. These never return NULL: when memory runs out the
 * handler of steptime/error.h ends the process, so no caller carries a branch
 * that nobody has ever run. Only arena.c and owners of large growing columns
 * (trace.c, windows, maps) come here; everyone else takes an arena.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);
void *mem_zeroed(size_t bytes);
void *mem_resize(void *old, size_t bytes);
void mem_free(void *p);

/*
 * Grows an array to hold at least `need` elements of `size` bytes, doubling
 * *room, and returns it moved. New elements are not initialised. A product
 * that overflows counts as memory that ran out.
 */
void *mem_grow(void *array, size_t *room, size_t need, size_t size);

#endif
