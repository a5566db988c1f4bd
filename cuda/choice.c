/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

bool choice_is_without(const char *what)
{
    const char *at = getenv("STEPTIME_CUDA_WITHOUT");
    const size_t len = strlen(what);
    while (at && *at) {
        const size_t word = strcspn(at, ",");
        if (word == len && !strncmp(at, what, len))
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

bool choice_kinds(const struct cupti *cupti, void (*say)(const char *format, ...))
{
    static const struct {
        int kind;
        bool needed;
        const char *word, *what;
    } kinds[] = {
        {KIND_DEVICE, false, "", "devices"},
        {KIND_CONCURRENT_KERNEL, true, "", "kernels"},
        {KIND_MEMCPY, true, "", "copies"},
        {KIND_MEMCPY2, false, "", "copies between devices"},
        {KIND_MEMSET, false, "", "memsets"},
        {KIND_RUNTIME, true, "runtime", "runtime calls"},
        {KIND_DRIVER, false, "driver", "driver calls"},
        {KIND_SYNCHRONIZATION, false, "waits", "synchronisations"},
        {KIND_OVERHEAD, false, "overheads", "overheads"},
        {KIND_MARKER, false, "ranges", "NVTX ranges"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const int result =
            *kinds[i].word && choice_is_without(kinds[i].word) ? RESULT_SUCCESS : cupti->enable(kinds[i].kind);
        if (result == RESULT_SUCCESS)
            continue;
        say("%s, no %s: cuptiActivityEnable gives %d (%s)", kinds[i].needed ? "nothing is recorded" : "recorded are",
            kinds[i].what, result, cupti_words(cupti, result));
        if (kinds[i].needed)
            return false;
    }
    return true;
}

/* ---- calls ---- */

static bool has_one_of(const char *name, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

#define HAS_ONE_OF(name, parts) has_one_of(name, parts, sizeof(parts) / sizeof *(parts))

/* By parts of names: those of runtime and driver differ in their first letters, and in endings of versions. */
static bool is_wanted(const char *name)
{
    static const char *const parts[] = {/* work */ "Launch",
                                        "Memcpy",
                                        "Memset",
                                        "Prefetch",
                                        "EventRecord",
                                        "WriteValue",
                                        "BatchMemOp",
                                        "SignalExternal",
                                        "Decompress",
                                        /* waits */ "Synchronize",
                                        "WaitEvent",
                                        "WaitValue",
                                        "WaitExternal",
                                        /* memory */ "Malloc",
                                        "MemAlloc",
                                        "Free",
                                        "HostAlloc",
                                        "HostRegister",
                                        "HostUnregister",
                                        "MemCreate",
                                        "MemMap",
                                        "MemUnmap",
                                        "MemRelease",
                                        "MemSetAccess",
                                        "MemGetInfo",
                                        "PoolTrim",
                                        "IpcOpen",
                                        "EnablePeerAccess",
                                        /* graphs */ "BeginCapture",
                                        "EndCapture",
                                        "GraphInstantiate",
                                        "GraphUpload",
                                        "GraphExecUpdate",
                                        /* code, and what is set up once */ "ModuleLoad",
                                        "ModuleUnload",
                                        "LibraryLoad",
                                        "LibraryUnload",
                                        "LinkComplete",
                                        "cuInit",
                                        "CtxCreate",
                                        "CtxDestroy",
                                        "CtxRetain",
                                        "DeviceReset",
                                        "StreamCreate",
                                        "StreamDestroy"};
    return HAS_ONE_OF(name, parts);
}

static bool copies_or_waits(const char *name)
{
    static const char *const parts[] = {"Memcpy", "Synchronize"};
    return HAS_ONE_OF(name, parts);
}

static const char *name_of(const struct cupti *cupti, int domain, uint32_t id)
{
    const char *name = NULL;
    return cupti->callback_name(domain, id, &name) == RESULT_SUCCESS ? name : NULL;
}

static bool leave_out(const struct cupti *cupti, int domain, int (*enable)(uint32_t id, uint8_t enable))
{
    for (uint32_t id = 1; enable && id < CALL_IDS; id++) {
        const char *const name = name_of(cupti, domain, id);
        if (name && !is_wanted(name))
            enable(id, 0);
    }
    return enable != NULL;
}

const char *choice_calls(const struct cupti *cupti)
{
    if (choice_is_without("choice"))
        return "all";
    const bool runtime = choice_is_without("runtime") || leave_out(cupti, DOMAIN_RUNTIME, cupti->enable_runtime_call),
               driver = choice_is_without("driver") || leave_out(cupti, DOMAIN_DRIVER, cupti->enable_driver_call);
    return runtime && driver ? "those that put work on a device, wait, take memory or load code"
           : runtime
               ? "of the runtime those that put work on a device, wait, take memory or load code; of the driver all"
               : "all: this version of CUPTI cannot leave out any";
}

static void listen_to(const struct cupti *cupti, cupti_subscriber subscriber, int domain)
{
    for (uint32_t id = 1; id < CALL_IDS; id++) {
        const char *const name = name_of(cupti, domain, id);
        if (name && copies_or_waits(name))
            cupti->enable_callback(1, subscriber, domain, id);
    }
}

void choice_listen(const struct cupti *cupti, cupti_subscriber subscriber)
{
    if (choice_is_without("lines"))
        return;
    listen_to(cupti, subscriber, DOMAIN_RUNTIME);
    listen_to(cupti, subscriber, DOMAIN_DRIVER);
}
