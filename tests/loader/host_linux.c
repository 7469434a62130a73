/* host_linux.c: host.h by system calls of Linux, for freestanding programs of arm, i386
 * and s390x. */
#include "host.h"

enum {
    SYS_EXIT = 1,
    SYS_READ = 3,
    SYS_WRITE = 4,
    SYS_OPEN = 5,
    SYS_CLOSE = 6
};

#if defined(__arm__)
static long
call(long number, long a, long b, long c)
{
    register long r7 __asm__("r7") = number;
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
    return r0;
}
__asm__(".globl _start\n.type _start, %function\n.thumb_func\n_start:\n  mov r0, sp\n"
        "  bl host_start\n");
#elif defined(__i386__)
static long
call(long number, long a, long b, long c)
{
    long r;
    __asm__ volatile("int $0x80"
                     : "=a"(r)
                     : "0"(number), "b"(a), "c"(b), "d"(c)
                     : "memory");
    return r;
}
__asm__(".globl _start\n_start:\n  mov %esp, %eax\n  and $-16, %esp\n  sub $12, %esp\n"
        "  push %eax\n  call host_start\n");
#elif defined(__s390x__)
static long
call(long number, long a, long b, long c)
{
    register long r1 __asm__("1") = number;
    register long r2 __asm__("2") = a;
    register long r3 __asm__("3") = b;
    register long r4 __asm__("4") = c;
    __asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3), "d"(r4) : "memory");
    return r2;
}
__asm__(".globl _start\n_start:\n  lgr %r2, %r15\n  aghi %r15, -160\n"
        "  brasl %r14, host_start\n");
#else
#error "the system calls of this processor are not written down"
#endif

long
host_read(const char *path, uint8_t *room, size_t size)
{
    long fd = call(SYS_OPEN, (long)path, 0, 0);
    size_t n = 0;
    long got = fd < 0 ? -1 : 1;
    while (got > 0 && n < size) {
        got = call(SYS_READ, fd, (long)(room + n), (long)(size - n));
        n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) {
        call(SYS_CLOSE, fd, 0, 0);
    }
    return got != 0 ? -1 : (long)n;
}

void
host_write(const char *text, size_t n)
{
    call(SYS_WRITE, 1, (long)text, (long)n);
}

__attribute__((used, noreturn)) void host_start(long *stack);

void
host_start(long *stack)
{
    call(SYS_EXIT, host_main((int)stack[0], (char **)(stack + 1)), 0, 0);
    for (;;) {
    }
}
