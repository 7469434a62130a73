/* refusers.c: functions that refuse, and two that do not, for ../refusers.test. */
#include <stdbool.h>

typedef struct TikBlobDiag {
    int rule;
} TikBlobDiag;

bool refuse(TikBlobDiag *diag, int rule);
bool ends(int kind);
bool checks(TikBlobDiag *diag, int n);

bool
refuse(TikBlobDiag *diag, int rule)
{
    if (diag == (void *)0) {
        return false;
    }
    diag->rule = rule;
    return false;
}

static bool
refuse_twice(TikBlobDiag *diag)
{
    return refuse(diag, 2);
}

/* Tells nothing: false is no refusal. */
bool
ends(int kind)
{
    (void)kind;
    return false;
}

bool
checks(TikBlobDiag *diag, int n)
{
    return n > 3 || refuse_twice(diag);
}
