#!/bin/sh
# Stands for a tikc with three passes: the kernel is the same without 'still', another without the others, and what it
# computes is wrong without 'wrong'. usage: faulty-tikc.sh run|build K --out y=FILE [--disable PASS]
case "$*" in
build*plain.tik* | build*still) echo kernel ;;
build*wrong | build*fine | build*all) echo "kernel $*" ;;
build*) echo kernel ;;
run*wrong) echo 2 >y ;;
run*still) echo 'this one is not executed' && exit 5 ;;
run*emu* | run*.tkb*) echo "as it is: $*" ;;
*) echo shown && echo 1 >y && exit 6 ;;
esac
