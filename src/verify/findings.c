/* SPDX-License-Identifier: Apache-2.0 */
/* What is behind each finding of `steptime verify`. */
#include "verify.h"

const struct finding_words verify_words[] = {
    {"VF101", "losses-differ", SEVERITY_ERROR, "a loss is further off than the tolerance allows",
     "With the same seed the changed script computes another loss, so it is not the same training. Where the first "
     "script differs from itself too, it draws numbers that no seed governs.",
     "Look at the first step that differs. `--rtol` and `--atol` set the tolerance."},
    {"VF102", "number-of-losses", SEVERITY_ERROR, "one script computes more losses than the other",
     "One of them takes more steps, or ends early.", "Give both the same number of steps (`--steps`)."},
    {"VF103", "saved-tensors-differ", SEVERITY_ERROR, "what the scripts save does not agree",
     "The losses may agree while a parameter that none of them depends on does not.",
     "Look at the tensor that is named; the keys of both must be the same."},
    {"VF201", "slower", SEVERITY_WARNING, "the ratio of step times is below 1 with 95 % confidence",
     "The changed script takes longer for a step. Times of a busy machine are noisy.",
     "Repeat on an idle machine (`--repeat`), or keep the first script."},
    {0},
};
