/* test_blob_bytes.c: what tikblob_properties says of small programs, by what
 * docs/blob-format.md (Properties P7 to P12) demands: a table of texts with the verdicts
 * on P9 (what is computed with was written), P10 (two cores), P11 (memories and regions
 * that share bytes) and P12 (outputs): p proved, r refuted, n not proved. */
#include "blob_parts.h"

#include "tikproof.h"

/* 32 bytes from an argument, or another place, to UB; from UB to an argument. What stands
 * in the brackets of an operand goes on after its region. */
#define MOVE(to, from)                                                                   \
    "data_move checked dst=int32[" to "] src=int32[" from "] sid=0 nburst=1 burst=1"     \
    " src_stride=0 dst_stride=0 mode=0\n"
#define BURSTS(to, from, n, burst, from_gap, to_gap)                                     \
    "data_move checked dst=int32[" to "] src=int32[" from "] sid=0 nburst=" n            \
    " burst=" burst " src_stride=" from_gap " dst_stride=" to_gap " mode=0\n"
#define DUP(to) MASKED("count(8)", to)
#define MASKED(mask, to)                                                                 \
    "vec_dup checked mask=" mask " dst=int32[" to "] scalar=0 repeat_times=1"            \
    " dst_rep_stride=8\n"
#define USE(from)                                                                        \
    "vec_adds checked mask=count(8) dst=int32[3, 0] src=int32[" from "] scalar=1"        \
    " repeat_times=1 dst_rep_stride=8 src_rep_stride=8\n"
#define TWICE(to)                                                                        \
    "vec_dup checked mask=count(8) dst=int32[" to "] scalar=0 repeat_times=2"            \
    " dst_rep_stride=8\n"
#define APART(to)                                                                        \
    "vec_dup checked mask=count(64) dst=int32[" to "] scalar=0 repeat_times=2"           \
    " dst_rep_stride=16\n"
#define ONE_BLOCK(to)                                                                    \
    "vadds checked mask=count(64) dst=float32[" to "] src=float32[3, 0] scalar=0"        \
    " repeat_times=2 dst_blk_stride=0 src_blk_stride=1 dst_rep_stride=8 "                \
    "src_rep_stride=8"                                                                   \
    " stride_unit=0\n"
/* Half of 16 elements, by a pattern that is a number or in a register. */
#define HALF(pattern)                                                                    \
    DUP("2, 0")                                                                          \
    DUP("2, 32")                                                                         \
    "vreduce checked mask=count(16) dst=float32[2, 64] src0=float32[2, 0] "              \
    "src1_pattern=" pattern                                                              \
    " repeat_times=1 src0_blk_stride=1 src0_rep_stride=8 src1_rep_stride=0"              \
    " stride_unit=0\n" USE("2, 64")
#define MEET                "block_barrier workspace=int64[5, 0] blocks=2\n"
#define LOOP(s, begin, end) "loop " s " = " begin " " end "\n"
#define END(s)              "endloop " s "\n"
/* Whether this is core 1, in r0, and core 2, in r1. */
#define ONE_TWO      "r0 = eq int32 core 1\nr1 = eq int32 core 2\n"
#define ATOMIC(mode) "store uint32[7, 84] " mode "\n"
/* Numbers that only the run knows: r9 any, r8 0 to 3, r7 1 to 4. */
#define NUMBERS                                                                          \
    MOVE("6, 0", "0, 0")                                                                 \
    "r9 = load int32[6, 0]\nr8 = and int32 r9 3\nr7 = add int32 r8 1\n"

/* Arguments and regions of all rows; %s: those of a row. */
static const char head[] =
    "blob 1.0 Ascend310P3\n%s"
    "kernel \"t\" cores %d steps 0%s\n"
    "peak UB 8192\n"
    "arg \"x\" input int32 (64)\n"
    "arg \"y\" output int32 (64) preset 0\n"
    "arg \"l\" list int64 (2)\n"
    "arg \"w\" workspace int64 (64)\n"
    "%s"
    "region 0 \"x\" GM int32 arg 0\n"
    "region 1 \"y\" GM int32 arg 1\n"
    "region 2 \"u\" UB int32 at 0 bytes 4096\n"
    "region 3 \"v\" UB int32 at 4096 bytes 2048\n"
    "region 4 \"l\" GM int64 list 2\n"
    "region 5 \"w\" GM int64 arg 3\n"
    "region 6 \"n\" UB int32 at 6144 bytes 32\n"
    "region 7 \"sreg\" SREG uint32 at 0 bytes 192\n"
    "region 8 \"c\" GM int32 table bytes 32\n"
    "data 0000000000000000000000000000000000000000000000000000000000"
    "000000\n"
    "%s"
    "code\n";

/* What rows have besides. */
typedef struct More {
    const char *args, *regions, *flags, *choice;
} More;

static const More plain = {"", "", ""};
/* A move of no bursts, or of no bytes, does nothing. */
static const More nothing = {"", "", "", "choice D10 \"nothing\"\n"};
static const More any_cores = {"", "", " any"};
static const More wide_workspace = {"arg \"z\" workspace int32 (512)\n",
                                    "region 9 \"z\" GM int32 arg 4\n", ""};
/* 32768 bytes, and 2048. */
static const More wider = {"arg \"z\" output int32 (8192)\n",
                           "region 9 \"z\" GM int32 arg 4\n", ""};
static const More wide = {"arg \"z\" output int32 (512)\n",
                          "region 9 \"z\" GM int32 arg 4\n"};
/* An output that the kernel writes whole: two runs of 32 bytes. */
static const More output = {"arg \"z\" output int32 (16)\n",
                            "region 9 \"z\" GM int32 arg 4\n"};
/* 24 bytes. */
static const More short_output = {"arg \"z\" output int32 (6)\n",
                                  "region 9 \"z\" GM int32 arg 4\n"};
static const More open_output = {"arg \"z\" output int32 (1048576) open\n",
                                 "region 9 \"z\" GM int32 arg 4\n"};
static const More open_input = {"arg \"z\" input int32 (1048576) open\n",
                                "region 9 \"z\" GM int32 arg 4\n"};
static const More open_workspace = {"arg \"z\" workspace int32 (1048576) open\n",
                                    "region 9 \"z\" GM int32 arg 4\n"};
/* Two more regions share the bytes of a third. */
static const More shared = {"", "region 9 \"p\" UB int32 at 7168 bytes 64\n"
                                "region 10 \"q\" UB int32 at 7200 bytes 64\n"};
static const More open_region = {"", "region 9 \"p\" UB int32 at 7168 bytes 1024 open\n"};
static const More open_shared = {"", "region 9 \"p\" UB int32 at 7168 bytes 1024 open\n"
                                     "region 10 \"q\" UB int32 at 7232 bytes 64\n"};

static const More open_inside = {"", "region 9 \"p\" UB int32 at 7168 bytes 64 open\n"
                                     "region 10 \"q\" UB int32 at 7200 bytes 64\n"};

typedef struct Row {
    const char *verdicts; /* P9 to P12 */
    int cores;
    uint64_t budget;
    const More *more;
    const char *body;
} Row;

static const Row rows[] = {
    /* P9: bytes */
    {"pppp", 1, 0, &plain, ""},
    {"rppp", 1, 0, &plain, USE("2, 0")},
    {"pppp", 1, 0, &plain, DUP("2, 0") USE("2, 0")},
    {"rppp", 1, 0, &plain, DUP("2, 4") USE("2, 0")},
    {"rppp", 1, 0, &plain, DUP("2, 0") USE("2, 32")},
    {"pppp", 1, 0, &plain, USE("2, 4")}, /* not aligned: its core stops */
    {"rppp", 1, 0, &plain, MASKED("bits(239, 0)", "2, 0") USE("2, 0")},
    {"pppp", 1, 0, &plain,
     MASKED("bits(239, 0)", "2, 0") MASKED("bits(16, 0)", "2, 0") USE("2, 0")},
    {"pppp", 1, 0, &plain, MOVE("2, 0", "0, 0") USE("2, 0")},
    {"rppp", 1, 0, &plain, MOVE("2, 0", "0, 256") USE("2, 0")}, /* after its data */
    {"rppp", 1, 0, &plain, MOVE("2, 0", "0, 240") USE("2, 0")},
    {"rppp", 1, 0, &plain, MOVE("2, 0", "5, 0") USE("2, 0")},
    {"nppp", 2, 0, &plain,
     MOVE("2, 0", "5, 0") USE("2, 0")}, /* another core might have */
    {"pppp", 1, 0, &plain, MOVE("2, 0", "8, 0") USE("2, 0")},
    {"pppp", 1, 0, &plain, MOVE("2, 0", "4, 64") USE("2, 0")},
    {"pppp", 1, 0, &plain, "r0 = load checked int32[0, 0]\n"},
    {"rppp", 1, 0, &plain, "r0 = load int64[5, 0]\n"},
    {"pppp", 1, 0, &plain, "store int64[5, 0] 0\nr0 = load int64[5, 0]\n"},
    {"pppp", 1, 0, &plain,
     "r0 = load checked int64[4, 64]\nstore checked int64[4, 64] 0\n"},
    {"pppp", 1, 0, &plain, "r0 = load int32[8, 4]\nr1 = load uint32[7, 0]\n"},
    {"rppp", 1, 0, &plain, "r0 = load int32[2, 0]\n"},
    {"pppp", 1, 0, &plain, "store int32[2, 0] 1\nr0 = load int32[2, 0]\n"},
    {"rppp", 1, 0, &plain, "store int32[2, 0] 1\nr0 = load int32[2, 4]\n"},
    {"pppp", 1, 0, &plain, HALF("1")},
    {"nppp", 1, 0, &plain, NUMBERS HALF("r7")},
    /* copies carry what is known */
    {"rppp", 1, 0, &plain, MOVE("2, 0", "2, 32") USE("2, 0")},
    {"pppp", 1, 0, &plain, DUP("2, 32") MOVE("2, 0", "2, 32") USE("2, 0")},
    {"pppp", 1, 0, &plain, DUP("2, 0") BURSTS("2, 64", "2, 0", "2", "1", "-1", "0")},
    {"rppp", 1, 0, &plain,
     DUP("2, 0") BURSTS("2, 64", "2, 0", "2", "1", "0", "0") USE("2, 96")},
    {"pppp", 1, 0, &plain,
     DUP("2, 0") DUP("2, 64") BURSTS("2, 128", "2, 0", "2", "1", "1", "0") USE("2, 128")
         USE("2, 160")},
    {"rppp", 1, 0, &plain,
     DUP("2, 0") BURSTS("2, 128", "2, 0", "1", "2", "0", "0") USE("2, 160")},
    /* registers */
    {"rppp", 1, 0, &plain, "r0 = add int32 r1 0\n"},
    {"pppp", 1, 0, &plain,
     "r1 = add int32 1 0\nr0 = add int32 r1 0\nr0 = not int32 r0\n"},
    {"rppp", 1, 0, &plain, "store int32[2, 0] r0\n"},
    {"rppp", 1, 0, &plain, LOOP("s0", "0", "r0") END("s0")},
    {"rppp", 1, 0, &plain, "if r0\nendif\n"},
    {"rppp", 1, 0, &plain, DUP("2, 0, 32*r0")},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\nr0 = add int32 1 0\nendif\nr1 = add int32 r0 0\n"},
    {"pppp", 1, 0, &plain,
     NUMBERS
     "if r9\nr0 = add int32 1 0\nelse\nr0 = add int32 5 0\nendif\nr1 = add int32 r0 0\n"},
    {"pppp", 1, 0, &plain,
     NUMBERS
     "r0 = add int64 r9 9223372036854775807\nr0 = mul int64 r0 3\n"
     "r1 = cast float32 int32 r9\nr1 = add float32 r1 r1\nr1 = cast int32 float32 r1\n"},
    /* branches */
    {"nppp", 1, 0, &plain, NUMBERS "if r9\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS "if r9\n" DUP("2, 0") "else\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS "if r7\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS "r0 = sub int32 0 r7\nif r0\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain,
     "if 1\n" DUP("2, 0") "else\n" USE("2, 0") "endif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain,
     "if 0\n" USE("2, 0") "else\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"rppp", 1, 0, &plain, "if 0\n" DUP("2, 0") "endif\n" USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS "if r9\n" USE("2, 0") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\nreturn\nendif\n" DUP("2, 0") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS "if r9\nreturn\nendif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\nreturn\nelse\nreturn\nendif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS "if r9\n" DUP("2, 0") "else\nreturn\nendif\n" USE("2, 0")},
    {"pppp", 1, 0, &plain, "return\n" USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS
     "if r9\nif r8\n" DUP("2, 0") "return\nendif\n" DUP("2, 0") "endif\n" USE("2, 0")},
    /* loops that are followed */
    {"pppp", 1, 0, &plain,
     LOOP("s0", "0", "4") DUP("2, 0, 32*s0") END("s0") USE("2, 96")},
    {"rppp", 1, 0, &plain,
     LOOP("s0", "0", "4") DUP("2, 0, 32*s0") END("s0") USE("2, 128")},
    {"rppp", 1, 0, &plain,
     LOOP("s0", "0", "4") USE("2, 0, 32*s0") DUP("2, 0, 32*s0") END("s0")},
    {"rppp", 1, 0, &plain,
     LOOP("s0", "0", "4") "r0 = eq int32 s0 2\nif r0\nbreak\nendif\n" DUP("2, 0, 32*s0")
         END("s0") USE("2, 64")},
    {"pppp", 1, 0, &plain,
     LOOP("s0", "0", "4") "r0 = eq int32 s0 2\nif r0\nbreak\nendif\n" DUP("2, 0, 32*s0")
         END("s0") USE("2, 32")},
    {"rppp", 1, 0, &plain,
     LOOP("s0", "0", "4") "r0 = eq int32 s0 2\nif r0\ncontinue\nendif\n" DUP(
         "2, 0, 32*s0") END("s0") USE("2, 96") USE("2, 64")},
    {"pppp", 1, 0, &plain,
     LOOP("s0", "0", "4") "r0 = eq int32 s0 2\nif r0\ncontinue\nendif\n" DUP(
         "2, 0, 32*s0") END("s0") USE("2, 96")},
    {"pppp", 1, 0, &plain, LOOP("s0", "0", "4") "return\n" END("s0") USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "4") "if r9\nbreak\nendif\n" DUP("2, 0, 32*s0") END("s0")
         USE("2, 32")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "4") "if r9\ncontinue\nendif\n" DUP("2, 0, 32*s0") END("s0")
         USE("2, 32")},
    {"pppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "4") DUP(
         "2, 0, 32*s0") "if r9\ncontinue\nelse\nbreak\nendif\n" END("s0") USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "4") DUP(
         "2, 0, 32*s0") "if r9\ncontinue\nelse\nbreak\nendif\n" END("s0") USE("2, 32")},
    {"pppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "4") DUP("2, 0") "if r9\ncontinue\nendif\nreturn\n" END("s0")
         USE("2, 0")},
    /* loops of any number of iterations */
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r8") DUP("2, 0") END("s0") USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") DUP("2, 0") END("s0") USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") DUP("2, 0, 32*s0") END("s0") USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") USE("2, 0") DUP("2, 0") END("s0")},
    {"nppp", 1, 0, &plain, NUMBERS LOOP("s0", "0", "r8") USE("2, 0") END("s0")},
    {"rppp", 1, 0, &plain, NUMBERS LOOP("s0", "0", "r7") USE("2, 0") END("s0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") "if r9\nbreak\nendif\n" DUP("2, 0") END("s0")
         USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") DUP("2, 0") "break\n" END("s0") USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") DUP("2, 0") "return\n" END("s0") USE("2, 64")},
    {"pppp", 1, 0, &plain, LOOP("s0", "3", "3") USE("2, 0") END("s0")},
    {"pppp", 1, 0, &plain, NUMBERS LOOP("s0", "r8", "0") USE("2, 0") END("s0")},
    {"nppp", 1, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") "r1 = add int32 r0 1\n"
                                   "r0 = add int32 1 0\n" END("s0")},
    /* what a loop knows goes from copy to copy, one for each iteration */
    {"nppp", 1, 0, &plain,
     NUMBERS DUP("2, 0") DUP("2, 32") DUP("2, 64") DUP("2, 96") DUP("2, 128")
         DUP("2, 160") DUP("2, 192") DUP("2, 224") DUP("2, 256") LOOP("s0", "0", "r7")
             USE("2, 0") MOVE("2, 0", "2, 32") MOVE("2, 32", "2, 64")
                 MOVE("2, 64", "2, 96") MOVE("2, 96", "2, 128") MOVE("2, 128", "2, 160")
                     MOVE("2, 160", "2, 192") MOVE("2, 192", "2, 224")
                         MOVE("2, 224", "2, 256") MOVE("2, 256", "2, 288") END("s0")},
    {"nppp", 1, 0, &plain,
     NUMBERS "r0 = add int32 0 0\n" DUP("2, 0") DUP("2, 32") LOOP("s0", "0", "r7")
         USE("2, 0, 32*r0") "r0 = add int64 r0 1\nif r9\nr0 = and bool 1 1\nendif\n" END(
             "s0")},
    /* places and shapes that are not known */
    {"nppp", 1, 0, &plain, NUMBERS DUP("2, 0") USE("2, 0, 32*r8")},
    {"pppp", 1, 0, &plain,
     NUMBERS DUP("2, 0") DUP("2, 32") DUP("2, 64") DUP("2, 96") USE("2, 0, 32*r8")},
    {"nppp", 1, 0, &plain, NUMBERS DUP("2, 0, 32*r8") USE("2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS DUP("2, 0") DUP("2, 0, 32*r8") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS DUP("2, 0") USE("2, 0, 32*r9")},
    {"nppp", 1, 0, &plain,
     NUMBERS "r9 = load int64[6, 0]\n" DUP("2, 0") USE("2, 0, 4194304*r9")},
    {"nppp", 1, 0, &plain,
     NUMBERS "r9 = load int64[6, 0]\n" DUP("2, 0") USE("2, 8, 1*r9, 1*r9")},
    {"nppp", 1, 0, &plain, NUMBERS "r0 = load int32[2, 0, 4*r8]\n"},
    {"pppp", 1, 0, &plain, NUMBERS DUP("2, 0") "r0 = load int32[2, 0, 4*r8]\n"},
    {"nppp", 1, 0, &plain, NUMBERS "store int32[2, 0, 4*r8] 0\nr0 = load int32[2, 0]\n"},
    {"nppp", 1, 0, &plain, NUMBERS "r0 = load checked int32[2, 0, 4*r9]\n"},
    {"pppp", 1, 0, &plain,
     NUMBERS "if r9\nr0 = load checked int32[2, 8000, 4*r7]\nendif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS BURSTS("2, 0", "0, 0", "r7", "1", "0", "0") USE("2, 0")},
    {"nppp", 1, 0, &plain,
     NUMBERS DUP("2, 0") BURSTS("2, 32", "2, 0", "1", "1", "r8", "0") USE("2, 32")},
    {"nppp", 1, 0, &plain, NUMBERS MOVE("2, 0, 32*r8", "0, 0") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS MOVE("2, 0", "2, 64, 32*r8") USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS DUP("2, 64") DUP("2, 96") DUP("2, 128") DUP("2, 160")
         MOVE("2, 0", "2, 64, 32*r8") USE("2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS MOVE("2, 0", "0, 0, 32*r8") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS MOVE("2, 0", "0, 192, 32*r8") USE("2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS DUP("2, 0") MOVE("2, 0, 32*r8", "0, 0") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS DUP("2, 0") MOVE("2, 0, 32*r8", "5, 0") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS MASKED("bits(r9, r8)", "2, 0") USE("2, 0")},
    {"nppp", 1, 0, &plain, NUMBERS MASKED("count(r7)", "2, 0") USE("2, 0")},
    {"pppp", 1, 0, &plain,
     NUMBERS MOVE("4, 0, 32*r8", "6, 0") MOVE("2, 0", "4, 0, 32*r8") USE("2, 0")},
    /* an instruction that is wrong stops its core, so it accesses nothing */
    {"pppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0", "2, 32", "-1", "1", "0", "0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "-1", "1", "0", "0")
         USE("2, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "1", "-1", "0", "0")
         USE("2, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "1073741824", "1", "0", "0")
         USE("2, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "1", "1073741824", "0", "0")
         USE("2, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "2", "1", "1073741824", "0")
         USE("2, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "2", "1", "-1073741824", "0")
         USE("2, 0") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\n" USE("2, 4096, 32*r8") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\n" USE("2, -4096, 32*r8") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" BURSTS("2, 0, 32*r8", "2, 32", "1", "4095", "0", "0")
         USE("2, 0") "endif\n"},
    /* P9 and P12 of additions to arguments: they compute with what is there */
    {"rppp", 1, 0, &output,
     DUP("2, 0") DUP("2, 32") ATOMIC("2") BURSTS("9, 0", "2, 0", "1", "2", "0", "0")},
    {"pppp", 1, 0, &output,
     DUP("2, 0") DUP("2, 32") BURSTS("9, 0", "2, 0", "1", "2", "0", "0") ATOMIC("2")
         MOVE("9, 0", "2, 0")},
    {"pppp", 1, 0, &plain, DUP("2, 0") ATOMIC("2") MOVE("1, 0", "2, 0")},
    {"rppp", 1, 0, &plain, ATOMIC("2") MOVE("1, 0", "2, 0")},
    {"pppr", 1, 0, &plain, ATOMIC("2") ATOMIC("0") MOVE("1, 0", "2, 0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") ATOMIC("r8")
         BURSTS("9, 0", "2, 0", "1", "2", "0", "0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "if r9\n" ATOMIC("2") "endif\n" BURSTS(
         "9, 0", "2, 0", "1", "2", "0", "0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "if r9\n" ATOMIC("r8") "endif\n" BURSTS(
         "9, 0", "2, 0", "1", "2", "0", "0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "if r9\n" ATOMIC("r8") "else\n" ATOMIC(
         "r8") "endif\n" BURSTS("9, 0", "2, 0", "1", "2", "0", "0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "store uint32[7, 84, 4*r8] 0\n" BURSTS(
         "9, 0", "2, 0", "1", "2", "0", "0")},
    {"pppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "store uint32[7, 88] 0\n" BURSTS(
         "9, 0", "2, 0", "1", "2", "0", "0")},
    {"pnpp", 2, 0, &plain, NUMBERS DUP("2, 0") ATOMIC("r8") MOVE("1, 0", "2, 0")},
    /* P12: outputs */
    {"pppr", 1, 0, &output, ""},
    {"pppr", 1, 0, &output, DUP("2, 0") MOVE("9, 0", "2, 0")},
    {"pppp", 1, 0, &output, DUP("2, 0") MOVE("9, 0", "2, 0") MOVE("9, 32", "2, 0")},
    {"pppp", 1, 0, &output, DUP("2, 0") MOVE("9, 32", "2, 0") MOVE("9, 0", "2, 0")},
    {"pppr", 1, 0, &output, DUP("2, 0") MOVE("9, 32", "2, 0")},
    {"pppr", 1, 0, &output, "store int32[9, 8] 0\nstore int32[9, 24] 0\n"},
    {"pppr", 1, 0, &output,
     DUP("2, 0") MOVE("9, 0", "2, 0")
         MOVE("9, 32", "2, 32")}, /* what was moved was not written */
    {"pppp", 1, 0, &output,
     LOOP("s0", "0", "16") "store int32[9, 0, 4*s0] s0\n" END("s0")},
    {"pppp", 1, 0, &output,
     LOOP("s0", "0", "16") "store int32[9, 60, -4*s0] s0\n" END("s0")},
    {"pppn", 1, 0, &output,
     NUMBERS "if r9\nreturn\nendif\n" DUP("2, 0") MOVE("9, 0", "2, 0")
         MOVE("9, 32", "2, 0")},
    {"pppn", 1, 0, &output,
     NUMBERS DUP("2, 0") "if r9\n" MOVE("9, 0", "2, 0") MOVE("9, 32", "2, 0") "endif\n"},
    {"pppn", 1, 0, &output,
     NUMBERS DUP("2, 0")
         MOVE("9, 0", "2, 0") "r8 = and int32 r8 1\n" MOVE("9, 0, 32*r8", "2, 0")},
    {"pppr", 1, 0, &output,
     NUMBERS DUP("2, 0") MOVE("9, 0", "2, 0")
         LOOP("s0", "0", "4") "if r9\ncontinue\nendif\n" END("s0")},
    {"pppr", 2, 0, &output, DUP("2, 0") "if core\n" MOVE("9, 0", "2, 0") "endif\n"},
    {"pppp", 2, 0, &output, DUP("2, 0") MOVE("9, 0, 32*core", "2, 0")},
    {"rppp", 1, 0, &output,
     DUP("2, 0") MOVE("9, 0", "2, 0") MOVE("2, 32", "9, 0") USE("2, 32")
         MOVE("2, 32", "9, 32") USE("2, 32") MOVE("9, 32", "2, 0")},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") MOVE("9, 0, 32*r8", "2, 0") MOVE("2, 32", "9, 32") USE("2, 32")
         MOVE("9, 0", "2, 0") MOVE("9, 32", "2, 0")},
    {"pppp", 1, 0, &short_output, DUP("2, 0") MOVE("9, 0", "2, 0")},
    {"pppp", 1, 0, &short_output, MASKED("count(6)", "2, 0") MOVE("9, 0", "2, 0")},
    {"pppr", 1, 0, &short_output, MASKED("count(5)", "2, 0") MOVE("9, 0", "2, 0")},
    {"pppr", 1, 0, &short_output, MOVE("9, 32", "2, 0")},
    {"pppn", 1, 0, &short_output, NUMBERS DUP("2, 0") MOVE("9, 0, 32*r8", "2, 0")},
    {"pppn", 1, 0, &open_output, DUP("2, 0") MOVE("9, 0", "2, 0")},
    {"pppn", 1, 0, &open_output, MOVE("9, 0", "2, 0")},
    {"pppp", 1, 0, &open_input, MOVE("2, 0", "9, 0") USE("2, 0")},
    {"nppp", 1, 0, &open_workspace, MOVE("2, 0", "9, 0") USE("2, 0")},
    {"nppp", 1, 0, &open_region, DUP("9, 0") USE("9, 0")},
    {"nppp", 1, 0, &open_region, DUP("9, 0") MOVE("2, 0", "9, 0") USE("2, 0")},
    {"pppn", 1, 0, &open_region, DUP("9, 0") MOVE("1, 0", "9, 0")},
    {"pppp", 1, 0, &open_region, DUP("2, 0") MOVE("9, 0", "2, 0")},
    /* P11 */
    {"rpnp", 1, 0, &open_shared, DUP("9, 0") USE("10, 0")},
    {"ppnp", 1, 0, &open_shared, DUP("10, 0") DUP("9, 0") USE("10, 0")},
    {"ppnp", 1, 0, &open_shared, DUP("10, 0") MOVE("9, 0", "0, 0") USE("10, 0")},
    {"pppp", 1, 0, &open_shared, DUP("10, 0") DUP("2, 0") USE("10, 0")},
    {"npnp", 1, 0, &open_shared, DUP("9, 0") USE("9, 0")},
    {"npnp", 1, 0, &open_shared, DUP("9, 0") MOVE("2, 0", "9, 0") USE("2, 0")},
    {"pppp", 1, 0, &shared, DUP("9, 0") USE("9, 0")},
    {"pprp", 1, 0, &shared, DUP("9, 32") DUP("10, 0") USE("9, 32")},
    {"pppp", 1, 0, &shared, DUP("9, 0") DUP("10, 0") USE("9, 0")},
    {"pprp", 1, 0, &shared, DUP("9, 32") USE("10, 0")},
    {"pppp", 1, 0, &shared, DUP("9, 32") DUP("10, 0") DUP("9, 32") USE("9, 32")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 32") "if r9\n" DUP("10, 0") "endif\n" USE("9, 32")},
    {"nppp", 1, 0, &shared, NUMBERS "if r9\n" DUP("10, 0") "endif\n" USE("10, 0")},
    {"nppp", 1, 0, &shared, NUMBERS "if r9\nelse\n" DUP("10, 0") "endif\n" USE("10, 0")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 32") "r8 = and int32 r8 1\n" DUP("10, 0, 32*r8") USE("9, 32")},
    {"pprp", 1, 0, &shared, DUP("9, 32") DUP("10, 0") MOVE("2, 0", "9, 32")},
    {"pprp", 1, 0, &shared, DUP("9, 32") DUP("10, 0") MOVE("1, 0", "9, 32")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 0") DUP("9, 32")
         DUP("10, 0") "r8 = and int32 r8 1\n" MOVE("2, 0", "9, 0, 32*r8")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 32")
         DUP("10, 0") "r8 = and int32 r8 1\n" MOVE("2, 0, 32*r8", "9, 32")},
    {"npnp", 1, 0, &shared, NUMBERS "if r9\n" DUP("9, 32") "endif\n" USE("10, 0")},
    {"npnp", 1, 0, &shared, NUMBERS "if r9\nelse\n" DUP("9, 32") "endif\n" USE("10, 0")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 32") "r8 = and int32 r8 1\n" MOVE("10, 0, 32*r8", "0, 0")
         USE("9, 32")},
    {"ppnp", 1, 0, &shared,
     NUMBERS DUP("9, 0") DUP("9, 32")
         DUP("10, 0") "r8 = and int32 r8 1\n" USE("9, 0, 32*r8")},
    {"pppp", 1, 0, &shared, MOVE("9, 32", "0, 0") USE("9, 32")},
    {"pppp", 1, 0, &shared, DUP("2, 0") MOVE("9, 32", "2, 0") USE("9, 32")},
    /* P10 */
    {"prpp", 2, 0, &plain, DUP("2, 0") MOVE("1, 0", "2, 0")},
    {"pppp", 2, 0, &plain, DUP("2, 0") MOVE("1, 0, 32*core", "2, 0")},
    {"pppp", 2, 0, &plain, MOVE("2, 0", "0, 0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") MOVE("1, 0, 32*core", "2, 0") MOVE("2, 0", "1, 0")},
    {"prpp", 2, 0, &plain,
     MOVE("2, 0", "1, 0") DUP("2, 0") MOVE("1, 0, 32*core", "2, 0")},
    {"pppp", 2, 0, &plain, DUP("2, 0") ATOMIC("2") MOVE("1, 0", "2, 0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") ATOMIC("2") MOVE("1, 0", "2, 0") MOVE("2, 0", "1, 0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") "if core\n" ATOMIC("2") "endif\n" MOVE("1, 0", "2, 0")},
    {"pnpp", 2, 0, &plain, NUMBERS DUP("2, 0") "if r9\n" MOVE("1, 0", "2, 0") "endif\n"},
    {"pnpp", 2, 0, &plain, NUMBERS DUP("2, 0") MOVE("1, 0, 32*r8", "2, 0")},
    {"pnpp", 2, 0, &plain, DUP("2, 0") MOVE("4, 0", "2, 0")},
    {"pppp", 2, 0, &plain, MOVE("2, 0", "4, 0")},
    {"pnpp", 2, 0, &plain, DUP("2, 0") MOVE("4, 0", "2, 0") MOVE("2, 0", "4, 64")},
    {"pppp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "4") MOVE("1, 0, 32*s0, 128*core", "2, 0") END("s0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "4") MOVE("1, 0, 32*s0, 96*core", "2, 0") END("s0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "4") MOVE("1, 96, -32*s0, 96*core", "2, 0") END("s0")},
    {"prpp", 3, 0, &plain, DUP("2, 0") "if core\n" MOVE("1, 0", "2, 0") "endif\n"},
    {"prpp", 3, 0, &plain,
     "r0 = load int32[0, 0, 64*core]\nr0 = eq int32 core 1\nif r0\n" MOVE("2, 0", "1, 0")
         MOVE("2, 0", "1, 64") "else\n" DUP("2, 0")
             BURSTS("1, 0, 16*core", "2, 0", "1", "1", "0", "0") "endif\n"},
    /* meetings */
    {"pppp", 2, 0, &plain,
     DUP("2, 0") MOVE("1, 0, 32*core", "2, 0") MEET MOVE("2, 0", "1, 0")},
    {"prpp", 2, 0, &plain,
     MEET DUP("2, 0") MOVE("1, 0, 32*core", "2, 0") MOVE("2, 0", "1, 0")},
    {"prpp", 2, 0, &plain,
     LOOP("s0", "0", "3") DUP("2, 0") MOVE("1, 0, 32*core", "2, 0")
         MEET MOVE("2, 0", "1, 32, -32*core") END("s0")},
    {"pppp", 2, 0, &plain,
     LOOP("s0", "0", "3") DUP("2, 0") MOVE("1, 0, 32*core", "2, 0")
         MEET MOVE("2, 0", "1, 32, -32*core") MEET END("s0")},
    {"pnpp", 2, 0, &plain,
     NUMBERS LOOP("s0", "0", "r7") DUP("2, 0") MOVE("1, 0, 32*core", "2, 0")
         MEET MOVE("2, 0", "1, 32, -32*core") END("s0")},
    {"pnpp", 2, 0, &plain,
     NUMBERS DUP("2, 0") MOVE("1, 0, 32*core", "2, 0") "if r9\n" MEET "endif\n" MOVE(
         "2, 0", "1, 32, -32*core")},
    {"pnpp", 2, 0, &plain,
     NUMBERS DUP("2, 0") MOVE("1, 0", "2, 0") "if r9\n" MEET "endif\n"},
    {"prpp", 2, 0, &plain,
     NUMBERS DUP("2, 0") MOVE("1, 0", "2, 0") MEET "if r9\n" MEET "endif\n"},
    {"pnpp", 2, 0, &plain,
     NUMBERS "if core\n" MEET DUP("2, 0") MOVE("1, 0", "2, 0") MEET
     "else\nif r9\n" MEET "endif\n" MEET MOVE("2, 0", "1, 0") "endif\n"},
    {"pppp", 2, 0, &plain,
     "if core\nstore int64[5, 0] 1\nendif\n" MEET "r0 = load int64[5, 0]\n"},
    {"nppp", 2, 0, &plain,
     "if core\nstore int64[5, 0] 1\nendif\n" MEET "r0 = load int64[5, 8]\n"},
    {"nrpp", 2, 0, &plain,
     MEET "if core\nstore int64[5, 0] 1\nendif\nr0 = load int64[5, 0]\n"},
    {"nnpp", 2, 0, &plain,
     NUMBERS "if r9\n" MEET "endif\nif core\nstore int64[5, 0] 1\nendif\n" MEET
             "r0 = load int64[5, 0]\n"},
    {"pppp", 1, 0, &plain, MEET MOVE("2, 0", "0, 0") MEET},
    {"pppp", 2, 0, &plain, LOOP("s0", "0", "70") MEET END("s0") MOVE("2, 0", "0, 0")},
    {"nppp", 2, 0, &plain,
     "if core\nstore int64[5, 0] 1\nendif\n" LOOP("s0", "0", "70")
         MEET END("s0") "r0 = load int64[5, 0]\n"},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "2") MOVE("1, 0", "2, 0") MEET END("s0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "2") ATOMIC("s0") MOVE("1, 0", "2, 0") END("s0")},
    {"pnpp", 2, 0, &plain,
     NUMBERS DUP("2, 0")
         LOOP("s0", "0", "2") "r6 = eq int32 core s0\nif r6\nif "
                              "r9\nreturn\nendif\nendif\n" MOVE("1, 0, 64*core", "2, 0")
                                  MOVE("1, 32", "2, 0") END("s0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") LOOP("s0", "0", "3") MOVE("1, 192, -64*s0", "2, 0") END("s0")},
    {"prpp", 2, 0, &plain,
     DUP("2, 0") DUP("2, 32") "r0 = add int32 core 1\n"
                              "if core\n" MOVE("1, 0", "2, 0") "else\n" BURSTS(
                                  "1, 0", "2, 0", "1", "2", "0", "0") "endif\n"},
    {"prpp", 3, 0, &plain,
     DUP("2, 0") DUP("2, 32") DUP("2, 64") ONE_TWO "if r0\n" BURSTS(
         "1, 0", "2, 0", "1", "2", "0",
         "0") "endif\n"
              "if r1\n" BURSTS(
                  "1, 0", "2, 0", "1", "3",
                  "0", "0") "endif\n"
                            "if core\nelse\n" MOVE("1, 0", "2, 0") "endif\nif r1\n" MOVE(
                                "1, 128", "2, 0") "endif\n"},
    {"pnpp", 2, 0, &plain,
     NUMBERS DUP("2, 0") "if core\nif r9\n" MOVE("1, 0", "2, 0") "endif\nelse\n" MOVE(
         "1, 0", "2, 0") "endif\n"},
    {"pnpp", 2, 0, &plain,
     NUMBERS DUP("2, 0") "if core\n" MOVE("1, 0", "2, 0") "else\nif r9\n" MOVE(
         "1, 0", "2, 0") "endif\nendif\n"},
    {"prpp", 2, 0, &wide_workspace, DUP("2, 0") MOVE("9, 0", "2, 0")},
    {"pnpp", 2, 0, &plain,
     DUP("2, 0") ATOMIC("2") MOVE("4, 64", "2, 0") ATOMIC("0") MOVE("2, 0", "4, 64")},
    {"pppp", 2, 0, &plain, DUP("2, 0") ATOMIC("2") MOVE("4, 64", "2, 0")},
    {"pnpp", 1, 0, &any_cores, MOVE("2, 0", "0, 0") USE("2, 0")},
    {"rnpp", 2, 0, &any_cores, MOVE("2, 0", "0, 0") USE("2, 32")},
    /* what else additions and joins meet */
    {"pppn", 1, 0, &output, NUMBERS "if r9\nreturn\nendif\n"},
    {"nppp", 1, 0, &output,
     NUMBERS DUP("2, 0") DUP("2, 32") "if r9\nelse\n" ATOMIC("r8") "endif\n" BURSTS(
         "9, 0", "2, 0", "1", "2", "0", "0")},
    {"nppn", 1, 0, &open_output, DUP("2, 0") ATOMIC("2") MOVE("9, 0", "2, 0")},
    {"pppp", 1, 0, &plain, NUMBERS DUP("2, 0") ATOMIC("2") MOVE("1, 0, 32*r8", "2, 0")},
    {"nppn", 1, 0, &output,
     NUMBERS DUP("2, 0") ATOMIC("2") "r8 = and int32 r8 1\n" MOVE("9, 0, 32*r8", "2, 0")},
    {"pppr", 1, 0, &output,
     "store int32[9, 0] 0\nstore int32[9, 24] 0\nstore int32[9, 8] 0\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "r6 = and int32 r9 1023\nif r9\nr6 = rem int32 r6 7\nelse\nr6 = mul int32 "
             "r8 2\nendif\n" USE("2, 0, 32*r6")},
    {"nppp", 1, 0, &plain,
     NUMBERS "r6 = and int32 r9 1023\nif r9\nr6 = mul int32 r8 2\nelse\nr6 = rem int32 "
             "r6 7\nendif\n" USE("2, 0, 32*r6")},
    {"nppp", 1, 0, &plain,
     NUMBERS DUP("2, 0") "r6 = and int32 r9 3\n" USE(
         "2, 0, 2305843009213693952*r8, 2305843009213693952*r6")},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" MOVE("2, -64", "0, 0, 32*r8") USE("2, 0") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\n" MOVE("2, 0, 32*r8", "0, 4096") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\n" MOVE("2, 0", "0, 4096, 32*r8") "endif\n"},
    {"pppp", 1, 0, &plain, NUMBERS "if r9\n" MOVE("2, 5000, 32*r8", "0, 0") "endif\n"},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" USE("2, 8190, 32*r8") USE("2, 4000") "endif\n"},
    {"rprp", 1, 0, &shared, MOVE("9, 32", "0, 256") USE("10, 0")},
    {"npnp", 1, 0, &open_inside, DUP("10, 0") DUP("9, 0") USE("10, 0") USE("9, 0")},
    {"rppp", 1, 0, &plain,
     "loop s0 = 0 4 @ \"k.tik\" 1:1 named \"i\" int32 s0\nr0 = add int32 s0 1 @ "
     "\"k.tik\" 2:1 named \"v\" int32 r0\n" USE("2, 0, 32*r0") END("s0")},
    /* with less work than they have steps: loops write together what has no gaps */
    {"pppp", 1, 300, &wide,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, 0, 32*s0", "2, 0") END("s0")},
    {"pppp", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, 0, 32*s0", "2, 0") END("s0")},
    {"pppn", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "63") MOVE("9, 0, 32*s0", "2, 0") END("s0")},
    {"pppn", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "32") MOVE("9, 0, 64*s0", "2, 0") END("s0")},
    {"pppp", 1, 2000, &wider,
     DUP("2, 0") LOOP("s0", "0", "64") LOOP("s1", "0", "16")
         MOVE("9, 0, 512*s0, 32*s1", "2, 0") END("s1") END("s0")},
    {"pppp", 1, 2000, &wider,
     DUP("2, 0") LOOP("s0", "0", "64") LOOP("s1", "0", "16")
         MOVE("9, 0, 32*s0, 2048*s1", "2, 0") END("s1") END("s0")},
    {"pppn", 1, 1900, &wider,
     DUP("2, 0") LOOP("s0", "0", "60") LOOP("s1", "0", "16")
         MOVE("9, 0, 544*s0, 32*s1", "2, 0") END("s1") END("s0")},
    {"pppp", 1, 120, &wide,
     DUP("2, 0") LOOP("s0", "0", "2") LOOP("s1", "0", "32")
         MOVE("9, 0, 1024*s0, 32*s1", "2, 0") END("s1") END("s0")},
    {"pppn", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, 2016, -32*s0", "2, 0") END("s0")},
    {"pppn", 1, 80, &wide,
     NUMBERS DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, 0, 32*s0, 32*r8", "2, 0")
         END("s0")},
    {"pppn", 1, 80, &wide,
     NUMBERS DUP("2, 0") LOOP("s0", "0", "64")
         BURSTS("9, 0, 32*s0", "2, 0", "r7", "1", "-1", "0") END("s0")},
    {"pppn", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "64") BURSTS("9, 0, 32*s0", "2, 0", "2", "1", "-1", "1")
         END("s0")},
    {"pppn", 1, 250, &wide,
     NUMBERS DUP("2, 0") LOOP("s0", "0", "64") "if r9\nbreak\nendif\n" MOVE(
         "9, 0, 32*s0", "2, 0") END("s0")},
    {"pppn", 1, 80, &wide,
     NUMBERS DUP("2, 0") LOOP("s0", "0", "64")
         MOVE("9, 0, 32*s0", "2, 0") "if r9\nreturn\nendif\n" END("s0")},
    {"pppn", 1, 80, &wide,
     NUMBERS DUP("2, 0") "if r9\n" LOOP("s0", "0", "64") MOVE("9, 0, 32*s0", "2, 0")
         END("s0") "endif\n"},
    {"pppn", 1, 80, &wide,
     NUMBERS DUP("2, 0")
         LOOP("s0", "0", "64") "if r9\n" MOVE("9, 0, 32*s0", "2, 0") "endif\n" END("s0")},
    {"pppn", 1, 60, &wide,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, -32, 32*s0", "2, 0") END("s0")},
    {"pppn", 1, 60, &open_output,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("9, 0, 32*s0", "2, 0") END("s0")},
    {"nppp", 1, 120, &plain,
     LOOP("s0", "0", "64") DUP("2, 0, 32*s0") END("s0") USE("2, 0")},
    {"nnnn", 1, 3, &output,
     DUP("2, 0") LOOP("s0", "0", "4") MOVE("1, 0", "2, 0") END("s0")},
    {"nnnn", 1, 9, &output,
     DUP("2, 0") LOOP("s0", "0", "4") LOOP("s1", "0", "4") MOVE("1, 0", "2, 0") END("s1")
         END("s0")},
    {"nnnn", 1, 6, &plain,
     DUP("2, 0") LOOP("s0", "0", "64") MOVE("1, 0", "2, 0") MOVE("1, 32", "2, 0")
         MOVE("1, 64", "2, 0") MOVE("1, 96", "2, 0") END("s0")},
    {"nnnn", 2, 3, &plain, DUP("2, 0") MEET DUP("2, 0") DUP("2, 0") DUP("2, 0")},
    {"pppp", 1, UINT64_MAX, &plain, DUP("2, 0") USE("2, 0")},
    /* once more loops of which not all is followed */
    {"nppp", 1, 120, &plain,
     LOOP("s0", "0", "64") MASKED("bits(21845, 0)", "2, 0, 32*s0") END("s0") USE("2, 0")},
    {"nppp", 1, 120, &plain,
     LOOP("s0", "0", "64") TWICE("2, 0, 32*s0") END("s0") USE("2, 0")},
    {"pppp", 2, 0, &plain,
     NUMBERS DUP("2, 0") LOOP("s0", "0", "2") "r6 = eq int32 core s0\nif r6\nif "
                                              "r9\nreturn\nendif\nendif\n" MOVE(
                                                  "1, 0, 64*core", "2, 0") END("s0")},
    {"rppp", 1, 0, &plain,
     "r1 = add int32 1 0 @ \"k.tik\" 1:1 named \"v\" int32 r1\n"
     "loop s0 = 0 4 @ \"k.tik\" 1:1 named \"n\" int32 r1 named \"i\" int32 s0\n" USE(
         "2, 0, 32*s0") END("s0")},
    {"nppp", 1, 0, &plain,
     NUMBERS "if r9\n" MOVE("2, 16384", "0, 0, 32*r8") USE("2, 0") "endif\n"},
    {"nppn", 1, 0, &open_output, DUP("2, 0") ATOMIC("2") MOVE("9, 8388608", "2, 0")},
    {"pppp", 1, 0, &plain,
     DUP("2, 64") DUP("2, 128") BURSTS("2, 64", "0, 0", "2", "1", "0", "1")
         USE("2, 128")},
    {"pppp", 1, 0, &nothing,
     "r0 = add int32 0 0\n" BURSTS("2, 0", "2, 32", "r0", "1", "0", "0")},
    {"pppp", 1, 0, &nothing,
     "r0 = add int32 0 0\n" BURSTS("2, 0", "2, 32", "1", "r0", "0", "0")},
    {"nppp", 1, 120, &plain,
     LOOP("s0", "0", "64") APART("2, 0, 32*s0") END("s0") USE("2, 0")},
    {"rppp", 1, 120, &plain,
     LOOP("s0", "0", "64") ONE_BLOCK("2, 0, 32*s0") END("s0") USE("2, 0")},
};

/* Returns whether a row has its verdicts. */
static bool
try_row(const Row *r, size_t i)
{
    char text[40000], found[5] = "";
    TikBlob blob;
    TikBlobDiag diag;
    TikBlobProof proof;
    TikBlobProperty of[TIKBLOB_PROPERTIES];
    int n = snprintf(
        text, sizeof text, head, r->more->choice == NULL ? "" : r->more->choice, r->cores,
        r->more->flags == NULL ? "" : r->more->flags, r->more->args, r->more->regions);
    snprintf(text + n, sizeof text - (size_t)n, "%send\n", r->body);
    Bin b = assemble(text);
    if (verify_diag(&b, &proof, &diag)[0] != '\0') {
        fail_msg("row %zu is refused by %s:\n%s", i, diag.code, r->body);
    }
    assert_true(tikblob_open(&blob, b.p, b.n, &diag));
    assert_true(tikblob_properties(&blob, 0, &proof, r->budget, of));
    for (int p = TIKBLOB_DEFINED; p < TIKBLOB_PROPERTIES; p++) {
        found[p - TIKBLOB_DEFINED] = tikblob_verdict_name(of[p].verdict)[0];
    }
    free(b.p);
    if (strcmp(found, r->verdicts) == 0) {
        return true;
    }
    print_error("row %zu: expected %s, found %s:\n%s", i, r->verdicts, found, r->body);
    for (int p = TIKBLOB_DEFINED; p < TIKBLOB_PROPERTIES; p++) {
        print_error("%s %s\n", tikblob_property_number((TikBlobPropertyId)p), of[p].text);
    }
    return false;
}

/* P7 and P8 of a kernel that queues execute are what tikblob_order says. */
static void
order_is_part_of_them(void **state)
{
    (void)state;
    static const struct {
        const char *verdicts, *body;
    } queues[] = {
        {"pp", DUP("2, 0")},
        {"pr", DUP("2, 0") MOVE("2, 0", "0, 0")},
        {"rn", "wait_flag pipe=4 trigger_pipe=1 event_id=0\n"},
    };
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        char text[4000];
        TikBlob blob;
        TikBlobDiag diag;
        TikBlobProof proof;
        TikBlobProperty of[TIKBLOB_PROPERTIES];
        int n = snprintf(text, sizeof text, head, "", 1, " queues", "", "");
        snprintf(text + n, sizeof text - (size_t)n, "%send\n", queues[i].body);
        Bin b = assemble(text);
        assert_string_equal(verify_diag(&b, &proof, &diag), "");
        assert_true(tikblob_open(&blob, b.p, b.n, &diag));
        assert_true(tikblob_properties(&blob, 0, &proof, 0, of));
        assert_int_equal(tikblob_verdict_name(of[TIKBLOB_FLAGS].verdict)[0],
                         queues[i].verdicts[0]);
        assert_int_equal(tikblob_verdict_name(of[TIKBLOB_RACES].verdict)[0],
                         queues[i].verdicts[1]);
        free(b.p);
    }
}

static void
verdicts(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wrong += !try_row(&rows[i], i);
    }
    assert_int_equal(wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(order_is_part_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
