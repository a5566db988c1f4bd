/* SPDX-License-Identifier: Apache-2.0 */
/* What kinds of things there are in a Python program that trains, and what can be said of one. */
#ifndef SOURCE_KINDS_H
#define SOURCE_KINDS_H

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

#endif
