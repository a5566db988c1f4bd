/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#ifdef __linux__
#include <dirent.h>
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "start.h"

enum { KEPT_BYTES = 16 << 10, SHOWN_LINES = 12, LOOK_MS = 10 };

/* Signal handlers have no other way to know. */
static volatile sig_atomic_t interrupted;
static volatile pid_t running;

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
enum { INTERRUPTS = sizeof interrupts / sizeof *interrupts };

struct child {
    pid_t pid;
    int complaints; /* the end of the pipe that is its standard error; -1 once nobody writes there */
    char *kept;     /* a ring of what came there last */
    size_t heard;   /* bytes that came there */
    int64_t until_ns;
};

/* ---- interrupts ---- */

static void on_interrupt(int signal)
{
    interrupted = signal;
    if (running > 0)
        kill(-running, SIGKILL);
}

static int hearing; /* who asked for it and did not end it yet */
static struct sigaction usual[INTERRUPTS];

void child_hear_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    for (int i = 0; hearing == 0 && i < INTERRUPTS; i++)
        sigaction(interrupts[i], &action, &usual[i]);
    hearing++;
}

void child_stop_hearing(void)
{
    hearing--;
    for (int i = 0; hearing == 0 && i < INTERRUPTS; i++)
        sigaction(interrupts[i], &usual[i], NULL);
}

int child_interrupted(void)
{
    return interrupted;
}

/* ---- starting ---- */

static bool begin(struct child *child, const struct child_command *command, struct steptime_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return fail(err, STEPTIME_INPUT, "no pipe for '%s': %s", command->argv[0], strerror(errno));
    sigset_t none;
    sigemptyset(&none);
    const struct start how = {
        .argv = command->argv,
        .environment = command->environment,
        .folder = command->folder,
        .mask = &none,
        .complaints = ends[1],
        .quiet = true,
        .own_group = true,
        .dies_with_us = true,
    };
    const int wrong = start_program(&how, &child->pid);
    close(ends[1]);
    if (wrong) {
        close(ends[0]);
        return fail(err, STEPTIME_INPUT, "'%s' does not start: %s", command->argv[0], strerror(wrong));
    }
    running = child->pid;
    child->complaints = ends[0];
    return true;
}

/* ---- listening ---- */

static void keep(struct child *child, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        child->kept[child->heard++ % KEPT_BYTES] = bytes[i];
}

/* Waits a little for complaints, and takes what there is. */
static void listen_to(struct child *child)
{
    struct pollfd ear = {.fd = child->complaints, .events = POLLIN};
    if (poll(&ear, 1, LOOK_MS) <= 0 || !ear.revents)
        return;
    char bytes[4096];
    const ssize_t count = read(child->complaints, bytes, sizeof bytes);
    if (count > 0)
        keep(child, bytes, (size_t)count);
    else if (count == 0 || errno != EINTR) {
        close(child->complaints);
        child->complaints = -1;
    }
}

/* What the pipe still holds; those who were not of the group may hold it open for ever. */
static void listen_to_the_rest(struct child *child)
{
    if (child->complaints < 0)
        return;
    fcntl(child->complaints, F_SETFL, O_NONBLOCK);
    char bytes[4096];
    ssize_t count;
    for (size_t all = 0; all < KEPT_BYTES && (count = read(child->complaints, bytes, sizeof bytes)) > 0;
         all += (size_t)count)
        keep(child, bytes, (size_t)count);
    close(child->complaints);
}

static str last_lines(str text, int lines)
{
    size_t from = text.len;
    while (from && (text.at[from - 1] != '\n' || from == text.len || lines-- > 1))
        from--;
    return str_from(text, from);
}

static str complaints_of(const struct child *child, struct arena *arena)
{
    const size_t count = child->heard < KEPT_BYTES ? child->heard : KEPT_BYTES;
    char *text = arena_alloc(arena, count);
    for (size_t i = 0; i < count; i++)
        text[i] = child->kept[(child->heard - count + i) % KEPT_BYTES];
    str rest = last_lines((str){text, count}, SHOWN_LINES), all = S("");
    for (str line; str_cut(&rest, '\n', &line);) {
        const str shown = str_printable(arena, line);
        if (line.len)
            all = str_printf(arena, "%.*s%.*s\n", (int)all.len, all.at, (int)shown.len, shown.at);
    }
    return all;
}

/* ---- what a child leaves behind ---- */

#ifdef __linux__

/* Of /proc/PID/stat; 0 where it is gone. The name in brackets may hold anything. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    format_text(path, sizeof path, "/proc/%s/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[count > 0 ? count : 0] = 0;
    const char *const behind = strrchr(text, ')');
    int64_t parent = 0;
    str rest = str_of(behind ? behind + 1 : ""), word;
    rest = str_trim(rest);
    return str_cut(&rest, ' ', &word) && str_cut(&rest, ' ', &word) && str_int(word, &parent) ? (pid_t)parent : 0;
}

enum { MOST_CHILDREN = 256 };

struct children {
    pid_t at[MOST_CHILDREN];
    int count;
};

static struct children children_of_ours(void)
{
    struct children ours = {.count = 0};
    DIR *const all = opendir("/proc");
    for (const struct dirent *entry; all && ours.count < MOST_CHILDREN && (entry = readdir(all));) {
        int64_t pid;
        if (str_int(str_of(entry->d_name), &pid) && parent_of(entry->d_name) == getpid())
            ours.at[ours.count++] = (pid_t)pid;
    }
    if (all)
        closedir(all);
    return ours;
}

static bool is_among(const struct children *children, pid_t pid)
{
    for (int i = 0; i < children->count; i++)
        if (children->at[i] == pid)
            return true;
    return false;
}

static struct children known; /* that were ours before */

/* Those whose parents ended are ours now. False where there are none. */
static bool kill_orphans(void)
{
    const struct children ours = children_of_ours();
    bool any = false;
    for (int i = 0; i < ours.count; i++)
        if (!is_among(&known, ours.at[i])) {
            kill(ours.at[i], SIGKILL);
            any |= waitpid(ours.at[i], NULL, 0) == ours.at[i];
        }
    return any;
}

/* A process that left its group (setsid) comes to us when its parent ends. */
static void adopt_orphans(bool on)
{
    known = children_of_ours();
    prctl(PR_SET_CHILD_SUBREAPER, on ? 1L : 0L, 0L, 0L, 0L);
}

static void end_orphans(void)
{
    enum { MOST_ROUNDS = 1000 }; /* each brings those whose parents were killed in the one before */
    for (int i = 0; i < MOST_ROUNDS && kill_orphans(); i++) {
    }
}

#else

static void adopt_orphans(bool on)
{
}

static void end_orphans(void)
{
}

#endif

/* ---- ending ---- */

static int code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Until it ends by itself, by its limit, or by an interrupt. */
static void wait_for(struct child *child, struct child_end *end)
{
    int status = 0;
    while (waitpid(child->pid, &status, WNOHANG) == 0) {
        end->timed_out = end->timed_out || clock_ns() > child->until_ns;
        if (end->timed_out || interrupted) /* it may have come before there was a child to end */
            kill(-child->pid, SIGKILL);
        listen_to(child);
    }
    running = 0;
    kill(-child->pid, SIGKILL); /* what it left behind */
    end_orphans();              /* and what had left its group */
    listen_to_the_rest(child);
    end->status = code_of(status);
}

bool child_run(const struct child_command *command, struct arena *arena, struct child_end *end,
               struct steptime_error *err)
{
    struct child child = {.kept = arena_alloc(arena, KEPT_BYTES), .until_ns = clock_ns() + command->limit_ns};
    *end = (struct child_end){0};
    if (interrupted)
        return fail(err, STEPTIME_INPUT, "interrupted");
    child_hear_interrupts();
    adopt_orphans(true);
    const bool started = begin(&child, command, err);
    if (started)
        wait_for(&child, end);
    adopt_orphans(false);
    child_stop_hearing();
    if (!started)
        return false;
    end->complaints = complaints_of(&child, arena);
    return !interrupted || fail(err, STEPTIME_INPUT, "interrupted");
}
