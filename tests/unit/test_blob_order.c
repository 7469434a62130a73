/* test_blob_order.c: what tikblob_order says of small programs of queues, by what
 * docs/blob-format.md (Queues) demands: a table of texts, each with the finding that its
 * kernel has, or none. tests/unit/test_sync.c compares the proof with all interleavings;
 * here are the numbers, loops, jumps and pairs that a blob can have around it. */
#include "blob_parts.h"

#include "tikproof.h"

/* Descriptors. MTE2 fills 32 bytes of UB, V computes with 32 bytes of UB, MTE3 takes
 * them out; what stands in the brackets of an operand goes on after its region. */
#define IN(at)                                                                           \
    "data_move checked dst=int32[2, " at "] src=int32[0, 0] sid=0 nburst=1 burst=1"      \
    " src_stride=0 dst_stride=0 mode=0\n"
#define OUT(at)                                                                          \
    "data_move checked dst=int32[1, 0] src=int32[2, " at "] sid=0 nburst=1 burst=1"      \
    " src_stride=0 dst_stride=0 mode=0\n"
#define DUP(at)                                                                          \
    "vec_dup checked mask=count(8) dst=int32[2, " at "] scalar=0 repeat_times=1"         \
    " dst_rep_stride=8\n"
#define SET(from, to, id)                                                                \
    "set_flag checked pipe=" from " trigger_pipe=" to " event_id=" id "\n"
#define WAIT(from, to, id)                                                               \
    "wait_flag checked pipe=" from " trigger_pipe=" to " event_id=" id "\n"
#define ADDS(to, from)                                                                   \
    "vec_adds checked mask=count(8) dst=int32[2, " to "] src=int32[2, " from "]"         \
    " scalar=1 repeat_times=1 dst_rep_stride=8 src_rep_stride=8\n"
#define MASKED(mask, to)                                                                 \
    "vec_dup checked mask=" mask " dst=int32[2, " to "] scalar=0 repeat_times=1"         \
    " dst_rep_stride=8\n"
#define REPEATS(n, to)                                                                   \
    "vec_dup checked mask=count(64) dst=int32[2, " to "] scalar=0 repeat_times=" n       \
    " dst_rep_stride=8\n"
#define STRIDE(n, to)                                                                    \
    "vec_dup checked mask=count(64) dst=int32[2, " to "] scalar=0 repeat_times=2"        \
    " dst_rep_stride=" n "\n"
#define SCALAR(n, to)                                                                    \
    "vec_dup checked mask=count(8) dst=int32[2, " to "] scalar=" n " repeat_times=1"     \
    " dst_rep_stride=8\n"
#define DUP_OPEN                                                                         \
    "vec_dup checked mask=count(8) dst=int32[9, 0] scalar=0 repeat_times=1"              \
    " dst_rep_stride=8\n"
#define IN_OPEN                                                                          \
    "data_move checked dst=int32[9, 0] src=int32[0, 0] sid=0 nburst=1 burst=1"           \
    " src_stride=0 dst_stride=0 mode=0\n"
#define BACK_TO_ARGUMENT    "store checked int32[1, 0] 0\n"
#define LOAD(at)            "r8 = load checked int32[2, " at "]\n"
#define STORE(at)           "store checked int32[2, " at "] 0\n"
#define BARRIER(p)          "pipe_barrier pipe=" p "\n"
#define LOOP(s, begin, end) "loop " s " = " begin " " end "\n"
#define END(s)              "endloop " s "\n"
#define SYNC_CORES          "block_barrier checked workspace=int64[5, 0] blocks=1\n"
#define BACK                                                                             \
    "data_move dst=int32[3, 0] src=int32[1, 0] sid=0 nburst=1 burst=1 src_stride=0"      \
    " dst_stride=0 mode=0\n"
#define TABLE(at)                                                                        \
    "data_move dst=int32[2, " at "] src=int32[8, 0] sid=0 nburst=1 burst=1 src_stride=0" \
    " dst_stride=0 mode=0\n"
#define TO_LIST(at)                                                                      \
    "data_move checked dst=int32[4, 0] src=int32[2, " at "] sid=0 nburst=1 burst=1"      \
    " src_stride=0 dst_stride=0 mode=0\n"
#define FROM_LIST(at)                                                                    \
    "data_move checked dst=int32[2, " at "] src=int32[4, 64] sid=0 nburst=1 burst=1"     \
    " src_stride=0 dst_stride=0 mode=0\n"
#define S    "0"
#define V    "1"
#define MTE2 "4"
#define MTE3 "5"
#define ALL  "7"

/* A number that only the run knows, in r9; it has no order with what follows. */
#define NUMBER "r9 = load int32[6, 0]\n"

/* An id of a flag that only the run knows. */
#define ID NUMBER "r9 = and int32 r9 3\n"
/* Buffers in turn, as r gives them: V waits for the move, and the move for V. */
#define TURN(r)                                                                          \
    BARRIER(ALL) IN("0, 32*" r) SET(MTE2, V, r) WAIT(MTE2, V, r) DUP("0, 32*" r)
/* Moves to the place r0 that each iteration computes; they need not wait for each other.
 */
#define EIGHT        NUMBER "r8 = and int32 r9 7\n"
#define OWN(numbers) NUMBER LOOP("s0", "0", "6") numbers IN("0, 1*r0") END("s0")
/* Nine loops, and the sum of their counters in r0. */
#define NINE                                                                             \
    "loop s0 = 0 2\nloop s1 = 0 2\nloop s2 = 0 2\nloop s3 = 0 2\n"                       \
    "loop s4 = 0 2\nloop s5 = 0 2\nloop s6 = 0 2\nloop s7 = 0 2\n"                       \
    "loop s8 = 0 2\n"                                                                    \
    "r0 = add int32 s0 s1\nr0 = add int32 r0 s2\nr0 = add int32 r0 s3\n"                 \
    "r0 = add int32 r0 s4\nr0 = add int32 r0 s5\nr0 = add int32 r0 s6\n"                 \
    "r0 = add int32 r0 s7\nr0 = add int32 r0 s8\n"
/* Small numbers that are far numbers less far numbers, in r0. */
#define FAR                                                                              \
    ID "r0 = add int64 r9 4611686018427387904\nr0 = div int64 r0 3\n"                    \
       "r0 = sub int64 r0 1537228672809129301\n"
#define OWN1(numbers) LOOP("s0", "0", "6") numbers IN("0, 1*r0") END("s0")
/* Six loops of 8 copies each. */
#define MANY(body)                                                                       \
    "loop s0 = 0 16\nr0 = rem int32 s0 8\nloop s1 = 0 16\nr1 = rem int32 s1 8\n"         \
    "loop s2 = 0 16\nr2 = rem int32 s2 8\nloop s3 = 0 16\nr3 = rem int32 s3 8\n"         \
    "loop s4 = 0 16\nr4 = rem int32 s4 8\nloop s5 = 0 16\nr5 = rem int32 s5 8\n" body    \
    "endloop s5\nendloop s4\nendloop s3\nendloop s2\nendloop s1\nendloop s0\n"
#define NINE_END                                                                         \
    "endloop s8\nendloop s7\nendloop s6\nendloop s5\nendloop s4\nendloop s3\n"           \
    "endloop s2\nendloop s1\nendloop s0\n"

static const char head[] =
    "blob 1.0 Ascend310P3\n"
    "kernel \"t\" cores %d steps 0 queues\n"
    "peak UB 8192\n"
    "arg \"x\" input int32 (65536)\n"
    "arg \"y\" output int32 (65536)\n"
    "arg \"l\" list int64 (2)\n"
    "arg \"w\" workspace int64 (64) preset 0\n"
    "region 0 \"x\" GM int32 arg 0\n"
    "region 1 \"y\" GM int32 arg 1\n"
    "region 2 \"u\" UB int32 at 0 bytes 4096\n"
    "region 3 \"v\" UB int32 at 4096 bytes 2048\n"
    "region 4 \"l\" GM int64 list 2\n"
    "region 5 \"w\" GM int64 arg 3\n"
    "region 6 \"n\" UB int32 at 8160 bytes 32\n"
    "region 7 \"sreg\" SREG uint32 at 0 bytes 192\n"
    "region 8 \"c\" GM int32 table bytes 32\n"
    "data 0000000000000000000000000000000000000000000000000000000000"
    "000000\n"
    "region 9 \"o\" UB int32 at 6144 bytes 1024 open\n"
    "code\n";

typedef struct Row {
    const char *finding; /* "": in order */
    int cores;
    const char *body;
} Row;

static const Row rows[] = {
    /* two queues, one byte */
    {"race", 1, IN("0") DUP("0")},
    {"", 1, IN("0") DUP("32")},
    {"", 1, IN("0") SET(MTE2, V, "0") WAIT(MTE2, V, "0") DUP("0")},
    {"", 1, IN("0") BARRIER(ALL) DUP("0")},
    {"race", 1, IN("0") BARRIER(MTE2) DUP("0")},
    {"race", 1, IN("0") BARRIER(S) DUP("0")},
    {"race", 1, SET(MTE2, V, "0") WAIT(MTE2, V, "0") IN("0") DUP("0")},
    {"", 1, IN("0") SYNC_CORES DUP("0")},
    {"", 1, OUT("0") ADDS("64", "0")}, /* both read */
    {"race", 1, OUT("0") DUP("0")},
    /* pairs of one queue */
    {"race", 1, IN("0") IN("0")},
    {"", 1, IN("0") BARRIER(MTE2) IN("0")},
    {"race", 1, IN("0") BARRIER(V) IN("0")},
    {"", 1, IN("0") IN("32")},
    {"race", 1, OUT("0") OUT("32")},
    {"", 1, OUT("0") BARRIER(MTE3) OUT("32")},
    {"", 1, DUP("0") DUP("0")},
    /* flags */
    {"sync-deadlock", 1, WAIT(MTE2, V, "0")},
    {"sync-leftover", 1, SET(MTE2, V, "0")},
    {"sync-double-set", 1, SET(MTE2, V, "0") SET(MTE2, V, "0") WAIT(MTE2, V, "0")},
    {"sync-overrun", 1,
     SET(MTE2, V, "0") WAIT(MTE2, V, "0") SET(MTE2, V, "0") WAIT(MTE2, V, "0")},
    {"", 1,
     SET(MTE2, V, "0") WAIT(MTE2, V, "0") SET(V, MTE2, "0") WAIT(V, MTE2, "0")
         SET(MTE2, V, "0") WAIT(MTE2, V, "0")},
    {"", 1, SET(MTE2, V, "0") SET(MTE2, V, "1") WAIT(MTE2, V, "1") WAIT(MTE2, V, "0")},
    {"sync-unknown", 1, ID SET(MTE2, V, "r9")},
    {"sync-unknown", 1, ID WAIT(MTE2, V, "r9")},
    {"", 1, ID "r9 = and int32 r9 0\n" SET(MTE2, V, "r9") WAIT(MTE2, V, "0")},
    {"sync-leftover", 1, NUMBER "if r9\n" SET(MTE2, V, "0") "return\nendif\n"},
    {"sync-leftover", 1, "loop s0 = 0 1\n" SET(MTE2, V, "0") "return\n" END("s0")},
    {"", 1, "return\n" IN("0") DUP("0")},
    /* the dispatcher waits, and reads */
    {"race", 1, IN("0") LOAD("0")},
    {"", 1, IN("0") LOAD("32")},
    {"", 1, IN("0") SET(MTE2, S, "0") WAIT(MTE2, S, "0") LOAD("0")},
    {"", 1, IN("0") SET(MTE2, S, "0") WAIT(MTE2, S, "0") DUP("0")},
    {"race", 1, IN("0") SET(MTE2, S, "0") IN("32") WAIT(MTE2, S, "0") DUP("32")},
    {"race", 1, IN("0") STORE("0")},
    {"", 1, STORE("0") IN("0")},
    {"", 1,
     IN("0") SET(MTE2, V, "0") WAIT(MTE2, V, "0") OUT("64") SET(MTE3, S, "0")
         WAIT(MTE3, S, "0") DUP("0")},
    {"race", 1,
     IN("0") SET(MTE2, V, "0") WAIT(MTE2, V, "0") OUT("64") SET(MTE3, S, "0")
         WAIT(MTE3, S, "0") OUT("0")},
    {"", 1, SET(S, MTE2, "0") WAIT(S, MTE2, "0")},
    /* special registers: V leaves results, the others are the dispatcher's */
    {"race", 1, DUP("0") "r0 = load uint32[7, 0]\n"},
    {"", 1, DUP("0") "r0 = load uint32[7, 84]\n"},
    {"race", 1, OUT("0") "store uint32[7, 84] 0\n"},
    {"", 1, "store uint32[7, 84] 0\n" OUT("0")},
    {"", 1, OUT("0") BARRIER(ALL) "store uint32[7, 84] 0\n"},
    {"race", 1, DUP("0") "set_padding value=0\n"},
    {"", 1, "set_padding value=0\n" DUP("0")},
    /* loops: the next iteration */
    {"race", 1, LOOP("s0", "0", "2") IN("0") END("s0")},
    {"", 1, LOOP("s0", "0", "1") IN("0") END("s0")},
    {"", 1, LOOP("s0", "3", "3") IN("0") IN("0") END("s0")},
    {"", 1, LOOP("s0", "0", "4") IN("0, 32*s0") END("s0")},
    {"race", 1, LOOP("s0", "0", "4") IN("0, 16*s0") END("s0")},
    {"", 1, LOOP("s0", "0", "4") IN("0, 32*s0") END("s0") BARRIER(ALL) IN("0")},
    {"race", 1, LOOP("s0", "0", "4") IN("0, 32*s0") END("s0") DUP("96")},
    {"", 1, LOOP("s0", "0", "4") IN("0, 32*s0") END("s0") DUP("128")},
    {"race", 1,
     LOOP("s0", "0", "4") IN("0, 32*s0") BARRIER(MTE2) DUP("32, 32*s0") END("s0")},
    {"", 1, LOOP("s0", "0", "4") IN("0, 32*s0") DUP("128, 32*s0") END("s0")},
    {"race", 1,
     LOOP("s0", "0", "2") LOOP("s1", "0", "2") IN("0, 32*s1") END("s1") END("s0")},
    {"", 1,
     LOOP("s0", "0", "2") LOOP("s1", "0", "2") IN("0, 32*s1") END("s1") BARRIER(MTE2)
         END("s0")},
    {"race", 1,
     LOOP("s0", "0", "2") LOOP("s1", "0", "2") IN("0, 32*s1") END("s1") DUP("32")
         END("s0")},
    {"race", 1,
     LOOP("s0", "0", "2") DUP("32") LOOP("s1", "0", "2") IN("0, 32*s1") END("s1")
         END("s0")},
    {"race", 1,
     LOOP("s0", "0", "2") IN("0, 64*s0") LOOP("s1", "0", "2") DUP("0, 32*s1") END("s1")
         END("s0")},
    {"", 1,
     NUMBER LOOP("s0", "0", "r9") "if r9\n" BARRIER(ALL) "else\n" BARRIER(
         ALL) "endif\n" IN("0") END("s0")},
    {"race", 1,
     NUMBER LOOP("s0", "0", "r9") "if r9\n" BARRIER(ALL) "endif\n" IN("0") END("s0")},
    {"race", 1, NUMBER LOOP("s0", "r9", "4") IN("0") END("s0")},
    {"sync-double-set", 1, NUMBER LOOP("s0", "0", "r9") SET(MTE2, V, "0") END("s0")},
    {"sync-deadlock", 1,
     ID "r9 = and int32 r9 1\n" LOOP("s0", "0", "r9") SET(MTE2, V, "0") END("s0")
         WAIT(MTE2, V, "0")},
    /* jumps */
    {"sync-deadlock", 1,
     NUMBER LOOP("s0", "0", "1") "if r9\nbreak\nendif\n" SET(MTE2, V, "0") END("s0")
         WAIT(MTE2, V, "0")},
    {"sync-deadlock", 1,
     NUMBER LOOP("s0", "0", "1") "if r9\ncontinue\nendif\n" SET(MTE2, V, "0") END("s0")
         WAIT(MTE2, V, "0")},
    {"", 1,
     NUMBER LOOP("s0", "0", "1")
         SET(MTE2, V, "0") "if r9\nbreak\nelse\ncontinue\nendif\n" END("s0")
             WAIT(MTE2, V, "0")},
    {"", 1,
     NUMBER LOOP("s0", "0", "4") BARRIER(MTE2)
         IN("0") "if r9\ncontinue\nendif\n" END("s0")},
    {"race", 1,
     NUMBER LOOP("s0", "0", "4") IN("0") "if r9\ncontinue\nendif\n" BARRIER(MTE2)
         END("s0")},
    {"race", 1,
     NUMBER LOOP("s0", "0", "4") IN("0") "if r9\nbreak\nendif\n" BARRIER(ALL) END("s0")
         DUP("0")},
    {"", 1,
     NUMBER LOOP("s0", "0", "4")
         IN("0") "if r9\nif r9\nelse\nendif\nloop s1 = 0 2\nendloop s1\n" BARRIER(
             ALL) "break\nendif\n" BARRIER(ALL) END("s0") DUP("0")},
    {"race", 1,
     NUMBER LOOP("s0", "0", "4") IN("0") "if r9\nreturn\nendif\n" BARRIER(ALL) END("s0")
         DUP("0") OUT("0")},
    {"", 1, NUMBER IN("0") "if r9\nreturn\nendif\n" DUP("32")},
    /* what is carried over an iteration of which a part was left out: r1 is 0 there */
    {"race", 1,
     NUMBER SET(MTE2, V, "1") SET(V, MTE2, "0") LOOP(
         "s0", "0", "2") "r0 = rem int32 s0 2\nr2 = mul int32 r0 2\n" WAIT(V, MTE2, "0")
         SET(MTE2, V, "3") WAIT(MTE2, V, "3") IN("0, 1*r1") SET(MTE2, V, "r2")
             WAIT(MTE2, V, "r0") DUP("0") SET(
                 V, MTE2, "0") "if r9\ncontinue\nendif\nr1 = add int32 32 0\n" END("s0")
                 WAIT(V, MTE2, "0") WAIT(MTE2, V, "2")},
    {"", 1,
     NUMBER SET(MTE2, V, "1") SET(V, MTE2, "0") LOOP(
         "s0", "0", "2") "r0 = rem int32 s0 2\nr2 = mul int32 r0 2\n" WAIT(V, MTE2, "0")
         SET(MTE2, V, "3") WAIT(MTE2, V, "3") IN("0, 1*r1") SET(MTE2, V, "r2")
             WAIT(MTE2, V, "r0") DUP("0")
                 SET(V, MTE2, "0") "if r9\nendif\nr1 = add int32 32 0\n" END("s0")
                     WAIT(V, MTE2, "0") WAIT(MTE2, V, "2")},
    /* copies of a body whose counter is taken modulo a number */
    {"", 1,
     LOOP("s0", "0", "8") "r0 = rem int32 s0 2\n" TURN("r0") END("s0") BARRIER(ALL)},
    {"", 1,
     LOOP("s0", "0", "8") "r0 = and int32 s0 1\n" TURN("r0") END("s0") BARRIER(ALL)},
    {"", 1,
     LOOP("s0", "0", "7") "r0 = rem int32 s0 3\n" TURN("r0") END("s0") BARRIER(ALL)},
    {"race", 1, LOOP("s0", "0", "8") "r0 = rem int32 s0 2\n" IN("0, 32*r0") END("s0")},
    {"", 1, LOOP("s0", "0", "2") "r0 = rem int32 s0 2\n" IN("0, 32*r0") END("s0")},
    {"", 1, LOOP("s0", "0", "3") "r0 = rem int32 s0 5\n" IN("0, 32*r0") END("s0")},
    {"race", 1, LOOP("s0", "0", "6") "r0 = rem int32 s0 5\n" IN("0, 32*r0") END("s0")},
    {"race", 1, LOOP("s0", "0", "4") "r0 = and int32 s0 2\n" IN("0, 32*r0") END("s0")},
    {"race", 1, LOOP("s0", "0", "20") "r0 = rem int32 s0 9\n" IN("0, 32*r0") END("s0")},
    {"race", 1,
     LOOP("s0", "0", "20") "r0 = rem int32 s0 8\nr1 = rem int32 s0 3\n" IN("0, 32*r0")
         END("s0")},
    {"", 1,
     LOOP("s0", "0", "20") BARRIER(ALL) "r0 = rem int32 s0 8\nr1 = rem int32 s0 3\n" IN(
         "0, 32*r0") END("s0")},
    {"sync-unknown", 1,
     LOOP("s0", "0", "20") "r0 = and int32 s0 7\nr1 = rem int32 s0 3\n" SET(MTE2, V, "r1")
         WAIT(MTE2, V, "r1") END("s0")},
    {"", 1,
     LOOP("s0", "0", "4") SET(MTE2, V, "s0") END("s0") LOOP("s0", "0", "4")
         WAIT(MTE2, V, "s0") END("s0")},
    {"", 1,
     LOOP("s0", "0", "4") "r0 = add int32 s0 1\n" SET(MTE2, V, "r0") WAIT(MTE2, V, "r0")
         END("s0")},
    {"sync-unknown", 1,
     NUMBER "r9 = and int32 r9 3\n" LOOP("s0", "0", "r9") SET(MTE2, V, "s0") END("s0")},
    {"sync-unknown", 1,
     NUMBER "r9 = and int32 r9 3\n" LOOP("s0", "r9", "4") SET(MTE2, V, "s0") END("s0")},
    {"", 1, LOOP("s0", "4", "4") SET(MTE2, V, "s0") END("s0")},
    {"sync-unknown", 1,
     LOOP("s0", "0", "9") "r0 = div int32 s0 2\n" SET(MTE2, V, "r0") END("s0")},
    /* numbers: the moves of an iteration have places of their own, or need not */
    {"", 1, OWN("r0 = mul int32 s0 32\n")},
    {"", 1, OWN("r0 = mul int32 32 s0\n")},
    {"race", 1, OWN("r0 = mul int32 s0 s0\nr0 = mul int32 r0 32\n")},
    {"", 1, OWN("r0 = shl int32 s0 5\n")},
    {"race", 1, OWN("r0 = shl int32 s0 4\n")},
    {"race", 1, OWN("r0 = shl int32 s0 33\n")},
    {"race", 1, OWN("r0 = shl int64 s0 63\n")},
    {"race", 1, OWN("r0 = shl int64 s0 -1\n")},
    {"race", 1, OWN("r0 = shl int32 32 s0\n")},
    {"", 1, OWN("r0 = shl int32 s0 5\nr0 = sub int32 160 r0\n")},
    {"race", 1, OWN("r0 = sub int32 s0 s0\n")},
    {"", 1, OWN("r0 = sub int32 s0 s0\nr0 = shl int32 s0 5\n")},
    {"race", 1, OWN("r0 = not int32 s0\nr0 = mul int32 r0 -32\n")},
    {"", 1, OWN("r0 = mul int32 s0 32\nr0 = cast int64 int32 r0\n")},
    {"race", 1,
     OWN("r0 = mul int32 s0 32\nr0 = add int32 r0 256\nr0 = cast int8 int32 r0\n")},
    {"race", 1, OWN("r0 = mul int32 s0 32\nr0 = cast float32 int32 r0\n")},
    {"race", 1,
     OWN("r0 = cast float32 int32 s0\nr0 = cast int32 float32 r0\nr0 = mul int32 r0 "
         "32\n")},
    {"", 1, OWN("r0 = mul int32 s0 64\nr0 = div int32 r0 2\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = div int32 r0 4\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = div int32 r0 3\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = div int32 r0 -2\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = div int32 r0 r9\n")},
    {"race", 1,
     OWN("r0 = mul int32 s0 64\nr0 = sub int32 r0 128\nr0 = div int32 r0 2\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = rem int32 r0 64\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = and int32 r0 63\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = and int32 r0 64\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = and int32 r0 -64\n")},
    {"race", 1, OWN("r0 = mul int32 s0 64\nr0 = and int32 r0 r9\n")},
    {"race", 1, OWN("r0 = and int64 s0 9223372036854775807\nr0 = mul int64 r0 32\n")},
    {"race", 1,
     OWN("r0 = add float32 s0 s0\nr0 = rem float32 r0 2\nr0 = div float32 r0 2\n")},
    {"race", 1, OWN("r0 = add int64 s0 9223372036854775806\nr0 = mul int64 r0 32\n")},
    {"race", 1, OWN("r0 = mul int64 s0 4611686018427387904\n")},
    {"race", 1, OWN("r0 = add int32 r9 s0\nr0 = mul int32 r0 32\n")},
    {"", 1, EIGHT OWN("r0 = add int32 r8 s0\nr0 = mul int32 r0 32\n")},
    {"", 1,
     OWN("r8 = and int32 r9 7\nr0 = sub int32 s0 r8\nr0 = add int32 r0 r8\nr0 = mul "
         "int32 r0 32\n")},
    {"race", 1,
     OWN("r8 = load int32[6, 0]\nr8 = and int32 r8 7\nr0 = add int32 r8 s0\nr0 = mul "
         "int32 r0 32\n")},
    /* registers have no type: the result of an operation has the one of its descriptor */
    {"race", 1, OWN("r0 = cast bool int32 s0\nr0 = mul int32 r0 32\n")},
    {"race", 1, OWN("r0 = rem bool s0 3\nr0 = mul int32 r0 32\n")},
    {"race", 1, OWN("r0 = and bool s0 3\nr0 = mul int32 r0 32\n")},
    {"race", 1, OWN("r0 = add bool s0 0\nr0 = mul int32 r0 32\n")},
    {"race", 1, OWN("r0 = add int64 s0 255\nr0 = rem int8 r0 7\nr0 = mul int32 r0 32\n")},
    {"", 1,
     OWN("r0 = eq int32 s0 9\nr0 = cast int32 bool r0\nr0 = add int32 r0 s0\nr0 = mul "
         "int32 r0 32\n")},
    /* a register of a loop has what any of its descriptors gave it */
    {"race", 1,
     NUMBER LOOP("s0", "0", "2") DUP("1024")
         IN("0, 1*r0") "r0 = add int64 r0 1024\nif r9\nr0 = load int8[6, 0]\nendif\n" END(
             "s0")},
    {"race", 1,
     NUMBER LOOP("s0", "0", "2") OUT("2048")
         IN("0, 1*r0") "r0 = add int64 2048 0\nif r9\nr0 = eq int32 r9 1\nendif\n" END(
             "s0")},
    {"race", 1,
     ID "r0 = add int32 1024 0\nif r9\nr0 = load int8[6, 0]\nelse\n" DUP("1024")
         IN("0, 1*r0") "endif\n"},
    {"race", 1,
     ID "r0 = add int32 1024 0\nif r9\nr0 = load int8[6, 0]\nendif\n" DUP("1024")
         IN("0, 1*r0")},
    {"", 1,
     "r0 = load uint8[6, 0]\nr0 = and int32 r0 31\nif r0\nendif\n" DUP("1024")
         IN("0, 32*r0")},
    /* loops of any bounds */
    {"race", 1, LOOP("s0", "-9223372036854775808", "r9") IN("0") END("s0")},
    {"sync-unknown", 1,
     LOOP("s0", "-9223372036854775808", "-9223372036854775800") SET(MTE2, V, "s0")
         END("s0")},
    {"", 1,
     NUMBER "r8 = and int32 r9 3\n" LOOP("s0", "r8", "4") IN("0, 32*s0") END("s0")},
    {"race", 1,
     NUMBER "r8 = and int32 r9 3\n" LOOP("s0", "r8", "5") "r0 = rem int32 s0 4\n" IN(
         "0, 32*r0") END("s0")},
    /* nine counters are more than a sum has terms */
    {"race", 1, NINE IN("0, 32*r0") NINE_END},
    {"race", 1,
     NINE "r0 = add int32 r0 s8\n"
          "loop s9 = r0 9\n" IN("0, 32*s9") END("s9") NINE_END},
    /* cores: each has its own memory */
    {"", 2, IN("0, 32*core") DUP("64")},
    {"race", 2, IN("0, 32*core") DUP("32")},
    {"", 2, IN("0, 32*core") DUP("32, 32*core")},
    {"race", 1, IN("0, 32*core") DUP("0")},
    {"", 1, IN("0, 32*core") DUP("32")},
    /* numbers that are not known, or are those of no instruction: the whole region
     */
    {"race", 1, NUMBER MASKED("count(r9)", "0") IN("64")},
    {"", 1, NUMBER MASKED("count(r9)", "0") BACK},
    {"race", 1, NUMBER MASKED("bits(r9, r9)", "0") IN("64")},
    {"race", 1, NUMBER REPEATS("r9", "0") IN("64")},
    {"race", 1, REPEATS("2", "0") IN("256")},
    {"", 1, REPEATS("2", "0") IN("512")},
    {"", 1, NUMBER SCALAR("r9", "0") IN("64")},
    {"", 1, NUMBER "if r9\n" REPEATS("-1", "0") "endif\n" IN("64")}, /* its core stops */
    {"race", 1, NUMBER "if r9\n" STRIDE("1099511627776", "0") "endif\n" IN("64")},
    {"race", 1, STRIDE("16", "0") IN("256")}, /* between the repeats: it may be */
    {"race", 1, MASKED("bits(239, 0)", "0") IN("0")},
    {"race", 1,
     NUMBER "if r9\ndata_move checked dst=int32[2, 0, 1*r9] src=int32[0, 0] sid=0 "
            "nburst=-1 burst=1 src_stride=0 dst_stride=0 mode=0\nendif\n" OUT("64")},
    {"race", 1, DUP_OPEN IN_OPEN},
    {"race", 1, DUP_OPEN IN("64")},
    {"", 1, DUP_OPEN BARRIER(ALL) IN("64")},
    {"", 1, DUP_OPEN BARRIER(ALL) IN_OPEN},
    {"", 1, DUP_OPEN BACK_TO_ARGUMENT},
    {"race", 1,
     LOOP("s0", "0", "6") "r0 = add int64 s0 4611686018427387904\n" IN("0, 8*r0")
         END("s0")},
    {"race", 1,
     LOOP("s0", "0", "6") "r0 = add int64 0 9223372036854775807\n" IN("32, 1*r0")
         END("s0")},
    {"race", 1,
     LOOP("s0", "0", "6") "r0 = shl int64 s0 40\n" IN("0, 16777216*r0") END("s0")},
    {"", 1, OWN("r0 = add int32 s0 s0\nr0 = mul int32 r0 16\n")},
    {"race", 1, FAR "r0 = mul int64 r0 64\n" IN("0, 1*r0") IN("0")},
    {"race", 1, FAR "r0 = mul int64 64 r0\n" IN("0, 1*r0") IN("0")},
    {"race", 1, FAR "r0 = shl int64 r0 6\n" IN("0, 1*r0") IN("0")},
    {"race", 1,
     FAR "r1 = sub int64 r0 0\nr0 = add int64 r0 r1\nr0 = add int64 r0 r0\n" IN("0, 1*r0")
         IN("0")},
    {"race", 1,
     NUMBER "r8 = and int32 r9 3\nr8 = or int32 r8 4\nr8 = sub int32 r8 4\nr8 = mul "
            "int32 r8 2\nr0 = rem int32 r8 2\n" IN("0, 32*r0") IN("0")},
    {"race", 1,
     ID "r9 = add int32 r9 1\n" OWN1("r0 = mul int32 s0 64\nr0 = div int32 r0 r9\n")},
    {"sync-unknown", 1, NUMBER "if r9\n" SET(MTE2, V, "9") "endif\n"},
    {"sync-unknown", 1, NUMBER "if r9\n" SET(MTE2, V, "-1") "endif\n"},
    {"sync-unknown", 1,
     LOOP("s0", "-9223372036854775808", "9223372036854775807") SET(MTE2, V, "s0")
         END("s0")},
    {"race", 1, DUP("0") "loop_bounds checked begin=0 end=8 dtype=8 wide=0\n" IN("0")},
    /* the sum of eight counters and the counter of a loop that begins there */
    {"race", 1,
     NINE "r0 = sub int32 s0 s1\nr0 = sub int32 r0 s2\nr0 = sub int32 r0 s3\nr0 = sub "
          "int32 r0 s4\n"
          "r0 = sub int32 r0 s5\nr0 = sub int32 r0 s6\nr0 = sub int32 r0 s7\nloop s9 = "
          "r0 9\n" IN("0, 32*s9") END("s9") NINE_END},
    /* more copies than are made: loops are taken as they are */
    {"race", 1, MANY(IN("0, 32*r0"))},
    {"", 1, MANY(BARRIER(ALL) IN("0, 32*r0"))},
    {"sync-unknown", 1, MANY(SET(MTE2, V, "r0") WAIT(MTE2, V, "r0"))},
    /* arguments and tables */
    {"race", 1, OUT("0") BACK},
    {"", 1, OUT("0") SET(MTE3, MTE2, "0") WAIT(MTE3, MTE2, "0") BACK},
    {"", 1, TABLE("0") TABLE("32")},
    {"race", 1, TO_LIST("0") FROM_LIST("64")},
    {"race", 1, TO_LIST("0") TO_LIST("64")},
    {"", 1, TO_LIST("0") BARRIER(ALL) FROM_LIST("64")},
};

/* The matrix unit: MTE1 loads its factors, M multiplies, V moves the sums out. */
#define LOAD_B                                                                           \
    "load2dv1 checked dst=float16[2, 0] src=float16[0, 0] index=0 repeat_times=4"        \
    " src_stride=1 sid=0 if_transpose=0 addr_mode=0\n"
#define IMAGE                                                                            \
    "load3dv1 checked dst=float16[2, 0] src=float16[0, 0] pad[0]=1 pad[1]=0 pad[2]=1"    \
    " pad[3]=2 l1_h=5 l1_w=3 c1_index=0 fetch_filter_w=1 fetch_filter_h=0"               \
    " left_top_w=-1 left_top_h=-1 stride_w=3 stride_h=3 filter_w=2 filter_h=3"           \
    " dilation_filter_w=3 dilation_filter_h=2 jump_offset=3 repeat_mode=1 repeat_time=2" \
    " _csize=1 pad_value=16384\n"
#define TO_L1(at)                                                                        \
    "data_move checked dst=float16[0, " at "] src=float16[1, 0] sid=0 nburst=1 burst=1"  \
    " src_stride=0 dst_stride=0 mode=0\n"
#define MMAD(m, n, adds)                                                                 \
    "mmad checked dst_fm=float32[4, 0] src_fm=float16[3, 0] src_filter=float16[2, 0]"    \
    " matrix_m=" m " matrix_k=16 matrix_n=" n " is_bias=" adds "\n"
#define SUMS_OUT                                                                         \
    "data_move checked dst=float32[5, 0] src=float32[4, 0] sid=0 nburst=1 burst=4"       \
    " src_stride=0 dst_stride=0 mode=0\n"
#define ADD_TO_SUMS                                                                      \
    "vec_adds checked mask=count(64) dst=float32[5, 0] src=float32[5, 0] scalar=0"       \
    " repeat_times=1 dst_rep_stride=8 src_rep_stride=8\n"
#define IMAGE_IN                                                                         \
    "load_image checked dst=int8[0, 0] src0=uint8[7, 0] src1=uint8[7, 0] planes=1"       \
    " input_format=4 function_switch=832 src_horizontal_size=8 src_vertical_size=1"      \
    " dst_horizontal_size=0 dst_vertical_size=0 crop_horizontal_start=0"                 \
    " crop_vertical_start=0 single_line_enable=0 rb_swap=0 uv_swap=0 ax_swap=0"          \
    " format_convert=0 dtc_mean_type=0 area_pad_mode=0 top_pad_rows=0 botton_pad_rows=0" \
    " left_pad_cols=1 right_pad_cols=0 channel_pad_mode=0 sid=0\n"
#define M    "2"
#define MTE1 "3"
#define SIZE "r9 = load int32[6, 0]\n"

static const char cube_head[] = "blob 1.0 Ascend910A\n"
                                "kernel \"t\" cores %d steps 0 queues\n"
                                "peak UB 8224\n"
                                "peak L1 8192\n"
                                "peak L0A 8192\n"
                                "peak L0B 8192\n"
                                "peak L0C 65536\n"
                                "arg \"x\" input float16 (4096)\n"
                                "arg \"i\" input uint8 (8, 3)\n"
                                "region 0 \"a\" L1 float16 at 0 bytes 8192\n"
                                "region 1 \"x\" GM float16 arg 0\n"
                                "region 2 \"b\" L0B float16 at 0 bytes 8192\n"
                                "region 3 \"a0\" L0A float16 at 0 bytes 8192\n"
                                "region 4 \"c\" L0C float32 at 0 bytes 65536\n"
                                "region 5 \"u\" UB float32 at 0 bytes 8192\n"
                                "region 6 \"n\" UB int32 at 8192 bytes 32\n"
                                "region 7 \"i\" GM uint8 arg 1\n"
                                "code\n";

static const Row cube_rows[] = {
    {"race", 1, IMAGE_IN LOAD_B},
    {"", 1, IMAGE_IN BARRIER(ALL) LOAD_B},
    {"race", 1, LOAD_B MMAD("16", "64", "0")},
    {"", 1, LOAD_B SET(MTE1, M, "0") WAIT(MTE1, M, "0") MMAD("16", "64", "0")},
    {"race", 1, MMAD("16", "64", "0") LOAD_B},
    {"race", 1, TO_L1("64") LOAD_B},
    {"race", 1, TO_L1("64") IMAGE},
    {"", 1, IMAGE TO_L1("8160")},
    {"", 1, TO_L1("64") SET(MTE2, MTE1, "0") WAIT(MTE2, MTE1, "0") IMAGE},
    {"", 1, LOAD_B LOAD_B},
    {"race", 1, MMAD("16", "64", "0") MMAD("16", "64", "1")},
    {"", 1, MMAD("16", "64", "0") BARRIER(M) MMAD("16", "64", "1")},
    {"", 1, MMAD("16", "64", "0") MMAD("16", "64", "0")},
    {"", 1, MMAD("64", "64", "0") MMAD("64", "64", "1")},
    {"race", 1, MMAD("48", "48", "0") MMAD("48", "48", "1")},
    {"", 1, MMAD("32", "80", "0") MMAD("32", "80", "1")},
    {"race", 1, SIZE MMAD("64", "64", "0") MMAD("r9", "64", "0")},
    {"race", 1, MMAD("64", "64", "0") SUMS_OUT},
    {"", 1, MMAD("64", "64", "0") SET(M, V, "0") WAIT(M, V, "0") SUMS_OUT},
    {"race", 1, SUMS_OUT ADD_TO_SUMS},
    {"", 1, SUMS_OUT BARRIER(V) ADD_TO_SUMS},
    {"", 1, ADD_TO_SUMS SUMS_OUT},
    {"race", 1, SUMS_OUT SUMS_OUT},
};

/* Local memory of lanes: accesses are to a whole region. */
#define TO_LANES                                                                         \
    "data_move.tensor checked dst=int32[0, 0] src=int32[2, 0] func=0 bits=32 dst_lane=0" \
    " src_lane=0 dst_shape[0]=2 dst_shape[1]=5 dst_shape[2]=2 dst_shape[3]=3"            \
    " dst_stride[0]=16 dst_stride[1]=8 dst_stride[2]=3 dst_stride[3]=1 src_shape[0]=2"   \
    " src_shape[1]=5 src_shape[2]=2 src_shape[3]=3 src_stride[0]=30 src_stride[1]=6"     \
    " src_stride[2]=3 src_stride[3]=1 lane_mask=-1\n"
#define LANE(region) "r0 = load checked int32[" region ", 64]\n"

static const char lanes_head[] = "blob 1.0 toy4x16\n"
                                 "kernel \"t\" cores %d steps 0 queues\n"
                                 "peak LMEM 256\n"
                                 "arg \"x\" input int32 (2, 5, 2, 3)\n"
                                 "region 0 \"a\" LMEM int32 at 0 bytes 128\n"
                                 "region 1 \"b\" LMEM int32 at 128 bytes 128\n"
                                 "region 2 \"x\" GM int32 arg 0\n"
                                 "code\n";

static const Row lanes_rows[] = {
    {"race", 1, TO_LANES LANE("0")},
    {"", 1, TO_LANES LANE("1")},
    {"", 1, TO_LANES BARRIER(ALL) LANE("0")},
};

/* Returns whether a row has its finding. */
static bool
try_row(const char *first, const Row *r, size_t i)
{
    char text[20000];
    TikBlob blob;
    TikBlobDiag diag;
    TikBlobOrder order = {.name = ""};
    int n = snprintf(text, sizeof text, first, r->cores);
    snprintf(text + n, sizeof text - (size_t)n, "%send\n", r->body);
    Bin b = assemble(text);
    if (verify_code(&b)[0] != '\0') {
        fail_msg("row %zu is refused by %s:\n%s", i, verify_code(&b), r->body);
    }
    assert_true(tikblob_open(&blob, b.p, b.n, &diag));
    bool ok = tikblob_order(&blob, 0, &order);
    free(b.p);
    if (strcmp(order.name, r->finding) != 0 || ok != (r->finding[0] == '\0')) {
        print_error("row %zu: expected '%s', found '%s' (%s):\n%s", i, r->finding,
                    order.name, order.text, r->body);
        return false;
    }
    return true;
}

/* An operand whose bytes are not known may access any of its memory, and is not said to
 * access all of it. */
static void
unknown_bytes(void **state)
{
    (void)state;
    char text[4000];
    TikBlob blob;
    TikBlobDiag diag;
    TikBlobOrder order = {.name = ""};
    int n = snprintf(text, sizeof text, head, 1);
    snprintf(text + n, sizeof text - (size_t)n, "%send\n",
             NUMBER MASKED("count(r9)", "0") IN("64"));
    Bin b = assemble(text);
    assert_true(tikblob_open(&blob, b.p, b.n, &diag));
    assert_false(tikblob_order(&blob, 0, &order));
    assert_non_null(strstr(order.text, "may still write"));
    free(b.p);
}

static void
findings(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wrong += !try_row(head, &rows[i], i);
    }
    for (size_t i = 0; i < sizeof cube_rows / sizeof cube_rows[0]; i++) {
        wrong += !try_row(cube_head, &cube_rows[i], i);
    }
    for (size_t i = 0; i < sizeof lanes_rows / sizeof lanes_rows[0]; i++) {
        wrong += !try_row(lanes_head, &lanes_rows[i], i);
    }
    assert_int_equal(wrong, 0);
}

/* Verdicts on flags and on accesses (P7, P8). */
typedef struct Verdicts {
    const char *body;
    TikBlobVerdict flags, races;
    const char *text; /* of what is not proved */
} Verdicts;

static const Verdicts verdicts[] = {
    {DUP("0") BARRIER(ALL) OUT("0"), TIKBLOB_PROVED, TIKBLOB_PROVED, ""},
    {LOOP("s0", "2", "4") OUT("0, 32*s0") BARRIER(MTE3) DUP("96") END("s0"),
     TIKBLOB_PROVED, TIKBLOB_REFUTED,
     "race: PIPE_MTE3 reads bytes 96 to 127 of 'u' at descriptor 1 (iteration 1 of the "
     "loop at descriptor 0), PIPE_V writes them at descriptor 3 (iteration 0 of the loop "
     "at descriptor 0), and nothing makes the later one wait for the earlier one"},
    /* of a loop that need not have an iteration, nothing is certain */
    {NUMBER "r8 = and int32 r9 3\n" LOOP("s0", "0", "r8") DUP("0") OUT("0") END("s0"),
     TIKBLOB_PROVED, TIKBLOB_NOT_PROVED, "race: "},
    {SET(MTE2, V, "0") SET(MTE2, V, "0") WAIT(MTE2, V, "0") WAIT(MTE2, V, "0"),
     TIKBLOB_REFUTED, TIKBLOB_NOT_PROVED,
     "sync-double-set: flag 0 from PIPE_MTE2 to PIPE_V is up where it is set: descriptor "
     "1"},
    /* a race before it does not hide a flag */
    {DUP("0") OUT("0") WAIT(MTE2, V, "0"), TIKBLOB_REFUTED, TIKBLOB_NOT_PROVED,
     "sync-deadlock: flag 0 from PIPE_MTE2 to PIPE_V is down where it is waited for, and "
     "nothing raises it: descriptor 2"},
    /* queues that wait for each other, each with its set_flag to come */
    {WAIT(MTE2, V, "0") SET(V, MTE2, "0") WAIT(V, MTE2, "0") SET(MTE2, V, "0"),
     TIKBLOB_REFUTED, TIKBLOB_NOT_PROVED, "sync-deadlock: "},
    {NUMBER "if r9\n" WAIT(MTE2, V, "0") "endif\n", TIKBLOB_NOT_PROVED,
     TIKBLOB_NOT_PROVED, "sync-deadlock: "},
};

static void
properties(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        const Verdicts *v = &verdicts[i];
        char text[20000];
        TikBlob blob;
        TikBlobDiag diag;
        TikBlobProof proof = {0};
        TikBlobProperty p[TIKBLOB_PROPERTIES];
        int n = snprintf(text, sizeof text, head, 1);
        snprintf(text + n, sizeof text - (size_t)n, "%send\n", v->body);
        Bin b = assemble(text);
        assert_string_equal(verify_code(&b), "");
        assert_true(tikblob_open(&blob, b.p, b.n, &diag));
        assert_true(tikblob_properties(&blob, 0, &proof, 0, p));
        const char *said =
            p[v->flags == TIKBLOB_PROVED ? TIKBLOB_RACES : TIKBLOB_FLAGS].text;
        if (p[TIKBLOB_FLAGS].verdict != v->flags ||
            p[TIKBLOB_RACES].verdict != v->races ||
            strncmp(said, v->text, strlen(v->text)) != 0) {
            fail_msg("row %zu: P7 %s, P8 %s: %s", i,
                     tikblob_verdict_name(p[TIKBLOB_FLAGS].verdict),
                     tikblob_verdict_name(p[TIKBLOB_RACES].verdict), said);
        }
        free(b.p);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings),
        cmocka_unit_test(properties),
        cmocka_unit_test(unknown_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
