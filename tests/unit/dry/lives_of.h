/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of storages from a text, for tests. */
#ifndef TESTS_LIVES_OF_H
#define TESTS_LIVES_OF_H

#include <stdlib.h>
#include <unistd.h>

#include "dry/lives.h"

static inline struct dry_lives lives_of(const char *text, struct arena *arena)
{
    char path[] = "/tmp/dry-lives-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const struct dry_lives lives = dry_lives_read(path, arena);
    unlink(path);
    return lives;
}

#endif
