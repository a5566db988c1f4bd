/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be said of the findings under the cursor: what each rests on, and all that its rule says. */
#include "report/document.h"
#include "session.h"

static void add_proof(struct buf *text, const struct finding *finding)
{
    for (int i = 0; finding->proof && i < FINDING_LINKS; i++) {
        const struct finding_link *link = &finding->proof[i];
        const str name = finding_link_word((enum finding_link_kind)i);
        static const char *const holds[] = {" (does not hold)", " (open)", ""};
        if (link->text.len)
            buf_printf(text, "- **%.*s**%s: %.*s\n", (int)name.len, name.at, holds[link->holds], (int)link->text.len,
                       link->text.at);
    }
    buf_char(text, '\n');
}

static void add_finding(const struct server *server, struct buf *text, const struct finding *finding)
{
    const struct finding_rule *rule = report_find_rule(server->findings.report, finding->rule);
    if (text->len)
        buf_add(text, S("\n---\n\n"));
    buf_printf(text, "%.*s\n\n", (int)finding->message.len, finding->message.at);
    add_proof(text, finding);
    if (rule)
        buf_add(text, rule->help);
}

static struct buf text_at(const struct server *server, const struct page *page, struct position position)
{
    struct buf text = {0};
    uint32_t from = 0;
    for (const struct finding *finding; (finding = finding_next(server, page, &from));)
        if (ranges_touch(page_range(server, page, finding), (struct position_range){position, position}))
            add_finding(server, &text, finding);
    return text;
}

void answer_hover(struct server *server, const struct message *message)
{
    struct arena scratch = {0};
    const struct page page = param_page(server, &scratch, message->params);
    struct buf text = {0};
    findings_renew(server);
    if (page.document)
        text = text_at(server, &page, param_position(&scratch, message->params, "position"));
    struct reply reply = reply_begin(message->id);
    if (text.len) {
        json_write_object(&reply.json, JSON_FLAT);
        json_write_key(&reply.json, S("contents"));
        json_write_object(&reply.json, JSON_FLAT);
        json_write_member(&reply.json, S("kind"), S("markdown"));
        json_write_member(&reply.json, S("value"), buf_str(&text));
        json_write_end(&reply.json);
        json_write_end(&reply.json);
    } else {
        json_write_null(&reply.json);
    }
    reply_send(&reply, server->send, server->context);
    buf_free(&text);
    arena_free(&scratch);
}
