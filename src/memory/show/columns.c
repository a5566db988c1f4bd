/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <string.h>

#define HIDDEN COLUMN_DETAIL
#define DEVICE \
    { \
        "device", "device", UNIT_NONE, 0, "the device whose allocator it is: 'GPU 0', or 'host'" \
    }
#define INPUT \
    { \
        "input", "input", UNIT_NONE, HIDDEN, "the file; null where there is one" \
    }
#define FILE_NAME \
    { \
        "file_name", "of", UNIT_NONE, COLUMN_ANSWER, \
            "what tells the file from the others: its name, or its path where two have the same; null where there is one" \
    }

static const struct {
    const char *table;
    struct column_spec spec;
} rows[] = {
    {"memory_devices", DEVICE},
    {"memory_devices", FILE_NAME},
    {"memory_devices", INPUT},
    {"memory_devices",
     {"peak_bytes", "peak", UNIT_BYTES, 0,
      "most bytes that lived at once: of a snapshot as asked for, of a trace as the allocator gave them"}},
    {"memory_devices", {"peak_ns", "at", UNIT_NS, 0, "when that was, from the first event of the device on"}},
    {"memory_devices",
     {"reserved_peak_bytes", "most reserved", UNIT_BYTES, 0,
      "most that the allocator had of the device; null where the recording does not tell"}},
    {"memory_devices",
     {"begin_bytes", "before the first event", UNIT_BYTES, 0,
      "bytes that lived before the first event, those freed until the peak, too; null where that is not known"}},
    {"memory_devices", {"end_bytes", "end", UNIT_BYTES, 0, "bytes that lived after the last event"}},
    {"memory_devices",
     {"reserved_end_bytes", "reserved at the end", UNIT_BYTES, HIDDEN, "what the allocator had of the device then"}},
    {"memory_devices", {"allocations", "allocations", UNIT_COUNT, 0, "pieces allocated in the recording"}},
    {"memory_devices", {"frees", "frees", UNIT_COUNT, HIDDEN, "pieces freed in it"}},
    {"memory_devices", {"unmatched", "freed of before", UNIT_COUNT, HIDDEN, "of these allocated before it"}},
    {"memory_devices",
     {"doubled", "lost frees", UNIT_COUNT, HIDDEN,
      "addresses allocated again without a free between, which is taken to have been there"}},
    {"memory_devices", {"steps", "steps", UNIT_COUNT, HIDDEN, "steps that the recording tells"}},

    {"memory_lines",
     {"where", "line", UNIT_NONE, COLUMN_WIDE,
      "innermost line of the user's own on the stack; else the innermost of Python outside PyTorch, the node of autograd, or why there is none"}},
    {"memory_lines", FILE_NAME},
    {"memory_lines",
     {"bytes", "bytes", UNIT_BYTES, COLUMN_ANSWER | COLUMN_SUM, "bytes of its pieces that lived at the peak"}},
    {"memory_lines", {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "bytes / peak_bytes"}},
    {"memory_lines", {"pieces", "pieces", UNIT_COUNT, COLUMN_SUM, "so many pieces"}},
    {"memory_lines", {"category", "category", UNIT_NONE, 0, "what they are for"}},
    {"memory_lines",
     {"told_by", "told by", UNIT_NONE, HIDDEN,
      "'object': the category is told by the program's own objects, as the recorder noted them; 'stack': by the frames; 'life': by when the pieces were freed, which may err; 'nothing'"}},
    {"memory_lines",
     {"inner", "in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER,
      "innermost line of Python outside PyTorch, where it is another"}},
    {"memory_lines",
     {"operator", "operator", UNIT_NONE, COLUMN_WIDE,
      "of a snapshot the node of autograd, of a trace the innermost operator"}},
    {"memory_lines",
     {"tensor", "tensor", UNIT_NONE, COLUMN_WIDE,
      "name of the largest of the pieces, where the recorder noted the program's objects"}},
    {"memory_lines", {"largest_bytes", "largest", UNIT_BYTES, HIDDEN, "the largest of the pieces"}},
    {"memory_lines", DEVICE},
    {"memory_lines", INPUT},
    {"memory_lines", {"file", "file", UNIT_NONE, HIDDEN, "file of the line as recorded"}},
    {"memory_lines",
     {"line", "number", UNIT_NONE, HIDDEN,
      "number of the line; of a trace that records no exact ones that in which the function begins"}},
    {"memory_lines", {"function", "function", UNIT_NONE, HIDDEN, "function that the line is in"}},

    {"memory_categories", {"category", "category", UNIT_NONE, 0, "what pieces that lived at the peak are for"}},
    {"memory_categories", FILE_NAME},
    {"memory_categories", {"bytes", "bytes", UNIT_BYTES, COLUMN_SUM, "their bytes"}},
    {"memory_categories", {"share", "share", UNIT_RATIO, COLUMN_BAR | COLUMN_PART, "bytes / peak_bytes"}},
    {"memory_categories", {"pieces", "pieces", UNIT_COUNT, COLUMN_SUM, "so many pieces"}},
    {"memory_categories",
     {"certain", "certain", UNIT_RATIO, 0,
      "share of the bytes whose category is told by frames or objects; of the others it follows from how long they live, which may err, or is not known"}},
    {"memory_categories", DEVICE},
    {"memory_categories", INPUT},

    {"memory_layout",
     {"moment", "when", UNIT_NONE, 0, "at the peak, before a request that failed, or when the snapshot was taken"}},
    {"memory_layout", FILE_NAME},
    {"memory_layout", {"reserved_bytes", "reserved", UNIT_BYTES, 0, "what the allocator has of the device"}},
    {"memory_layout", {"held_bytes", "held", UNIT_BYTES, 0, "blocks in use, each a multiple of 512 bytes"}},
    {"memory_layout", {"free_bytes", "free in it", UNIT_BYTES, 0, "reserved_bytes - held_bytes"}},
    {"memory_layout",
     {"stuck_bytes", "stuck", UNIT_BYTES, 0,
      "of this in segments that hold something: it cannot be given back to the device"}},
    {"memory_layout",
     {"usable_bytes", "usable", UNIT_BYTES, 0,
      "of free_bytes what the request that failed may use: in segments of its size (small, or large), of its stream and of no pool of a CUDA graph; at the peak and the end what a large request of any stream may use"}},
    {"memory_layout",
     {"largest_bytes", "largest piece", UNIT_BYTES, 0,
      "largest usable piece: what such a request can get without more of the device"}},
    {"memory_layout", {"pieces", "usable pieces", UNIT_COUNT, 0, "so many pieces is usable_bytes in"}},
    {"memory_layout",
     {"fragmentation", "fragmented", UNIT_RATIO, 0, "1 - largest_bytes / usable_bytes; null where nothing is usable"}},
    {"memory_layout",
     {"rounding_bytes", "rounding", UNIT_BYTES, HIDDEN,
      "of held_bytes beyond what was asked for; null at other moments than the end"}},
    {"memory_layout", DEVICE},
    {"memory_layout", INPUT},

    {"memory_leaks",
     {"where", "line", UNIT_NONE, COLUMN_WIDE, "line that leaves something behind step by step, as in memory_lines"}},
    {"memory_leaks", FILE_NAME},
    {"memory_leaks",
     {"per_step_bytes", "a step", UNIT_BYTES, COLUMN_ANSWER,
      "bytes that it made in the steps looked at and that still live at the end of the last step / those steps"}},
    {"memory_leaks", {"pieces", "pieces", UNIT_COUNT, 0, "so many pieces, in all of them"}},
    {"memory_leaks", {"in_steps", "in steps", UNIT_COUNT, 0, "steps that left something"}},
    {"memory_leaks", {"of_steps", "of", UNIT_COUNT, 0, "steps looked at: all but the first and the last"}},
    {"memory_leaks",
     {"certain", "certain", UNIT_NONE, 0,
      "'yes': in at least 9 of 10; 'doubtful': in at least half, as caches and lists of a bounded length do"}},
    {"memory_leaks", {"inner", "in", UNIT_NONE, COLUMN_WIDE | COLUMN_ANSWER, "as in memory_lines"}},
    {"memory_leaks", {"operator", "operator", UNIT_NONE, COLUMN_WIDE, "as in memory_lines"}},
    {"memory_leaks", DEVICE},
    {"memory_leaks", INPUT},
    {"memory_leaks", {"file", "file", UNIT_NONE, HIDDEN, "as in memory_lines"}},
    {"memory_leaks", {"line", "number", UNIT_NONE, HIDDEN, "as in memory_lines"}},

    {"out_of_memory", {"where", "line", UNIT_NONE, COLUMN_WIDE, "line whose request failed, as in memory_lines"}},
    {"out_of_memory", FILE_NAME},
    {"out_of_memory", {"asked_bytes", "asked for", UNIT_BYTES, 0, "bytes of the request"}},
    {"out_of_memory",
     {"device_free_bytes", "device had", UNIT_BYTES, 0, "bytes that the device still had; null where not recorded"}},
    {"out_of_memory", {"held_bytes", "held", UNIT_BYTES, 0, "bytes that lived then"}},
    {"out_of_memory", {"reserved_bytes", "reserved", UNIT_BYTES, 0, "what the allocator had of the device"}},
    {"out_of_memory", {"free_bytes", "free in it", UNIT_BYTES, 0, "as in memory_layout, right before"}},
    {"out_of_memory", {"usable_bytes", "usable", UNIT_BYTES, 0, "as in memory_layout, right before"}},
    {"out_of_memory", {"largest_bytes", "largest piece", UNIT_BYTES, 0, "as in memory_layout, right before"}},
    {"out_of_memory", {"time_ns", "at", UNIT_NS, 0, "from the first event of the device on"}},
    {"out_of_memory", DEVICE},
    {"out_of_memory", INPUT},
    {"out_of_memory", {"file", "file", UNIT_NONE, HIDDEN, "as in memory_lines"}},
    {"out_of_memory", {"line", "number", UNIT_NONE, HIDDEN, "as in memory_lines"}},

    {"memory_steps", {"step", "step", UNIT_NONE, 0, "number of the step"}},
    {"memory_steps", FILE_NAME},
    {"memory_steps", {"peak_bytes", "peak", UNIT_BYTES, 0, "most bytes that lived at once in it"}},
    {"memory_steps", {"end_bytes", "end", UNIT_BYTES, COLUMN_ALIKE, "bytes that lived after its last event"}},
    {"memory_steps",
     {"reserved_bytes", "reserved", UNIT_BYTES, COLUMN_ALIKE, "most that the allocator had of the device in it"}},
    {"memory_steps", DEVICE},
    {"memory_steps", INPUT},

    {"memory_timeline",
     {"time_ns", "time", UNIT_NS, 0,
      "when most lived in a stretch of events, from the first event on; each stretch is 1/240 of the events of the fullest device"}},
    {"memory_timeline", {"held_bytes", "held", UNIT_BYTES, 0, "most bytes that lived in the stretch"}},
    {"memory_timeline",
     {"reserved_bytes", "reserved", UNIT_BYTES, COLUMN_ALIKE, "most that the allocator had of the device in it"}},
};

void memory_columns(struct table *table, const char *id, bool several)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct column_spec spec = rows[i].spec;
        if (strcmp(rows[i].table, id) != 0)
            continue;
        if (several && !strcmp(spec.id, "device"))
            spec.flags |= COLUMN_ANSWER;
        table_column(table, spec);
    }
}
