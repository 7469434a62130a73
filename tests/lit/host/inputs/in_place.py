"""Runs the kernel of a file, which multiplies tiles by 2.5, on an array that holds x and, two tiles after it, y: each tile is read
after what an earlier iteration wrote. usage: in_place.py FILE KERNEL TILES TILE"""
import sys

import numpy
import tikc

path, name, tiles, tile = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
size, shift = tiles * tile, 2 * tile
for threads in (1, 2):
    array = numpy.random.RandomState(1).rand(size + shift).astype('float32')
    want = array.copy()
    for i in range(tiles):
        want[shift + i * tile:shift + (i + 1) * tile] = want[i * tile:(i + 1) * tile] * numpy.float32(2.5)
    tikc.compile(path)[name].with_options(threads=threads).run({'x': array[:size], 'y': array[shift:]})
    if not numpy.array_equal(array, want):
        sys.exit(f'{threads} threads: element {int((array != want).argmax())} differs')
