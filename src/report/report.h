/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result as a neutral document: sections of values, tables, figures, and a
 * list of findings. It knows no trace and no analysis; a renderer knows only
 * this. Everything lives in the arena given at the start; texts are not copied
 * unless said, so they must live as long (report_arena helps).
 *
 * Ids are stable words ([a-z0-9_]) that scripts rely on; titles are for people.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum unit {
    UNIT_NONE,
    UNIT_NS,
    UNIT_US,
    UNIT_MS,
    UNIT_BYTES,
    UNIT_FLOP,
    UNIT_RATIO,
    UNIT_COUNT,
    UNIT_BYTES_PER_S,
    UNIT_FLOP_PER_S
};

str unit_word(enum unit unit); /* "ns", "ratio"; of a rate that of its amount; "" for UNIT_NONE */

enum cell_kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT };

struct cell {
    enum cell_kind kind;
    union {
        int64_t i;
        double real;
        str text;
    };
};

static inline struct cell cell_null(void)
{
    return (struct cell){.kind = CELL_NULL};
}
static inline struct cell cell_int(int64_t i)
{
    return (struct cell){.kind = CELL_INT, .i = i};
}
static inline struct cell cell_real(double real)
{
    return (struct cell){.kind = CELL_REAL, .real = real};
}
/* The nearest whole number; NaN: null. */
struct cell cell_rounded(double real);
static inline struct cell cell_text(str text)
{
    return (struct cell){.kind = CELL_TEXT, .text = text};
}

/* What may be unknown: a text of no bytes, a whole number below 0, one that was not recorded, a part of nothing are null. */
static inline struct cell cell_text_or_null(str text)
{
    return text.len ? cell_text(text) : cell_null();
}
static inline struct cell cell_int_or_null(int64_t i)
{
    return i >= 0 ? cell_int(i) : cell_null();
}
static inline struct cell cell_int_if(bool known, int64_t i)
{
    return known ? cell_int(i) : cell_null();
}
static inline struct cell cell_ratio(double part, double whole)
{
    return whole > 0 ? cell_real(part / whole) : cell_null();
}

/*
 * What is no number is not shown as one. A real that is NaN is unknown, which is null. An infinite one, and an amount (of
 * any unit) at an end of the range of 64 bits, where sums stop (base/sum.h), are null too, and a warning says which.
 */

struct report;
struct section;
struct table;

/* ---- the document ---- */

struct report *report_new(struct arena *arena, str command);
struct arena *report_arena(struct report *report);

/* Where the steps of an input come from, and how regular they are. */
struct report_steps {
    str source;  /* an id; "" where the input has no steps to speak of */
    str name;    /* of what tells them; "" */
    str words;   /* the whole of it, for people */
    bool marked; /* as everyone expects: nothing to tell on a screen */
    int64_t count;
    double spread, variation, covered; /* ratios; below 0: none */
};

struct report_input {
    str path, format;
    int64_t events, bytes, repaired, dropped;
    struct report_steps steps;
};
void report_input(struct report *report, struct report_input input);

/* What a screen says of the steps of all inputs; "" where it is as everyone expects. */
str report_steps_words(const struct report *report);
void report_warning(struct report *report, str path, int64_t offset, str message); /* offset -1: none */
/* The same for what the head of the screen says already: it is not said there again. */
void report_warning_in_head(struct report *report, str path, str message);

/* Sections appear in the order in which they are first asked for. The title of the first call counts. */
struct section *report_section(struct report *report, const char *id, const char *title);

/* The section is about the whole: for people its texts stand in the head, and it is no table that csv may mean. */
void section_in_head(struct section *section);
/* Takes that back: where it is one of many parts, and its texts belong to its own title. */
void section_below_head(struct section *section);

/* A line or paragraph for people under the section's title (term, html; not json, csv). */
void section_text(struct section *section, str text);
void section_value(struct section *section, const char *id, const char *title, enum unit unit, struct cell value);
/* The same for programs alone (json, csv): what says nothing to people here. */
void section_detail(struct section *section, const char *id, const char *title, enum unit unit, struct cell value);
/* A detail where it is null: for what people need not hear of that there is none. */
void section_value_if_any(struct section *section, const char *id, const char *title, enum unit unit,
                          struct cell value);

/* ---- tables: columns first, then rows cell by cell ---- */

enum column_flag {
    COLUMN_PLAIN = 0,
    COLUMN_DETAIL = 1,  /* json and csv only; left out on a terminal */
    COLUMN_WIDE = 2,    /* may be shortened on a terminal (names) */
    COLUMN_BAR = 4,     /* a ratio drawn as a small bar beside its number */
    COLUMN_ALIKE = 8,   /* in the measure of the column before, so that the two compare by eye */
    COLUMN_ANSWER = 16, /* what the table is read for: the last to go where a terminal is too narrow */
    /*
     * The rows are parts of a whole, and this is how large each is: a ratio of 1, any other unit of the column's sum.
     * People see rows below 0.1 % as one, with their sum; all of them with --rows 0. json and csv have them as any.
     */
    COLUMN_PART = 32,
    COLUMN_SUM = 64,    /* adds up: the row that stands for small ones has its sum */
    COLUMN_WORDS = 256, /* ids: people see blanks for their underscores */
    COLUMN_EXACT = 512, /* people see its numbers as they are, with no measure in the heading: json tells the unit */
    COLUMN_WRAP = 128, /* sentences: on a terminal they go on in further lines where they do not fit, and are not cut */
};

struct table *section_table(struct section *section, const char *id, const char *title);

/* A column as data: json tells its definition, --explain prints it, and doc/numbers is held to it. */
struct column_spec {
    const char *id, *title;
    enum unit unit;
    unsigned flags;         /* enum column_flag */
    const char *definition; /* one line: what the numbers are, or how they are computed */
};
void table_column(struct table *table, struct column_spec spec);
void table_columns(struct table *table, const struct column_spec *specs); /* up to a zeroed one */

void table_row(struct table *table); /* begins a row */
void table_cell(struct table *table,
                struct cell cell); /* the next cell of the row; a row must be full when the next begins */
void table_int(struct table *table, int64_t value);
void table_real(struct table *table, double value);
void table_text(struct table *table, str text);
void table_null(struct table *table);
/* People, too, see columns in which nothing stands; else these are left out. */
void table_all_columns(struct table *table);
/* What the rows are parts of, where neither unit nor sum of the column tells: its size, and what it is ("the step"). */
void table_whole(struct table *table, double whole, str words);
/* The rows are parts of different wholes (devices, ranks): their shares do not add up. */
void table_several_wholes(struct table *table);
void table_json_only(struct table *table); /* detail: not on a terminal unless asked for by --table */

/*
 * Rows that are made when somebody shows them, in the place of table_row: `fill` gives the cells of one, once the columns
 * are set. Its texts live as long as the report.
 */
typedef void row_fill_fn(const void *context, uint32_t row, struct cell *cells);
void table_drawn(struct table *table, uint32_t rows, row_fill_fn *fill, const void *context);

/*
 * Rows beyond what memory should hold. `next` fills the cells of the row that comes, and returns false behind the last;
 * `again` goes back to the first. json and csv write the rows of the stream. The others show those added by table_row,
 * which should then be the first of the stream.
 */
struct row_stream {
    bool (*next)(void *context, struct cell *cells);
    void (*again)(void *context);
    void *context;
};
void table_stream(struct table *table, struct row_stream stream);

/* ---- figures draw columns of a table ---- */

enum figure_kind { FIGURE_BAR, FIGURE_STACK, FIGURE_LINE, FIGURE_CDF, FIGURE_LANES, FIGURE_ROOFLINE };

/*
 * kind over table: x names a column (labels), y a column of numbers. FIGURE_STACK: one bar, a piece a row. FIGURE_LANES:
 * x is the lane, y where a span begins, and the column after y where it ends. FIGURE_ROOFLINE: x is
 * arithmetic a byte, y what was reached a second; the two columns after y are the peaks of arithmetic and of memory, the next
 * the time; the first column of the table is the name. Lines of one section over the same x in
 * the same unit may share a chart.
 */
void section_figure(struct section *section, const char *id, enum figure_kind kind, const char *table_id, const char *x,
                    const char *y);

/* The same, not on a terminal: where one screen has no room for all that a page has. */
void section_page_figure(struct section *section, const char *id, enum figure_kind kind, const char *table_id,
                         const char *x, const char *y);

/* ---- findings ---- */

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* A part of a rewrite: the text that takes the place of a range of the file; columns count UTF-16 units. */
struct finding_edit {
    int64_t line, column, end_line, end_column;
    str text;
};

/* What a finding rests on, each with the places that show it, from the origin on. */
enum finding_link_kind { FINDING_DEVICE, FINDING_PACE, FINDING_GAIN, FINDING_LINKS };
/* Something speaks against it; nothing does, and nothing shows it to its end; it is shown. */
enum finding_holds { FINDING_HOLDS_NOT, FINDING_HOLDS_OPEN, FINDING_HOLDS };

struct finding_place {
    str file;
    int64_t line;
    str what;
    int64_t cell;         /* of a notebook, in which the line counts; 0: of no notebook */
    int64_t line_in_file; /* of a notebook */
};

/* "broken", "open", "held". */
str finding_holds_word(enum finding_holds holds);
/* "device", "pace", "gain". */
str finding_link_word(enum finding_link_kind kind);

struct finding_link {
    enum finding_holds holds;
    str text;
    const struct finding_place *places;
    uint32_t count;
};

/* A range of a file; columns count UTF-16 units. */
struct finding_region {
    int64_t line, column, end_line, end_column;
};

/* A place of a finding that has several, as the finding's own: columns count bytes. */
struct finding_spot {
    str rule;               /* that sees it there */
    enum severity severity; /* what it would be alone */
    int64_t line, column, end_line, end_column, cell;
};

/* Every field may be unknown: "" for texts, 0 for lines, -1 for ns, NULL for events. */
struct finding {
    str id;   /* unique in the document */
    str rule; /* "SM101" */
    enum severity severity;
    str tier;    /* confirmed, function, static, trace, dry */
    str message; /* one sentence: what, how much, what to do */
    str file;
    int64_t line, column, end_line, end_column; /* from 1; columns in bytes */
    int64_t cell;                               /* of a notebook, whose lines these are; 0: of no notebook */
    struct finding_region in_file;              /* of a notebook: where that stands in the file; zeroed: as above */
    int64_t per_step_host_blocked_ns, per_step_saving_ns;
    str fix; /* safe, unsafe, none */
    const uint32_t *events;
    uint32_t event_count;
    str excerpt;                      /* the line of the source that it begins in */
    bool suppressed;                  /* by a comment: told where a format has a word for it (sarif), nowhere else */
    str reason;                       /* of the comment */
    const struct finding_edit *edits; /* what the fix would do, where it is known */
    uint32_t edit_count;
    const struct finding_link *proof; /* FINDING_LINKS of them; NULL: none is known */
    bool proof_shown;                 /* to people as well */
    const struct finding_spot *spots; /* all its places, its own first, where it has several of one cause; NULL */
    uint32_t spot_count;
};
void report_finding(struct report *report, const struct finding *finding);

/* What saves most first; what is not known to save anything keeps its order behind. */
void report_rank_findings(struct report *report);

/* What a rule is about, for who reads its findings. */
struct finding_rule {
    str id, name;
    str brief; /* a few words */
    str why;   /* a few sentences */
    str help;  /* all there is to say, as Markdown */
    str uri;   /* where that is to be read; "" */
    enum severity severity;
};
void report_rule(struct report *report, const struct finding_rule *rule);
/* A file of source that was read: in one that has no finding '--explain FILE:LINE' says so. */
void report_source(struct report *report, str path);

/* ---- rendering: one file a format, one row a format in render.c ---- */

struct writer; /* text out, checked: see io/writer.h */

/* A style or script of the program's own, which travels packed. */
struct page_packed {
    str text;
    const char *sha256; /* of a script: its digest, for the page's policy; NULL: a style */
};

/* The first screen of a page: the texts of one section, the findings that come first, and the figures of another. */
struct page_first {
    str title, link;             /* link: in the list of contents */
    const char *words, *figures; /* ids of the sections */
    str things, no_things;       /* heading of the findings; what is said where there is none */
    uint32_t most_things;
};

/*
 * What a page has beside the sections (html alone): behind the first screen a part of its own, whose markup, styles and
 * scripts are trusted, with data, any bytes, that the scripts find unpacked. All that stands behind the first screen of such a page is
 * packed in it (html_packed.c): without scripts the first screen is all that there is.
 */
struct page_part {
    const struct page_first *first; /* of the first part alone */
    str id, title, markup, data;
    const struct page_packed *packed;
    uint32_t packed_count;
    const struct page_part *next; /* one more, that uses the same data; of it the first screen is not asked */
};

struct render_options {
    bool colour;                  /* ANSI colours */
    bool unicode;                 /* block characters for bars */
    unsigned width;               /* columns of the terminal; 0: unlimited */
    str table;                    /* only this table, "" for all */
    uint32_t rows;                /* most rows of a table on a terminal; 0: all */
    str version;                  /* of the program, as json tells it */
    const struct page_part *part; /* NULL: none */
};

struct steptime_error;
/*
 * format is "term", "json", "csv", "html", "sarif", "github" or "markdown". False with STEPTIME_USAGE: an unknown format, a table that does not exist, or one
 * to be named because the format holds a single one (csv). Whether the bytes arrived is for writer_close to say.
 */
bool report_render(const struct report *report, str format, const struct render_options *options, struct writer *out,
                   struct steptime_error *err);

/* Whether what report_render writes has the warnings in it: csv never, a terminal not where a single table is shown. */
bool report_tells_warnings(str format, const struct render_options *options);

uint32_t report_warning_count(const struct report *report);
str report_warning_line(const struct report *report, uint32_t i, struct arena *arena); /* "FILE: byte 12: what" */

#endif
