/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

const char *setting_id(enum setting setting)
{
    static const char *const ids[SETTINGS] = {
        [SETTING_FORMAT] = "format",
        [SETTING_SCHEMA] = "schema",
        [SETTING_BACKEND] = "backend",
        [SETTING_NCCL] = "nccl_version",
        [SETTING_RUNTIME] = "runtime_version",
        [SETTING_DRIVER] = "driver_version",
        [SETTING_PRODUCTS] = "float_products",
        [SETTING_DEVICES] = "devices",
        [SETTING_CAPABILITY] = "capability",
        [SETTING_MEMORY] = "device_memory_bytes",
        [SETTING_PROCESSORS] = "device_processors",
        [SETTING_SHAPES] = "record_shapes",
        [SETTING_STACK] = "with_stack",
        [SETTING_ALLOCATIONS] = "profile_memory",
        [SETTING_FLOPS] = "with_flops",
    };
    return ids[setting];
}

static str number(int64_t value, struct arena *arena)
{
    return value < 0 ? S("") : str_printf(arena, "%lld", (long long)value);
}

/* What nothing is said of is off; of a file that breaks off it may stand in what is missing. */
static str on_or_off(const struct trace_info *info, bool on, bool said)
{
    return on ? S("on") : said || !info->cut ? S("off") : S("");
}

/*
 * The files do not record allow_tf32; names of the kernels that ran do: in what a cut file
 * lacks there may be others. Each name is looked at once.
 */
static str products_of(const struct trace *trace)
{
    struct arena scratch = {0};
    bool *seen = arena_array(&scratch, trace_text_count(trace), sizeof *seen), tf32 = false, fp32 = false;
    for (uint32_t row = 0; row < trace->count; row++) {
        if (trace->kind[row] != EVENT_KERNEL || seen[trace->name[row]])
            continue;
        seen[trace->name[row]] = true;
        const str name = trace_name(trace, row);
        tf32 |= str_has(name, S("tf32"));
        fp32 |= str_has(name, S("sgemm"));
    }
    arena_free(&scratch);
    return tf32 ? S("tf32") : fp32 && !trace->info.cut ? S("fp32") : S("");
}

struct settings settings_of(const struct trace *trace, struct arena *arena)
{
    const struct trace_info *info = &trace->info;
    struct settings settings = {{
        [SETTING_FORMAT] = str_copy(arena, info->format),
        [SETTING_SCHEMA] = str_copy(arena, info->schema),
        [SETTING_BACKEND] = str_copy(arena, info->backend),
        [SETTING_NCCL] = str_copy(arena, info->nccl),
        [SETTING_RUNTIME] = str_copy(arena, info->runtime),
        [SETTING_DRIVER] = str_copy(arena, info->driver),
        [SETTING_PRODUCTS] = products_of(trace),
        [SETTING_SHAPES] = on_or_off(info, info->shapes, info->says_shapes),
        [SETTING_STACK] = on_or_off(info, info->stack, info->says_stack),
        [SETTING_ALLOCATIONS] = on_or_off(info, info->memory, info->says_memory),
        [SETTING_FLOPS] = on_or_off(info, info->flops, info->says_flops),
    }};
    if (!info->device_count)
        return settings;
    const struct device_info *first = &info->devices[0];
    settings.of[SETTING_DEVICES] = number(info->device_count, arena);
    settings.of[SETTING_MEMORY] = number(first->memory_bytes, arena);
    settings.of[SETTING_PROCESSORS] = number(first->sms, arena);
    if (first->major >= 0)
        settings.of[SETTING_CAPABILITY] =
            str_printf(arena, "%lld.%lld", (long long)first->major, (long long)(first->minor < 0 ? 0 : first->minor));
    return settings;
}

static const char *id_of(int setting)
{
    return setting_id((enum setting)setting);
}

/* Of values that are kept with the texts, equal ones have one address: so the bytes of the struct are a text like any. */
const struct settings *settings_kept(struct settings settings, struct texts *texts, struct arena *arena)
{
    const str bytes = {(const char *)&settings, sizeof settings};
    return (const struct settings *)(const void *)(texts ? texts_keep(texts, bytes) : str_copy(arena, bytes)).at;
}

void settings_code(struct code *code, struct settings *settings)
{
    static const struct code_enum ids = {id_of, SETTINGS};
    bool used[SETTINGS];
    struct code_set set = {0};
    for (int i = 0; i < SETTINGS; i++)
        used[i] = settings->of[i].len;
    code_set(code, &ids, used, &set);
    for (uint32_t i = 0; i < set.count; i++)
        code_kept(code, &settings->of[set.at[i]]);
}
