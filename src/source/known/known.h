/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What public functions give: torch, NumPy, Python itself. Rows say the kind of
 * the result and how its device, rank and dtype follow from the arguments; what
 * needs more than that has a `special`, which eval_call.c knows.
 */
#ifndef SOURCE_KNOWN_H
#define SOURCE_KNOWN_H

#include <stdbool.h>

#include "base/str.h"
#include "kinds.h"

enum known_device {
    ON_NONE,   /* has no device */
    ON_ARGS,   /* where its tensors are */
    ON_OPTION, /* device=, else the CPU */
    ON_SECOND, /* device=, or the second argument, else the CPU */
    ON_LIKE,   /* device=, else as the first argument (or receiver) */
    ON_CPU,
    ON_GPU,
};

enum known_rank {
    AS_UNKNOWN,
    AS_SAME,   /* as the first argument */
    AS_REDUCE, /* 0 where no dimension is given */
    AS_0,
    AS_SOME,
};

enum known_dtype {
    OF_UNKNOWN,
    OF_SAME,    /* as the first argument */
    OF_DEFAULT, /* dtype=, else float32 */
    OF_BOOL,
    OF_UINT8,
    OF_INT32,
    OF_INT64,
    OF_FLOAT16,
    OF_FLOAT32,
    OF_FLOAT64,
};

enum special {
    SPECIAL_NONE,
    /* moves */
    SPECIAL_TO,
    SPECIAL_CUDA,
    SPECIAL_CPU,
    SPECIAL_ITEM,
    SPECIAL_TOLIST,
    SPECIAL_NUMPY,
    SPECIAL_TYPE_AS,
    SPECIAL_PIN,
    SPECIAL_TENSOR,     /* torch.tensor and its kin: the dtype follows the data */
    SPECIAL_FROM_NUMPY, /* shares memory */
    SPECIAL_PREPARE,    /* accelerator.prepare, fabric.setup */
    SPECIAL_OBJECT,     /* of a framework: its methods are named by its class */
    SPECIAL_ENGINE,     /* deepspeed.initialize */
    SPECIAL_TRAINER,    /* an object that holds what its output_transform makes of a step; by default a number */
    SPECIAL_HANDLER,    /* a function is registered with such an object: its pace is that of the event */
    SPECIAL_STATE,      /* an attribute of the object by which it is the same one */
    SPECIAL_OUTPUT,     /* the attribute that is what it holds */
    SPECIAL_PUT,        /* x.copy_(y): y goes where x is */
    /* containers */
    SPECIAL_LIST, /* list(x), sorted(x): a list of what x yields */
    SPECIAL_TUPLE,
    SPECIAL_SET,
    SPECIAL_DICT,
    SPECIAL_ENUMERATE,
    SPECIAL_ZIP,
    SPECIAL_RANGE,
    SPECIAL_BATCHES, /* lists of numbers of rows: torch.utils.data.BatchSampler */
    SPECIAL_SAME,    /* the argument itself: tqdm(x), iter(x), reversed(x) */
    SPECIAL_ITEM_OF, /* an item of it: next(x), max(x) of a container, dict.get */
    SPECIAL_ITEMS,   /* dict.items */
    SPECIAL_KEYS,
    SPECIAL_VALUES,
    SPECIAL_MAP,
    SPECIAL_SUM,
    SPECIAL_COPY,
    /* tensors */
    SPECIAL_PAIR,   /* topk, sort: two tensors */
    SPECIAL_MINMAX, /* two where a dimension is given */
    SPECIAL_SPLIT,  /* a tuple of tensors */
    SPECIAL_WHERE,  /* with one argument indices */
    SPECIAL_UNIQUE,
    /* makers */
    SPECIAL_LOADER,
    SPECIAL_DEVICE,
    SPECIAL_DEFAULT, /* torch.set_default_tensor_type, set_default_device */
    SPECIAL_PARTIAL,
    SPECIAL_MODULES, /* ModuleList, Sequential: of these */
    SPECIAL_NUMBER,  /* int(x), float(x), bool(x) */
    SPECIAL_GETATTR,
    SPECIAL_SUPER,
    SPECIAL_PARAMETERS, /* module.parameters() */
    SPECIAL_CHILDREN,   /* module.children() */
    SPECIAL_DRAW,       /* np.random.choice(x): one number, an array where a size is given */
    SPECIAL_SHARD,      /* FullyShardedDataParallel(model, device_id=d) moves the model there */
    SPECIAL_RUN,        /* closures: gradient checkpoint, DataParallel(model) */
};

enum { MAY_SYNC = 1 << 0, /* waits for the device to know its size: nonzero, unique */ };

struct known {
    uint8_t kind; /* enum value_kind of the result */
    uint8_t device, rank, dtype, special;
    uint16_t flags; /* enum value_flag of the result */
    bool maker;     /* it makes a new tensor: VALUE_FRESH */
    bool effect;    /* it does something beside giving a value (prints, writes, changes its object) */
};

/* One row stands for all its names, which blanks part. */
struct known_row {
    const char *names;
    struct known known;
};

extern const struct known_row known_frameworks[]; /* known_frameworks.c */
extern const size_t known_framework_count;

/* The dtype that the row says itself; DTYPE_UNKNOWN where it follows from arguments. */
uint8_t known_dtype_of(const struct known *known);

/* NULL where the name is not known. Names are canonical; see name.h. */
const struct known *known_find(str name);

/* Whether the table has anything of the package that the module is in. */
bool known_package(str module);

/* A public name that is spelled in several ways, in the one that the table has. The text lies at `room`, and so may
 * the result, which is at most 32 bytes longer. */
str known_canonical(char *room, str text);
/* enum value_dtype of torch.X; DTYPE_UNKNOWN. */
uint8_t known_dtype_named(str last);
/* Types whose methods have names that others take too; ended by NULL. */
extern const char *const known_common_types[];
/* The type that begins the name of a method of such a value; NULL. */
const char *known_type(uint8_t kind);

#endif
