/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- which process ---- */

static const char *first_set(const char *const *names)
{
    for (; *names; names++)
        if (getenv(*names) && *getenv(*names))
            return getenv(*names);
    return NULL;
}

static const char *number_in(const char *const *names)
{
    const char *const text = first_set(names);
    return text && strlen(text) < 10 && text[strspn(text, "0123456789")] == 0 ? text : NULL;
}

static const char *rank(void)
{
    static const char *const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", NULL};
    return number_in(names);
}

static const char *world(void)
{
    static const char *const names[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL};
    return number_in(names);
}

/* ---- the file ---- */

int place_open(char *path, size_t bytes)
{
    enum { TRIES = 100 };
    const char *const to = getenv("STEPTIME_CUDA_TO");
    const char *const base = to && *to ? to : "steptime-cuda", *const of = rank();
    const char *const dash = of ? "-rank" : "";
    snprintf(path, bytes, "%s%s%s.cuda", base, dash, of ? of : "");
    for (int i = 0;; i++) {
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST || i == TRIES)
            return fd;
        if (!i)
            snprintf(path, bytes, "%s%s%s-%d.cuda", base, dash, of ? of : "", (int)getpid());
        else
            snprintf(path, bytes, "%s%s%s-%d-%d.cuda", base, dash, of ? of : "", (int)getpid(), i);
    }
}

/* ---- rows ---- */

void place_info(struct out *out, enum cudafile_info key, const char *text)
{
    const size_t bytes = strlen(text);
    row_begin(out, CUDAFILE_INFO);
    row_number(out, (uint64_t)key);
    row_bytes(out, text, bytes < CUDAFILE_TEXT_MOST ? bytes : CUDAFILE_TEXT_MOST);
    row_end(out);
}

static void tell_command(struct out *out)
{
    char words[1024];
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = fd >= 0 ? read(fd, words, sizeof words - 1) : 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i + 1 < bytes; i++)
        if (!words[i])
            words[i] = ' ';
    words[bytes > 0 ? bytes : 0] = 0;
    place_info(out, CUDAFILE_COMMAND, words);
}

void place_tell(struct out *out)
{
    char text[256] = "";
    if (!gethostname(text, sizeof text - 1))
        place_info(out, CUDAFILE_HOST, text);
    snprintf(text, sizeof text, "%d", (int)getpid());
    place_info(out, CUDAFILE_PROCESS, text);
    tell_command(out);
    if (rank())
        place_info(out, CUDAFILE_RANK, rank());
    if (world())
        place_info(out, CUDAFILE_WORLD, world());
}
