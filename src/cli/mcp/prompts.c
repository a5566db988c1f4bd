/* SPDX-License-Identifier: Apache-2.0 */
#include "prompts.h"

#include "base/buf.h"

enum { ARGUMENTS = 2 };

struct prompt {
    const char *name, *description;
    const char *arguments[ARGUMENTS]; /* "traces": what to put for {traces} */
    const char *meanings[ARGUMENTS];
    const char *text;
};

static const struct prompt prompts[] = {
    {"trace_to_fix",
     "From the traces of a training to a diff of its source that makes it faster.",
     {"traces", "source"},
     {"a trace, or a folder with the traces of a job", "the Python source of the training: a file or a folder"},
     "Find out what makes a training step of {traces} take so long, and change {source} so that it takes less.\n\n"
     "1. Call `summary` with inputs [\"{traces}\"]. Its first lines say what bounds the step and prove it. Read the line `Trust`: "
     "what it doubts you must doubt too. If there are several ranks and one is late, call `ranks` and repair that first.\n"
     "2. Call `lint` with inputs [\"{source}\"] and trace \"{traces}\". Findings of the tier `confirmed` were seen in the trace, with what "
     "they cost a step; those are worth a change. A finding whose proof is open may cost nothing.\n"
     "3. Call `fix` with inputs [\"{source}\"] and trace \"{traces}\": it answers with a unified diff of safe rewrites, which leave "
     "losses as they are to the bit. Apply it with `git apply`. For findings without a rewrite, call `rules` with inputs [\"show\", "
     "RULE] and change the lines by hand.\n"
     "4. Where the bound is not the host (`compute`, `communication`), call `predict` with inputs [\"{traces}\"] and options such as hw, "
     "batch or network, to say what a change of hardware would give.\n"
     "5. Tell the user to run `steptime verify OLD.py NEW.py`, or `steptime record` again and then the tool `diff`, which says "
     "whether the step changed by more than chance. Do not claim a gain that was not measured."},
    {"explain_change",
     "Why a training step takes longer, or less, than before.",
     {"before", "after"},
     {"a trace, sketch or folder of ranks from before", "the same from after"},
     "Say what changed in a training step between {before} and {after}, and why.\n\n"
     "1. Call `diff` with inputs [\"{before}\", \"{after}\"]. Its first line is the answer with its p; `not proven` and `no test` are "
     "answers, too: say them as they are.\n"
     "2. For the kind of time that made the change, look at both sides: `breakdown` for idle time, `kernels` and `ops` for compute, "
     "`ranks` for a late rank.\n"
     "3. Answer in three sentences: how much, by which cause, and what would undo it. Names of files are no evidence."},
};
enum { PROMPTS = sizeof prompts / sizeof *prompts };

static void put_argument(struct json_writer *json, const struct prompt *prompt, int i)
{
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("name"), str_of(prompt->arguments[i]));
    json_write_member(json, S("description"), str_of(prompt->meanings[i]));
    json_write_key(json, S("required"));
    json_write_bool(json, true);
    json_write_end(json);
}

void prompts_list(struct json_writer *json)
{
    json_write_array(json, JSON_FLAT);
    for (int p = 0; p < PROMPTS; p++) {
        json_write_object(json, JSON_FLAT);
        json_write_member(json, S("name"), str_of(prompts[p].name));
        json_write_member(json, S("description"), str_of(prompts[p].description));
        json_write_key(json, S("arguments"));
        json_write_array(json, JSON_FLAT);
        for (int i = 0; i < ARGUMENTS; i++)
            put_argument(json, &prompts[p], i);
        json_write_end(json);
        json_write_end(json);
    }
    json_write_end(json);
}

/* What stands for {word}; NULL: it is no argument. */
static const char *argument_of(const struct prompt *prompt, str word)
{
    for (int i = 0; i < ARGUMENTS; i++)
        if (str_eq(word, str_of(prompt->arguments[i])))
            return prompt->arguments[i];
    return NULL;
}

/* As it is written in JSON, for it is put between quotes. */
static str value_of(str arguments, const char *name, struct arena *arena)
{
    const str raw = param(arena, arguments, name);
    return raw.len > 2 && raw.at[0] == '"' ? (str){raw.at + 1, raw.len - 2} : S("");
}

bool prompts_has_all(const struct prompt *prompt, str arguments, struct arena *arena)
{
    for (int i = 0; i < ARGUMENTS; i++)
        if (!value_of(arguments, prompt->arguments[i], arena).len)
            return false;
    return true;
}

static str filled(const struct prompt *prompt, str arguments, struct arena *arena)
{
    struct buf out = {0};
    for (const char *at = prompt->text; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const char *name = end ? argument_of(prompt, (str){at + 1, (size_t)(end - at - 1)}) : NULL;
        if (name) {
            buf_add(&out, value_of(arguments, name, arena));
            at = end + 1;
        } else {
            buf_char(&out, *at++);
        }
    }
    const str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

const struct prompt *prompts_find(str name)
{
    for (int p = 0; p < PROMPTS; p++)
        if (str_eq(str_of(prompts[p].name), name))
            return &prompts[p];
    return NULL;
}

void prompts_get(const struct prompt *prompt, struct json_writer *json, str arguments, struct arena *arena)
{
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("description"), str_of(prompt->description));
    json_write_key(json, S("messages"));
    json_write_array(json, JSON_FLAT);
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("role"), S("user"));
    json_write_key(json, S("content"));
    json_write_object(json, JSON_FLAT);
    json_write_member(json, S("type"), S("text"));
    json_write_member(json, S("text"), filled(prompt, arguments, arena));
    for (int open = 0; open < 4; open++)
        json_write_end(json);
}
