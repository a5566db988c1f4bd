/* SPDX-License-Identifier: Apache-2.0 */
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the child, between fork and exec: calls that are safe in a signal handler alone ---- */

static void die_with(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
    if (getppid() != parent) /* it was killed before that */
        _exit(127);
#endif
}

static bool put_files(const struct start *start)
{
    const int none = start->quiet ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (start->quiet && (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(none, STDOUT_FILENO) < 0))
        return false;
    return start->complaints < 0 || dup2(start->complaints, STDERR_FILENO) >= 0;
}

static void become(const struct start *start, pid_t parent)
{
    if (start->dies_with_us)
        die_with(parent);
    if (start->own_group && setpgid(0, 0))
        return;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (!put_files(start) || (start->folder && chdir(start->folder)) || sigprocmask(SIG_SETMASK, start->mask, NULL))
        return;
    execvpe(start->argv[0], (char *const *)start->argv, (char *const *)start->environment);
}

/* ---- here ---- */

/* What the child says of why it became nothing; 0 where it became the program, which closes the pipe. */
static int what_it_says(int pipe)
{
    int wrong = 0;
    ssize_t count;
    while ((count = read(pipe, &wrong, sizeof wrong)) < 0 && errno == EINTR) {
    }
    return count == sizeof wrong ? wrong : 0;
}

/* Handlers of this program must not run over there. */
static void forget_handlers(void)
{
    struct sigaction action;
    for (int signal = 1; signal < NSIG; signal++)
        if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) {
            action = (struct sigaction){.sa_handler = SIG_DFL};
            sigaction(signal, &action, NULL);
        }
}

int start_program(const struct start *start, pid_t *pid)
{
    const pid_t us = getpid();
    int ends[2];
    sigset_t all, before;
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *pid = fork();
    if (*pid == 0) {
        forget_handlers();
        become(start, us);
        const int wrong = errno;
        _exit(write(ends[1], &wrong, sizeof wrong) == sizeof wrong ? 127 : 126);
    }
    const int failed = *pid < 0 ? errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    const int wrong = failed ? failed : what_it_says(ends[0]);
    close(ends[0]);
    if (wrong && !failed)
        waitpid(*pid, NULL, 0);
    return wrong;
}
