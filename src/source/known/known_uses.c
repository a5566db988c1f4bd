/* SPDX-License-Identifier: Apache-2.0 */
#include "known_uses.h"

/* Names that blanks part: qualified ones; those that end in a dot are prefixes. */
struct row {
    enum use use;
    const char *names;
};

/* In order: the first row that fits counts. */
static const struct row functions[] = {
    {USE_RESULT, "float int bool complex str repr format round abs max min str.format str.join"},
    {USE_SHAPE, "len isinstance issubclass id type callable hasattr"},
    {USE_PYTHON, "list tuple set frozenset sorted reversed zip enumerate map filter sum any all iter next dict"},
    {USE_SIZE, "range torch.zeros torch.arange"},
    {USE_SHOWN, "print logging. wandb. mlflow. warnings.warn"},
    {USE_NUMPY, "numpy. scipy. sklearn. pandas. cv2. PIL. math. statistics."},
};

/* Methods of whatever object, by their last name. */
static const struct row methods[] = {
    {USE_SHOWN, "print set_postfix set_postfix_str set_description set_description_str add_scalar add_scalars "
                "add_histogram add_text add_image info debug warning error critical exception log log_dict log_metrics "
                "write"},
    {USE_KEPT, "append appendleft extend insert add update setdefault put put_nowait submit"},
};

static bool names_it(const char *names, str name)
{
    for (str rest = str_of(names), word; str_cut(&rest, ' ', &word);)
        if (str_ends(word, S(".")) ? str_starts(name, word) : str_eq(name, word))
            return true;
    return false;
}

static enum use among(const struct row *rows, size_t count, str name)
{
    for (size_t i = 0; name.len && i < count; i++)
        if (names_it(rows[i].names, name))
            return rows[i].use;
    return USE_UNKNOWN;
}

enum use known_use_of_function(str qualified)
{
    return among(functions, sizeof functions / sizeof *functions, qualified);
}

enum use known_use_of_method(str name)
{
    return among(methods, sizeof methods / sizeof *methods, name);
}
