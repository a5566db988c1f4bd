/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

#include "parallel/crew.h"
#include "base/error.h"
#include "parallel/par.h"
#include "sketch/file/code.h"
#include "sketched.h"

/* ---- a file on its way ---- */

struct sent {
    bool usable;          /* a sketch follows */
    bool refused;         /* the error follows */
    bool sketched, loose; /* it was a file; it is written as for another process */
    str sketch;
    struct steptime_error error;
};

static void code_words(struct code *code, char *words, size_t room)
{
    str text = str_of(words);
    code_text(code, &text);
    if (!code_reads(code))
        return;
    const size_t len = text.len < room ? text.len : room - 1;
    memcpy(words, text.at, len);
    words[len] = 0;
}

static void code_error(struct code *code, struct steptime_error *error)
{
    uint32_t kind = (uint32_t)error->code;
    code_small(code, &kind, STEPTIME_MEMORY + 1);
    error->code = (enum steptime_code)kind;
    code_int(code, &error->offset, 0, -1, INT64_MAX);
    code_words(code, error->path, sizeof error->path);
    code_words(code, error->message, sizeof error->message);
}

static void code_sent(struct code *code, struct sent *sent)
{
    code_bool(code, &sent->usable);
    code_bool(code, &sent->refused);
    code_bool(code, &sent->sketched);
    code_bool(code, &sent->loose);
    if (sent->usable)
        code_text(code, &sent->sketch);
    if (sent->refused)
        code_error(code, &sent->error);
}

/* ---- in each process ---- */

struct share {
    const struct spread_work *work;
    const struct crew *crew;
    struct buf *files; /* of the share, in order */
};

/* Of a trace loose: nobody keeps it. */
static void write_sketch(const struct inputs_asked *asked, const struct input_file *file, struct buf *into)
{
    struct arena scratch = {0};
    struct sketch sketch = file->trace ? sketched_of(file, &scratch) : *file->sketch;
    if (file->trace) {
        sketch.loose = true;
        asked->sketch(asked->context, file->trace, &scratch, &sketch);
    }
    sketch_write(&sketch, into);
    arena_free(&scratch);
}

static void read_one(void *context, size_t i)
{
    const struct share *share = context;
    struct inputs *inputs = share->work->inputs;
    struct input_file *file = &inputs->files[share->crew->rank + i * share->crew->count];
    struct buf sketch = {0};
    struct steptime_error why = {.offset = -1};
    file->error = &why;
    struct sent sent = {.usable = share->work->read(inputs, file), .sketched = file->sketch, .loose = file->trace};
    struct code code = code_writer(&share->files[i]);
    if (sent.usable)
        write_sketch(inputs->asked, file, &sketch);
    sent.sketch = buf_str(&sketch);
    sent.refused = why.message[0];
    sent.error = why;
    code_sent(&code, &sent);
    share->work->drop(file);
    file->error = NULL;
    file->is_member = false; /* until the first process has it of the sketch */
    arena_free(&file->arena);
    buf_free(&sketch);
}

static size_t share_of(const struct inputs *inputs, unsigned rank, unsigned processes)
{
    return inputs->count > rank ? (inputs->count - rank - 1) / processes + 1 : 0;
}

static void read_share(struct share *share, struct buf *mine)
{
    struct arena scratch = {0};
    struct inputs *inputs = share->work->inputs;
    const size_t count = share_of(inputs, share->crew->rank, share->crew->count);
    struct code code = code_writer(mine);
    share->files = arena_array(&scratch, count, sizeof *share->files);
    par_each(count, inputs->asked->threads, read_one, share);
    for (size_t i = 0; i < count; i++) {
        code_text(&code, &(str){share->files[i].at, share->files[i].len});
        buf_free(&share->files[i]);
    }
    arena_free(&scratch);
}

/* ---- in the first ---- */

static bool deal(struct spread *spread, const struct inputs *inputs, const struct crew *crew, const str *parts,
                 struct steptime_error *err)
{
    spread->at = arena_array(&spread->arena, inputs->count, sizeof *spread->at);
    for (unsigned rank = 0; rank < crew->count; rank++) {
        struct code code = code_reader(parts[rank], &spread->arena);
        for (size_t i = rank; i < inputs->count; i += crew->count) {
            code_text(&code, &spread->at[i]);
            spread->at[i] = str_copy(&spread->arena, spread->at[i]);
        }
        if (!code_whole(&code))
            return fail(err, STEPTIME_INPUT, "process %u lists other files than the first one", rank);
    }
    return true;
}

bool spread_read(const struct spread_work *work, struct spread *spread, struct steptime_error *err)
{
    struct arena scratch = {0};
    struct buf mine = {0};
    const struct crew *crew = crew_ours();
    struct share share = {work, crew, NULL};
    str *parts = arena_array(&scratch, crew->count, sizeof *parts);
    read_share(&share, &mine);
    const bool good = crew->gather(buf_str(&mine), &scratch, parts, err) &&
                      (crew->rank || deal(spread, work->inputs, crew, parts, err));
    buf_free(&mine);
    arena_free(&scratch);
    return good;
}

bool spread_take(const struct spread *spread, struct input_file *file, struct texts *texts)
{
    struct arena scratch = {0};
    struct code code = code_reader(spread->at[file->index], &scratch);
    struct sent sent = {0};
    struct steptime_error damage;
    code_sent(&code, &sent);
    if (sent.usable)
        file->sketch = sketch_of_bytes(sent.sketch, &damage);
    if (file->sketch)
        file->sketch->loose = sent.loose;
    if (sent.refused)
        *file->error = sent.error;
    file->elsewhere = !sent.sketched;
    file->refused = sent.refused;
    arena_free(&scratch);
    return file->sketch && sketched_job(file, texts);
}

void spread_free(struct spread *spread)
{
    arena_free(&spread->arena);
}
