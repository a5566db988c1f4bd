/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "child/folder.h"
#include "pack_file.h"
#include "stacks.h"

static void tell(const struct task *task, str what)
{
    if (task->options->tell)
        task->options->tell(
            str_printf(task->arena, "%.*s: %.*s", (int)task->base.len, task->base.at, (int)what.len, what.at));
}

struct task task_new(const struct target *target, str base, const struct attach_options *options, struct arena *arena)
{
    return (struct task){.options = options,
                         .arena = arena,
                         .process = target->process,
                         .base = base,
                         .write_folder = target->write_folder,
                         .size = -1,
                         .why = S(""),
                         .recorded = {.base = base, .path = S("")}};
}

static void give_up(struct task *task, str why)
{
    task->state = TASK_OVER;
    task->why = why;
    tell(task, why);
}

/* ---- what it is told ---- */

/* The process may write there, and nobody else. */
static bool make_folder(struct task *task, int64_t user)
{
    char *const folder = (char *)str_printf(task->arena, "%s/steptime-XXXXXX", task->write_folder).at;
    if (!mkdtemp(folder))
        return false;
    task->folder = folder;
    return geteuid() != 0 || !chown(folder, (uid_t)user, (gid_t)-1);
}

/* One step more than are wanted: steps are cut where the optimizer ends, as nothing marks them. */
static const char *configuration(const struct task *task, bool stacks)
{
    return str_printf(task->arena,
                      "ACTIVITIES_LOG_FILE=%s/%s.json\n"
                      "PROFILE_START_ITERATION=0\n"
                      "PROFILE_START_ITERATION_ROUNDUP=1\n"
                      "ACTIVITIES_WARMUP_ITERATIONS=%lld\n"
                      "ACTIVITIES_ITERATIONS=%lld\n"
                      "PROFILE_REPORT_INPUT_SHAPES=%s\n"
                      "PROFILE_WITH_STACK=%s\n",
                      task->folder, stacks ? "stacks" : "times", (long long)task->options->warmup,
                      (long long)task->options->steps + 1, stacks ? "false" : "true", stacks ? "true" : "false")
        .at;
}

const char *task_answer(struct task *task, int64_t user)
{
    const bool stacks = task->state == TASK_ASKED_FOR_STACKS;
    if (task->state != TASK_ASKED_FOR_TIMES && !stacks)
        return "";
    if (!task->folder && !make_folder(task, user)) {
        give_up(task, str_printf(task->arena, "no folder can be made in %s, where its PyTorch may write: %s",
                                 task->write_folder, strerror(errno)));
        return "";
    }
    task->state = stacks ? TASK_STACKS : TASK_TIMES;
    task->size = -1;
    tell(task, str_printf(task->arena, "asked, and told to record %lld steps%s; let it go on meanwhile",
                          (long long)task->options->steps, stacks ? ", with stacks" : ""));
    return configuration(task, stacks);
}

/* ---- what it writes ---- */

/* Kineto puts the number of the process into the name. NULL: nothing yet. */
static const char *written(const struct task *task, const char *what)
{
    glob_t found;
    const char *path = NULL;
    if (!glob(str_printf(task->arena, "%s/%s*.json", task->folder, what).at, 0, NULL, &found) && found.gl_pathc)
        path = str_printf(task->arena, "%s", found.gl_pathv[0]).at;
    globfree(&found);
    return path;
}

static bool ends_whole(const char *path, int64_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char end[16];
    const off_t from = size > (int64_t)sizeof end ? (off_t)(size - (int64_t)sizeof end) : 0;
    const ssize_t count = fd >= 0 ? pread(fd, end, sizeof end, from) : -1;
    if (fd >= 0)
        close(fd);
    return count > 0 && str_ends(str_trim((str){end, (size_t)count}), S("}"));
}

/* It is written piece by piece: whole where it ends as it should and grows no more. */
static bool is_whole(struct task *task, const char *path)
{
    struct stat about;
    const int64_t before = task->size;
    if (!path || stat(path, &about))
        return false;
    task->size = about.st_size;
    return about.st_size > 0 && before == about.st_size && ends_whole(path, about.st_size);
}

static void take_times(struct task *task, const char *path)
{
    const str to = str_printf(task->arena, "%s/%.*s.json.gz", task->options->to, (int)task->base.len, task->base.at);
    struct steptime_error why = {.offset = -1};
    if (!pack_file(path, to.at, &why)) {
        give_up(task, error_line(task->arena, &why));
        return;
    }
    task->recorded.path = to;
    task->recorded.steps = task->recorded.of = task->options->steps;
    task->state = task->options->no_stacks ? TASK_OVER : TASK_ASKED_FOR_STACKS;
    tell(task, S("recorded"));
}

static void take_stacks(struct task *task, const char *path)
{
    struct stacks_joined joined;
    struct steptime_error why = {.offset = -1};
    const char *const trace = task->recorded.path.at;
    task->state = TASK_OVER;
    task->recorded.has_stacks = stacks_join(trace, path, trace, &joined, &why);
    task->recorded.paired = joined.operators ? (double)joined.paired / (double)joined.operators : 0;
    task->recorded.note_ns = joined.note_ns;
    if (!task->recorded.has_stacks) {
        const str line = error_line(task->arena, &why);
        tell(task, str_printf(task->arena, "no stacks: %.*s", (int)line.len, line.at));
    }
}

void task_look(struct task *task)
{
    if (task->state == TASK_OVER)
        return;
    const bool lives = target_lives(task->process);
    const bool waits = task->state == TASK_TIMES || task->state == TASK_STACKS;
    const char *const path = waits ? written(task, task->state == TASK_STACKS ? "stacks" : "times") : NULL;
    const int64_t before = task->size;
    if (is_whole(task, path)) {
        if (task->state == TASK_STACKS)
            take_stacks(task, path);
        else
            take_times(task, path);
    } else if (!lives && (!path || task->size == before)) {
        give_up(task, S("the process ended before it had recorded all"));
    }
}

void task_close(struct task *task)
{
    if (task->folder)
        folder_remove(task->folder);
    task->folder = NULL;
}
