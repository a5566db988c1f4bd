/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frames.h"
#include "functions.h"
#include "python.h"

static struct {
    bool is_there, may_be_called;
    char why_not[80];
} python;

/* ---- what is kept until the recorder's thread takes it ---- */

/* A word for what follows: a function that is met first, or a line. Then words, and the texts of a function. */
enum { KEPT_CODE = 1, KEPT_LINE, KEPT_MOST = 4 << 20, CHECK_EVERY = 4096 };

struct kept {
    unsigned char *at;
    size_t bytes;
};

static struct {
    pthread_mutex_t lock;
    struct kept filling, taken; /* KEPT_MOST bytes each, once there is something */
    struct lines_counts counts;
    struct functions functions;
} lines = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_room(size_t bytes)
{
    if (!lines.filling.at)
        lines.filling.at = malloc(KEPT_MOST);
    return lines.filling.at && KEPT_MOST - lines.filling.bytes >= bytes;
}

static void keep(const void *at, size_t bytes)
{
    memcpy(lines.filling.at + lines.filling.bytes, at, bytes);
    lines.filling.bytes += bytes;
}

static void keep_word(uint32_t word)
{
    keep(&word, sizeof word);
}

/* ---- functions ---- */

static void keep_function(uint32_t id, const struct function *function)
{
    keep_word(KEPT_CODE);
    keep_word(id);
    keep_word(function->first_line);
    keep_word(function->file_bytes);
    keep(function->file, function->file_bytes);
    keep_word(function->name_bytes);
    keep(function->name, function->name_bytes);
}

/* 0: no room. With the lock. */
static uint32_t function_id(const void *code, const struct function *function)
{
    bool is_new;
    if (!has_room(5 * 4 + 2 * TEXT_MOST))
        return 0;
    const uint32_t id = functions_id(&lines.functions, code, function, &is_new);
    if (id && is_new)
        keep_function(id, function);
    return id;
}

/* 0, too, where what was read makes no sense. With the lock. */
static uint32_t id_from_memory(const void *code)
{
    struct function function;
    return frames_describe(code, &function) ? function_id(code, &function) : 0;
}

/* Without the lock. */
static uint32_t id_by_asking(const void *code)
{
    struct function function;
    python_describe(code, &function);
    pthread_mutex_lock(&lines.lock);
    const uint32_t id = function_id(code, &function);
    pthread_mutex_unlock(&lines.lock);
    return id;
}

/* ---- a stack ---- */

static uint32_t thread_id(void)
{
    static __thread uint32_t id;
    if (!id)
        id = (uint32_t)syscall(SYS_gettid);
    return id;
}

static void keep_stack(uint32_t correlation, const struct stack *stack, const uint32_t *ids)
{
    if (!has_room((5 + 2 * (size_t)stack->frames) * 4)) {
        lines.counts.lost++;
        return;
    }
    const uint32_t head[] = {KEPT_LINE, correlation, thread_id(), stack->depth, stack->frames};
    keep(head, sizeof head);
    for (uint32_t i = 0; i < stack->frames; i++) {
        keep_word(ids[i]);
        keep_word(stack->line[i]);
    }
    lines.counts.noted++;
}

static void note_frameless(void)
{
    __atomic_add_fetch(&lines.counts.frameless, 1, __ATOMIC_RELAXED);
}

static void note_unlocked(void)
{
    __atomic_add_fetch(&lines.counts.unlocked, 1, __ATOMIC_RELAXED);
}

/*
 * Nobody waits for lines.lock but for as long as this takes, and who is in it waits for nothing else. So Python is never asked in
 * it: what it frees meanwhile may let another thread run, which waits for lines.lock with the interpreter's.
 */
static void note_from_memory(uint32_t correlation, void *thread)
{
    struct stack stack;
    uint32_t ids[CUDAFILE_FRAMES_MOST];
    if (!frames_walk(thread, &stack)) {
        note_unlocked();
        return;
    }
    if (!stack.frames) {
        note_frameless();
        return;
    }
    pthread_mutex_lock(&lines.lock);
    for (uint32_t i = 0; i < stack.frames; i++)
        ids[i] = id_from_memory(stack.code[i]);
    keep_stack(correlation, &stack, ids);
    pthread_mutex_unlock(&lines.lock);
}

static void note_by_asking(uint32_t correlation)
{
    struct stack stack;
    uint32_t ids[CUDAFILE_FRAMES_MOST];
    if (!python_may_be_asked()) {
        note_unlocked();
        return;
    }
    python_walk(&stack);
    for (uint32_t i = 0; i < stack.frames; i++)
        ids[i] = id_by_asking(stack.code[i]);
    python_release(&stack);
    if (!stack.frames) {
        note_frameless();
        return;
    }
    pthread_mutex_lock(&lines.lock);
    keep_stack(correlation, &stack, ids);
    pthread_mutex_unlock(&lines.lock);
}

/* ---- is what is read from memory so? ---- */

/* 1: Python was asked to call us, and has not yet. */
static int check_is_due;

static int check_later(void *unused)
{
    (void)unused;
    __atomic_store_n(&check_is_due, 0, __ATOMIC_RELEASE);
    if (python_may_be_asked())
        frames_check();
    return 0;
}

/*
 * Now, where the lock happens to be held; else by the main thread as soon as it runs Python again. A thread that never ran Python
 * asks for nothing: there may be none yet.
 */
static void check(void)
{
    if (frames_state() == FRAMES_OFF || !python_thread())
        return;
    if (python_may_be_asked())
        frames_check();
    else if (!__atomic_exchange_n(&check_is_due, 1, __ATOMIC_ACQ_REL) && !python_call_later(check_later, NULL))
        __atomic_store_n(&check_is_due, 0, __ATOMIC_RELEASE);
}

static bool is_turn_to_check(void)
{
    static uint32_t notes;
    const uint32_t number = __atomic_fetch_add(&notes, 1, __ATOMIC_RELAXED);
    return frames_state() == FRAMES_UNCHECKED || number % CHECK_EVERY == 0;
}

void lines_begin(void)
{
    const char *missing;
    python.is_there = python_find(&missing);
    python.may_be_called = python.is_there && !missing;
    if (missing)
        snprintf(python.why_not, sizeof python.why_not, "this Python has no %s", missing);
    if (!python.may_be_called)
        return;
    frames_begin();
    check();
}

void lines_note(uint32_t correlation)
{
    if (!python.may_be_called) {
        if (python.is_there)
            note_unlocked();
        return;
    }
    void *const thread = python_thread();
    if (!thread) {
        note_frameless();
        return;
    }
    if (is_turn_to_check())
        check();
    if (frames_state() == FRAMES_CHECKED)
        note_from_memory(correlation, thread);
    else
        note_by_asking(correlation);
}

const char *lines_why_off(void)
{
    static const char unchecked[] = "they could not be compared with what Python says of them";
    return !python.may_be_called ? python.why_not : frames_state() == FRAMES_UNCHECKED ? unchecked : frames_why_off();
}

/* ---- rows ---- */

static uint32_t word(const unsigned char **at)
{
    uint32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

static uint32_t kept_text(const unsigned char **at, struct texts *texts)
{
    char text[TEXT_MOST + 1];
    const uint32_t bytes = word(at);
    memcpy(text, *at, bytes);
    text[bytes] = 0;
    *at += bytes;
    return texts_id(texts, text);
}

static void write_code(const unsigned char **at, struct out *out, struct texts *texts)
{
    const uint32_t id = word(at), line = word(at);
    const uint32_t file = kept_text(at, texts), name = kept_text(at, texts);
    row_begin(out, CUDAFILE_CODE);
    row_number(out, id);
    row_number(out, file);
    row_number(out, name);
    row_number(out, line);
    row_end(out);
}

static void write_line(const unsigned char **at, struct out *out)
{
    row_begin(out, CUDAFILE_LINE);
    row_correlation(out, word(at));
    row_number(out, word(at));
    row_number(out, word(at));
    for (uint32_t left = word(at); left; left--) {
        row_number(out, word(at));
        row_number(out, word(at));
    }
    row_end(out);
}

void lines_write(struct out *out, struct texts *texts)
{
    pthread_mutex_lock(&lines.lock);
    const struct kept taken = lines.filling;
    lines.filling = (struct kept){lines.taken.at, 0};
    lines.taken = taken;
    pthread_mutex_unlock(&lines.lock);
    const unsigned char *at = taken.at, *const end = at ? at + taken.bytes : at;
    while (at < end)
        if (word(&at) == KEPT_CODE)
            write_code(&at, out, texts);
        else
            write_line(&at, out);
}

struct lines_counts lines_counts(void)
{
    pthread_mutex_lock(&lines.lock);
    struct lines_counts counts = lines.counts;
    pthread_mutex_unlock(&lines.lock);
    counts.unlocked = __atomic_load_n(&lines.counts.unlocked, __ATOMIC_RELAXED);
    counts.frameless = __atomic_load_n(&lines.counts.frameless, __ATOMIC_RELAXED);
    return counts;
}
