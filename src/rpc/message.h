/* SPDX-License-Identifier: Apache-2.0 */
/* A message of JSON-RPC, and what stands in its parameters. */
#ifndef RPC_MESSAGE_H
#define RPC_MESSAGE_H

#include "base/arena.h"
#include "base/str.h"
#include "text/json.h"
#include "text/json_writer.h"

/* As they are written in the body; "" where there is none. */
struct message {
    str id; /* JSON */
    str method;
    str params; /* JSON */
};

enum message_kind {
    MESSAGE_NO_JSON,
    MESSAGE_ODD, /* JSON, but no request, notification or response */
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE,
};

/* Everything lies in the arena. */
enum message_kind message_read(struct arena *arena, str body, struct message *message);

/*
 * Values inside of JSON that message_read accepted: "textDocument.uri". What is not there, or of another kind, is "",
 * false, or left as it was.
 */
str param(struct arena *arena, str json, const char *path);
str param_text(struct arena *arena, str json, const char *path);
bool param_int(struct arena *arena, str json, const char *path, int64_t *value);
bool param_true(struct arena *arena, str json, const char *path);

/* The items of a list, one by one: `json` goes on. */
struct json param_list(struct arena *arena, str json, const char *path);
bool param_next(struct json *list, str *item);

/* ---- what is sent ---- */

enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_NOT_INITIALIZED = -32002,
    RPC_CANCELLED = -32800,
};

/* Begun, the `json` of it takes what belongs under "result" or "params". */
struct reply {
    struct writer *out;
    struct json_writer json;
};

struct reply reply_begin(str id);                  /* the result of a request */
struct reply notification_begin(const char *name); /* its parameters */

typedef void send_fn(void *context, str message);
void reply_send(struct reply *reply, send_fn *send, void *context);

void send_error(str id, int code, const char *message, send_fn *send, void *context);

#endif
