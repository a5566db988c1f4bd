/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* ---- paths ---- */

static str real_path(str path, struct arena *arena)
{
    char *const real = path.len ? realpath(str_z(arena, path), NULL) : NULL;
    const str whole = real ? str_copy(arena, str_of(real)) : path;
    free(real);
    return whole;
}

static int64_t path_key(str path)
{
    return (int64_t)hash_bytes(path.at, path.len);
}

struct making {
    const struct lint *lint;
    struct arena *arena;
    struct wait_sites *sites;
    struct map at; /* (path, line, kind): site */
    str *names;
    size_t room, name_room, file_room, line_room;
};

static uint32_t number_of(struct making *m, str path)
{
    struct wait_sites *const sites = m->sites;
    const uint32_t known = map_get(&sites->paths, path_key(path));
    if (known != MAP_NONE && str_eq(m->names[known], path))
        return known;
    m->names = mem_grow(m->names, &m->name_room, sites->path_count + 1, sizeof *m->names);
    sites->files = mem_grow(sites->files, &m->file_room, sites->path_count + 1, sizeof *sites->files);
    m->names[sites->path_count] = path;
    sites->files[sites->path_count] = SITE_NONE;
    map_put(&sites->paths, path_key(path), sites->path_count);
    return sites->path_count++;
}

/* Lines of a notebook are not those that Python counts. */
static void name_files(struct making *m)
{
    for (uint32_t i = 0; i < m->lint->file_count; i++) {
        if (m->lint->files[i].notebook)
            continue;
        const uint32_t path = number_of(m, real_path(m->lint->files[i].path, m->arena));
        m->sites->files[path] = i;
    }
}

uint32_t sites_file(const struct wait_sites *sites, str path)
{
    struct arena scratch = {0};
    const str real = real_path(path, &scratch);
    const uint32_t number = map_get(&sites->paths, path_key(real));
    const bool known = number != MAP_NONE && str_eq(sites->names[number], real);
    arena_free(&scratch);
    return known ? sites->files[number] : SITE_NONE;
}

/* ---- sites ---- */

static uint32_t sites_file_of(struct making *m, str path)
{
    const uint32_t number = number_of(m, path);
    return m->sites->files[number];
}

/* Of the site that comes next. */
static void put_line(struct making *m, uint32_t file, int64_t line, bool around)
{
    struct wait_sites *const sites = m->sites;
    if (file == SITE_NONE)
        return;
    sites->by_line = mem_grow(sites->by_line, &m->line_room, sites->line_count + 1, sizeof *sites->by_line);
    sites->by_line[sites->line_count++] = (struct site_line){file, sites->count, line, around};
}

static uint32_t site_of(struct making *m, const struct dry_wait *wait)
{
    struct wait_sites *const sites = m->sites;
    const uint32_t path = number_of(m, wait->at.file);
    const uint64_t line = (uint64_t)path << 40 | (uint64_t)wait->at.line << 8 | (uint64_t)wait->kind;
    const int64_t key = (int64_t)hash_mix(line ^ hash_bytes(wait->around_text.at, wait->around_text.len));
    const uint32_t known = map_get(&m->at, key);
    if (known != MAP_NONE)
        return known;
    const uint32_t file = sites->files[path];
    sites->at = mem_grow(sites->at, &m->room, sites->count + 1, sizeof *sites->at);
    sites->at[sites->count] = (struct wait_site){
        .file = file,
        .path = file == SITE_NONE ? str_printable(m->arena, wait->at.file) : m->lint->files[file].path,
        .line = wait->at.line,
        .kind = wait->kind,
        .call = wait->call,
        .via = wait->via,
        .before = SITE_NONE,
        .emptied_by = SITE_NONE,
        .follower = SITE_NONE,
        .caller.file = S(""),
    };
    const uint32_t calls = wait->around_count ? sites_file_of(m, wait->around[0].file) : SITE_NONE;
    if (calls != SITE_NONE)
        sites->at[sites->count].caller = (struct dry_line){m->lint->files[calls].path, wait->around[0].line};
    map_put(&m->at, key, sites->count);
    put_line(m, file, wait->at.line, false);
    for (uint32_t i = 0; i < wait->around_count; i++)
        put_line(m, sites_file_of(m, wait->around[i].file), wait->around[i].line, true);
    return sites->count++;
}

static bool is_busy(const struct dry_wait *wait)
{
    return wait->heavy > 0 || wait->queued > NEXT_TO_NOTHING;
}

/* The first step is no round, where there are more. */
static bool is_in_round(const struct wait_sites *sites, const struct dry_wait *wait)
{
    return wait->step > 1 && wait->step <= sites->waits->steps;
}

static void add_waits(struct making *m)
{
    struct wait_sites *const sites = m->sites;
    uint32_t before = SITE_NONE, head = SITE_NONE;
    int64_t *last = NULL, *last_busy = NULL; /* by site: the round that was counted */
    size_t room = 0, busy_room = 0;
    for (uint32_t i = 0; i < sites->waits->count; i++) {
        const struct dry_wait *const wait = &sites->waits->at[i];
        const uint32_t known = sites->count, at = site_of(m, wait);
        struct wait_site *const site = &sites->at[at];
        last = mem_grow(last, &room, at + 1, sizeof *last);
        last_busy = mem_grow(last_busy, &busy_room, at + 1, sizeof *last_busy);
        if (at == known)
            last[at] = last_busy[at] = 0;
        const bool counts = is_in_round(sites, wait), busy = is_busy(wait);
        head = busy || head == SITE_NONE ? at : head;
        sites->of_wait[i] = counts ? at : SITE_NONE;
        if (counts) {
            site->count++;
            site->bytes += wait->bytes;
            site->rounds += last[at] != wait->step;
            last[at] = wait->step;
        }
        if (counts && busy) {
            site->busy++;
            site->queued += wait->queued;
            site->busy_rounds += last_busy[at] != wait->step;
            last_busy[at] = wait->step;
            site->before = before;
        } else if (counts) {
            site->emptied_by = head == at ? before : head;
        }
        before = at;
    }
    mem_free(last);
    mem_free(last_busy);
}

/* From behind: what comes next, with nothing launched before it. */
void sites_follow(struct wait_sites *sites)
{
    uint32_t ahead = SITE_NONE, next = SITE_NONE;
    for (uint32_t i = sites->waits->count; i-- > 0;) {
        const uint32_t at = sites->of_wait[i];
        if (next != SITE_NONE && next != at && sites->at[next].stays)
            ahead = next;
        if (at != SITE_NONE && ahead != SITE_NONE && ahead != at) {
            sites->at[at].followed++;
            sites->at[at].follower = ahead;
        }
        const bool busy = is_busy(&sites->waits->at[i]);
        ahead = busy ? SITE_NONE : ahead;
        next = busy ? SITE_NONE : at;
    }
}

/* ---- lines that ran ---- */

static int64_t line_key(uint32_t file, int64_t line)
{
    return (int64_t)((uint64_t)file << 32 | (uint64_t)line);
}

static void add_lines(struct making *m)
{
    struct wait_sites *const sites = m->sites;
    for (uint32_t i = 0; i < sites->waits->ran_count; i++) {
        const struct dry_ran *const ran = &sites->waits->ran[i];
        const uint32_t path = number_of(m, ran->at.file), file = sites->files[path];
        if (file == SITE_NONE)
            continue;
        map_put(&sites->ran, line_key(file, ran->at.line), (uint32_t)ran->rounds);
    }
}

int64_t sites_ran(const struct wait_sites *sites, uint32_t file, int64_t line)
{
    const uint32_t rounds = map_get(&sites->ran, line_key(file, line));
    return rounds == MAP_NONE ? 0 : rounds;
}

int64_t sites_ran_within(const struct wait_sites *sites, uint32_t file, int64_t first, int64_t last)
{
    int64_t most = 0;
    for (int64_t line = first; line <= last; line++) {
        const int64_t rounds = sites_ran(sites, file, line);
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* ---- by line ---- */

static int by_line(const void *a, const void *b)
{
    const struct site_line *const x = a, *const y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

uint32_t sites_from(const struct wait_sites *sites, uint32_t file, int64_t line)
{
    uint32_t low = 0, high = sites->line_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct site_line *const at = &sites->by_line[middle];
        if (at->file < file || (at->file == file && at->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark_shared(struct wait_sites *sites)
{
    uint32_t before = SITE_NONE;
    for (uint32_t i = 0; i < sites->line_count; i++) {
        const struct site_line *const line = &sites->by_line[i];
        if (line->around)
            continue;
        const struct wait_site *const last = before == SITE_NONE ? NULL : &sites->at[before];
        if (last && last->file == line->file && last->line == line->line)
            sites->at[before].is_shared = sites->at[line->site].is_shared = true;
        before = line->site;
    }
}

static void *moved(struct arena *arena, void *from, uint32_t count, size_t size)
{
    void *const to = arena_array(arena, count, size);
    if (count)
        memcpy(to, from, count * size);
    mem_free(from);
    return to;
}

struct wait_sites *sites_of(const struct lint *lint, const struct dry_waits *waits, struct arena *arena)
{
    struct wait_sites *const sites = arena_alloc(arena, sizeof *sites);
    *sites = (struct wait_sites){.waits = waits, .rounds = waits->steps > 1 ? waits->steps - 1 : 0};
    struct making m = {.lint = lint, .arena = arena, .sites = sites};
    sites->of_wait = arena_array(arena, waits->count, sizeof *sites->of_wait);
    name_files(&m);
    add_waits(&m);
    add_lines(&m);
    sites->at = moved(arena, sites->at, sites->count, sizeof *sites->at);
    sites->names = moved(arena, m.names, sites->path_count, sizeof *m.names);
    sites->files = moved(arena, sites->files, sites->path_count, sizeof *sites->files);
    sites->by_line = moved(arena, sites->by_line, sites->line_count, sizeof *sites->by_line);
    if (sites->line_count)
        qsort(sites->by_line, sites->line_count, sizeof *sites->by_line, by_line);
    mark_shared(sites);
    map_free(&m.at);
    return sites;
}

void sites_free(struct wait_sites *sites)
{
    map_free(&sites->paths);
    map_free(&sites->ran);
}
