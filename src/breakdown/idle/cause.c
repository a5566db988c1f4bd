/* SPDX-License-Identifier: Apache-2.0 */
#include "cause.h"

static const struct {
    const char *id, *title;
} words[CAUSES] = {
    [CAUSE_NONE] = {"none", "nothing known"},
    [CAUSE_COMPILATION] = {"compilation", "compilation"},
    [CAUSE_MODULES] = {"module_loading", "loading of kernels' code"},
    [CAUSE_START] = {"library_start", "first use of a library"},
    [CAUSE_SEARCH] = {"library_search", "search for algorithms"},
    [CAUSE_ALLOCATION] = {"allocator", "memory asked from the driver"},
    [CAUSE_RETRY] = {"allocator_retry", "memory full: freed and asked again"},
    [CAUSE_NO_CACHE] = {"caching_off", "memory without a cache"},
    [CAUSE_MAPPING] = {"expandable_segments", "expandable segments"},
    [CAUSE_COLLECTION] = {"garbage_collection", "garbage collection"},
    [CAUSE_CHECKPOINT] = {"checkpoint", "checkpoint"},
    [CAUSE_LOGGING] = {"logging", "logging"},
    [CAUSE_LOADING] = {"data_loading", "data loading"},
    [CAUSE_LOADER_WAIT] = {"data_loading_wait", "waiting for the loader's workers"},
    [CAUSE_COLLECTIVE] = {"host_collective", "communication on the host"},
    [CAUSE_SLEEP] = {"sleep", "sleep"},
    [CAUSE_WAITING] = {"waiting", "waiting for a thread or process"},
    [CAUSE_CAPTURE] = {"graph_capture", "graph capture"},
    [CAUSE_RECORDER] = {"recorder", "the recorder"},
    [CAUSE_SYNC] = {"synchronisation", "synchronisation"},
    [CAUSE_GRAPH] = {"graph_launch", "graph launches"},
    [CAUSE_LAUNCH] = {"launch", "launches"},
    [CAUSE_RUNTIME] = {"runtime", "other runtime calls"},
    [CAUSE_OPERATOR] = {"operator", "operators"},
    [CAUSE_PYTHON] = {"python", "Python"},
    [CAUSE_UNKNOWN] = {"unknown", "what was not recorded"},
    [CAUSE_PAUSE] = {"pause", "a pause of the same length each time"},
    [CAUSE_RUN_TIME_COMPILER] = {"runtime_compiler", "first call of an operator"},
    [CAUSE_NO_LAUNCH] = {"no_launch", "operators that launch nothing"},
    [CAUSE_DEVICE] = {"device_work", "work of the device"},
};

const char *cause_id(enum cause cause)
{
    return words[cause].id;
}

const char *cause_title(enum cause cause)
{
    return words[cause].title;
}

const char *cause_long_title(enum cause cause)
{
    switch (cause) {
    case CAUSE_SYNC:
        return "a long synchronisation";
    case CAUSE_LAUNCH:
    case CAUSE_GRAPH:
        return "a long launch";
    case CAUSE_RUNTIME:
        return "a long runtime call";
    case CAUSE_OPERATOR:
        return "a long operator";
    case CAUSE_PYTHON:
        return "a long pause in Python";
    default:
        return cause_title(cause);
    }
}

/* ---- names ---- */

enum where { HAS, STARTS, ENDS, IS };

#define BIT(kind) (1u << (kind))
enum {
    CALLS = BIT(EVENT_RUNTIME),
    FRAMES = BIT(EVENT_PYTHON),
    RANGES = BIT(EVENT_ANNOTATION) | BIT(EVENT_OPERATOR),
    BESIDE = BIT(EVENT_OVERHEAD),
};

/*
 * The first row that fits decides. A frame is "folder/file.py(54): function", a
 * built-in "<built-in function sleep>"; case counts.
 */
static const struct {
    unsigned kinds;
    enum where where;
    const char *text, *and; /* `and`, where given, is in the name too */
    enum cause cause;
} rows[] = {
    {RANGES, ENDS, " (dynamo_timed)", NULL, CAUSE_COMPILATION},
    {RANGES, IS, "compile_fx_inner", NULL, CAUSE_COMPILATION},
    {RANGES, IS, "async_compile.wait", NULL, CAUSE_COMPILATION},
    {FRAMES, HAS, "torch/_dynamo/convert_frame.py(", NULL, CAUSE_COMPILATION},
    {FRAMES, HAS, "torch/_inductor/compile_fx.py(", NULL, CAUSE_COMPILATION},
    {FRAMES, ENDS, ": make_cubin", NULL, CAUSE_COMPILATION},
    {FRAMES, ENDS, ": compile", "triton/compiler/compiler.py(", CAUSE_COMPILATION},

    {BESIDE, IS, "Lazy Function Loading", NULL, CAUSE_MODULES},
    {BESIDE, IS, "Runtime Triggered Module Loading", NULL, CAUSE_MODULES},
    {CALLS, STARTS, "cuModuleLoad", NULL, CAUSE_MODULES},
    {CALLS, STARTS, "cuLibraryLoad", NULL, CAUSE_MODULES},
    {CALLS, STARTS, "hipModuleLoad", NULL, CAUSE_MODULES},

    {CALLS, STARTS, "cudaDeviceGetStreamPriorityRange", NULL, CAUSE_START},
    {CALLS, STARTS, "cudaStreamCreate", NULL, CAUSE_START},
    {CALLS, STARTS, "hipStreamCreate", NULL, CAUSE_START},
    {CALLS, STARTS, "cuCtxCreate", NULL, CAUSE_START},
    {CALLS, STARTS, "cuDevicePrimaryCtxRetain", NULL, CAUSE_START},

    {RANGES | CALLS, STARTS, "cudnnFind", NULL, CAUSE_SEARCH},
    {RANGES | CALLS, STARTS, "miopenFind", NULL, CAUSE_SEARCH},
    {FRAMES, ENDS, ": benchmark_all_configs", NULL, CAUSE_SEARCH},
    {FRAMES, ENDS, ": autotune", NULL, CAUSE_SEARCH},
    {FRAMES, ENDS, ": _bench", "triton/runtime/autotuner.py(", CAUSE_SEARCH},

    {CALLS, STARTS, "cudaMallocHost", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "cudaHostAlloc", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "hipHostMalloc", NULL, CAUSE_ALLOCATION},
    {CALLS, IS, "cudaMalloc", NULL, CAUSE_ALLOCATION},
    {CALLS, IS, "hipMalloc", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "cuMemAlloc", NULL, CAUSE_ALLOCATION},
    {CALLS, IS, "cudaFree", NULL, CAUSE_ALLOCATION},
    {CALLS, IS, "hipFree", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "cudaFreeHost", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "hipHostFree", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "cuMemFree", NULL, CAUSE_ALLOCATION},
    {CALLS, STARTS, "cuMemCreate", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "cuMemMap", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "cuMemSetAccess", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "cuMemUnmap", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "cuMemRelease", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "hipMemCreate", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "hipMemMap", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "hipMemSetAccess", NULL, CAUSE_MAPPING},
    {CALLS, STARTS, "hipMemUnmap", NULL, CAUSE_MAPPING},

    {FRAMES, IS, "<built-in function collect>", NULL, CAUSE_COLLECTION},
    {RANGES | BIT(EVENT_OTHER), IS, "gc", NULL, CAUSE_COLLECTION},
    {RANGES | BIT(EVENT_OTHER), IS, "GC", NULL, CAUSE_COLLECTION},
    {RANGES | BIT(EVENT_OTHER), STARTS, "Python GC", NULL, CAUSE_COLLECTION},

    {FRAMES, ENDS, ": save", "torch/serialization.py(", CAUSE_CHECKPOINT},
    {FRAMES, HAS, "torch/distributed/checkpoint/", NULL, CAUSE_CHECKPOINT},

    {BIT(EVENT_ANNOTATION), IS, "checkpoint", NULL, CAUSE_CHECKPOINT},
    {BIT(EVENT_ANNOTATION), HAS, "save_checkpoint", NULL, CAUSE_CHECKPOINT},
    {BIT(EVENT_ANNOTATION), HAS, "ModelCheckpoint", NULL, CAUSE_CHECKPOINT},

    {FRAMES, HAS, "logging/__init__.py(", NULL, CAUSE_LOGGING},
    {FRAMES, HAS, "torch/utils/tensorboard/", NULL, CAUSE_LOGGING},
    {FRAMES, HAS, "tensorboardX/", NULL, CAUSE_LOGGING},
    {FRAMES, HAS, "/wandb/", NULL, CAUSE_LOGGING},
    {FRAMES, IS, "<built-in function print>", NULL, CAUSE_LOGGING},

    {RANGES, STARTS, "enumerate(DataLoader)#_MultiProcessing", NULL, CAUSE_LOADER_WAIT},
    {RANGES, STARTS, "enumerate(DataLoader)#", NULL, CAUSE_LOADING},
    {RANGES, STARTS, "enumerate(DataPipe)#", NULL, CAUSE_LOADING},
    {FRAMES, ENDS, ": _try_get_data", "torch/utils/data/dataloader.py(", CAUSE_LOADER_WAIT},
    {FRAMES, ENDS, ": __next__", "torch/utils/data/dataloader.py(", CAUSE_LOADING},

    {FRAMES, IS, "<built-in function sleep>", NULL, CAUSE_SLEEP},

    {FRAMES, STARTS, "<method 'acquire' of '_thread.", NULL, CAUSE_WAITING},
    {FRAMES, STARTS, "<built-in method acquire of _thread.", NULL, CAUSE_WAITING},
    {FRAMES, STARTS, "<method 'poll' of 'select.", NULL, CAUSE_WAITING},
    {FRAMES, IS, "<built-in function select>", NULL, CAUSE_WAITING},
    {FRAMES, IS, "<built-in function waitpid>", NULL, CAUSE_WAITING},
    {FRAMES, STARTS, "<method 'recv", "_socket.socket", CAUSE_WAITING},

    {CALLS, STARTS, "cudaStreamBeginCapture", NULL, CAUSE_CAPTURE},
    {CALLS, STARTS, "cudaStreamEndCapture", NULL, CAUSE_CAPTURE},
    {CALLS, STARTS, "cudaGraphInstantiate", NULL, CAUSE_CAPTURE},
    {CALLS, STARTS, "hipStreamBeginCapture", NULL, CAUSE_CAPTURE},
    {CALLS, STARTS, "hipStreamEndCapture", NULL, CAUSE_CAPTURE},
    {CALLS, STARTS, "hipGraphInstantiate", NULL, CAUSE_CAPTURE},

    /* A call of another process lasts until that has answered. */
    {RANGES, STARTS, "rpc_sync#", NULL, CAUSE_COLLECTIVE},
    {RANGES, STARTS, "rpc_async#", NULL, CAUSE_COLLECTIVE},

    /* CUPTI files a wait of the driver itself under overhead, too; it is no work of the recorder. */
    {BESIDE, IS, "Command Buffer Full", NULL, CAUSE_NONE},
    {BESIDE, HAS, "", NULL, CAUSE_RECORDER},
};

static bool fits(str name, enum where where, str text)
{
    switch (where) {
    case HAS:
        return !text.len || str_has(name, text);
    case STARTS:
        return str_starts(name, text);
    case ENDS:
        return str_ends(name, text);
    default:
        return str_eq(name, text);
    }
}

enum cause cause_of_name(str name, enum event_kind kind)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kinds >> kind & 1 && fits(name, rows[i].where, str_of(rows[i].text)) &&
            (!rows[i].and || str_has(name, str_of(rows[i].and))))
            return rows[i].cause;
    return CAUSE_NONE;
}
