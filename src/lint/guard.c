/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/at_work.h"
#include "steptime/error.h"

/* Seen by all processes. */
struct watched {
    struct at_work at_work;
    _Atomic pid_t first, worker; /* who began; who goes on since the last look that went through */
};

static struct watched *watched; /* NULL: no look was guarded yet */
static pid_t watcher;           /* of the look that this process is at */
static int over = -1;           /* a byte written here says to the watcher that the look is over */

static bool begin_watching(void)
{
    void *at = mmap(NULL, sizeof(struct watched), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    watched = at;
    at_work_seen = &watched->at_work;
    watched->first = watched->worker = getpid();
    signal(SIGCHLD, SIG_DFL);           /* whoever began the program may have it ignored, and then no end is told */
    prctl(PR_SET_CHILD_SUBREAPER, 1UL); /* whose watcher goes becomes a child of this process */
    return true;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

static bool is_fault(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == STEPTIME_MEMORY;
    static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (WTERMSIG(status) == faults[i])
            return true;
    return false;
}

/* ---- interrupts ---- */

static volatile pid_t working; /* what this process waits for */

static void hand_on(int signal)
{
    kill(working, signal);
}

/* A program that hears interrupts itself has to hear them where it works. One that does not dies of them, and its worker too. */
static void hand_interrupts_on(pid_t worker)
{
    static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    working = worker;
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        if (!sigaction(interrupts[i], NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
            action = (struct sigaction){.sa_handler = hand_on, .sa_flags = SA_RESTART};
            sigaction(interrupts[i], &action, NULL);
        }
}

/* ---- ends ---- */

/* This process ends as the other one did. */
static _Noreturn void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        prctl(PR_SET_DUMPABLE, 0); /* it has left its core already */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* The look went through. The first process stays until the last worker ends; others have nothing left to do. */
static _Noreturn void hand_over(void)
{
    if (getpid() != watched->first)
        _exit(STEPTIME_OK);
    working = watched->worker;
    for (int status;;) {
        const pid_t ended = waitpid(-1, &status, 0);
        if (ended == watched->worker)
            end_as(status);
        if (ended < 0 && errno != EINTR)
            _exit(STEPTIME_OUTPUT);
    }
}

/* Whether the look went through: the worker says so, or dies and closes its end. */
static bool hears_of_end(int from)
{
    char byte;
    ssize_t got;
    while ((got = read(from, &byte, 1)) < 0 && errno == EINTR)
        continue;
    close(from);
    return got == 1;
}

/* The number of the file that the other process was at; files->count where it was at none. */
static uint32_t file_at_work(const struct collection *files)
{
    const char *path = atomic_load(&at_work_seen->path);
    uint32_t i = 0;
    while (i < files->count &&
           !(path >= files->files[i].path.at && path <= files->files[i].path.at + files->files[i].path.len))
        i++;
    return path ? i : files->count;
}

static void leave_out(struct collection *files, uint32_t file, int status, struct guard *guard)
{
    guard->lost[guard->lost_count++] =
        (struct lost_file){files->files[file].path, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    memmove(files->files + file, files->files + file + 1, (files->count - file - 1) * sizeof *files->files);
    files->count--;
}

/* Where no file can be told, or too many were. A look that dies over no files at all will always do so. */
static void give_up(struct collection *files, int status, bool serves, struct guard *guard)
{
    if (!serves || !is_fault(status) || guard->lost_all)
        end_as(status);
    guard->lost_all = true;
    files->count = 0;
}

/* What is to be done anew, once the worker has died; ends where that helps nobody. */
static void begin_again(struct collection *files, unsigned threads, bool serves, int status, struct guard *guard)
{
    const uint32_t file = file_at_work(files), least = serves ? 1 : 2;
    if (!is_fault(status) || files->count < least || guard->lost_count == MOST_LOST ||
        (guard->threads == 1 && file == files->count)) {
        give_up(files, status, serves, guard);
    } else if (guard->threads != 1) {
        guard->threads = 1;
    } else {
        leave_out(files, file, status, guard);
        guard->threads = threads;
    }
}

static void end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STEPTIME_OUTPUT);
}

void guard_files(struct collection *files, unsigned threads, bool serves, struct guard *guard)
{
    *guard = (struct guard){.threads = threads};
    if (!at_work_alone || (watched ? !serves : !begin_watching()))
        return;
    for (;;) {
        int ends[2];
        at_work_on(NULL);
        fflush(NULL);
        if (pipe2(ends, O_CLOEXEC))
            return;
        const pid_t parent = getpid(), child = fork();
        if (child <= 0)
            close(ends[0]);
        if (!child) {
            end_with(watcher = parent);
            over = ends[1];
            return;
        }
        close(ends[1]);
        if (child < 0)
            return;
        hand_interrupts_on(child);
        if (hears_of_end(ends[0]))
            hand_over();
        begin_again(files, threads, serves, wait_for(child), guard);
    }
}

void guard_end(void)
{
    if (over < 0)
        return;
    watched->worker = getpid();
    prctl(PR_SET_PDEATHSIG, 0UL); /* the watcher goes, and that is no end */
    if (write(over, "", 1) != 1)
        _exit(STEPTIME_OUTPUT);
    close(over);
    over = -1;
    while (watcher != watched->first && getppid() == watcher)
        usleep(100);
    end_with(watched->first);
}
