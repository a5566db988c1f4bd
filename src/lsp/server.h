/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A language server: messages go in, messages come out. The files of the workspace and what is open of them are one
 * program. A change makes what is known of it stale; it is looked at again when the changes pause (server_settle), or when
 * an answer needs it.
 *
 *     struct server *server = server_new(send, context);
 *     while (!server_ended(server))
 *         server_take(server, &frames) ... server_settle(server);
 */
#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include "frame.h"
#include "rpc/message.h"

struct server;

struct server *server_new(send_fn *send, void *context);
void server_free(struct server *server);

/* All messages that are whole. A request that a later one of them cancels is not answered but by that. */
void server_take(struct server *server, struct frames *frames);

bool server_is_stale(const struct server *server);

/* How long changes should pause before they are looked at: as long as looking took, within bounds. */
unsigned server_quiet_ms(const struct server *server);

/* Looks at what changed, and publishes what was found. */
void server_settle(struct server *server);

/* It was told to exit, or nobody is there any more. The exit code of the protocol: 0 behind a shutdown, else 1. */
bool server_ended(const struct server *server);
int server_exit_code(const struct server *server);

/* Serves what comes by one descriptor to another, until the end. */
int server_run(int in, int out);

#endif
