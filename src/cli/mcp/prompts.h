/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts that lead an agent through several tools. */
#ifndef CLI_MCP_PROMPTS_H
#define CLI_MCP_PROMPTS_H

#include "rpc/message.h"

void prompts_list(struct json_writer *json);

struct prompt;
const struct prompt *prompts_find(str name); /* NULL where there is none */

/* Whether all that it takes is given. */
bool prompts_has_all(const struct prompt *prompt, str arguments, struct arena *arena);

/* Its messages, with the arguments put in. */
void prompts_get(const struct prompt *prompt, struct json_writer *json, str arguments, struct arena *arena);

#endif
