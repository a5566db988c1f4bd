/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/real.h"

static void take_moment(struct arena *arena, struct moments *moments, str text)
{
    int64_t ns;
    if (!str_int(text, &ns))
        return;
    moments->ns = arena_one_more(arena, moments->ns, moments->count, sizeof *moments->ns);
    moments->ns[moments->count++] = ns;
}

/* Hexadecimal, so that every bit arrives. */
static void take_loss(struct arena *arena, struct record *record, str text)
{
    record->losses = arena_one_more(arena, record->losses, record->loss_count, sizeof *record->losses);
    double *const loss = &record->losses[record->loss_count++];
    if (!real_read_hex(str_trim(text), loss))
        *loss = NAN;
}

static void take_step(struct arena *arena, struct record *record, str text)
{
    record->steps++;
    take_moment(arena, &record->step_ends, text);
}

/* HASH COUNT OFFSET KEY; the key is the rest, blanks and all. */
static void take_saved(struct arena *arena, struct record *record, str rest)
{
    struct saved saved;
    str count, offset;
    if (!str_cut(&rest, ' ', &saved.hash) || !str_cut(&rest, ' ', &count) || !str_cut(&rest, ' ', &offset))
        return;
    if (!str_int(count, &saved.count) || !str_int(offset, &saved.offset) || saved.count < 0)
        return;
    saved.hash = str_copy(arena, saved.hash);
    saved.key = str_copy(arena, rest);
    record->saved = arena_one_more(arena, record->saved, record->saved_count, sizeof *record->saved);
    record->saved[record->saved_count++] = saved;
}

/* HASH WHAT PLACE; what may have blanks in it, the place begins behind the last blank before a slash. */
static void take_draw(struct arena *arena, struct record *record, str rest)
{
    struct draw draw;
    const str all = rest;
    if (!str_cut(&rest, ' ', &draw.hash) || rest.at == all.at)
        return;
    size_t at = 0;
    while (at + 1 < rest.len && !(rest.at[at] == ' ' && (rest.at[at + 1] == '/' || rest.at[at + 1] == '.')))
        at++;
    if (at + 1 >= rest.len)
        return;
    draw = (struct draw){str_copy(arena, draw.hash), str_copy(arena, (str){rest.at, at}),
                         str_copy(arena, str_from(rest, at + 1))};
    record->draws = arena_one_more(arena, record->draws, record->draw_count, sizeof *record->draws);
    record->draws[record->draw_count++] = draw;
}

static bool take_numbers(str *rest, int64_t *const *numbers, uint32_t count)
{
    str word;
    for (uint32_t i = 0; i < count; i++)
        if (!str_cut(rest, ' ', &word) || !str_int(word, numbers[i]) || *numbers[i] < 0)
            return false;
    return true;
}

static void take_wait(struct arena *arena, struct record *record, str rest)
{
    struct loader_wait wait = {0};
    int64_t *const numbers[] = {&wait.loader, &wait.ns, &wait.worked_ns};
    if (!take_numbers(&rest, numbers, 3))
        return;
    record->waits = arena_one_more(arena, record->waits, record->wait_count, sizeof *record->waits);
    record->waits[record->wait_count++] = wait;
}

static void take_loader(struct arena *arena, struct record *record, str rest)
{
    struct loader loader = {0};
    int64_t *const numbers[] = {&loader.workers, &loader.prefetch, &loader.batch,   &loader.epochs,
                                &loader.batches, &loader.pins,     &loader.persists};
    if (!take_numbers(&rest, numbers, sizeof numbers / sizeof *numbers))
        return;
    loader.place = str_copy(arena, rest);
    record->loaders = arena_one_more(arena, record->loaders, record->loader_count, sizeof *record->loaders);
    record->loaders[record->loader_count++] = loader;
}

static void take_optimizer(struct arena *arena, struct record *record, str rest)
{
    int64_t *const number = &record->may_be_fused;
    if (take_numbers(&rest, &number, 1))
        record->optimizer_place = str_copy(arena, rest);
}

static void take_file(struct arena *arena, struct record *record, str path)
{
    record->files = arena_one_more(arena, record->files, record->file_count, sizeof *record->files);
    record->files[record->file_count++] = str_copy(arena, path);
}

static void take_versions(struct arena *arena, struct record *record, str rest)
{
    str torch;
    if (str_cut(&rest, ' ', &torch))
        record->torch = str_copy(arena, torch);
    record->python = str_copy(arena, rest);
}

/* The last line may be cut off by a sudden end; nothing in it is trusted without a look. */
static void take_line(struct arena *arena, struct record *record, str line)
{
    const char kind = line.len ? line.at[0] : 0;
    const str rest = str_from(line, 2);
    record->any = true;
    switch (kind) {
    case 'I':
        take_versions(arena, record, rest);
        break;
    case 'L':
        take_loss(arena, record, rest);
        break;
    case 'U':
        record->no_scalars++;
        break;
    case 'S':
        take_step(arena, record, rest);
        break;
    case 'B':
        take_moment(arena, &record->backward_ends, rest);
        break;
    case 'G':
        take_moment(arena, &record->device_ends, rest);
        break;
    case 'D':
        record->device = str_copy(arena, rest);
        break;
    case 'T':
        take_saved(arena, record, rest);
        break;
    case 'R':
        take_draw(arena, record, rest);
        break;
    case 'F':
        take_file(arena, record, rest);
        break;
    case 'W':
        take_wait(arena, record, rest);
        break;
    case 'O':
        take_moment(arena, &record->optimizer_steps, rest);
        break;
    case 'K':
        take_loader(arena, record, rest);
        break;
    case 'P':
        take_optimizer(arena, record, rest);
        break;
    case 'X':
        record->stopped = true;
        break;
    }
}

bool record_read(const char *path, struct arena *arena, struct record *record, struct steptime_error *err)
{
    *record = (struct record){.values_path = str_printf(arena, "%s.values", path).at};
    record->loaded = access(str_printf(arena, "%s.loaded", path).at, F_OK) == 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "%s", strerror(errno));
    char *line = NULL;
    size_t room = 0;
    for (ssize_t len; (len = getline(&line, &room, file)) > 0;)
        if (line[len - 1] == '\n')
            take_line(arena, record, (str){line, (size_t)len - 1});
    free(line);
    fclose(file);
    return true;
}

const struct moments *record_ends(const struct record *record)
{
    if (record->device_ends.count && record->device_ends.count == record->step_ends.count)
        return &record->device_ends;
    return record->step_ends.count ? &record->step_ends : &record->backward_ends;
}
