/* SPDX-License-Identifier: Apache-2.0 */
#include "pack_file.h"

#include "base/error.h"
#include "base/mem.h"
#include "io/pack.h"
#include "io/source.h"
#include "io/writer.h"

enum { PIECE = 64 << 10 };

static void copy(struct source *source, struct writer *out)
{
    struct packer *const packer = pack_gzip(out);
    char *piece = mem_alloc(PIECE);
    for (size_t n; (n = source_read(source, piece, PIECE));)
        pack_put(packer, (str){piece, n});
    mem_free(piece);
    pack_close(packer);
}

bool pack_file(const char *from, const char *to, struct steptime_error *err)
{
    struct source *const source = source_open(from, err);
    struct writer *const out = source ? writer_open(to, err) : NULL;
    if (out)
        copy(source, out);
    if (source)
        source_close(source);
    return out && writer_close(out, err);
}
