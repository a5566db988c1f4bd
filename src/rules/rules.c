/* SPDX-License-Identifier: Apache-2.0 */
/* Not built yet. */
typedef int rules_room;
