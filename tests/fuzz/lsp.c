/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as what an editor sends. Whatever comes is answered by bodies that are JSON; the same bytes in pieces are the
 * same messages.
 */
#include <stdint.h>
#include <stdlib.h>

#include "lsp/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void take_answer(void *context, str message)
{
    struct arena scratch = {0};
    struct message read;
    must(message_read(&scratch, message, &read) != MESSAGE_NO_JSON);
    ++*(unsigned *)context;
    arena_free(&scratch);
}

static unsigned frames_in_pieces(str all, size_t piece)
{
    struct frames frames = {0};
    unsigned bodies = 0;
    while (all.len) {
        const size_t now = piece < all.len ? piece : all.len;
        frames_feed(&frames, (str){all.at, now});
        all = str_from(all, now);
        str body;
        for (enum frame frame; (frame = frames_next(&frames, &body)) != FRAME_NONE;)
            bodies += frame == FRAME_BODY;
    }
    frames_free(&frames);
    return bodies;
}

/* A head that cannot be understood lets go of what is there, which depends on the pieces; whole ones do not. */
static bool is_whole(str all)
{
    struct frames frames = {0};
    bool whole = true;
    frames_feed(&frames, all);
    str body;
    for (enum frame frame; (frame = frames_next(&frames, &body)) != FRAME_NONE;)
        whole = whole && frame == FRAME_BODY;
    frames_free(&frames);
    return whole;
}

static void serve(str all)
{
    unsigned answers = 0;
    struct server *server = server_new(take_answer, &answers);
    struct frames frames = {0};
    frames_feed(&frames, all);
    server_take(server, &frames);
    server_settle(server);
    frames_free(&frames);
    server_free(server);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const str all = {(const char *)bytes, size};
    if (size && is_whole(all))
        must(frames_in_pieces(all, size) == frames_in_pieces(all, 5));
    serve(all);
    return 0;
}
