/* What subcommands say for programs: a JSON value, to a file or to stdout. Both take the value and free it. */
#ifndef TWIN_JSON_FILE_H
#define TWIN_JSON_FILE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Writes only when the file's bytes would change. */
bool json_write(cJSON *root, const char *path);
void json_print(cJSON *root);

#endif
