/* SPDX-License-Identifier: Apache-2.0 */
#include "help.h"

#include "base/buf.h"

enum { INDENT = 2, LEAST = 30, READABLE = 100 };

/* ---- paragraphs ---- */

/* Words filled into lines that all begin at `indent`; the first one follows what is there already. */
static void put_words(struct buf *out, str text, unsigned indent, unsigned width)
{
    const unsigned end = width > indent + LEAST ? width : indent + LEAST;
    unsigned at = indent;
    bool first = true;
    for (str word; str_cut(&text, ' ', &word);) {
        if (!word.len)
            continue;
        if (!first && at + 1 + word.len > end) {
            buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            buf_char(out, ' ');
            at++;
        }
        buf_add(out, word);
        at += (unsigned)word.len;
        first = false;
    }
    buf_char(out, '\n');
}

/* Lines of the source are paragraphs; an empty one stays empty. */
static void put_paragraphs(struct buf *out, str text, unsigned indent, unsigned width)
{
    for (str line; str_cut(&text, '\n', &line);) {
        if (line.len)
            buf_printf(out, "%*s", (int)indent, "");
        put_words(out, line, indent, width);
    }
}

static str finished(struct buf *out, struct arena *arena)
{
    const str text = str_copy(arena, buf_str(out));
    buf_free(out);
    return text;
}

static unsigned readable(unsigned width)
{
    return width && width < READABLE ? width : READABLE;
}

/* ---- options ---- */

/* "-o, --output FILE" */
static str spelling(struct arena *arena, const struct option *option)
{
    const char letter[] = {'-', option->letter, ',', ' ', 0};
    return str_printf(arena, "%s--%s%s%s", option->letter ? letter : "    ", option->name,
                      option_takes_joined(option) ? "[="
                      : option->value             ? " "
                                                  : "",
                      option->words   ? option->words
                      : option->value ? option->value + option_takes_joined(option)
                                      : "");
}

static void put_option(struct buf *out, struct arena *arena, const struct option *option, unsigned width)
{
    enum { COLUMN = 28 }; /* where the help of an option begins */
    const str left = spelling(arena, option);
    buf_printf(out, "  %s", left.at);
    if (left.len + 2 + 2 > COLUMN)
        buf_printf(out, "\n%*s", COLUMN, "");
    else
        buf_printf(out, "%*s", COLUMN - 2 - (int)left.len, "");
    put_words(out, str_of(option->help), COLUMN, width);
}

static void put_options(struct buf *out, struct arena *arena, const struct command *command, unsigned width)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    for (uint32_t i = 0; i < count; i++) {
        buf_printf(out, "\n%s:\n", groups[i].title);
        for (const struct option *option = groups[i].options; option->name; option++)
            put_option(out, arena, option, width);
    }
}

/* ---- a command ---- */

bool help_example(str *rest, str *command, str *what)
{
    str line;
    if (!str_cut(rest, '\n', &line) || !line.len)
        return false;
    str_cut(&line, '|', command);
    *what = line.at ? line : S("");
    return true;
}

static void put_examples(struct buf *out, const struct command *command, unsigned width)
{
    if (!command->examples)
        return;
    str rest = str_of(command->examples), line, what;
    buf_add(out, S("\nExamples:\n"));
    while (help_example(&rest, &line, &what)) {
        buf_printf(out, "  %.*s\n      ", (int)line.len, line.at);
        put_words(out, what, 6, width);
    }
}

str help_command(struct arena *arena, const struct command *command, unsigned width)
{
    struct buf out = {0};
    width = readable(width);
    buf_printf(&out, "steptime %s: %s\n\n", command->name, command->brief);
    buf_printf(&out, "Usage: steptime %s [OPTION...] %s\n\n", command->name, command->arguments);
    put_paragraphs(&out, str_of(command->about), 0, width);
    put_options(&out, arena, command, width);
    put_examples(&out, command, width);
    return finished(&out, arena);
}

/* ---- the program ---- */

static const char before_commands[] =
    "steptime says what a training step costs, why, and what to change, from the traces that the PyTorch profiler "
    "writes.\n\n"
    "Usage: steptime COMMAND [OPTION...] TRACE|DIR...\n"
    "Or, for a first look: steptime TRACE|DIR...\n\n"
    "Commands:";

static const char after_commands[] =
    "\nBegin with 'steptime TRACE'. 'steptime COMMAND --help' says what a command takes and shows examples.\n\n"
    "A trace is a file as torch.profiler exports it, plain, gzip or zstd; a directory stands for the traces in it, one "
    "a rank; - is standard input.\n\n"
    "Exit codes: 0 fine, 1 a command that was asked to judge says no, 2 wrong arguments, 3 an input that cannot be "
    "used, 4 output that could not be written, 5 out of memory.";

str help_overview(struct arena *arena, unsigned width)
{
    struct buf out = {0};
    width = readable(width);
    put_paragraphs(&out, str_of(before_commands), 0, width);
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(&out, "  %-15s ", (*at)->name);
        put_words(&out, str_of((*at)->brief), 18, width);
    }
    put_paragraphs(&out, str_of(after_commands), 0, width);
    return finished(&out, arena);
}
