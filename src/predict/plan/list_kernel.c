/* SPDX-License-Identifier: Apache-2.0 */
#include "list_kernel.h"

#include "model/tables/table.h"

enum { FP32_BYTES = 4 };

/* ---- nodes ---- */

/* Traced graphs number the nodes of a function: "getitem_12" is a getitem. */
static str function_of(str name)
{
    size_t len = name.len;
    while (len > 0 && name.at[len - 1] >= '0' && name.at[len - 1] <= '9')
        len--;
    return len > 1 && len < name.len && name.at[len - 1] == '_' ? (str){name.at, len - 1} : name;
}

static bool adds(str op)
{
    return str_eq(op, S("add")) || str_eq(op, S("addu")) || str_eq(op, S("sub")) || str_eq(op, S("subu"));
}

static int64_t last_elements(const struct list_row *row)
{
    return row->tensors ? row->elements[row->tensors - 1] : 0;
}

static bool same_node(const struct list_node *node, str text)
{
    return text.len && str_eq((str){node->node, node->node_len}, text);
}

/* The node of the row: the current one, or a new one. A forward row says what it does. */
static void enter(struct list_node *node, const struct list_row *row)
{
    if (!same_node(node, row->node)) {
        *node = (struct list_node){.node_len = row->node.len < LIST_NODE_BYTES ? row->node.len : 0};
        memcpy(node->node, row->node.at, node->node_len);
    }
    node->gradients += row->phase == LIST_BACKWARD;
    if (row->phase != LIST_FORWARD)
        return;
    const str function = function_of(row->name);
    node->adds = adds(row->op);
    node->norm = str_eq(row->op, S("ln"));
    node->hands_on = str_eq(function, S("contiguous"));
    node->divides = str_eq(row->op, S("div"));
    node->picks = str_eq(function, S("where"));
    node->drops = str_ends(function, S("dropout")) || str_ends(function, S("drop"));
    node->elements = last_elements(row);
}

/* ---- copies ---- */

/* Bytes of so many elements, so often; INT64_MAX where they do not fit. */
static int64_t bytes_of(int64_t elements, int64_t times)
{
    int64_t bytes;
    return __builtin_mul_overflow(elements, FP32_BYTES * times, &bytes) ? INT64_MAX : bytes;
}

static const char *moves(enum kernel_form form, int64_t bytes, struct kernel *kernel)
{
    if (bytes == INT64_MAX)
        return "its bytes are too many";
    *kernel = (struct kernel){.form = form, .dtype = DTYPE_F32, .moved = {.bytes = bytes}};
    return kernel_check(kernel);
}

static const char *drops_elements(int64_t elements, struct kernel *kernel)
{
    *kernel = (struct kernel){.form = FORM_DROPOUT, .dtype = DTYPE_F32, .rows = {elements, 1}};
    return kernel_check(kernel);
}

static const char *launches_nothing(struct kernel *kernel)
{
    kernel->form = FORMS;
    return NULL;
}

static bool one_element_each(const struct list_row *row)
{
    for (uint32_t i = 0; i < row->tensors; i++)
        if (row->elements[i] > 1)
            return false;
    return true;
}

/* What is written is read too: a gather reads from a large table what it writes. */
static const char *forward_copy(const struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    if (node->drops)
        return drops_elements(last_elements(row), kernel);
    return moves(FORM_BYTES, bytes_of(last_elements(row), 2), kernel);
}

/* Whether another row of the node told of the one gradient that there is. */
static bool is_told(const struct list_node *node)
{
    return (node->divides || node->picks) && node->gradients > 1;
}

/* A tensor of another size than the result is that of a table: zeros, to which few rows are added. */
static const char *backward_copy(const struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    if (node->adds || node->hands_on || is_told(node))
        return launches_nothing(kernel);
    if (node->picks)
        return moves(FORM_BYTES, bytes_of(node->elements, 2), kernel);
    if (node->drops)
        return moves(FORM_BYTES, bytes_of(last_elements(row), 3), kernel);
    if (node->elements && last_elements(row) != node->elements)
        return moves(FORM_FILL, bytes_of(last_elements(row), 1), kernel);
    return moves(FORM_BYTES, bytes_of(last_elements(row), 2), kernel);
}

/* Picking from a tuple or a slice makes a view; what has one element lies on the host. */
static const char *copy_kernel(const struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    if (one_element_each(row) || str_eq(function_of(row->name), S("getitem")))
        return launches_nothing(kernel);
    return row->phase == LIST_FORWARD ? forward_copy(node, row, kernel) : backward_copy(node, row, kernel);
}

/* ---- all others ---- */

/* "linear" is written as tokens x in x out, the form has a batch before; "div" divides by a scalar. */
static const char *known_op(const struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    if (row->phase == LIST_BACKWARD && node->norm && str_eq(row->op, S("mul")) && row->sizes == 2) {
        *kernel = (struct kernel){
            .form = FORM_LAYER_NORM, .backward = true, .dtype = DTYPE_F32, .rows = {row->size[0], row->size[1]}};
        return kernel_check(kernel);
    }
    if (row->phase == LIST_BACKWARD && is_told(node))
        return launches_nothing(kernel);
    const bool linear = str_eq(row->op, S("linear")) && row->sizes == 3;
    int64_t sizes[LIST_SIZES + 1] = {1};
    memcpy(sizes + (linear ? 1 : 0), row->size, row->sizes * sizeof *sizes);
    const str word = str_eq(row->op, S("div")) ? S("divu") : row->op;
    return kernel_of_op(word, sizes, row->sizes + (linear ? 1 : 0), kernel);
}

/* Bytes of all tensors of the row. */
static int64_t all_bytes(const struct list_row *row)
{
    int64_t elements = 0;
    for (uint32_t i = 0; i < row->tensors; i++)
        if (__builtin_add_overflow(elements, row->elements[i], &elements))
            return INT64_MAX;
    return bytes_of(elements, 1);
}

static const char *kernel_of_row(const struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    if (str_eq(row->op, S("copy")))
        return copy_kernel(node, row, kernel);
    if (op_word_known(row->op))
        return known_op(node, row, kernel);
    return moves(FORM_BYTES, all_bytes(row), kernel);
}

const char *kernel_of_list_row(struct list_node *node, const struct list_row *row, struct kernel *kernel)
{
    enter(node, row);
    const char *wrong = kernel_of_row(node, row, kernel);
    kernel->among = true;
    return wrong;
}
