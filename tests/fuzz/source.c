/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a packed file: what comes out is the same in whatever pieces it is asked for. */
#include <assert.h>

#include "base/buf.h"
#include "io/source.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ENOUGH_BYTES = 4 << 20 };

/* Everything that comes out, up to a bound, asked for `piece` bytes at a time. */
static struct buf drain(const char *path, size_t piece)
{
    struct buf out = {0};
    struct source *source = source_open(path, NULL);
    assert(source);
    char block[4096];
    for (size_t n; out.len < ENOUGH_BYTES && (n = source_read(source, block, piece)) > 0;) {
        assert(n <= piece);
        buf_add(&out, (str){block, n});
    }
    if (out.len < ENOUGH_BYTES)
        (void)source_damage(source);
    source_close(source);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = memory_file(bytes, size);
    struct buf large = drain(path, 4096), small = drain(path, 7);
    const size_t shared = large.len < small.len ? large.len : small.len;
    assert(large.len == small.len || shared >= ENOUGH_BYTES);
    assert(!shared || memcmp(large.at, small.at, shared) == 0);
    buf_free(&large);
    buf_free(&small);
    return 0;
}
