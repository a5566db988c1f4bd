/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "linetable.h"
#include "python.h"

/* ---- where fields lie: of builds for 64 bits, without debugging of references, with the lock ---- */

struct layout {
    unsigned minor; /* of CPython 3 */
    enum linetable linetable;
    uint16_t thread_frame, between; /* a thread's innermost frame; by a struct of its own: where it lies in that */
    uint16_t previous, code, at, owner;
    uint16_t instructions,
        first_traceable; /* of a code; 0: what a frame says of its place is a number of instructions */
    uint16_t first_line, file, name, table;
    uint16_t ascii; /* bytes before the characters of a text that is all ASCII */
};

enum { DIRECT = UINT16_MAX };

/* clang-format off */
static const struct layout layouts[] = {
    {9, LINETABLE_39, 24, DIRECT, 24, 32, 104, 0, 0, 0, 40, 104, 112, 120, 48},
    {10, LINETABLE_310, 24, DIRECT, 24, 32, 96, 0, 0, 0, 40, 104, 112, 120, 48},
    {11, LINETABLE_311, 56, 8, 48, 32, 56, 69, 184, 168, 72, 112, 120, 136, 48},
    {12, LINETABLE_311, 56, 0, 8, 0, 56, 70, 192, 176, 68, 112, 120, 136, 40},
    {13, LINETABLE_311, 72, DIRECT, 8, 0, 56, 70, 200, 184, 68, 112, 120, 136, 40},
};
/* clang-format on */

enum {
    OBJECT_SIZE = 16,          /* of bytes: how many */
    BYTES_AT = 32,             /* of bytes: the first */
    TEXT_LENGTH = 16,          /* of a text: characters */
    TEXT_STATE = 32,           /* of a text: what it is made of */
    WIDE_EXTRA = 2 * 8,        /* by how much later the characters of a text begin that is not all ASCII, since 3.12 */
    WIDE_EXTRA_BEFORE = 3 * 8, /* and before */
    OWNED_BY_GENERATOR = 1,    /* a frame */
    OWNED_BY_C = 3,            /* a frame that is no function's */
    INSTRUCTION = 2,           /* bytes */
    VISITED_MOST = 256,        /* frames */
    TABLE_MOST = 1 << 24,      /* bytes of a table of lines that are believed */
    PIECE = 4096,              /* bytes read of one at a time, before it was checked */
};

static struct {
    const struct layout *layout;
    int state; /* enum frames_state; any thread asks */
    pthread_mutex_t lock;
    char why_off[200];
} frames = {.state = FRAMES_OFF, .lock = PTHREAD_MUTEX_INITIALIZER};

enum frames_state frames_state(void)
{
    return (enum frames_state)__atomic_load_n(&frames.state, __ATOMIC_ACQUIRE);
}

const char *frames_why_off(void)
{
    return frames_state() == FRAMES_OFF ? frames.why_off : "";
}

/* The reason is there before the state, and the first one stays. */
static void turn_off(const char *why)
{
    pthread_mutex_lock(&frames.lock);
    if (!*frames.why_off)
        snprintf(frames.why_off, sizeof frames.why_off, "%s", why);
    __atomic_store_n(&frames.state, FRAMES_OFF, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&frames.lock);
}

/* ---- memory ---- */

static bool read_by_kernel(uintptr_t at, void *into, size_t bytes)
{
    const struct iovec here = {into, bytes}, there = {(void *)at, bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static bool peek(uintptr_t at, void *into, size_t bytes)
{
    if (at < 4096 || at >> 56)
        return false;
    if (frames_state() != FRAMES_CHECKED)
        return read_by_kernel(at, into, bytes);
    memcpy(into, (const void *)at, bytes);
    return true;
}

static bool peek_pointer(uintptr_t at, uintptr_t *into)
{
    return peek(at, into, sizeof *into) && *into % sizeof *into == 0;
}

static bool peek_int(uintptr_t at, int32_t *into)
{
    return peek(at, into, sizeof *into);
}

/* ---- lines ---- */

/* A table as it lies; before it was checked, a copy of it, which *copy is to be freed for. */
static const unsigned char *table_of(uintptr_t object, size_t *bytes, void **copy)
{
    int64_t size = 0;
    *copy = NULL;
    if (!peek(object + OBJECT_SIZE, &size, sizeof size) || size < 0 || size > TABLE_MOST)
        return NULL;
    *bytes = (size_t)size;
    if (frames_state() == FRAMES_CHECKED)
        return (const unsigned char *)(object + BYTES_AT);
    *copy = malloc(*bytes + 1);
    return *copy && (!size || read_by_kernel(object + BYTES_AT, *copy, *bytes)) ? *copy : NULL;
}

static bool line_of(uintptr_t code, int64_t at, uint32_t *line)
{
    const struct layout *const l = frames.layout;
    uintptr_t object;
    int32_t first;
    size_t bytes;
    void *copy = NULL;
    if (!peek_pointer(code + l->table, &object) || !peek_int(code + l->first_line, &first) || first < 0)
        return false;
    const unsigned char *const table = table_of(object, &bytes, &copy);
    if (table)
        *line = linetable_line(l->linetable, table, bytes, (uint32_t)first, at);
    free(copy);
    return table != NULL;
}

/* ---- frames ---- */

/* Byte of the instructions that the frame is at. Until 3.10 it says their number, of bytes or of instructions; then, where. */
static bool place_of(uintptr_t frame, uintptr_t code, int64_t *at)
{
    const struct layout *const l = frames.layout;
    uintptr_t where;
    int32_t number;
    if (l->instructions) {
        if (!peek(frame + l->at, &where, sizeof where))
            return false;
        *at = (int64_t)(where - code - l->instructions);
        return true;
    }
    if (!peek_int(frame + l->at, &number))
        return false;
    *at = number < 0 ? -1 : l->linetable == LINETABLE_310 ? (int64_t)number * INSTRUCTION : number;
    return true;
}

/* Public functions pass over frames that are no function's, and those of functions whose first line was not come to. */
static bool is_passed_over(unsigned owner, uintptr_t code, int64_t at)
{
    int32_t first = 0;
    if (!frames.layout->first_traceable || owner == OWNED_BY_GENERATOR)
        return false;
    return peek_int(code + frames.layout->first_traceable, &first) && at < (int64_t)first * INSTRUCTION;
}

static bool add_frame(uintptr_t frame, struct stack *stack)
{
    const struct layout *const l = frames.layout;
    unsigned char owner = 0;
    uintptr_t code;
    int64_t at;
    uint32_t line;
    if (l->owner && !peek(frame + l->owner, &owner, 1))
        return false;
    if (owner >= OWNED_BY_C)
        return owner == OWNED_BY_C;
    if (!peek_pointer(frame + l->code, &code) || !code || !place_of(frame, code, &at))
        return false;
    if (is_passed_over(owner, code, at))
        return true;
    stack->depth++;
    if (stack->frames == CUDAFILE_FRAMES_MOST)
        return true;
    if (!line_of(code, at, &line))
        return false;
    stack->line[stack->frames] = line;
    stack->code[stack->frames++] = (const void *)code;
    return true;
}

static bool innermost(uintptr_t thread, uintptr_t *frame)
{
    const struct layout *const l = frames.layout;
    uintptr_t between;
    if (l->between == DIRECT)
        return peek_pointer(thread + l->thread_frame, frame);
    return peek_pointer(thread + l->thread_frame, &between) && peek_pointer(between + l->between, frame);
}

bool frames_walk(void *thread, struct stack *stack)
{
    uintptr_t frame;
    *stack = (struct stack){0};
    if (!innermost((uintptr_t)thread, &frame))
        return false;
    for (int visited = 0; frame && stack->depth <= CUDAFILE_FRAMES_MOST && visited < VISITED_MOST; visited++)
        if (!add_frame(frame, stack) || !peek_pointer(frame + frames.layout->previous, &frame))
            return false;
    return true;
}

/* ---- texts ---- */

static size_t put_character(uint32_t c, char *into)
{
    if (c >= 0xD800 && c < 0xE000) /* half of a character: a byte of a file's name that was no UTF-8 */
        c = '?';
    if (c < 0x80) {
        into[0] = (char)c;
        return 1;
    }
    const size_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = bytes - 1; i; i--, c >>= 6)
        into[i] = (char)(0x80 | (c & 0x3F));
    into[0] = (char)((0xF00 >> bytes & 0xFF) | c);
    return bytes;
}

/* Characters of 1, 2 or 4 bytes, as UTF-8; as many whole ones as there is room for. */
static uint32_t put_wide(const unsigned char *characters, unsigned width, size_t count, char *into)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = 0;
        char one[4];
        memcpy(&c, characters + i * width, width);
        const size_t bytes = put_character(c, one);
        if (filled + bytes > TEXT_MOST)
            break;
        memcpy(into + filled, one, bytes);
        filled += bytes;
    }
    return (uint32_t)filled;
}

static bool copy_text(uintptr_t text, char *into, uint32_t *bytes)
{
    const unsigned wide_extra = frames.layout->minor >= 12 ? WIDE_EXTRA : WIDE_EXTRA_BEFORE;
    unsigned char wide[4 * TEXT_MOST];
    int64_t length;
    uint32_t state;
    if (!peek(text + TEXT_LENGTH, &length, sizeof length) || !peek(text + TEXT_STATE, &state, sizeof state) ||
        length < 0)
        return false;
    const unsigned width = state >> 2 & 7;
    const bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
    const size_t count = length < TEXT_MOST ? (size_t)length : TEXT_MOST;
    if (!is_compact || (width != 1 && width != 2 && width != 4) || (is_ascii && width != 1))
        return false;
    if (is_ascii) {
        *bytes = (uint32_t)count;
        return !count || peek(text + frames.layout->ascii, into, count);
    }
    if (count && !peek(text + frames.layout->ascii + wide_extra, wide, count * width))
        return false;
    *bytes = put_wide(wide, width, count, into);
    return true;
}

bool frames_describe(const void *code, struct function *function)
{
    const struct layout *const l = frames.layout;
    const uintptr_t at = (uintptr_t)code;
    uintptr_t file, name;
    int32_t first;
    if (!peek_pointer(at + l->file, &file) || !peek_pointer(at + l->name, &name) ||
        !peek_int(at + l->first_line, &first))
        return false;
    function->first_line = first > 0 ? (uint32_t)first : 0;
    return copy_text(file, function->file, &function->file_bytes) &&
           copy_text(name, function->name, &function->name_bytes);
}

/* ---- the comparison ---- */

static bool is_text(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
    return a_bytes == b_bytes && !memcmp(a, b, a_bytes);
}

/* A text of no bytes is one that Python could not tell. */
static bool is_function(const struct function *ours, const struct function *said)
{
    return ours->first_line == said->first_line &&
           (!said->file_bytes || is_text(ours->file, ours->file_bytes, said->file, said->file_bytes)) &&
           (!said->name_bytes || is_text(ours->name, ours->name_bytes, said->name, said->name_bytes));
}

static bool is_frame(const struct stack *ours, const struct stack *said, uint32_t i)
{
    struct function our_function, said_function;
    if (ours->code[i] != said->code[i] || ours->line[i] != said->line[i] ||
        !frames_describe(ours->code[i], &our_function))
        return false;
    python_describe(said->code[i], &said_function);
    return is_function(&our_function, &said_function);
}

static void compare(const struct stack *ours, const struct stack *said)
{
    char why[sizeof frames.why_off];
    for (uint32_t i = 0; i < said->frames; i++)
        if (i >= ours->frames || !is_frame(ours, said, i)) {
            snprintf(why, sizeof why, "frame %u of %u is not the one that Python tells", i + 1, said->frames);
            turn_off(why);
            return;
        }
    if (ours->depth != said->depth)
        turn_off("there are more frames than Python tells");
}

/* No frame, no comparison: it is made the next time. */
void frames_check(void)
{
    struct stack ours, said;
    int unchecked = FRAMES_UNCHECKED;
    if (frames_state() == FRAMES_OFF)
        return;
    const bool is_read = frames_walk(python_thread(), &ours);
    const int error = errno;
    python_walk(&said);
    if (said.depth && !is_read)
        turn_off(error == EPERM || error == ENOSYS ? "the process may not read its own memory by process_vm_readv"
                                                   : "what was read of them makes no sense");
    else if (said.depth)
        compare(&ours, &said);
    python_release(&said);
    if (said.depth)
        __atomic_compare_exchange_n(&frames.state, &unchecked, FRAMES_CHECKED, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
}

/* ---- the beginning ---- */

static const struct layout *layout_of(const char *version)
{
    unsigned major = 0, minor = 0;
    if (sscanf(version, "%u.%u", &major, &minor) != 2 || major != 3)
        return NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

void frames_begin(void)
{
    char why[sizeof frames.why_off];
    const char *const version = python_version();
    frames.layout = layout_of(version);
    if (sizeof(void *) != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        turn_off("they are known for 64 bits, little endian, alone");
    else if (strstr(version, "free-threading"))
        turn_off("this Python has no lock (free-threading)");
    else if (!frames.layout) {
        snprintf(why, sizeof why, "of Python %.*s it is not known where they lie", (int)strcspn(version, " "), version);
        turn_off(why);
    } else {
        __atomic_store_n(&frames.state, FRAMES_UNCHECKED, __ATOMIC_RELEASE);
    }
}
