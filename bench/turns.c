/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns WORD... ; WORD... ; ...: runs steptime's command lines one after the other in one process, under a tool that counts
 * instructions and tells them where a process ends (valgrind). Before the first and behind each a child ends at once, so
 * that the tool tells the count so far: starting the tool, which takes it longer than most commands, is paid once.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program/program.h"

static int tell_count(void)
{
    fflush(NULL);
    const pid_t child = fork();
    if (!child)
        _exit(0);
    return child < 0 || waitpid(child, NULL, 0) != child;
}

/* The words of the next command line become `line`, the first being the program's name. How many of them there are. */
static int take_line(int count, char **words, char **line)
{
    int taken = 0;
    line[0] = "steptime";
    while (taken < count && strcmp(words[taken], ";") != 0) {
        line[taken + 1] = words[taken];
        taken++;
    }
    line[taken + 1] = NULL;
    return taken;
}

int main(int count, char **words)
{
    enum { MOST_WORDS = 64 };
    char *line[MOST_WORDS + 2];
    int failed = count > MOST_WORDS || tell_count();
    for (int at = 1; !failed && at < count;) {
        const int taken = take_line(count - at, words + at, line);
        failed = program(taken + 1, line) || tell_count();
        at += taken + 1;
    }
    return failed;
}
