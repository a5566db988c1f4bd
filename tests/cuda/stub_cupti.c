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
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda/cupti_abi.h"

enum {
    SLOTS = 64,
    MOST_HELD = 64,
    OTHER_ERROR = 1,
    RUNTIME_LAUNCH = 211,
    RUNTIME_COPY = 41,
    RUNTIME_WAIT = 131,
    RUNTIME_SET = 51,
    RUNTIME_GET_DEVICE = 17,
    RUNTIME_PEEK = 10,
    DRIVER_STATE = 388,
    DRIVER_COPY = 277,
    DRIVER_LAUNCH = 307
};

/* Each thread fills a buffer of its own. */
static struct slot {
    pthread_mutex_t lock;
    uint8_t *buffer;
    size_t bytes, used;
} slots[SLOTS];

static struct {
    cupti_request request;
    cupti_complete complete;
    cupti_callback callback;
    void *ours;
    uint8_t enabled[KINDS_KNOWN];
    uint8_t listened[3][4096], left_out[3][4096];
    pthread_mutex_t lock;
    struct held {
        uint8_t *buffer;
        size_t bytes, valid;
    } held[MOST_HELD];
    int held_count;
    uint64_t dropped_untold, dropped, given, correlation, clock_ns, stream_free_ns;
} stub = {.lock = PTHREAD_MUTEX_INITIALIZER, .clock_ns = UINT64_C(1700000000000000000)};

static long setting(const char *name, long otherwise)
{
    const char *const text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

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

static const struct cupti_layout *layout(void)
{
    static const struct cupti_layout *known;
    int is_newer;
    if (!known)
        known = cupti_layout_of((uint32_t)setting("STUB_VERSION", 130500), &is_newer);
    if (!known) /* older than all */
        known = cupti_layout_of(18, &is_newer);
    return known;
}

static size_t bytes_of(uint32_t kind)
{
    static long odd = -1;
    if (odd < 0)
        odd = setting("STUB_ODD", 0);
    return cupti_record_bytes(layout(), kind) + (odd ? 8 : 0);
}

/* ---- buffers on their way ---- */

static void bring(struct held held)
{
    const long delay = setting("STUB_DELAY_MS", 0);
    if (delay)
        usleep((useconds_t)delay * 1000);
    stub.complete(NULL, 0, held.buffer, held.bytes, held.valid);
}

/* The last first. */
static void bring_all(void)
{
    while (stub.held_count)
        bring(stub.held[--stub.held_count]);
}

static void send(struct held held)
{
    const long hold = setting("STUB_HOLD", 0);
    pthread_mutex_lock(&stub.lock);
    if (stub.held_count == MOST_HELD || stub.held_count >= hold)
        bring_all();
    if (hold)
        stub.held[stub.held_count++] = held;
    else
        bring(held);
    pthread_mutex_unlock(&stub.lock);
}

static void send_slot(struct slot *slot)
{
    if (slot->buffer)
        send((struct held){slot->buffer, slot->bytes, slot->used});
    slot->buffer = NULL;
    slot->bytes = slot->used = 0;
}

static int has_room(struct slot *slot, size_t bytes)
{
    size_t most = 0;
    for (int tries = 0; !slot->buffer || slot->used + bytes > slot->bytes; tries++) {
        send_slot(slot);
        stub.request(&slot->buffer, &slot->bytes, &most);
        if (slot->buffer)
            continue;
        if (!setting("STUB_PATIENT", 0) || tries > 20000)
            return 0;
        usleep(500);
    }
    return 1;
}

/* A record of nothing but its kind, in the slot, which stays locked; NULL: it is dropped. */
static uint8_t *record_begin(struct slot *slot, uint32_t kind)
{
    static long every = -1;
    if (every < 0)
        every = setting("STUB_DROP", 0);
    pthread_mutex_lock(&slot->lock);
    const size_t bytes = bytes_of(kind);
    const uint64_t number = __atomic_add_fetch(&stub.given, 1, __ATOMIC_RELAXED);
    if (!stub.enabled[kind] || (every && number % (uint64_t)every == 0) || !has_room(slot, bytes)) {
        __atomic_add_fetch(&stub.dropped, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&stub.dropped_untold, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&slot->lock);
        return NULL;
    }
    uint8_t *const record = slot->buffer + slot->used;
    memset(record, 0, bytes);
    memcpy(record, &kind, sizeof kind);
    slot->used += bytes;
    return record;
}

static void record_end(struct slot *slot)
{
    pthread_mutex_unlock(&slot->lock);
}

static void put4(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, sizeof value);
}

static void put8(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, sizeof value);
}

/* ---- what CUPTI has ---- */

#define API __attribute__((visibility("default")))
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

/* ---- what a test does ---- */

API void stub_copy(int to_device, int pinned, uint64_t bytes, uint64_t ns);
API void stub_kernel(const char *name, uint64_t ns);
API void stub_wait(void);
API void stub_wait_elsewhere(void);
API void stub_host(uint64_t ns);
API void stub_device(void);
API void stub_ask(void);
API void stub_range(const char *name, uint32_t id, int is_end);
API void stub_library_range(uint32_t id);
API void stub_run(int threads, uint64_t each);
API uint64_t stub_given(void);
API uint64_t stub_dropped(void);

static uint32_t thread_id(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static struct slot *slot_of(void)
{
    return &slots[thread_id() % SLOTS];
}

static uint64_t pass_ns(uint64_t ns)
{
    return __atomic_fetch_add(&stub.clock_ns, ns, __ATOMIC_RELAXED);
}

static void call_back(int domain, uint32_t id, uint32_t site, uint32_t correlation)
{
    uint8_t data[DATA_CORRELATION + 8] = {0};
    put4(data, DATA_SITE, site);
    put4(data, DATA_CORRELATION, correlation);
    if (stub.callback && stub.listened[domain][id])
        stub.callback(stub.ours, domain, id, data);
}

/* The record of a call that took so long, up to now. */
static void put_call(uint32_t kind, uint32_t id, uint32_t correlation, uint64_t start_ns, uint64_t end_ns)
{
    if (stub.left_out[kind == KIND_RUNTIME ? DOMAIN_RUNTIME : DOMAIN_DRIVER][id])
        return;
    struct slot *const slot = slot_of();
    uint8_t *const r = record_begin(slot, kind);
    if (!r)
        return;
    put4(r, CALL_ID, id);
    put8(r, CALL_START, start_ns);
    put8(r, CALL_END, end_ns);
    put4(r, CALL_THREAD, thread_id());
    put4(r, CALL_CORRELATION, correlation);
    record_end(slot);
}

/* Work for the stream: behind what it has, and not before now. */
static uint64_t start_of(uint64_t ns)
{
    const uint64_t now = pass_ns(0), start = stub.stream_free_ns > now ? stub.stream_free_ns : now;
    stub.stream_free_ns = start + ns;
    return start;
}

static void put_copy(int to_device, int pinned, uint64_t bytes, uint32_t correlation, uint64_t start_ns,
                     uint64_t end_ns)
{
    enum { H2D = 1, D2H = 2, PAGEABLE = 1, PINNED = 2, DEVICE = 3 };
    struct slot *const slot = slot_of();
    uint8_t *const r = record_begin(slot, KIND_MEMCPY);
    if (!r)
        return;
    r[COPY_KIND] = to_device ? H2D : D2H;
    r[COPY_FROM] = to_device ? (pinned ? PINNED : PAGEABLE) : DEVICE;
    r[COPY_TO] = to_device ? DEVICE : pinned ? PINNED : PAGEABLE;
    put8(r, COPY_BYTES, bytes);
    put8(r, COPY_START, start_ns);
    put8(r, COPY_END, end_ns);
    put4(r, COPY_CONTEXT, 1);
    put4(r, COPY_STREAM, 7);
    put4(r, COPY_CORRELATION, correlation);
    record_end(slot);
}

/* A copy of pageable memory returns when it is done. The driver's call within it has an id of its own. */
void stub_copy(int to_device, int pinned, uint64_t bytes, uint64_t ns)
{
    const uint32_t correlation = (uint32_t)__atomic_add_fetch(&stub.correlation, 1, __ATOMIC_RELAXED);
    call_back(DOMAIN_RUNTIME, RUNTIME_COPY, SITE_ENTER, correlation);
    call_back(DOMAIN_DRIVER, DRIVER_COPY, SITE_ENTER, correlation);
    const uint64_t call_ns = pass_ns(2000), start_ns = start_of(ns);
    if (!pinned)
        __atomic_store_n(&stub.clock_ns, stub.stream_free_ns + 500, __ATOMIC_RELAXED);
    put_call(KIND_DRIVER, DRIVER_COPY, correlation, call_ns + 100, pass_ns(100));
    put_call(KIND_RUNTIME, RUNTIME_COPY, correlation, call_ns, pass_ns(100));
    put_copy(to_device, pinned, bytes, correlation, start_ns, start_ns + ns);
    call_back(DOMAIN_DRIVER, DRIVER_COPY, SITE_EXIT, correlation);
    call_back(DOMAIN_RUNTIME, RUNTIME_COPY, SITE_EXIT, correlation);
}

/* The name as CUPTI keeps it: one text for all kernels of it. */
static const char *kept(const char *name)
{
    static const char *names[256];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < sizeof names / sizeof *names - 1 && names[i] && strcmp(names[i], name))
        i++;
    if (!names[i])
        names[i] = strdup(name);
    const char *const found = names[i];
    pthread_mutex_unlock(&lock);
    return found;
}

void stub_kernel(const char *name, uint64_t ns)
{
    const uint32_t correlation = (uint32_t)__atomic_add_fetch(&stub.correlation, 1, __ATOMIC_RELAXED);
    struct slot *const slot = slot_of();
    const uint64_t call_ns = pass_ns(3000);
    put_call(KIND_RUNTIME, RUNTIME_LAUNCH, correlation, call_ns, call_ns + 3000);
    const uint64_t start_ns = start_of(ns);
    uint8_t *const r = record_begin(slot, KIND_CONCURRENT_KERNEL);
    if (!r)
        return;
    r[KERNEL_REGISTERS] = 32;
    put8(r, KERNEL_START, start_ns);
    put8(r, KERNEL_END, start_ns + ns);
    put4(r, KERNEL_CONTEXT, 1);
    put4(r, KERNEL_STREAM, 7);
    put4(r, KERNEL_CORRELATION, correlation);
    for (size_t at = KERNEL_GRID_X; at <= KERNEL_BLOCK_Z; at += 4)
        put4(r, at, at == KERNEL_GRID_X ? 108 : at == KERNEL_BLOCK_X ? 256 : 1);
    put4(r, KERNEL_DYNAMIC, 4096);
    put8(r, KERNEL_NAME, (uint64_t)(uintptr_t)kept(name));
    record_end(slot);
}

/* Until the stream is empty. */
void stub_wait(void)
{
    enum { STREAM_SYNCHRONIZE = 3 };
    const uint32_t correlation = (uint32_t)__atomic_add_fetch(&stub.correlation, 1, __ATOMIC_RELAXED);
    struct slot *const slot = slot_of();
    call_back(DOMAIN_RUNTIME, RUNTIME_WAIT, SITE_ENTER, correlation);
    const uint64_t start_ns = pass_ns(1000);
    if (stub.stream_free_ns > pass_ns(0))
        __atomic_store_n(&stub.clock_ns, stub.stream_free_ns + 500, __ATOMIC_RELAXED);
    const uint64_t end_ns = pass_ns(100);
    uint8_t *const r = record_begin(slot, KIND_SYNCHRONIZATION);
    if (r) {
        put4(r, SYNC_TYPE, STREAM_SYNCHRONIZE);
        put8(r, SYNC_START, start_ns);
        put8(r, SYNC_END, end_ns);
        put4(r, SYNC_CORRELATION, correlation);
        put4(r, SYNC_CONTEXT, 1);
        put4(r, SYNC_STREAM, 7);
        record_end(slot);
    }
    put_call(KIND_RUNTIME, RUNTIME_WAIT, correlation, start_ns, end_ns);
    call_back(DOMAIN_RUNTIME, RUNTIME_WAIT, SITE_EXIT, correlation);
}

static void *wait_once(void *unused)
{
    stub_wait();
    return unused;
}

/* In a thread that never ran Python. */
void stub_wait_elsewhere(void)
{
    pthread_t thread;
    if (!pthread_create(&thread, NULL, wait_once, NULL))
        pthread_join(thread, NULL);
}

/* The program does something else. */
void stub_host(uint64_t ns)
{
    pass_ns(ns);
}

/* Calls that only ask for something, as PyTorch makes several of for each kernel. */
void stub_ask(void)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t correlation = (uint32_t)__atomic_add_fetch(&stub.correlation, 1, __ATOMIC_RELAXED);
        const uint64_t start_ns = pass_ns(200);
        put_call(i ? KIND_DRIVER : KIND_RUNTIME, i ? DRIVER_STATE : RUNTIME_GET_DEVICE, correlation, start_ns,
                 start_ns + 200);
    }
}

void stub_device(void)
{
    struct slot *const slot = slot_of();
    uint8_t *const r = record_begin(slot, KIND_DEVICE);
    if (!r)
        return;
    put8(r, DEVICE_MEMORY, UINT64_C(42505273344));
    put4(r, DEVICE_SMS, 108);
    put4(r, DEVICE_MAJOR, 8);
    put8(r, DEVICE_NAME, (uint64_t)(uintptr_t) "NVIDIA A100-SXM4-40GB");
    record_end(slot);
}

static void put_range(const char *name, const char *domain, uint32_t id, int is_end)
{
    struct slot *const slot = slot_of();
    uint8_t *const r = record_begin(slot, KIND_MARKER);
    if (!r)
        return;
    put4(r, MARK_FLAGS, is_end ? 1 << 2 : 1 << 1);
    put8(r, MARK_TIME, pass_ns(100));
    put4(r, MARK_ID, id);
    put4(r, MARK_OBJECT, OBJECT_THREAD);
    put4(r, MARK_WHERE + 4, thread_id());
    put8(r, MARK_NAME, is_end ? 0 : (uint64_t)(uintptr_t)strdup(name)); /* as CUPTI does, for good */
    put8(r, MARK_DOMAIN, (uint64_t)(uintptr_t)domain);
    record_end(slot);
}

void stub_range(const char *name, uint32_t id, int is_end)
{
    put_range(name, NULL, id, is_end);
}

/* One that the program did not ask for. */
void stub_library_range(uint32_t id)
{
    put_range("cub::DeviceRadixSort", "CCCL", id, 0);
    put_range(NULL, "CCCL", id, 1);
}

static void *run(void *each)
{
    static const char *const names[] = {"gemm", "void add_kernel<float>(float*, float const*)", "softmax"};
    for (uint64_t i = 0; i < *(uint64_t *)each; i += 2) /* a call and a kernel */
        stub_kernel(names[i / 2 % 3], 1000);
    return NULL;
}

/* From so many threads so many records each. */
void stub_run(int threads, uint64_t each)
{
    pthread_t thread[SLOTS];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, &each);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

uint64_t stub_given(void)
{
    return __atomic_load_n(&stub.given, __ATOMIC_RELAXED);
}

uint64_t stub_dropped(void)
{
    return __atomic_load_n(&stub.dropped, __ATOMIC_RELAXED);
}
