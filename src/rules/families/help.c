/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include "base/buf.h"

enum { HELP_WIDTH = 100 };

const char *level_word(enum level level)
{
    static const char *const words[] = {"note", "warning", "error"};
    return words[level];
}

const char *fix_word(enum fix_kind fix)
{
    static const char *const words[] = {"none", "safe", "unsafe"};
    return words[fix];
}

str rule_family(const struct rule *rule)
{
    static const char *const families[] = {"",
                                           "element-access",
                                           "host-built-tensor",
                                           "round-trip",
                                           "implicit-sync",
                                           "many-transfers",
                                           "blocking-transfer"};
    const unsigned number = (unsigned)(rule->id[2] - '0');
    return str_of(families[number < sizeof families / sizeof *families ? number : 0]);
}

static void add_example(struct buf *buf, const char *title, const char *code)
{
    buf_printf(buf, "%s\n\n```python\n%s```\n\n", title, code);
}

static const char *fix_sentence(const struct rule *rule)
{
    switch (rule->fix_kind) {
    case FIX_SAFE:
        return "`steptime fix` rewrites it where that is safe: losses stay bit-equal on the CPU.";
    case FIX_UNSAFE:
        return "`steptime fix --unsafe` rewrites it.";
    case FIX_NONE:
        break;
    }
    return rule->fix
               ? "`steptime fix` rewrites those of its places that it can take apart; each finding says whether, and whether "
                 "that is safe."
               : "There is no automatic rewrite.";
}

/* The anchor is that of "## ST401 scalar-read-back". */
str rule_uri(struct arena *arena, const struct rule *rule)
{
    const str folder = S(STEPTIME_DOC_URL);
    if (!folder.len)
        return S("");
    return str_printf(arena, "%.*srules.md#st%s-%s", (int)folder.len, folder.at, rule->id + 2, rule->name);
}

str rule_help(struct arena *arena, const struct rule *rule)
{
    const struct rule_words *words = rule->words;
    struct buf buf = {0};
    buf_printf(&buf, "## %s %s\n\n", rule->id, rule->name);
    buf_paragraph(&buf, str_of(words->why), HELP_WIDTH);
    add_example(&buf, "Instead of", words->bad);
    add_example(&buf, "write", words->good);
    buf_paragraph(&buf, str_printf(arena, "**Not where:** %s", words->unsafe_when), HELP_WIDTH);
    buf_paragraph(&buf, str_printf(arena, "**Fix:** %s", fix_sentence(rule)), HELP_WIDTH);
    buf_paragraph(&buf,
                  str_printf(arena,
                             "**Silence it:** `# steptime: ignore[%s] reason` at the end of the line, or "
                             "`ignore = [\"%s\"]` in `[tool.steptime]` of pyproject.toml.",
                             rule->id, rule->id),
                  HELP_WIDTH);
    buf_paragraph(&buf, str_printf(arena, "**Source:** %s.", words->source), HELP_WIDTH);
    buf.len--; /* one line end is enough at the end */
    const str help = str_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return help;
}
