/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that Inductor writes. A kernel is what `async_compile` makes; the remark above it, or above its call, says
 * which nodes of the graph it comes from:
 *
 *     # Topologically Sorted Source Nodes: [hidden, mul], Original ATen: [aten.relu, aten.mul]
 *     # Source node to ATen node mapping:
 *     triton_poi_fused_mul_relu_0 = async_compile.triton('triton_poi_fused_mul_relu_0', '''
 */
#include "base/mem.h"
#include "reading.h"
#include "reasons.h"
#include "text/json.h"

static uint32_t find_kernel(struct reading *reading, uint32_t compile, str name)
{
    return map_get(&reading->kernels, reading_key(reading, compile, name));
}

static struct log_kernel *add_kernel(struct reading *reading, uint32_t compile, str name)
{
    struct compile_log *log = reading->log;
    const uint32_t known = find_kernel(reading, compile, name);
    if (known != MAP_NONE)
        return &log->kernels[known];
    map_put(&reading->kernels, reading_key(reading, compile, name), log->kernel_count);
    log->kernels = mem_grow(log->kernels, &log->kernel_room, (size_t)log->kernel_count + 1, sizeof *log->kernels);
    struct log_kernel *kernel = &log->kernels[log->kernel_count++];
    *kernel = (struct log_kernel){.compile = compile, .name = str_copy(log->arena, name)};
    return kernel;
}

static void add_line(struct log_kernel *kernel, struct log_place place)
{
    for (uint32_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].line == place.line && str_eq(kernel->lines[i].file, place.file))
            return;
    if (place.file.len && kernel->line_count < LOG_MOST_LINES)
        kernel->lines[kernel->line_count++] = place;
}

/* ---- remarks ---- */

/* "Source Nodes: [a, b]": what is between the brackets. */
static str between_brackets(str line, str word)
{
    const char *const at = line.len >= word.len ? memmem(line.at, line.len, word.at, word.len) : NULL;
    if (!at)
        return S("");
    const str rest = str_from(line, (size_t)(at - line.at) + word.len);
    const char *const end = memchr(rest.at, ']', rest.len);
    return end ? (str){rest.at, (size_t)(end - rest.at)} : S("");
}

struct remark {
    str nodes, operators;
};

static void remark_on(struct reading *reading, uint32_t index, const struct remark *remark)
{
    struct log_kernel *kernel = &reading->log->kernels[index];
    if (kernel->nodes.len || !remark->nodes.len)
        return;
    kernel->nodes = str_copy(reading->log->arena, remark->nodes);
    kernel->operators = str_copy(reading->log->arena, remark->operators);
    str rest = kernel->nodes;
    for (str node; str_cut(&rest, ',', &node);) {
        const uint32_t place = map_get(&reading->nodes, reading_key(reading, kernel->compile, str_trim(node)));
        if (place != MAP_NONE)
            add_line(kernel, reading->places[place]);
    }
    kernel->from = kernel->line_count ? LINES_OF_NODES : LINES_UNKNOWN;
}

/* ---- lines ---- */

static size_t name_length(str text)
{
    size_t length = 0;
    while (length < text.len && (text.at[length] == '_' || (text.at[length] >= '0' && text.at[length] <= '9') ||
                                 (char_lower(text.at[length]) >= 'a' && char_lower(text.at[length]) <= 'z')))
        length++;
    return length;
}

/* A line that makes a kernel, or that calls one. */
static void on_statement(struct reading *reading, uint32_t compile, str line, const struct remark *remark)
{
    const str name = {line.at, name_length(line)}, rest = str_from(line, name.len);
    if (!name.len)
        return;
    if (str_starts(rest, S(" = async_compile.")) && !str_starts(rest, S(" = async_compile.wait"))) {
        add_kernel(reading, compile, name);
        remark_on(reading, find_kernel(reading, compile, name), remark);
    } else if (remark->nodes.len && (str_starts(rest, S("(")) || str_starts(rest, S(".run(")))) {
        const uint32_t kernel = find_kernel(reading, compile, name);
        if (kernel != MAP_NONE)
            remark_on(reading, kernel, remark);
    }
}

void reading_code(struct reading *reading, uint32_t compile, str body)
{
    struct remark remark = {0};
    for (str line; str_cut(&body, '\n', &line);) {
        line = str_trim(line);
        if (!str_starts(line, S("#"))) {
            on_statement(reading, compile, line, &remark);
            remark = (struct remark){0};
        } else if (str_has(line, S("Source Nodes: ["))) {
            remark.nodes = between_brackets(line, S("Source Nodes: ["));
            remark.operators = between_brackets(line, S("Original ATen: ["));
        }
    }
}

/* ---- stacks ---- */

/* The stacks say more than nodes do: they take their place. */
static void take_stacks(struct reading *reading, struct json *json, struct log_kernel *kernel)
{
    json_enter(json);
    for (str stack; json_item(json);) {
        if (!json_string(json, &stack))
            return;
        if (kernel->from != LINES_OF_STACKS)
            kernel->line_count = 0;
        kernel->from = LINES_OF_STACKS;
        add_line(kernel, place_of_stack(stack, reading->log->arena));
    }
}

/* {"cpp_fused_mul_0:2": ["  File \"train.py\", line 14, in score\n    ..."]}: a kernel with the number of its call. */
void reading_stacks(struct reading *reading, uint32_t compile, str body)
{
    struct arena scratch = {0};
    struct json json = json_of(body, &scratch);
    json_enter(&json);
    for (str key; json_key(&json, &key);) {
        const uint32_t kernel = find_kernel(reading, compile, (str){key.at, name_length(key)});
        if (kernel == MAP_NONE)
            json_skip(&json);
        else
            take_stacks(reading, &json, &reading->log->kernels[kernel]);
    }
    arena_free(&scratch);
}
