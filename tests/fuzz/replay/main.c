/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fuzz target does where there is no fuzzer: it meets every file that is
 * named (folders: every file in them), whole, and on request cut at N places
 * and damaged in N ways. The damage is the same in every run. Speaks TAP; on a
 * crash or a hang the last line on stderr names the input.
 *
 *     fuzz_trace [--cuts N] [--damages N] [--packed] FILE|DIR...
 *
 * --packed leaves gzip and zstd as they are: the cuts then go through the packing.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { PATIENCE_S = 60 };

static struct {
    size_t cuts, damages;
    bool packed;
    unsigned tests;
    char input[512]; /* what is being tried, for the last words */
} replay;

static void last_words(int signal_number)
{
    if (write(STDERR_FILENO, replay.input, strlen(replay.input)) < 0) { /* nothing left to say it to */
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A copy at the very end of its allocation: reading one byte more is seen by the sanitizer. */
static void try_input(str bytes)
{
    uint8_t *exact = malloc(bytes.len ? bytes.len : 1);
    if (bytes.len)
        memcpy(exact, bytes.at, bytes.len);
    alarm(PATIENCE_S);
    LLVMFuzzerTestOneInput(exact, bytes.len);
    alarm(0);
    free(exact);
}

static void passed(const char *what, const char *path)
{
    printf("ok %u - %s of %s\n", ++replay.tests, what, path);
    fflush(stdout);
}

static void try_cuts(const char *path, str bytes)
{
    for (size_t i = 0; i < replay.cuts; i++) {
        const size_t len = (size_t)((unsigned __int128)bytes.len * i / replay.cuts);
        snprintf(replay.input, sizeof replay.input, "\n%.400s cut at byte %zu\n", path, len);
        try_input((str){bytes.at, len});
    }
    char what[40];
    snprintf(what, sizeof what, "%zu cuts", replay.cuts);
    passed(what, path);
}

/* xorshift64 (Marsaglia 2003). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* One of: another byte, a byte that JSON cares about, a run that disappears, a run that is doubled. */
static void damage(struct buf *text, uint64_t *random)
{
    static const char special[] = "\"\\{}[],:-+.eE0\n\t\x00\x80\xff";
    const size_t at = next_random(random) % text->len;
    const size_t run = 1 + next_random(random) % 64, left = text->len - at, len = run < left ? run : left;
    switch (next_random(random) % 4) {
    case 0:
        text->at[at] = (char)next_random(random);
        break;
    case 1:
        text->at[at] = special[next_random(random) % (sizeof special - 1)];
        break;
    case 2:
        memmove(text->at + at, text->at + at + len, left - len);
        text->len -= len;
        break;
    default:
        memmove(text->at + at, text->at + at / 2, len / 2);
    }
}

static void try_damages(const char *path, str bytes)
{
    uint64_t random = 0x9E3779B97F4A7C15ULL ^ bytes.len;
    for (size_t i = 0; i < replay.damages && bytes.len; i++) {
        snprintf(replay.input, sizeof replay.input, "\n%.400s with damage %zu\n", path, i);
        struct buf text = {0};
        buf_add(&text, bytes);
        for (uint64_t n = 1 + next_random(&random) % 8; n && text.len; n--)
            damage(&text, &random);
        try_input(buf_str(&text));
        buf_free(&text);
    }
    char what[40];
    snprintf(what, sizeof what, "%zu damages", replay.damages);
    passed(what, path);
}

static bool load_raw(const char *path, struct buf *text)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    static char block[1 << 16];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        buf_add(text, (str){block, n});
    fclose(file);
    return true;
}

static bool load_unpacked(const char *path, struct buf *text)
{
    struct source *source = source_open(path, NULL);
    if (!source)
        return false;
    static char block[1 << 16];
    for (size_t n; (n = source_read(source, block, sizeof block)) > 0;)
        buf_add(text, (str){block, n});
    source_close(source);
    return true;
}

static void try_file(const char *path)
{
    struct buf text = {0};
    if (!(replay.packed ? load_raw : load_unpacked)(path, &text)) {
        printf("not ok %u - %s cannot be read\n", ++replay.tests, path);
        return;
    }
    snprintf(replay.input, sizeof replay.input, "\n%.400s whole\n", path);
    try_input(buf_str(&text));
    passed("the whole", path);
    if (replay.cuts)
        try_cuts(path, buf_str(&text));
    if (replay.damages)
        try_damages(path, buf_str(&text));
    buf_free(&text);
}

static void try_folder(const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            try_file(inside);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static int option(char **arguments)
{
    if (strcmp(arguments[0], "--packed") == 0) {
        replay.packed = true;
        return 1;
    }
    size_t *number = strcmp(arguments[0], "--cuts") == 0      ? &replay.cuts
                     : strcmp(arguments[0], "--damages") == 0 ? &replay.damages
                                                              : NULL;
    if (!number || !arguments[1])
        return 0;
    *number = strtoul(arguments[1], NULL, 10);
    return 2;
}

int main(int count, char **arguments)
{
    signal(SIGSEGV, last_words);
    signal(SIGABRT, last_words);
    signal(SIGALRM, last_words);
    snprintf(replay.input, sizeof replay.input, "\nnothing at all\n");
    try_input(S(""));
    passed("the whole", "nothing at all");
    for (int i = 1; i < count;) {
        const int taken = option(arguments + i);
        struct stat about;
        if (!taken && stat(arguments[i], &about) == 0 && S_ISDIR(about.st_mode))
            try_folder(arguments[i]);
        else if (!taken)
            try_file(arguments[i]);
        i += taken ? taken : 1;
    }
    printf("1..%u\n", replay.tests);
    return 0;
}
