/* SPDX-License-Identifier: Apache-2.0 */
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "steptime/error.h"

/* Writes and leaves without touching the heap or stdio, which may be what failed. */
static void say_and_exit(size_t bytes)
{
    char line[80];
    const int n = format_text(line, sizeof line, "steptime: out of memory (asked for %zu bytes)\n", bytes);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0) { /* nothing is left to tell it to */
    }
    _exit(STEPTIME_MEMORY);
}

static steptime_memory_handler handler = say_and_exit;

steptime_memory_handler steptime_on_out_of_memory(steptime_memory_handler replacement)
{
    const steptime_memory_handler before = handler;
    handler = replacement ? replacement : say_and_exit;
    return before;
}

static _Noreturn void run_out(size_t bytes)
{
    handler(bytes);
    abort(); /* the handler broke its promise not to return */
}

static void *checked(void *p, size_t bytes)
{
    if (!p)
        run_out(bytes);
    return p;
}

void *mem_alloc(size_t bytes)
{
    return checked(malloc(bytes ? bytes : 1), bytes);
}

void *mem_zeroed(size_t bytes)
{
    return checked(calloc(1, bytes ? bytes : 1), bytes);
}

void *mem_resize(void *old, size_t bytes)
{
    return checked(realloc(old, bytes ? bytes : 1), bytes);
}

void mem_free(void *p)
{
    free(p);
}

void *mem_grow(void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return array;
    size_t wanted = *room ? *room : 16;
    while (wanted < need && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    size_t bytes;
    if (wanted < need || __builtin_mul_overflow(wanted, size, &bytes))
        run_out(SIZE_MAX);
    array = mem_resize(array, bytes);
    *room = wanted;
    return array;
}
