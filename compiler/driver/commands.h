/* commands.h: has the bits of the commands, for option.def. */
#ifndef TIKC_COMMANDS_H
#define TIKC_COMMANDS_H

enum CommandIndex {
#define COMMAND(id, word, name, lo, hi, synopsis, what) CMD_INDEX_##id,
#include "driver/command.def"
    CMD_INDEX_COUNT
};

enum CommandBit {
#define COMMAND(id, word, name, lo, hi, synopsis, what) CMD_##id = 1 << CMD_INDEX_##id,
#include "driver/command.def"
#define COMMAND_SET(id, commands) CMD_##id = commands,
#include "driver/command_set.def"
    /* no command: the option may be a setting of a file, too (setting.h) */
    CMD_IN_FILE = 1 << CMD_INDEX_COUNT,
};

#endif
