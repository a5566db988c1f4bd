/* SPDX-License-Identifier: Apache-2.0 */
/* What the document says beside its events. */
#include "kineto.h"

#include "text/json.h"

static str kept(struct kineto *k, str text)
{
    return str_copy(trace_arena(k->trace), text);
}

/* A text, or what stands for it as it is written: versions are numbers in some files. */
static void read_text(struct kineto *k, struct json *j, str *into)
{
    str text;
    if (json_peek(j) == '"' ? json_string(j, &text) : json_raw(j, &text))
        *into = kept(k, text);
}

/* A number or a number in quotes; other values leave it as it was. */
static void read_int(struct json *j, int64_t *into)
{
    const char first = json_peek(j);
    str text;
    if (first == '"' && json_string(j, &text))
        str_int(text, into);
    else if (first == '-' || json_is_digit(first))
        json_int(j, into);
    else
        json_skip(j);
}

/* True: the file says it. */
static bool read_flag(struct json *j, bool *into)
{
    const char first = json_peek(j);
    *into = first == 't' || (json_is_digit(first) && first != '0');
    json_skip(j);
    return true;
}

/* A process group of which the rank is a member. */
static int64_t read_group_size(struct json *j)
{
    int64_t size = -1;
    json_enter(j);
    for (str key; json_key(j, &key);) {
        if (str_eq(key, S("pg_size")))
            read_int(j, &size);
        else
            json_skip(j);
    }
    return size;
}

/* The first that is recorded is of all ranks. */
static void read_groups(struct kineto *k, struct json *j)
{
    int64_t all = -1;
    if (json_peek(j) != '[') {
        json_skip(j);
        return;
    }
    json_enter(j);
    while (json_item(j)) {
        if (json_peek(j) != '{') {
            json_skip(j);
            continue;
        }
        const int64_t size = read_group_size(j);
        if (all < 0)
            all = size;
        k->trace->info.parts += size > 1 && size < all;
    }
}

static void read_distributed(struct kineto *k, struct json *j)
{
    struct trace_info *info = &k->trace->info;
    json_enter(j);
    for (str key; json_key(j, &key);) {
        if (str_eq(key, S("rank")))
            read_int(j, &info->rank);
        else if (str_eq(key, S("world_size")))
            read_int(j, &info->world_size);
        else if (str_eq(key, S("backend")))
            read_text(k, j, &info->backend);
        else if (str_eq(key, S("nccl_version")))
            read_text(k, j, &info->nccl);
        else if (str_eq(key, S("pg_config")))
            read_groups(k, j);
        else
            json_skip(j);
    }
}

/* deviceProperties, and computeProperties of 2021, which says major for computeMajor. */
static void read_device(struct kineto *k, struct json *j, struct device_info *device)
{
    *device = (struct device_info){-1, S(""), -1, -1, -1, -1};
    json_enter(j);
    for (str key; json_key(j, &key);) {
        if (str_eq(key, S("id")))
            read_int(j, &device->id);
        else if (str_eq(key, S("name")))
            read_text(k, j, &device->name);
        else if (str_eq(key, S("totalGlobalMem")))
            read_int(j, &device->memory_bytes);
        else if (str_eq(key, S("numSms")) || str_eq(key, S("multiProcessorCount")))
            read_int(j, &device->sms);
        else if (str_eq(key, S("computeMajor")) || str_eq(key, S("major")))
            read_int(j, &device->major);
        else if (str_eq(key, S("computeMinor")) || str_eq(key, S("minor")))
            read_int(j, &device->minor);
        else
            json_skip(j);
    }
}

static uint32_t count_items(struct json j)
{
    uint32_t count = 0;
    for (json_enter(&j); count < UINT32_MAX && json_item(&j); count++)
        json_skip(&j);
    return count;
}

static void read_devices(struct kineto *k, struct json *j)
{
    enum { MOST_DEVICES = 1024 };
    struct trace_info *info = &k->trace->info;
    const uint32_t found = count_items(*j), count = found < MOST_DEVICES ? found : MOST_DEVICES;
    if (found > count)
        trace_note(k->trace, NOTE_REMARK, -1, "of %u devices in its properties the first %u are read", found, count);
    info->devices = arena_array(trace_arena(k->trace), count, sizeof *info->devices);
    info->device_count = 0;
    json_enter(j);
    while (info->device_count < count && json_item(j)) {
        if (json_peek(j) == '{')
            read_device(k, j, &info->devices[info->device_count++]);
        else
            json_skip(j);
    }
}

static void read_member(struct kineto *k, str key, struct json *j)
{
    struct trace_info *info = &k->trace->info;
    if (str_eq(key, S("schemaVersion")))
        read_text(k, j, &info->schema);
    else if (str_eq(key, S("deviceProperties")) || str_eq(key, S("computeProperties")))
        read_devices(k, j);
    else if (str_eq(key, S("distributedInfo")))
        read_distributed(k, j);
    else if (str_eq(key, S("baseTimeNanoseconds")))
        read_int(j, &info->base_ns);
    else if (str_eq(key, S("host_name")))
        read_text(k, j, &info->host);
    else if (str_eq(key, S("trace_id")))
        read_text(k, j, &info->trace_id);
    else if (str_eq(key, S("pytorch_version")) || str_eq(key, S("torch_version")))
        read_text(k, j, &info->torch_version);
    else if (str_eq(key, S("cuda_runtime_version")) || str_eq(key, S("hip_runtime_version")))
        read_text(k, j, &info->runtime);
    else if (str_eq(key, S("cuda_driver_version")) || str_eq(key, S("hip_driver_version")))
        read_text(k, j, &info->driver);
    else if (str_eq(key, S("record_shapes")))
        info->says_shapes = read_flag(j, &info->shapes);
    else if (str_eq(key, S("with_stack")))
        info->says_stack = read_flag(j, &info->stack);
    else if (str_eq(key, S("profile_memory")))
        info->says_memory = read_flag(j, &info->memory);
    else if (str_eq(key, S("with_flops")))
        info->says_flops = read_flag(j, &info->flops);
}

void kineto_head(struct kineto *k, str key, const char *value)
{
    struct json j = json_at(value, &k->scratch);
    read_member(k, key, &j);
}
