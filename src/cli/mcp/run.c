/* SPDX-License-Identifier: Apache-2.0 */
/* The session at its two descriptors: a message a line. */
#include <errno.h>
#include <unistd.h>

#include "rpc/wire.h"
#include "session.h"

static void send_line(void *context, str message)
{
    wire_write(context, message);
    wire_write(context, S("\n"));
}

/* Whole lines are taken; what is left is the beginning of the next. */
static void take_lines(struct session *session, struct buf *bytes)
{
    str rest = buf_str(bytes), line;
    for (const char *end; (end = memchr(rest.at, '\n', rest.len)); rest = str_from(rest, line.len + 1)) {
        line = (str){rest.at, (size_t)(end - rest.at)};
        if (str_trim(line).len)
            session_take(session, line);
    }
    struct buf left = {0};
    buf_add(&left, rest);
    buf_free(bytes);
    *bytes = left;
}

void session_run(int in, int out)
{
    char block[1 << 16];
    struct wire wire = {.out = out};
    struct session session = {.send = send_line, .context = &wire};
    struct buf bytes = {0};
    while (!wire.broken) {
        const ssize_t got = read(in, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        buf_add(&bytes, (str){block, (size_t)got});
        if (memchr(block, '\n', (size_t)got))
            take_lines(&session, &bytes);
        if (bytes.len > LINE_BYTES) {
            send_error(S(""), RPC_INVALID_REQUEST, "the message is longer than 16 MiB", send_line, &wire);
            break;
        }
    }
    buf_free(&bytes);
    session_free(&session);
}
