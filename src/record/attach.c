/* SPDX-License-Identifier: Apache-2.0 */
#include "attach.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "kineto_socket.h"
#include "remote.h"
#include "target.h"
#include "task.h"

enum {
    MOST_TASKS = 1024,
    LOOK_MS = 200,
    FIRST_S = 30,  /* so long until the first must have asked: they do every five seconds */
    OTHERS_S = 12, /* and the others after it */
    REMIND_S = 60,
};

struct attaching {
    const struct attach_options *options;
    struct arena *arena;
    struct kineto_socket socket;
    bool is_job; /* the number is one of Slurm */
    struct task *tasks;
    uint32_t count;
    int64_t began_s, first_s, told_s;
};

/* Signal handlers have no other way to say it. */
static volatile sig_atomic_t stopped_by;

static void stop(int number)
{
    stopped_by = number;
}

static int64_t now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void tell(const struct attaching *attaching, str what)
{
    if (attaching->options->tell)
        attaching->options->tell(what);
}

/* ---- who is wanted ---- */

static bool is_wanted(const struct attaching *attaching, const struct kineto_message *message)
{
    const int64_t number = attaching->options->number;
    if (geteuid() != 0 && message->user != (int64_t)geteuid())
        return false;
    if (attaching->is_job)
        return message->job == number;
    for (uint32_t i = 0; i < message->family_count; i++)
        if (message->family[i] == number)
            return true;
    return message->process == number;
}

static bool has_name(const struct attaching *attaching, str base)
{
    for (uint32_t i = 0; i < attaching->count; i++)
        if (str_eq(attaching->tasks[i].base, base))
            return true;
    return false;
}

static struct task *task_of(struct attaching *attaching, const struct kineto_message *message)
{
    struct target target;
    for (uint32_t i = 0; i < attaching->count; i++)
        if (attaching->tasks[i].process == message->process)
            return &attaching->tasks[i];
    if (attaching->count == MOST_TASKS || !target_look(message->process, attaching->arena, &target))
        return NULL;
    const str base = has_name(attaching, target.base) ? str_printf(attaching->arena, "%.*s-%lld", (int)target.base.len,
                                                                   target.base.at, (long long)message->process)
                                                      : target.base;
    struct task *const task = &attaching->tasks[attaching->count++];
    *task = task_new(&target, base, attaching->options, attaching->arena);
    if (!attaching->first_s)
        attaching->first_s = now_s();
    return task;
}

/* ---- at work ---- */

static void answer(struct attaching *attaching, const struct kineto_message *message)
{
    struct task *const task =
        message->kind == KINETO_ASKS && is_wanted(attaching, message) ? task_of(attaching, message) : NULL;
    kineto_socket_answer(&attaching->socket, message, task ? task_answer(task, message->user) : "");
}

static bool all_done(const struct attaching *attaching)
{
    for (uint32_t i = 0; i < attaching->count; i++)
        if (!task_is_over(&attaching->tasks[i]))
            return false;
    const bool alone = attaching->count == 1 && attaching->tasks[0].process == attaching->options->number;
    return attaching->count && (alone || now_s() - attaching->first_s >= OTHERS_S);
}

static void remind(struct attaching *attaching)
{
    if (attaching->count && now_s() - attaching->told_s >= REMIND_S) {
        attaching->told_s = now_s();
        tell(attaching, S("waiting for steps of an optimizer: they alone are counted; Ctrl-C leaves the job as it is"));
    }
}

static bool nobody_asks(const struct attaching *attaching)
{
    return !attaching->count && now_s() - attaching->began_s >= FIRST_S;
}

static bool work(struct attaching *attaching, struct steptime_error *err)
{
    attaching->began_s = attaching->told_s = now_s();
    while (!stopped_by && !all_done(attaching)) {
        struct kineto_message message;
        if (kineto_socket_next(&attaching->socket, LOOK_MS, &message))
            answer(attaching, &message);
        for (uint32_t i = 0; i < attaching->count; i++)
            task_look(&attaching->tasks[i]);
        if (nobody_asks(attaching))
            return fail(
                err, STEPTIME_INPUT,
                "no PyTorch of %s %lld asked for work in %d s: it was not started with KINETO_USE_DAEMON=1, has not "
                "imported torch yet, or has no Kineto",
                attaching->is_job ? "job" : "process", (long long)attaching->options->number, FIRST_S);
        remind(attaching);
    }
    return true;
}

/* ---- begin and end ---- */

static bool may_attach(int64_t number, const struct target *target, struct steptime_error *err)
{
    return target->readable || fail(err, STEPTIME_INPUT, "process %lld belongs to somebody else", (long long)number);
}

/* A process that no variable prepared. */
static bool is_remote(const struct attach_options *options, struct arena *arena, struct target *target)
{
    return target_look(options->number, arena, target) && target->readable && !target->hears;
}

static bool begin(struct attaching *attaching, struct steptime_error *err)
{
    const int64_t number = attaching->options->number;
    struct target target;
    attaching->is_job = !target_look(number, attaching->arena, &target);
    if (!attaching->is_job && !may_attach(number, &target, err))
        return false;
    return kineto_socket_open(attaching->is_job ? getenv("KINETO_IPC_SOCKET_DIR") : target.socket_folder,
                              &attaching->socket, err);
}

static void collect(struct attaching *attaching, struct record_result *result)
{
    for (uint32_t i = 0; i < attaching->count; i++) {
        struct task *const task = &attaching->tasks[i];
        if (task->recorded.path.len)
            result->at[result->count++] = task->recorded;
        else if (task->why.len)
            result->why_none =
                str_printf(attaching->arena, "nothing was recorded: %.*s", (int)task->why.len, task->why.at);
        task_close(task);
    }
    result->loaded = result->torch = true;
    result->end.signal = stopped_by;
}

bool attach_run(const struct attach_options *options, struct arena *arena, struct record_result *result,
                struct steptime_error *err)
{
    struct attaching attaching = {.options = options, .arena = arena};
    struct sigaction action = {.sa_handler = stop}, before[2];
    struct target target;
    if (is_remote(options, arena, &target))
        return remote_run(options, &target, arena, result, err);
    *result = (struct record_result){.at = arena_array(arena, MOST_TASKS, sizeof *result->at)};
    attaching.tasks = arena_array(arena, MOST_TASKS, sizeof *attaching.tasks);
    if (!begin(&attaching, err))
        return false;
    stopped_by = 0;
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    tell(&attaching, str_printf(arena, "waiting for %s %lld to ask, which it does about every five seconds",
                                attaching.is_job ? "job" : "process", (long long)options->number));
    const bool good = work(&attaching, err);
    kineto_socket_close(&attaching.socket);
    collect(&attaching, result);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    return good;
}

str attach_name(int64_t number, struct arena *arena)
{
    struct target target;
    return target_look(number, arena, &target) ? target.base : str_printf(arena, "job-%lld", (long long)number);
}
