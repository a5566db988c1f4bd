/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"

#include <assert.h>
#include <math.h>

#include "base/sum.h"
#include "base/varint.h"

struct code code_writer(struct buf *out)
{
    return (struct code){.out = out};
}

struct code code_reader(str bytes, struct arena *arena)
{
    const char *const at = bytes.len ? bytes.at : ""; /* an empty text may have no address */
    return (struct code){.at = at, .end = at + bytes.len, .arena = arena};
}

struct code code_brief_writer(struct buf *out, struct texts *texts)
{
    return (struct code){.out = out, .texts = texts, .brief = true};
}

struct code code_brief_reader(str bytes, struct texts *texts, struct arena *arena)
{
    struct code code = code_reader(bytes, arena);
    code.texts = texts;
    code.brief = true;
    return code;
}

static size_t left(const struct code *code)
{
    return (size_t)(code->end - code->at);
}

static uint64_t damage(struct code *code)
{
    code->damaged = true;
    code->at = code->end;
    return 0;
}

/* ---- varints ---- */

static uint64_t get(struct code *code)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && left(code); shift += 7) {
        const unsigned char byte = (unsigned char)*code->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return shift < 63 || byte < 2 ? value : damage(code);
    }
    return damage(code);
}

static uint64_t zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static uint64_t unzigzag(uint64_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

/* ---- values ---- */

void code_int(struct code *code, int64_t *value, int64_t expected, int64_t least, int64_t most)
{
    if (code->out) {
        varint_put(code->out, zigzag((uint64_t)*value - (uint64_t)expected));
        return;
    }
    *value = (int64_t)((uint64_t)expected + unzigzag(get(code)));
    if (*value < least || *value > most)
        damage(code);
    if (code->damaged)
        *value = least;
}

/* ---- noise ---- */

void code_begin_noise(struct code *code, uint32_t columns, struct arena *scratch)
{
    str bytes = S("");
    if (code->loose)
        return;
    if (code_reads(code))
        code_text(code, &bytes);
    code->noise = code_reads(code) ? noise_reader(bytes, columns, scratch) : noise_writer(columns, scratch);
}

void code_within(struct code *code, int64_t *value, int64_t got, struct code_bounds within)
{
    if (!code_reads(code))
        return;
    if (got < within.least || got > within.most)
        damage(code);
    *value = code->damaged ? within.least : got;
}

void code_noise(struct code *code, uint32_t column, int64_t *value, int64_t expected, struct code_bounds within)
{
    if (code->loose)
        code_int(code, value, expected, within.least, within.most);
    else if (!code_reads(code))
        noise_put(code->noise, column, (int64_t)((uint64_t)*value - (uint64_t)expected));
    else if (code->damaged)
        *value = within.least;
    else
        code_within(code, value, (int64_t)((uint64_t)expected + (uint64_t)noise_get(code->noise, column)), within);
}

str code_end(struct code *code, struct arena *arena)
{
    struct arena scratch = {0};
    struct buf bytes = {0};
    struct code head = code_writer(&bytes);
    str noise = code->loose ? S("") : noise_bytes(code->noise, &scratch);
    if (!code->loose)
        code_text(&head, &noise);
    buf_add(&bytes, buf_str(code->out));
    const str section = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    buf_free(code->out);
    arena_free(&scratch);
    return section;
}

/* ---- more values ---- */

void code_bits(struct code *code, uint64_t *value)
{
    if (code->out)
        varint_put(code->out, *value);
    else
        *value = get(code);
}

void code_small(struct code *code, uint32_t *value, uint32_t limit)
{
    uint64_t bits = *value;
    code_bits(code, &bits);
    *value = (uint32_t)(bits < limit ? bits : damage(code));
}

void code_bool(struct code *code, bool *value)
{
    uint32_t bit = *value;
    code_small(code, &bit, 2);
    *value = bit;
}

void code_real(struct code *code, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    code_bits(code, &bits);
    memcpy(value, &bits, sizeof bits);
    if (!isfinite(*value)) {
        damage(code);
        *value = 0;
    }
}

void code_text(struct code *code, str *text)
{
    uint64_t len = text->len;
    code_bits(code, &len);
    if (code->out) {
        buf_add(code->out, *text);
        return;
    }
    len = len <= left(code) ? len : damage(code);
    *text = (str){code->at, (size_t)len};
    code->at += len;
}

static void code_number(struct code *code, str *text)
{
    uint64_t number = code_reads(code) ? 0 : texts_number(code->texts, *text);
    code_bits(code, &number);
    if (code_reads(code))
        *text = texts_at(code->texts, (uint32_t)number);
}

void code_kept(struct code *code, str *text)
{
    if (code->brief) {
        code_number(code, text);
        return;
    }
    code_text(code, text);
    if (code_reads(code))
        *text = code->texts ? texts_keep(code->texts, *text) : str_copy(code->arena, *text);
}

void code_ns(struct code *code, int64_t *value, int64_t expected)
{
    code_int(code, value, expected, 0, INT64_MAX);
}

void code_u32(struct code *code, uint32_t *value, uint32_t expected)
{
    int64_t wide = *value;
    code_int(code, &wide, expected, 0, UINT32_MAX);
    *value = (uint32_t)wide;
}

/* ---- enums ---- */

void code_word(struct code *code, const struct code_enum *of, int *value)
{
    if (code->brief) {
        uint32_t number = (uint32_t)*value;
        code_small(code, &number, (uint32_t)of->limit);
        *value = (int)number;
        return;
    }
    str word = code->out ? str_of(of->ids(*value)) : S("");
    code_text(code, &word);
    if (!code_reads(code))
        return;
    *value = 0;
    while (*value < of->limit && !str_eq(word, str_of(of->ids(*value))))
        ++*value;
    if (*value == of->limit)
        *value = (int)damage(code);
}

void code_set(struct code *code, const struct code_enum *of, const bool *used, struct code_set *set)
{
    assert(of->limit <= CODE_SET_MOST);
    if (code->out) {
        set->count = 0;
        for (int value = 0; value < of->limit; value++)
            if (used[value])
                set->at[set->count++] = value;
    }
    code_small(code, &set->count, (uint32_t)of->limit + 1);
    for (uint32_t i = 0; i < set->count; i++)
        code_word(code, of, &set->at[i]);
}

/* ---- rows of times ---- */

static int64_t *time_at(const struct code_rows *rows, uint32_t row, int value)
{
    return (int64_t *)((char *)rows->first + row * rows->size + rows->ns) + value;
}

static int64_t sum_at(const struct code_rows *rows, uint32_t row)
{
    return *(const int64_t *)((const char *)rows->first + row * rows->size + rows->sum);
}

/* A column of the set: as in the row before; the last one what the others leave of the sum. */
static void code_column(struct code *code, const struct code_rows *rows, const struct code_set *set, uint32_t column)
{
    const bool last = column + 1 == set->count;
    for (uint32_t row = 0; row < rows->count; row++) {
        uint64_t expected = last  ? (uint64_t)sum_at(rows, row)
                            : row ? (uint64_t)*time_at(rows, row - 1, set->at[column])
                                  : 0;
        for (uint32_t i = 0; last && i < column; i++)
            expected -= (uint64_t)*time_at(rows, row, set->at[i]);
        code_ns(code, time_at(rows, row, set->at[column]), (int64_t)expected);
    }
}

void code_rows(struct code *code, const struct code_enum *of, const struct code_rows *rows)
{
    bool used[CODE_SET_MOST] = {false};
    struct code_set set = {0};
    for (uint32_t row = 0; row < rows->count && code->out; row++)
        for (int value = 0; value < of->limit; value++)
            used[value] |= *time_at(rows, row, value) != 0;
    code_set(code, of, used, &set);
    for (uint32_t column = 0; column < set.count; column++)
        code_column(code, rows, &set, column);
}

void code_count(struct code *code, uint32_t *count)
{
    uint64_t value = *count;
    code_bits(code, &value);
    if (code_reads(code) && (value > left(code) || value >= UINT32_MAX))
        value = damage(code);
    *count = (uint32_t)value;
}

bool code_whole(const struct code *code)
{
    if (code->noise && !noise_whole(code->noise))
        return false;
    return !code->damaged && code->at == code->end;
}
