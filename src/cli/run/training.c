/* SPDX-License-Identifier: Apache-2.0 */
#include "training.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/real.h"
#include "child/child.h"

const char *training_python(const struct call *call)
{
    const char *const given = call_text(call, "python");
    return given ? given : "python3";
}

const char *const *training_words_from(const struct call *call, uint32_t first, struct arena *arena)
{
    const uint32_t count = call_argument_count(call);
    const char **words = arena_array(arena, count - first + (size_t)2, sizeof *words);
    uint32_t at = 0;
    if (str_ends(str_of(call_argument(call, first)), S(".py")))
        words[at++] = training_python(call);
    for (uint32_t i = first; i < count; i++)
        words[at++] = call_argument(call, i);
    return words;
}

const char *const *training_words(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    if (call_argument_count(call))
        return training_words_from(call, 0, arena);
    fail(err, STEPTIME_USAGE, "which command? steptime %s -- python train.py", call->command->name);
    return NULL;
}

bool training_real(const struct call *call, const char *option, double otherwise, double *value,
                   struct steptime_error *err)
{
    const char *const text = call_text(call, option);
    *value = otherwise;
    return !text || (real_read(str_of(text), value) && *value >= 0) ||
           fail(err, STEPTIME_USAGE, "--%s is a number from 0 on, not '%s'", option, text);
}

void training_say(str line)
{
    fprintf(stderr, "steptime: %.*s\n", (int)line.len, line.at);
}

enum steptime_code training_end(struct arena *arena, enum steptime_code code)
{
    arena_free(arena);
    if (child_interrupted())
        raise(child_interrupted()); /* its handler is the usual one again */
    return code;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_@%+=:,./-", c));
}

str training_in_shell(const char *path, struct arena *arena)
{
    struct buf quoted = {0};
    bool plain = *path != '\0';
    buf_char(&quoted, '\'');
    for (const char *at = path; *at; at++) {
        plain = plain && is_plain(*at);
        buf_add(&quoted, *at == '\'' ? S("'\\''") : (str){at, 1});
    }
    buf_char(&quoted, '\'');
    const str word = plain ? str_of(path) : str_copy(arena, buf_str(&quoted));
    buf_free(&quoted);
    return word;
}
