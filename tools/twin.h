/* The subcommands of twin. Each gets argv from its own name on (argv[0] is the subcommand) and returns the exit code:
 * 0 good, 1 a difference or a violation was found, 2 the command could not do its work (usage, unreadable file). */
#ifndef TWIN_H
#define TWIN_H

#define TWIN_OK 0
#define TWIN_FOUND 1
#define TWIN_TROUBLE 2

#endif
