/* host.c: exports the one symbol that the tool takes from libtikc-host.so. */
#include "host/lower/lower.h"
#include "host_id.h"
#include <llvm/Config/llvm-config.h>

const HostApi *
tikc_host_api(void)
{
    static const HostApi api = {
        HOST_ID,  LLVM_VERSION_STRING, host_session_open,  host_session_close,
        host_jit, host_release,        host_session_count, host_emit};
    return &api;
}
