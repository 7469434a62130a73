#!/usr/bin/python3
"""What tikc lsp says to a client that does not keep to the protocol: the errors that JSON-RPC and LSP have, and then it goes on. Random bytes
and random messages end in no crash, no hang and no answer that is no message."""
import json
import random
import sys

from client import Client, all_of, frame, run
from protocol import GOOD, URI, codes, opened


def error(c, data):
    """The error that answers bytes, and its id."""
    c.write(data)
    while True:
        m = c.read()
        assert m is not None, 'the server ended'
        if m.get('method') == 'textDocument/publishDiagnostics':
            c.published[m['params']['uri']] = m['params']
        if 'error' in m:
            assert set(m) == {'jsonrpc', 'id', 'error'} and m['error']['message'], m
            return m['error']['code'], m['id']


def well(c):
    """It still answers."""
    c.open(URI, GOOD)
    assert codes(c) == [] and c.end() == 0


def test_not_initialized():
    c = Client(begin=False)
    assert error(c, frame({'jsonrpc': '2.0', 'id': 'a', 'method': 'textDocument/hover', 'params': {}})) == (-32002, 'a')
    c.tell('textDocument/didOpen', {'textDocument': {'uri': URI, 'text': GOOD}})
    assert error(c, frame({'jsonrpc': '2.0', 'id': 5, 'method': 'shutdown'})) == (-32002, 5)
    assert c.ask('initialize', {})['serverInfo']['name'] == 'tikc'
    well(c)


def test_requests():
    c = Client()
    assert error(c, frame({'jsonrpc': '2.0', 'id': 1, 'method': 'textDocument/nothing'})) == (-32601, 1)
    assert error(c, frame({'jsonrpc': '2.0', 'id': 2, 'method': 'textDocument/didOpen'})) == (-32601, 2)   # no request
    c.tell('$/cancelRequest', {'id': 7})
    c.tell('textDocument/hover', {})
    c.tell('textDocument/nothing', {})
    assert error(c, frame({'jsonrpc': '2.0', 'id': 3})) == (-32600, 3)
    assert error(c, frame({'jsonrpc': '2.0', 'id': [], 'method': 'shutdown'})) == (-32600, None)
    assert error(c, frame({'jsonrpc': '2.0', 'id': 4, 'method': {}})) == (-32600, 4)
    assert error(c, frame([])) == (-32600, None) and error(c, frame(b'7')) == (-32600, None)
    for params in (None, [], 7, {}, {'textDocument': 3}, {'textDocument': {'uri': 4}}, {'textDocument': {'uri': URI}},
                   {'textDocument': {'uri': URI}, 'position': {'line': 'x'}}):
        for method in ('hover', 'completion', 'signatureHelp', 'definition', 'references', 'documentHighlight', 'codeAction', 'documentSymbol',
                       'prepareRename'):
            code, _ = error(c, frame({'jsonrpc': '2.0', 'id': 9, 'method': 'textDocument/' + method, 'params': params}))
            assert code == -32602, (params, method, code)
    c.open(URI, GOOD)
    for position in (None, [], {'line': -1, 'character': 0}, {'line': 0.5, 'character': 0}, {'line': 10 ** 30}, {'line': 1, 'character': None}):
        code, _ = error(c, frame({'jsonrpc': '2.0', 'id': 9, 'method': 'textDocument/hover', 'params': {'textDocument': {'uri': URI}, 'position': position}}))
        assert code in (-32602, -32700), (position, code)
    assert c.at('hover', URI, 10 ** 9, 10 ** 9) is None
    for changes in (None, 7, [None], [{}], [{'text': 3}], [{'text': 'x', 'range': 5}], [{'text': 'x', 'range': {'start': {'line': 3, 'character': 0}, 'end': {'line': 1, 'character': 0}}}]):
        c.tell('textDocument/didChange', {'textDocument': {'uri': URI, 'version': 2}, 'contentChanges': changes})
    assert codes(c) == []   # none of them was a change
    well(c)


def test_frames():
    c = Client()
    assert error(c, frame(b'{"jsonrpc": "2.0", "id": 1,')) == (-32700, None)
    assert error(c, frame(b'{"a": "\xff"}')) == (-32700, None)
    assert error(c, frame(b'')) == (-32700, None)
    assert error(c, frame(b'[' * 100000)) == (-32700, None)
    for data in (b'Content-Length: 12x\r\n\r\n', b'nonsense\r\n\r\nmore of it\r\n', b'Content-Type: text\r\n\r\n', b'Content-Length: -5\r\n\r\n',
                 b'Content-Length: 99999999999999999999999999\r\n\r\n', b'x' * 100000 + b'\r\n', b'{"x": 1}\r\n{"y": 1}', b'\0\0\r\n'):
        # it is answered once, and lines are skipped up to one with a length
        assert error(c, data) == (-32700, None), data
        assert error(c, frame(b'[]')) == (-32600, None), data
    # a long message is skipped, byte by byte, however it comes
    size = (64 << 20) + 1
    c.write(b'content-length:  %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n' % size)
    for _ in range(64):
        c.write(b' ' * (1 << 20))
    assert error(c, b' ') == (-32700, None)
    well(c)


def test_cut_off():
    """The input ends in the middle."""
    for data in (b'', b'Content', b'Content-Length: 5', b'Content-Length: 5\r\n\r\n{', b'Content-Length: 999999999999\r\n\r\n{}', b'\r\n', b'\n' * 5):
        c = Client()
        c.write(data)
        assert c.close() == 1, data


def test_broken_texts():
    """Texts as they are while someone types, and worse."""
    c = opened('')
    texts = [GOOD[:n] for n in range(0, len(GOOD), 7)] + ['\0', 'x\0y', '\ufeffx = 1', '"""', '(' * 300, '\\', '\r\r\r', 'def f(', 'é' * 50 + '.', 't.' * 500,
                                                          'x = ' + '(' * 5000, '# tikc: soc=', '# tikc: call=op(', 'lambda: ' * 3000, '@' * 100]
    for version, text in enumerate(texts):
        c.change(URI, version, {'text': text})
        lines = text.count('\n')
        for method in ('hover', 'completion', 'signatureHelp', 'definition', 'documentHighlight'):
            c.at(method, URI, lines, 10 ** 6)
            c.at(method, URI, lines // 2, 5)
        c.diagnostics(URI)
    well(c)


def random_value(rng, depth=0):
    kind = rng.randrange(8 if depth < 3 else 5)
    if kind == 6:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {rng.choice(['uri', 'textDocument', 'position', 'line', 'character', 'range', 'start', 'end', 'text', 'contentChanges', 'context', 'only',
                            'diagnostics', 'newName', 'capabilities', 'general', 'positionEncodings']): random_value(rng, depth + 1) for _ in range(rng.randrange(5))}
    return [None, True, rng.randrange(-3, 40), 1.5, URI, rng.choice(['', 'x', 'utf-8', 'ä𝄞', GOOD]), 2 ** 63 - 1, -2 ** 63][kind if kind < 5 else rng.randrange(8)]


METHODS = ['initialize', 'initialized', 'textDocument/didOpen', 'textDocument/didChange', 'textDocument/didSave', 'textDocument/didClose',
           'workspace/didChangeWatchedFiles', 'textDocument/hover', 'textDocument/completion', 'textDocument/signatureHelp', 'textDocument/definition',
           'textDocument/references', 'textDocument/documentHighlight', 'textDocument/prepareRename', 'textDocument/rename', 'textDocument/documentSymbol',
           'textDocument/codeAction', '$/setTrace', 'nothing']


def test_random_messages():
    rng = random.Random(11)
    c = opened(GOOD)
    for i in range(1500):
        message = {'jsonrpc': '2.0', 'method': rng.choice(METHODS), 'params': random_value(rng)}
        if rng.random() < 0.3:
            message['params'] = {'textDocument': {'uri': URI, 'text': GOOD, 'version': i}, 'position': {'line': rng.randrange(12), 'character': rng.randrange(60)},
                                 'range': random_value(rng), 'contentChanges': [random_value(rng)], 'newName': 'x', 'context': random_value(rng)}
        if rng.random() < 0.5:
            message['id'] = 1000 + i
        c.write(frame(message))
        if 'id' in message:
            assert {'result', 'error'} & set(c.answer(message['id'])), message
    c.change(URI, 5000, {'text': GOOD})
    well(c)


def test_random_bytes():
    """Messages with bytes changed, added and left out, read to the end of the input."""
    rng = random.Random(12)
    begin = frame({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {}})
    for _ in range(60):
        data = b''.join(frame({'jsonrpc': '2.0', 'id': i, 'method': rng.choice(METHODS), 'params': random_value(rng)}) for i in range(2, 12))
        data = bytearray(data)
        for _ in range(rng.randrange(1, 12)):
            at = rng.randrange(len(data))
            what = rng.randrange(3)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                del data[at:at + rng.randrange(1, 30)]
            else:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 10)))
        c = Client(begin=False)
        c.process.stdin.write(begin + bytes(data))
        c.process.stdin.close()
        while True:
            m = c.read()
            if m is None:
                break
            assert m['jsonrpc'] == '2.0' and ('result' in m or 'error' in m or 'method' in m), m
        c.process.stdout.close()
        assert c.process.wait() == 1


def main():
    return run(all_of(globals()))


if __name__ == '__main__':
    sys.exit(main())
