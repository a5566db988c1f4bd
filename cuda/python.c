/* SPDX-License-Identifier: Apache-2.0 */
#include "python.h"

#include <dlfcn.h>
#include <sys/types.h>

/* By their documented signatures; gc ones since 3.10. */
static struct {
    const char *(*version)(void);
    int (*holds_lock)(void);
    void *(*thread_state)(void);
    void *(*running)(void);
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
    int (*call_later)(int (*call)(void *), void *with);
    int (*gc_off)(void); /* may be NULL */
    int (*gc_on)(void);  /* may be NULL */
} python;

/* Until 3.12 one of them was exported by another name, and not documented. */
static void *find(const char *name)
{
    void *const found = dlsym(RTLD_DEFAULT, name);
    return found || strcmp(name, "PyThreadState_GetUnchecked") ? found
                                                               : dlsym(RTLD_DEFAULT, "_PyThreadState_UncheckedGet");
}

bool python_find(const char **missing)
{
    static const struct {
        const char *name;
        void *at;
    } functions[] = {
        {"Py_GetVersion", &python.version},
        {"PyGILState_Check", &python.holds_lock},
        {"PyGILState_GetThisThreadState", &python.thread_state},
        {"PyThreadState_GetUnchecked", &python.running},
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
        {"Py_AddPendingCall", &python.call_later},
        {"PyGC_Disable", &python.gc_off},
        {"PyGC_Enable", &python.gc_on},
    };
    enum { COUNT = sizeof functions / sizeof *functions, OPTIONAL = 2 };
    *missing = NULL;
    for (int i = 0; i < COUNT; i++) {
        void *const found = find(functions[i].name);
        memcpy(functions[i].at, &found, sizeof found);
        if (!found && i < COUNT - OPTIONAL)
            *missing = functions[i].name;
    }
    if (!python.version)
        *missing = NULL;
    return python.version != NULL;
}

const char *python_version(void)
{
    return python.version();
}

void *python_thread(void)
{
    return python.thread_state();
}

/* PyGILState_Check says yes to everything where there are sub-interpreters, so the running thread is compared, too. */
bool python_may_be_asked(void)
{
    void *const thread = python.thread_state();
    return thread && python.holds_lock() && python.running() == thread && !python.pending_error();
}

bool python_call_later(int (*call)(void *), void *with)
{
    return python.call_later(call, with) == 0;
}

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
        stack->code[stack->frames++] = python.code_of(frame);
        void *const caller = python.caller(frame);
        python.release(frame);
        frame = caller;
    }
}

/* Objects are made meanwhile: those of frames, and errors where a text is not UTF-8. */
void python_walk(struct stack *stack)
{
    *stack = (struct stack){.had_collector = python.gc_off && python.gc_on && python.gc_off()};
    walk(python.frame_of(python.thread_state()), stack);
}

void python_release(const struct stack *stack)
{
    for (uint32_t i = 0; i < stack->frames; i++)
        python.release((void *)(uintptr_t)stack->code[i]);
    if (stack->had_collector)
        python.gc_on();
}

/* Bytes of whole characters that are no more than TEXT_MOST. */
static uint32_t cut(const char *text, ssize_t bytes)
{
    if (bytes <= TEXT_MOST)
        return (uint32_t)bytes;
    bytes = TEXT_MOST;
    while (bytes > 0 && (text[bytes] & 0xC0) == 0x80)
        bytes--;
    return (uint32_t)bytes;
}

static uint32_t copy_text(void *code, const char *name, char *into)
{
    ssize_t bytes = 0;
    void *const object = python.attribute(code, name);
    const char *const text = object ? python.utf8(object, &bytes) : NULL;
    const uint32_t kept = text ? cut(text, bytes) : 0;
    if (text)
        memcpy(into, text, kept);
    else
        python.clear_error();
    if (object)
        python.release(object);
    return kept;
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

void python_describe(const void *code, struct function *function)
{
    void *const object = (void *)(uintptr_t)code;
    function->first_line = first_line(object);
    function->file_bytes = copy_text(object, "co_filename", function->file);
    function->name_bytes = copy_text(object, "co_name", function->name);
}
