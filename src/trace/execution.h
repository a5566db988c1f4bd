/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An execution trace of PyTorch in memory: the operators of one process with
 * their arguments and the tensors they read and wrote, and no times. All schemas
 * become the same columns; who reads these never sees a schema.
 *
 * Nodes are in the order in which they began, which is that of their ids. A
 * node's parent comes before it: a file that says otherwise (a cycle, a missing
 * node, a duplicate id) is mended, and a note names the node.
 *
 * Arguments are written as Kineto writes them (ops/words/shape.h): element types
 * without "Tensor(...)", scalars without dimensions, values as texts, "" for
 * tensors. A list of tensors of one type bears that type.
 */
#ifndef TRACE_EXECUTION_H
#define TRACE_EXECUTION_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "trace.h"

enum { EXECUTION_NONE = UINT32_MAX };

/* RecordScope of PyTorch, as far as it matters. */
enum { SCOPE_FUNCTION = 0, SCOPE_BACKWARD = 1, SCOPE_USER = 7 };

/* A tensor as an argument. Its number, its storage's and those of nodes come from one count: no two are equal. */
enum tensor_place { PLACE_UNKNOWN, PLACE_HOST, PLACE_DEVICE };

struct execution_tensor {
    int64_t id, storage; /* storage 0: not known */
    int64_t bytes;       /* elements times their size; -1: not known */
    uint8_t place;       /* enum tensor_place */
};

struct execution_arguments {
    str dims, types, values, strides; /* "" where there are none */
    uint32_t first_tensor, tensors;   /* into execution->tensors, in the order of the arguments */
};

struct execution_node {
    int64_t id;
    uint32_t parent; /* index; EXECUTION_NONE at the top */
    str name;
    str schema;       /* "aten::mul_.Tensor(Tensor(a!) self, ...)"; "" for what is no ATen operator */
    int64_t record;   /* rf_id: the External id of Kineto; 0 */
    int64_t sequence; /* of autograd; -1 */
    int64_t forward_parent, thread, forward_thread; /* fw_parent, tid, fw_tid as recorded; 0 */
    int64_t scope;
    struct execution_arguments inputs, outputs;
    uint32_t collective; /* index into execution->collectives; EXECUTION_NONE */
};

/* What schema 1.1.0 and later say of a collective; -1 and "" where not recorded. */
struct execution_collective {
    str kind, dtype, group;
    int64_t in_elements, out_elements, group_size;
    str members;  /* of a dry run: "0-15", "0-56:8" */
    int64_t work; /* and the number by which it is waited for; 0 */
    bool apart;   /* on a stream of its own */
};

/* What a dry run says of streams (python/dry/streams.py) and of waiting for collectives (python/dry/ranks.py). */
enum execution_mark_kind {
    MARK_STREAM,   /* what follows goes on the stream; 0: the usual one */
    MARK_RECORD,   /* the event stands for all that is on the stream */
    MARK_AWAIT,    /* what comes on the stream waits for the event */
    MARK_STAGES,   /* the job is a pipeline of so many stages, of which this rank is the first */
    MARK_COMPILED, /* 1: what follows is compiled, as far as the 0 that follows */
    MARK_WAIT,     /* what comes on the current stream waits for the work */
};

struct execution_mark {
    int64_t id; /* of its node: it stands between those with smaller and larger ones */
    uint8_t kind;
    int64_t what;    /* event, work, stages, or 1 and 0 */
    uint32_t stream; /* of the first three */
};

struct execution {
    const struct execution_node *nodes;
    uint32_t count;
    const struct execution_tensor *tensors;
    uint32_t tensor_count;
    const struct execution_collective *collectives;
    uint32_t collective_count;
    const struct execution_mark *marks; /* of a dry run, ascending by id; execution_take_marks finds them */
    uint32_t mark_count;

    str path, schema, recorded;           /* recorded: "2023-09-07 16:09:59" */
    int64_t process, start_ms, finish_ms; /* -1 where not recorded; milliseconds of a clock without a date */
    int64_t file_bytes;                   /* as unpacked */
    const struct note *notes;             /* the first few hundred */
    uint32_t note_count;
    uint64_t repaired, dropped; /* nodes */

    struct intern *texts; /* owns the texts of the nodes */
    struct arena arena;   /* owns all else */
};

/* ---- building (readers only) ---- */

/* A node as it is read: its parent by id. */
struct execution_draft {
    struct execution_node node;
    int64_t parent_id; /* the node's own where the file names none */
    bool named_parent;
    int64_t offset; /* byte in the file */
};

/* Puts the drafts in order and finds their parents, noting what had to be mended. The drafts may be reordered. */
void execution_finish(struct execution *execution, struct execution_draft *drafts, uint32_t count);

void execution_note(struct execution *execution, enum note_kind kind, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- of a dry run ---- */

/*
 * Tensors that lie on the host lie on the device: it was asked how that would be. Those that are marked as the host's stay;
 * where nothing_there, of a script that puts nothing on the device, all of it moves but single numbers that lie on the host beside any device.
 */
void execution_put_on_device(struct execution *execution, bool nothing_there);

/* Finds its marks, and what they say of collectives. */
void execution_take_marks(struct execution *execution);

/* A node that is one. */
static inline bool execution_is_mark(const struct execution_node *node)
{
    return str_starts(node->name, S("steptime::"));
}

/* The operator that a mark is of: it stands below the mode's node, that below the operator's. NULL: of none. */
const struct execution_node *execution_marked(const struct execution *execution, const struct execution_node *mark);

/* ---- reading ---- */

struct execution *execution_new(void);
void execution_free(struct execution *execution);

#endif
