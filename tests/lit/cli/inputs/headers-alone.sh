#!/bin/sh
# headers-alone.sh INCLUDE: each header below INCLUDE compiles alone as C11 and C++17 with the flags that pkg-config gives.
status=0
cd "$1" || exit
for h in */*.h */*/*.h; do
    for language in 'c -std=c11' 'c++ -std=c++17'; do
        # The language and its option are two words.
        # shellcheck disable=SC2086
        cc -Wall -Wextra -Werror -fsyntax-only -Itikrt -Itikc -x $language "$h" || status=1
    done
done
exit $status
