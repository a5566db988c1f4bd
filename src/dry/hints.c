/* SPDX-License-Identifier: Apache-2.0 */
#include "hints.h"

static const char fetch[] =
    "nothing is downloaded in a dry run: fetch it first, lay a small file there, or see --batch-shape";

static const struct {
    const char *in; /* the error's words */
    const char *hint;
} hints[] = {
    {"DynamicOutputShape", "its result has as many elements as its values say, and nobody knows these"},
    {"DataDependentOutput", "its result depends on values that nobody knows"},
    {"UnsupportedOperator", "that operator has no meta kernel, which would say the shape of its result"},
    {"UnsupportedFakeTensor", "that operator cannot be run without data"},
    {"OfflineMode", fetch},
    {"LocalEntryNotFound", fetch},
    {"couldn't connect to", fetch},
    {"FileNotFoundError", "it reads data that is not there: lay a small file of that kind there, or let --batch-shape "
                          "say what its loaders hand out"},
    {"goes before a package of that name", "where another is meant, rename it"},
    {"ModuleNotFoundError", "install that package for this Python"},
    {"ImportError", "install that package for this Python"},
    {"ConnectionError", fetch},
    {"URLError", fetch},
    {"urlopen error", fetch},
    {"HTTPError", fetch},
    {"Name or service not known", fetch},
    {"name resolution", fetch},
    {"environment variable RANK", "a job of several ranks: say how many with --ranks N"},
    {"torch.distributed", "a job of several ranks: say how many with --ranks N"},
    {"process group", "a job of several ranks: say how many with --ranks N"},
    {"KeyError: 'WORLD_SIZE'", "a job of several ranks: say how many with --ranks N"},
    {"not linked with support for cuda", "it wants a GPU, and is told that there is none: name one"},
    {"not compiled with CUDA enabled", "it wants a GPU, and is told that there is none: name one"},
    {"can't allocate memory", "that is more memory than the machine has free"},
    {"Unable to allocate", "that is more memory than the machine has free"},
    {"no NVIDIA driver", "a part of PyTorch that dry runs do not stand in for"},
};

const char *dry_hint(str words)
{
    if (str_has(words, S("--ranks")))
        return NULL;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (str_has(words, str_of(hints[i].in)))
            return hints[i].hint;
    return NULL;
}
