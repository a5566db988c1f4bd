/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <string.h>

/* Where the text is read and where its words are written; a word is never longer than its text. */
struct cutter {
    const char *from;
    char *to;
    bool shell; /* the text means more than words */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static void take_single_quoted(struct cutter *cutter)
{
    while (*cutter->from && *cutter->from != '\'')
        *cutter->to++ = *cutter->from++;
    cutter->shell |= !*cutter->from;
    cutter->from += *cutter->from != 0;
}

static void take_double_quoted(struct cutter *cutter)
{
    while (*cutter->from && *cutter->from != '"') {
        cutter->shell |= *cutter->from == '$' || *cutter->from == '`';
        if (*cutter->from == '\\' && cutter->from[1] && strchr("$`\"\\\n", cutter->from[1]))
            cutter->from++;
        *cutter->to++ = *cutter->from++;
    }
    cutter->shell |= !*cutter->from;
    cutter->from += *cutter->from != 0;
}

static void take_plain(struct cutter *cutter)
{
    cutter->shell |= strchr("$`|&;<>()*?[]{}#~!", *cutter->from) != NULL;
    *cutter->to++ = *cutter->from++;
}

static void take_escaped(struct cutter *cutter)
{
    cutter->shell |= !cutter->from[0] || cutter->from[0] == '\n';
    if (*cutter->from)
        *cutter->to++ = *cutter->from++;
}

static const char *take_word(struct cutter *cutter)
{
    const char *word = cutter->to;
    while (*cutter->from && !is_blank(*cutter->from)) {
        const char c = *cutter->from;
        cutter->from += c == '\'' || c == '"' || c == '\\';
        if (c == '\'')
            take_single_quoted(cutter);
        else if (c == '"')
            take_double_quoted(cutter);
        else if (c == '\\')
            take_escaped(cutter);
        else
            take_plain(cutter);
    }
    *cutter->to++ = 0;
    return word;
}

/* NAME=value before a command is the shell's. */
static bool is_assignment(const char *word)
{
    const size_t name = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name && word[name] == '=';
}

static const char **hand_to_shell(const char *text, struct arena *arena, uint32_t *count)
{
    const char **words = arena_array(arena, 4, sizeof *words);
    words[0] = "sh";
    words[1] = "-c";
    words[2] = text;
    *count = 3;
    return words;
}

const char **words_of(const char *text, struct arena *arena, uint32_t *count)
{
    const size_t len = strlen(text);
    struct cutter cutter = {.from = text, .to = arena_alloc(arena, 2 * len + 2)};
    const char **words = arena_array(arena, len / 2 + 2, sizeof *words);
    *count = 0;
    while (cutter.from += strspn(cutter.from, " \t\n"), *cutter.from)
        words[(*count)++] = take_word(&cutter);
    if (cutter.shell || (*count && is_assignment(words[0])))
        return hand_to_shell(text, arena, count);
    return words;
}
