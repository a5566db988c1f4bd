/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the list of events in parts, on several cores.
 *
 * The text is cut where an event seems to begin. A thread takes a part from the
 * source, unpacking it where it is packed, and reads it as a list of its own:
 * with its own texts, phrases and guesses, into columns of its own. Then the
 * parts are joined in the order of the file.
 *
 * Whether a cut was right shows at the seam. The reader that reads in order
 * stands at a part's first byte with an event due; a part fits if from there it
 * took whole events alone, none of which needs to know what came before the
 * part, and stands at the part's last byte with the next event due. So, part by
 * part, what is joined is what would have been read in order. The first part
 * that does not fit and all that follow are put back into the window, to be
 * read in order; after a while parts are tried again.
 */
#include "base/mem.h"
#include "parallel/stages.h"
#include "kineto.h"
#include "trace/piece.h"

enum { MOST_THREADS = 8 };

struct part {
    char *text; /* room for a part and JSON_PAD */
    size_t length;
    int64_t offset; /* in the file */
    /* by its reader: */
    bool fits;
    struct reader *reader;
    struct trace_piece *piece;
    struct seen seen;
};

/* What a thread reads parts with, one after the other. */
struct reader {
    struct kineto *k; /* and its trace */
    struct trace_renames renames;
};

struct parts {
    struct kineto *k;
    size_t bytes; /* of a part */
    struct part part[2 * MOST_THREADS];
    size_t room, made, joined; /* part i lies in place i % room */
    struct reader reader[MOST_THREADS];
    unsigned threads;
};

static struct part *part_of(struct parts *parts, size_t i)
{
    return &parts->part[i % parts->room];
}

/* ---- cutting ---- */

/* Before the brace at `at` stands another one and a comma, as between events. */
static bool behind_event(const char *start, const char *at)
{
    static const char between[] = "} \n\r\t,";
    int commas = 0;
    while (at > start && memchr(between, at[-1], sizeof between - 1)) {
        at--;
        if (*at == '}')
            return commas == 1;
        commas += *at == ',';
    }
    return false;
}

/* An event seems to begin at `at` that is no arrow: those may lie where the event before them does. */
static bool is_no_arrow(const char *at, const char *end)
{
    enum { NEAR = 256 };
    const size_t near = end - at < NEAR ? (size_t)(end - at) : NEAR;
    const str key = S("\"ph\"");
    const char *value = memmem(at, near, key.at, key.len);
    if (!value || *(value = json_blank(value + key.len)) != ':')
        return false;
    value = json_blank(value + 1);
    return *value == '"' && value[1] && !strchr("stfBEM", value[1]);
}

/* Bytes before the last place in the text where a part may begin; 0 where there is none. */
static size_t find_cut(const char *text, size_t length)
{
    enum { MOST_TRIES = 256 };
    const char *end = text + length;
    for (int i = 0; i < MOST_TRIES && end; i++) {
        end = memrchr(text, '{', (size_t)(end - text));
        if (end && behind_event(text, end) && is_no_arrow(end, text + length))
            return (size_t)(end - text);
    }
    return 0;
}

/* Takes the next part. False, with nothing taken, where there is none. */
static bool make_part(void *context, size_t item)
{
    struct parts *const parts = context;
    struct json_window *const w = parts->k->window;
    struct part *const part = part_of(parts, item);
    part->offset = json_window_offset(w, w->at);
    part->length = 0;
    for (size_t got = 1; got && part->length < parts->bytes; part->length += got)
        got = json_window_take(w, part->text + part->length, parts->bytes - part->length);
    memset(part->text + part->length, 0, JSON_PAD);
    const size_t cut = part->length == parts->bytes ? find_cut(part->text, part->length) : 0;
    json_window_unread(w, part->text + cut, part->length - cut);
    part->length = cut;
    parts->made += cut > 0;
    return cut;
}

/* ---- reading ---- */

/* A whole number of events, and the comma behind the last. */
static bool read_events(struct kineto *k)
{
    struct json_window *const w = k->window;
    do
        if (!kineto_take(k) || k->needs_whole)
            return false;
    while (kineto_follows(w));
    return *w->at == ',' && json_blank(w->at + 1) == w->end;
}

static void read_part(void *context, unsigned thread, size_t item)
{
    struct parts *const parts = context;
    struct part *const part = part_of(parts, item);
    struct reader *const reader = part->reader = &parts->reader[thread];
    struct kineto *const k = reader->k;
    struct json_window window = json_window_of_text(part->text, part->length, part->offset);
    k->window = &window;
    k->needs_whole = false;
    k->seen = (struct seen){.first_ns = INT64_MAX, .last_ns = INT64_MIN, .last.lane = LANE_NONE};
    part->fits = read_events(k);
    part->piece = trace_cut(k->trace);
    part->seen = k->seen;
}

/* ---- joining ---- */

static void join_seen(struct seen *all, const struct seen *seen, const struct trace_renames *renames)
{
    all->records += seen->records;
    all->first_ns = seen->first_ns < all->first_ns ? seen->first_ns : all->first_ns;
    all->last_ns = seen->last_ns > all->last_ns ? seen->last_ns : all->last_ns;
    for (int c = 0; c < 128; c++)
        all->phases[c] += seen->phases[c];
    if (seen->last.lane == LANE_NONE)
        return;
    all->last = seen->last;
    all->last.lane = renames->lane[seen->last.lane];
    all->last.process.text = renames->text[seen->last.process.text];
    all->last.thread.text = renames->text[seen->last.thread.text];
}

/* False where it does not fit. */
static bool join_part(void *context, size_t item)
{
    struct parts *const parts = context;
    struct part *const part = part_of(parts, item);
    if (!part->fits)
        return false;
    trace_join(parts->k->trace, part->piece, &part->reader->renames);
    part->piece = NULL;
    join_seen(&parts->k->seen, &part->seen, &part->reader->renames);
    parts->k->repair_budget += 4 * (int64_t)part->length;
    parts->joined++;
    return true;
}

/* ---- all parts ---- */

static void open_parts(struct parts *parts, struct kineto *k)
{
    const struct part_plan *plan = &k->plan;
    *parts = (struct parts){.k = k, .bytes = plan->bytes};
    parts->threads = plan->threads < MOST_THREADS ? plan->threads : MOST_THREADS;
    parts->room = 2 * parts->threads;
    for (size_t i = 0; i < parts->room; i++)
        parts->part[i].text = mem_alloc(plan->bytes + JSON_PAD);
    for (unsigned i = 0; i < parts->threads; i++) {
        parts->reader[i].k = kineto_new(trace_new());
        parts->reader[i].k->is_part = true;
    }
}

static void close_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->room; i++) {
        trace_piece_free(parts->part[i].piece);
        mem_free(parts->part[i].text);
    }
    for (unsigned i = 0; i < parts->threads; i++) {
        trace_free(parts->reader[i].k->trace);
        kineto_free(parts->reader[i].k);
        trace_renames_free(&parts->reader[i].renames);
    }
}

/* Puts the parts that were not joined back; returns their bytes. */
static int64_t put_back(struct parts *parts)
{
    int64_t bytes = 0;
    for (size_t i = parts->made; i-- > parts->joined;) {
        const struct part *part = part_of(parts, i);
        json_window_unread(parts->k->window, part->text, part->length);
        bytes += (int64_t)part->length;
    }
    return bytes;
}

/* Tries that gain less than they cost come ever more seldom. */
static void plan_next(struct kineto *k, int64_t joined, int64_t in_vain)
{
    struct part_plan *const plan = &k->plan;
    plan->pause = joined > in_vain ? (int64_t)plan->bytes : plan->pause * 2;
    plan->from = json_window_offset(k->window, k->window->at) + plan->pause;
}

void kineto_parts(struct kineto *k)
{
    static const struct stages stages = {make_part, read_part, join_part};
    struct json_window *const w = k->window;
    const int64_t begin = json_window_offset(w, w->at);
    struct parts parts;
    open_parts(&parts, k);
    source_pause_ahead(w->source);
    stages_run(&stages, parts.threads, parts.room, &parts);
    source_resume_ahead(w->source);
    const int64_t in_vain = put_back(&parts);
    plan_next(k, json_window_offset(w, w->at) - begin, in_vain);
    close_parts(&parts);
}
