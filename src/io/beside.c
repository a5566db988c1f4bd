/* SPDX-License-Identifier: Apache-2.0 */
#include "beside.h"

#include <sys/stat.h>

#include "base/buf.h"
#include "source.h"

enum { MOST_BYTES = 64 << 20 };

str beside_path(str trace, const char *ending, struct arena *arena)
{
    static const str endings[] = {S(".gz"), S(".zst"), S(".json")}; /* the packing is the last */
    str stem = trace;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(stem, endings[i]))
            stem.len -= endings[i].len;
    return str_printf(arena, "%.*s%s", (int)stem.len, stem.at, ending);
}

static bool is_file(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode);
}

str beside_read(const char *path, struct arena *arena)
{
    struct steptime_error why;
    struct buf buf = {0};
    char part[4096];
    if (!is_file(path))
        return (str){NULL, 0};
    struct source *source = source_open(path, &why);
    for (size_t n; source && buf.len <= MOST_BYTES && (n = source_read(source, part, sizeof part));)
        buf_add(&buf, (str){part, n});
    if (source)
        source_close(source);
    const str copy = buf.len && buf.len <= MOST_BYTES ? str_copy(arena, buf_str(&buf)) : S("");
    buf_free(&buf);
    return copy;
}
