/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/cmocka_first.h"

#include "text/toml.h"

static struct arena arena;

static int clear(void **state)
{
    arena_free(&arena);
    return 0;
}

static str value_text(const struct toml_item *item)
{
    str list = S("");
    switch (item->kind) {
    case TOML_TEXT:
        return item->text;
    case TOML_BOOL:
        return item->flag ? S("true") : S("false");
    case TOML_INT:
        return str_printf(&arena, "%lld", (long long)item->number);
    case TOML_TEXTS:
        for (uint32_t i = 0; i < item->text_count; i++)
            list = str_printf(&arena, "%.*s[%.*s]", (int)list.len, list.at, (int)item->texts[i].len, item->texts[i].at);
        return list;
    case TOML_OTHER:
        break;
    }
    return S("?");
}

/* "a.b=value@line\n" for each item; the message at the end where the text is broken. */
static void expect(const char *text, const char *items)
{
    struct toml_reader reader = toml_reader(S("x.toml"), str_of(text));
    struct steptime_error err = {0};
    struct toml_item item;
    str shown = S("");
    while (toml_next(&reader, &arena, &item, &err)) {
        for (uint32_t i = 0; i < item.key.count; i++)
            shown = str_printf(&arena, "%.*s%s%.*s", (int)shown.len, shown.at, i ? "." : "", (int)item.key.names[i].len,
                               item.key.names[i].at);
        const str value = value_text(&item);
        shown = str_printf(&arena, "%.*s=%.*s@%u\n", (int)shown.len, shown.at, (int)value.len, value.at, item.line);
    }
    if (reader.broken)
        shown = str_printf(&arena, "%.*s%s", (int)shown.len, shown.at, err.message);
    assert_string_equal(str_z(&arena, shown), items);
}

static void keys_and_tables(void **state)
{
    expect("a = 1\n[t]\nb = true\n[t.u]\nc = 'x'\n", "a=1@1\nt.b=true@3\nt.u.c=x@5\n");
    expect("a.b . \"c d\" = 1", "a.b.c d=1@1\n");
    expect("[[list]]\na = 1\n[[list]]\na = 2\n", "list.a=1@2\nlist.a=2@4\n");
    expect("\xEF\xBB\xBF"
           "a = 1\r\nb = 2\r\n",
           "a=1@1\nb=2@2\n");
    expect("", "");
}

static void texts(void **state)
{
    expect("a = \"x\\ty\\u00e9\\\\\"", "a=x\ty\xC3\xA9\\@1\n");
    expect("a = 'C:\\no'", "a=C:\\no@1\n");
    expect("a = \"\"\"\nx\ny \\\n   z\"\"\"\nb = 1", "a=x\ny z@1\nb=1@5\n");
    expect("a = '''x'y'''", "a=x'y@1\n");
    expect("a = ['x', \"y\", ] # why\n", "a=[x][y]@1\n");
    expect("a = [\n  'x', # one\n  'y'\n]\nb = 1\n", "a=[x][y]@1\nb=1@5\n");
    expect("a = []", "a=@1\n");
}

static void what_is_not_needed_is_stepped_over(void **state)
{
    expect("a = {x = 1, y = [\"]\"]}\nb = 1.5\nc = 1979-05-27T07:32:00Z\nd = [1, [2, 'x']]\ne = 1\n",
           "a=?@1\nb=?@2\nc=?@3\nd=?@4\ne=1@5\n");
}

static void what_is_broken_is_told_with_its_line(void **state)
{
    expect("a = 1\nb 2\n", "a=1@1\nline 2: = is expected behind a key");
    expect("a = \n", "line 1: a value is expected here");
    expect("a = 'x\nb = 1", "line 1: a text is not closed");
    expect("[t\na = 1", "line 1: a table's name is not closed by ]");
    expect("a = 1 2", "line 1: the line goes on behind its end");
    expect("a = \"\\q\"", "line 1: an escape that TOML does not know");
    expect("a = [1, {\n", "line 2: a bracket is not closed");
    expect("a = ['x' 'y']", "line 1: a comma or ] is expected behind a text of a list");
}

static void depth_costs_nothing(void **state)
{
    enum { DEEP = 1 << 20 };
    char *text = arena_alloc(&arena, DEEP + 8);
    memcpy(text, "a = ", 4);
    memset(text + 4, '[', DEEP);
    expect(text, "line 1: a bracket is not closed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keys_and_tables, clear),
        cmocka_unit_test_teardown(texts, clear),
        cmocka_unit_test_teardown(what_is_not_needed_is_stepped_over, clear),
        cmocka_unit_test_teardown(what_is_broken_is_told_with_its_line, clear),
        cmocka_unit_test_teardown(depth_costs_nothing, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
