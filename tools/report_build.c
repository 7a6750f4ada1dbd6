/* The parts that sections are made of, as JSON: tables with rows of cells, plots with bars, sources, and what was not
 * measured. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cJSON *report_section(cJSON *report, const char *id, const char *title, const char *about) {
  cJSON *const section = cJSON_CreateObject();
  cJSON_AddStringToObject(section, "id", id);
  cJSON_AddStringToObject(section, "title", title);
  cJSON_AddStringToObject(section, "about", about);
  cJSON_AddArrayToObject(section, "plots");
  cJSON_AddArrayToObject(section, "tables");
  cJSON_AddArrayToObject(section, "missing");
  cJSON_AddItemToArray(cJSON_GetObjectItem(report, "sections"), section);
  return section;
}

cJSON *report_table(cJSON *section, const char *title, const char *columns) {
  cJSON *const table = cJSON_CreateObject();
  cJSON_AddStringToObject(table, "title", title);
  cJSON *const list = cJSON_AddArrayToObject(table, "columns");
  while (*columns) {
    const size_t length = strcspn(columns, "|");
    text_buffer name = {0};
    text_add(&name, "%.*s", (int)length, columns);
    cJSON_AddItemToArray(list, cJSON_CreateString(name.bytes ? name.bytes : ""));
    text_free(&name);
    columns += length + (columns[length] == '|');
  }
  cJSON_AddArrayToObject(table, "rows");
  cJSON_AddItemToArray(cJSON_GetObjectItem(section, "tables"), table);
  return table;
}

cJSON *report_row(cJSON *table) {
  cJSON *const row = cJSON_CreateArray();
  cJSON_AddItemToArray(cJSON_GetObjectItem(table, "rows"), row);
  return row;
}

static cJSON *report_add_cell(cJSON *row, const char *text) {
  cJSON *const cell = cJSON_CreateObject();
  cJSON_AddStringToObject(cell, "text", text ? text : "");
  cJSON_AddItemToArray(row, cell);
  return cell;
}

void report_cell(cJSON *row, const char *format, ...) {
  char text[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  report_add_cell(row, text);
}

void report_cell_share(cJSON *row, double part, double whole) {
  if (whole > 0)
    report_cell(row, "%.2f %%", 100 * part / whole);
  else
    report_cell(row, "–");
}

void report_cell_link(cJSON *row, const char *text, const char *address) {
  cJSON_AddStringToObject(report_add_cell(row, text), "link", address);
}

void report_mark(cJSON *row, const char *mark) {
  cJSON *const cell = cJSON_GetArrayItem(row, cJSON_GetArraySize(row) - 1);
  if (cell)
    cJSON_AddStringToObject(cell, "mark", mark);
}

static void report_add_age(text_buffer *text, const report_record *record) {
  if (record->age == REPORT_AGE_UNKNOWN)
    text_add(text, "of a commit that is not on this branch");
  else if (record->age == 0)
    text_add(text, "this commit");
  else
    text_add(text, "%d commit%s ago", record->age, record->age == 1 ? "" : "s");
  if (record->dirty)
    text_add(text, ", with changes that were not committed");
}

void report_cells_source(cJSON *row, const report_record *record) {
  text_buffer age = {0};
  report_add_age(&age, record);
  report_cell(row, "%s", record->command);
  report_mark(row, "code");
  report_cell(row, "%.10s", record->commit);
  report_mark(row, "code");
  report_cell(row, "%s", record->date);
  report_cell(row, "%s", age.bytes);
  if (record->age || record->dirty)
    report_mark(row, "open");
  text_free(&age);
}

void report_source(cJSON *table, const report_record *record) {
  text_buffer age = {0};
  report_add_age(&age, record);
  cJSON *const source = cJSON_AddObjectToObject(table, "source");
  cJSON_AddStringToObject(source, "command", record->command);
  cJSON_AddStringToObject(source, "commit", record->commit);
  cJSON_AddStringToObject(source, "date", record->date);
  cJSON_AddStringToObject(source, "age", age.bytes);
  cJSON_AddBoolToObject(source, "fresh", record->age == 0 && !record->dirty);
  cJSON_AddNumberToObject(source, "exit", record->exit_code);
  text_free(&age);
}

void report_source_file(cJSON *table, const char *file, const char *command) {
  cJSON *const source = cJSON_AddObjectToObject(table, "source");
  cJSON_AddStringToObject(source, "command", command);
  cJSON_AddStringToObject(source, "file", file);
}

void report_missing(cJSON *section, const char *what, const char *command) {
  cJSON *const missing = cJSON_CreateObject();
  cJSON_AddStringToObject(missing, "what", what);
  cJSON_AddStringToObject(missing, "command", command);
  cJSON_AddItemToArray(cJSON_GetObjectItem(section, "missing"), missing);
}

cJSON *report_plot(cJSON *section, const char *title, const char *unit, double most) {
  cJSON *const plot = cJSON_CreateObject();
  cJSON_AddStringToObject(plot, "title", title);
  cJSON_AddStringToObject(plot, "unit", unit);
  cJSON_AddNumberToObject(plot, "most", most);
  cJSON_AddArrayToObject(plot, "bars");
  cJSON_AddItemToArray(cJSON_GetObjectItem(section, "plots"), plot);
  return plot;
}

void report_bar(cJSON *plot, const char *label, double value, double goal) {
  cJSON *const bar = cJSON_CreateObject();
  cJSON_AddStringToObject(bar, "label", label);
  cJSON_AddNumberToObject(bar, "value", value);
  if (goal > 0)
    cJSON_AddNumberToObject(bar, "goal", goal);
  cJSON_AddItemToArray(cJSON_GetObjectItem(plot, "bars"), bar);
}
