/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments stand in three or four lists side by side:
 *
 *     values   [[349, 366, 0, 1048576, 4, "cuda:0"], 0, [16, 9], "<None>"]
 *     shapes   [[1024, 1024], [], [[], []], []]
 *     types    ["Tensor(float)", "Int", "GenericList[Int,Int]", "None"]
 *
 * A tensor is its number, its storage's, offset, elements and their bytes. Lists
 * of numbers have a shape for each, which is left out here.
 */
#include "base/mem.h"
#include "execution.h"
#include "text/json.h"

struct argument {
    str value, shape, type, stride; /* raw JSON; "" where that list is shorter */
};

/* ---- what it is ---- */

static str unquoted(str raw)
{
    return raw.len >= 2 && raw.at[0] == '"' ? (str){raw.at + 1, raw.len - 2} : S("");
}

static bool is_list(str type)
{
    return str_starts(type, S("GenericList["));
}

static bool is_list_of_lists(str type)
{
    return str_starts(type, S("GenericList[GenericList["));
}

/* The next "Tensor(WORD)" in the text of a type. */
static bool next_tensor_type(str *rest, str *word)
{
    const char *at = rest->len ? memmem(rest->at, rest->len, "Tensor(", 7) : NULL;
    if (!at)
        return false;
    *rest = str_from(*rest, (size_t)(at - rest->at) + 7);
    const char *const close = memchr(rest->at, ')', rest->len);
    const size_t len = close ? (size_t)(close - rest->at) : rest->len;
    *word = (str){rest->at, len};
    *rest = str_from(*rest, len);
    return true;
}

/* The type of all tensors in the list; "TensorList" where they differ. */
static str list_type(str type)
{
    str first, word;
    if (!next_tensor_type(&type, &first))
        return S("ScalarList");
    while (next_tensor_type(&type, &word))
        if (!str_eq(word, first))
            return S("TensorList");
    return first;
}

static str kineto_type(str type)
{
    str word, rest = type;
    if (is_list(type))
        return list_type(type);
    if (next_tensor_type(&rest, &word))
        return word;
    const bool number = str_eq(type, S("Int")) || str_eq(type, S("Double")) || str_eq(type, S("Bool"));
    return number ? S("Scalar") : S("");
}

static bool has_tensors(str type)
{
    return str_has(type, S("Tensor("));
}

/* ---- writing ---- */

static void add_text(struct buf *buf, str text)
{
    buf_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '"' || text.at[i] == '\\')
            buf_char(buf, '\\');
        buf_char(buf, text.at[i]);
    }
    buf_char(buf, '"');
}

/* Blanks between brackets are kept as they are; a line break in them would be, too, so it becomes a blank. */
static void add_flat(struct buf *buf, str raw)
{
    for (size_t i = 0; i < raw.len; i++)
        buf_char(buf, (unsigned char)raw.at[i] < ' ' ? ' ' : raw.at[i]);
}

static void add_value(struct buf *buf, str value, str type)
{
    if (has_tensors(type) || !value.len || str_eq(value, S("null")) || str_eq(value, S("\"<None>\"")))
        buf_add(buf, S("\"\""));
    else if (str_eq(value, S("true")))
        buf_add(buf, S("\"True\""));
    else if (str_eq(value, S("false")))
        buf_add(buf, S("\"False\""));
    else if (value.at[0] == '"')
        buf_add(buf, value);
    else
        add_text(buf, value);
}

/* The lists in a list as one: "[[[1], [1]], [[2]]]" becomes "[[1], [1], [2]]". */
static void add_joined(struct execution_reading *r, str raw)
{
    struct json json = json_at(raw.at, &r->scratch);
    char before = '[';
    buf_char(&r->dims, '[');
    json_enter(&json);
    for (str item; json_item(&json) && json_raw(&json, &item);) {
        const str inner = item.at[0] == '[' ? str_trim((str){item.at + 1, item.len - 2}) : S("");
        if (!inner.len)
            continue;
        if (before != '[')
            buf_char(&r->dims, ',');
        add_flat(&r->dims, inner);
        before = ',';
    }
    buf_char(&r->dims, ']');
}

static void add_argument(struct execution_reading *r, const struct argument *a)
{
    const str type = unquoted(a->type);
    const bool sized = a->shape.len && (has_tensors(type) || !is_list(type));
    if (sized && is_list_of_lists(type) && a->shape.at[0] == '[')
        add_joined(r, a->shape);
    else
        add_flat(&r->dims, sized ? a->shape : S("[]"));
    add_text(&r->types, kineto_type(type));
    add_value(&r->values, a->value, type);
    add_flat(&r->strides, a->stride.len && has_tensors(type) ? a->stride : S("[]"));
}

/* ---- tensors ---- */

static enum tensor_place place_of(str device)
{
    if (!device.len)
        return PLACE_UNKNOWN;
    return str_starts(device, S("\"cpu")) ? PLACE_HOST : PLACE_DEVICE;
}

/* [tensor, storage, offset, elements, bytes of one, "device"]; the device from schema 1.0.1 on. */
static void add_tensor(struct execution_reading *r, struct json *json)
{
    enum { NUMBERS = 5 };
    int64_t number[NUMBERS] = {0};
    str device = S("");
    int count = 0;
    for (json_enter(json); count < NUMBERS && json_item(json) && json_int(json, &number[count]); count++)
        ;
    if (count == 0)
        return;
    if (count == NUMBERS && json_item(json))
        json_raw(json, &device);
    struct execution_tensor tensor = {.id = number[0], .storage = number[1], .place = (uint8_t)place_of(device)};
    if (count < NUMBERS || number[3] < 0 || number[4] < 0 ||
        __builtin_mul_overflow(number[3], number[4], &tensor.bytes))
        tensor.bytes = -1;
    r->tensors = mem_grow(r->tensors, &r->tensor_room, r->tensor_count + 1, sizeof *r->tensors);
    r->tensors[r->tensor_count++] = tensor;
}

static void add_list(struct execution_reading *r, str raw, bool lists)
{
    struct json json = json_at(raw.at, &r->scratch);
    json_enter(&json);
    for (str item; json_item(&json) && json_raw(&json, &item);) {
        struct json tensor = json_at(item.at, &r->scratch);
        if (item.at[0] != '[')
            continue;
        if (lists)
            add_list(r, item, false);
        else
            add_tensor(r, &tensor);
    }
}

static void add_tensors(struct execution_reading *r, const struct argument *a)
{
    const str type = unquoted(a->type);
    struct json json = json_at(a->value.at, &r->scratch);
    if (!has_tensors(type) || !a->value.len || a->value.at[0] != '[')
        return;
    if (is_list(type))
        add_list(r, a->value, is_list_of_lists(type));
    else
        add_tensor(r, &json);
}

/* ---- all arguments ---- */

struct lists {
    struct json values, shapes, types, strides;
};

/* Of a text that is a list; of another one that is at its end. */
static struct json list_at(struct execution_reading *r, str raw)
{
    struct json json = json_at(raw.at, &r->scratch);
    if (!raw.len || raw.at[0] != '[' || !json_enter(&json))
        json.failed = true;
    return json;
}

static bool next_of(struct json *list, str *item)
{
    *item = S("");
    if (!list->failed && json_item(list) && json_raw(list, item))
        return true;
    list->failed = true;
    return false;
}

static bool next_argument(struct lists *lists, struct argument *a)
{
    const bool value = next_of(&lists->values, &a->value), shape = next_of(&lists->shapes, &a->shape);
    const bool type = next_of(&lists->types, &a->type), stride = next_of(&lists->strides, &a->stride);
    return value || shape || type || stride;
}

static void each_buf(struct execution_reading *r, str text)
{
    buf_add(&r->dims, text);
    buf_add(&r->types, text);
    buf_add(&r->values, text);
    buf_add(&r->strides, text);
}

static str kept(struct execution_reading *r, struct buf *buf)
{
    struct intern *texts = r->execution->texts;
    return intern_text(texts, intern_id(texts, buf_str(buf)));
}

struct execution_arguments execution_arguments(struct execution_reading *r, const struct raw_arguments *raw)
{
    struct lists lists = {list_at(r, raw->values), list_at(r, raw->shapes), list_at(r, raw->types),
                          list_at(r, raw->strides)};
    struct execution_arguments out = {.first_tensor = (uint32_t)r->tensor_count};
    struct argument argument;
    buf_clear(&r->dims), buf_clear(&r->types), buf_clear(&r->values), buf_clear(&r->strides);
    uint32_t count = 0;
    for (; next_argument(&lists, &argument); count++) {
        each_buf(r, count ? S(", ") : S("["));
        add_argument(r, &argument);
        add_tensors(r, &argument);
    }
    if (!count)
        return out;
    each_buf(r, S("]"));
    out.tensors = (uint32_t)r->tensor_count - out.first_tensor;
    out.dims = kept(r, &r->dims);
    out.types = kept(r, &r->types);
    out.values = kept(r, &r->values);
    out.strides = raw->strides.len ? kept(r, &r->strides) : S("");
    return out;
}
