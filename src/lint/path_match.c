/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of paths. Only the last star of each kind is ever tried again, so no pattern takes exponential time. */
#include "config.h"

/* Where to go on when what was tried behind a star does not match: let the star take one byte more. */
struct star {
    size_t in, at; /* behind the star in the pattern; SIZE_MAX: none yet. What it has taken of the path ends here */
};

/* Lets the star take one byte more, but never a slash unless it is a `**`. */
static bool retry(struct star *star, bool deep, str path, size_t *at, size_t *in)
{
    if (star->in == SIZE_MAX || star->at >= path.len || (!deep && path.at[star->at] == '/'))
        return false;
    *at = ++star->at;
    *in = star->in;
    return true;
}

static bool same(char of_path, char of_pattern)
{
    return of_path == of_pattern || (of_pattern == '?' && of_path != '/');
}

/* `*` and `?` do not match a slash; `**` does, and `a` slash `**` slash `b` also matches a/b. */
static bool glob(str path, str pattern)
{
    struct star flat = {SIZE_MAX, 0}, deep = {SIZE_MAX, 0};
    size_t at = 0, in = 0;
    for (;;) {
        const str rest = str_from(pattern, in);
        if (str_starts(rest, S("**"))) {
            in += str_starts(rest, S("**/")) ? 3 : 2;
            deep = (struct star){in, at};
            flat.in = SIZE_MAX;
        } else if (str_starts(rest, S("*"))) {
            flat = (struct star){++in, at};
        } else if (at == path.len && !rest.len) {
            return true;
        } else if (at < path.len && rest.len && same(path.at[at], rest.at[0])) {
            at++;
            in++;
        } else if (retry(&flat, false, path, &at, &in)) {
            continue;
        } else {
            flat.in = SIZE_MAX;
            if (!retry(&deep, true, path, &at, &in))
                return false;
        }
    }
}

static bool has_slash(str text)
{
    return text.len && memchr(text.at, '/', text.len);
}

/* Whether the pattern matches the path, or a folder that the path lies in. */
static bool glob_or_below(str path, str pattern)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.at[i] == '/' && glob((str){path.at, i}, pattern))
            return true;
    return glob(path, pattern);
}

/* A name at any depth. */
static bool some_name(str path, str pattern)
{
    str part;
    while (str_cut(&path, '/', &part))
        if (glob(part, pattern))
            return true;
    return false;
}

bool path_matches(str path, str pattern)
{
    if (str_starts(path, S("./")))
        path = str_from(path, 2);
    if (str_starts(pattern, S("./")))
        pattern = str_from(pattern, 2);
    if (str_ends(pattern, S("/")))
        pattern.len--;
    if (!pattern.len)
        return false;
    return has_slash(pattern) ? glob_or_below(path, pattern) : some_name(path, pattern);
}
