/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch.h"

#include "base/error.h"
#include "base/mem.h"
#include "code.h"

/* A version of the format that nobody can read stays recognisable as a sketch. */
static const str magic = S("\x93steptime sketch\n");

enum {
    MOST_BYTES = 32 << 20, /* unpacked: of hundreds of thousands of collectives */
    CHUNK = 64 << 10,
};

/* ---- both ways ---- */

static void code_notes(struct code *code, struct sketch_trace *trace)
{
    code_count(code, &trace->note_count);
    if (code_reads(code))
        trace->notes = arena_array(code->arena, trace->note_count, sizeof *trace->notes);
    for (uint32_t i = 0; i < trace->note_count; i++) {
        code_int(code, &trace->notes[i].offset, 0, -1, INT64_MAX);
        code_text(code, &trace->notes[i].text);
        code_bool(code, &trace->notes[i].in_head);
    }
}

static void code_rounding(struct code *code, struct sketch_rounding *rounding)
{
    code_ns(code, &rounding->collectives, 0);
    code_int(code, &rounding->rounded, 0, 0, rounding->collectives);
    code_int(code, &rounding->entry_ns, 0, 0, INT32_MAX);
    code_int(code, &rounding->spent_ns, 0, 0, INT32_MAX);
}

static void code_trace(struct code *code, struct sketch_trace *trace)
{
    code_text(code, &trace->path);
    code_text(code, &trace->format);
    code_int(code, &trace->events, 0, 0, INT64_MAX);
    code_int(code, &trace->bytes, 0, -1, INT64_MAX);
    code_int(code, &trace->repaired, 0, 0, INT64_MAX);
    code_int(code, &trace->dropped, 0, 0, INT64_MAX);
    code_notes(code, trace);
    code_rounding(code, &trace->rounding);
}

/* ---- out ---- */

void sketch_write(const struct sketch *sketch, struct buf *into)
{
    struct code code = code_writer(into);
    struct sketch_trace trace = sketch->trace;
    buf_add(into, magic);
    code_bits(&code, &(uint64_t){SKETCH_VERSION});
    code_trace(&code, &trace);
    for (uint64_t i = 0; i < SKETCH_SECTIONS; i++)
        if (sketch->sections[i].len) {
            code_bits(&code, &i);
            code_text(&code, &(str){sketch->sections[i].at, sketch->sections[i].len});
        }
}

/* ---- in ---- */

bool sketch_sniff(str head)
{
    return str_starts(head, magic);
}

static void read_sections(struct code *code, struct sketch *sketch)
{
    while (code->at < code->end) {
        uint64_t section;
        str bytes;
        code_bits(code, &section);
        code_text(code, &bytes);
        if (section < SKETCH_SECTIONS && !code->damaged)
            sketch->sections[section] = bytes;
    }
}

static bool read_all(struct source *source, _Atomic int64_t *progress, struct sketch *sketch, str *bytes,
                     struct steptime_error *err)
{
    struct buf all = {0};
    char chunk[CHUNK];
    for (size_t count; all.len <= MOST_BYTES && (count = source_read(source, chunk, sizeof chunk));) {
        buf_add(&all, (str){chunk, count});
        if (progress)
            *progress = source_packed_bytes(source);
    }
    *bytes = str_copy(&sketch->arena, buf_str(&all));
    buf_free(&all);
    const char *damage = source_damage(source);
    if (bytes->len > MOST_BYTES)
        return fail(err, STEPTIME_INPUT, "is a sketch of more than %d MiB", MOST_BYTES >> 20);
    return !damage || fail(err, STEPTIME_INPUT, "is a damaged sketch: %s", damage);
}

static bool parse(str bytes, struct sketch *sketch, struct steptime_error *err)
{
    struct code code = code_reader(str_from(bytes, magic.len), &sketch->arena);
    uint64_t version;
    sketch->file_bytes = (int64_t)bytes.len;
    code_bits(&code, &version);
    if (!code.damaged && version != SKETCH_VERSION)
        return fail(
            err, STEPTIME_INPUT,
            "is a sketch of version %llu, and this program reads version %d: make it again with 'steptime summary "
            "--save'",
            (unsigned long long)version, SKETCH_VERSION);
    code_trace(&code, &sketch->trace);
    read_sections(&code, sketch);
    return code_whole(&code) || fail(err, STEPTIME_INPUT, "is a damaged sketch");
}

struct sketch *sketch_read(struct source *source, _Atomic int64_t *progress, struct steptime_error *err)
{
    struct sketch *sketch = mem_zeroed(sizeof *sketch);
    str bytes;
    if (read_all(source, progress, sketch, &bytes, err) && parse(bytes, sketch, err))
        return sketch;
    sketch_free(sketch);
    return NULL;
}

struct sketch *sketch_of_bytes(str bytes, struct steptime_error *err)
{
    struct sketch *sketch = mem_zeroed(sizeof *sketch);
    if (sketch_sniff(bytes) && parse(bytes, sketch, err))
        return sketch;
    sketch_free(sketch);
    return NULL;
}

struct code sketch_writer(const struct sketch *sketch, struct buf *out)
{
    struct code code = code_writer(out);
    code.loose = sketch->loose;
    return code;
}

struct code sketch_section(const struct sketch *sketch, enum sketch_section section, struct arena *arena)
{
    struct code code = code_reader(sketch->sections[section], arena);
    code.texts = sketch->texts;
    code.loose = sketch->loose;
    return code;
}

void sketch_free(struct sketch *sketch)
{
    if (!sketch)
        return;
    arena_free(&sketch->arena);
    mem_free(sketch);
}
