#!/bin/sh
# Stands for tikc in tests: kernels are built and run without the passes that TIKC_DISABLE names. Blobs have none of them.
command=$1
case $command in
build | run) ;;
*) exec "$BUILD/tikc" "$@" ;;
esac
for word in "$@"; do
    case $word in
    *.tkb) exec "$BUILD/tikc" "$@" ;;
    esac
done
shift
exec "$BUILD/tikc" "$command" --disable "$TIKC_DISABLE" "$@"
