/* SPDX-License-Identifier: Apache-2.0 */
#include "table_lines.h"

/* Calls back with every size of a form that is to be a column. */
typedef void (*size_put)(struct buf *out, str name, const struct kernel *kernel);

static bool has_form(const struct table_lines *lines, int form)
{
    for (uint32_t i = 0; i < lines->count; i++)
        if ((int)lines->kernels[i]->form == form)
            return true;
    return false;
}

static bool named_before(const struct table_lines *lines, int form, uint32_t size)
{
    const str name = str_of(form_sizes_of((enum kernel_form)form).at[size].name);
    for (int other = 0; other < form; other++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)other);
        for (uint32_t i = 0; i < sizes.count; i++)
            if (lines->sizes[other] && str_eq(str_of(sizes.at[i].name), name))
                return true;
    }
    return false;
}

struct table_lines table_lines_of(const struct kernel *const *kernels, uint32_t count)
{
    struct table_lines lines = {.kernels = kernels, .count = count};
    for (int form = 0; form < FORMS; form++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)form);
        const bool there = has_form(&lines, form);
        for (uint32_t i = 0; there && i < sizes.count; i++)
            if (!named_before(&lines, form, i))
                lines.sizes[form] |= 1ULL << i;
    }
    for (uint32_t i = 0; i < count; i++) {
        lines.key_dtype |= kernels[i]->key_dtype != DTYPE_UNKNOWN;
        lines.format |= format_word(kernels[i]->format).len > 0;
        lines.library |= kernels[i]->library != LIBRARY_UNTOLD;
        lines.queued |= !kernels[i]->alone;
    }
    return lines;
}

static void for_each_size(const struct table_lines *lines, struct buf *out, const struct kernel *kernel, size_put put)
{
    for (int form = 0; form < FORMS; form++) {
        const struct form_sizes sizes = form_sizes_of((enum kernel_form)form);
        for (uint32_t i = 0; i < sizes.count; i++)
            if (lines->sizes[form] >> i & 1)
                put(out, str_of(sizes.at[i].name), kernel);
    }
}

static void put_name(struct buf *out, str name, const struct kernel *kernel)
{
    (void)kernel;
    buf_printf(out, ",%.*s", (int)name.len, name.at);
}

static void put_size(struct buf *out, str name, const struct kernel *kernel)
{
    const struct form_sizes sizes = form_sizes_of(kernel->form);
    buf_add(out, S(","));
    for (uint32_t i = 0; i < sizes.count; i++)
        if (str_eq(str_of(sizes.at[i].name), name))
            buf_printf(out, "%lld", (long long)kernel_size(kernel, &sizes.at[i]));
}

static void put_word(struct buf *out, bool wanted, str word)
{
    if (wanted)
        buf_printf(out, ",%.*s", (int)word.len, word.at);
}

static str taken(struct buf *text, struct arena *arena)
{
    const str line = str_copy(arena, buf_str(text));
    buf_free(text);
    return line;
}

str table_lines_header(const struct table_lines *lines, struct arena *arena)
{
    struct buf text = {0};
    buf_add(&text, S("op,device,form,dtype,backward"));
    put_word(&text, lines->key_dtype, S("kv_dtype"));
    put_word(&text, lines->format, S("format"));
    put_word(&text, lines->library, S("library"));
    put_word(&text, lines->queued, S("queued"));
    for_each_size(lines, &text, NULL, put_name);
    buf_add(&text, S(",latency_us"));
    return taken(&text, arena);
}

str table_line(const struct table_lines *lines, const struct kernel *kernel, str device, double us, struct arena *arena)
{
    struct buf text = {0};
    const str form = kernel_form_word(kernel->form), op = kernel->variant.len ? kernel->variant : form;
    const str dtype = dtype_word(kernel->dtype == DTYPE_UNKNOWN ? DTYPE_F32 : kernel->dtype);
    buf_printf(&text, "%.*s,%.*s,%.*s,%.*s,%d", (int)op.len, op.at, (int)device.len, device.at, (int)form.len, form.at,
               (int)dtype.len, dtype.at, kernel->backward);
    put_word(&text, lines->key_dtype, kernel->key_dtype == DTYPE_UNKNOWN ? S("") : dtype_word(kernel->key_dtype));
    put_word(&text, lines->format, format_word(kernel->format));
    put_word(&text, lines->library, library_word(kernel->library));
    put_word(&text, lines->queued, kernel->alone ? S("0") : S("1"));
    for_each_size(lines, &text, kernel, put_size);
    if (us > 0)
        buf_printf(&text, ",%.9g", us);
    else
        buf_add(&text, S(","));
    return taken(&text, arena);
}
