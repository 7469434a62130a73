#!/bin/bash
# complete-loaded.sh PREFIX: bash-completion finds the completion of an installed tool by itself, and offers a value with it.
export XDG_DATA_DIRS=$1/share
# shellcheck disable=SC1091
. /usr/share/bash-completion/bash_completion
_completion_loader tikc
complete -p tikc
COMP_WORDS=(tikc run k.tik --backend e) COMP_CWORD=4
_tikc
echo "${COMPREPLY[*]}"
