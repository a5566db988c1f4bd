/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware_option.h"

#include <stdio.h>

#include "call.h"
#include "hw/contradiction.h"

bool hardware_apply_sets(const struct call *call, struct arena *arena, struct hardware *hardware,
                         struct steptime_error *err)
{
    for (uint32_t i = 0; i < call->given_count; i++)
        if (!strcmp(call->given[i].option->name, "set") &&
            !hardware_set(hardware, str_of(call->given[i].value), arena, err))
            return false;
    for (uint32_t i = 0; i < call->given_count; i++) {
        const char *const link = call->given[i].value;
        if (!strcmp(call->given[i].option->name, "network") &&
            !hardware_set(hardware, str_printf(arena, "network=%.*s", (int)strcspn(link, ","), link), arena, err))
            return false;
    }
    return true;
}

/* What is asked may be no device that can be; it is answered, and said. */
static void say_contradiction(const struct hardware *hardware)
{
    struct arena arena = {0};
    uint32_t count;
    const str first = hardware_contradiction(hardware, &arena, &count);
    if (count)
        fprintf(stderr, "steptime: %u figures of %.*s contradict each other: %.*s\n", count, (int)hardware->name.len,
                hardware->name.at, (int)first.len, first.at);
    arena_free(&arena);
}

bool hardware_of_words(const struct call *call, str name, struct arena *arena, struct hardware *hardware,
                       struct steptime_error *err)
{
    if (!hardware_find(name, arena, hardware, err) || !hardware_apply_sets(call, arena, hardware, err))
        return false;
    say_contradiction(hardware);
    return true;
}

static void tell(str name, struct report *report)
{
    const str remark = hardware_remark(name, report_arena(report));
    if (remark.len)
        report_warning(report, S(""), -1, remark);
}

static void tell_each(str names, struct report *report)
{
    for (str name; str_cut(&names, ',', &name);)
        tell(str_trim(name), report);
}

/* "hw=V100,A100" */
static void tell_swept(str sweep, struct report *report)
{
    str key;
    if (str_cut(&sweep, '=', &key) && str_eq(key, S("hw")))
        tell_each(sweep, report);
}

void hardware_tell(const struct call *call, struct report *report)
{
    for (uint32_t i = 0; i < call->given_count; i++) {
        const str option = str_of(call->given[i].option->name);
        if (str_eq(option, S("hw")) || str_eq(option, S("at")))
            tell_each(str_of(call->given[i].value), report);
        else if (str_eq(option, S("sweep")))
            tell_swept(str_of(call->given[i].value), report);
    }
    if (!strcmp(call->command->name, "hw") && call_argument_count(call))
        tell(str_of(call_argument(call, 0)), report);
}

void hardware_say(const struct call *call)
{
    struct arena arena = {0};
    const char *const hw = call_text(call, "hw");
    const str remark = hw ? hardware_remark(str_of(hw), &arena) : S("");
    if (remark.len)
        fprintf(stderr, "steptime: %.*s\n", (int)remark.len, remark.at);
    arena_free(&arena);
}
