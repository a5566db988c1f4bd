/* SPDX-License-Identifier: Apache-2.0 */
#include "source_file.h"

#include "base/error.h"
#include "base/utf8.h"
#include "notebook/notebook.h"
#include "read_file.h"

static int64_t line_of(str text, size_t byte)
{
    int64_t line = 1;
    for (size_t i = 0; i < byte; i++)
        line += text.at[i] == '\n';
    return line;
}

/* Python takes other encodings where one of the first two lines says so (PEP 263). */
static bool declares_encoding(str text)
{
    for (int line = 0; line < 2; line++) {
        str first = S("");
        if (!str_cut(&text, '\n', &first))
            return false;
        if (str_starts(str_trim(first), S("#")) && str_has(first, S("coding")) && !str_has_nocase(first, S("utf-8")))
            return true;
    }
    return false;
}

/* The first byte that is not UTF-8; text.len where there is none. */
static size_t first_broken(str text)
{
    size_t at = 0;
    while (at < text.len) {
        const size_t bytes = (unsigned char)text.at[at] < 0x80 ? 1 : utf8_length(text.at + at, text.len - at);
        if (!bytes)
            break;
        at += bytes;
    }
    return at;
}

static bool is_text(str path, str text, struct steptime_error *err)
{
    const char *nul = text.len ? memchr(text.at, 0, text.len) : NULL;
    if (nul)
        return fail_at(err, STEPTIME_INPUT, path, -1, "line %lld: a NUL byte; this is no source",
                       (long long)line_of(text, (size_t)(nul - text.at)));
    const size_t broken = first_broken(text);
    if (broken == text.len || declares_encoding(text))
        return true;
    return fail_at(err, STEPTIME_INPUT, path, -1, "line %lld: is not UTF-8, and the file declares no other encoding",
                   (long long)line_of(text, broken));
}

const struct lint_overlay *lint_overlay_of(const struct lint_options *options, str path)
{
    const struct lint_overlay *piped = options->standard_input;
    uint32_t from = 0, to = options->overlay_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const int order = str_cmp(options->overlays[middle].path, path);
        if (!order)
            return &options->overlays[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return piped && str_eq(piped->path, path) ? piped : NULL;
}

/* The file is let go once its cells are known, for pictures in it may be large. */
static bool read_notebook(const struct lint_overlay *overlay, struct arena *arena, struct lint_file *file,
                          struct steptime_error *err)
{
    struct arena scratch = {0};
    struct notebook *notebook = arena_alloc(arena, sizeof *notebook);
    str raw = overlay ? overlay->text : S("");
    const bool good = (overlay || read_file(&scratch, file->path.at, NOTEBOOK_BYTES, &raw, err)) &&
                      notebook_read(arena, file->path, raw, notebook, err);
    arena_free(&scratch);
    file->notebook = notebook;
    file->text = notebook->program;
    return good;
}

static bool read_source(const struct lint_overlay *overlay, struct arena *arena, struct lint_file *file,
                        struct steptime_error *err)
{
    if (overlay)
        file->text = overlay->text;
    return (overlay || read_file(arena, file->path.at, LINT_FILE_BYTES, &file->text, err)) &&
           is_text(file->path, file->text, err);
}

bool source_file_read(const struct lint_options *options, str path, struct arena *arena, struct lint_file *file,
                      struct steptime_error *err)
{
    const struct lint_overlay *overlay = lint_overlay_of(options, path);
    file->path = path;
    return notebook_named(path) ? read_notebook(overlay, arena, file, err) : read_source(overlay, arena, file, err);
}
