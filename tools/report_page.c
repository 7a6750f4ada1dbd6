/* The page: HTML from the report's JSON and nothing else. One file, no scripts, nothing from elsewhere; it opens from a disk. */
#include "report.h"

#include <stdio.h>
#include <string.h>

static const char page_style[] =
    ":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#5b6570;--line:#d5dae0;--rail:#e9edf1;--bar:#2f6fab;"
    "--good:#14713a;--bad:#b3261e;--open:#8a5a00}"
    "@media(prefers-color-scheme:dark){:root{--fg:#e4e8ec;--bg:#14181c;--soft:#9aa5b0;--line:#343b43;--rail:#252b31;"
    "--bar:#6aa9e0;--good:#62c98a;--bad:#ff8a80;--open:#e2b45c}}"
    "body{margin:0 auto;max-width:72rem;padding:1rem;font:16px/1.5 "
    "system-ui,sans-serif;color:var(--fg);background:var(--bg)}"
    "h1{margin:.5rem 0 0;font-size:1.7rem}h2{margin:2.5rem 0 .3rem;font-size:1.3rem;border-top:1px solid var(--line);"
    "padding-top:1rem}h3{margin:1.4rem 0 .3rem;font-size:1rem}p{margin:.3rem 0;max-width:46rem}"
    "nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:1rem 0}a{color:var(--bar)}"
    ".soft,.source,figcaption{color:var(--soft);font-size:.85rem}.source{margin:.2rem 0 0;overflow-wrap:anywhere}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.22rem .7rem .22rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}"
    "th{font-weight:600;vertical-align:bottom}th.n{max-width:7rem}td.open{min-width:7rem}.n{text-align:right}td.n{"
    "white-space:nowrap;min-width:0}"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}.open{color:var(--open)}"
    ".code,code{font-family:ui-monospace,monospace;font-size:.82rem}td.code{min-width:7rem;overflow-wrap:anywhere}"
    ".missing{border-left:4px solid var(--open);padding:.3rem .8rem;margin:.6rem 0}"
    "figure{margin:1rem 0;max-width:640px}svg{width:100%;height:auto}svg text{fill:var(--fg);font-size:12px}"
    ".label{text-anchor:end}.rail{fill:var(--rail)}.bar{fill:var(--bar)}.goal{stroke:var(--bad);stroke-width:2}";

void report_write_text(text_buffer *page, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&':
      text_add(page, "&amp;");
      break;
    case '<':
      text_add(page, "&lt;");
      break;
    case '>':
      text_add(page, "&gt;");
      break;
    case '"':
      text_add(page, "&quot;");
      break;
    default:
      text_add_bytes(page, text, 1);
    }
  }
}

/* An element whose text is a member of the object; nothing where that is empty. */
static void page_write_element(text_buffer *page, const char *element, const cJSON *from, const char *name) {
  const char *const text = report_word(from, name);
  if (!*text)
    return;
  text_add(page, "<%s>", element);
  report_write_text(page, text);
  text_add(page, "</%.*s>\n", (int)strcspn(element, " "), element);
}

static void page_write_source(const cJSON *source, text_buffer *page) {
  if (!source)
    return;
  text_add(page, "<p class=\"source\">");
  page_write_element(page, "code", source, "command");
  if (*report_word(source, "file")) {
    text_add(page, " from ");
    page_write_element(page, "code", source, "file");
  } else {
    text_add(page, " · commit <code>%.10s</code> · ", report_word(source, "commit"));
    report_write_text(page, report_word(source, "date"));
    text_add(page, " · <span class=\"%s\">", cJSON_IsTrue(cJSON_GetObjectItem(source, "fresh")) ? "good" : "open");
    report_write_text(page, report_word(source, "age"));
    text_add(page, "</span> · exit code %.0f", report_number(source, "exit"));
  }
  text_add(page, "</p>\n");
}

static void page_write_cell(const cJSON *cell, bool number, text_buffer *page) {
  const char *const mark = report_word(cell, "mark"), *const link = report_word(cell, "link");
  text_add(page, "<td class=\"%s%s%s\">", number ? "n" : "", number && *mark ? " " : "", mark);
  if (*link) {
    text_add(page, "<a href=\"");
    report_write_text(page, link);
    text_add(page, "\">");
  }
  report_write_text(page, report_word(cell, "text"));
  text_add(page, *link ? "</a></td>" : "</td>");
}

static bool page_row_has(const cJSON *row, const char *mark) {
  const cJSON *cell;
  cJSON_ArrayForEach(cell, row) if (strcmp(report_word(cell, "mark"), mark) == 0) return true;
  return false;
}

/* A long table is folded under a line that says how much is in it, and how many rows a reader should look at. */
static bool page_open_fold(const cJSON *rows, text_buffer *page) {
  enum { LONG_TABLE = 40 };
  const cJSON *one;
  int bad = 0, open = 0;
  cJSON_ArrayForEach(one, rows) {
    bad += page_row_has(one, "bad");
    open += page_row_has(one, "open");
  }
  if (cJSON_GetArraySize(rows) <= LONG_TABLE)
    return false;
  text_add(page, "<details><summary>%d rows", cJSON_GetArraySize(rows));
  if (bad)
    text_add(page, ", <span class=\"bad\">%d with something wrong</span>", bad);
  if (open)
    text_add(page, ", <span class=\"open\">%d with something open</span>", open);
  text_add(page, "</summary>\n");
  return true;
}

static void page_write_table(const cJSON *table, text_buffer *page) {
  const cJSON *const columns = cJSON_GetObjectItem(table, "columns"), *one, *cell;
  page_write_element(page, "h3", table, "title");
  const bool folded = page_open_fold(cJSON_GetObjectItem(table, "rows"), page);
  text_add(page, "<div class=\"wide\"><table><thead><tr>");
  cJSON_ArrayForEach(one, columns) {
    const bool number = one->valuestring[0] == '#';
    text_add(page, number ? "<th class=\"n\">" : "<th>");
    report_write_text(page, one->valuestring + number);
    text_add(page, "</th>");
  }
  text_add(page, "</tr></thead><tbody>\n");
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(table, "rows")) {
    const cJSON *column = columns->child;
    text_add(page, "<tr>");
    cJSON_ArrayForEach(cell, one) {
      page_write_cell(cell, column && column->valuestring[0] == '#', page);
      column = column ? column->next : NULL;
    }
    text_add(page, "</tr>\n");
  }
  text_add(page, folded ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n");
  page_write_source(cJSON_GetObjectItem(table, "source"), page);
}

static void page_write_section(const cJSON *section, text_buffer *page) {
  const cJSON *one;
  text_add(page, "<section id=\"%s\">\n", report_word(section, "id"));
  page_write_element(page, "h2", section, "title");
  page_write_element(page, "p", section, "about");
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(section, "missing")) {
    text_add(page, "<p class=\"missing\"><strong>not measured:</strong> ");
    report_write_text(page, report_word(one, "what"));
    text_add(page, "; <code>");
    report_write_text(page, report_word(one, "command"));
    text_add(page, "</code></p>\n");
  }
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(section, "plots")) report_write_plot(one, page);
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(section, "tables")) page_write_table(one, page);
  text_add(page, "</section>\n");
}

void report_write_page(const cJSON *report, text_buffer *page) {
  const cJSON *const sections = cJSON_GetObjectItem(report, "sections"), *one;
  text_add(
      page,
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>twinlink: what was measured</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>%s</style></head>\n<body>\n",
      page_style);
  text_add(page, "<h1>twinlink: what was measured</h1>\n<p class=\"soft\">Commit <code>%.10s</code>, page made ",
           report_word(report, "commit"));
  report_write_text(page, report_word(report, "date"));
  text_add(page,
           ". Every figure comes from a record that a command wrote; below it stand the command, its commit and date. "
           "Made by <code>./run report</code>; the same figures for programs: <a href=\"report.json\">report.json</a>."
           "</p>\n<nav>");
  cJSON_ArrayForEach(one, sections) {
    text_add(page, "<a href=\"#%s\">", report_word(one, "id"));
    report_write_text(page, report_word(one, "title"));
    text_add(page, "</a>\n");
  }
  text_add(page, "</nav>\n");
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(report, "broken")) {
    text_add(page, "<p class=\"missing\"><strong>no record:</strong> <code>");
    report_write_text(page, one->valuestring);
    text_add(page, "</code> cannot be read as one</p>\n");
  }
  cJSON_ArrayForEach(one, sections) page_write_section(one, page);
  text_add(page, "</body></html>\n");
}
