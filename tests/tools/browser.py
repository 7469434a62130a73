"""Drives a headless Chromium over its debugging pipe: opens pages from files, evaluates expressions in them, presses keys, and takes
pictures. One browser serves a whole test; pages see no network."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

# Texts have the font and the size of this machine's Debian; nothing compares pictures.
FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run', '--disable-extensions',
         '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-default-apps',
         '--remote-debugging-pipe']


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp()
        with open(os.path.join(self.folder, 'Local State'), 'w') as f:   # chrome://tracing is one of the pages that this names
            f.write('{"internal_only_uis_enabled": true}')
        down, self.to = os.pipe()      # what the browser reads as 3, and writes as 4
        self.back, up = os.pipe()
        flags = FLAGS + ['--user-data-dir=' + self.folder, '--crash-dumps-dir=' + self.folder, 'about:blank']
        self.process = subprocess.Popen(
            ['sh', '-c', 'exec "$0" "$@" 3<&%d 4>&%d' % (down, up), shutil.which('chromium') or 'chromium', *flags],
            pass_fds=(down, up), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.rest, self.last, self.events = b'', 0, []

    def receive(self):
        while b'\0' not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                raise RuntimeError('the browser ended')
            self.rest += more
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            got = self.receive()
            if got.get('id') == self.last:
                if 'error' in got:
                    raise RuntimeError(f'{method}: {got["error"]}')
                return got['result']
            self.events.append(got)

    def open(self, url, width=1280, height=900, dark=False):
        return Page(self, url, width, height, dark)

    def close(self):
        try:
            self.call('Browser.close')
        except (RuntimeError, OSError):
            pass
        os.close(self.to)
        self.process.wait()
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Page:
    """A page that has been loaded, with its scripts."""

    def __init__(self, browser, url, width, height, dark):
        self.browser = browser
        self.target = browser.call('Target.createTarget', url='about:blank')['targetId']
        self.session = browser.call('Target.attachToTarget', targetId=self.target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.media(dark)
        browser.events.clear()
        self.call('Page.navigate', url=url)
        self.wait('document.readyState == "complete"')

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def media(self, dark=False, kind=''):
        self.call('Emulation.setEmulatedMedia', media=kind,
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def value(self, expression):
        """What an expression gives, as JSON has it; a promise is waited for."""
        got = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in got:
            raise RuntimeError(f'{expression[:200]}: {str(got["exceptionDetails"])[:500]}')
        return got['result'].get('value')

    def wait(self, expression, tries=6000):
        for _ in range(tries):
            if self.value(expression):
                return
            time.sleep(0.01)
        raise RuntimeError(f'{expression} does not become true')

    def key(self, key, **more):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, **({'text': key} if len(key) == 1 and kind == 'keyDown' else {}), **more)

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ('mousePressed', 'mouseReleased'):
            self.mouse(kind, x, y, button='left', clickCount=1)

    def complaints(self):
        """Exceptions, errors of the log (of the content security policy too), and what the page asked of any network."""
        out = []
        for e in self.browser.events:
            params = e.get('params', {})
            if e.get('sessionId') != self.session:
                continue
            if e['method'] == 'Runtime.exceptionThrown':
                out.append(params['exceptionDetails'].get('exception', {}).get('description') or params['exceptionDetails']['text'])
            elif e['method'] == 'Log.entryAdded' and params['entry']['level'] == 'error':
                out.append(params['entry']['text'])
            elif e['method'] == 'Runtime.consoleAPICalled' and params['type'] == 'error':
                out.append(str(params['args']))
            elif e['method'] == 'Network.requestWillBeSent' and not params['request']['url'].startswith(('file:', 'data:', 'chrome:')):
                out.append('asked for ' + params['request']['url'])
        return out

    def picture(self, path, whole=False):
        got = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=whole,
                        **({'clip': dict(self.size(), x=0, y=0, scale=1)} if whole else {}))
        with open(path, 'wb') as f:
            f.write(base64.b64decode(got['data']))

    def size(self):
        return self.value('({width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight})')

    def pdf(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.printToPDF', printBackground=True)['data']))

    def close(self):
        self.browser.call('Target.closeTarget', targetId=self.target)
