/* SPDX-License-Identifier: Apache-2.0 */
#include "save.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/error.h"
#include "call.h"
#include "commands.h"
#include "inputs/sketched.h"
#include "io/writer.h"
#include "report/report.h"

struct save {
    const struct call *call;
    const char *folder;
    pthread_mutex_t lock;
    bool failed;
    struct steptime_error error; /* the first, where one failed */
    uint32_t written, large;     /* sketches; those whose steps take more than was asked for */
    int64_t most_bytes;          /* of a step of these */
};

/* ---- the folder ---- */

static bool make_folder(const char *folder, struct steptime_error *err)
{
    struct stat status;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    return fail_at(err, STEPTIME_OUTPUT, str_of(folder), -1, "cannot make this directory: %s", strerror(errno));
}

static bool same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static bool is_apart(const struct call *call, const char *folder, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (same_folder(folder, call->arguments[i]))
            return fail(err, STEPTIME_USAGE,
                        "--save %s would put the sketches among the traces; name another directory", folder);
    return true;
}

bool save_open(const struct call *call, struct arena *arena, struct save **save, struct steptime_error *err)
{
    const bool can = command_option(call->command, S("save"));
    const char *folder = can ? call_text(call, "save") : NULL;
    if (!folder)
        return true;
    *save = arena_alloc(arena, sizeof **save);
    **save = (struct save){.call = call, .folder = folder, .lock = PTHREAD_MUTEX_INITIALIZER};
    return is_apart(call, folder, err) && make_folder(folder, err);
}

/* ---- names ---- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Up to the first dot, and whatever may not be in a name, or mean something to a shell, as an underscore. */
static str plain_name(str name, struct arena *arena)
{
    enum { MOST = 80 };
    char *plain = arena_alloc(arena, MOST);
    size_t len = 0;
    for (; len < name.len && len < MOST && name.at[len] != '.'; len++)
        plain[len] = is_plain(name.at[len]) ? name.at[len] : '_';
    return (str){plain, len};
}

static str own_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_of(slash ? slash + 1 : path);
}

static const char *place_of(const struct save *save, const struct input_file *file, struct arena *arena)
{
    if (file->member.rank >= 0)
        return str_printf(arena, "%s/rank%lld.sketch", save->folder, (long long)file->rank).at;
    const str name = plain_name(own_name(file->path), arena), host = plain_name(file->trace->info.host, arena);
    return str_printf(arena, "%s/%.*s%s%.*s-%u.sketch", save->folder, (int)name.len, name.at, host.len ? "-" : "",
                      (int)host.len, host.at, file->index)
        .at;
}

/* ---- a sketch ---- */

static bool write_whole(const char *path, str bytes, struct steptime_error *err)
{
    struct writer *writer = writer_open(path, err);
    if (!writer)
        return false;
    writer_put(writer, bytes);
    return writer_close(writer, err);
}

static void note_failure(struct save *save, const struct steptime_error *err)
{
    pthread_mutex_lock(&save->lock);
    if (!save->failed)
        save->error = *err;
    save->failed = true;
    pthread_mutex_unlock(&save->lock);
}

static void note_size(struct save *save, const struct sketch *sketch)
{
    pthread_mutex_lock(&save->lock);
    save->written++;
    save->large += sketch->step_bytes > 0;
    save->most_bytes = sketch->step_bytes > save->most_bytes ? sketch->step_bytes : save->most_bytes;
    pthread_mutex_unlock(&save->lock);
}

void save_sketch(struct save *save, const struct input_file *file)
{
    struct arena scratch = {0};
    struct buf plain = {0}, bytes = {0};
    struct steptime_error err;
    struct sketch sketch = sketched_of(file, &scratch);
    const struct sketching of = {file->trace, file->result, true};
    save->call->command->analysis->sketch(save->call, &of, &scratch, &sketch);
    sketch_write(&sketch, &plain);
    pack_zstd(buf_str(&plain), &bytes);
    if (!write_whole(place_of(save, file, &scratch), buf_str(&bytes), &err))
        note_failure(save, &err);
    note_size(save, &sketch);
    buf_free(&plain);
    buf_free(&bytes);
    arena_free(&scratch);
}

bool save_close(const struct save *save, struct steptime_error *err)
{
    if (!save || !save->failed)
        return true;
    *err = save->error;
    return false;
}

void save_tell(const struct save *save, struct report *report)
{
    if (!save || !save->large)
        return;
    struct arena *arena = report_arena(report);
    const char *asked = call_text(save->call, "sketch-bytes");
    report_warning(report, str_copy(arena, str_of(save->folder)), -1,
                   str_printf(arena, "%u of %u sketches take more than %s bytes a step, %lld at most: %s", save->large,
                              save->written, asked ? asked : "4096", (long long)save->most_bytes,
                              asked ? "their times cannot be rounded any more"
                                    : "their steps have very many collectives. With times rounded further, waits and "
                                      "lateness would be off by more than 1 %; --sketch-bytes 4096 does that"));
}
