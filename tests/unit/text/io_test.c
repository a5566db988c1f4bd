/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in and bytes out: packings told apart by content, broken ones read as far as they go, files whole or untouched. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "unit/cmocka_first.h"
#include "io/source.h"
#include "io/writer.h"

enum { TEXT_BYTES = 3000000 };

/* Text that packs, but not to nothing, and longer than all blocks ahead of the reader. */
static struct buf some_text(size_t bytes)
{
    struct buf text = {0};
    for (uint32_t i = 0; text.len < bytes; i++)
        buf_printf(&text, "{\"ts\": %u, \"x\": %u}\n", i * 7, i * 2654435761u);
    text.len = bytes;
    return text;
}

static void add_gzip(struct buf *packed, str text)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t room = deflateBound(&z, text.len) + 64;
    unsigned char *out = mem_alloc(room);
    z.next_in = (unsigned char *)(uintptr_t)text.at;
    z.avail_in = (unsigned)text.len;
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_add(packed, (str){(char *)out, room - z.avail_out});
    deflateEnd(&z);
    mem_free(out);
}

static void add_zstd(struct buf *packed, str text)
{
    const size_t room = ZSTD_compressBound(text.len);
    char *out = mem_alloc(room);
    const size_t length = ZSTD_compress(out, room, text.at, text.len, 1);
    assert_false(ZSTD_isError(length));
    buf_add(packed, (str){out, length});
    mem_free(out);
}

/* All that the source gives, read in odd pieces. */
static struct buf all_of(struct source *source)
{
    struct buf text = {0};
    char piece[70001];
    for (size_t got; (got = source_read(source, piece, sizeof piece)) > 0;)
        buf_add(&text, (str){piece, got});
    return text;
}

/* The packed bytes, given in pieces of `chunk`, come out as the text; *damage is what was wrong with them. */
static void unpacks_to(str packed, size_t chunk, str text, const char **damage)
{
    struct source *source = source_of_bytes("memory", packed.at, packed.len, chunk);
    struct buf got = all_of(source);
    assert_true(str_eq(buf_str(&got), text));
    const char *said = source_damage(source);
    *damage = said;
    buf_free(&got);
    source_close(source);
}

static void plain_bytes_come_as_they_are(void **state)
{
    struct buf text = some_text(TEXT_BYTES);
    const char *damage;
    unpacks_to(buf_str(&text), 1000, buf_str(&text), &damage);
    assert_null(damage);
    unpacks_to(S("x"), 1, S("x"), &damage);
    unpacks_to(S(""), 1, S(""), &damage);
    assert_null(damage);
    buf_free(&text);
}

static void gzip_is_told_by_its_content(void **state)
{
    struct buf text = some_text(TEXT_BYTES), packed = {0};
    const char *damage;
    add_gzip(&packed, buf_str(&text));
    static const size_t chunks[] = {7, 4096, SIZE_MAX};
    for (int i = 0; i < 3; i++) {
        unpacks_to(buf_str(&packed), chunks[i], buf_str(&text), &damage);
        assert_null(damage);
    }
    buf_free(&packed);
    buf_free(&text);
}

static void gzip_members_are_joined_wherever_they_meet(void **state)
{
    struct buf text = some_text(300), packed = {0}, joined = {0};
    const char *damage;
    for (size_t length = 0; length <= 300; length += 25) {
        add_gzip(&packed, (str){text.at, length});
        buf_add(&joined, (str){text.at, length});
    }
    for (size_t chunk = 1; chunk < 40; chunk++) {
        unpacks_to(buf_str(&packed), chunk, buf_str(&joined), &damage);
        assert_null(damage);
    }
    buf_free(&joined);
    buf_free(&packed);
    buf_free(&text);
}

static void zeros_behind_gzip_are_padding(void **state)
{
    static const char zeros[512];
    struct buf packed = {0};
    const char *damage;
    add_gzip(&packed, S("text"));
    buf_add(&packed, (str){zeros, sizeof zeros});
    unpacks_to(buf_str(&packed), 100, S("text"), &damage);
    assert_null(damage);
    buf_free(&packed);
}

static void other_bytes_behind_gzip_are_told(void **state)
{
    struct buf packed = {0};
    const char *damage;
    add_gzip(&packed, S("text"));
    buf_add(&packed, S("garbage"));
    unpacks_to(buf_str(&packed), 100, S("text"), &damage);
    assert_non_null(damage);
    buf_free(&packed);
}

/* Wherever it is cut, what comes is a beginning of the text, and the cut is told. */
static void begins_and_is_told(str packed, str text)
{
    for (size_t cut = 4; cut < packed.len; cut += 1 + packed.len / 200) {
        struct source *source = source_of_bytes("memory", packed.at, cut, SIZE_MAX);
        struct buf got = all_of(source);
        assert_true(got.len == 0 || str_starts(text, buf_str(&got)));
        assert_non_null(source_damage(source));
        buf_free(&got);
        source_close(source);
    }
}

static void a_cut_stream_gives_what_it_holds(void **state)
{
    struct buf text = some_text(400000), gzip = {0}, zstd = {0};
    add_gzip(&gzip, buf_str(&text));
    add_zstd(&zstd, buf_str(&text));
    begins_and_is_told(buf_str(&gzip), buf_str(&text));
    begins_and_is_told(buf_str(&zstd), buf_str(&text));
    buf_free(&zstd);
    buf_free(&gzip);
    buf_free(&text);
}

static void damage_inside_a_stream_is_told(void **state)
{
    struct buf text = some_text(400000), packed = {0};
    add_gzip(&packed, buf_str(&text));
    packed.at[packed.len / 2] ^= 0x55;
    struct source *source = source_of_bytes("memory", packed.at, packed.len, SIZE_MAX);
    struct buf got = all_of(source);
    assert_non_null(source_damage(source));
    buf_free(&got);
    source_close(source);
    buf_free(&packed);
    buf_free(&text);
}

static void zstd_frames_are_joined(void **state)
{
    struct buf text = some_text(TEXT_BYTES), packed = {0}, joined = {0};
    const char *damage;
    for (int i = 0; i < 2; i++) {
        add_zstd(&packed, buf_str(&text));
        buf_add(&joined, buf_str(&text));
    }
    unpacks_to(buf_str(&packed), 5000, buf_str(&joined), &damage);
    assert_null(damage);
    buf_free(&joined);
    buf_free(&packed);
    buf_free(&text);
}

/* "two streams, " as `xz --check=crc32` packs it. Without liblzma the bytes stay as they are. */
static const str xz = S("\375\067\172\130\132\000\000\001\151\042\336\066\002\000\041\001\026\000\000\000"
                        "\164\057\345\243\001\000\014\164\167\157\040\163\164\162\145\141\155\163\054\040"
                        "\000\000\000\000\030\212\226\122\000\001\041\015\165\334\250\322\220\102\231\015"
                        "\001\000\000\000\000\001\131\132");

static void xz_streams_are_joined_and_their_damage_is_told(void **state)
{
    struct buf packed = {0};
    const char *damage;
    struct source *source = source_of_bytes("memory", xz.at, xz.len, SIZE_MAX);
    const bool read = source_head(source, 1).at[0] == 't';
    source_close(source);
    if (!read)
        skip();
    buf_add(&packed, xz);
    buf_add(&packed, xz);
    unpacks_to(buf_str(&packed), 5, S("two streams, two streams, "), &damage);
    assert_null(damage);
    begins_and_is_told(xz, S("two streams, "));
    packed.at[xz.len / 2] ^= 0x55;
    source = source_of_bytes("memory", packed.at, xz.len, SIZE_MAX);
    struct buf got = all_of(source);
    assert_non_null(source_damage(source));
    source_close(source);
    buf_free(&got);
    buf_free(&packed);
}

static void a_source_can_be_left_before_its_end(void **state)
{
    struct buf text = some_text(TEXT_BYTES), packed = {0};
    add_gzip(&packed, buf_str(&text));
    struct source *source = source_of_bytes("memory", packed.at, packed.len, SIZE_MAX);
    char piece[10];
    assert_int_equal(source_read(source, piece, sizeof piece), sizeof piece);
    source_close(source);
    buf_free(&packed);
    buf_free(&text);
}

/* ---- files ---- */

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/io_test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static void put_file(const char *path, str text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.at, 1, text.len, file), text.len);
    fclose(file);
}

static void file_holds(const char *path, str text)
{
    struct source *source = source_open(path, NULL);
    assert_non_null(source);
    struct buf got = all_of(source);
    assert_true(str_eq(buf_str(&got), text));
    buf_free(&got);
    source_close(source);
}

/* Paused and resumed in turn, before, between and behind its bytes. */
static struct buf all_with_pauses(struct source *source)
{
    struct buf text = {0};
    char piece[70001];
    size_t got = 1;
    for (int i = 0; got; i++) {
        if (i % 3 == 0)
            source_pause_ahead(source);
        if (i % 5 == 4)
            source_resume_ahead(source);
        got = source_read(source, piece, sizeof piece);
        buf_add(&text, (str){piece, got});
    }
    return text;
}

static void a_pause_loses_no_bytes(void **state)
{
    struct buf text = some_text(TEXT_BYTES), gzip = {0}, zstd = {0};
    add_gzip(&gzip, buf_str(&text));
    add_zstd(&zstd, buf_str(&text));
    const str packed[] = {buf_str(&text), buf_str(&gzip), buf_str(&zstd), {gzip.at, gzip.len / 2}};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        struct source *source = source_of_bytes("memory", packed[i].at, packed[i].len, 5000);
        struct buf got = all_with_pauses(source);
        assert_true(str_starts(buf_str(&text), buf_str(&got)));
        assert_true(i == 3 ? source_damage(source) && got.len > text.len / 3 : got.len == text.len);
        buf_free(&got);
        source_close(source);
    }
    buf_free(&zstd);
    buf_free(&gzip);
    buf_free(&text);
}

/* Whoever looks at the first bytes takes none of them, plain or packed, however they come. */
static void a_head_is_looked_at_and_not_taken(void **state)
{
    struct buf text = some_text(TEXT_BYTES), packed = {0};
    add_gzip(&packed, buf_str(&text));
    static const size_t chunks[] = {7, 4096, SIZE_MAX}, heads[] = {0, 1, 5000, 100000, 5000};
    for (int i = 0; i < 6; i++) {
        const str bytes = i % 2 ? buf_str(&packed) : buf_str(&text);
        struct source *source = source_of_bytes("memory", bytes.at, bytes.len, chunks[i / 2]);
        char first[3];
        size_t taken = 0;
        for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
            const str head = source_head(source, heads[h]);
            assert_true(head.len >= heads[h]);
            assert_memory_equal(head.at, text.at + taken, head.len);
            taken += source_read(source, first, sizeof first);
            assert_int_equal(source_offset(source), taken);
        }
        struct buf rest = all_of(source);
        assert_true(str_eq(buf_str(&rest), str_from(buf_str(&text), taken)));
        assert_int_equal(source_offset(source), TEXT_BYTES);
        assert_int_equal(source_head(source, 1).len, 0);
        buf_free(&rest);
        source_close(source);
    }
    buf_free(&packed);
    buf_free(&text);
}

static void what_is_no_file_is_an_error(void **state)
{
    struct steptime_error err;
    assert_null(source_open(in_folder("absent"), &err));
    assert_int_equal(err.code, STEPTIME_INPUT);
    assert_non_null(strstr(err.message, "No such file"));
    assert_null(source_open(folder, &err));
    assert_non_null(strstr(err.message, "directory"));
}

static void a_file_tells_its_size_and_how_far_it_is_read(void **state)
{
    const char *path = in_folder("plain");
    put_file(path, S("0123456789"));
    struct source *source = source_open(path, NULL);
    char piece[100];
    assert_int_equal(source_file_bytes(source), 10);
    while (source_read(source, piece, sizeof piece))
        ;
    assert_int_equal(source_packed_bytes(source), 10);
    source_close(source);
    unlink(path);
}

static void a_file_appears_when_it_is_whole(void **state)
{
    const char *path = in_folder("out");
    struct writer *writer = writer_open(path, NULL);
    writer_put(writer, S("one "));
    writer_printf(writer, "%d", 2);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(writer_close(writer, NULL));
    file_holds(path, S("one 2"));
    unlink(path);
}

static void a_file_given_up_stays_as_it_was(void **state)
{
    const char *path = in_folder("out");
    put_file(path, S("before"));
    chmod(path, 0640);
    struct writer *writer = writer_open(path, NULL);
    writer_put(writer, S("after"));
    writer_abandon(writer);
    file_holds(path, S("before"));
    writer = writer_open(path, NULL);
    writer_put(writer, S("after"));
    assert_true(writer_close(writer, NULL));
    file_holds(path, S("after"));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    unlink(path);
}

static void a_full_disk_is_told_at_the_end(void **state)
{
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct steptime_error err;
    struct writer *writer = writer_open("/dev/full", &err);
    for (int i = 0; i < 100000; i++)
        writer_put(writer, S("0123456789"));
    assert_false(writer_close(writer, &err));
    assert_int_equal(err.code, STEPTIME_OUTPUT);
    assert_non_null(strstr(err.message, "No space"));
}

static void a_closed_pipe_is_told_at_the_end(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    struct steptime_error err;
    struct writer *writer = writer_open(path, &err);
    if (!writer) {
        close(ends[1]);
        skip();
    }
    writer_put(writer, S("text"));
    assert_false(writer_close(writer, &err));
    assert_non_null(strstr(err.message, "pipe"));
    close(ends[1]);
}

static void a_place_that_cannot_be_written_is_an_error_at_once(void **state)
{
    struct steptime_error err;
    assert_null(writer_open(in_folder("no/such/folder"), &err));
    assert_int_equal(err.code, STEPTIME_OUTPUT);
    assert_null(writer_open(folder, &err));
}

static void text_collects_in_memory(void **state)
{
    struct writer *writer = writer_to_memory();
    struct buf expected = {0};
    for (int i = 0; i < 50000; i++) {
        writer_printf(writer, "%d,", i);
        buf_printf(&expected, "%d,", i);
    }
    assert_true(str_eq(writer_text(writer), buf_str(&expected)));
    assert_true(writer_close(writer, NULL));
    buf_free(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bytes_come_as_they_are),
        cmocka_unit_test(gzip_is_told_by_its_content),
        cmocka_unit_test(gzip_members_are_joined_wherever_they_meet),
        cmocka_unit_test(zeros_behind_gzip_are_padding),
        cmocka_unit_test(other_bytes_behind_gzip_are_told),
        cmocka_unit_test(a_cut_stream_gives_what_it_holds),
        cmocka_unit_test(damage_inside_a_stream_is_told),
        cmocka_unit_test(zstd_frames_are_joined),
        cmocka_unit_test(xz_streams_are_joined_and_their_damage_is_told),
        cmocka_unit_test(a_source_can_be_left_before_its_end),
        cmocka_unit_test(a_pause_loses_no_bytes),
        cmocka_unit_test(a_head_is_looked_at_and_not_taken),
        cmocka_unit_test(what_is_no_file_is_an_error),
        cmocka_unit_test(a_file_tells_its_size_and_how_far_it_is_read),
        cmocka_unit_test(a_file_appears_when_it_is_whole),
        cmocka_unit_test(a_file_given_up_stays_as_it_was),
        cmocka_unit_test(a_full_disk_is_told_at_the_end),
        cmocka_unit_test(a_closed_pipe_is_told_at_the_end),
        cmocka_unit_test(a_place_that_cannot_be_written_is_an_error_at_once),
        cmocka_unit_test(text_collects_in_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
