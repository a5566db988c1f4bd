/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint, for people: which there are, and what is to be said of each, or of any other finding. */
#include "base/buf.h"
#include "base/error.h"
#include "text/suggest.h"
#include "breakdown/compiled/compiled.h"
#include "breakdown/summary/advice.h"
#include "cli/program/command.h"
#include "cli/program/output.h"
#include "frameworks_table.h"
#include "report/report.h"
#include "rules/families/help.h"
#include "rules/families/rules.h"
#include "memory/show/show.h"
#include "verify/verify.h"

/* ---- rules ---- */

static void show_row(struct table *table, const struct rule *rule)
{
    table_row(table);
    table_text(table, str_of(rule->id));
    table_text(table, str_of(rule->name));
    table_text(table, rule_family(rule));
    table_text(table, str_of(rule->entry));
    table_text(table, str_of(level_word(rule->level)));
    table_text(table, str_of(fix_word(rule->fix ? rule->fix_kind : FIX_NONE)));
    table_text(table, str_of(rule->words->brief));
}

static const struct column_spec rules_columns[] = {
    {"rule", "rule", UNIT_NONE, 0, "id of the rule"},
    {"name", "name", UNIT_NONE, 0, "its name"},
    {"family", "family", UNIT_NONE, COLUMN_DETAIL, "the antipattern that it belongs to"},
    {"entry", "entry", UNIT_NONE, COLUMN_DETAIL, "the entry of the paper that it stands for"},
    {"severity", "severity", UNIT_NONE, 0, "warning: each step; note: seldom, or without proof of its cost"},
    {"fix", "fix", UNIT_NONE, 0, "whether `steptime fix` can rewrite it: safe, unsafe, none"},
    {"brief", "what", UNIT_NONE, COLUMN_WIDE | COLUMN_WRAP, "what it finds"},
    {0},
};

static void show_table(struct report *report)
{
    struct section *section = report_section(report, "rules", "Rules");
    struct table *table = section_table(section, "rules", "");
    table_columns(table, rules_columns);
    for (const struct rule *const *at = rules; *at; at++)
        show_row(table, *at);
}

static bool list(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("rules"));
    show_table(report);
    return output_report(call, report, err);
}

/* ---- rules frameworks ---- */

static bool list_frameworks(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct report *report = report_new(arena, S("rules"));
    frameworks_show(report);
    return output_report(call, report, err);
}

/* ---- rules show ---- */

/* Findings that come from no rule of lint: those of `summary`, of its compile log, of `memory`, and of `verify`. */
static const struct finding_words *const other_findings[] = {advice_words, compiled_words, memory_words, verify_words};

enum { OTHERS = sizeof other_findings / sizeof *other_findings };

/* "ST401-4f0d8a21c3b7" and "SM118-python" are single findings: the rule, and which. */
static str rule_of_finding(str asked)
{
    str rest = asked, rule;
    if (!str_cut(&rest, '-', &rule) || rule.len != 5 || !rest.len)
        return asked;
    const bool letters = rule.at[0] >= 'A' && rule.at[0] <= 'Z' && rule.at[1] >= 'A' && rule.at[1] <= 'Z';
    return letters && strspn(rule.at + 2, "0123456789") >= 3 ? rule : asked;
}

static bool unknown(str name, struct steptime_error *err)
{
    struct suggestion close = suggest(name);
    for (const struct rule *const *at = rules; *at; at++) {
        suggest_offer(&close, str_of((*at)->id));
        suggest_offer(&close, str_of((*at)->name));
    }
    for (int i = 0; i < OTHERS; i++)
        for (const struct finding_words *words = other_findings[i]; words->id; words++)
            suggest_offer(&close, str_of(words->id));
    if (!suggest_found(&close))
        return fail(err, STEPTIME_USAGE, "there is no rule '%.*s'; 'steptime rules' lists them", (int)name.len,
                    name.at);
    return fail(err, STEPTIME_USAGE, "there is no rule '%.*s'; did you mean '%.*s'?", (int)name.len, name.at,
                (int)close.best.len, close.best.at);
}

static void add_help(struct buf *buf, str help)
{
    if (buf->len)
        buf_char(buf, '\n');
    buf_add(buf, help);
}

static bool add_other(struct buf *buf, str asked, struct arena *arena)
{
    for (int i = 0; i < OTHERS; i++) {
        const struct finding_words *words = finding_words_of(other_findings[i], asked);
        if (words)
            add_help(buf, finding_words_help(arena, words));
        if (words)
            return true;
    }
    return false;
}

/* Adds all that a name, an id or the beginning of one stands for. */
static bool add_helps(struct buf *buf, str asked, struct arena *arena, struct steptime_error *err)
{
    const str name = rule_of_finding(asked);
    bool found = false;
    for (const struct rule *const *at = rules; *at; at++) {
        if (rule_matches(*at, name))
            add_help(buf, rule_help(arena, *at));
        found |= rule_matches(*at, name);
    }
    return found || add_other(buf, name, arena) || unknown(asked, err);
}

static bool show(const struct call *call, struct arena *arena, struct steptime_error *err)
{
    struct buf buf = {0};
    bool good = true;
    for (uint32_t i = 1; i < call_argument_count(call) && good; i++)
        good = add_helps(&buf, str_of(call_argument(call, i)), arena, err);
    good = good && output_text(buf_str(&buf), call, err);
    buf_free(&buf);
    return good;
}

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    struct arena arena = {0};
    bool good;
    if (!call_argument_count(call))
        good = list(call, &arena, err);
    else if (strcmp(call_argument(call, 0), "frameworks") == 0 && call_argument_count(call) == 1)
        good = list_frameworks(call, &arena, err);
    else if (strcmp(call_argument(call, 0), "show") != 0)
        good = fail(err, STEPTIME_USAGE, "'%s' is unknown here; did you mean 'steptime rules show %s'?",
                    call_argument(call, 0), call_argument(call, 0));
    else if (call_argument_count(call) == 1)
        good = fail(err, STEPTIME_USAGE, "which rule? 'steptime rules' lists them; ALL shows every one");
    else
        good = show(call, &arena, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

const struct command command_rules = {
    .name = "rules",
    .arguments = "[frameworks | show RULE...]",
    .brief = "the antipatterns that lint knows, and what to do about each",
    .about =
        "Without arguments: a table of the rules, with their severity and whether 'steptime fix' can rewrite what "
        "they find.\n\nWith 'show' and the id or name of a rule: why it costs time, a bad and a good example, when the "
        "rewrite is unsafe, how to silence it, and its source. The beginning of an id stands for a family (ST4), "
        "ALL for all of them. The ids of findings of 'summary' (SM101), of a log of the compiler (CL101) and of "
        "'verify' (VF101) are known too. The text is "
        "Markdown.\n\nWith 'frameworks': what lint takes for granted of training frameworks. Which methods they run how "
        "often, where what they hand over lies, which waits they make themselves, and what their calls give.",
    .examples = "steptime rules|all rules\n"
                "steptime rules show ST401|what reading a scalar back costs\n"
                "steptime rules show dynamic-shape|by name\n"
                "steptime rules frameworks|what is believed of your framework",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .run = run,
};
