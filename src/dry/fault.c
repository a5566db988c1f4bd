/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <signal.h>

#include "io/beside.h"

enum { BY_SIGNAL = 128 };

static const struct {
    int number;
    const char *word;
} signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"},
    {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"}, {SIGKILL, "SIGKILL, as a system kills what takes too much memory"},
};

str dry_fault_signal(int status)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (status == BY_SIGNAL + signals[i].number)
            return str_of(signals[i].word);
    return S("");
}

bool dry_fault_is_wild_read(int status)
{
    return status == BY_SIGNAL + SIGSEGV || status == BY_SIGNAL + SIGBUS;
}

/* ---- where ---- */

/* `  File "PATH", line N in NAME` */
static bool read_call(str line, str *path, str *number)
{
    const str file = S("  File \""), between = S("\", line ");
    if (!str_starts(line, file))
        return false;
    const str rest = str_from(line, file.len);
    for (size_t i = 0; i < rest.len; i++)
        if (str_starts(str_from(rest, i), between)) {
            str behind = str_from(rest, i + between.len);
            int64_t counted;
            *path = (str){rest.at, i};
            return str_cut(&behind, ' ', number) && str_int(*number, &counted);
        }
    return false;
}

static bool is_package(str path)
{
    return str_has(path, S("/site-packages/")) || str_has(path, S("/dist-packages/"));
}

static str name_of(str path)
{
    str name = path;
    for (str part; str_cut(&path, '/', &part);)
        name = part;
    return name;
}

/* Python's own, or steptime's beside it. */
static bool is_beside(str path)
{
    const str name = name_of(path);
    return str_starts(path, S("<")) || str_starts(name, S("steptime_")) || str_eq(name, S("sitecustomize.py")) ||
           (str_has(path, S("/lib/python")) && !is_package(path));
}

str dry_fault_place(const char *path, struct arena *arena)
{
    str text = beside_read(path, arena), package = S(""), file, number;
    for (str line; str_cut(&text, '\n', &line);) {
        if (!read_call(line, &file, &number) || is_beside(file))
            continue;
        const str place = str_printf(arena, "%.*s:%.*s", (int)file.len, file.at, (int)number.len, number.at);
        if (!is_package(file))
            return place;
        package = package.len || str_has(file, S("/torch/")) ? package : place;
    }
    return package;
}
