/* A plot of bars as SVG inside the page: labels at the left, values at the right, a mark where the goal is. Colours come from
 * the page's style, so that it is readable in the dark and in print. */
#include "report.h"

#include <string.h>

enum { PLOT_WIDTH = 640, PLOT_LEFT = 210, PLOT_RIGHT = 90, PLOT_ROW = 26 };

static double plot_x(double value, double most) {
  const double share = most > 0 ? value / most : 0, left = PLOT_LEFT, width = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT;
  return left + width * (share < 0 ? 0 : share > 1 ? 1 : share);
}

static void plot_write_bar(const cJSON *bar, double most, const char *unit, int y, text_buffer *page) {
  const double value = report_number(bar, "value"), goal = report_number(bar, "goal"), left = PLOT_LEFT;
  text_add(page, "<text x=\"%d\" y=\"%d\" class=\"label\">", PLOT_LEFT - 8, y + 15);
  report_write_text(page, report_word(bar, "label"));
  text_add(page, "</text><rect class=\"rail\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\"/>", PLOT_LEFT, y + 4,
           plot_x(most, most) - left);
  text_add(page, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\"/>", PLOT_LEFT, y + 4,
           plot_x(value, most) - left);
  if (goal > 0)
    text_add(page, "<line class=\"goal\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", plot_x(goal, most),
             plot_x(goal, most), y + 1, y + 21);
  text_add(page, "<text x=\"%d\" y=\"%d\">%.4g", PLOT_WIDTH - PLOT_RIGHT + 8, y + 15, value);
  if (*unit) {
    text_add(page, " ");
    report_write_text(page, unit);
  }
  text_add(page, "</text>\n");
}

void report_write_plot(const cJSON *plot, text_buffer *page) {
  const cJSON *const bars = cJSON_GetObjectItem(plot, "bars"), *bar;
  const int count = cJSON_GetArraySize(bars);
  int y = 0;
  if (!count)
    return;
  text_add(page, "<figure><figcaption>");
  report_write_text(page, report_word(plot, "title"));
  text_add(page, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", PLOT_WIDTH, count * PLOT_ROW);
  cJSON_ArrayForEach(bar, bars) {
    plot_write_bar(bar, report_number(plot, "most"), report_word(plot, "unit"), y, page);
    y += PLOT_ROW;
  }
  text_add(page, "</svg></figure>\n");
}
