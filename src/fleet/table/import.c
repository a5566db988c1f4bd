/* SPDX-License-Identifier: Apache-2.0 */
#include "import.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "import_stream.h"
#include "io/source.h"

static const struct import_kind *const kinds[] = {&import_pai, &import_aicb, &import_simai};

struct import {
    const struct import_kind *kind;
    void *stream;
    struct job none; /* what each job is before anything of it is known */
};

str import_sniff(const char *path, char room[IMPORT_SNIFFED])
{
    struct source *source = source_open(path, NULL);
    if (!source)
        return S("");
    const size_t got = source_read(source, room, IMPORT_SNIFFED);
    source_close(source);
    return (str){room, got};
}

bool import_is_parquet(str begin)
{
    return str_starts(begin, S("PAR1"));
}

bool import_refuse_parquet(const char *path, struct steptime_error *err)
{
    return fail_at(err, STEPTIME_INPUT, str_of(path), -1,
                   "Parquet is not read; DuckDB makes CSV of it: COPY (SELECT * FROM 'x.parquet') TO 'x.csv'");
}

enum { SMALL_BYTES = 1 << 28 };

bool import_read_all(const char *path, struct buf *text, struct steptime_error *err)
{
    struct source *source = source_open(path, err);
    if (!source)
        return false;
    char block[16384];
    size_t got;
    while (text->len <= SMALL_BYTES && (got = source_read(source, block, sizeof block)))
        buf_add(text, (str){block, got});
    source_close(source);
    return text->len <= SMALL_BYTES || fail_at(err, STEPTIME_INPUT, str_of(path), -1, "too large for a schedule");
}

struct job import_no_job(void)
{
    struct job job = {.name = S(""), .gpu = S(""), .network = S(""), .group = S(""), .lacks_amounts = true};
    for (int i = 0; i < JOB_FIELDS; i++)
        job.field[i] = NAN;
    return job;
}

/* Standard input can be looked at but once: it is none of these. */
static const struct import_kind *kind_of(const char *path)
{
    if (!strcmp(path, "-"))
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->fits(path))
            return kinds[i];
    return NULL;
}

bool import_fits(const char *path)
{
    return kind_of(path);
}

struct import *import_open(const char *path, str group_by, unsigned threads, struct steptime_error *err)
{
    const struct import_kind *kind = kind_of(path);
    void *stream = kind ? kind->open(path, group_by, threads, err) : NULL;
    if (!stream)
        return NULL;
    struct import *import = mem_alloc(sizeof *import);
    *import = (struct import){kind, stream, import_no_job()};
    return import;
}

str import_name(const struct import *import)
{
    return import->kind->name;
}

bool import_next(struct import *import, struct job *job)
{
    *job = import->none;
    return import->kind->next(import->stream, job);
}

const struct import_drops *import_dropped(const struct import *import)
{
    return import->kind->dropped(import->stream);
}

bool import_close(struct import *import, struct steptime_error *err)
{
    const bool good = import->kind->close(import->stream, err);
    mem_free(import);
    return good;
}
