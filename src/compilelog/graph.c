/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph as Dynamo writes it down:
 *
 *     # File: train.py:14 in score, code: hidden = torch.relu(x @ weight)
 *     matmul: "f32[16, 8]" = l_x_ @ l_weight_;  l_x_ = l_weight_ = None
 *     hidden: "f32[16, 8]" = torch.relu(matmul);  matmul = None
 */
#include "base/mem.h"
#include "reading.h"
#include "reasons.h"

/* The name that a line gives a value: before a colon, a blank or "="; "" where it gives none. */
static str assigned(str line)
{
    line = str_trim(line);
    size_t length = 0;
    while (length < line.len && !memchr(": =(", line.at[length], 4))
        length++;
    const bool gives = length && length < line.len && line.at[length] != '(' &&
                       memmem(line.at + length, line.len - length, " = ", 3) && line.at[0] != '#';
    return gives ? (str){line.at, length} : S("");
}

static uint32_t add_place(struct reading *reading, struct log_place place)
{
    reading->places =
        mem_grow(reading->places, &reading->place_room, (size_t)reading->place_count + 1, sizeof *reading->places);
    reading->places[reading->place_count] = place;
    return reading->place_count++;
}

void reading_graph(struct reading *reading, uint32_t compile, str body)
{
    uint32_t place = MAP_NONE;
    for (str line; str_cut(&body, '\n', &line);) {
        const struct log_place found = place_of_comment(line, reading->log->arena);
        if (found.file.len)
            place = add_place(reading, found);
        else if (place != MAP_NONE && assigned(line).len)
            map_put(&reading->nodes, reading_key(reading, compile, assigned(line)), place);
    }
}
