/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_bench FILE... prints a line a file: how fast it is read into columns, and how that compares with finding its
 * line breaks by memchr, or for a packed file with unpacking alone. The best of several turns counts, all in one run.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "io/source.h"
#include "read/kineto.h"
#include "read/read.h"

enum { TURNS = 3, PIECE = JSON_WINDOW };

struct times {
    double bytes_s, memchr_s; /* taking the unpacked bytes; the same, and finding the line breaks */
    double parse_s;           /* into columns, not finished */
    double whole_s;           /* a finished trace */
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static size_t count_lines(const char *at, size_t bytes)
{
    size_t lines = 0;
    for (const char *end = at + bytes; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

static volatile size_t lines; /* read by nobody; keeps the counting from being left out */

/* Unpacks the file, and where *memchr_s is wanted adds up the time in memchr. */
static double take_bytes(const char *path, double *memchr_s)
{
    const double start = now_s();
    struct source *source = source_open(path, NULL);
    char *piece = mem_alloc(PIECE);
    for (size_t got; (got = source_read(source, piece, PIECE)) > 0;) {
        const double before = now_s();
        lines += memchr_s ? count_lines(piece, got) : 0;
        if (memchr_s)
            *memchr_s += now_s() - before;
    }
    mem_free(piece);
    source_close(source);
    return now_s() - start;
}

static double parse(const char *path)
{
    const double start = now_s();
    struct source *source = source_open(path, NULL);
    struct trace *trace = trace_new();
    kineto_read(source, NULL, trace, NULL);
    source_close(source);
    const double seconds = now_s() - start;
    trace_free(trace);
    return seconds;
}

static void keep_least(double *least, double seconds)
{
    *least = *least == 0 || seconds < *least ? seconds : *least;
}

static void measure(const char *path)
{
    struct times best = {0};
    struct steptime_error err;
    int64_t bytes = 0, columns = 0;
    uint32_t events = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        double in_memchr = 0;
        keep_least(&best.bytes_s, take_bytes(path, NULL));
        take_bytes(path, &in_memchr);
        keep_least(&best.memchr_s, in_memchr);
        keep_least(&best.parse_s, parse(path));
        const double start = now_s();
        struct trace *trace = trace_read(path, NULL, &err);
        keep_least(&best.whole_s, now_s() - start);
        if (!trace) {
            printf("%s: %s\n", path, err.message);
            return;
        }
        bytes = trace->info.file_bytes;
        events = trace->count;
        columns = (int64_t)trace_bytes(trace);
        trace_free(trace);
    }
    const double gb = (double)bytes / 1e9;
    const char *name = strrchr(path, '/');
    printf(
        "%-52s %9.1f MB %8u events  bytes %5.2f  memchr %5.2f  parse %5.3f GB/s (%.3f of memchr)  finished %5.3f GB/s  "
        "columns %.1f MiB  peak %.1f MiB\n",
        name ? name + 1 : path, gb * 1000, events, gb / best.bytes_s, gb / best.memchr_s, gb / best.parse_s,
        best.memchr_s / best.parse_s, gb / best.whole_s, (double)columns / 1048576, peak_mib());
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        measure(argv[i]);
    return argc < 2;
}
