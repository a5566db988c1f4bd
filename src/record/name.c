/* SPDX-License-Identifier: Apache-2.0 */
#include "name.h"

#include <string.h>

static str last_part(str path, char separator)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.at[i - 1] == separator)
            return str_from(path, i);
    return path;
}

static str without(str text, str ending)
{
    return str_ends(text, ending) && text.len > ending.len ? (str){text.at, text.len - ending.len} : text;
}

/* A module that starts the script whose name follows. */
static bool is_launcher(str module)
{
    static const str launchers[] = {S("torch.distributed."), S("accelerate."), S("deepspeed."), S("nbconvert")};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (str_starts(module, launchers[i]))
            return true;
    return false;
}

/* The first script or module among the words; else the command. */
static str named_by(const char *const *argv)
{
    for (const char *const *word = argv; *word; word++) {
        const str text = str_of(*word);
        if (str_eq(text, S("--output")) && word[1]) { /* of nbconvert: a notebook, too */
            word++;
            continue;
        }
        if (str_ends(text, S(".py")) || str_ends(text, S(".ipynb")))
            return without(without(last_part(text, '/'), S(".py")), S(".ipynb"));
        if (str_eq(text, S("-m")) && word[1] && !is_launcher(str_of(word[1])))
            return last_part(str_of(word[1]), '.');
    }
    return last_part(str_of(argv[0]), '/');
}

str record_name(const char *const *argv, struct arena *arena)
{
    static const char *const fine = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const str name = str_copy(arena, named_by(argv));
    char *const text = (char *)name.at;
    for (size_t i = 0; i < name.len; i++)
        if (!strchr(fine, text[i]) || !text[i])
            text[i] = '_';
    return name.len ? name : S("script");
}
