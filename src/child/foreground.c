/* SPDX-License-Identifier: Apache-2.0 */
#include "foreground.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "start.h"

enum { LOOK_NS = 50000000 };

/* Signal handlers have no other way to know. */
static volatile pid_t running;

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { HANDED_ON = sizeof handed_on / sizeof *handed_on };

/* What the kernel sends (a terminal's Ctrl-C) has reached the whole group. */
static void hand_on(int signal, siginfo_t *about, void *state)
{
    (void)state;
    if (running > 0 && about->si_code <= 0)
        kill(running, signal);
}

static void begin_handing_on(struct sigaction before[HANDED_ON])
{
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < HANDED_ON; i++) {
        sigaction(handed_on[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* under nohup a program stays so */
            sigaction(handed_on[i], &action, NULL);
    }
}

static void end_handing_on(const struct sigaction before[HANDED_ON])
{
    for (int i = 0; i < HANDED_ON; i++)
        sigaction(handed_on[i], &before[i], NULL);
}

/* A signal that comes while it starts waits until there is somebody to hand it to. */
static int start(const struct foreground *run, pid_t *pid)
{
    sigset_t held, mask;
    sigemptyset(&held);
    for (int i = 0; i < HANDED_ON; i++)
        sigaddset(&held, handed_on[i]);
    sigprocmask(SIG_BLOCK, &held, &mask);
    const struct start how = {
        .argv = run->argv,
        .environment = run->environment,
        .mask = &mask,
        .complaints = -1,
        .quiet = run->quiet,
        .dies_with_us = run->quiet, /* nobody else knows of it */
    };
    const int wrong = start_program(&how, pid);
    running = wrong ? 0 : *pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return wrong;
}

static int wait_for(const struct foreground *run, pid_t pid)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (run->look)
            run->look(run->context);
        nanosleep(&pause, NULL);
    }
    running = 0;
    if (run->look)
        run->look(run->context);
    return status;
}

bool foreground_run(const struct foreground *run, struct foreground_end *end, struct steptime_error *err)
{
    struct sigaction before[HANDED_ON];
    pid_t pid;
    begin_handing_on(before);
    const int wrong = start(run, &pid);
    const int status = wrong ? 0 : wait_for(run, pid);
    end_handing_on(before);
    if (wrong)
        return fail(err, STEPTIME_INPUT, "'%s' does not start: %s", run->argv[0], strerror(wrong));
    *end = WIFSIGNALED(status) ? (struct foreground_end){.signal = WTERMSIG(status)}
                               : (struct foreground_end){.code = WEXITSTATUS(status)};
    return true;
}

int foreground_die_alike(struct foreground_end end)
{
    const struct rlimit no_core = {0};
    if (!end.signal)
        return end.code;
    setrlimit(RLIMIT_CORE, &no_core); /* there is one of that program already */
    signal(end.signal, SIG_DFL);
    raise(end.signal);
    return 128 + end.signal;
}
