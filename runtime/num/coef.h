/* coef.h: the coefficients of the elementary functions, as exact doubles.
 * tools/gen-num-coef.py makes this file; do not edit it. */
#ifndef TIK_NUM_COEF_H
#define TIK_NUM_COEF_H

/* ln 2 and pi / 2 in parts: the first ones short, so that k times them is exact */
#define LOG2_E       0x1.71547652b82fep+0
#define LN2_1        0x1.62e42fefa0000p-1
#define LN2_2        0x1.cf79abc9e3b3ap-40
#define TWO_BY_PI    0x1.45f306dc9c883p-1
#define HALF_PI      0x1.921fb54442d18p+0
#define HALF_PI_REST 0x1.1a62633145c07p-54
#define HALF_PI_1    0x1.921fb54000000p+0
#define HALF_PI_2    0x1.10b4610000000p-30
#define HALF_PI_3    0x1.a62633145c06ep-58

/* (e^r - 1 - r) / r^2, |r| <= ln(2) / 2, error below 1.7e-20 */
#define EXP_0  0x1.0000000000000p-1
#define EXP_1  0x1.5555555555555p-3
#define EXP_2  0x1.5555555555557p-5
#define EXP_3  0x1.1111111111111p-7
#define EXP_4  0x1.6c16c16c15a68p-10
#define EXP_5  0x1.a01a01a0196acp-13
#define EXP_6  0x1.a01a01a9e991bp-16
#define EXP_7  0x1.71de3a5aa7bb7p-19
#define EXP_8  0x1.27e4d41966f2fp-22
#define EXP_9  0x1.ae642c82e33d5p-26
#define EXP_10 0x1.1f7f2776cfaf2p-29
#define EXP_11 0x1.61bfaa228dde5p-33

/* the same for float16, error below 1.4e-09 */
#define EXPH_0 0x1.0000000b9129bp-1
#define EXPH_1 0x1.5555555a78ed4p-3
#define EXPH_2 0x1.5554e9063586ep-5
#define EXPH_3 0x1.1110e0f238322p-7
#define EXPH_4 0x1.6d43246b523b4p-10
#define EXPH_5 0x1.a124f19fe89acp-13

/* (ln(1 + r) - r) / r^2, |r| <= 0.021, error below 2.9e-19 */
#define LOG_0 -0x1.0000000000000p-1
#define LOG_1 0x1.5555555555553p-2
#define LOG_2 -0x1.ffffffffffffcp-3
#define LOG_3 0x1.99999999b9c63p-3
#define LOG_4 -0x1.5555555572d3ap-3
#define LOG_5 0x1.24924522b0431p-3
#define LOG_6 -0x1.fffff8a7325a8p-4
#define LOG_7 0x1.c77b156f9d6f6p-4
#define LOG_8 -0x1.99f05a72bc557p-4

/* (2 atanh(s) - 2 s) / s^3 of s^2, |s| <= 3 - sqrt(8), for float16, error below 1.2e-09
 */
#define LOGH_0 0x1.5555554baf898p-1
#define LOGH_1 0x1.9999eb71b6d91p-2
#define LOGH_2 0x1.245c3a9063f34p-2
#define LOGH_3 0x1.ddd0bdee500f3p-3

/* ln 2 in parts, the first a multiple of 2^-16; fn_ln_rest in double */
#define LN_2_1 0x1.62e4000000000p-1
#define LN_2_2 0x1.7f7d1cf79abcap-20
#define LN_RESTS                                                                         \
    -0x1.7f6bbd0069ce2p-18, 0x1.2053fb1ad7b94p-21, -0x1.78438bd84fa17p-19,               \
        0x1.d451ee2cf63d3p-18, -0x1.cababa60e039dp-18, -0x1.86d5e3e2a8d55p-19,           \
        -0x1.db8abcb97a7aap-21, 0x1.b58bfa0069399p-18, 0x1.2b185d4a5c4dfp-18,            \
        -0x1.83853c9e9e43ap-18, -0x1.5b665be8f33eap-18, 0x1.683f0056e59fdp-18,           \
        -0x1.db8abcb97a7aap-22, -0x1.b4e92b558d943p-18, 0x1.6ba8d4a5a320ep-19,           \
        0x1.434f21717b6b3p-19, -0x1.63d8cb73f118dp-19, 0x1.64f187ccffb30p-18,            \
        -0x1.5161f807c79f4p-20, 0x0.0p+0, 0x1.59624d611d27dp-20, 0x1.54293f66866a3p-18,  \
        0x1.15d207eac5da8p-20, 0x1.3b1c223512804p-19, 0x1.d044fc8f7bc67p-20,             \
        -0x1.fca55e127023fp-18, -0x1.f4d572e1f2246p-18, -0x1.2c375261c90d4p-19,          \
        0x1.c6cb3b3797d99p-19, 0x1.d044fc8f7bc67p-19, -0x1.deecb246d87c4p-18,            \
        0x1.277333183b54bp-18

/* (sin(r) - r) / r^3 of r^2, |r| <= pi / 4, error below 2.0e-17 */
#define SIN_0 -0x1.5555555555555p-3
#define SIN_1 0x1.1111111110bb1p-7
#define SIN_2 -0x1.a01a019e8357dp-13
#define SIN_3 0x1.71de37961e4c6p-19
#define SIN_4 -0x1.ae600a926c89ap-26
#define SIN_5 0x1.5e0af186af739p-33

/* the same for float16, error below 2.8e-11 */
#define SINH_0 -0x1.555555545dd83p-3
#define SINH_1 0x1.11110deeb33b2p-7
#define SINH_2 -0x1.a013a6edc8f34p-13
#define SINH_3 0x1.6dbdd26f56d2dp-19

/* (cos(r) - 1) / r^2 of r^2, |r| <= pi / 4, error below 2.0e-19 */
#define COS_0 -0x1.0000000000000p-1
#define COS_1 0x1.5555555555551p-5
#define COS_2 -0x1.6c16c16c15d75p-10
#define COS_3 0x1.a01a019de0bd9p-16
#define COS_4 -0x1.27e4f8e43de29p-22
#define COS_5 0x1.1eea7ed58e4c6p-29
#define COS_6 -0x1.8ff9a50ab914fp-37

/* the same for float16, error below 3.6e-13 */
#define COSH_0 -0x1.fffffffffe691p-2
#define COSH_1 0x1.555555514ea4bp-5
#define COSH_2 -0x1.6c16bae4ef840p-10
#define COSH_3 0x1.a0129816d86c7p-16
#define COSH_4 -0x1.2474b4d8b6dbep-22

/* 2 / pi = 0.28be60db... in words of 32 bits, the highest first */
#define TWO_BY_PI_WORDS                                                                  \
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,  \
        0xdebbc561

#endif
