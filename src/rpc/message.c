/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include "io/writer.h"

/* ---- read ---- */

static void take_member(struct json *json, str key, struct message *message, bool *is_response)
{
    str raw = S("");
    if (str_eq(key, S("method")) && json_peek(json) == '"')
        json_string(json, &message->method);
    else if (json_raw(json, &raw) && str_eq(key, S("id")))
        message->id = raw;
    else if (str_eq(key, S("params")))
        message->params = raw;
    *is_response |= str_eq(key, S("result")) || str_eq(key, S("error"));
}

/* A text or a number; null is none. */
static bool is_id(str id)
{
    return id.len && (id.at[0] == '"' || id.at[0] == '-' || json_is_digit(id.at[0]));
}

enum message_kind message_read(struct arena *arena, str body, struct message *message)
{
    *message = (struct message){S(""), S(""), S("")};
    struct json json = json_of(body, arena);
    const char *wrong = NULL, *end = json_value_end(json_blank(json.at), &wrong);
    if (!end || *json_blank(end))
        return MESSAGE_NO_JSON;
    if (json_peek(&json) != '{' || !json_enter(&json))
        return MESSAGE_ODD;
    bool is_response = false;
    for (str key; json_key(&json, &key);)
        take_member(&json, key, message, &is_response);
    if (json.failed)
        return MESSAGE_NO_JSON;
    if (!message->method.len)
        return is_response ? MESSAGE_RESPONSE : MESSAGE_ODD;
    if (!message->id.len)
        return MESSAGE_NOTIFICATION;
    if (is_id(message->id))
        return MESSAGE_REQUEST;
    message->id = S("");
    return MESSAGE_ODD;
}

static str member(struct arena *arena, str object, str name)
{
    struct json json = json_at(object.at, arena);
    str value = S("");
    if (!object.len || json_peek(&json) != '{' || !json_enter(&json))
        return value;
    for (str key; json_key(&json, &key);) {
        if (str_eq(key, name))
            json_raw(&json, &value);
        else
            json_skip(&json);
    }
    return value;
}

str param(struct arena *arena, str json, const char *path)
{
    str rest = str_of(path);
    for (str name; str_cut(&rest, '.', &name);)
        json = member(arena, json, name);
    return json;
}

str param_text(struct arena *arena, str json, const char *path)
{
    const str raw = param(arena, json, path);
    if (raw.len < 2 || raw.at[0] != '"')
        return S("");
    return json_decode(arena, (str){raw.at + 1, raw.len - 2});
}

bool param_int(struct arena *arena, str json, const char *path, int64_t *value)
{
    const str raw = param(arena, json, path);
    if (!raw.len || (raw.at[0] != '-' && !json_is_digit(raw.at[0])))
        return false;
    struct json number = json_at(raw.at, arena);
    return json_int(&number, value);
}

bool param_true(struct arena *arena, str json, const char *path)
{
    return str_eq(param(arena, json, path), S("true"));
}

struct json param_list(struct arena *arena, str json, const char *path)
{
    const str raw = param(arena, json, path);
    struct json list = json_at(raw.at, arena);
    list.failed = !raw.len || raw.at[0] != '[' || !json_enter(&list);
    return list;
}

bool param_next(struct json *list, str *item)
{
    return !list->failed && json_item(list) && json_raw(list, item);
}

/* ---- sent ---- */

static struct reply begin(void)
{
    struct reply reply = {.out = writer_to_memory()};
    reply.json = json_write_begin(reply.out);
    json_write_object(&reply.json, JSON_FLAT);
    json_write_member(&reply.json, S("jsonrpc"), S("2.0"));
    return reply;
}

static void put_id(struct reply *reply, str id)
{
    json_write_key(&reply->json, S("id"));
    if (id.len)
        json_write_raw(&reply->json, id);
    else
        json_write_null(&reply->json);
}

struct reply reply_begin(str id)
{
    struct reply reply = begin();
    put_id(&reply, id);
    json_write_key(&reply.json, S("result"));
    return reply;
}

struct reply notification_begin(const char *name)
{
    struct reply reply = begin();
    json_write_member(&reply.json, S("method"), str_of(name));
    json_write_key(&reply.json, S("params"));
    return reply;
}

void reply_send(struct reply *reply, send_fn *send, void *context)
{
    json_write_end(&reply->json);
    json_write_finish(&reply->json);
    send(context, str_trim(writer_text(reply->out)));
    writer_abandon(reply->out);
}

void send_error(str id, int code, const char *message, send_fn *send, void *context)
{
    struct reply reply = begin();
    put_id(&reply, id);
    json_write_key(&reply.json, S("error"));
    json_write_object(&reply.json, JSON_FLAT);
    json_write_key(&reply.json, S("code"));
    json_write_int(&reply.json, code);
    json_write_member(&reply.json, S("message"), str_of(message));
    json_write_end(&reply.json);
    reply_send(&reply, send, context);
}
