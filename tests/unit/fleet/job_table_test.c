/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of jobs: what is taken, what is dropped and why, whatever blocks, threads and shares the file is read by. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fleet/table/job_table.h"

#define HEADER "job,architecture,cnodes,batch,input_bytes,flops,memory_bytes,weight_bytes"
#define ROW    "a,ps-worker,4,32,1e6,2.5e9,3e9,1e8"

/* Sums of the jobs of a block, and of all. */
struct sums {
    uint64_t jobs, line_sum;
    double flops;
    char names[64];
    char groups[64];
};

static void *begin(void *context, unsigned thread)
{
    return mem_zeroed(sizeof(struct sums));
}

static void append(char *text, size_t room, str more)
{
    const size_t len = strlen(text);
    if (len + more.len + 2 < room)
        snprintf(text + len, room - len, "%.*s;", (int)more.len, more.at);
}

static const char *row(void *context, void *block, const struct job *job, uint64_t line)
{
    struct sums *sums = block;
    if (str_eq(job->gpu, S("unheard-of")))
        return "gpu is not in the catalogue";
    sums->jobs++;
    sums->line_sum += line;
    sums->flops += job->field[JOB_FLOPS];
    append(sums->names, sizeof sums->names, job->name);
    append(sums->groups, sizeof sums->groups, job->group);
    return NULL;
}

static bool join(void *context, void *block, struct steptime_error *err)
{
    struct sums *all = context, *sums = block;
    all->jobs += sums->jobs;
    all->line_sum += sums->line_sum;
    all->flops += sums->flops;
    append(all->names, sizeof all->names, str_of(sums->names));
    append(all->groups, sizeof all->groups, str_of(sums->groups));
    mem_free(sums);
    return true;
}

static void drop(void *context, void *block)
{
    mem_free(block);
}

static struct job_visitor visitor_of(struct sums *sums)
{
    *sums = (struct sums){0};
    return (struct job_visitor){.context = sums, .begin = begin, .row = row, .join = join, .drop = drop};
}

/* A table in a file, what was read of it, and what could not be. */
struct reading {
    struct arena arena;
    struct sums sums;
    struct job_table_result result;
    struct steptime_error err;
};

static char path[] = "/tmp/job_table_test_XXXXXX";

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_path(void **state)
{
    const int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
    return unlink(path);
}

static bool read_asked(struct reading *reading, const struct job_table_asked *asked)
{
    const struct job_visitor visitor = visitor_of(&reading->sums);
    return job_table_read(asked, &visitor, &reading->arena, &reading->result, &reading->err);
}

static bool read_text(struct reading *reading, const char *text)
{
    *reading = (struct reading){0};
    write_file(text, strlen(text));
    return read_asked(reading, &(struct job_table_asked){.path = path, .group_by = S("")});
}

static void check_dropped(const struct reading *reading, uint64_t at, uint64_t line, const char *why)
{
    assert_true(at < reading->result.dropped.count);
    const struct dropped_row *dropped = &reading->result.dropped.told[at];
    assert_int_equal(dropped->line, line);
    assert_string_equal(dropped->why.at, why);
}

static void columns_come_in_any_order(void **state)
{
    struct reading r;
    assert_true(read_text(&r, "weight_bytes,memory_bytes,user,flops,input_bytes,cnodes,architecture,job\n"
                              "1e8,3e9,someone,2.5e9,1e6,4,PS/Worker,\"a, \"\"b\"\"\"\r\n"
                              "\n"
                              "1e8,3e9,someone,2.5e9,1e6,4,1w1g,c"));
    assert_int_equal(r.result.rows, 2);
    assert_int_equal(r.sums.jobs, 1);
    assert_string_equal(r.sums.names, "a, \"b\";;");
    check_dropped(&r, 0, 4, "cnodes is more than 1 for 1w1g");
    arena_free(&r.arena);
}

static void a_mark_quotes_and_carriage_returns_are_no_part_of_names(void **state)
{
    struct reading r;
    assert_true(read_text(&r, "\xEF\xBB\xBF\"job\","
                              " architecture ,cnodes,input_bytes,flops,memory_bytes,weight_bytes\r\n"
                              "a,ps-worker,4,1e6,1e9,1e9,1e8\r\n"));
    assert_int_equal(r.sums.jobs, 1);
    assert_true(r.result.columns.has[JOB_CNODES] && !r.result.columns.has[JOB_BATCH]);
    arena_free(&r.arena);
}

static void lines_of_json_are_rows(void **state)
{
    struct reading r;
    assert_true(read_text(&r,
                          "{\"job\": \"a\\n\", \"architecture\": \"ps-worker\", \"cnodes\": 4, \"input_bytes\": 1e6, "
                          "\"flops\": 1e9, \"memory_bytes\": 1e9, \"weight_bytes\": 1e8, \"batch\": null}\n"
                          "{\"flops\": 2e9, \"measured_ms\": 3, \"architecture\": \"1w1g\", \"cnodes\": 1, "
                          "\"input_bytes\": 0, \"memory_bytes\": 1, \"job\": \"b\", \"more\": {\"x\": [1]}}\n"
                          "{\"flops\": 2e9\n"
                          "[]\n"));
    assert_int_equal(r.sums.jobs, 2);
    assert_string_equal(r.sums.names, "a;b;;");
    assert_true(r.sums.flops == 3e9);
    check_dropped(&r, 0, 3, "it is no valid JSON");
    check_dropped(&r, 1, 4, "it is no JSON object");
    arena_free(&r.arena);
}

static void a_bad_row_is_dropped_with_its_line(void **state)
{
    struct reading r;
    assert_true(read_text(&r, HEADER ",gpu\n" ROW ",V100\n"
                                     "b,ps-worker,4,32,1e6,2.5e9,3e9\n"
                                     "c,ps-worker,4,32,1e6,2.5 GFLOP,3e9,1e8,\n"
                                     "d,elsewhere,4,32,1e6,2.5e9,3e9,1e8,\n"
                                     "e,ps-worker,4,32,1e6,-1,3e9,1e8,\n"
                                     "f,ps-worker,4,32,1e6,inf,3e9,1e8,\n"
                                     "\"g,ps-worker,4,32,1e6,2.5e9,3e9,1e8,\n"
                                     "\"h\" h,ps-worker,4,32,1e6,2.5e9,3e9,1e8,\n"
                                     "i,ps-worker,4,32,1e6,2.5e9,3e9,1e8,,more\n"
                                     "j,ps-worker,4,32,1e6,2.5e9,3e9,1e8,unheard-of\n"
                                     "k,ps-worker,4,32,1e6,2.5e9,3e9,,\n" ROW ",\n"));
    assert_int_equal(r.result.rows, 12);
    assert_int_equal(r.sums.jobs, 2);
    assert_int_equal(r.result.taken, 2);
    assert_int_equal(r.result.dropped.count, 10);
    check_dropped(&r, 0, 3, "it has 7 fields, the header 9");
    check_dropped(&r, 1, 4, "flops is no number: '2.5 GFLOP'");
    check_dropped(&r, 2, 5, "architecture 'elsewhere' is unknown");
    check_dropped(&r, 3, 6, "flops is negative");
    check_dropped(&r, 4, 7, "flops is no number: 'inf'");
    check_dropped(&r, 5, 8, "a quote that is not closed in its line");
    check_dropped(&r, 6, 9, "text behind a closing quote");
    check_dropped(&r, 7, 10, "it has more fields than the header");
    check_dropped(&r, 8, 11, "gpu is not in the catalogue");
    check_dropped(&r, 9, 12, "weight_bytes is missing for ps-worker");
    arena_free(&r.arena);
}

static void strict_stops_at_the_first_bad_row(void **state)
{
    struct reading r = {0};
    const char text[] = HEADER "\n" ROW "\nb,ps-worker\n" ROW "\n";
    write_file(text, strlen(text));
    assert_false(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S(""), .strict = true}));
    assert_string_equal(r.err.message, "line 3: it has 2 fields, the header 8");
    assert_int_equal(r.err.code, STEPTIME_INPUT);
    arena_free(&r.arena);
}

static void a_missing_column_is_named_with_the_nearest(void **state)
{
    struct reading r;
    assert_false(read_text(&r, "job,architecture,cnodes,input_bytes,flop,memory_bytes,weight_bytes\n" ROW "\n"));
    assert_string_equal(r.err.message, "has no column 'flops'; the nearest is 'flop'");
    arena_free(&r.arena);
    r = (struct reading){0};
    assert_false(read_asked(&r, &(struct job_table_asked){.path = "/nowhere/jobs.csv", .group_by = S("")}));
    const char text[] = HEADER ",user\n" ROW ",x\n";
    write_file(text, strlen(text));
    assert_false(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("usr")}));
    assert_string_equal(r.err.message, "has no column 'usr'; the nearest is 'user'");
    assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("user")}));
    assert_string_equal(r.sums.groups, "x;;");
    arena_free(&r.arena);
}

static void an_empty_file_is_no_table_and_a_header_alone_is_one(void **state)
{
    struct reading r;
    assert_false(read_text(&r, ""));
    assert_string_equal(r.err.message, "it is empty; a table was expected");
    assert_false(read_text(&r, "\n \r\n"));
    assert_true(read_text(&r, HEADER));
    assert_int_equal(r.result.rows, 0);
    arena_free(&r.arena);
    assert_true(read_text(&r, HEADER "\n\n\n"));
    assert_int_equal(r.result.rows, 0);
    arena_free(&r.arena);
}

/* ---- many rows ---- */

enum { MANY = 30000, BAD = 20000 };

static void many_rows(struct buf *text)
{
    buf_printf(text, "\n%s\n", HEADER);
    for (int i = 0; i < MANY; i++)
        if (i == BAD)
            buf_printf(text, "x,ps-worker,4,32,1e6,?,3e9,1e8\n");
        else
            buf_printf(text, "job %d,ps-worker,%d,32,1e6,%d,3e9,1e8\n", i, 1 + i % 9, i);
}

static const uint64_t many_jobs = MANY - 1;
static const double many_flops = (double)MANY * (MANY - 1) / 2 - BAD;
static const uint64_t many_lines = (uint64_t)MANY * (MANY - 1) / 2 + 3 * (uint64_t)MANY - (BAD + 3);

static void check_many(const struct reading *r)
{
    assert_int_equal(r->sums.jobs, many_jobs);
    assert_true(r->sums.flops == many_flops);
    assert_int_equal(r->sums.line_sum, many_lines);
    check_dropped(r, 0, BAD + 3, "flops is no number: '?'");
}

static void threads_change_nothing(void **state)
{
    struct buf text = {0};
    many_rows(&text);
    write_file(text.at, text.len);
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        struct reading r = {0};
        assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S(""), .threads = threads}));
        check_many(&r);
        arena_free(&r.arena);
    }
    buf_free(&text);
}

static void write_packed(const struct buf *text)
{
    gzFile file = gzopen(path, "wb1");
    assert_int_equal(gzwrite(file, text->at, (unsigned)text->len), text->len);
    assert_int_equal(gzclose(file), Z_OK);
}

static void a_packed_table_is_the_same(void **state)
{
    struct buf text = {0};
    many_rows(&text);
    write_packed(&text);
    struct reading r = {0};
    assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("")}));
    check_many(&r);
    assert_int_equal(r.result.damage.len, 0);
    arena_free(&r.arena);
    assert_int_equal(truncate(path, 20000), 0);
    r = (struct reading){0};
    assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("")}));
    assert_string_equal(r.result.damage.at, "the gzip data breaks off");
    assert_true(r.sums.jobs > 100 && r.sums.jobs < many_jobs);
    arena_free(&r.arena);
    buf_free(&text);
}

/* Reads all shares; their sums are those of the whole. */
static void check_shares(unsigned shares)
{
    uint64_t jobs = 0, dropped = 0, rows = 0;
    double flops = 0;
    for (unsigned share = 0; share < shares; share++) {
        struct reading r = {0};
        assert_true(read_asked(
            &r, &(struct job_table_asked){.path = path, .group_by = S(""), .share = share, .shares = shares}));
        jobs += r.sums.jobs;
        flops += r.sums.flops;
        rows += r.result.rows;
        dropped += r.result.dropped.count;
        arena_free(&r.arena);
    }
    assert_int_equal(jobs, many_jobs);
    assert_int_equal(rows, MANY);
    assert_int_equal(dropped, 1);
    assert_true(flops == many_flops);
}

static void shares_together_are_the_whole(void **state)
{
    struct buf text = {0};
    many_rows(&text);
    write_file(text.at, text.len);
    for (unsigned shares = 1; shares < 40; shares = shares * 2 + 1)
        check_shares(shares);
    write_packed(&text);
    check_shares(1);
    check_shares(3);
    buf_free(&text);
}

static void every_cut_of_a_small_table_gives_each_row_once(void **state)
{
    const char text[] = HEADER "\n" ROW "\n" ROW "\r\n\n" ROW "\n" ROW;
    write_file(text, strlen(text));
    for (unsigned shares = 1; shares < 400; shares++) {
        uint64_t jobs = 0;
        for (unsigned share = 0; share < shares; share++) {
            struct reading r = {0};
            assert_true(read_asked(
                &r, &(struct job_table_asked){.path = path, .group_by = S(""), .share = share, .shares = shares}));
            jobs += r.sums.jobs;
            arena_free(&r.arena);
        }
        assert_int_equal(jobs, 4);
    }
}

static void a_line_without_end_is_passed_over(void **state)
{
    struct buf text = {0};
    buf_printf(&text, "%s\n%s\n", HEADER, ROW);
    for (int i = 0; i < 3 << 20; i++)
        buf_char(&text, i % 7 ? 'x' : ',');
    buf_printf(&text, "\n%s\n%s\n", ROW, "b");
    write_file(text.at, text.len);
    struct reading r = {0};
    assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("")}));
    assert_int_equal(r.sums.jobs, 2);
    check_dropped(&r, 0, 3, "a line of more than 512 KiB");
    check_dropped(&r, 1, 5, "it has 1 fields, the header 8");
    arena_free(&r.arena);
    buf_free(&text);
}

static void nul_bytes_and_broken_text_are_kept_as_names_and_refused_as_numbers(void **state)
{
    static const char text[] = HEADER "\na\0b,ps-worker,4,32,1e6,2.5e9,3e9,1e8\n"
                                      "\xff\xfe,ps-worker,4,32,1e6,2\0,3e9,1e8\n";
    write_file(text, sizeof text - 1);
    struct reading r = {0};
    assert_true(read_asked(&r, &(struct job_table_asked){.path = path, .group_by = S("")}));
    assert_int_equal(r.sums.jobs, 1);
    assert_int_equal(r.result.dropped.count, 1);
    arena_free(&r.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_in_any_order),
        cmocka_unit_test(a_mark_quotes_and_carriage_returns_are_no_part_of_names),
        cmocka_unit_test(lines_of_json_are_rows),
        cmocka_unit_test(a_bad_row_is_dropped_with_its_line),
        cmocka_unit_test(strict_stops_at_the_first_bad_row),
        cmocka_unit_test(a_missing_column_is_named_with_the_nearest),
        cmocka_unit_test(an_empty_file_is_no_table_and_a_header_alone_is_one),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_packed_table_is_the_same),
        cmocka_unit_test(shares_together_are_the_whole),
        cmocka_unit_test(every_cut_of_a_small_table_gives_each_row_once),
        cmocka_unit_test(a_line_without_end_is_passed_over),
        cmocka_unit_test(nul_bytes_and_broken_text_are_kept_as_names_and_refused_as_numbers),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
