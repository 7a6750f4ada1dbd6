/* A campaign's figures for programs. Every share is given as its two numbers. */
#include "damage.h"
#include "json_file.h"

#include <cjson/cJSON.h>

static size_t json_fate(const damage_report *report, damage_fate fate) {
  size_t sum = 0;
  for (int same = 0; same < DAMAGE_SAMES; same++)
    sum += report->table[fate][same];
  return sum;
}

static size_t json_linked(const damage_report *report, damage_fate fate) {
  return report->table[fate][DAMAGE_SAME] + report->table[fate][DAMAGE_OTHER];
}

static void json_add_nvlink(cJSON *to, const damage_report *report) {
  const size_t *const links = report->table[DAMAGE_LINKS];
  const struct {
    const char *name;
    size_t number;
  } rows[] = {{"nvlink_links", json_fate(report, DAMAGE_LINKS)},
              {"same_bytes", links[DAMAGE_SAME]},
              {"other_bytes", links[DAMAGE_OTHER]},
              {"refused", links[DAMAGE_REFUSED]},
              {"default_refused", report->usual[DAMAGE_LINKS][DAMAGE_REFUSED]},
              {"nvlink_refuses", json_fate(report, DAMAGE_REFUSES)},
              {"refused_but_linked", json_linked(report, DAMAGE_REFUSES)},
              {"same_text", report->same_text},
              {"nvlink_crashes", json_fate(report, DAMAGE_CRASHES) + json_fate(report, DAMAGE_HANGS)},
              {"crash_but_linked", json_linked(report, DAMAGE_CRASHES) + json_linked(report, DAMAGE_HANGS)},
              {"unnamed", report->unnamed}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    cJSON_AddNumberToObject(to, rows[i].name, (double)rows[i].number);
}

bool damage_report_write_json(const damage_report *report, bool nvlink, const char *path) {
  cJSON *const root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "cases", (double)report->cases);
  cJSON_AddNumberToObject(root, "failures", (double)report->failures);
  if (nvlink)
    json_add_nvlink(root, report);
  cJSON *const causes = cJSON_AddObjectToObject(root, "causes");
  for (size_t i = 0; i < report->causes.count; i++)
    cJSON_AddNumberToObject(causes, report->causes.items[i].name, (double)report->causes.items[i].count);
  return json_write(root, path);
}
