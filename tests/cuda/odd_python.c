/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: Python says that it is the version in ODD_PYTHON. So the recorder takes its fields to lie where they do not. */
#include <stdlib.h>

__attribute__((visibility("default"))) const char *Py_GetVersion(void);

const char *Py_GetVersion(void)
{
    const char *const version = getenv("ODD_PYTHON");
    return version ? version : "none";
}
