/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include <stdio.h>
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

/* Which calls of the runtime, or of the driver, are recorded. */
enum chosen { CHOSEN_NONE, CHOSEN_WANTED, CHOSEN_MORE, CHOSEN_ALL };

#define WANTED "those that put work on a device, wait, take memory or load code"

static const char *const chosen_words[] = {"none", WANTED, WANTED ", and others that CUPTI refuses to leave out",
                                           "all"};

static enum chosen leave_out(const struct cupti *cupti, int domain, int (*enable)(uint32_t id, uint8_t enable))
{
    uint32_t unwanted = 0, refused = 0;
    for (uint32_t id = 1; enable && id < CALL_IDS; id++) {
        const char *const name = name_of(cupti, domain, id);
        if (!name || is_wanted(name))
            continue;
        unwanted++;
        refused += enable(id, 0) != RESULT_SUCCESS;
    }
    return !enable || (refused && refused == unwanted) ? CHOSEN_ALL : refused ? CHOSEN_MORE : CHOSEN_WANTED;
}

static enum chosen chosen_of(const struct cupti *cupti, const char *what, int domain,
                             int (*enable)(uint32_t id, uint8_t enable))
{
    return choice_is_without(what)       ? CHOSEN_NONE
           : choice_is_without("choice") ? CHOSEN_ALL
                                         : leave_out(cupti, domain, enable);
}

static int tell_part(char *into, size_t bytes, const char *what, enum chosen chosen)
{
    return chosen == CHOSEN_NONE ? snprintf(into, bytes, "none of the %s", what)
                                 : snprintf(into, bytes, "of the %s %s", what, chosen_words[chosen]);
}

const char *choice_calls(const struct cupti *cupti)
{
    static char told[2 * (sizeof WANTED + 64)];
    const enum chosen runtime = chosen_of(cupti, "runtime", DOMAIN_RUNTIME, cupti->enable_runtime_call),
                      driver = chosen_of(cupti, "driver", DOMAIN_DRIVER, cupti->enable_driver_call);
    if (runtime == driver)
        return runtime == CHOSEN_ALL && !choice_is_without("choice") ? "all: this version of CUPTI cannot leave out any"
                                                                     : chosen_words[runtime];
    const size_t used = (size_t)tell_part(told, sizeof told, "runtime", runtime);
    memcpy(told + used, "; ", 2);
    tell_part(told + used + 2, sizeof told - used - 2, "driver", driver);
    return told;
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
