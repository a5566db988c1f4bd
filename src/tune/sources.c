/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"

enum { MOST_OPEN = 16 };

/* ---- one ---- */

static bool is_source(str path)
{
    static const str endings[] = {S(".py"), S(".ipynb"), S(".toml"), S(".yaml"), S(".yml"), S(".cfg"), S(".ini")};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends(path, endings[i]))
            return true;
    return false;
}

static bool hash_file(const char *path, char text[SHA256_TEXT])
{
    char piece[1 << 16];
    ssize_t count = -1;
    struct sha256 sha = sha256_begin();
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && (count = read(file, piece, sizeof piece)) > 0)
        sha256_add(&sha, piece, (size_t)count);
    const int wrong = errno;
    if (file >= 0)
        close(file);
    errno = wrong;
    sha256_end(&sha, text);
    return count == 0;
}

str source_hash(str root, str path, struct arena *arena)
{
    char text[SHA256_TEXT];
    const str whole = str_printf(arena, "%.*s/%.*s", (int)root.len, root.at, (int)path.len, path.at);
    return hash_file(whole.at, text) ? str_copy(arena, str_of(text)) : S("");
}

/* ---- all ---- */

/* nftw hands its callback nothing, so what it works for lies here while it runs. */
static struct listing {
    size_t root_bytes, room;
    struct sources *sources;
    struct arena *arena;
    struct steptime_error *err;
} listing;

static int list_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    char text[SHA256_TEXT];
    struct sources *const sources = listing.sources;
    (void)about, (void)where;
    if (kind != FTW_F || !is_source(str_of(path)))
        return FTW_CONTINUE;
    if (!hash_file(path, text)) {
        fail_at(listing.err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
        return FTW_STOP;
    }
    sources->at = mem_grow(sources->at, &listing.room, sources->count + 1, sizeof *sources->at);
    sources->at[sources->count++] = (struct source_file){
        .path = str_copy(listing.arena, str_of(path + listing.root_bytes + 1)),
        .sha256 = str_copy(listing.arena, str_of(text)),
    };
    return FTW_CONTINUE;
}

static int by_path(const void *a, const void *b)
{
    const struct source_file *const x = a, *const y = b;
    return str_cmp(x->path, y->path);
}

bool sources_list(const char *folder, struct arena *arena, struct sources *sources, struct steptime_error *err)
{
    struct sources found = {0};
    listing = (struct listing){strlen(folder), 0, &found, arena, err};
    const int outcome = nftw(folder, list_one, MOST_OPEN, FTW_PHYS | FTW_ACTIONRETVAL);
    if (outcome < 0)
        fail_at(err, STEPTIME_INPUT, str_of(folder), -1, "cannot be read: %s", strerror(errno));
    *sources = (struct sources){arena_array(arena, found.count, sizeof *found.at), found.count};
    if (found.count)
        memcpy(sources->at, found.at, found.count * sizeof *found.at);
    qsort(sources->at, sources->count, sizeof *sources->at, by_path);
    mem_free(found.at);
    return outcome == 0;
}

/* ---- what runs ---- */

static struct source_file *source_at(const struct sources *sources, str path)
{
    const struct source_file wanted = {.path = path};
    return sources->count ? bsearch(&wanted, sources->at, sources->count, sizeof wanted, by_path) : NULL;
}

void sources_mark_loaded(struct sources *sources, const char *folder, const str *files, uint32_t count)
{
    char *const root = realpath(folder, NULL);
    const str below = str_of(root ? root : folder);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_below = str_starts(files[i], below) && files[i].len > below.len && files[i].at[below.len] == '/';
        struct source_file *const file = is_below ? source_at(sources, str_from(files[i], below.len + 1)) : NULL;
        if (file)
            file->loaded = true;
    }
    free(root);
}

bool sources_may_run(const struct sources *sources, str path)
{
    const struct source_file *const file = source_at(sources, path);
    bool known = false;
    for (uint32_t i = 0; i < sources->count && !known; i++)
        known = sources->at[i].loaded;
    return !known || !file || file->loaded;
}

/* ---- then and now ---- */

struct sources sources_again(const struct sources *before, str root, struct arena *arena)
{
    struct sources now = {.at = arena_array(arena, before->count, sizeof *now.at)};
    for (uint32_t i = 0; i < before->count; i++) {
        const str path = before->at[i].path, hash = source_hash(root, path, arena);
        if (hash.len)
            now.at[now.count++] = (struct source_file){path, hash, before->at[i].loaded};
    }
    return now;
}

static bool changed(str root, str path, const char *how, struct steptime_error *err)
{
    struct arena scratch = {0};
    const str whole = str_printf(&scratch, "%.*s/%.*s", (int)root.len, root.at, (int)path.len, path.at);
    fail_at(err, STEPTIME_INPUT, whole, -1,
            "%s since tune began, so what was measured is of another program; begin anew", how);
    arena_free(&scratch);
    return false;
}

/* What no run imports may change. */
static bool matters(const struct sources *before, const struct source_file *file)
{
    return !str_ends(file->path, S(".py")) || sources_may_run(before, file->path);
}

bool sources_are_same(const struct sources *before, const struct sources *now, str root, struct steptime_error *err)
{
    uint32_t b = 0, n = 0;
    while (b < before->count || n < now->count) {
        const int order = b == before->count ? 1 : n == now->count ? -1 : str_cmp(before->at[b].path, now->at[n].path);
        if (order < 0 && matters(before, &before->at[b]))
            return changed(root, before->at[b].path, "is gone", err);
        if (order == 0 && matters(before, &before->at[b]) && !str_eq(before->at[b].sha256, now->at[n].sha256))
            return changed(root, now->at[n].path, "changed", err);
        if (order > 0 && str_ends(now->at[n].path, S(".py")))
            return changed(root, now->at[n].path, "is new", err);
        b += order <= 0;
        n += order >= 0;
    }
    return true;
}
