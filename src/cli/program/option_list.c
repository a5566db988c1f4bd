/* SPDX-License-Identifier: Apache-2.0 */
#include "option_list.h"

#include "base/error.h"

static uint32_t words_in(str text)
{
    uint32_t words = 1;
    for (size_t i = 0; i < text.len; i++)
        words += text.at[i] == ',';
    return words;
}

bool option_list_of(const char *option, str text, struct arena *arena, struct option_list *list,
                    struct steptime_error *err)
{
    const uint32_t words = words_in(text);
    str *const at = arena_array(arena, words, sizeof *at);
    str rest = text, word;
    *list = (struct option_list){.at = at};
    while (str_cut(&rest, ',', &word) && str_trim(word).len)
        at[list->count++] = str_trim(word);
    return list->count == words ||
           fail(err, STEPTIME_USAGE, text.len ? "--%s has nothing beside a comma: '%.*s'" : "--%s says nothing: '%.*s'",
                option, (int)text.len, text.at);
}

bool option_list_read(const struct call *call, const char *option, struct arena *arena, struct option_list *list,
                      struct steptime_error *err)
{
    const char *const text = call_text(call, option);
    *list = (struct option_list){0};
    return !text || option_list_of(option, str_of(text), arena, list, err);
}
