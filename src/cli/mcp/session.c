/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "base/error.h"
#include "prompts.h"
#include "steptime/steptime.h"
#include "tools.h"

/* ---- answers ---- */

/* Older clients name their own revision; nothing that is used here differs in them. */
static str revision_of(str params, struct arena *arena)
{
    const str asked = param_text(arena, params, "protocolVersion");
    return str_is_among("2024-11-05 2025-03-26 2025-06-18", asked) && asked.len ? asked : S("2025-06-18");
}

static void put_empty(struct json_writer *json, const char *key)
{
    json_write_key(json, str_of(key));
    json_write_object(json, JSON_FLAT);
    json_write_end(json);
}

static void answer_initialize(struct session *session, const struct message *message, struct arena *arena)
{
    struct reply reply = reply_begin(message->id);
    struct json_writer *json = &reply.json;
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("protocolVersion"), revision_of(message->params, arena));
    json_write_key(json, S("capabilities"));
    json_write_object(json, JSON_FLAT);
    put_empty(json, "tools");
    put_empty(json, "prompts");
    json_write_end(json);
    json_write_key(json, S("serverInfo"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("name"), S("steptime"));
    json_write_member(json, S("version"), str_of(steptime_version()));
    json_write_end(json);
    json_write_member(
        json, S("instructions"),
        S("What a deep-learning training step costs, why, and what to change, from the traces that PyTorch's "
          "profiler writes. Begin with the tool `summary`, or with the prompt `trace_to_fix`. Paths are of the "
          "machine and folder that the server runs in. Nothing is written."));
    json_write_end(json);
    reply_send(&reply, session->send, session->context);
    session->begun = true;
}

static void answer_list(struct session *session, const struct message *message, const char *key,
                        void (*list)(struct json_writer *))
{
    struct reply reply = reply_begin(message->id);
    json_write_object(&reply.json, JSON_FLAT);
    json_write_key(&reply.json, str_of(key));
    list(&reply.json);
    json_write_end(&reply.json);
    reply_send(&reply, session->send, session->context);
}

static void send_text(struct session *session, str id, str text, bool wrong)
{
    struct reply reply = reply_begin(id);
    struct json_writer *json = &reply.json;
    json_write_object(json, JSON_FLAT);
    json_write_key(json, S("content"));
    json_write_array(json, JSON_FLAT);
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("text"));
    json_write_member(json, S("text"), text);
    json_write_end(json);
    json_write_end(json);
    json_write_key(json, S("isError"));
    json_write_bool(json, wrong);
    json_write_end(json);
    reply_send(&reply, session->send, session->context);
}

static void answer_call(struct session *session, const struct message *message, struct arena *arena)
{
    const struct command *command = tools_find(param_text(arena, message->params, "name"));
    struct steptime_error err = {.offset = -1};
    int count;
    int64_t page;
    if (!command) {
        send_error(message->id, RPC_INVALID_PARAMS, "there is no tool of that name", session->send, session->context);
        return;
    }
    const char *const *words =
        tools_words(command, param(arena, message->params, "arguments"), arena, &count, &page, &err);
    if (!words) {
        send_text(session, message->id, error_line(arena, &err), true);
        return;
    }
    bool wrong;
    answer_to(&session->answer, command, count, words, page > 1);
    const str text = answer_page(&session->answer, page, arena, &wrong);
    send_text(session, message->id, text, wrong);
}

static void answer_prompt(struct session *session, const struct message *message, struct arena *arena)
{
    const struct prompt *prompt = prompts_find(param_text(arena, message->params, "name"));
    if (!prompt) {
        send_error(message->id, RPC_INVALID_PARAMS, "there is no prompt of that name", session->send, session->context);
        return;
    }
    const str arguments = param(arena, message->params, "arguments");
    if (!prompts_has_all(prompt, arguments, arena)) {
        send_error(message->id, RPC_INVALID_PARAMS, "an argument of the prompt is missing", session->send,
                   session->context);
        return;
    }
    struct reply reply = reply_begin(message->id);
    prompts_get(prompt, &reply.json, arguments, arena);
    reply_send(&reply, session->send, session->context);
}

static void answer_request(struct session *session, const struct message *message, struct arena *arena)
{
    const str method = message->method;
    if (str_eq(method, S("initialize")))
        answer_initialize(session, message, arena);
    else if (str_eq(method, S("ping"))) {
        struct reply reply = reply_begin(message->id);
        json_write_object(&reply.json, JSON_FLAT);
        json_write_end(&reply.json);
        reply_send(&reply, session->send, session->context);
    } else if (!session->begun)
        send_error(message->id, RPC_INVALID_REQUEST, "initialize comes first", session->send, session->context);
    else if (str_eq(method, S("tools/list")))
        answer_list(session, message, "tools", tools_list);
    else if (str_eq(method, S("tools/call")))
        answer_call(session, message, arena);
    else if (str_eq(method, S("prompts/list")))
        answer_list(session, message, "prompts", prompts_list);
    else if (str_eq(method, S("prompts/get")))
        answer_prompt(session, message, arena);
    else
        send_error(message->id, RPC_METHOD_NOT_FOUND, "no such method", session->send, session->context);
}

void session_take(struct session *session, str line)
{
    struct arena arena = {0};
    struct message message;
    switch (message_read(&arena, line, &message)) {
    case MESSAGE_NO_JSON:
        send_error(S(""), RPC_PARSE_ERROR, "the line is no JSON", session->send, session->context);
        break;
    case MESSAGE_ODD:
        send_error(message.id, RPC_INVALID_REQUEST, "this is no message of JSON-RPC", session->send, session->context);
        break;
    case MESSAGE_REQUEST:
        answer_request(session, &message, &arena);
        break;
    case MESSAGE_NOTIFICATION:
    case MESSAGE_RESPONSE:
        break;
    }
    arena_free(&arena);
}

void session_free(struct session *session)
{
    answer_free(&session->answer);
}
