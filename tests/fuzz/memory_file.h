/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes under a path without a disk, for functions that open files. One at a time: the next call replaces the last. */
#ifndef FUZZ_MEMORY_FILE_H
#define FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline const char *memory_file(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    static char path[40];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        abort();
    return path;
}

#endif
