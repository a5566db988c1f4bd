/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol (modelcontextprotocol.io, revision 2025-06-18) over lines: a message of JSON-RPC each. Tools
 * are the commands (tools.h); there are prompts (prompts.h), and no resources.
 */
#ifndef CLI_MCP_SESSION_H
#define CLI_MCP_SESSION_H

#include "answer.h"
#include "rpc/message.h"

enum { LINE_BYTES = 16 << 20 }; /* a longer message is refused */

struct session {
    send_fn *send;
    void *context;
    bool begun; /* initialize was answered */
    struct answer answer;
};

/* One message; what is to be answered is sent. */
void session_take(struct session *session, str line);

void session_free(struct session *session);

/* Serves what comes by one descriptor to another, until the end. */
void session_run(int in, int out);

#endif
