/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"
#include "screen.h"

enum { FIRST_MS = 1000, NEXT_MS = 200, LINE = 96 };

static int64_t bytes_read(struct progress *progress)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < progress->files; i++)
        sum += progress->bytes[i];
    return sum;
}

/* One write, so that a message of the program itself never lands inside the line. */
static void say(const char *line, int len)
{
    if (len > 0 && write(STDERR_FILENO, line, (size_t)len) < 0) { /* a lost progress line is no loss */
    }
}

/* "33 of 120 MiB, ": what is read, where anybody counts. */
static int print_bytes(struct progress *progress, char *line, size_t room)
{
    const double mib = 0x1p20;
    const int64_t read = bytes_read(progress);
    if (progress->total_bytes)
        return format_text(line, room, "%.0f of %.0f MiB", (double)read / mib, (double)progress->total_bytes / mib);
    return read || progress->files == 1 ? format_text(line, room, "%.0f MiB", (double)read / mib) : 0;
}

static void draw(struct progress *progress)
{
    char line[LINE];
    int len = format_text(line, sizeof line, "\r\033[Kreading ");
    const int bytes = print_bytes(progress, line + len, sizeof line - (size_t)len);
    len += bytes;
    if (progress->files > 1)
        len += format_text(line + len, sizeof line - (size_t)len, "%s%u of %u %s done", bytes ? ", " : "",
                           progress->done, progress->files, progress->what);
    say(line, len);
}

static void pause_ms(struct progress *progress, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t ns = until.tv_nsec + ms * 1000000;
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&progress->ended, &progress->lock, &until);
}

static void *run(void *argument)
{
    struct progress *progress = argument;
    bool drawn = false;
    pthread_mutex_lock(&progress->lock);
    for (int64_t ms = FIRST_MS; !progress->over; ms = NEXT_MS) {
        pause_ms(progress, ms);
        if (!progress->over) {
            draw(progress);
            drawn = true;
        }
    }
    pthread_mutex_unlock(&progress->lock);
    if (drawn)
        say("\r\033[K", 4);
    return NULL;
}

void progress_begin(struct progress *progress, const char *what, uint32_t files, int64_t total_bytes,
                    struct arena *arena)
{
    *progress = (struct progress){.what = what, .files = files, .total_bytes = total_bytes};
    progress->bytes = arena_array(arena, files, sizeof *progress->bytes);
    if (!screen_of(STDERR_FILENO, NULL).capable)
        return;
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->ended, NULL);
    progress->shown = !pthread_create(&progress->thread, NULL, run, progress);
}

void progress_end(struct progress *progress)
{
    if (!progress->shown)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->over = true;
    pthread_cond_signal(&progress->ended);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->ended);
    pthread_mutex_destroy(&progress->lock);
}
