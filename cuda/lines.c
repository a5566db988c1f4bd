/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the interpreter ---- */

/* Public functions of CPython since 3.9 (gc ones since 3.10), by their documented signatures. */
static struct {
    int (*holds_lock)(void);
    void *(*thread_state)(void);
    void *(*frame_of)(void *state);
    void *(*caller)(void *frame);
    void *(*code_of)(void *frame);
    int (*line_of)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*utf8)(void *text, ssize_t *bytes);
    long (*integer)(void *number);
    void *(*pending_error)(void);
    void (*clear_error)(void);
    void (*release)(void *object);
    int (*gc_off)(void); /* may be NULL */
    int (*gc_on)(void);  /* may be NULL */
} python;

static bool has_python;

void lines_begin(void)
{
    static const struct {
        const char *name;
        void *at;
    } functions[] = {
        {"PyGILState_Check", &python.holds_lock},
        {"PyGILState_GetThisThreadState", &python.thread_state},
        {"PyThreadState_GetFrame", &python.frame_of},
        {"PyFrame_GetBack", &python.caller},
        {"PyFrame_GetCode", &python.code_of},
        {"PyFrame_GetLineNumber", &python.line_of},
        {"PyObject_GetAttrString", &python.attribute},
        {"PyUnicode_AsUTF8AndSize", &python.utf8},
        {"PyLong_AsLong", &python.integer},
        {"PyErr_Occurred", &python.pending_error},
        {"PyErr_Clear", &python.clear_error},
        {"Py_DecRef", &python.release},
        {"PyGC_Disable", &python.gc_off},
        {"PyGC_Enable", &python.gc_on},
    };
    enum { COUNT = sizeof functions / sizeof *functions, OPTIONAL = 2 };
    has_python = true;
    for (int i = 0; i < COUNT; i++) {
        void *const found = dlsym(RTLD_DEFAULT, functions[i].name);
        memcpy(functions[i].at, &found, sizeof found);
        has_python &= found || i >= COUNT - OPTIONAL;
    }
}

/* ---- what is kept until the recorder's thread takes it ---- */

/* A word for what follows: a function that is met first, or a line. Then words, and the texts of a function. */
enum { KEPT_CODE = 1, KEPT_LINE, KEPT_MOST = 4 << 20, TEXT_MOST = 1024 };

struct kept {
    unsigned char *at;
    size_t bytes;
};

static struct {
    pthread_mutex_t lock;
    struct kept filling, taken; /* KEPT_MOST bytes each, once there is something */
    struct lines_counts counts;
    struct known_code {
        const void *code; /* which this table holds a reference to, so that no other gets its address */
        uint32_t id;      /* 0: free */
    } codes[CUDAFILE_CODES_MOST * 2];
    uint32_t code_count;
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

/* The text of an attribute, cut; "" where it has none. The interpreter holds its bytes as long as the code lives. */
static const char *text_of(void *code, const char *name, uint32_t *bytes)
{
    ssize_t len = 0;
    void *const object = python.attribute(code, name);
    const char *const text = object ? python.utf8(object, &len) : NULL;
    if (!text)
        python.clear_error();
    if (object)
        python.release(object); /* the code has a reference of its own */
    *bytes = text ? (uint32_t)(len < TEXT_MOST ? len : TEXT_MOST) : 0;
    return text ? text : "";
}

static uint32_t first_line(void *code)
{
    void *const number = python.attribute(code, "co_firstlineno");
    const long line = number ? python.integer(number) : 0;
    if (!number || line < 0)
        python.clear_error();
    if (number)
        python.release(number);
    return line > 0 ? (uint32_t)line : 0;
}

static struct known_code *place_of(const void *code)
{
    size_t at = (size_t)((uintptr_t)code >> 4) % (CUDAFILE_CODES_MOST * 2);
    while (lines.codes[at].id && lines.codes[at].code != code)
        at = (at + 1) % (CUDAFILE_CODES_MOST * 2);
    return &lines.codes[at];
}

/* The id of a code object, whose reference is taken; 0: no room. Under both locks. */
static uint32_t code_id(void *code)
{
    struct known_code *const known = place_of(code);
    if (known->id || lines.code_count == CUDAFILE_CODES_MOST - 1 || !has_room(5 * 4 + 2 * TEXT_MOST)) {
        python.release(code);
        return known->id;
    }
    uint32_t file_bytes, name_bytes;
    const char *const file = text_of(code, "co_filename", &file_bytes), *const name =
                                                                            text_of(code, "co_name", &name_bytes);
    *known = (struct known_code){code, ++lines.code_count};
    keep_word(KEPT_CODE);
    keep_word(known->id);
    keep_word(first_line(code));
    keep_word(file_bytes);
    keep(file, file_bytes);
    keep_word(name_bytes);
    keep(name, name_bytes);
    return known->id;
}

/* ---- a stack ---- */

static uint32_t thread_id(void)
{
    static __thread uint32_t id;
    if (!id)
        id = (uint32_t)syscall(SYS_gettid);
    return id;
}

struct stack {
    uint32_t depth, frames;
    uint32_t code[CUDAFILE_FRAMES_MOST], line[CUDAFILE_FRAMES_MOST];
};

/* Innermost first. What lies above the frames that are kept is not walked: depth says only that there is more. */
static void walk(void *frame, struct stack *stack)
{
    while (frame) {
        stack->depth++;
        if (stack->frames == CUDAFILE_FRAMES_MOST) {
            python.release(frame);
            return;
        }
        const int line = python.line_of(frame);
        stack->line[stack->frames] = line > 0 ? (uint32_t)line : 0;
        stack->code[stack->frames++] = code_id(python.code_of(frame));
        void *const caller = python.caller(frame);
        python.release(frame);
        frame = caller;
    }
}

static void keep_stack(uint32_t correlation, const struct stack *stack)
{
    if (!has_room((5 + 2 * (size_t)stack->frames) * 4)) {
        lines.counts.lost++;
        return;
    }
    const uint32_t head[] = {KEPT_LINE, correlation, thread_id(), stack->depth, stack->frames};
    keep(head, sizeof head);
    for (uint32_t i = 0; i < stack->frames; i++) {
        keep_word(stack->code[i]);
        keep_word(stack->line[i]);
    }
    lines.counts.noted++;
}

/*
 * Objects for frames are made meanwhile. The collector must not run then: what it frees may call CUDA, inside a call of CUDA.
 * Nobody waits for lines.lock but for as long as such a walk takes, and who walks waits for nothing else.
 */
static void note_locked(uint32_t correlation)
{
    struct stack stack = {0};
    const bool had_gc = python.gc_off && python.gc_on && python.gc_off();
    pthread_mutex_lock(&lines.lock);
    walk(python.frame_of(python.thread_state()), &stack);
    if (stack.depth)
        keep_stack(correlation, &stack);
    pthread_mutex_unlock(&lines.lock);
    if (had_gc)
        python.gc_on();
}

void lines_note(uint32_t correlation)
{
    if (!has_python)
        return;
    if (python.thread_state() && python.holds_lock() && !python.pending_error())
        note_locked(correlation);
    else
        __atomic_add_fetch(&lines.counts.unlocked, 1, __ATOMIC_RELAXED);
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
    return counts;
}
