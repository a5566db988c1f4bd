/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the lines that an agent sends: each is answered at most once, by a message that is JSON. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/mcp/session.h"

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
    must(message_read(&scratch, message, &read) == MESSAGE_RESPONSE);
    must(!memchr(message.at, '\n', message.len));
    ++*(unsigned *)context;
    arena_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    unsigned answers = 0, lines = 0;
    struct session session = {.send = take_answer, .context = &answers};
    str rest = {(const char *)bytes, size};
    for (str line; str_cut(&rest, '\n', &line); lines++)
        session_take(&session, line);
    must(answers <= lines);
    session_free(&session);
    return 0;
}
