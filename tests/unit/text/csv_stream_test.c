/* SPDX-License-Identifier: Apache-2.0 */
/* A table read by the block has the rows that it has when read at once. */
#include "unit/cmocka_first.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "text/csv_stream.h"

static void to_file(str text, char *path)
{
    strcpy(path, "/tmp/steptime-rows-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.at, text.len), (ssize_t)text.len);
    close(fd);
}

static void same_rows(str text)
{
    char path[64];
    to_file(text, path);
    struct csv_stream *stream = csv_stream_open(path, NULL);
    remove(path);
    assert_non_null(stream);
    struct arena arena = {0};
    struct csv_reader reader = csv_reader(text);
    struct csv_row wanted, row;
    uint32_t line;
    assert_true(csv_next(&reader, &arena, &wanted));
    assert_true(str_eq(csv_stream_header(stream)->text, wanted.text));
    while (csv_next(&reader, &arena, &wanted)) {
        assert_true(csv_stream_next(stream, &row, &line));
        assert_int_equal(line, reader.line);
        assert_true(str_eq(row.text, wanted.text));
        assert_int_equal(row.count, wanted.count);
        for (uint32_t i = 0; i < row.count; i++)
            assert_true(str_eq(row.fields[i], wanted.fields[i]));
    }
    assert_false(csv_stream_next(stream, &row, &line));
    assert_true(csv_stream_close(stream, NULL));
    arena_free(&arena);
}

/* Rows of every kind, some megabytes of them, so that blocks end at many places. */
static void rows_are_the_same_wherever_a_block_ends(void **state)
{
    static const char *const rows[] = {
        "a,b,c\n",
        "\"quoted, field\",2,3\r\n",
        "\"two\nlines\",x\n",
        "\"say \"\"so\"\"\",y,,\n",
        "5\" pipe,z\n",
        "\n",
        "\r\n",
        ",,,\n",
        "\"\"\n",
        "a\rb,c\n",
    };
    struct buf text = {0};
    buf_add(&text, S("\xEF\xBB\xBFname,size\n"));
    uint64_t random = 88172645463325252;
    while (text.len < 3500000) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        buf_add(&text, str_of(rows[random % (sizeof rows / sizeof *rows)]));
    }
    buf_add(&text, S("last,row"));
    same_rows(buf_str(&text));
    buf_free(&text);
}

static void a_row_longer_than_a_block_is_one_row(void **state)
{
    struct buf text = {0};
    buf_add(&text, S("name\n\""));
    for (int i = 0; i < 300000; i++)
        buf_add(&text, S("long line\n"));
    buf_add(&text, S("\",end\nnext,row\n"));
    same_rows(buf_str(&text));
    buf_free(&text);
}

static void a_quote_that_is_never_closed_ends_with_the_file(void **state)
{
    same_rows(S("a,b\n\"never closed,1\n2,3\n"));
    same_rows(S("\"\n"));
}

static void an_empty_file_is_no_table(void **state)
{
    char path[64];
    to_file(S(""), path);
    struct steptime_error err;
    assert_null(csv_stream_open(path, &err));
    assert_int_equal(err.code, STEPTIME_INPUT);
    remove(path);
    assert_null(csv_stream_open("/no/such/table.csv", &err));
}

static void a_row_without_end_is_refused(void **state)
{
    struct buf text = {0};
    buf_add(&text, S("name\n\""));
    while (text.len < (size_t)130 << 20)
        buf_add(&text, S("0123456789012345678901234567890123456789012345678901234567890123456789\n"));
    char path[64];
    to_file(buf_str(&text), path);
    buf_free(&text);
    struct csv_stream *stream = csv_stream_open(path, NULL);
    remove(path);
    assert_non_null(stream);
    struct csv_row row;
    uint32_t line;
    assert_false(csv_stream_next(stream, &row, &line));
    struct steptime_error err;
    assert_false(csv_stream_close(stream, &err));
    assert_non_null(strstr(err.message, "64 MiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_same_wherever_a_block_ends),
        cmocka_unit_test(a_row_longer_than_a_block_is_one_row),
        cmocka_unit_test(a_quote_that_is_never_closed_ends_with_the_file),
        cmocka_unit_test(an_empty_file_is_no_table),
        cmocka_unit_test(a_row_without_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
