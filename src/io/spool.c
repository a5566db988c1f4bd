/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { BUFFER_BYTES = 32 << 10 };

/* Only its owner uses it, so no call locks the file. */
struct spool {
    FILE *file;
};

static bool fail_spool(struct steptime_error *err)
{
    return fail(err, errno == ENOMEM ? STEPTIME_MEMORY : STEPTIME_OUTPUT, "a temporary file: %s", strerror(errno));
}

struct spool *spool_new(struct steptime_error *err)
{
    FILE *file = tmpfile();
    if (!file) {
        fail_spool(err);
        return NULL;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    struct spool *spool = mem_zeroed(sizeof *spool);
    spool->file = file;
    return spool;
}

void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    fclose(spool->file);
    mem_free(spool);
}

bool spool_add(struct spool *spool, str bytes, struct steptime_error *err)
{
    return !bytes.len || fwrite_unlocked(bytes.at, 1, bytes.len, spool->file) == bytes.len || fail_spool(err);
}

void spool_again(struct spool *spool)
{
    fflush(spool->file);
    rewind(spool->file);
}

bool spool_read(struct spool *spool, void *into, size_t bytes)
{
    return fread_unlocked(into, 1, bytes, spool->file) == bytes;
}
