"""pages.py ROOT PAGE...: each relative link of a page leads to a file, and each path that it names in backticks exists."""
import os
import re
import sys

root, *pages = sys.argv[1:]
bad, seen = [], 0
for page in pages:
    with open(os.path.join(root, page), encoding='utf-8') as f:
        text = f.read()
    here = os.path.dirname(os.path.join(root, page))
    links = [os.path.join(here, t) for t in re.findall(r'\]\(([\w./-]+?)(?:#[\w-]+)?\)', text)]
    named = [os.path.join(root, t) for t in re.findall(r'`((?:compiler|runtime|tests|tools|docs|stdlib|hooks|grammar)/[\w./-]+)`', text)
             if not re.search(r'[A-Z]{2}', t)]
    for path in links + named:
        seen += 1
        if not os.path.exists(path):
            bad.append(f'{page}: {os.path.relpath(path, root)}')
print('\n'.join(bad) or f'{seen} names')
sys.exit(bool(bad) or not seen)
