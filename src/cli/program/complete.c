/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts, from the table of commands. Texts of the table stand in single quotes there. */
#include "base/buf.h"
#include "help.h"

/* Inside single quotes of a shell: ' ends them, \' stands for itself, ' begins them again. */
static void put_quoted(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_add(out, text.at[i] == '\'' ? S("'\\''") : (str){text.at + i, 1});
}

/* The first sentence: what fits beside an option. */
static str first_sentence(const char *text)
{
    const char *end = strstr(text, ". ");
    const str whole = str_of(text);
    const str first = end ? (str){text, (size_t)(end - text)} : whole;
    return str_ends(first, S(".")) ? (str){first.at, first.len - 1} : first;
}

static bool takes_file(const struct option *option)
{
    return option->value && !option->words && !strcmp(option->value, "FILE");
}

/* Calls put for every option of a command, in order. */
static void each_option(struct buf *out, const struct command *command,
                        void (*put)(struct buf *, const struct command *, const struct option *))
{
    struct option_group groups[OPTION_GROUPS];
    const uint32_t count = command_groups(command, groups);
    for (uint32_t i = 0; i < count; i++)
        for (const struct option *option = groups[i].options; option->name; option++)
            put(out, command, option);
}

static void put_names(struct buf *out)
{
    for (const struct command *const *at = commands; *at; at++)
        buf_printf(out, "%s%s", at == commands ? "" : " ", (*at)->name);
}

/* ---- bash ---- */

static void put_bash_name(struct buf *out, const struct command *command, const struct option *option)
{
    if (option->letter)
        buf_printf(out, " -%c", option->letter);
    buf_printf(out, " --%s", option->name);
}

static void put_bash_values(struct buf *out, const struct command *command, const struct option *option)
{
    if (!option->words)
        return;
    buf_printf(out, "    %s:--%s) COMPREPLY=($(compgen -W '", command->name, option->name);
    str rest = str_of(option->words);
    for (str word; str_cut(&rest, '|', &word);)
        buf_printf(out, "%.*s%s", (int)word.len, word.at, rest.at ? " " : "");
    buf_add(out, S("' -- \"$word\")); return;;\n"));
}

static void put_bash(struct buf *out)
{
    buf_add(out, S("# bash completion for steptime\n"
                   "_steptime()\n"
                   "{\n"
                   "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
                   "command=${COMP_WORDS[1]} options=\n"
                   "    COMPREPLY=()\n"
                   "    if ((COMP_CWORD == 1)); then\n"
                   "        COMPREPLY=($(compgen -W '"));
    put_names(out);
    buf_add(out, S(" --help --version' -- \"$word\"))\n"
                   "        return\n"
                   "    fi\n"
                   "    case $command:$before in\n"));
    for (const struct command *const *at = commands; *at; at++)
        each_option(out, *at, put_bash_values);
    buf_add(out, S("    esac\n    case $command in\n"));
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(out, "    %s) options='", (*at)->name);
        each_option(out, *at, put_bash_name);
        buf_add(out, S("';;\n"));
    }
    buf_add(out, S("    esac\n"
                   "    if [[ $word == -* ]]; then\n"
                   "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                   "    elif [[ $command == help ]]; then\n"
                   "        COMPREPLY=($(compgen -W '"));
    put_names(out);
    buf_add(out, S("' -- \"$word\"))\n"
                   "    elif [[ $command == completion ]]; then\n"
                   "        COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\"))\n"
                   "    fi\n"
                   "}\n"
                   "complete -o default -F _steptime steptime\n"));
}

/* ---- zsh ---- */

/* In an option's spec a colon, a bracket and a backslash are marks. */
static void put_zsh_text(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(":[]\\", text.at[i]))
            buf_char(out, '\\');
        put_quoted(out, (str){text.at + i, 1});
    }
}

static void put_zsh_action(struct buf *out, const struct option *option)
{
    if (!option->value || option_takes_joined(option))
        return;
    buf_printf(out, ":%s:", option->value);
    if (takes_file(option))
        buf_add(out, S("_files"));
    if (!option->words)
        return;
    buf_char(out, '(');
    str rest = str_of(option->words);
    for (str word; str_cut(&rest, '|', &word);)
        buf_printf(out, "%.*s%s", (int)word.len, word.at, rest.at ? " " : "");
    buf_char(out, ')');
}

static void put_zsh_option(struct buf *out, const struct command *command, const struct option *option)
{
    const char *equals = option->value && !option_takes_joined(option) ? "=" : "";
    if (option->letter)
        buf_printf(out, "            '(-%c --%s)'{-%c,--%s%s}'[", option->letter, option->name, option->letter,
                   option->name, equals);
    else
        buf_printf(out, "            '--%s%s[", option->name, equals);
    put_zsh_text(out, first_sentence(option->help));
    buf_char(out, ']');
    put_zsh_action(out, option);
    buf_add(out, S("' \\\n"));
}

static void put_zsh(struct buf *out)
{
    buf_add(out, S("#compdef steptime\n"
                   "_steptime()\n"
                   "{\n"
                   "    local -a commands=(\n"));
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(out, "        '%s:", (*at)->name);
        put_quoted(out, str_of((*at)->brief));
        buf_add(out, S("'\n"));
    }
    buf_add(out, S("    )\n"
                   "    if ((CURRENT == 2)); then\n"
                   "        _describe command commands\n"
                   "        return\n"
                   "    fi\n"
                   "    local command=$words[2]\n"
                   "    shift words\n"
                   "    ((CURRENT--))\n"
                   "    case $command in\n"));
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(out, "    %s)\n        _arguments \\\n", (*at)->name);
        each_option(out, *at, put_zsh_option);
        if (!strcmp((*at)->name, "help"))
            buf_add(out, S("            '1:command:(("));
        if (!strcmp((*at)->name, "help"))
            put_names(out);
        buf_add(out, !strcmp((*at)->name, "help")         ? S("))'\n")
                     : !strcmp((*at)->name, "completion") ? S("            '1:shell:(bash zsh fish)'\n")
                                                          : S("            '*:trace:_files'\n"));
        buf_add(out, S("        ;;\n"));
    }
    buf_add(out, S("    esac\n"
                   "}\n"
                   "if [[ $funcstack[1] == _steptime ]]; then\n"
                   "    _steptime \"$@\"\n"
                   "else\n"
                   "    compdef _steptime steptime\n"
                   "fi\n"));
}

/* ---- fish ---- */

static void put_fish_option(struct buf *out, const struct command *command, const struct option *option)
{
    buf_printf(out, "complete -c steptime -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter)
        buf_printf(out, " -s %c", option->letter);
    if (option->words) {
        buf_add(out, S(" -x -a '"));
        str rest = str_of(option->words);
        for (str word; str_cut(&rest, '|', &word);)
            buf_printf(out, "%.*s%s", (int)word.len, word.at, rest.at ? " " : "");
        buf_char(out, '\'');
    } else if (option->value && !option_takes_joined(option)) {
        buf_add(out, takes_file(option) ? S(" -r") : S(" -x"));
    }
    buf_add(out, S(" -d '"));
    put_quoted(out, first_sentence(option->help));
    buf_add(out, S("'\n"));
}

static void put_fish(struct buf *out)
{
    buf_add(out, S("# fish completion for steptime\n"));
    for (const struct command *const *at = commands; *at; at++) {
        buf_printf(out, "complete -c steptime -f -n __fish_use_subcommand -a %s -d '", (*at)->name);
        put_quoted(out, str_of((*at)->brief));
        buf_add(out, S("'\n"));
    }
    buf_add(out, S("complete -c steptime -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n"
                   "complete -c steptime -f -n '__fish_seen_subcommand_from help' -a '"));
    put_names(out);
    buf_add(out, S("'\n"));
    for (const struct command *const *at = commands; *at; at++)
        each_option(out, *at, put_fish_option);
}

str completion_script(struct arena *arena, str shell)
{
    struct buf out = {0};
    if (str_eq(shell, S("bash")))
        put_bash(&out);
    else if (str_eq(shell, S("zsh")))
        put_zsh(&out);
    else if (str_eq(shell, S("fish")))
        put_fish(&out);
    const str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}
