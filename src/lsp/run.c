/* SPDX-License-Identifier: Apache-2.0 */
/* The server at its two descriptors: it reads all that there is, answers, and looks again when the changes pause. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "rpc/wire.h"
#include "server.h"

enum { BLOCK = 1 << 16, PATIENCE_MS = 2000 };

static void send_message(void *context, str message)
{
    struct arena scratch = {0};
    struct wire *wire = context;
    wire_write(wire,
               str_printf(&scratch, "Content-Length: %zu\r\n\r\n%.*s", message.len, (int)message.len, message.at));
    arena_free(&scratch);
}

static bool is_ready(int in, int wait_ms)
{
    struct pollfd poll_in = {.fd = in, .events = POLLIN};
    return poll(&poll_in, 1, wait_ms) > 0;
}

/* All that there is, within bounds. False at the end. */
static bool feed(int in, struct frames *frames)
{
    char block[BLOCK];
    size_t fed = 0;
    do {
        const ssize_t got = read(in, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        frames_feed(frames, (str){block, (size_t)got});
        fed += (size_t)got;
    } while (fed < FRAME_BYTES && is_ready(in, 0));
    return true;
}

/* When to look: once nothing came for a while, at the latest some time after the first change. */
struct pause {
    bool waits;
    int64_t first_ms, last_ms;
};

static void note_change(struct pause *pause, const struct server *server)
{
    pause->last_ms = clock_ms();
    if (!pause->waits)
        pause->first_ms = pause->last_ms;
    pause->waits = server_is_stale(server);
}

static int wait_ms(const struct pause *pause, const struct server *server)
{
    if (!pause->waits)
        return -1;
    const int64_t quiet = server_quiet_ms(server);
    const int64_t due = pause->last_ms + quiet, latest = pause->first_ms + PATIENCE_MS + quiet;
    const int64_t left = (due < latest ? due : latest) - clock_ms();
    return left > 0 ? (int)left : 0;
}

int server_run(int in, int out)
{
    struct wire wire = {.out = out};
    struct server *server = server_new(send_message, &wire);
    struct frames frames = {0};
    struct pause pause = {0};
    bool more = true;
    while (more && !server_ended(server) && !wire.broken) {
        if (!is_ready(in, wait_ms(&pause, server))) {
            server_settle(server);
            pause.waits = false;
            continue;
        }
        more = feed(in, &frames); /* what came before the end counts */
        server_take(server, &frames);
        note_change(&pause, server);
    }
    const int code = server_exit_code(server);
    frames_free(&frames);
    server_free(server);
    return code;
}
