/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline_part.h"

#include "flame_part.h"

extern const char timeline_css[], timeline_js[], timeline_js_sha256[];
extern const size_t timeline_css_bytes, timeline_js_bytes;

enum { PACKED = 2 };

/* Those of the parts behind it, too. */
static const struct page_packed *packed(void)
{
    static struct page_packed all[PACKED];
    all[0] = (struct page_packed){{timeline_css, timeline_css_bytes}, NULL};
    all[1] = (struct page_packed){{timeline_js, timeline_js_bytes}, timeline_js_sha256};
    return all;
}

static const char tools[] =
    "<div class=\"timeline\" id=\"timeline\">\n"
    "<div class=\"tools\" role=\"toolbar\" aria-label=\"Timeline\">"
    "<button type=\"button\" data-do=\"in\" title=\"zoom in (w, +)\" aria-label=\"zoom in\">+</button>"
    "<button type=\"button\" data-do=\"out\" title=\"zoom out (s, -)\" aria-label=\"zoom out\">\xE2\x88\x92</button>"
    "<button type=\"button\" data-do=\"all\" title=\"the whole trace (0)\">all</button>"
    "<button type=\"button\" data-do=\"step\" title=\"the next step (t)\">step</button>"
    "<span class=\"search\"><input type=\"search\" id=\"timeline-find\" placeholder=\"find events (/)\" "
    "aria-label=\"find events by name\"/>"
    "<button type=\"button\" data-do=\"previous\" title=\"the one before (N)\" aria-label=\"previous\">\xE2\x80\xB9</button>"
    "<button type=\"button\" data-do=\"next\" title=\"the next one (n)\" aria-label=\"next\">\xE2\x80\xBA</button>"
    "<output id=\"timeline-hits\"></output></span>"
    "<span class=\"marked\" id=\"timeline-findings\"></span></div>\n"
    "<canvas id=\"timeline-canvas\" tabindex=\"0\" role=\"application\" aria-label=\"Timeline of all events: arrow keys "
    "move, plus and minus zoom, Enter tells the event under the pointer or the next one\"></canvas>\n"
    "<div class=\"told\" id=\"timeline-told\" aria-live=\"polite\"></div>\n"
    "<ul class=\"key\" id=\"timeline-key\"></ul>\n"
    "<p class=\"aside\">Drag to move, Ctrl and the wheel to zoom, Shift and drag to measure, a click for an event, a double "
    "click to zoom to it, a click on a lane's name folds it. Keys: a d w s or arrows, n, t, 0, Esc.</p>\n"
    "<div id=\"timeline-ranks\"></div></div>\n";

static const struct page_first first_screen = {
    .title = S("What bounds a step, and what to do"),
    .link = S("What bounds a step"),
    .words = "summary",
    .figures = "parts",
    .things = S("What to do first"),
    .no_things = S("Nothing was found that would be worth a change."),
    .most_things = 3,
};

void timeline_part_open(const struct page_trace *const *traces, uint32_t count, struct timeline_part *part)
{
    *part = (struct timeline_part){0};
    part->counts = page_timeline(traces, count, &part->data);
    buf_add(&part->markup, str_of(tools));
    if (part->counts.traces < count)
        buf_printf(&part->markup,
                   "<p>The timeline has the first %u of %u traces: with more it would have over %d events.</p>\n",
                   part->counts.traces, count, PAGE_MOST_EVENTS);
    part->part = (struct page_part){
        .first = &first_screen,
        .id = S("timeline"),
        .title = S("Timeline"),
        .markup = buf_str(&part->markup),
        .data = buf_str(&part->data),
        .packed = packed(),
        .packed_count = PACKED,
        .next = flame_part(),
    };
}

void timeline_part_close(struct timeline_part *part)
{
    buf_free(&part->markup);
    buf_free(&part->data);
}
