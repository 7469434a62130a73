"""A client of tikc lsp that can also say what no client says. Tests import it; they end with 'N passed, N failed'."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import paths  # noqa: E402
from functions import all_of, run  # noqa: E402, F401

ROOT, TIKC = paths.ROOT, paths.TIKC


def frame(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b'Content-Length: %d\r\n\r\n' % len(body) + body


class Client:
    """A server that was told initialize, unless begin is False."""

    def __init__(self, *options, begin=True, encodings=None):
        self.process = subprocess.Popen([TIKC, 'lsp', *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.published = {}
        if begin:
            general = {'positionEncodings': encodings} if encodings else {}
            self.capabilities = self.ask('initialize', {'capabilities': {'general': general}})['capabilities']
            self.tell('initialized', {})

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        """The next message, or None at the end."""
        size = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            if line == b'\r\n':
                break
            name, value = line.split(b': ')
            assert name == b'Content-Length' and size is None, line
            size = int(value)
        return json.loads(self.process.stdout.read(size))

    def answer(self, number):
        """The answer with that number; notifications before it are kept."""
        while True:
            message = self.read()
            assert message is not None, 'the server ended'
            assert message['jsonrpc'] == '2.0', message
            if message.get('method') == 'textDocument/publishDiagnostics':
                self.published[message['params']['uri']] = message['params']
            elif message.get('id') == number:
                return message
            else:
                raise AssertionError(f'not asked for: {message}')

    def request(self, method, params=None):
        self.number += 1
        self.write(frame({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params}))
        return self.answer(self.number)

    def ask(self, method, params=None):
        message = self.request(method, params)
        assert 'error' not in message, message
        return message['result']

    def tell(self, method, params=None):
        self.write(frame({'jsonrpc': '2.0', 'method': method, 'params': params}))

    def end(self):
        """The exit code after shutdown and exit."""
        assert self.ask('shutdown') is None
        self.tell('exit')
        return self.close()

    def close(self):
        """The exit code after the input has ended."""
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait()

    # ---- documents

    def open(self, uri, text, version=1):
        self.tell('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': 'tik', 'version': version, 'text': text}})

    def change(self, uri, version, *changes):
        self.tell('textDocument/didChange', {'textDocument': {'uri': uri, 'version': version}, 'contentChanges': list(changes)})

    def diagnostics(self, uri):
        """What was published of a document last, after all that was said."""
        self.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}})
        return self.published[uri]['diagnostics']

    def at(self, method, uri, line, character, **more):
        """The answer to a request about a position."""
        position = {'line': line, 'character': character}
        return self.ask('textDocument/' + method, dict(textDocument={'uri': uri}, position=position, **more))


def offset(text, position, units='utf-16'):
    """Of a position in a text, in characters."""
    lines = text.split('\n')
    line = lines[position['line']]
    encoded = line.encode('utf-16-le' if units == 'utf-16' else units)
    part = encoded[:position['character'] * (2 if units == 'utf-16' else 1)]
    return sum(len(s) + 1 for s in lines[:position['line']]) + len(part.decode('utf-16-le' if units == 'utf-16' else units))


def apply(text, edits, units='utf-16'):
    """A text after edits that do not overlap."""
    places = sorted(((offset(text, e['range']['start'], units), offset(text, e['range']['end'], units), e['newText']) for e in edits), reverse=True)
    for begin, end, new in places:
        text = text[:begin] + new + text[end:]
    return text
