/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

static const char *const words[NOTE_WORDS] = {"loaded", "torch", "begun", "pace", "bare",
                                              "saved",  "found", "done",  "none", "said"};

static bool word_of(str text, enum note_word *word)
{
    for (int i = 0; i < NOTE_WORDS; i++)
        if (str_eq(text, str_of(words[i]))) {
            *word = (enum note_word)i;
            return true;
        }
    return false;
}

/* Anybody could write there: what is no note is passed over. */
static bool parse(str line, struct arena *arena, struct told *told)
{
    str process, word, base, rest = str_copy(arena, line);
    if (!str_cut(&rest, ' ', &process) || !str_cut(&rest, ' ', &word) || !str_cut(&rest, ' ', &base))
        return false;
    told->base = base;
    told->rest = rest;
    return str_int(process, &told->process) && word_of(word, &told->word);
}

/* True: a line has ended. */
static bool read_line(struct notes *notes)
{
    clearerr(notes->file); /* of the end where it was before */
    for (int c; (c = getc(notes->file)) != EOF;) {
        if (c == '\n')
            return true;
        buf_char(&notes->line, (char)c);
    }
    return false;
}

bool notes_next(struct notes *notes, struct arena *arena, struct told *told)
{
    if (!notes->file)
        notes->file = fopen(notes->path, "re");
    while (notes->file && read_line(notes)) {
        const bool good = parse(buf_str(&notes->line), arena, told);
        buf_clear(&notes->line);
        if (good)
            return true;
    }
    return false;
}

void notes_close(struct notes *notes)
{
    if (notes->file)
        fclose(notes->file);
    buf_free(&notes->line);
    *notes = (struct notes){0};
}
