/* SPDX-License-Identifier: Apache-2.0 */
#include "kineto_keys.h"

/* clang-format off */
#define KEY(text, take) {{"" text, sizeof text - 1}, take, 0}
#define ATTR(text, take, attr) {{"" text, sizeof text - 1}, take, attr}

static const struct key event_keys[] = {
    KEY("ph", TAKE_PHASE),
    KEY("cat", TAKE_CATEGORY),
    KEY("name", TAKE_NAME),
    KEY("pid", TAKE_PROCESS),
    KEY("tid", TAKE_THREAD),
    KEY("ts", TAKE_START),
    KEY("dur", TAKE_DURATION),
    KEY("tdur", TAKE_THREAD_DURATION),
    KEY("id", TAKE_ID),
    KEY("args", TAKE_ARGS),
};
/* clang-format on */

/*
 * Spellings of all versions; the newer one first. Only what some question asks for: a column that nobody reads costs
 * memory and time in every trace.
 */
static const struct key args_keys[] = {
    ATTR("External id", TAKE_INTEGER, ATTR_EXTERNAL_ID),
    ATTR("external id", TAKE_INTEGER, ATTR_EXTERNAL_ID),
    ATTR("correlation", TAKE_INTEGER, ATTR_CORRELATION),
    ATTR("Sequence number", TAKE_INTEGER, ATTR_SEQUENCE),
    ATTR("Fwd thread id", TAKE_INTEGER, ATTR_FORWARD_THREAD),
    ATTR("Input Dims", TAKE_RAW, ATTR_INPUT_DIMS),
    ATTR("Input dims", TAKE_RAW, ATTR_INPUT_DIMS),
    ATTR("Input Strides", TAKE_RAW, ATTR_INPUT_STRIDES),
    ATTR("Input type", TAKE_RAW, ATTR_INPUT_TYPES),
    ATTR("Concrete Inputs", TAKE_RAW, ATTR_CONCRETE_INPUTS),
    ATTR("Call stack", TAKE_TEXT, ATTR_CALL_STACK),
    ATTR("Module Hierarchy", TAKE_TEXT, ATTR_MODULE),
    ATTR("CallFrom", TAKE_TEXT, ATTR_CALL_FROM),
    ATTR("bytes", TAKE_INTEGER, ATTR_BYTES),
    ATTR("Bytes", TAKE_INTEGER, ATTR_BYTES),
    ATTR("Total Allocated", TAKE_INTEGER, ATTR_TOTAL_ALLOCATED),
    ATTR("Total Reserved", TAKE_INTEGER, ATTR_TOTAL_RESERVED),
    ATTR("Addr", TAKE_INTEGER, ATTR_ADDRESS),
    ATTR("Device Id", TAKE_INTEGER, ATTR_MEMORY_DEVICE),
    ATTR("Device Type", TAKE_INTEGER, ATTR_MEMORY_KIND),
    KEY("Device Id", TAKE_DEVICE),
    KEY("device", TAKE_DEVICE),
    ATTR("grid", TAKE_RAW, ATTR_GRID),
    ATTR("block", TAKE_RAW, ATTR_BLOCK),
    ATTR("registers per thread", TAKE_INTEGER, ATTR_REGISTERS),
    ATTR("shared memory", TAKE_INTEGER, ATTR_SHARED_MEMORY),
    ATTR("blocks per SM", TAKE_THOUSANDTH, ATTR_BLOCKS_PER_SM),
    ATTR("warps per SM", TAKE_THOUSANDTH, ATTR_WARPS_PER_SM),
    ATTR("est. achieved occupancy %", TAKE_INTEGER, ATTR_OCCUPANCY),
    ATTR("cuda_sync_kind", TAKE_TEXT, ATTR_SYNC_KIND),
    ATTR("wait_on_stream", TAKE_INTEGER, ATTR_WAIT_STREAM),
    ATTR("wait_on_cuda_event_record_corr_id", TAKE_INTEGER, ATTR_WAIT_CORRELATION),
    ATTR("Collective name", TAKE_TEXT, ATTR_COLLECTIVE),
    ATTR("In msg nelems", TAKE_INTEGER, ATTR_IN_ELEMENTS),
    ATTR("Out msg nelems", TAKE_INTEGER, ATTR_OUT_ELEMENTS),
    ATTR("dtype", TAKE_TEXT, ATTR_DTYPE),
    ATTR("Group size", TAKE_INTEGER, ATTR_GROUP_SIZE),
    ATTR("Process Group Name", TAKE_TEXT, ATTR_GROUP_NAME),
    ATTR("Process Group Ranks", TAKE_TEXT, ATTR_GROUP_RANKS),
    ATTR("Seq", TAKE_INTEGER, ATTR_COLLECTIVE_SEQ),
    ATTR("Src Rank", TAKE_INTEGER, ATTR_SOURCE_RANK),
    ATTR("Dst Rank", TAKE_INTEGER, ATTR_DESTINATION_RANK),
    ATTR("flops", TAKE_INTEGER, ATTR_FLOPS),
    KEY("stream", TAKE_STREAM),
    KEY("name", TAKE_LABEL),
};

static const struct key nothing = KEY("", TAKE_NOTHING);

#undef KEY
#undef ATTR

static const struct key *find(const struct key *keys, size_t count, str text)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(keys[i].text, text))
            return &keys[i];
    return &nothing;
}

const struct key *kineto_event_key(str text)
{
    return find(event_keys, sizeof event_keys / sizeof *event_keys, text);
}

const struct key *kineto_args_key(str text)
{
    return find(args_keys, sizeof args_keys / sizeof *args_keys, text);
}
