/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: the CUDA driver loads this library where CUDA_INJECTION64_PATH names it, and calls InitializeInjection
 * when the program first comes to CUDA. From then on CUPTI fills buffers; a thread of ours turns them into rows of a file.
 *
 *     CUPTI's threads      asked_for_room, came_back     room from and into `buffers`, never waiting
 *     the program's        on_call                       Python lines of copies and waits
 *     ours                 record                        buffers and lines -> rows -> the file
 *
 * Whatever goes wrong is one line on standard error, and the program runs on. It never waits for us but at its exit.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "buffers.h"
#include "choice.h"
#include "decode.h"
#include "lines.h"
#include "place.h"

enum { WAIT_MS = 200, FLUSH_MS = 1000, END_S = 60 };

static struct {
    struct cupti cupti;
    struct buffers buffers;
    struct out out;
    struct texts texts;
    struct decoder decoder;
    cupti_subscriber subscriber;
    pthread_t thread;
    pid_t process; /* that records; 0: none does. In a fork of it nothing is done */
    bool is_newer;
    const char *calls; /* which are recorded */
    char path[4096];
    uint64_t dropped; /* told by CUPTI; several threads add */
} recorder = {.out.fd = -1};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    char line[6000];
    va_list values;
    va_start(values, format);
    int bytes = snprintf(line, sizeof line, "steptime: CUDA recorder: ");
    bytes += vsnprintf(line + bytes, sizeof line - (size_t)bytes - 1, format, values);
    va_end(values);
    if (bytes > (int)sizeof line - 2)
        bytes = (int)sizeof line - 2;
    line[bytes++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0)
        return; /* nobody is there to be told */
}

/* Asked on the program's threads: is it this process that records, and not a fork of it? */
static bool is_on(void)
{
    return __atomic_load_n(&recorder.process, __ATOMIC_ACQUIRE) != 0;
}

/* ---- on CUPTI's threads ---- */

static void asked_for_room(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
    *buffer = is_on() ? buffers_room(&recorder.buffers) : NULL;
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void came_back(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    size_t dropped = 0;
    if (!is_on())
        return;
    if (recorder.cupti.dropped(context, stream, &dropped) == RESULT_SUCCESS && dropped)
        __atomic_add_fetch(&recorder.dropped, dropped, __ATOMIC_RELAXED);
    if (buffer)
        buffers_fill(&recorder.buffers, buffer, valid <= bytes ? valid : 0);
}

/* ---- on the program's threads: calls that copy or wait ---- */

/* Calls within calls: the driver's in the runtime's. The outermost is the one that the program made. */
static __thread int depth;

static void on_call(void *ours, int domain, uint32_t id, const void *data)
{
    uint32_t site, correlation;
    (void)ours;
    (void)domain;
    (void)id;
    memcpy(&site, (const char *)data + DATA_SITE, sizeof site);
    if (site == SITE_EXIT) {
        depth -= depth > 0;
        return;
    }
    if (depth++ || !is_on())
        return;
    memcpy(&correlation, (const char *)data + DATA_CORRELATION, sizeof correlation);
    lines_note(correlation);
}

/* ---- on ours ---- */

static uint64_t now_ns(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static void put_clock(void)
{
    uint64_t cupti_ns = 0;
    if (recorder.cupti.get_timestamp(&cupti_ns) != RESULT_SUCCESS)
        return;
    row_begin(&recorder.out, CUDAFILE_CLOCK);
    row_number(&recorder.out, cupti_ns);
    row_number(&recorder.out, now_ns(CLOCK_REALTIME));
    row_number(&recorder.out, now_ns(CLOCK_MONOTONIC));
    row_end(&recorder.out);
}

static void put_loss(void)
{
    const struct decoder *const d = &recorder.decoder;
    const struct lines_counts lines = lines_counts();
    const uint64_t losses[CUDAFILE_LOSSES] = {
        [CUDAFILE_DROPPED] = __atomic_load_n(&recorder.dropped, __ATOMIC_RELAXED),
        [CUDAFILE_UNWRITTEN] = recorder.out.unwritten,
        [CUDAFILE_UNKNOWN] = d->unknown,
        [CUDAFILE_NAMELESS] = d->nameless,
        [CUDAFILE_UNLOCKED] = lines.unlocked,
        [CUDAFILE_LINES_LOST] = lines.lost,
        [CUDAFILE_ODD_SIZES] = d->odd_sizes,
        [CUDAFILE_FRAMELESS] = lines.frameless,
        [CUDAFILE_OF_LIBRARY] = d->of_library,
    };
    row_begin(&recorder.out, CUDAFILE_LOSS);
    for (int i = 0; i < CUDAFILE_LOSSES; i++)
        row_number(&recorder.out, losses[i]);
    row_end(&recorder.out);
}

static void put_all(int wait_ms)
{
    struct filled filled;
    for (; buffers_take(&recorder.buffers, wait_ms, &filled); wait_ms = 0) {
        decode_buffer(&recorder.decoder, filled.buffer, filled.valid);
        buffers_return(&recorder.buffers, filled.buffer);
    }
    lines_write(&recorder.out, &recorder.texts);
}

/* What CUPTI still holds: of work that is not done yet, too. Then the file says that it is whole. */
static void finish(void)
{
    size_t dropped = 0;
    recorder.cupti.unsubscribe(recorder.subscriber);
    recorder.cupti.flush_all(FLUSH_FORCED);
    put_all(0);
    if (recorder.cupti.dropped(NULL, 0, &dropped) == RESULT_SUCCESS)
        __atomic_add_fetch(&recorder.dropped, dropped, __ATOMIC_RELAXED);
    put_clock();
    out_flush(&recorder.out);
    put_loss();
    if (*lines_why_off())
        place_info(&recorder.out, CUDAFILE_LINES_OFF, lines_why_off());
    row_begin(&recorder.out, CUDAFILE_END);
    row_number(&recorder.out, recorder.decoder.records);
    row_end(&recorder.out);
    out_flush(&recorder.out);
}

static void put_head(void)
{
    char version[16];
    out_begin(&recorder.out);
    place_tell(&recorder.out);
    snprintf(version, sizeof version, "%u", recorder.cupti.version);
    place_info(&recorder.out, CUDAFILE_CUPTI_VERSION, version);
    place_info(&recorder.out, CUDAFILE_CUPTI_PATH, recorder.cupti.path);
    place_info(&recorder.out, CUDAFILE_CALLS, recorder.calls);
    put_clock();
    out_flush(&recorder.out);
}

static void *record(void *unused)
{
    const bool has_flush = !choice_is_without("flush");
    put_head();
    uint64_t flushed_ns = now_ns(CLOCK_MONOTONIC);
    while (!buffers_ending(&recorder.buffers)) {
        put_all(WAIT_MS);
        const uint64_t at_ns = now_ns(CLOCK_MONOTONIC);
        if (at_ns - flushed_ns < FLUSH_MS * UINT64_C(1000000))
            continue;
        flushed_ns = at_ns;
        if (has_flush)
            recorder.cupti.flush_all(0);
        put_all(0);
        put_clock();
        put_loss();
        out_flush(&recorder.out);
    }
    finish();
    return unused;
}

/* ---- the end ---- */

static void tell_end(void)
{
    const struct out *const out = &recorder.out;
    const struct decoder *const d = &recorder.decoder;
    if (out->error)
        say("%s cannot be written: %s; it ends before the program does, and %" PRIu64 " records are not in it",
            recorder.path, strerror(out->error), out->unwritten);
    if (d->odd_sizes || d->unknown)
        say("%" PRIu64 " records of CUPTI version %u have another size than is known for it, %" PRIu64
            " are of an unknown kind",
            d->odd_sizes, recorder.cupti.version, d->unknown);
    if (!getenv("STEPTIME_CUDA_QUIET"))
        say("%s: %" PRIu64 " records, %" PRIu64 " dropped by CUPTI", recorder.path, d->records, recorder.dropped);
}

static void at_exit(void)
{
    struct timespec until;
    if (!is_on() || recorder.process != getpid())
        return;
    buffers_end(&recorder.buffers);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_S;
    if (pthread_timedjoin_np(recorder.thread, NULL, &until))
        say("%s is not whole: writing takes longer than %d s at the end", recorder.path, END_S);
    else
        tell_end();
    __atomic_store_n(&recorder.process, 0, __ATOMIC_RELEASE);
}

/* A fork has none of our threads, and may not write to the file. CUDA does not work in it either. */
static void in_fork(void)
{
    __atomic_store_n(&recorder.process, 0, __ATOMIC_RELEASE);
}

/* ---- the beginning ---- */

static bool failed(const char *call, int result)
{
    if (result == RESULT_SUCCESS)
        return false;
    say("nothing is recorded: %s gives %d (%s)%s", call, result, cupti_words(&recorder.cupti, result),
        result == RESULT_MULTIPLE                                      ? "; another profiler is at work in this process"
        : result == RESULT_UNKNOWN || result == RESULT_NOT_INITIALIZED ? "; is there an NVIDIA driver?"
                                                                       : "");
    return true;
}

static bool begin_cupti(void)
{
    const char *why;
    if (!cupti_open(&recorder.cupti, &why)) {
        say("nothing is recorded: %s", why);
        return false;
    }
    recorder.decoder = (struct decoder){.cupti = &recorder.cupti, .out = &recorder.out, .texts = &recorder.texts};
    int is_newer;
    recorder.decoder.layout = cupti_layout_of(recorder.cupti.version, &is_newer);
    recorder.is_newer = is_newer;
    if (!recorder.decoder.layout) {
        say("nothing is recorded: CUPTI version %u is older than CUDA 11.8", recorder.cupti.version);
        return false;
    }
    if (failed("cuptiSubscribe", recorder.cupti.subscribe(&recorder.subscriber, on_call, NULL)))
        return false;
    if (recorder.cupti.set_thread_ids)
        recorder.cupti.set_thread_ids(THREAD_IDS_SYSTEM);
    return true;
}

static bool begin_choice(void)
{
    if (!choice_kinds(&recorder.cupti, say))
        return false;
    recorder.calls = choice_calls(&recorder.cupti);
    return true;
}

/* What is written is written by our thread alone: a limit on files would end the program, were it to meet it on its own. */
static bool begin_file(void)
{
    recorder.out.fd = place_open(recorder.path, sizeof recorder.path);
    if (recorder.out.fd >= 0 && texts_begin(&recorder.texts, &recorder.out))
        return true;
    say("nothing is recorded: %s: %s", recorder.path, strerror(errno));
    return false;
}

/* The program's signals are for its own threads. A disk that is full or a limit that is reached is told by the write. */
static bool begin_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int result = pthread_create(&recorder.thread, NULL, record, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result)
        say("nothing is recorded: there is no thread for it: %s", strerror(result));
    return !result;
}

static void begin(void)
{
    if (!begin_cupti())
        return;
    buffers_begin(&recorder.buffers);
    lines_begin();
    __atomic_store_n(&recorder.process, getpid(), __ATOMIC_RELEASE);
    if (failed("cuptiActivityRegisterCallbacks", recorder.cupti.register_callbacks(asked_for_room, came_back)) ||
        !begin_choice() || !begin_file() || !begin_thread()) {
        recorder.cupti.unsubscribe(recorder.subscriber);
        __atomic_store_n(&recorder.process, 0, __ATOMIC_RELEASE);
        return;
    }
    if (recorder.is_newer)
        say("CUPTI version %u is newer than those known here; sizes of records are watched", recorder.cupti.version);
    choice_listen(&recorder.cupti, recorder.subscriber);
    pthread_atfork(NULL, NULL, in_fork);
    atexit(at_exit);
}

/* The driver's call. It wants 1, and the program must not notice where we failed. */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    static bool was_here;
    if (!__atomic_exchange_n(&was_here, true, __ATOMIC_ACQ_REL))
        begin();
    return 1;
}

/*
 * NVTX has a variable of its own, NVTX_INJECTION64_PATH, and calls this at the first range. CUPTI has the function that
 * makes its marker records, so the question is handed on to it.
 */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(void *get_table);

int InitializeInjectionNvtx2(void *get_table)
{
    static struct cupti cupti;
    const char *why;
    int (*begin_nvtx)(void *) = NULL;
    if (cupti_open(&cupti, &why)) {
        void *const found = cupti_symbol(&cupti, "InitializeInjectionNvtx2");
        memcpy(&begin_nvtx, &found, sizeof found);
    }
    return begin_nvtx ? begin_nvtx(get_table) : 0;
}
