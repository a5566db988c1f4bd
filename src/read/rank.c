/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number behind the word at the start of the text, with at most one of -_= between. */
static int64_t number_behind(str text, str word)
{
    if (!str_starts_nocase(text, word))
        return -1;
    text = str_from(text, word.len);
    if (text.len && memchr("-_=", text.at[0], 3))
        text = str_from(text, 1);
    size_t digits = 0;
    while (digits < text.len && is_digit(text.at[digits]))
        digits++;
    int64_t number;
    return digits <= 9 && str_int((str){text.at, digits}, &number) ? number : -1;
}

/* The last such number: names of jobs come before the rank. */
static int64_t rank_in(str name, str word)
{
    int64_t rank = -1;
    for (size_t i = 0; i < name.len; i++) {
        const int64_t number = number_behind(str_from(name, i), word);
        rank = number >= 0 ? number : rank;
    }
    return rank;
}

static size_t last_slash(str path)
{
    size_t at = path.len;
    while (at && path.at[at - 1] != '/')
        at--;
    return at;
}

/* The file's own name says more than its folder, and "rank" more than "worker". */
int64_t rank_of_path(str path)
{
    const size_t name = last_slash(path);
    const size_t folder = last_slash((str){path.at, name ? name - 1 : 0});
    const str parts[] = {str_from(path, name), {path.at + folder, name - folder}};
    const str words[] = {S("rank"), S("worker")};
    for (int part = 0; part < 2; part++)
        for (int word = 0; word < 2; word++) {
            const int64_t rank = rank_in(parts[part], words[word]);
            if (rank >= 0)
                return rank;
        }
    return -1;
}
