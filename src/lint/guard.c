/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/at_work.h"
#include "steptime/error.h"

static bool is_guarded;

/* Seen by both processes. */
static bool share(void)
{
    void *at = mmap(NULL, sizeof(struct at_work), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    at_work_seen = at;
    is_guarded = true;
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

/* What is to be done anew, once the other process has died over a file; ends where that helps nobody. */
static void begin_again(struct collection *files, unsigned threads, int status, struct guard *guard)
{
    const uint32_t file = file_at_work(files);
    if (!is_fault(status) || atomic_load(&at_work_seen->over) || files->count < 2 || guard->lost_count == MOST_LOST)
        end_as(status);
    if (guard->threads != 1) {
        guard->threads = 1;
        return;
    }
    if (file == files->count)
        end_as(status);
    leave_out(files, file, status, guard);
    guard->threads = threads;
}

void guard_files(struct collection *files, unsigned threads, struct guard *guard)
{
    *guard = (struct guard){.threads = threads};
    if (!at_work_alone || is_guarded || !share())
        return;
    for (;;) {
        at_work_on(NULL);
        fflush(NULL);
        const pid_t parent = getpid(), child = fork();
        if (child < 0)
            return;
        if (!child) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                _exit(STEPTIME_OUTPUT);
            return;
        }
        begin_again(files, threads, wait_for(child), guard);
    }
}

void guard_end(void)
{
    atomic_store(&at_work_seen->over, true);
}
