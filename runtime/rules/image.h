/* image.h: the numbers of load_image: its functions, the registers with its parameters,
 * and the sizes of images. */
#ifndef TIK_IMAGE_H
#define TIK_IMAGE_H

#include "isa/operand.h"
#include "rules/check.h"

enum {
    IMAGE_SLOTS = IMAGE_sid + 1 /* number of operands */
};

/* Formats. */
enum {
    IMAGE_YUV420 = 0,
    IMAGE_XRGB = 1,
    IMAGE_RGB = 4,
    IMAGE_YUV400 = 9
};

/* Bits of function_switch. */
enum {
    IMAGE_CROP = 1,
    IMAGE_SWAP = 4,
    IMAGE_CSC = 8,
    IMAGE_DTC = 64,
    IMAGE_AREA_PAD = 256,
    IMAGE_CHANNEL_PAD = 512,
    IMAGE_ALL = 1 | 4 | 8 | 64 | 256 | 512
};

/* Modes of area_pad. */
enum {
    IMAGE_PAD_VALUE,
    IMAGE_PAD_EDGE,
    IMAGE_PAD_BLOCK,
    IMAGE_PAD_MIRROR
};

/* Offsets of the registers, in bytes from the start of SC_SREG. */
enum {
    IMAGE_R_MATRIX = SREG_IMAGE,        /* 9 x int16 */
    IMAGE_R_OUT_BIAS = SREG_IMAGE + 18, /* 3 x uint8 */
    IMAGE_R_IN_BIAS = SREG_IMAGE + 21,  /* 3 x uint8 */
    IMAGE_R_MEAN = SREG_IMAGE + 24,     /* 4 x int16 or float16 */
    IMAGE_R_MIN = SREG_IMAGE + 32,      /* 4 x float16 */
    IMAGE_R_VAR = SREG_IMAGE + 40,      /* 4 x float16 */
    IMAGE_R_AREA = SREG_IMAGE + 48,     /* 4 elements of dst, 2 bytes apart */
    IMAGE_R_CHANNEL = SREG_IMAGE + 56   /* an element of dst */
};

/* The numbers of an instruction. */
typedef struct ImageNumbers {
    const Soc *soc;
    Dtype dst;
    int64_t v[IMAGE_SLOTS]; /* by slot; 0 for tensors */
} ImageNumbers;

/* A colour matrix with its biases. */
typedef struct ImageCsc {
    int16_t matrix[9];
    uint8_t out_bias[3], in_bias[3];
} ImageCsc;

/* The part of the source that is read, and its place in the destination. */
typedef struct ImageShape {
    int64_t x, y, w, h;               /* area of the source, in pixels */
    int64_t top, bottom, left, right; /* pixels around it in the destination */
    int colours;                      /* channels that the image has */
    int channels;                     /* channels of a pixel of the destination */
} ImageShape;

/* Checks the rules of a number. Returns false with a text when it breaks one. */
bool image_number_ok(const ImageNumbers *n, int slot, char *text, size_t size);
PURE Rule image_rule(int slot); /* RULE_NONE when the slot has no rule */
/* Computes the shape, saturated, for any numbers, legal or not. */
PURE ImageShape image_shape(const ImageNumbers *n);
/* Returns the bytes of a tensor operand. */
PURE int64_t image_bytes(const ImageNumbers *n, int slot);
/* Checks address-align of the sources, which depends on the format. For a literal it is a
 * step of the checker; otherwise both back ends call it during the execution. */
bool image_aligned(const CheckInstr *in, Fault *fault);
/* Returns the conversion of format_convert 1 to 9. */
ImageCsc image_fixed_csc(int64_t convert);

#endif
