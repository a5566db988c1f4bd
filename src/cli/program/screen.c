/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

enum { LEAST_WIDTH = 40, MOST_WIDTH = 1000, USUAL_WIDTH = 80, PLAIN_WIDTH = 100 };

static str environment(const char *name)
{
    const char *value = getenv(name);
    return value ? str_of(value) : S("");
}

/* A dumb terminal moves no cursor and knows no colour; an unset TERM promises nothing. */
static bool knows_cursor(void)
{
    const str term = environment("TERM");
    return term.len && !str_eq(term, S("dumb"));
}

/* The first of these that is set and not empty decides, as in setlocale(3). */
static bool utf8(void)
{
    str locale = environment("LC_ALL");
    if (!locale.len)
        locale = environment("LC_CTYPE");
    if (!locale.len)
        locale = environment("LANG");
    return str_has_nocase(locale, S("utf-8")) || str_has_nocase(locale, S("utf8"));
}

static bool coloured(bool capable_terminal, const char *when)
{
    if (when && !strcmp(when, "always"))
        return true;
    if (when && !strcmp(when, "never"))
        return false;
    return capable_terminal && !environment("NO_COLOR").len; /* no-color.org */
}

static unsigned width_of(int descriptor, bool terminal)
{
    int64_t columns;
    struct winsize size;
    if (str_int(environment("COLUMNS"), &columns) && columns >= LEAST_WIDTH && columns <= MOST_WIDTH)
        return (unsigned)columns;
    if (!terminal)
        return PLAIN_WIDTH;
    if (ioctl(descriptor, TIOCGWINSZ, &size) || !size.ws_col)
        return USUAL_WIDTH;
    return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

struct screen screen_of(int descriptor, const char *when)
{
    const bool terminal = isatty(descriptor);
    const bool capable = terminal && knows_cursor();
    const bool forced = when && !strcmp(when, "always");
    return (struct screen){
        .capable = capable,
        .colour = coloured(capable, when),
        .unicode = (forced || capable) && utf8(),
        .width = width_of(descriptor, terminal),
    };
}
