/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the inputs: those taken, what was mended, what was skipped and why, and what is missing. */
#include "base/buf.h"
#include "base/error.h"
#include "inputs.h"

enum { MOST_REASONS = 8, MOST_NAMES = 4 }; /* told of a folder; what is beyond is counted */

/* ---- folders ---- */

static uint32_t usable_in(const struct inputs *inputs, int64_t folder)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        count += inputs->files[i].folder == folder && inputs->files[i].state != INPUT_SKIPPED;
    return count;
}

/* What makes a folder no input; NULL of one with a trace. */
static const char *why_folder(const struct inputs *inputs, int64_t folder)
{
    const struct listed_folder *listed = &inputs->list.folders[folder];
    return listed->why ? listed->why : usable_in(inputs, folder) ? NULL : "there is no trace in this directory";
}

/* ---- one by one ---- */

/* The report outlives the inputs. */
static void warn(struct report *report, const char *path, int64_t offset, str message)
{
    struct arena *arena = report_arena(report);
    report_warning(report, str_copy(arena, str_of(path)), offset, str_copy(arena, message));
}

static void tell_remarks(const struct input_file *file, struct report *report)
{
    for (const struct input_remark *at = file->remarks; at; at = at->next)
        warn(report, file->path, at->offset, at->message);
}

static void tell_skipped(const struct input_file *file, struct report *report)
{
    warn(report, file->path, file->error.offset, str_of(file->error.message));
}

static void tell_about(struct report_input about, struct report *report)
{
    about.path = str_copy(report_arena(report), about.path);
    about.format = str_copy(report_arena(report), about.format);
    report_input(report, about);
}

static void tell_taken(const struct inputs *inputs, struct report *report)
{
    for (uint32_t i = 0; i < inputs->taken; i++) {
        tell_about(inputs->at[i]->about, report);
        tell_remarks(inputs->at[i], report);
    }
}

static void tell_named(const struct inputs *inputs, struct report *report)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].state == INPUT_SKIPPED && inputs->files[i].folder == LISTED_NAMED)
            tell_skipped(&inputs->files[i], report);
}

/* Files of a folder that were skipped for one reason. */
struct group {
    const struct input_file *first;
    struct buf names; /* of the next few */
    uint32_t more;    /* than the first */
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool same_reason(const struct input_file *a, const struct input_file *b)
{
    return a->error.offset == b->error.offset && !strcmp(a->error.message, b->error.message);
}

/* False where there are too many reasons. */
static bool add_to_group(struct group groups[MOST_REASONS], const struct input_file *file)
{
    uint32_t i = 0;
    while (i < MOST_REASONS && groups[i].first && !same_reason(groups[i].first, file))
        i++;
    if (i == MOST_REASONS)
        return false;
    if (!groups[i].first)
        groups[i].first = file;
    else if (groups[i].more++ < MOST_NAMES)
        buf_printf(&groups[i].names, "%s%s", groups[i].names.len ? ", " : "", base_of(file->path));
    return true;
}

static void tell_group(struct group *group, struct report *report)
{
    struct arena *arena = report_arena(report);
    const struct input_file *file = group->first;
    const str rest = group->more > MOST_NAMES ? str_printf(arena, " and %u more", group->more - MOST_NAMES) : S("");
    const str same = group->more ? str_printf(arena, "; the same of %.*s%.*s", (int)group->names.len, group->names.at,
                                              (int)rest.len, rest.at)
                                 : S("");
    warn(report, file->path, file->error.offset,
         str_printf(arena, "%s%.*s", file->error.message, (int)same.len, same.at));
    buf_free(&group->names);
}

static void tell_folder(const struct inputs *inputs, int64_t folder, struct report *report)
{
    const char *why = why_folder(inputs, folder), *path = inputs->list.folders[folder].path;
    struct group groups[MOST_REASONS] = {0};
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].folder == folder && inputs->files[i].state == INPUT_SKIPPED)
            beyond += !add_to_group(groups, &inputs->files[i]);
    for (uint32_t i = 0; i < MOST_REASONS && groups[i].first; i++)
        tell_group(&groups[i], report);
    if (beyond)
        warn(report, path, -1,
             str_printf(report_arena(report), "%u more files of this directory cannot be used", beyond));
    if (why)
        warn(report, path, -1, str_of(why));
}

/* ---- all together ---- */

static void tell_job(const struct inputs *inputs, struct report *report)
{
    struct arena scratch = {0};
    struct job_member *members = arena_array(&scratch, inputs->count, sizeof *members);
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].is_member && inputs->files[i].state != INPUT_SKIPPED)
            members[count++] = inputs->files[i].member;
    const str contradiction = job_contradiction(members, count, report_arena(report));
    const str missing = job_missing(members, count, report_arena(report));
    if (contradiction.len)
        report_warning(report, S(""), -1, contradiction);
    if (missing.len)
        report_warning(report, S(""), -1, missing);
    arena_free(&scratch);
}

void inputs_tell(const struct inputs *inputs, struct report *report)
{
    if (!inputs->asked->apart)
        tell_job(inputs, report);
    tell_taken(inputs, report);
    tell_named(inputs, report);
    for (uint32_t i = 0; i < inputs->list.folder_count; i++)
        tell_folder(inputs, i, report);
}

/* ---- whether all that was named could be used ---- */

bool inputs_whole(const struct inputs *inputs, struct steptime_error *err)
{
    for (uint32_t i = inputs->list.folder_count; i--;) {
        const char *why = why_folder(inputs, i);
        if (why)
            return fail_at(err, STEPTIME_INPUT, str_of(inputs->list.folders[i].path), -1, "%s", why);
    }
    for (uint32_t i = inputs->count; i--;) {
        const struct input_file *file = &inputs->files[i];
        if (file->state == INPUT_SKIPPED && file->folder == LISTED_NAMED) {
            *err = file->error;
            return false;
        }
    }
    return true;
}
