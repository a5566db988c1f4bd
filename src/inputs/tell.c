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

static void warn_in_head(struct report *report, const char *path, str message)
{
    struct arena *arena = report_arena(report);
    report_warning_in_head(report, str_copy(arena, str_of(path)), str_copy(arena, message));
}

/* Files that may be of the job: one that could not be read is counted. */
static bool may_be_several(const struct inputs *inputs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->count && count < 2; i++)
        count += !inputs->files[i].is_execution;
    return count == 2;
}

static void tell_remarks(const struct input_file *file, bool several, struct report *report)
{
    for (const struct input_remark *at = file->remarks; at; at = at->next) {
        if (at->of_several && !several)
            continue;
        if (at->in_head)
            warn_in_head(report, file->path, at->message);
        else
            warn(report, file->path, at->offset, at->message);
    }
}

static void tell_skipped(const struct input_file *file, struct report *report)
{
    warn(report, file->path, file->error->offset, str_of(file->error->message));
}

static void tell_about(struct report_input about, struct report *report)
{
    about.path = str_copy(report_arena(report), about.path);
    about.format = str_copy(report_arena(report), about.format);
    about.steps.name = str_copy(report_arena(report), about.steps.name);
    about.steps.words = str_copy(report_arena(report), about.steps.words);
    report_input(report, about);
}

static void tell_taken(const struct inputs *inputs, struct report *report)
{
    const bool several = may_be_several(inputs);
    for (uint32_t i = 0; i < inputs->taken; i++) {
        tell_about(inputs->at[i]->about, report);
        tell_remarks(inputs->at[i], several, report);
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
    return a->error->offset == b->error->offset && !strcmp(a->error->message, b->error->message);
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
    warn(report, file->path, file->error->offset,
         str_printf(arena, "%s%.*s", file->error->message, (int)same.len, same.at));
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

/* Bytes of the folder that all have in common; files are told apart by what follows. */
static size_t common_folder(const struct job_member *members, uint32_t count)
{
    size_t common = count ? members[0].path.len : 0;
    for (uint32_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < common && same < members[i].path.len && members[i].path.at[same] == members[0].path.at[same])
            same++;
        common = same;
    }
    while (common && members[0].path.at[common - 1] != '/')
        common--;
    return common;
}

static struct job_member *members_of(const struct inputs *inputs, uint32_t *count, struct arena *arena)
{
    struct job_member *members = arena_array(arena, inputs->count, sizeof *members);
    *count = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (inputs->files[i].is_member && inputs->files[i].state != INPUT_SKIPPED && !inputs->files[i].copied)
            members[(*count)++] = inputs->files[i].member;
    const size_t common = common_folder(members, *count);
    for (uint32_t i = 0; i < *count; i++)
        members[i].path = str_from(members[i].path, common);
    return members;
}

/* Ranks may differ in what they ran on and be one job all the same. */
static bool may_be_a_job(const struct doubts *doubts, uint32_t from)
{
    for (uint32_t i = from; i < doubts->count; i++)
        if (strcmp(doubts->at[i].id, "ranks_differ") != 0)
            return false;
    return true;
}

/* Of a rank that is there twice one recording is taken. */
static void doubt_copies(const struct inputs *inputs, struct doubts *doubts)
{
    const struct input_file *first = NULL;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        first = first || !inputs->files[i].copied ? first : &inputs->files[i];
        copies += inputs->files[i].copied != NULL;
    }
    if (!first)
        return;
    const str what =
        str_printf(doubts->arena, "%s records rank %lld, as %s does%s: left out", first->path,
                   (long long)first->member.rank, first->copied->path, copies > 1 ? ", and others are copies too" : "");
    doubts_add(doubts, (struct doubt){"ranks_doubled", what, copies, (double)copies / inputs->count, false});
}

/* What files of one job say against each other. */
static void doubt_job(const struct inputs *inputs, struct doubts *doubts)
{
    doubt_copies(inputs, doubts);
    struct arena scratch = {0};
    uint32_t count;
    const struct job_member *members = members_of(inputs, &count, &scratch);
    const uint32_t before = doubts->count;
    job_contradictions(members, count, doubts);
    if (may_be_a_job(doubts, before)) {
        job_missing(members, count, doubts);
        job_apart(members, count, doubts);
        job_settings(members, count, doubts);
    }
    arena_free(&scratch);
}

/* The head says it, too, but those who look for warnings find it there. */
static void tell_job(const struct inputs *inputs, struct report *report)
{
    struct doubts doubts = {.arena = report_arena(report)};
    doubt_job(inputs, &doubts);
    const str no_job = doubts_no_job(&doubts);
    if (no_job.len)
        warn_in_head(report, "", no_job);
    for (uint32_t i = 0; i < doubts.count && inputs->count > 1; i++)
        if (!doubts.at[i].no_job)
            warn_in_head(report, "", doubts.at[i].what);
}

void inputs_trust(const struct inputs *inputs, struct trust *trust)
{
    for (uint32_t i = 0; i < inputs->taken; i++)
        if (inputs->at[i]->is_member)
            trust_add(trust, &inputs->at[i]->trust);
    if (!inputs->asked->apart || inputs->taken == 1) /* that it is alone can be said of any */
        doubt_job(inputs, &trust->job);
}

void inputs_tell_trust(const struct inputs *inputs, struct report *report)
{
    struct trust trust = {.job.arena = report_arena(report)};
    inputs_trust(inputs, &trust);
    trust_show(&trust, report);
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
            *err = *file->error;
            return false;
        }
    }
    return true;
}
