#!/usr/bin/python3
"""Signatures of blobs (docs/blob-format.md, Signing): tikc signs and checks as the vectors of RFC 8032 and two other implementations
do, the one of this file, which is the arithmetic of the RFC's section 5.1, and openssl. Signatures survive strip, and no changed byte of a
signature, a key or what is signed passes.

usage: tests/cross/signatures.py"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from paths import ROOT, TIKC  # noqa: E402

# Secret key, public key, message, signature: RFC 8032, section 7.1, tests 1, 2, 3 and SHA(abc).
VECTORS = [
    ('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '',
     'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'),
    ('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', '72',
     '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'),
    ('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025', 'af82',
     '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'),
    ('833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42', 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
     hashlib.sha512(b'abc').hexdigest(),
     'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704'),
]
PRIVATE = bytes.fromhex('302e020100300506032b657004220420')
PUBLIC = bytes.fromhex('302a300506032b6570032100')
STRIPPED = {'LINE', 'NAME', 'CALL', 'META', 'STRS', 'IDNT'}  # what the content id leaves out

passed, failed = 0, 0


def say(ok, name, why=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAILED {name}: {why}')


# ---- ed25519, RFC 8032 section 5.1

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
    """Points are (X, Y, Z, T), x = X/Z, y = Y/Z, x*y = T/Z."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        q, p, n = add(q, p) if n & 1 else q, add(p, p), n >> 1
    return q


def x_of(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if x * x % P == x2 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != x2 or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def point(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & (2**255 - 1)
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def packed(p):
    z = pow(p[2], P - 2, P)
    return (p[1] * z % P | (p[0] * z % P & 1) << 255).to_bytes(32, 'little')


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y, 1, x_of(BASE_Y, 0) * BASE_Y % P)


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b''.join(parts)).digest(), 'little')


def expand(secret):
    h = hashlib.sha512(secret).digest()
    return int.from_bytes(h[:32], 'little') & (2**254 - 8) | 2**254, h[32:]


def public_of(secret):
    return packed(times(expand(secret)[0], BASE))


def signed(secret, message):
    a, prefix = expand(secret)
    r = hashed(prefix, message) % L
    head = packed(times(r, BASE))
    return head + ((r + hashed(head, public_of(secret), message) * a) % L).to_bytes(32, 'little')


def holds(public, message, signature):
    a, r, s = point(public), point(signature[:32]), int.from_bytes(signature[32:], 'little')
    if a is None or r is None or s >= L:
        return False
    p, q = times(s, BASE), add(r, times(hashed(signature[:32], public, message) % L, a))
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def check_vectors():
    for secret, public, message, signature in (map(bytes.fromhex, v) for v in VECTORS):
        say(public_of(secret) == public and signed(secret, message) == signature and holds(public, message, signature), 'RFC 8032', public.hex())
        say(not holds(public, message + b'x', signature), 'RFC 8032, another message', public.hex())


# ---- tikc and openssl

def run(*args):
    p = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    return p.returncode, p.stdout + p.stderr


def write(path, data):
    with open(path, 'wb') as f:
        f.write(data)
    return path


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def pem(path, kind, der):
    body = subprocess.run(['base64', '-w64'], input=der, capture_output=True, check=True).stdout
    return write(path, f'-----BEGIN {kind} KEY-----\n'.encode() + body + f'-----END {kind} KEY-----\n'.encode())


def message_of(blob):
    _, out = run(TIKC, 'verify', blob, '--format', 'json')
    return b'tikblob content\0' + bytes.fromhex(json.loads(out)['content'])


def refusal(out):
    m = re.search(r'is refused: ([\w-]+):', out)
    return m[1] if m else None


def check_pairs(work, blob):
    """Each signs what the others check, and the bytes are the same, since ed25519 uses no random numbers."""
    message = message_of(blob)
    text = write(f'{work}/message', message)
    for i, (secret, public, *_) in enumerate(VECTORS):
        secret, public = bytes.fromhex(secret), bytes.fromhex(public)
        key, pub = pem(f'{work}/{i}.pem', 'PRIVATE', PRIVATE + secret), pem(f'{work}/{i}.pub', 'PUBLIC', PUBLIC + public)
        code, out = run(TIKC, 'sign', blob, '--key', key, '--format', 'json')
        ours = read(f'{blob}.sig')
        say(code == 0 and json.loads(out)['key'] == public.hex(), 'sign', out)
        say(holds(public, message, ours) and signed(secret, message) == ours, 'our signature, RFC 8032', ours.hex())
        say(run('openssl', 'pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', pub, '-sigfile', f'{blob}.sig', '-in', text)[0] == 0,
            'our signature, openssl', ours.hex())
        code, out = run('openssl', 'pkeyutl', '-sign', '-rawin', '-inkey', key, '-in', text, '-out', f'{work}/theirs')
        say(code == 0 and read(f'{work}/theirs') == ours, 'openssl signs the same', out)
        code, out = run(TIKC, 'verify', blob, '--key', pub, '--signature', f'{work}/theirs')
        say(code == 0 and ', signed' in out, 'their signature', out)
        code, out = run(TIKC, 'verify', blob, '--key', pem(f'{work}/other', 'PUBLIC', PUBLIC + bytes.fromhex(VECTORS[i - 1][1])))
        say(code == 4 and refusal(out) == 'signature', 'another key', out)


def check_new_key(work, blob):
    """Keys as people make them."""
    say(run('openssl', 'genpkey', '-algorithm', 'ed25519', '-out', f'{work}/new.pem')[0] == 0, 'genpkey')
    say(run('openssl', 'pkey', '-in', f'{work}/new.pem', '-pubout', '-out', f'{work}/new.pub')[0] == 0, 'pkey')
    say(run(TIKC, 'sign', blob, '--key', f'{work}/new.pem')[0] == 0, 'sign with a new key')
    say(run(TIKC, 'verify', blob, '--key', f'{work}/new.pub')[0] == 0, 'verify with a new key')
    code, out = run(TIKC, 'strip', blob, '-o', f'{work}/small.tkb')
    code, out = run(TIKC, 'verify', f'{work}/small.tkb', '--key', f'{work}/new.pub', '--signature', f'{blob}.sig')
    say(code == 0 and read(f'{work}/small.tkb') != read(blob), 'a stripped blob keeps its signature', out)


def check_hostile(work, blob):
    """What is no signature of the key: the twin s + L of each, a key of small order, whose owner is everybody, sizes."""
    message, secret, public = message_of(blob), bytes.fromhex(VECTORS[0][0]), bytes.fromhex(VECTORS[0][1])
    pub = pem(f'{work}/pub', 'PUBLIC', PUBLIC + public)
    good = signed(secret, message)
    twin = good[:32] + (int.from_bytes(good[32:], 'little') + L).to_bytes(32, 'little')
    identity = (1).to_bytes(32, 'little')
    anybody = pem(f'{work}/anybody', 'PUBLIC', PUBLIC + identity)
    cases = [('s + L', pub, twin, 'signature'), ('small order', anybody, identity + bytes(32), 'signature'), ('empty', pub, b'', 'signature-size'),
             ('63 bytes', pub, good[:63], 'signature-size'), ('65 bytes', pub, good + b'\0', 'signature-size'), ('zeros', pub, bytes(64), 'signature')]
    cases += [(f'byte {i}', pub, good[:i] + bytes([good[i] ^ 1 << i % 8]) + good[i + 1:], 'signature') for i in range(64)]
    for name, key, signature, want in cases:
        code, out = run(TIKC, 'verify', blob, '--key', key, '--signature', write(f'{work}/bad', signature))
        say(code == 4 and refusal(out) == want, name, out)
    code, out = run(TIKC, 'verify', blob, '--key', pub, '--signature', f'{work}/none')
    say(code == 3 and 'none' in out, 'no signature', out)


def check_keys(work, blob):
    """Files that are no keys."""
    secret, public = bytes.fromhex(VECTORS[0][0]), bytes.fromhex(VECTORS[0][1])
    key, pub = pem(f'{work}/key', 'PRIVATE', PRIVATE + secret), pem(f'{work}/pub', 'PUBLIC', PUBLIC + public)
    whole = read(key)
    for name, data in (('public', read(pub)), ('short', whole[:-40]), ('no end', whole.split(b'-----END')[0]), ('twice', whole * 2), ('empty', b''),
                       ('zero', whole + b'\0'), ('rsa', whole.replace(b'MC4CAQ', b'MC4CAA'))):
        code, out = run(TIKC, 'sign', blob, '--key', write(f'{work}/bad', data))
        say(code == 3 and '[key]' in out, f'key file: {name}', out)
    code, out = run(TIKC, 'verify', blob, '--key', key)
    say(code == 3 and '[key]' in out, 'a private key to verify', out)
    say(run(TIKC, 'sign', blob, '--key', write(f'{work}/crlf', whole.replace(b'\n', b'\r\n')))[0] == 0, 'lines that end in CR LF')


def sections(data):
    """[(name, offset of the entry, offset, size)]"""
    return [(data[at:at + 4].decode(), at, int.from_bytes(data[at + 8:at + 16], 'little'), int.from_bytes(data[at + 16:at + 24], 'little'))
            for at in range(64, 64 + 32 * int.from_bytes(data[24:28], 'little'), 32)]


def check_changes(work, blob):
    """tests/tools/sign_flips changes each byte, as it is and with right checksums; what it says of each must be a refusal, but for those
    of sections that the content id leaves out."""
    secret, public = bytes.fromhex(VECTORS[0][0]), bytes.fromhex(VECTORS[0][1])
    write(f'{work}/signature', signed(secret, message_of(blob)))
    code, out = run(os.path.join(os.environ.get('BUILD', f'{ROOT}/build'), 'tools/sign_flips'), blob, f'{work}/signature', public.hex())
    say(code == 0, 'changed bytes', out[-500:])
    free = [(10, 12)]  # the minor version, which says nothing by itself
    for name, entry, at, n in sections(read(blob)):
        free += [(entry, entry + 4), (at, at + n)] if name in STRIPPED else []  # one that nobody knows is as one that is not there
    lines = [line.split() for line in out.splitlines()]
    say(len(lines) == 2 * os.path.getsize(blob), 'changed bytes', f'{len(lines)} lines')
    for at, kind, rule in lines:
        inside = any(a <= int(at) < b for a, b in free)
        if rule == 'accepted':
            say(kind == 'checksums' and inside, f'byte {at}, {kind}', 'passes')
        else:
            say(rule != 'same' or kind == 'checksums', f'byte {at}, {kind}')
    accepted = sum(rule == 'accepted' for *_, rule in lines)
    print(f'{len(lines)} changes of {os.path.basename(blob)}: {accepted} of places and names pass with right checksums, '
          f'{sum(rule == "signature" for *_, rule in lines)} are refused by the signature')


def main():
    check_vectors()
    with tempfile.TemporaryDirectory() as work:
        blob = f'{work}/softmax.tkb'
        say(run(TIKC, 'build', 'samples/softmax.tik', '-o', blob)[0] == 0, 'softmax.tik')
        check_pairs(work, blob)
        check_new_key(work, blob)
        check_hostile(work, blob)
        check_keys(work, blob)
        check_changes(work, blob)
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
