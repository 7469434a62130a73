"""Reads a page that 'tikc' wrote, as far as it is there without its script, and says what it would load."""
import html.parser
import json


class Parts(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.loads, self.scripts, self.texts, self.open, self.policy = [], [], [], {}, [], None
        self.feed(text)
        self.close()
        self.data = json.loads(self.texts['data'])

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags.append(tag)
        self.loads += [f'{tag} {k}={v}' for k, v in a.items() if k in ('src', 'href', 'srcset', 'action', 'data', 'poster') and not (v or '').startswith('#')]
        self.loads += [f'{tag} {k}' for k in a if k.startswith('on') or k == 'style']
        if tag == 'meta' and a.get('http-equiv') == 'Content-Security-Policy':
            self.policy = a['content']
        if tag == 'script' and a.get('type') != 'application/json':
            self.scripts.append('')
        self.open.append((tag, a.get('id'), tag == 'script' and a.get('type') != 'application/json'))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, text):
        tag, name, code = self.open[-1] if self.open else (None, None, False)
        if code:
            self.scripts[-1] += text
        elif name or tag == 'title':
            self.texts[name or tag] = self.texts.get(name or tag, '') + text
