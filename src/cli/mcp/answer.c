/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include "base/error.h"
#include "cli/program/call.h"
#include "cli/program/run.h"
#include "io/writer.h"
#include "tools.h"

static void say_error(struct answer *answer, const struct steptime_error *err)
{
    struct arena scratch = {0};
    if (answer->text.len)
        buf_add(&answer->text, S("\n\n"));
    buf_add(&answer->text, error_line(&scratch, err));
    arena_free(&scratch);
}

static enum steptime_code run_into(struct writer *sink, const struct command *command, int count,
                                   const char *const *words, struct arena *arena, struct steptime_error *err)
{
    struct call call;
    char **argv = arena_array(arena, (size_t)count + 1, sizeof *argv);
    for (int i = 0; i < count; i++)
        argv[i] = (char *)str_z(arena, str_of(words[i]));
    if (!call_parse(&call, command, count, argv, arena, err))
        return err->code;
    call.sink = sink;
    call.sink_takes_text = true;
    return call_run(&call, err);
}

static bool is_same(struct answer *answer, const struct command *command, int count, const char *const *words)
{
    struct buf asked = {0};
    buf_add(&asked, str_of(command->name));
    for (int i = 0; i < count; i++) {
        buf_char(&asked, 0);
        buf_add(&asked, str_of(words[i]));
    }
    const bool same = str_eq(buf_str(&asked), buf_str(&answer->asked));
    buf_free(&answer->asked);
    answer->asked = asked;
    return same;
}

void answer_to(struct answer *answer, const struct command *command, int count, const char *const *words, bool more)
{
    if (is_same(answer, command, count, words) && more)
        return;
    struct arena arena = {0};
    struct steptime_error err = {.offset = -1};
    struct writer *sink = writer_to_memory();
    const enum steptime_code code = run_into(sink, command, count, words, &arena, &err);
    buf_free(&answer->text);
    answer->text = (struct buf){0};
    buf_add(&answer->text, str_trim(writer_text(sink)));
    answer->wrong = code > STEPTIME_JUDGED;
    if (answer->wrong)
        say_error(answer, &err);
    else if (code == STEPTIME_JUDGED)
        buf_add(&answer->text, S("\n\n(exit code 1: judged, and the answer is no)"));
    if (!answer->text.len)
        buf_add(&answer->text, S("(nothing)"));
    writer_abandon(sink);
    arena_free(&arena);
}

/* Where a page that begins here ends: behind a line, where it has one. */
static size_t page_end(str text, size_t from)
{
    if (text.len - from <= PAGE_BYTES)
        return text.len;
    size_t end = from + PAGE_BYTES;
    while (end > from && text.at[end - 1] != '\n')
        end--;
    if (end > from)
        return end;
    for (end = from + PAGE_BYTES; end > from && (text.at[end] & 0xC0) == 0x80;) /* within a character */
        end--;
    return end;
}

str answer_page(const struct answer *answer, int64_t page, struct arena *arena, bool *wrong)
{
    const str text = buf_str(&answer->text);
    str shown = S("");
    int64_t pages = 0;
    *wrong = answer->wrong;
    for (size_t from = 0; from < text.len;) {
        const size_t end = page_end(text, from);
        if (++pages == page)
            shown = (str){text.at + from, end - from};
        from = end;
    }
    if (pages <= 1 && page == 1)
        return str_copy(arena, text);
    if (page < 1 || page > pages) {
        *wrong = true;
        return str_printf(arena, "There is no page %lld: the last is %lld.", (long long)page, (long long)pages);
    }
    return str_printf(arena, "%.*s\n\n(page %lld of %lld; ask with \"page\": %lld for the next)", (int)shown.len,
                      shown.at, (long long)page, (long long)pages, (long long)(page < pages ? page + 1 : 1));
}

void answer_free(struct answer *answer)
{
    buf_free(&answer->asked);
    buf_free(&answer->text);
}
