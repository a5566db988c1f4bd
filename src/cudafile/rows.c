/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

/* Behind a varint of at most 64 bits; NULL where there is none. */
static const unsigned char *varint(const unsigned char *at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7F) << shift;
        if (!(*at++ & 0x80))
            return at;
    }
    return NULL;
}

bool cudafile_next(str *payload, struct cudafile_fields *row)
{
    const unsigned char *const start = (const unsigned char *)payload->at, *const end = start + payload->len;
    uint64_t bytes;
    const unsigned char *const at = payload->len ? varint(start, end, &bytes) : NULL;
    if (!at || !bytes || bytes > CUDAFILE_ROW_MOST || bytes > (uint64_t)(end - at))
        return false;
    *row = (struct cudafile_fields){*at, at + 1, at + bytes, false};
    *payload = str_from(*payload, (size_t)(row->end - start));
    return true;
}

uint64_t cudafile_number(struct cudafile_fields *row)
{
    uint64_t value;
    const unsigned char *const at = varint(row->at, row->end, &value);
    row->is_short |= !at;
    row->at = at ? at : row->end;
    return at ? value : 0;
}

uint32_t cudafile_small(struct cudafile_fields *row)
{
    const uint64_t value = cudafile_number(row);
    row->is_short |= value > UINT32_MAX;
    return value > UINT32_MAX ? 0 : (uint32_t)value;
}

str cudafile_rest(struct cudafile_fields *row)
{
    const str rest = {(const char *)row->at, (size_t)(row->end - row->at)};
    row->at = row->end;
    return rest;
}

static uint32_t u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool cudafile_head(const unsigned char at[CUDAFILE_SECTION], struct cudafile_head *head)
{
    *head = (struct cudafile_head){u32(at + 4), u32(at + 8), u32(at + 12)};
    return u32(at) == CUDAFILE_TAG && head->bytes <= CUDAFILE_PAYLOAD_MOST;
}
