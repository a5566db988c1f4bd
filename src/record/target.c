/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/format.h"
#include "name.h"

enum { MOST_BYTES = 4 << 20, MOST_WORDS = 4096 };

/* One that ended and whose parent has not asked how does no more. */
static bool is_defunct(int64_t process)
{
    char path[64], state = 0;
    format_text(path, sizeof path, "/proc/%lld/stat", (long long)process);
    FILE *const in = fopen(path, "re");
    if (in && fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (in)
        fclose(in);
    return state == 'Z' || state == 'X';
}

bool target_lives(int64_t process)
{
    return process > 0 && (!kill((pid_t)process, 0) || errno == EPERM) && !is_defunct(process);
}

/* Files of /proc have no size before they are read. No address where it may not be read. */
static str read_all(int64_t process, const char *file, struct arena *arena)
{
    FILE *const in = fopen(str_printf(arena, "/proc/%lld/%s", (long long)process, file).at, "re");
    struct buf buf = {0};
    char piece[4096];
    if (!in)
        return (str){NULL, 0};
    for (size_t n; buf.len < MOST_BYTES && (n = fread(piece, 1, sizeof piece, in));)
        buf_add(&buf, (str){piece, n});
    const bool good = !ferror(in);
    fclose(in);
    const str text = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return good ? text : (str){NULL, 0};
}

/* The value of "NAME="; NULL where it is not set, or empty. */
static const char *variable(str environment, const char *name, struct arena *arena)
{
    for (str entry; str_cut(&environment, '\0', &entry);)
        if (str_starts(entry, str_of(name)) && entry.len > strlen(name))
            return str_z(arena, str_from(entry, strlen(name)));
    return NULL;
}

static str name_of(str words, struct arena *arena)
{
    const char **argv = arena_array(arena, MOST_WORDS + 1, sizeof *argv);
    size_t count = 0;
    for (str word; count < MOST_WORDS && str_cut(&words, '\0', &word);)
        argv[count++] = str_z(arena, word);
    return count ? record_name(argv, arena) : S("process");
}

static str base_of(str environment, str words, struct arena *arena)
{
    const char *const rank = variable(environment, "RANK=", arena);
    const char *const size = variable(environment, "WORLD_SIZE=", arena);
    const str name = name_of(words, arena);
    int64_t number;
    if (!rank || !size || !str_int(str_of(rank), &number) || !strcmp(size, "1"))
        return name;
    return str_printf(arena, "%.*s-rank%lld", (int)name.len, name.at, (long long)number);
}

bool target_look(int64_t process, struct arena *arena, struct target *target)
{
    const str environment = read_all(process, "environ", arena);
    const char *const use = variable(environment, "KINETO_USE_DAEMON=", arena);
    const char *const folder = variable(environment, "KINETO_ONDEMAND_TRACE_DIR=", arena);
    *target = (struct target){.process = process, .readable = environment.at != NULL, .hears = use != NULL};
    if (!target_lives(process))
        return false;
    target->socket_folder = variable(environment, "KINETO_IPC_SOCKET_DIR=", arena);
    target->write_folder = folder ? folder : "/tmp";
    target->base = base_of(environment, read_all(process, "cmdline", arena), arena);
    return true;
}
