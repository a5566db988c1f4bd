/* SPDX-License-Identifier: Apache-2.0 */
#include "html_plot.h"

#include <math.h>

#include "glyph.h"

/* ---- frame ---- */

double plot_width(const struct html *html)
{
    return html->narrow ? PLOT_NARROW : PLOT_WIDTH;
}

void plot_figure(struct html *html, const char *kind, str title)
{
    html_put(html, "<figure class=\"plot %s\">", kind);
    html_element(html, "figcaption", title);
}

void plot_open(struct html *html, double height, str title, str told, bool alone)
{
    const uint32_t id = ++html->figures;
    html_put(html, "<svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"f%u f%u-told\">",
             alone          ? "alone"
             : html->narrow ? "narrow"
                            : "wide",
             plot_width(html), height, id, id);
    html_put(html, "<title id=\"f%u\">", id);
    html_text(html, title);
    html_put(html, "</title><desc id=\"f%u-told\">", id);
    html_text(html, told);
    html_put(html, "</desc>\n");
}

void plot_close(struct html *html)
{
    html_put(html, "</svg>\n");
}

void plot_end(struct html *html)
{
    html_put(html, "</figure>\n");
    html->narrow = false;
}

void plot_label(struct html *html, const char *class, const char *anchor, double x, double y, str text)
{
    html_put(html, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, anchor, x, y);
    html_text(html, text);
    html_put(html, "</text>");
}

/* ---- labels that keep off each other ---- */

static struct plot_box box_of(const struct plot_place *place, str text)
{
    enum { ASCENT = 10, DESCENT = 3 };
    const double width = glyph_width(text) * PLOT_LETTER;
    const double left = *place->anchor == 's'   ? place->x
                        : *place->anchor == 'e' ? place->x - width
                                                : place->x - width / 2;
    return (struct plot_box){left, left + width, place->y - ASCENT, place->y + DESCENT};
}

static bool is_free(const struct html *html, const struct plot_labels *labels, struct plot_box box)
{
    if (box.left < 0 || box.right > plot_width(html) || box.top < 0)
        return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct plot_box *other = &labels->taken[i];
        if (box.left < other->right && other->left < box.right && box.top < other->bottom && other->top < box.bottom)
            return false;
    }
    return true;
}

bool plot_label_free(struct html *html, struct plot_labels *labels, const char *class, const struct plot_place *places,
                     uint32_t count, str text)
{
    for (uint32_t i = 0; i < count && labels->count < PLOT_LABELS; i++) {
        const struct plot_box box = box_of(&places[i], text);
        if (!is_free(html, labels, box))
            continue;
        labels->taken[labels->count++] = box;
        plot_label(html, class, places[i].anchor, places[i].x, places[i].y, text);
        return true;
    }
    return false;
}

/* No pointer rests on a telephone. */
void plot_tip(struct html *html, str text)
{
    if (!html->narrow)
        html_element(html, "title", text);
}

str plot_entry(struct html *html, str label, enum unit unit, double number, bool whole)
{
    const str value = measure_whole_text(html->arena, unit, number, whole);
    return str_printf(html->arena, "%.*s: %.*s", (int)label.len, label.at, (int)value.len, value.at);
}

void plot_key_open(struct html *html)
{
    html_put(html, "<ul class=\"key\">");
}

void plot_key_entry(struct html *html, uint32_t colour, str label, str more)
{
    html_put(html, "<li><i class=\"mark\" style=\"background:var(--c%u)\"></i>", colour % HTML_PALETTE);
    html_text(html, label);
    if (more.len)
        html_element(html, "b", more);
    html_put(html, "</li>");
}

void plot_key_close(struct html *html)
{
    html_put(html, "</ul>");
}

/* ---- axes ---- */

/* The least of 1, 2, 5, 10, 20 ... that is not below. */
static double round_up(double value)
{
    const double tens = pow(10, floor(log10(value)));
    const double digits[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (digits[i] * tens >= value * (1 - 1e-9))
            return digits[i] * tens;
    return 10 * tens;
}

/* So that differences of the largest doubles are still numbers. */
static double within_reach(double value)
{
    return fmax(fmin(value, 1e300), -1e300);
}

struct axis axis_of(enum unit unit, bool whole, double least, double largest, int ticks)
{
    least = within_reach(least);
    largest = within_reach(largest);
    struct axis axis = {.measure = measure_for(unit, fmax(fabs(least), fabs(largest)), whole)};
    const double per = axis.measure.per, span = largest > least     ? largest - least
                                                : fabs(largest) > 0 ? fabs(largest)
                                                                    : 1;
    double step = round_up(span / per / ticks);
    if (whole && axis.measure.decimals == 0 && step < 1)
        step = 1;
    axis.step = step * per;
    axis.low = floor(least / axis.step + 1e-9) * axis.step;
    axis.high = ceil(largest / axis.step - 1e-9) * axis.step;
    if (axis.high <= axis.low)
        axis.high = axis.low + axis.step;
    const double decimals = -floor(log10(step) + 1e-9);
    axis.measure.decimals = decimals > 0 ? decimals < 9 ? (int)decimals : 9 : 0;
    return axis;
}

double axis_at(const struct axis *axis, double value)
{
    value = within_reach(value);
    const double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                  : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

static str tick_text(struct html *html, const struct axis *axis, double value)
{
    return measure_text(html->arena, &axis->measure, fabs(value) < axis->step / 1e6 ? 0 : value);
}

str axis_title(struct html *html, const struct axis *axis, str title)
{
    const str word = axis->measure.word;
    if (!word.len)
        return title;
    return str_printf(html->arena, "%.*s (%.*s)", (int)title.len, title.at, (int)word.len, word.at);
}

enum { MOST_TICKS = 64 }; /* more would be a mistake in a step */

void axis_put_left(struct html *html, const struct axis *axis, double x, double right, str title)
{
    for (int i = 0; i < MOST_TICKS; i++) {
        const double value = axis->low + i * axis->step;
        if (value > axis->high + axis->step / 2)
            break;
        const double y = axis_at(axis, value);
        html_put(html, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, right, y, y);
        plot_label(html, "tick", "end", x - 6, y + 4, tick_text(html, axis, value));
    }
    if (title.len)
        plot_label(html, "axis", "start", 4, PLOT_TOP - 2, axis_title(html, axis, title));
    html_put(html, "\n");
}

void axis_put_below(struct html *html, const struct axis *axis, double y, double foot, str title)
{
    for (int i = 0; i < MOST_TICKS; i++) {
        const double value = axis->low + i * axis->step;
        if (value > axis->high + axis->step / 2)
            break;
        const double x = axis_at(axis, value);
        html_put(html, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x, y, foot);
        plot_label(html, "tick", "middle", x, foot + 15, tick_text(html, axis, value));
    }
    if (title.len)
        plot_label(html, "axis", "middle", (axis->from + axis->to) / 2, foot + 34, axis_title(html, axis, title));
    html_put(html, "\n");
}
