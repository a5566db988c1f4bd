/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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

static void hear_interrupts(struct sigaction before[INTERRUPTS])
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < INTERRUPTS; i++)
        sigaction(interrupts[i], &action, &before[i]);
}

static void stop_hearing(const struct sigaction before[INTERRUPTS])
{
    for (int i = 0; i < INTERRUPTS; i++)
        sigaction(interrupts[i], &before[i], NULL);
}

int child_interrupted(void)
{
    return interrupted;
}

/* ---- starting ---- */

/* Signals that this program ignores would stay ignored over there. */
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t usual, none;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setsigmask(attributes, &none);
}

static int spawn(struct child *child, const struct child_command *command, int complaints)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    set_attributes(&attributes);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, complaints, STDERR_FILENO);
    if (command->folder)
        posix_spawn_file_actions_addchdir_np(&files, command->folder);
    const int wrong = posix_spawnp(&child->pid, command->argv[0], &files, &attributes, (char *const *)command->argv,
                                   (char *const *)command->environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return wrong;
}

static bool start(struct child *child, const struct child_command *command, struct steptime_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return fail(err, STEPTIME_INPUT, "no pipe for '%s': %s", command->argv[0], strerror(errno));
    const int wrong = spawn(child, command, ends[1]);
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
        if (!end->timed_out && clock_ns() > child->until_ns) {
            end->timed_out = true;
            kill(-child->pid, SIGKILL);
        }
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
    struct sigaction before[INTERRUPTS];
    struct child child = {.kept = arena_alloc(arena, KEPT_BYTES), .until_ns = clock_ns() + command->limit_ns};
    *end = (struct child_end){0};
    hear_interrupts(before);
    adopt_orphans(true);
    const bool started = start(&child, command, err);
    if (started)
        wait_for(&child, end);
    adopt_orphans(false);
    stop_hearing(before);
    if (!started)
        return false;
    end->complaints = complaints_of(&child, arena);
    return !interrupted || fail(err, STEPTIME_INPUT, "interrupted");
}
