/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages as scdoc source, from the same table as the help. */
#include "base/buf.h"
#include "help.h"

/* scdoc takes these for markup, at the start of a line also the marks of lists, tables and headings. */
static void put_escaped(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.at[i];
        const bool begins = i == 0 || text.at[i - 1] == '\n';
        if (strchr("*_\\`~", c) || (begins && strchr("#-.[|];'", c)))
            buf_char(out, '\\');
        buf_char(out, c);
    }
}

/* Lines of the source are paragraphs here. */
static void put_paragraphs(struct buf *out, str text)
{
    for (str line; str_cut(&text, '\n', &line);) {
        put_escaped(out, str_trim(line));
        buf_add(out, line.len ? S("\n\n") : S(""));
    }
}

static void put_heading(struct buf *out, const char *title)
{
    buf_printf(out, "# %s\n\n", title);
}

static void put_strong(struct buf *out, str text)
{
    buf_char(out, '*');
    put_escaped(out, text);
    buf_char(out, '*');
}

static void put_weak(struct buf *out, str text)
{
    buf_char(out, '_');
    put_escaped(out, text);
    buf_char(out, '_');
}

static void put_option(struct buf *out, const struct option *option)
{
    if (option->letter) {
        const char letter[] = {'-', option->letter};
        put_strong(out, (str){letter, 2});
        buf_add(out, S(", "));
    }
    struct arena scratch = {0};
    put_strong(out, str_printf(&scratch, "--%s", option->name));
    arena_free(&scratch);
    if (option->value) {
        buf_add(out, option_takes_joined(option) ? S("\\[=") : S(" "));
        put_weak(out, str_of(option->words ? option->words : option->value + option_takes_joined(option)));
    }
    buf_add(out, S("\n\t"));
    put_escaped(out, str_of(option->help));
    buf_add(out, S("\n\n"));
}

static void put_options(struct buf *out, const struct command *command)
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    put_heading(out, "OPTIONS");
    for (uint32_t i = 0; i < count; i++) {
        buf_printf(out, "## %s\n\n", groups[i].title);
        for (const struct option *option = groups[i].options; option->name; option++)
            put_option(out, option);
    }
}

static void put_examples(struct buf *out, const struct command *command)
{
    if (!command->examples)
        return;
    str rest = str_of(command->examples), line, what;
    put_heading(out, "EXAMPLES");
    while (help_example(&rest, &line, &what)) {
        put_strong(out, line);
        buf_add(out, S("\n\t"));
        put_escaped(out, what);
        buf_add(out, S("\n\n"));
    }
}

static void put_exit_status(struct buf *out)
{
    static const char *const codes[] = {
        "Fine; a trace that breaks off is, too, with a warning.",
        "The command was asked to judge, and the answer is no.",
        "Wrong arguments.",
        "An input cannot be used.",
        "The result could not be written.",
        "Memory ran out.",
    };
    put_heading(out, "EXIT STATUS");
    for (int i = 0; i < 6; i++)
        buf_printf(out, "*%d*\n\t%s\n\n", i, codes[i]);
}

static void put_command_page(struct buf *out, const struct command *command)
{
    buf_printf(out, "steptime-%s(1)\n\n", command->name);
    put_heading(out, "NAME");
    buf_printf(out, "steptime-%s - ", command->name);
    put_escaped(out, str_of(command->brief));
    buf_add(out, S("\n\n"));
    put_heading(out, "SYNOPSIS");
    buf_printf(out, "*steptime %s* [_OPTION_...] ", command->name);
    put_escaped(out, str_of(command->arguments));
    buf_add(out, S("\n\n"));
    put_heading(out, "DESCRIPTION");
    put_paragraphs(out, str_of(command->about));
    put_options(out, command);
    put_examples(out, command);
    put_exit_status(out);
    put_heading(out, "SEE ALSO");
    buf_add(out, S("*steptime*(1)\n"));
}

static const char about_program[] =
    "steptime reads the traces that the PyTorch profiler writes and says where the time of a training step goes.\n"
    "A trace is a file as torch.profiler exports it: Chrome trace JSON, plain or packed with gzip or zstd, told by its "
    "content. A directory stands for the traces in it, one a rank of the job; they are read in parallel. - is standard "
    "input.";

static void put_program_page(struct buf *out)
{
    buf_add(out, S("steptime(1)\n\n"));
    put_heading(out, "NAME");
    buf_add(out, S("steptime - what a training step costs, why, and what to change\n\n"));
    put_heading(out, "SYNOPSIS");
    buf_add(out, S("*steptime* _COMMAND_ [_OPTION_...] _TRACE_|_DIR_...\n\n"));
    put_heading(out, "DESCRIPTION");
    put_paragraphs(out, str_of(about_program));
    put_heading(out, "COMMANDS");
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(out, "*steptime-%s*(1)\n\t", (*at)->name);
        put_escaped(out, str_of((*at)->brief));
        buf_add(out, S("\n\n"));
    }
    put_exit_status(out);
    put_heading(out, "ENVIRONMENT");
    buf_add(out, S("*NO\\_COLOR*\n\tIf set and not empty, no colours unless --color always asks for them.\n\n"
                   "*COLUMNS*\n\tThe width of the screen, where it is not the terminal's own.\n\n"));
    put_heading(out, "SEE ALSO");
    for (const struct command *const *at = commands; *at; at++)
        buf_printf(out, "%s*steptime-%s*(1)", at == commands ? "" : ", ", (*at)->name);
    buf_char(out, '\n');
}

str man_page(struct arena *arena, const struct command *command)
{
    struct buf out = {0};
    if (command)
        put_command_page(&out, command);
    else
        put_program_page(&out);
    const str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}
