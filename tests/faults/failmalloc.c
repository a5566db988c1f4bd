/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap that fails on demand, loaded before the program (LD_PRELOAD).
 *
 *     FAIL_AT=n     the n-th allocation fails, counted from 1
 *     FAIL_FROM=n   so does every one from the n-th on
 *     FAIL_IN=name  only in a program of that name, not in those that it starts
 *     FAIL_COUNT=file   the number of allocations goes to this file at the end
 *
 * Only the environment decides, so a run can be repeated for every n in turn.
 * glibc exports its own heap as __libc_*, which spares us dlsym (it allocates).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_ulong made;

static unsigned long number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static bool is_meant(void)
{
    const char *const name = getenv("FAIL_IN");
    return !name || !strcmp(name, program_invocation_short_name);
}

/* Counts one allocation and says whether it is to fail. */
static bool fails(void)
{
    if (!is_meant())
        return false;
    const unsigned long n = atomic_fetch_add(&made, 1) + 1;
    const unsigned long at = number("FAIL_AT"), from = number("FAIL_FROM");
    const bool failing = n == at || (from && n >= from);
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *p = fails() ? NULL : __libc_memalign(alignment, bytes);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAIL_COUNT");
    if (!path || !is_meant())
        return;
    char text[32];
    const int len = snprintf(text, sizeof text, "%lu\n", (unsigned long)atomic_load(&made));
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, text, (size_t)len) != len)
        _exit(99);
    close(file);
}
