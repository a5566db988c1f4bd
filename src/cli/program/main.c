/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "base/at_work.h"

int main(int argc, char **argv)
{
    at_work_alone = true;
    return program(argc, argv);
}
