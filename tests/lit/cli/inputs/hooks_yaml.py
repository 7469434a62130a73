"""Reads YAML files, and prints the words after 'tikc' in what they run."""
import re
import sys

import yaml


def texts(of):
    if isinstance(of, dict):
        of = list(of.values())
    if isinstance(of, list):
        return [t for v in of for t in texts(v)]
    return [of] if isinstance(of, str) else []


for path in sys.argv[1:]:
    with open(path, encoding='utf-8') as f:
        for text in texts(yaml.safe_load(f)):
            for word in re.findall(r'(?m)^(?:/opt/tikc/bin/)?tikc ([a-z-]+)', text):
                print(word)
