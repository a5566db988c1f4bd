/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "lsp/document.h"
#include "lsp/frame.h"
#include "rpc/message.h"
#include "lsp/uri.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

/* ---- frames ---- */

/* All that comes of some bytes, fed in pieces of so many: a letter a frame. */
static const char *frames_of(const char *bytes, size_t piece)
{
    static char seen[64];
    struct frames frames = {0};
    size_t count = 0;
    for (str all = str_of(bytes); all.len; all = str_from(all, piece)) {
        frames_feed(&frames, (str){all.at, piece < all.len ? piece : all.len});
        str body;
        for (enum frame frame; count < 60 && (frame = frames_next(&frames, &body)) != FRAME_NONE;)
            seen[count++] = frame == FRAME_BODY ? (body.len ? body.at[0] : '0') : frame == FRAME_BROKEN ? '!' : '+';
    }
    seen[count] = 0;
    frames_free(&frames);
    return seen;
}

static void bodies_come_out_whole(void **state)
{
    static const char *const two = "Content-Length: 2\r\n\r\nabX: y\r\nCONTENT-LENGTH:1\r\n\r\ncContent-Length: 0\n\n";
    for (size_t piece = 1; piece < 80; piece++)
        assert_string_equal(frames_of(two, piece), "ac0");
}

static void broken_heads_are_passed_over(void **state)
{
    assert_string_equal(frames_of("X: y\r\n\r\nContent-Length: 1\r\n\r\na", 100), "!a");
    assert_string_equal(frames_of("Content-Length: -1\r\n\r\nContent-Length: 1\r\n\r\na", 100), "!a");
    assert_string_equal(frames_of("Content-Length: 99999999999999999999\r\n\r\n", 100), "!");
    assert_string_equal(frames_of("Content-Length: 99999999\r\n\r\nabc", 100), "+");
}

/* ---- messages ---- */

static enum message_kind kind_of(const char *body)
{
    struct message message;
    return message_read(&arena, str_of(body), &message);
}

static void kinds_of_messages(void **state)
{
    assert_int_equal(kind_of("{\"id\": 1, \"method\": \"x\"}"), MESSAGE_REQUEST);
    assert_int_equal(kind_of("{\"method\": \"x\"}"), MESSAGE_NOTIFICATION);
    assert_int_equal(kind_of("{\"id\": 1, \"result\": null}"), MESSAGE_RESPONSE);
    assert_int_equal(kind_of("{\"id\": null, \"method\": \"x\"}"), MESSAGE_ODD);
    assert_int_equal(kind_of("{\"id\": {}, \"method\": \"x\"}"), MESSAGE_ODD);
    assert_int_equal(kind_of("[]"), MESSAGE_ODD);
    assert_int_equal(kind_of("{\"id\": 1"), MESSAGE_NO_JSON);
    assert_int_equal(kind_of("{} {}"), MESSAGE_NO_JSON);
    assert_int_equal(kind_of(""), MESSAGE_NO_JSON);
}

static void parameters_by_path(void **state)
{
    struct message message;
    message_read(&arena,
                 S("{\"method\": \"m\", \"params\": {\"a\": {\"b\": [1, \"x\\u00e9\"], \"c\": 7, \"d\": true}}}"),
                 &message);
    int64_t value = -1;
    assert_true(param_int(&arena, message.params, "a.c", &value));
    assert_int_equal(value, 7);
    assert_false(param_int(&arena, message.params, "a.b", &value));
    assert_false(param_int(&arena, message.params, "a.c.e", &value));
    assert_true(param_true(&arena, message.params, "a.d"));
    struct json list = param_list(&arena, message.params, "a.b");
    str item;
    assert_true(param_next(&list, &item) && param_next(&list, &item));
    assert_string_equal(str_z(&arena, item), "\"x\\u00e9\"");
    assert_false(param_next(&list, &item));
    list = param_list(&arena, message.params, "a.none");
    assert_false(param_next(&list, &item));
}

/* ---- places ---- */

static void positions(void **state)
{
    const str text = S("a\xC3\xA9\xF0\x9F\x98\x80z\r\nb\rc\n");
    const struct text_lines *lines = text_lines(&arena, text);
    static const struct {
        struct position utf16, utf8;
        size_t byte;
    } cases[] = {
        {{0, 0}, {0, 0}, 0},   {{0, 1}, {0, 1}, 1},  {{0, 2}, {0, 3}, 3},  {{0, 4}, {0, 7}, 7},  {{0, 5}, {0, 8}, 8},
        {{0, 99}, {0, 99}, 8}, {{1, 0}, {1, 0}, 10}, {{2, 1}, {2, 1}, 13}, {{3, 0}, {3, 0}, 14}, {{9, 9}, {9, 9}, 14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(position_byte(lines, cases[i].utf16, COLUMNS_UTF16), cases[i].byte);
        assert_int_equal(position_byte(lines, cases[i].utf8, COLUMNS_UTF8), cases[i].byte);
    }
    assert_int_equal(position_of_bytes(lines, 1, 8, COLUMNS_UTF16).character, 4);
    assert_int_equal(position_of_bytes(lines, 1, 8, COLUMNS_UTF8).character, 7);
    assert_int_equal(position_of_utf16(lines, 1, 5, COLUMNS_UTF8).character, 7);
}

static void uris(void **state)
{
    assert_string_equal(uri_path(&arena, S("file:///a%20b/%C3%A9.py")).at, "/a b/\xC3\xA9.py");
    assert_string_equal(uri_path(&arena, S("file://host/a/")).at, "/a");
    assert_string_equal(uri_path(&arena, S("file:///")).at, "/");
    assert_string_equal(uri_path(&arena, S("untitled:x")).at, "untitled:x");
    assert_string_equal(path_uri(&arena, S("/a b/#\xC3\xA9")).at, "file:///a%20b/%23%C3%A9");
}

/* ---- what is open ---- */

static str params_of(const char *params)
{
    struct message message;
    message_read(&arena, str_printf(&arena, "{\"method\": \"m\", \"params\": %s}", params), &message);
    return message.params;
}

static void documents_change(void **state)
{
    struct documents documents = {0};
    struct document *document = documents_open(
        &documents, &arena,
        params_of("{\"textDocument\": {\"uri\": \"file:///t.py\", \"version\": 3, \"text\": \"ab\\ncd\"}}"));
    assert_ptr_equal(documents_find(&documents, S("file:///t.py")), document);
    assert_int_equal(document->version, 3);
    document_change(
        document, &arena,
        params_of("{\"textDocument\": {\"version\": 4}, \"contentChanges\": ["
                  "{\"range\": {\"start\": {\"line\": 0, \"character\": 1}, \"end\": {\"line\": 1, \"character\": 1}},"
                  " \"text\": \"X\"}, {\"range\": {\"start\": {\"line\": 0, \"character\": 9}, \"end\": {\"line\": 9, "
                  "\"character\": 0}}, \"text\": \"!\"}]}"),
        COLUMNS_UTF16);
    assert_int_equal(document->version, 4);
    assert_string_equal(str_z(&arena, buf_str(&document->text)), "aXd!");
    documents_close(&documents, document);
    assert_null(documents_find(&documents, S("file:///t.py")));
    documents_free(&documents);
}

/* ---- cells ---- */

/* First letters of the texts of all cells, "-" for an empty one. */
static const char *letters(const struct open_cells *cells)
{
    static char seen[16];
    uint32_t count = 0;
    for (; count < cells->count && count < 15; count++)
        seen[count] = cells->at[count]->text.len ? cells->at[count]->text.at[0] : '-';
    seen[count] = 0;
    return seen;
}

static struct open_cells *three_cells(void)
{
    static struct open_cells cells;
    open_cells_open(&cells, &arena,
                    params_of("{\"notebookDocument\": {\"cells\": [{\"kind\": 2, \"document\": \"c:a\"}, {\"kind\": 1, "
                              "\"document\": \"c:b\"}, {\"kind\": 2, \"document\": \"c:c\"}]}, \"cellTextDocuments\": ["
                              "{\"uri\": \"c:c\", \"languageId\": \"python\", \"text\": \"C\"}, "
                              "{\"uri\": \"c:a\", \"languageId\": \"python\", \"text\": \"A\"}, "
                              "{\"uri\": \"c:none\", \"text\": \"N\"}]}"));
    return &cells;
}

/* What cells and those gone are after a change: "AC|B". */
static const char *changed(struct open_cells *cells, const char *change)
{
    struct open_cells gone = {0};
    open_cells_change(cells, &gone, &arena, params_of(change), COLUMNS_UTF16);
    const str before = str_printf(&arena, "%s", letters(cells));
    const str all = str_printf(&arena, "%.*s|%s", (int)before.len, before.at, letters(&gone));
    open_cells_free(&gone);
    return all.at;
}

static void cells_are_spliced(void **state)
{
    struct open_cells *cells = three_cells();
    assert_string_equal(letters(cells), "A-C");
    assert_string_equal(changed(cells, "{\"structure\": {\"array\": {\"start\": 0, \"deleteCount\": 3, \"cells\": ["
                                       "{\"document\": \"c:c\"}, {\"document\": \"c:a\"}]}}}"),
                        "CA|-");
    assert_string_equal(changed(cells,
                                "{\"structure\": {\"array\": {\"start\": 1, \"deleteCount\": 0, \"cells\": ["
                                "{\"document\": \"c:x\"}]}, \"didOpen\": [{\"uri\": \"c:x\", \"text\": \"X\"}]}}"),
                        "CXA|");
    assert_string_equal(changed(cells, "{\"structure\": {\"array\": {\"start\": 4, \"deleteCount\": 1}}}"), "CXA|");
    assert_string_equal(changed(cells, "{\"structure\": {\"array\": {\"start\": -1, \"deleteCount\": 1}}}"), "CXA|");
    assert_string_equal(changed(cells, "{\"structure\": {\"array\": {\"start\": 1, \"deleteCount\": 99999999999}}}"),
                        "C|XA");
    assert_string_equal(changed(cells, "{\"textContent\": [{\"document\": {\"uri\": \"c:c\"}, \"changes\": "
                                       "[{\"text\": \"Z\"}]}, {\"document\": {\"uri\": \"c:a\"}, \"changes\": []}]}"),
                        "Z|");
    open_cells_free(cells);
}

static void places_of_the_notebook_are_places_of_cells(void **state)
{
    struct open_cells *cells = three_cells();
    struct buf text = {0};
    buf_clear(&cells->at[2]->text);
    buf_add(&cells->at[2]->text, S("a\t\"\xC3\xA9\xF0\x9F\x98\x80\n\\b\n"));
    open_cells_write(cells, &text);
    const struct text_lines *lines = text_lines(&arena, buf_str(&text));
    int64_t line = 1;
    while (!str_has(text_line(lines, line - 1), S("\\t")))
        line++;
    assert_int_equal(open_cell_number(line), 2);
    const str whole = text_line(lines, line - 1);
    const int64_t begin = (const char *)memmem(whole.at, whole.len, "\"a\\t", 4) - whole.at + 2;
    static const struct {
        int64_t units; /* of the quoted text a\t\"... */
        struct position position;
    } cases[] = {{0, {0, 0}}, {1, {0, 1}},  {3, {0, 2}},  {5, {0, 3}},  {6, {0, 4}},
                 {8, {0, 6}}, {10, {1, 0}}, {12, {1, 1}}, {13, {1, 2}}, {15, {2, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct position position =
            open_cell_position(cells->at[2], lines, line, begin + cases[i].units, COLUMNS_UTF16);
        assert_int_equal(position.line, cases[i].position.line);
        assert_int_equal(position.character, cases[i].position.character);
    }
    buf_free(&text);
    open_cells_free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bodies_come_out_whole, clear),
        cmocka_unit_test_teardown(broken_heads_are_passed_over, clear),
        cmocka_unit_test_teardown(kinds_of_messages, clear),
        cmocka_unit_test_teardown(parameters_by_path, clear),
        cmocka_unit_test_teardown(positions, clear),
        cmocka_unit_test_teardown(uris, clear),
        cmocka_unit_test_teardown(documents_change, clear),
        cmocka_unit_test_teardown(cells_are_spliced, clear),
        cmocka_unit_test_teardown(places_of_the_notebook_are_places_of_cells, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
