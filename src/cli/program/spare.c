/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "base/error.h"
#include "call.h"
#include "io/same_file.h"

/* Options whose FILE is written; that of all others is read, or run. */
static bool writes(const struct option *option)
{
    return str_is_among("output overlay keep kernels write-baseline", str_of(option->name));
}

bool outputs_spare(const struct call *call, const char *read, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (writes(given->option) && same_file(given->value, read))
            return fail(err, STEPTIME_USAGE, "--%s %s would write over an input: %s", given->option->name, given->value,
                        read);
    }
    return true;
}

/* ---- what a word of the command line may lead to ---- */

static bool spare_word(const struct call *call, str word, struct steptime_error *err)
{
    struct arena scratch = {0};
    const bool good = outputs_spare(call, str_z(&scratch, word), err);
    arena_free(&scratch);
    return good;
}

/* "list:FILE", "dlrm:FILE@BATCH" name a file behind a word. */
static bool spare_behind_word(const struct call *call, const char *read, struct steptime_error *err)
{
    const char *const colon = strchr(read, ':');
    str rest = str_of(colon ? colon + 1 : ""), file;
    return !str_cut(&rest, '@', &file) || spare_word(call, file, err);
}

/* "FILE,FILE", "LINK=FILE", and a script's own "--config=FILE". */
static bool spare_parts(const struct call *call, const char *read, struct steptime_error *err)
{
    str rest = str_of(read);
    for (str part, name; str_cut(&rest, ',', &part);) {
        str file = part;
        if (!spare_word(call, str_trim(part), err) ||
            (str_cut(&file, '=', &name) && file.len && !spare_word(call, file, err)))
            return false;
    }
    return true;
}

static bool spare_argument(const struct call *call, const char *read, struct steptime_error *err)
{
    return outputs_spare(call, read, err) && spare_behind_word(call, read, err) && spare_parts(call, read, err);
}

/* `python -m training.main` runs training/main.py, or training/main/__main__.py. */
static bool spare_module(const struct call *call, const char *module, struct steptime_error *err)
{
    struct arena scratch = {0};
    char *const path = arena_alloc(&scratch, strlen(module) + 1);
    for (size_t i = 0; module[i]; i++)
        path[i] = module[i] == '.' ? '/' : module[i];
    const bool good = outputs_spare(call, str_printf(&scratch, "%s.py", path).at, err) &&
                      outputs_spare(call, str_printf(&scratch, "%s/__main__.py", path).at, err);
    arena_free(&scratch);
    return good;
}

/* A baseline may be written anew over the one that it is read from: that is how findings are taken into it. */
static bool is_read(const struct option *option)
{
    static const char *const words[] = {"FILE", "TRACE", "PATH", "KEY=VALUE" /* hw=FILE */};
    bool file = false;
    for (size_t i = 0; option->value && i < sizeof words / sizeof *words; i++)
        file |= strstr(option->value, words[i]) != NULL;
    return file && !writes(option) && strcmp(option->name, "baseline") != 0;
}

/* ---- two of them in one ---- */

static bool outputs_are_apart(const struct call *call, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct given *const a = &call->given[j], *const b = &call->given[i];
            if (writes(a->option) && writes(b->option) && a->option != b->option &&
                (!strcmp(a->value, b->value) || same_file(a->value, b->value)))
                return fail(err, STEPTIME_USAGE, "--%s %s would write over what --%s writes", b->option->name, b->value,
                            a->option->name);
        }
    return true;
}

bool outputs_spare_named(const struct call *call, struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (!spare_argument(call, call->arguments[i], err) ||
            (i && !strcmp(call->arguments[i - 1], "-m") && !spare_module(call, call->arguments[i], err)))
            return false;
    for (uint32_t i = 0; i < call->given_count; i++)
        if (is_read(call->given[i].option) && !spare_parts(call, call->given[i].value, err))
            return false;
    return outputs_are_apart(call, err);
}
