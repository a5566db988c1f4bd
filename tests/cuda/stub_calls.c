/* SPDX-License-Identifier: Apache-2.0 */
/* What a test makes happen by the stub of CUPTI: calls, copies, kernels, waits and ranges, on a clock of its own. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stub_cupti.h"

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
