/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/real.h"

extern const char measure_py[];

enum { START_MS = 120000, ANSWER_MS = 60000 };

/* ---- the child ---- */

/* In a group of its own, so that an interrupt of the terminal leaves it alone: what it measured is kept. */
static void become(const char *command, const int to[2], const int from[2])
{
    setpgid(0, 0);
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[1]);
    close(from[0]);
    if (command)
        execlp("sh", "sh", "-c", command, (char *)NULL);
    else
        execlp("python3", "python3", "-c", measure_py, (char *)NULL);
    static const char missing[] = "cannot python3 is not there\n";
    if (write(STDOUT_FILENO, missing, sizeof missing - 1) < 0)
        _exit(1);
    _exit(0);
}

static bool begin(struct recorder *recorder, const char *command, struct steptime_error *err)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        return fail(err, STEPTIME_OUTPUT, "no pipe to a recorder: %s", strerror(errno));
    recorder->child = fork();
    if (recorder->child < 0)
        return fail(err, STEPTIME_OUTPUT, "no recorder: %s", strerror(errno));
    if (recorder->child == 0)
        become(command, to, from);
    close(to[0]);
    close(from[1]);
    recorder->to = to[1];
    recorder->from = from[0];
    return true;
}

/* ---- lines ---- */

/* The next line, without its end; false at the end of what it says, or where nothing comes for that long. */
static bool next_line(struct recorder *recorder, int wait_ms, char *line, size_t room)
{
    for (;;) {
        char *end = memchr(recorder->buffer, '\n', recorder->held);
        if (end) {
            const size_t len = (size_t)(end - recorder->buffer), kept = len < room - 1 ? len : room - 1;
            memcpy(line, recorder->buffer, kept);
            line[kept] = '\0';
            recorder->held -= len + 1;
            memmove(recorder->buffer, end + 1, recorder->held);
            return true;
        }
        struct pollfd ready = {.fd = recorder->from, .events = POLLIN};
        if (recorder->held == sizeof recorder->buffer || poll(&ready, 1, wait_ms) <= 0)
            return false;
        const ssize_t got =
            read(recorder->from, recorder->buffer + recorder->held, sizeof recorder->buffer - recorder->held);
        if (got <= 0)
            return false;
        recorder->held += (size_t)got;
    }
}

static bool cut_word(const char *line, const char *word, str *rest)
{
    const size_t len = strlen(word);
    const bool has = !strncmp(line, word, len) && (line[len] == ' ' || !line[len]);
    *rest = has ? str_trim(str_of(line + len)) : S("");
    return has;
}

static bool greet(struct recorder *recorder, struct arena *arena, struct steptime_error *err)
{
    char line[sizeof recorder->buffer];
    while (next_line(recorder, START_MS, line, sizeof line)) {
        str rest;
        if (cut_word(line, "ready", &rest))
            return recorder->device.len || fail(err, STEPTIME_INPUT, "the recorder names no device");
        if (cut_word(line, "cannot", &rest)) {
            const str why = str_printable(arena, rest);
            return fail(err, STEPTIME_INPUT,
                        "no GPU to measure: %.*s; --rows FILE takes rows that were measured elsewhere", (int)why.len,
                        why.at);
        }
        if (cut_word(line, "device", &rest))
            recorder->device = str_copy(arena, rest);
        else if (cut_word(line, "with", &rest))
            recorder->with = str_copy(arena, rest);
        else if (cut_word(line, "stub", &rest))
            recorder->stub = true;
    }
    return fail(err, STEPTIME_INPUT,
                "the recorder ended before it was ready; --rows FILE takes rows that were measured elsewhere");
}

bool recorder_start(struct recorder *recorder, const char *command, struct arena *arena, struct steptime_error *err)
{
    *recorder = (struct recorder){.device = S(""), .with = S("")};
    if (!begin(recorder, command, err))
        return false;
    if (greet(recorder, arena, err))
        return true;
    recorder_stop(recorder);
    return false;
}

/* ---- a kernel ---- */

static str line_of(const struct kernel *kernel, struct arena *arena)
{
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    const str form = kernel_form_word(kernel->form), op = kernel->variant.len ? kernel->variant : form;
    const str dtype = dtype_word(kernel->dtype == DTYPE_UNKNOWN ? DTYPE_F32 : kernel->dtype);
    str line =
        str_printf(arena, "%.*s %.*s %.*s", (int)form.len, form.at, (int)op.len, op.at, (int)dtype.len, dtype.at);
    for (uint32_t i = 0; i < sizes.count; i++)
        line = str_printf(arena, "%.*s %s=%lld", (int)line.len, line.at, sizes.at[i].name,
                          (long long)kernel_size(kernel, &sizes.at[i]));
    return str_printf(arena, "%.*s\n", (int)line.len, line.at);
}

bool recorder_measure(struct recorder *recorder, const struct kernel *kernel, double *us)
{
    struct arena scratch = {0};
    char line[sizeof recorder->buffer];
    str rest;
    const str asked = line_of(kernel, &scratch);
    bool good = write(recorder->to, asked.at, asked.len) == (ssize_t)asked.len;
    good = good && next_line(recorder, ANSWER_MS, line, sizeof line);
    arena_free(&scratch);
    *us = 0;
    if (good && cut_word(line, "us", &rest) && (!real_read(rest, us) || *us < 0))
        *us = 0;
    return good;
}

void recorder_stop(struct recorder *recorder)
{
    if (recorder->child <= 0)
        return;
    const int patience = 50;
    close(recorder->to);
    close(recorder->from);
    for (int i = 0; i < patience; i++) {
        if (waitpid(recorder->child, NULL, WNOHANG) != 0)
            return;
        usleep(20000);
    }
    kill(-recorder->child, SIGKILL);
    waitpid(recorder->child, NULL, 0);
}
