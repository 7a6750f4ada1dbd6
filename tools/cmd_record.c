/* twin record: keeps what a command wrote, with who made it. `./run` calls it behind every command that measures.
 *
 * The record is one file of its own in the directory, NAME@DATE-COMMIT.json; none is ever changed. */
#include "files.h"
#include "process.h"
#include "twin.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_record(int argc, char **argv);

enum { RECORD_OPTIONS = 9 };

typedef enum record_option { NAME, COMMAND, COMMIT, DATE, CODE, SECONDS, DIRTY, DATA, INTO } record_option;

static const char *const record_words[RECORD_OPTIONS] = {"--name",    "--command", "--commit", "--date", "--exit",
                                                         "--seconds", "--dirty",   "--data",   "--into"};

static bool record_parse(const char *values[RECORD_OPTIONS], int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    int option = 0;
    while (option < RECORD_OPTIONS && strcmp(record_words[option], argv[i]) != 0)
      option++;
    if (option == RECORD_OPTIONS)
      return false;
    values[option] = argv[i + 1];
  }
  for (int option = 0; option < RECORD_OPTIONS; option++)
    if (!values[option])
      return false;
  return argc % 2 == 1 && !strpbrk(values[NAME], "/@") && strlen(values[COMMIT]) >= 7;
}

/* The data is the command's own JSON; where it wrote none (it ended early), null. */
static cJSON *record_make(const char *values[RECORD_OPTIONS]) {
  size_t size;
  char *const text = file_read(values[DATA], &size);
  cJSON *const data = text ? cJSON_Parse(text) : NULL;
  cJSON *const root = cJSON_CreateObject();
  free(text);
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddStringToObject(root, "name", values[NAME]);
  cJSON_AddStringToObject(root, "command", values[COMMAND]);
  cJSON_AddStringToObject(root, "commit", values[COMMIT]);
  cJSON_AddBoolToObject(root, "dirty", values[DIRTY][0] == '1');
  cJSON_AddStringToObject(root, "date", values[DATE]);
  cJSON_AddNumberToObject(root, "seconds", strtod(values[SECONDS], NULL));
  cJSON_AddNumberToObject(root, "exit", strtod(values[CODE], NULL));
  cJSON_AddItemToObject(root, "data", data ? data : cJSON_CreateNull());
  return root;
}

int twin_record(int argc, char **argv) {
  const char *values[RECORD_OPTIONS] = {0};
  if (!record_parse(values, argc, argv)) {
    fprintf(stderr, "usage: twin record --name NAME --command TEXT --commit ID --date DATE --exit N --seconds N\n"
                    "                   --dirty 0|1 --data FILE --into DIRECTORY\n");
    return TWIN_TROUBLE;
  }
  cJSON *const root = record_make(values);
  char *const text = cJSON_PrintUnformatted(root);
  text_buffer path = {0};
  text_add(&path, "%s/%s@%s-%.10s.json", values[INTO], values[NAME], values[DATE], values[COMMIT]);
  text_replace(&path, ":", "");
  const bool good =
      text && process_ensure_directory(values[INTO]) && process_write_file(path.bytes, text, strlen(text));
  if (!good)
    fprintf(stderr, "twin record: cannot write %s\n", path.bytes);
  text_free(&path);
  cJSON_free(text);
  cJSON_Delete(root);
  return good ? TWIN_OK : TWIN_TROUBLE;
}
