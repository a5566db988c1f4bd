/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel models: fitted on tables of measurements, held against them, shown. */
#include "base/error.h"
#include "cli/program/command.h"
#include "model_command.h"

static const struct {
    const char *word;
    bool (*run)(const struct call *call, struct steptime_error *err);
} verbs[] = {{"fit", model_fit}, {"eval", model_eval}, {"show", model_show}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static enum steptime_code run(const struct call *call, struct steptime_error *err)
{
    const char *word = call_argument_count(call) ? call_argument(call, 0) : "";
    for (int i = 0; i < VERBS; i++)
        if (!strcmp(word, verbs[i].word))
            return verbs[i].run(call, err) ? STEPTIME_OK : err->code;
    fail(err, STEPTIME_USAGE, "model fit, model eval or model show?");
    return err->code;
}

static const struct option options[] = {
    {"models", 0, "FILE", NULL, "Use the models of FILE, written by 'model fit', in the place of those built in."},
    {"into", 0, "DIR", NULL, "fit: write a file for each family, DIR/NAME.txt, instead of all to --output."},
    {"family", 0, "NAME", NULL, "fit: this family only. 'model show' lists them."},
    {"without", 0, "DEVICE", NULL, "fit: leave out the rows of this device, to see how well it is predicted unseen."},
    {"adapt", 0, NULL, NULL,
     "fit: the tables hold a few rows, ten will do, of a device that was not measured. The models as they are, with "
     "coefficients for that device that stay near those which would be carried to it."},
    {"hw", 0, "NAME|FILE", NULL, "The device of all rows, whatever they say. A name of 'steptime hw', or a file."},
    {"set", 0, "KEY=VALUE", NULL, "Another value for one figure of --hw, with its unit."},
    {0},
};

const struct command command_model = {
    .name = "model",
    .arguments = "fit|eval|show [TABLE...|FAMILY]",
    .brief = "fit, test and show the models of kernel time",
    .about =
        "fit reads tables of measured kernels (CSV, packed or not, a kernel a row: doc/models.md says which columns) and "
        "writes the coefficients of all families that they hold rows of, as text. Candidates are compared by "
        "cross-validation, for carrying over by leaving a whole device out; all are in the file with their errors. The "
        "same tables give the same file.\n\neval predicts every row of tables and says how far off that is, by operator "
        "and device: gmae is exp(mean(ln(|error| + 4e-4))).\n\nshow says what there is: families, groups, where their "
        "coefficients come from, and the errors of all that was tried. With the name of a family also the coefficients.",
    .examples = "steptime model show|what there is\n"
                "steptime model show gemm|with its coefficients\n"
                "steptime model eval measured.csv.gz|how far off the models are\n"
                "steptime model fit measured.csv.gz -o my-models.txt|fit again\n"
                "steptime model fit --adapt ten-rows.csv -o my-models.txt|make a new GPU known",
    .shared = SHARED_OUTPUT | SHARED_EXPLAIN,
    .options = options,
    .run = run,
};
