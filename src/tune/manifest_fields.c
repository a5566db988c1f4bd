/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest_fields.h"

#include "manifest.h"

static const char *const phase_words[] = {
    [TUNE_BEGUN] = "begun", [TUNE_RECORDED] = "recorded", [TUNE_STEADY] = "steady", [TUNE_MEASURED] = "measured", NULL};
static const char *const kind_words[] = {[FIX_NONE] = "none", [FIX_SAFE] = "safe", [FIX_UNSAFE] = "unsafe", NULL};
static const char *const level_words[] = {
    [LEVEL_NOTE] = "note", [LEVEL_WARNING] = "warning", [LEVEL_ERROR] = "error", NULL};

#define OF_MANIFEST(member) offsetof(struct manifest, member)
const struct field manifest_fields[] = {
    {"steptime", FIELD_TEXT, OF_MANIFEST(steptime), NULL},
    {"phase", FIELD_WORD, OF_MANIFEST(phase), phase_words},
    {"script", FIELD_TEXT, OF_MANIFEST(options.script), NULL},
    {"root", FIELD_TEXT, OF_MANIFEST(root), NULL},
    {"trace", FIELD_TEXT, OF_MANIFEST(trace), NULL},
    {"trace_kept", FIELD_INT, OF_MANIFEST(trace_kept), NULL},
    {"python", FIELD_TEXT, OF_MANIFEST(python), NULL},
    {"torch", FIELD_TEXT, OF_MANIFEST(torch), NULL},
    {"device", FIELD_TEXT, OF_MANIFEST(device), NULL},
    {"processors", FIELD_INT, OF_MANIFEST(processors), NULL},
    {"spent_ns", FIELD_INT, OF_MANIFEST(spent_ns), NULL},
    {"settings_done", FIELD_BOOL, OF_MANIFEST(settings_done), NULL},
    {"settings_unseen", FIELD_BOOL, OF_MANIFEST(result.settings_unseen), NULL},
    {"settings_unsafe", FIELD_BOOL, OF_MANIFEST(result.settings_unsafe), NULL},
    {0},
};

#define OF_OPTIONS(member) offsetof(struct tune_options, member)
const struct field manifest_option_fields[] = {
    {"unsafe", FIELD_BOOL, OF_OPTIONS(unsafe), NULL},
    {"notes", FIELD_BOOL, OF_OPTIONS(notes), NULL},
    {"try", FIELD_BOOL, OF_OPTIONS(try_settings), NULL},
    {"try_batch", FIELD_BOOL, OF_OPTIONS(try_batch), NULL},
    {"write_settings", FIELD_BOOL, OF_OPTIONS(write_settings), NULL},
    {"processor_time", FIELD_BOOL, OF_OPTIONS(processor), NULL},
    {"rtol", FIELD_REAL, OF_OPTIONS(tolerance.relative), NULL},
    {"seed", FIELD_INT, OF_OPTIONS(seed), NULL},
    {"steps", FIELD_INT, OF_OPTIONS(steps), NULL},
    {"warmup", FIELD_INT, OF_OPTIONS(warmup), NULL},
    {"repeat", FIELD_INT, OF_OPTIONS(repeat), NULL},
    {"timeout_ns", FIELD_INT, OF_OPTIONS(limit_ns), NULL},
    {"budget_ns", FIELD_INT, OF_OPTIONS(budget_ns), NULL},
    {"copy_limit_bytes", FIELD_INT, OF_OPTIONS(most_copied), NULL},
    {0},
};

const struct field manifest_source_fields[] = {
    {"path", FIELD_TEXT, offsetof(struct source_file, path), NULL},
    {"sha256", FIELD_TEXT, offsetof(struct source_file, sha256), NULL},
    {"loaded", FIELD_BOOL, offsetof(struct source_file, loaded), NULL},
    {0},
};

#define OF_TRIAL(member) offsetof(struct trial, member)
const struct field manifest_trial_fields[] = {
    {"rule", FIELD_TEXT, OF_TRIAL(id), NULL},
    {"path", FIELD_TEXT, OF_TRIAL(rewrite.path), NULL},
    {"line", FIELD_INT, OF_TRIAL(rewrite.line), NULL},
    {"text", FIELD_TEXT, OF_TRIAL(rewrite.line_text), NULL},
    {"message", FIELD_TEXT, OF_TRIAL(rewrite.message), NULL},
    {"kind", FIELD_WORD, OF_TRIAL(rewrite.kind), kind_words},
    {"level", FIELD_WORD, OF_TRIAL(rewrite.level), level_words},
    {"outcome", FIELD_WORD, OF_TRIAL(outcome), outcome_words},
    {"why", FIELD_TEXT, OF_TRIAL(why), NULL},
    {"predicted_ns", FIELD_MAYBE, OF_TRIAL(rewrite.predicted.ns), NULL},
    {"predicted_low_ns", FIELD_MAYBE, OF_TRIAL(rewrite.predicted.low_ns), NULL},
    {"predicted_high_ns", FIELD_MAYBE, OF_TRIAL(rewrite.predicted.high_ns), NULL},
    {"predicted_step_ns", FIELD_MAYBE, OF_TRIAL(rewrite.predicted.step_ns), NULL},
    {"step_ns", FIELD_REAL, OF_TRIAL(step_ns), NULL},
    {"times_as_fast", FIELD_REAL, OF_TRIAL(pace.paired), NULL},
    {"low", FIELD_REAL, OF_TRIAL(pace.low), NULL},
    {"high", FIELD_REAL, OF_TRIAL(pace.high), NULL},
    {"repetitions", FIELD_INT, OF_TRIAL(repetitions), NULL},
    {"took_ns", FIELD_INT, OF_TRIAL(took_ns), NULL},
    {"setting", FIELD_TEXT, OF_TRIAL(setting), NULL},
    {"loader", FIELD_INT, OF_TRIAL(loader), NULL},
    {"by_mean", FIELD_BOOL, OF_TRIAL(by_mean), NULL},
    {0},
};

#define OF_RESULT(member) offsetof(struct tune_result, member)
const struct field manifest_whole_fields[] = {
    {"times_as_fast", FIELD_REAL, OF_RESULT(total.paired), NULL},
    {"low", FIELD_REAL, OF_RESULT(total.low), NULL},
    {"high", FIELD_REAL, OF_RESULT(total.high), NULL},
    {"before_ns", FIELD_REAL, OF_RESULT(before_ns), NULL},
    {"after_ns", FIELD_REAL, OF_RESULT(after_ns), NULL},
    {"equal", FIELD_BOOL, OF_RESULT(equal), NULL},
    {0},
};
