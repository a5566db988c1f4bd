/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth decides what a bracket means: 1 is the list of arguments, 2 an argument,
 * 3 a tensor in a list argument. Nothing nests deeper, so nothing recurses.
 */
#include "shape.h"

#include <ctype.h>

enum { IN_NOTHING, IN_SHAPE, IN_ARGUMENT, IN_LIST };

struct shape_parser {
    str rest;
    int depth;
    bool failed;
    bool has_sizes, has_tensors; /* of the open argument: it cannot have both */
    struct shape_argument *arguments;
    struct tensor_dims *tensors;
    int64_t *sizes;
    uint32_t argument_count, tensor_count, size_count;
    uint32_t first_tensor, first_size; /* of the open argument, of the open tensor */
};

static void end_tensor(struct shape_parser *p)
{
    p->tensors[p->tensor_count++] = (struct tensor_dims){p->sizes + p->first_size, p->size_count - p->first_size};
    p->first_size = p->size_count;
}

static void end_argument(struct shape_parser *p)
{
    if (!p->has_tensors)
        end_tensor(p);
    p->arguments[p->argument_count++] =
        (struct shape_argument){p->tensors + p->first_tensor, p->tensor_count - p->first_tensor, p->has_tensors};
    p->first_tensor = p->tensor_count;
    p->has_sizes = p->has_tensors = false;
}

static void open_bracket(struct shape_parser *p)
{
    p->failed |= p->depth == IN_LIST || (p->depth == IN_ARGUMENT && p->has_sizes);
    p->has_tensors |= p->depth == IN_ARGUMENT;
    p->depth++;
}

static void close_bracket(struct shape_parser *p)
{
    if (p->depth == IN_LIST)
        end_tensor(p);
    else if (p->depth == IN_ARGUMENT)
        end_argument(p);
    p->failed |= p->depth == IN_NOTHING;
    p->depth--;
}

static void take_size(struct shape_parser *p)
{
    size_t len = 0;
    while (len < p->rest.len && isdigit((unsigned char)p->rest.at[len]))
        len++;
    const bool here = p->depth == IN_LIST || (p->depth == IN_ARGUMENT && !p->has_tensors);
    p->failed |= !here || !str_int((str){p->rest.at, len}, &p->sizes[p->size_count]);
    p->size_count++;
    p->has_sizes |= p->depth == IN_ARGUMENT;
    p->rest = str_from(p->rest, len);
}

static void take_token(struct shape_parser *p)
{
    const char c = p->rest.at[0];
    if (isdigit((unsigned char)c)) {
        take_size(p);
        return;
    }
    if (c == '[')
        open_bracket(p);
    else if (c == ']')
        close_bracket(p);
    else
        p->failed |= c != ',' && c != ' ' && c != '\t' && c != '\n' && c != '\r';
    p->rest = str_from(p->rest, 1);
}

/* Some writers quote the whole list. */
static str unquoted(str text)
{
    text = str_trim(text);
    return text.len >= 2 && text.at[0] == '"' && text.at[text.len - 1] == '"' ? (str){text.at + 1, text.len - 2} : text;
}

static uint32_t count_of(str text, char c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.at[i] == c;
    return count;
}

bool shape_parse(str text, struct arena *arena, struct shape *shape)
{
    *shape = (struct shape){0};
    const str list = unquoted(text);
    if (!str_starts(list, S("[")) || !str_ends(list, S("]")))
        return false;
    /* Every tensor and argument has a bracket of its own; every size is ended by a comma or a bracket. */
    const uint32_t brackets = count_of(list, '['), sizes = count_of(list, ',') + brackets + 1;
    struct shape_parser p = {
        .rest = list,
        .arguments = arena_array(arena, brackets, sizeof *p.arguments),
        .tensors = arena_array(arena, brackets, sizeof *p.tensors),
        .sizes = arena_array(arena, sizes, sizeof *p.sizes),
    };
    while (p.rest.len && !p.failed && p.size_count < sizes)
        take_token(&p);
    if (p.failed || p.rest.len || p.depth != IN_NOTHING)
        return false;
    *shape = (struct shape){p.arguments, p.argument_count};
    return true;
}

int64_t dims_elements(struct tensor_dims dims)
{
    int64_t elements = 1;
    bool overflow = false;
    for (uint32_t i = 0; i < dims.rank; i++) {
        if (dims.at[i] == 0)
            return 0;
        overflow |= __builtin_mul_overflow(elements, dims.at[i], &elements);
    }
    return overflow ? -1 : elements;
}

bool dims_fit(struct tensor_dims dims)
{
    static const int64_t most_elements = (int64_t)1 << 46, most_size = (int64_t)1 << 40;
    for (uint32_t i = 0; i < dims.rank; i++)
        if (dims.at[i] > most_size)
            return false;
    const int64_t elements = dims_elements(dims);
    return elements >= 0 && elements <= most_elements;
}

bool shape_fits(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++)
        for (uint32_t k = 0; k < shape->arguments[i].count; k++)
            if (!dims_fit(shape->arguments[i].tensors[k]))
                return false;
    return true;
}

/* ---- lists of texts ---- */

/* Bytes of the quoted text at the start, without its quotes; the closing one may be missing. */
static size_t quoted_bytes(str text)
{
    size_t i = 1;
    while (i < text.len && text.at[i] != '"')
        i += text.at[i] == '\\' ? 2 : 1;
    return (i < text.len ? i : text.len) - 1;
}

/* Bytes up to the comma or bracket that ends the element, nested lists left whole. */
static size_t bare_bytes(str text)
{
    size_t i = 0;
    int depth = 0;
    for (; i < text.len; i++) {
        const char c = text.at[i];
        if (depth == 0 && (c == ',' || c == ']'))
            break;
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    return i;
}

static str take_text(str *rest)
{
    if (str_starts(*rest, S("\""))) {
        const str text = {rest->at + 1, quoted_bytes(*rest)};
        *rest = str_from(*rest, text.len + 2);
        *rest = str_from(*rest, bare_bytes(*rest));
        return text;
    }
    const str text = {rest->at, bare_bytes(*rest)};
    *rest = str_from(*rest, text.len);
    return str_trim(text);
}

bool text_list_parse(str text, struct arena *arena, struct text_list *list)
{
    *list = (struct text_list){0};
    str rest = str_trim(text);
    if (!str_starts(rest, S("[")) || !str_ends(rest, S("]")))
        return false;
    rest = str_trim((str){rest.at + 1, rest.len - 2});
    if (!rest.len)
        return true;
    str *texts = arena_array(arena, (size_t)count_of(rest, ',') + 1, sizeof *texts);
    uint32_t count = 0;
    for (;;) {
        texts[count++] = take_text(&rest);
        if (!str_starts(rest, S(",")))
            break;
        rest = str_trim(str_from(rest, 1));
    }
    *list = (struct text_list){texts, count};
    return rest.len == 0;
}

str text_list_at(const struct text_list *list, uint32_t i)
{
    return i < list->count ? list->at[i] : S("");
}

uint32_t integers_parse(str text, int64_t *into, uint32_t room)
{
    text = str_trim(text);
    if (!str_starts(text, S("[")) || !str_ends(text, S("]")) || text.len < 3)
        return 0;
    str rest = {text.at + 1, text.len - 2}, part;
    uint32_t count = 0;
    while (count < room && str_cut(&rest, ',', &part))
        if (!str_int(str_trim(part), &into[count++]))
            return 0;
    return count;
}
