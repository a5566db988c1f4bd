/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stub of CUPTI, no GPU behind it: the entry points that the recorder asks for, and functions (stub_...) by which a test
 * makes calls, copies, kernels and waits happen. Times are those of a clock of its own, which each of them moves on.
 *
 *     STUB_VERSION=N      what cuptiGetVersion tells, and with it the sizes of records (130500)
 *     STUB_FAIL=NAME:N    that function gives N; several with commas between
 *     STUB_KEEP=ID        the runtime's call of that number cannot be left out
 *     STUB_DROP=N         every Nth record is dropped, and counted
 *     STUB_HOLD=N         so many buffers are kept back, and then come in the wrong order
 *     STUB_DELAY_MS=N     a buffer comes so late
 *     STUB_ODD=1          records are 8 bytes longer than this version's
 *     STUB_SLOW_MS=N      reading a buffer takes so long
 *     STUB_SILENT=1       functions are not told of, as though nobody had asked
 *     STUB_PATIENT=1      where there is no room for records it waits for it, as a slow GPU would; else they are dropped
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stub_cupti.h"

enum { OTHER_ERROR = 1 };

/* What the test says of a function: the result that it gives. */
static int fails(const char *name)
{
    const char *text = getenv("STUB_FAIL");
    const size_t len = strlen(name);
    for (; text; text = strchr(text, ','), text += text != NULL)
        if (!strncmp(text, name, len) && text[len] == ':')
            return atoi(text + len + 1);
    return RESULT_SUCCESS;
}

#define RESULT(name) \
    if (fails(#name)) \
    return fails(#name)

API int cuptiGetVersion(uint32_t *version);
API int cuptiGetTimestamp(uint64_t *ns);
API int cuptiActivityRegisterCallbacks(cupti_request request, cupti_complete complete);
API int cuptiActivityEnable(int kind);
API int cuptiActivityFlushAll(uint32_t flag);
API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count);
API int cuptiGetCallbackName(int domain, uint32_t id, const char **name);
API int cuptiSubscribe(cupti_subscriber *subscriber, cupti_callback callback, void *ours);
API int cuptiUnsubscribe(cupti_subscriber subscriber);
API int cuptiEnableCallback(uint32_t enable, cupti_subscriber subscriber, int domain, uint32_t id);
API int cuptiGetResultString(int result, const char **text);
API int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable);
API int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable);
API int InitializeInjectionNvtx2(void *get_table);

int cuptiGetVersion(uint32_t *version)
{
    RESULT(cuptiGetVersion);
    *version = (uint32_t)setting("STUB_VERSION", 130500);
    return RESULT_SUCCESS;
}

int cuptiGetTimestamp(uint64_t *ns)
{
    RESULT(cuptiGetTimestamp);
    *ns = __atomic_load_n(&stub.clock_ns, __ATOMIC_RELAXED);
    return RESULT_SUCCESS;
}

int cuptiActivityRegisterCallbacks(cupti_request request, cupti_complete complete)
{
    RESULT(cuptiActivityRegisterCallbacks);
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&slots[i].lock, NULL);
    stub.request = request;
    stub.complete = complete;
    return RESULT_SUCCESS;
}

int cuptiActivityEnable(int kind)
{
    RESULT(cuptiActivityEnable);
    stub.enabled[kind] = 1;
    return RESULT_SUCCESS;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    RESULT(cuptiActivityFlushAll);
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_lock(&slots[i].lock);
        send_slot(&slots[i]);
        pthread_mutex_unlock(&slots[i].lock);
    }
    pthread_mutex_lock(&stub.lock);
    if (flag & FLUSH_FORCED)
        bring_all();
    pthread_mutex_unlock(&stub.lock);
    return RESULT_SUCCESS;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint32_t kind;
    uint8_t *next = buffer;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        next = *record + bytes_of(kind);
    } else {
        usleep((useconds_t)setting("STUB_SLOW_MS", 0) * 1000);
    }
    if (next >= buffer + valid)
        return RESULT_MAX_LIMIT_REACHED;
    *record = next;
    return RESULT_SUCCESS;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    RESULT(cuptiActivityGetNumDroppedRecords);
    *count = __atomic_exchange_n(&stub.dropped_untold, 0, __ATOMIC_RELAXED);
    return RESULT_SUCCESS;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char **name)
{
    static const struct {
        int domain;
        uint32_t id;
        const char *name;
    } names[] = {{DOMAIN_RUNTIME, RUNTIME_GET_DEVICE, "cudaGetDevice_v3020"},
                 {DOMAIN_RUNTIME, RUNTIME_PEEK, "cudaPeekAtLastError_v3020"},
                 {DOMAIN_RUNTIME, RUNTIME_COPY, "cudaMemcpyAsync_ptsz_v7000"},
                 {DOMAIN_RUNTIME, RUNTIME_SET, "cudaMemsetAsync_v3020"},
                 {DOMAIN_RUNTIME, RUNTIME_WAIT, "cudaStreamSynchronize_v3020"},
                 {DOMAIN_RUNTIME, RUNTIME_LAUNCH, "cudaLaunchKernel_v7000"},
                 {DOMAIN_DRIVER, DRIVER_STATE, "cuDevicePrimaryCtxGetState"},
                 {DOMAIN_DRIVER, DRIVER_COPY, "cuMemcpyHtoDAsync_v2"},
                 {DOMAIN_DRIVER, DRIVER_LAUNCH, "cuLaunchKernel"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].domain == domain && names[i].id == id) {
            *name = names[i].name;
            return RESULT_SUCCESS;
        }
    return OTHER_ERROR;
}

int cuptiSubscribe(cupti_subscriber *subscriber, cupti_callback callback, void *ours)
{
    RESULT(cuptiSubscribe);
    *subscriber = &stub;
    stub.callback = callback;
    stub.ours = ours;
    return RESULT_SUCCESS;
}

int cuptiUnsubscribe(cupti_subscriber subscriber)
{
    memset(stub.listened, 0, sizeof stub.listened);
    return RESULT_SUCCESS;
}

int cuptiEnableCallback(uint32_t enable, cupti_subscriber subscriber, int domain, uint32_t id)
{
    stub.listened[domain][id] = enable && !setting("STUB_SILENT", 0);
    return RESULT_SUCCESS;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = result == RESULT_UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OTHER";
    return RESULT_SUCCESS;
}

int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable)
{
    RESULT(cuptiActivityEnableRuntimeApi);
    if (setting("STUB_KEEP", 0) == (long)id)
        return OTHER_ERROR;
    stub.left_out[DOMAIN_RUNTIME][id] = !enable;
    return RESULT_SUCCESS;
}

int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable)
{
    RESULT(cuptiActivityEnableDriverApi);
    stub.left_out[DOMAIN_DRIVER][id] = !enable;
    return RESULT_SUCCESS;
}

int InitializeInjectionNvtx2(void *get_table)
{
    return get_table ? 42 : 43; /* tells a test that the question came through */
}
