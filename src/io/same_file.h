/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_SAME_FILE_H
#define IO_SAME_FILE_H

#include <stdbool.h>

/*
 * Whether both names lead to one plain file: by device and inode, so symbolic and hard links are seen through. Names of
 * nothing, folders, devices and pipes are the same as nothing.
 */
bool same_file(const char *a, const char *b);

bool path_is_folder(const char *path);

#endif
