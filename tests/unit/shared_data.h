/* SPDX-License-Identifier: Apache-2.0 */
/* Data that lie beside a checkout, used in place: in the folder STEPTIME_SHARED, or in ../shared. */
#ifndef UNIT_SHARED_DATA_H
#define UNIT_SHARED_DATA_H

#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "io/source.h"

/* The path of data that may be absent. The text lives until the next call. */
static inline const char *shared_data(const char *path)
{
    static char full[600];
    const char *folder = getenv("STEPTIME_SHARED"), *checkout = getenv("STEPTIME_SOURCE");
    if (folder)
        snprintf(full, sizeof full, "%s/data/%s", folder, path);
    else
        snprintf(full, sizeof full, "%s/../shared/data/%s", checkout ? checkout : ".", path);
    return full;
}

/* The same; skips the test where they are absent. */
static inline const char *shared_path(const char *path)
{
    const char *full = shared_data(path);
    if (stat(full, &(struct stat){0})) {
        print_message("# SKIP: no shared file %s\n", path);
        skip();
    }
    return full;
}

/* Their bytes, unpacked; skips the test where they are absent. */
static inline struct buf shared_bytes(const char *path)
{
    struct buf text = {0};
    struct source *source = source_open(shared_path(path), NULL);
    assert_non_null(source);
    char piece[65536];
    for (size_t got; (got = source_read(source, piece, sizeof piece)) > 0;)
        buf_add(&text, (str){piece, got});
    source_close(source);
    return text;
}

#endif
