/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak FILE COMMAND [ARGUMENT...]: runs the command and writes its peak memory in bytes to FILE. The kernel counts what a
 * process held before it became another program, so whoever starts the command must be small: an interpreter is not.
 */
#include <stdio.h>
#include <sys/resource.h>
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

int main(int count, char **words)
{
    if (count < 3)
        return 127;
    const pid_t child = fork();
    if (!child) {
        execv(words[2], words + 2);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return 127;
    const int told = tell(words[1], usage.ru_maxrss * 1024LL);
    return told ? told : WEXITSTATUS(status);
}
