"""The peers: which there are in a build directory, how a worker of each starts, and why others are absent."""
import os
import sys
from dataclasses import dataclass, field

from kernels import KERNELS

HERE = os.path.dirname(os.path.abspath(__file__))
PRODUCTS = ('matmul_i8', 'matmul_f16')
READS = ('rowsum_f32', 'rowmax_f32')
ALL = tuple(k.name for k in KERNELS)
# How the roof moves bytes, and which kernels that makes a difference to.
ROOFS = {'plain': ALL, 'nt': tuple(k for k in ALL if k not in PRODUCTS + READS),
         'ntpf': tuple(k for k in ALL if k not in PRODUCTS),
         'movsb': ('axpb_relu_f16', 'softmax_f32', 'layernorm_f16', 'transpose_f16', 'slice_f16', 'gelu_f32', 'copy',
                   'tail_f32', 'dynamic_f32', 'gather_f16', 'concat_f16')}


@dataclass
class Peer:
    name: str
    command: list                            # a worker; the number of threads follows
    threads: tuple = (1, 2)
    env: dict = field(default_factory=dict)
    kernels: tuple = ()                      # the only ones that it is asked for; () all


def variants(folder):
    """{variant: kernels} of the spellings of kernels that a folder has: NAME.VARIANT.so."""
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        kernel, *rest = name[:-len('.so')].split('.')
        if rest and name.endswith('.so'):
            found.setdefault(rest[0], []).append(kernel)
    return found


def compiled(name, build, kernels, runtime, peer):
    """A build of tikc as peers: its kernels, their other spellings, factors that are packed before."""
    env = {'TIKC_KERNELS': kernels, 'TIKC_RUNTIME': runtime}
    command = [os.path.join(build, 'bench', 'worker'), peer]
    spellings = variants(kernels)
    yield Peer(name, command, env=env)
    for variant, of in spellings.items():
        yield Peer('%s.%s' % (name, variant), command, env=dict(env, TIKC_VARIANT=variant), kernels=tuple(of))
    yield Peer(name + '.packed', command, env=dict(env, TIKC_PACKED='1'), kernels=('matmul_i8',))
    if 'matmul_f16' in spellings.get('nz', ()):
        yield Peer(name + '.nzpacked', command, env=dict(env, TIKC_VARIANT='nz', TIKC_PACKED='1'), kernels=('matmul_f16',))


def all_peers(build):
    """(peers, {name: why it is absent})"""
    bench = os.path.join(build, 'bench')
    worker = os.path.join(bench, 'worker')
    absent = dict(line.rstrip('\n').split(': ', 1) for line in open(os.path.join(bench, 'absent'), encoding='ascii'))
    found = []

    def library(name, **more):
        path = os.path.join(bench, name + '.so')
        if os.path.exists(path) and name not in absent:
            found.append(Peer(more.pop('title', name), [worker, path], **more))

    for style, of in ROOFS.items():
        library('roof', title='roof-' + style, env={'ROOF_STYLE': style}, kernels=of)
    for compiler in ('gcc', 'clang'):
        library('naive-' + compiler, threads=(1,))
        library('hand-' + compiler)
    library('halide')
    library('openblas')
    library('onednn')
    library('onednn', title='onednn-packed', env={'ONEDNN_PACKED': '1'}, kernels=PRODUCTS)
    found.append(Peer('numpy', [sys.executable, os.path.join(HERE, 'numpy_worker.py')]))
    found += compiled('tikc', build, os.path.join(bench, 'tikc'), os.path.join(build, 'libtikrt.so'),
                      os.path.join(bench, 'tikc.so'))
    base = os.path.join(bench, 'base')
    if os.path.isdir(base):
        found += compiled('base', build, base, os.path.join(base, 'libtikrt.so.link'),
                          os.path.join(base, 'peer-tikc'))
    return found, absent


def environment(peer, threads):
    """Libraries get their number of threads, and wait for work as eagerly as peers in C do."""
    count = str(threads)
    env = {v: count for v in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'HL_NUM_THREADS')}
    if not peer.name.startswith(('tikc', 'base')):
        env.update(OMP_DYNAMIC='false', OMP_WAIT_POLICY='active', GOMP_SPINCOUNT='200000')
    return dict(os.environ, **env, **peer.env)
