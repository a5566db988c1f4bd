/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

#include "base/mem.h"

enum { CHUNK = 1 << 16, MOST_PREFIX = 512, MOST_LEAD = 16 << 20 };

void log_records_open(struct log_records *records, struct source *source)
{
    *records = (struct log_records){.source = source, .chunk = mem_alloc(CHUNK)};
}

void log_records_close(struct log_records *records)
{
    buf_free(&records->line);
    buf_free(&records->head);
    buf_free(&records->body);
    mem_free(records->chunk);
}

/* ---- lines ---- */

/* A file that does not begin like a log is none, and may be large. */
static bool fill(struct log_records *records)
{
    if (records->at < records->got)
        return true;
    if (!records->count && source_offset(records->source) > MOST_LEAD)
        return false;
    records->at = 0;
    records->got = source_read(records->source, records->chunk, CHUNK);
    return records->got > 0;
}

/* Adds what there is room for. */
static void add_bounded(struct log_records *records, struct buf *buf, str text, size_t most)
{
    const size_t room = buf->len < most ? most - buf->len : 0;
    records->cut += text.len > room;
    buf_add(buf, (str){text.at, text.len < room ? text.len : room});
}

/* The next line to `line`, without its end. */
static bool next_line(struct log_records *records)
{
    buf_clear(&records->line);
    bool any = false;
    while (fill(records)) {
        any = true;
        const str rest = {records->chunk + records->at, records->got - records->at};
        const char *end = memchr(rest.at, '\n', rest.len);
        const size_t length = end ? (size_t)(end - rest.at) : rest.len;
        add_bounded(records, &records->line, (str){rest.at, length}, LOG_MOST_HEAD);
        records->at += length + (end != NULL);
        if (end)
            break;
    }
    return any;
}

/* ---- records ---- */

/*
 * "V1122 19:31:13.239000 28603 torch/...": the third word, and whether it is such a text at all. Before 2.4 the number was
 * that of a thread, which is larger than processes' are.
 */
static bool process_of(str prefix, int64_t *process)
{
    enum { MOST_PROCESS = 1 << 22 };
    str word;
    int64_t number;
    if (!str_cut(&prefix, ' ', &word) || word.len < 5 || !str_int(str_from(word, word.len - 4), &number) ||
        !str_cut(&prefix, ' ', &word))
        return false;
    while (str_cut(&prefix, ' ', &word) && !word.len)
        ;
    const bool good = str_int(word, &number) && number >= 0;
    *process = good && number <= MOST_PROCESS ? number : -1;
    return good;
}

/* Takes a line as a record's head; false where it is none. */
static bool begin_record(struct log_records *records, struct log_record *record)
{
    const str line = buf_str(&records->line);
    const size_t most = line.len < MOST_PREFIX ? line.len : MOST_PREFIX;
    const char *const end = most ? memmem(line.at, most, "] {", 3) : NULL;
    if (!end || !process_of((str){line.at, (size_t)(end - line.at)}, &record->process))
        return false;
    buf_clear(&records->head);
    buf_add(&records->head, str_trim(str_from(line, (size_t)(end + 2 - line.at))));
    return true;
}

static bool find_head(struct log_records *records, struct log_record *record)
{
    while (records->pending || next_line(records)) {
        records->pending = false;
        if (begin_record(records, record)) {
            records->count++;
            return true;
        }
        records->strange += records->line.len > 0;
    }
    return false;
}

bool log_records_next(struct log_records *records, struct log_record *record)
{
    *record = (struct log_record){.process = -1};
    if (!find_head(records, record))
        return false;
    buf_clear(&records->body);
    while (next_line(records)) {
        const str line = buf_str(&records->line);
        records->pending = !line.len || *line.at != '\t';
        if (records->pending)
            break;
        add_bounded(records, &records->body, str_from(line, 1), LOG_MOST_BODY);
        add_bounded(records, &records->body, S("\n"), LOG_MOST_BODY);
    }
    record->head = buf_str(&records->head);
    record->body = buf_str(&records->body);
    return true;
}
