/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression evaluates to, as far as the run's files tell.
 *
 *     const struct value *value = value_at(project, site);
 *     if (value_is_tensor(value) && value_on_gpu(value)) ...
 *
 * Every expression has a value; where nothing is known it is value_unknown. A
 * value is about the point of the text where it stands: `x = x.cuda()` has a
 * value on the right and another one after.
 *
 * The device is settled for the run: what is "same as parameter k" inside a
 * function is, for who asks here, what its callers in the run pass; unknown where
 * they differ. summary.h keeps the symbolic form.
 *
 * Conventions, chosen so that doubt is unknown:
 * - A tensor from a constructor without device= is on the CPU, as is a batch of a
 *   DataLoader, and what from_numpy makes. An index by a DataLoader's batch keeps that.
 * - A device expression (self.device, args.device, config["device"],
 *   torch.device("cuda" if ... else "cpu"), x.device of a tensor on the GPU) is the GPU; "cpu" the CPU.
 * - A module is on the GPU when it is moved there anywhere in the run, or, linted
 *   without its trainer, when its own code puts something there. Its parameters and
 *   buffers, and what it returns for tensors, are where the module is.
 * - Tensors that come into forward() of such a module are on the GPU unless callers in the run say otherwise.
 * - A program (files that import each other) in which nothing is put on a device has nothing on it; what one program
 *   of a folder moves says nothing of another.
 * - A method called on something unknown is that of the few classes of the program that have one of this name.
 * - Something assumed on the device stays of unknown kind until a use proves a tensor (.backward(), .item() ...).
 * - x.numpy() proves that x is on the CPU, from there on and before it.
 */
#ifndef SOURCE_VALUE_H
#define SOURCE_VALUE_H

#include "project.h"

enum value_kind {
    VALUE_UNKNOWN,
    VALUE_TENSOR,
    VALUE_MODULE, /* nn.Module; detail: class of the run, where it is one */
    VALUE_ARRAY,  /* numpy.ndarray and NumPy scalars */
    VALUE_INT,    /* Python int */
    VALUE_FLOAT,
    VALUE_BOOL,
    VALUE_STR,
    VALUE_NONE,
    VALUE_LIST, /* items: see below */
    VALUE_TUPLE,
    VALUE_SET,
    VALUE_DICT,     /* items: of its values */
    VALUE_ITERATOR, /* generator, enumerate, zip, map: items are what it yields */
    VALUE_LOADER,   /* DataLoader: items are what it yields */
    VALUE_DATASET,
    VALUE_BATCH,     /* what a DataLoader yields: a tensor or a container of tensors, nobody knows */
    VALUE_OPTIMIZER, /* of torch.optim; schedulers too have value_scheduler */
    VALUE_SCHEDULER,
    VALUE_SCALER, /* GradScaler */
    VALUE_LOSS,   /* a loss function; it is a module too */
    VALUE_DEVICE, /* torch.device; `device` says which */
    VALUE_DTYPE,
    VALUE_SHAPE,    /* torch.Size: items are INT */
    VALUE_FUNCTION, /* of the run: function; else name_of */
    VALUE_CLASS,
    VALUE_IMPORT,   /* a module of Python */
    VALUE_INSTANCE, /* of class_id, a class of the run that is no nn.Module */
    VALUE_WRITER,   /* logger, SummaryWriter, progress bar, wandb run, open file */
    VALUE_SPARSE,   /* scipy.sparse matrix */
    VALUE_FRAME,    /* pandas */
    VALUE_OTHER,    /* known to be none of the above */
    VALUE_KINDS
};

enum value_device {
    DEVICE_UNKNOWN,
    DEVICE_CPU,
    DEVICE_GPU,       /* any accelerator */
    DEVICE_PARAMETER, /* summaries only: same as parameter `parameter` */
};

enum { SUMMARY_PARAMETERS = 64 }; /* of a function; those beyond are not followed */

enum value_dtype {
    DTYPE_UNKNOWN,
    DTYPE_BOOL,
    DTYPE_UINT8,
    DTYPE_INT32,
    DTYPE_INT64,
    DTYPE_FLOAT16, /* bfloat16 too */
    DTYPE_FLOAT32,
    DTYPE_FLOAT64,
};

enum value_rank {
    RANK_UNKNOWN,
    RANK_0,    /* one element, no dimension: a loss, .sum() */
    RANK_SOME, /* one dimension or more */
};

enum value_flag {
    VALUE_PINNED = 1 << 0,
    VALUE_RANDOM = 1 << 1,      /* depends on a random generator directly: torch.rand, np.random, randperm, dropout */
    VALUE_GRAD = 1 << 2,        /* may carry autograd history */
    VALUE_DETACHED = 1 << 3,    /* surely carries none */
    VALUE_FROM_LOADER = 1 << 4, /* a batch of a loader or part of one, on either device */
    VALUE_UPLOADED = 1 << 5,    /* put on the GPU by an explicit move: .to, .cuda, a wrapper (part of it too) */
    VALUE_DOWNLOADED =
        1 << 6, /* was on the GPU and read back: .cpu(), .item(), .tolist(), .numpy(); arithmetic keeps it */
    VALUE_CONSTANT = 1 << 7,  /* literals and what pure functions make of them alone */
    VALUE_FRESH = 1 << 8,     /* a tensor made here by a constructor (zeros, tensor, from_numpy ...), not moved since */
    VALUE_PARAMETER = 1 << 9, /* nn.Parameter, or a module's weight */
    VALUE_BUFFER = 1 << 10,   /* register_buffer */
    VALUE_ASSUMED = 1 << 11,  /* the device follows from a convention (see above), not from a move that is seen */
    VALUE_SCALAR_NUMPY = 1 << 12, /* an ARRAY that is one number: np.float64(3.0), a.sum() */
};

struct name;

struct value {
    uint8_t kind;            /* enum value_kind */
    uint8_t device;          /* enum value_device; of containers: of the tensors in it, where they agree */
    uint8_t dtype;           /* enum value_dtype */
    uint8_t rank;            /* enum value_rank */
    uint8_t parameter;       /* of DEVICE_PARAMETER */
    uint8_t item_count;      /* of a TUPLE, LIST of known length: items has so many; 0: items is one, for all alike */
    uint8_t depth;           /* of items in items */
    uint16_t flags;          /* enum value_flag */
    uint32_t detail;         /* class or function of the run, else SYNTAX_NONE */
    uint32_t id;             /* equal values are one, at one address */
    const struct name *name; /* of functions, classes and things imported: see name_of */
    const struct value *const *items; /* of containers; NULL where nothing is known */
};

extern const struct value value_unknown;

/* Never NULL. Nodes that are no expression have value_unknown. */
const struct value *value_at(const struct project *project, struct site expression);

static inline bool value_has(const struct value *value, enum value_flag flag)
{
    return value->flags & flag;
}

static inline bool value_is_tensor(const struct value *value)
{
    return value->kind == VALUE_TENSOR;
}

static inline bool value_on_gpu(const struct value *value)
{
    return value->device == DEVICE_GPU;
}

static inline bool value_on_cpu(const struct value *value)
{
    return value->device == DEVICE_CPU;
}

/* A tensor that is surely on the GPU: what most rules ask first. */
static inline bool value_gpu_tensor(const struct value *value)
{
    return value->kind == VALUE_TENSOR && value->device == DEVICE_GPU;
}

bool value_is_number(const struct value *value);    /* INT, FLOAT, BOOL */
bool value_is_container(const struct value *value); /* LIST, TUPLE, SET, DICT, ITERATOR */
/* What iterating over it, or an index that is not known, gives; &value_unknown. */
const struct value *value_item(const struct value *value);
/* Item i of a TUPLE or LIST of known length, else value_item. */
const struct value *value_item_at(const struct value *value, uint32_t i);

/*
 * Moves: what a call does to its receiver or argument. MOVE_NONE for everything else, also for .to(dtype), for
 * .cpu() of what is on the CPU, for dict.to and tokenizer.to, and for what is on the GPU already.
 */
enum move {
    MOVE_NONE,
    MOVE_UPLOAD,   /* .to(gpu), .cuda(), torch.tensor(list, device=gpu), type_as, new_tensor, wrappers */
    MOVE_DOWNLOAD, /* .cpu(), .to("cpu"), .item(), .tolist(), .numpy() behind .cpu(), float(t), int(t), bool(t) */
    MOVE_UNKNOWN,  /* it moves, but from where is not known: .to(device) of something unknown */
};
struct move_info {
    enum move move;
    uint32_t what;            /* node of the expression that is moved; SYNTAX_NONE where hidden in a callee */
    bool explicit_;           /* .to .cuda .cpu ..., not float(t) or an index that moves */
    bool wrapper;             /* inside a function of the run */
    bool is_module;           /* model.to(device) */
    bool non_blocking;        /* non_blocking=True is written */
    bool non_blocking_hidden; /* non_blocking=<something else>, or **kwargs */
};
struct move_info value_move(const struct project *project, struct site call);

#endif
