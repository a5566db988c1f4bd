/* SPDX-License-Identifier: Apache-2.0 */
#include "cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"libcupti.so.13",
                                    "libcupti.so.12",
                                    "libcupti.so.11.8",
                                    "libcupti.so.11.7",
                                    "libcupti.so",
                                    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                    "/usr/local/cuda/lib64/libcupti.so"};

/* What the program has opened itself (PyTorch's own) is of the version that goes with its runtime, so it comes first. */
static void *open_library(void)
{
    const char *const wanted = getenv("STEPTIME_CUPTI");
    if (wanted && *wanted)
        return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
    for (int flag = RTLD_NOLOAD;; flag = 0) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            void *const library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | flag);
            if (library)
                return library;
        }
        if (!flag)
            return NULL;
    }
}

static void find_path(struct cupti *cupti)
{
    Dl_info info;
    if (dladdr(*(void **)&cupti->get_version, &info) && info.dli_fname)
        snprintf(cupti->path, sizeof cupti->path, "%s", info.dli_fname);
}

struct wanted {
    const char *name;
    size_t at; /* in struct cupti */
    bool optional;
};

#define FUNCTION(name, member) \
    { \
        name, offsetof(struct cupti, member), false \
    }
#define OPTIONAL(name, member) \
    { \
        name, offsetof(struct cupti, member), true \
    }

static const struct wanted functions[] = {
    FUNCTION("cuptiGetVersion", get_version),
    FUNCTION("cuptiGetTimestamp", get_timestamp),
    FUNCTION("cuptiActivityRegisterCallbacks", register_callbacks),
    FUNCTION("cuptiActivityEnable", enable),
    FUNCTION("cuptiActivityFlushAll", flush_all),
    FUNCTION("cuptiActivityGetNextRecord", next_record),
    FUNCTION("cuptiActivityGetNumDroppedRecords", dropped),
    FUNCTION("cuptiGetCallbackName", callback_name),
    FUNCTION("cuptiSubscribe", subscribe),
    FUNCTION("cuptiUnsubscribe", unsubscribe),
    FUNCTION("cuptiEnableCallback", enable_callback),
    OPTIONAL("cuptiGetResultString", result_text),
    OPTIONAL("cuptiSetThreadIdType", set_thread_ids),
    OPTIONAL("cuptiActivityEnableRuntimeApi", enable_runtime_call),
    OPTIONAL("cuptiActivityEnableDriverApi", enable_driver_call),
};

static char sentence[128]; /* that says why, for the caller */

static bool find_functions(struct cupti *cupti, const char **why)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *const found = dlsym(cupti->library, functions[i].name);
        memcpy((char *)cupti + functions[i].at, &found, sizeof found);
        if (!found && !functions[i].optional) {
            snprintf(sentence, sizeof sentence, "the CUPTI that was found has no %s", functions[i].name);
            *why = sentence;
            return false;
        }
    }
    return true;
}

bool cupti_open(struct cupti *cupti, const char **why)
{
    cupti->library = open_library();
    if (!cupti->library) {
        *why = "there is no libcupti.so that can be opened; STEPTIME_CUPTI=PATH names one";
        return false;
    }
    if (!find_functions(cupti, why))
        return false;
    find_path(cupti);
    const int result = cupti->get_version(&cupti->version);
    snprintf(sentence, sizeof sentence, "cuptiGetVersion gives %d (%s)", result, cupti_words(cupti, result));
    *why = sentence;
    return result == RESULT_SUCCESS;
}

const char *cupti_words(const struct cupti *cupti, int result)
{
    const char *text = NULL;
    return cupti->result_text && cupti->result_text(result, &text) == RESULT_SUCCESS && text ? text : "?";
}

void *cupti_symbol(const struct cupti *cupti, const char *name)
{
    return dlsym(cupti->library, name);
}
