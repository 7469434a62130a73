/* driver.h: the command line tool: options, files, printing, exit codes. Every command is
 * a thin function over libtikc and libtikrt. */
#ifndef TIKC_DRIVER_H
#define TIKC_DRIVER_H

#include "driver/findings.h"
#include "tikblob.h"
#include "pipeline.h"
#include "tikrt.h"
#include "launch/outfile.h"

/* Exit codes, on which other tools rely. */
enum {
#define EXIT_CODE(id, number, text) EXIT_##id = number,
#include "driver/exit.def"
};

/* What --sanitize looks for. */
enum {
    SANITIZE_UNINIT = 1,
    SANITIZE_RACE = 2
};

typedef struct Binding {
    const char *tensor;
    const char *path; /* of --in and --expect also random:7 and the like (fill.h) */
    int ndim;         /* number of dimensions that --out gives after the path; 0: none */
    int64_t dim[8];
    const struct Fill *fill; /* what path is, once job_check_names has read it */
} Binding;

typedef VEC(Binding) Bindings;

struct Command;

/* All options as the user gave them. Texts are null when absent. */
typedef struct Cmd {
    Unit unit;
    VEC(const char *) files;
    const char *out;
    const char *emit;
    const char *kernel;
    const char *backend;
    const char *run_mode;    /* how the emulator runs; null: fast */
    const char *sanitize;    /* --sanitize */
    unsigned sanitizers;     /* SANITIZE_ bits that it names; 0: mode check alone */
    bool screen;             /* all of a profile is shown, not its first line only */
    const char *trace;       /* --trace */
    const char *html;        /* --html */
    struct Listing *listing; /* what --emit html collects, or null */
    bool found;              /* the mode check found something */
    const char *lmem_fill, *lmem_dump;
    int64_t schedules, seed; /* orders of queues that run tries, and the first one */
    const char *require;     /* properties that verify must prove */
    const char *format, *colour;
    const struct Command *command; /* the one that runs */
    Findings *findings; /* where what is found is collected, or null: it is printed */
    int64_t jobs;       /* files that are compiled at the same time; 0: by processors */
    const char *facts;
    const char *key;       /* --key: a file */
    const char *signature; /* --signature: a file */
    const char *depfile;
    const char *shard;       /* --shard */
    const char *mpi;         /* --mpi */
    struct Cluster *cluster; /* processes that work together (cluster.h), or null */
    int64_t timeout;         /* seconds for each test; 0: the usual number */
    const char *report, *budget, *threshold;
    const struct FigureList *limits; /* of --budget, or null */
    const char *print_after;
    const char *passes; /* --passes; null means all */
    PassList only;      /* the passes that --passes names */
    const char *disable;
    PassList without; /* the passes that --disable names */
    const char *dtype;
    const char *cpu; /* null means this machine's */
    bool proofs, verify_each, stats, matrix, dry_run, memory;
    bool debug;             /* debuggers of the tool get the lines of kernels */
    const char *memory_svg; /* --memory-svg */
    bool several;           /* the command has other files beside this one */
    UnitLoader load;        /* of imported files; null: io_load */
    bool output_on_stdout;  /* what the program prints then goes to standard error */
    int64_t opt_level;
    int64_t threads;
    int64_t dim; /* 0 means not given */
    Bindings ins;
    Bindings outs;
    Bindings expects;
    const char *rtol, *atol; /* of --expect, as the user gave them */
    double tolerance[2];     /* these as numbers */
    const char *reference;   /* script of a test; null: none */
    VEC(Unit *) units;       /* what the command has read beside its own unit */
    /* calls that led to a fault of the run, see Unit.chains */
    uint32_t fault_chain;
} Cmd;

typedef struct Command {
    const char *name;
    unsigned bit; /* bit in the masks of option.def */
    int min_files, max_files;
    const char *synopsis;
    const char *what;
    int (*run)(Cmd *c); /* returns the exit code */
} Command;

/* ---- options.c ----------------------------------------------------------- */

/* Parses argv after the command's name. Returns false after a usage error. */
bool MUST_USE options_parse(Cmd *c, const Command *cmd, int argc, char **argv);
/* Adds a usage error; returns false. */
bool options_wrong(Cmd *c, const char *text);
/* Sets an option of the command by its long name, as on the command line; value is null
 * for a flag. Returns false after a usage error. */
bool MUST_USE options_set(Cmd *c, const char *name, const char *value);
/* Refuses an output that is a file which the command reads. */
bool options_spare(Cmd *c, const char *out);
void options_help(const Command *cmds, int n, Text *out);
void options_command_help(const Command *cmd, Text *out);

/* Returns whether a program's comments may give an option of that name; *near gets the
 * nearest one, or null. */
bool options_is_setting(const char *key, const char **near);
/* Gives an option the value of a setting, unless the command line gave it one, or it is
 * for the runs of 'tikc test' only. Returns false after a diagnostic. */
bool MUST_USE options_setting(Cmd *c, const char *key, const char *value);

/* ---- settings.c ---------------------------------------------------------- */

/* Gives the command the settings of a program's text. Returns false after a
 * diagnostic. */
bool MUST_USE settings_apply(Cmd *c, const char *path, const char *text, size_t size);

/* ---- depfile.c ----------------------------------------------------------- */

/* Puts a rule: the target depends on the source files of the unit, and on what they
 * import. */
void depfile_put(const Unit *u, const char *target, const char *source, Text *out);

/* ---- response.c ---------------------------------------------------------- */

/* Replaces each word @FILE by the words of the file. Returns false after a diagnostic. */
bool MUST_USE response_expand(Cmd *c, int argc, char **argv, Names *out);

/* ---- sources.c ----------------------------------------------------------- */

typedef struct SourceFile {
    const char *path;
    bool found; /* in a folder, not named by the user */
} SourceFile;

typedef VEC(SourceFile) SourceFiles;

/* Finds the files of the command: those that it names, and those in folders that it
 * names, in the order of their names. Returns false after a file-read diagnostic. */
bool MUST_USE sources_find(Cmd *c, SourceFiles *out);
/* Returns whether a text that a folder has is a program for this tool: one in .tik, or
 * one in .py that imports tik or says how to call it. */
bool sources_wanted(const char *path, const char *text, size_t size);

/* ---- pass_options.c ------------------------------------------------------ */

/* Makes the tiled versions of kernels that compile_file accepted, unless the level of
 * optimisation is 0. Returns false if the output of --print-after cannot be written. */
bool MUST_USE tile_kernels(Cmd *c, Kernel *const *kernels, int n);
/* Reads the options that name passes. Returns false after a usage error. */
bool MUST_USE pass_options_check(Cmd *c);
void pass_options_help(Text *out);

/* ---- cpu.c --------------------------------------------------------------- */

/* Returns false, with a usage error, if --cpu names no processor, or one whose code does
 * not run here. */
bool MUST_USE cpu_check(Cmd *c);
bool MUST_USE cpu_check_runs(Cmd *c);
/* Returns how many processors this process may use; 1 if the system does not say. */
int cpu_count(void);

/* ---- io.c ---------------------------------------------------------------- */

/* Reads a file, or standard input for "-"; the bytes end in a zero that is not counted.
 * Returns false after a file-read diagnostic. */
bool MUST_USE io_read(Unit *u, const char *path, char **bytes, size_t *size);
/* Loads imported files (a UnitLoader). */
bool MUST_USE io_load(Unit *u, const char *path, const char **text, size_t *len);
/* Returns whether a file is in a folder (a UnitInside). */
bool io_inside(const char *folder, const char *path);
/* Files that belong together: each is written to a temporary name in the folder of its
 * place, and io_end moves all of them to their places, or none. No signal ends the tool
 * in between. */
typedef struct IoFile {
    const char *path; /* as the user names it */
    OutPlace place;
} IoFile;

typedef struct IoBatch {
    Unit *u;
    VEC(IoFile) files;
    sigset_t before;
} IoBatch;

void io_begin(IoBatch *b, Unit *u);
/* Returns the path to which other code writes a file of the batch; that is path itself if
 * the file is written in place. Returns null after a file-write diagnostic. */
const char *io_reserve(IoBatch *b, const char *path);
/* Adds a file. "-" is standard output, which gets the bytes at once, as devices and pipes
 * do. */
bool MUST_USE io_add(IoBatch *b, const char *path, const void *bytes, size_t size);
bool MUST_USE io_end(IoBatch *b, bool ok);
/* Writes a batch of one file. Returns false after a file-write diagnostic, and leaves
 * nothing. */
bool MUST_USE io_write(Unit *u, const char *path, const void *bytes, size_t size);
/* Returns whether both names lead to one ordinary file. */
bool io_same_file(const char *a, const char *b);
/* Returns whether a file could be written there, as far as that shows without writing;
 * false as io_write. */
bool MUST_USE io_can_write(Unit *u, const char *path);
/* Returns whether io_write makes a file of its own there: not standard output, a device
 * or a pipe. */
bool io_is_file(const char *path);
/* Writes to standard output; returns false as io_write does. */
bool MUST_USE io_print(Unit *u, const char *text, size_t size);
bool io_is_blob(const char *bytes, size_t size);

/* ---- report.c ------------------------------------------------------------ */

/* Returns whether the output is JSON; whether it is text. */
bool report_json(const Cmd *c);
bool report_text(const Cmd *c);
/* Checks --color; returns false after a usage error. */
bool MUST_USE report_colour(Cmd *c);
/* Begins findings in the form of the command line. */
void report_begin(const Cmd *c, Findings *f);
/* Moves what the unit collected into a report, with the command's first file; soc is the
 * processor if it is one of several. Returns the exit code. */
int report_collect(const Cmd *c, Report *r, const char *soc);
/* Prints what the unit collected (a text to standard error, all other forms to standard
 * output) and what the program printed, or adds it to the findings of the command.
 * Returns the exit code. */
int report_unit(Cmd *c);
/* Finds the span of "path:line:column" in a source of the unit; returns false if there is
 * none. */
bool MUST_USE report_place(Unit *u, const char *place, Span *out);
/* Returns whether --format names a form; otherwise adds a diagnostic, to be shown as
 * text. */
bool MUST_USE report_format(Cmd *c);
/* If the format is JSON, prints the unit's diagnostics and with them an error of the
 * runtime, and gives its exit code. Returns false if nothing was printed. */
bool MUST_USE report_into(Cmd *c, const TikError *err, int *code);
/* Returns the call chain of a call that is made in the chain parent: the one that the
 * program made, or a new one. */
uint32_t report_call(Unit *u, uint32_t parent, const TikFrame *call);
/* Adds an error of the runtime to the unit's diagnostics; returns its exit code. */
int report_add(Cmd *c, const TikError *err);
/* Returns the exit code of what a unit collected. */
int report_code(const Unit *u);
/* Prints an error of the runtime and returns its exit code. */
int report_error(Cmd *c, const TikError *err);

/* ---- cmd_explain.c, explain_names.c -------------------------------------- */

/* Puts the calls of a name as users write them, with their arguments. Returns false if
 * the name is nothing that can be called. */
bool explain_signatures(Arena *a, const char *name, Text *out);
/* Puts everything else that a name may mean; returns false if it means nothing. */
bool explain_name(Arena *a, const char *name, Text *out);

/* ---- blob_files.c -------------------------------------------------------- */

/* Runs one on each file of the command, in a copy of it that has this file alone and a
 * unit of its own; returns the greatest exit code. */
int blob_files(Cmd *c, bool (*one)(Cmd *c));
/* Adds the diagnostic of a blob that was refused (b may be null); returns false. */
bool blob_refused(Cmd *c, const TikBlob *b, int kernel, const TikBlobDiag *diag);
/* Opens and identifies the blob that is the command's first file. Its bytes live as long
 * as the unit. Returns false after a diagnostic. */
bool MUST_USE blob_open(Cmd *c, TikBlob *b);
/* Verifies one kernel of an open blob. Returns false with *diag. */
bool MUST_USE blob_verify(Cmd *c, const TikBlob *b, int kernel, TikBlobProof *proof,
                          TikBlobDiag *diag);

/* Refuses one output for several inputs. */
bool blob_one_output(Cmd *c);

/* The following functions put a line of JSON: an object with the version of its form and
 * the command's first file, then members, in objects and arrays; json_end prints it. A
 * key is null in an array. */
void json_begin(Cmd *c, Text *out);
bool MUST_USE json_end(Cmd *c, Text *out);
void json_key(Text *out, const char *key);
void json_text(Text *out, const char *key, const char *text);
void json_number(Text *out, const char *key, int64_t v);
void json_count(Text *out, const char *key, uint64_t v);
void json_bool(Text *out, const char *key, bool v);
void json_open(Text *out, const char *key, char bracket);
void json_close(Text *out, char bracket);

/* ---- blob_json.c --------------------------------------------------------- */

/* Puts the members of an open and identified blob: its target and kernels. */
void blob_json(const TikBlob *b, Text *out);

/* ---- key.c --------------------------------------------------------------- */

/* Reads the public key that --key names. Returns false after a diagnostic. */
bool MUST_USE key_public(Cmd *c, uint8_t key[TIKBLOB_KEY_BYTES]);
/* Signs a message with the private key that --key names, and gives its public key.
 * Returns false after a diagnostic. */
bool MUST_USE key_sign(Cmd *c, const uint8_t message[TIKBLOB_MESSAGE_BYTES],
                       uint8_t signature[TIKBLOB_SIGNATURE_BYTES],
                       uint8_t key[TIKBLOB_KEY_BYTES]);
/* A TikBlobEd25519; context is not used. */
bool key_signed(void *context, const uint8_t key[TIKBLOB_KEY_BYTES],
                const uint8_t *message, uint64_t size,
                const uint8_t signature[TIKBLOB_SIGNATURE_BYTES]);
/* Puts bytes as hexadecimal digits, with a zero at the end. */
void key_hex(const uint8_t *bytes, size_t n, char *out);

/* ---- cmd_sign.c ---------------------------------------------------------- */

/* Checks the signature that belongs to an open blob, the command's first file, if --key
 * asks for it. Returns false after a diagnostic about a file; *trusted is false, with
 * *diag, if the signature is not that of the content. */
bool MUST_USE sign_check(Cmd *c, const TikBlob *b, bool *trusted, TikBlobDiag *diag);

/* ---- commands ------------------------------------------------------------ */
int cmd_check(Cmd *c);
int cmd_compare(Cmd *c);
int cmd_fix(Cmd *c);
int cmd_lsp(Cmd *c);
int cmd_build(Cmd *c);
int cmd_run(Cmd *c);
int cmd_test(Cmd *c);
int cmd_profile(Cmd *c);
int cmd_disasm(Cmd *c);
int cmd_asm(Cmd *c);
int cmd_verify(Cmd *c);
int cmd_sign(Cmd *c);
int cmd_dump(Cmd *c);
int cmd_stats(Cmd *c);
int cmd_strip(Cmd *c);
int cmd_diff(Cmd *c);
int cmd_explain(Cmd *c);
int cmd_explain_slice(Cmd *c);
int cmd_explain_sync(Cmd *c);
int cmd_targets(Cmd *c);

/* Reads and compiles a source file with the options of the command line. */
bool MUST_USE compile_file(Cmd *c, const char *path);
/* Does the same for a text that was read; path is for messages, "-" means standard
 * input. */
bool MUST_USE compile_text(Cmd *c, const char *path, const char *text, size_t size);

#endif
