/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak FILE COMMAND [ARGUMENT...]: runs the command and writes its peak memory in bytes to FILE, without the pages of files that
 * are mapped at its end: of the program's own the system maps more or fewer around those that were asked for (one binary had
 * 2.9 MB of them, an hour later 3.9). The kernel counts what a process held before it became another program, so whoever
 * starts the command must be small: an interpreter is not.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int tell(const char *path, long long bytes)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return 127;
    fprintf(file, "%lld\n", bytes);
    return fclose(file) ? 127 : 0;
}

/* Of /proc/PID/status; -1: it cannot be read. */
static long long peak_without_files(pid_t child)
{
    char path[64], line[256];
    long long kib, peak = -1, files = -1;
    snprintf(path, sizeof path, "/proc/%lld/status", (long long)child);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %lld", &kib) == 1)
            peak = kib * 1024;
        else if (sscanf(line, "RssFile: %lld", &kib) == 1)
            files = kib * 1024;
    }
    if (status)
        fclose(status);
    return peak < 0 || files < 0 ? -1 : peak - files;
}

/* Until its end. Its memory is read where it is about to go; all its signals are passed on. -1: it did not exit by itself. */
static int follow(pid_t child, long long *peak)
{
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACEEXIT) || ptrace(PTRACE_CONT, child, NULL, NULL))
        return -1;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        const int is_end = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
        if (is_end)
            *peak = peak_without_files(child);
        if (ptrace(PTRACE_CONT, child, NULL, is_end ? 0L : (long)WSTOPSIG(status)) && errno != ESRCH)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char **words)
{
    if (count < 3)
        return 127;
    const pid_t child = fork();
    if (!child) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(words[2], words + 2);
        _exit(127);
    }
    long long peak = -1;
    const int code = child < 0 ? -1 : follow(child, &peak);
    const int told = code < 0 || peak < 0 ? 127 : tell(words[1], peak);
    return told ? told : code;
}
