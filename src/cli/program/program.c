/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "call.h"
#include "columns.h"
#include "commands.h"
#include "help.h"
#include "output.h"
#include "program.h"
#include "run.h"
#include "screen.h"

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

/* One line on standard error; where the arguments are wrong a second one says where they are explained. */
static int complain(const struct command *command, const struct steptime_error *err)
{
    struct arena scratch = {0};
    if (err->message[0])
        fprintf(stderr, "steptime: %s\n", error_line(&scratch, err).at);
    if (err->code == STEPTIME_USAGE)
        fprintf(stderr, "Try 'steptime%s%s --help'.\n", command ? " " : "", command ? command->name : "");
    arena_free(&scratch);
    return err->code;
}

static enum steptime_code show_help(const struct command *command, struct steptime_error *err)
{
    struct arena arena = {0};
    const unsigned width = screen_of(STDOUT_FILENO, NULL).width;
    const bool good =
        output_text(command ? help_command(&arena, command, width) : help_overview(&arena, width), NULL, err);
    arena_free(&arena);
    return good ? STEPTIME_OK : err->code;
}

/* "fleet breakdown": the command with the words behind it. */
static str words_of(const struct command *command, const struct call *call, struct arena *arena)
{
    str words = str_of(command->name);
    for (uint32_t i = 0; i < call_argument_count(call); i++)
        words = str_printf(arena, "%.*s %s", (int)words.len, words.at, call_argument(call, i));
    return words;
}

/* The list of an input is made of what would be shown of it; without one it is what is known of the command. */
static bool lists_numbers_of_nothing(const struct command *command, const struct call *call, struct arena *arena,
                                     struct steptime_error *err)
{
    const bool explains = command->list || command->shared & SHARED_EXPLAIN;
    const char *const word = explains ? call_text(call, "explain") : NULL;
    if (!word || strcmp(word, "list"))
        return false;
    struct report *const report = report_new(arena, str_of(command->name));
    if (command->list && !call_argument_count(call))
        command->list(report);
    else if (command->list || !columns_put(words_of(command, call, arena), report))
        return false;
    return output_report(call, report, err);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct steptime_error err = {.offset = -1};
    struct arena arena = {0};
    struct call call;
    enum steptime_code code = STEPTIME_USAGE;
    const bool is_read = call_parse(&call, command, argc, argv, &arena, &err);
    if (is_read)
        code = call_flag(&call, "help") ? show_help(command, &err) : call_run(&call, &err);
    if (code == STEPTIME_USAGE && is_read && lists_numbers_of_nothing(command, &call, &arena, &err))
        code = STEPTIME_OK;
    arena_free(&arena);
    if (code > STEPTIME_JUDGED)
        complain(command, &err);
    return (int)code;
}

static int run_option(const char *word)
{
    struct steptime_error err = {.offset = -1};
    enum steptime_code code;
    if (is_one_of(word, "--help", "-h"))
        code = show_help(NULL, &err);
    else if (is_one_of(word, "--version", "-V"))
        code = output_text(S("steptime " STEPTIME_VERSION "\n"), NULL, &err) ? STEPTIME_OK : err.code;
    else {
        fail(&err, STEPTIME_USAGE, "there is no option '%s' before a command", word);
        code = STEPTIME_USAGE;
    }
    return code ? complain(NULL, &err) : 0;
}

static int no_command(void)
{
    struct arena arena = {0};
    const str text = help_overview(&arena, screen_of(STDERR_FILENO, NULL).width);
    fwrite(text.at, 1, text.len, stderr);
    arena_free(&arena);
    return STEPTIME_USAGE;
}

/* "steptime trace.json" asks for the first look at it. A command of the same name comes first. */
static bool is_an_input(const char *word)
{
    return !strcmp(word, "-") || access(word, F_OK) == 0;
}

int program(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is output that failed, told by the writer */
    signal(SIGXFSZ, SIG_IGN); /* so is a file that reaches the limit of ulimit -f */
    if (argc < 2)
        return no_command();
    if (argv[1][0] == '-' && argv[1][1])
        return run_option(argv[1]);
    const struct command *command = command_find(argv[1]);
    if (command)
        return run_command(command, argc - 2, argv + 2);
    if (is_an_input(argv[1]))
        return run_command(command_find("summary"), argc - 1, argv + 1);
    struct steptime_error err = {.offset = -1};
    command_unknown(argv[1], &err);
    return complain(NULL, &err);
}
