/* twin diff A B: two outputs that are there already. */
#ifndef TWIN_DIFF_FILES_H
#define TWIN_DIFF_FILES_H

int diff_files(int argc, char **argv);

#endif
