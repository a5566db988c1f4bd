/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder has to know of CUPTI, as facts: numbers of kinds, sizes of records, and at which byte of a record a
 * field lies. NVIDIA's headers are not needed to build it. tests/cuda/test_cupti_abi.py compares every line with these
 * headers, of each version that it finds; it reads the comments "field, bytes" and "= NAME", so their form is kept.
 *
 * From CUDA 11 to 13.5 no field that is read here has moved; records only grew at their ends. So one set of offsets serves
 * all versions, and the sizes, which differ (cupti_layout.c), tell whether a library is as it should be.
 */
#ifndef CUDA_CUPTI_ABI_H
#define CUDA_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* A record begins with its kind, four bytes. */
enum cupti_kind {
    KIND_MEMCPY = 1,             /* = CUPTI_ACTIVITY_KIND_MEMCPY */
    KIND_MEMSET = 2,             /* = CUPTI_ACTIVITY_KIND_MEMSET */
    KIND_KERNEL = 3,             /* = CUPTI_ACTIVITY_KIND_KERNEL */
    KIND_DRIVER = 4,             /* = CUPTI_ACTIVITY_KIND_DRIVER */
    KIND_RUNTIME = 5,            /* = CUPTI_ACTIVITY_KIND_RUNTIME */
    KIND_DEVICE = 8,             /* = CUPTI_ACTIVITY_KIND_DEVICE */
    KIND_CONCURRENT_KERNEL = 10, /* = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
    KIND_MARKER = 12,            /* = CUPTI_ACTIVITY_KIND_MARKER */
    KIND_MARKER_DATA = 13,       /* = CUPTI_ACTIVITY_KIND_MARKER_DATA */
    KIND_OVERHEAD = 17,          /* = CUPTI_ACTIVITY_KIND_OVERHEAD */
    KIND_MEMCPY2 = 22,           /* = CUPTI_ACTIVITY_KIND_MEMCPY2 */
    KIND_SYNCHRONIZATION = 38,   /* = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION */
    KINDS_KNOWN = 39,
};

enum cupti_result {
    RESULT_SUCCESS = 0,            /* = CUPTI_SUCCESS */
    RESULT_MAX_LIMIT_REACHED = 12, /* = CUPTI_ERROR_MAX_LIMIT_REACHED */
    RESULT_NOT_INITIALIZED = 15,   /* = CUPTI_ERROR_NOT_INITIALIZED */
    RESULT_MULTIPLE = 39,          /* = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
    RESULT_UNKNOWN = 999,          /* = CUPTI_ERROR_UNKNOWN */
};

enum cupti_callbacks {
    DOMAIN_DRIVER = 1,     /* = CUPTI_CB_DOMAIN_DRIVER_API */
    DOMAIN_RUNTIME = 2,    /* = CUPTI_CB_DOMAIN_RUNTIME_API */
    SITE_ENTER = 0,        /* = CUPTI_API_ENTER */
    SITE_EXIT = 1,         /* = CUPTI_API_EXIT */
    FLUSH_FORCED = 1,      /* = CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
    THREAD_IDS_SYSTEM = 1, /* = CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM */
    OBJECT_THREAD = 2,     /* = CUPTI_ACTIVITY_OBJECT_THREAD */
};

/* CUpti_ActivityKernel */
enum {
    KERNEL_REGISTERS = 6,    /* registersPerThread, 2 */
    KERNEL_START = 16,       /* start, 8 */
    KERNEL_END = 24,         /* end, 8 */
    KERNEL_DEVICE = 40,      /* deviceId, 4 */
    KERNEL_CONTEXT = 44,     /* contextId, 4 */
    KERNEL_STREAM = 48,      /* streamId, 4 */
    KERNEL_GRID_X = 52,      /* gridX, 4 */
    KERNEL_GRID_Y = 56,      /* gridY, 4 */
    KERNEL_GRID_Z = 60,      /* gridZ, 4 */
    KERNEL_BLOCK_X = 64,     /* blockX, 4 */
    KERNEL_BLOCK_Y = 68,     /* blockY, 4 */
    KERNEL_BLOCK_Z = 72,     /* blockZ, 4 */
    KERNEL_STATIC = 76,      /* staticSharedMemory, 4 */
    KERNEL_DYNAMIC = 80,     /* dynamicSharedMemory, 4 */
    KERNEL_CORRELATION = 92, /* correlationId, 4 */
    KERNEL_NAME = 104,       /* name, 8 */
    KERNEL_NODE = 144,       /* graphNodeId, 8 */
    KERNEL_GRAPH = 156,      /* graphId, 4 */
};

/* CUpti_ActivityMemcpy */
enum {
    COPY_KIND = 4,         /* copyKind, 1 */
    COPY_FROM = 5,         /* srcKind, 1 */
    COPY_TO = 6,           /* dstKind, 1 */
    COPY_FLAGS = 7,        /* flags, 1 */
    COPY_BYTES = 8,        /* bytes, 8 */
    COPY_START = 16,       /* start, 8 */
    COPY_END = 24,         /* end, 8 */
    COPY_DEVICE = 32,      /* deviceId, 4 */
    COPY_CONTEXT = 36,     /* contextId, 4 */
    COPY_STREAM = 40,      /* streamId, 4 */
    COPY_CORRELATION = 44, /* correlationId, 4 */
};

/* CUpti_ActivityMemcpyPtoP: the same up to the stream */
enum {
    PEER_FROM_DEVICE = 44, /* srcDeviceId, 4 */
    PEER_TO_DEVICE = 52,   /* dstDeviceId, 4 */
    PEER_CORRELATION = 60, /* correlationId, 4 */
};

/* CUpti_ActivityMemset */
enum {
    SET_VALUE = 4,        /* value, 4 */
    SET_BYTES = 8,        /* bytes, 8 */
    SET_START = 16,       /* start, 8 */
    SET_END = 24,         /* end, 8 */
    SET_DEVICE = 32,      /* deviceId, 4 */
    SET_CONTEXT = 36,     /* contextId, 4 */
    SET_STREAM = 40,      /* streamId, 4 */
    SET_CORRELATION = 44, /* correlationId, 4 */
    SET_MEMORY = 50,      /* memoryKind, 2 */
};

/* CUpti_ActivitySynchronization */
enum {
    SYNC_TYPE = 4,         /* type, 4 */
    SYNC_START = 8,        /* start, 8 */
    SYNC_END = 16,         /* end, 8 */
    SYNC_CORRELATION = 24, /* correlationId, 4 */
    SYNC_CONTEXT = 28,     /* contextId, 4 */
    SYNC_STREAM = 32,      /* streamId, 4 */
    SYNC_EVENT = 36,       /* cudaEventId, 4 */
};

/* CUpti_ActivityAPI */
enum {
    CALL_ID = 4,           /* cbid, 4 */
    CALL_START = 8,        /* start, 8 */
    CALL_END = 16,         /* end, 8 */
    CALL_THREAD = 28,      /* threadId, 4 */
    CALL_CORRELATION = 32, /* correlationId, 4 */
    CALL_RESULT = 36,      /* returnValue, 4 */
};

/* CUpti_ActivityMarker; of the object the thread is the second number */
enum {
    MARK_FLAGS = 4,   /* flags, 4 */
    MARK_TIME = 8,    /* timestamp, 8 */
    MARK_ID = 16,     /* id, 4 */
    MARK_OBJECT = 20, /* objectKind, 4 */
    MARK_WHERE = 24,  /* objectId, 12 */
    MARK_NAME = 40,   /* name, 8 */
    MARK_DOMAIN = 48, /* domain, 8 */
};

/* CUpti_ActivityDevice */
enum {
    DEVICE_MEMORY = 16, /* globalMemorySize, 8 */
    DEVICE_SMS = 44,    /* numMultiprocessors, 4 */
    DEVICE_MAJOR = 104, /* computeCapabilityMajor, 4 */
    DEVICE_MINOR = 108, /* computeCapabilityMinor, 4 */
    DEVICE_ID = 112,    /* id, 4 */
    DEVICE_NAME = 136,  /* name, 8 */
};

/* CUpti_ActivityOverhead */
enum {
    OVERHEAD_KIND = 4,   /* overheadKind, 4 */
    OVERHEAD_OBJECT = 8, /* objectKind, 4 */
    OVERHEAD_WHERE = 12, /* objectId, 12 */
    OVERHEAD_START = 24, /* start, 8 */
    OVERHEAD_END = 32,   /* end, 8 */
};

/* CUpti_CallbackData, what a callback of a function is given */
enum {
    DATA_SITE = 0,         /* callbackSite, 4 */
    DATA_CORRELATION = 64, /* correlationId, 4 */
};

/* The functions, by name. A result is one of enum cupti_result; texts and subscribers belong to CUPTI. */
typedef void *cupti_subscriber;
typedef void (*cupti_request)(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void (*cupti_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
typedef void (*cupti_callback)(void *ours, int domain, uint32_t id, const void *data);

/* The sizes of records in a version of CUPTI; 0: not known. */
struct cupti_layout {
    uint32_t since; /* version that cuptiGetVersion tells */
    uint16_t kernel, copy, peer_copy, set, sync, call, mark, device, overhead;
};

/* That of the version: the newest that is not newer; NULL: older than all. *is_newer: than all that are known here. */
const struct cupti_layout *cupti_layout_of(uint32_t version, int *is_newer);

/* Bytes of a record of the kind; 0: not known. */
unsigned cupti_record_bytes(const struct cupti_layout *layout, uint32_t kind);

#endif
