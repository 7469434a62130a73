"""shown.py TIKC ROOT PAGE [FOLDER]: what a page shows after "$ COMMAND" is what the command prints, run by a shell in the root of the
tree, or in FOLDER, in the order of the page. Standard error comes after standard output. A line "..." stands for any lines, and " ..." at
the end of a line for the rest of it. A command that fails must show an error. With TIKC_UPDATE in the environment the page gets what was printed
where it differs.

In FOLDER the page writes its own files: a block whose first line is a comment with a path, as "# add.tik", is that file, and a block of
diff is applied. Blocks that show the same file again replace it. "tikc" and "python3" are those of the test; TREE is the root of the
tree."""
import os
import re
import subprocess
import sys

tikc, root, page, *rest = sys.argv[1:]
folder = rest[0] if rest else root


def tools():
    """A folder for PATH where tikc and python3 are those of the test."""
    path = folder.rstrip('/') + '.bin'
    os.makedirs(path, exist_ok=True)
    for name, of in (('tikc', tikc), ('python3', sys.executable)):
        link = os.path.join(path, name)
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(os.path.abspath(of), link)
    return path


def blocks(text):
    """(language, content) of each fenced block."""
    return re.findall(r'^```(\w*)\n(.*?)^```$', text, re.S | re.M)


def write(name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(content)


def like(want, got):
    pattern = re.escape(want).replace(r'\.\.\.' + '\\\n', '\0').replace(r'\ \0', ' .*\n').replace('\0', '(?:.*\n)*')
    return re.fullmatch(pattern, got)


def command(line, want, env):
    """Runs a command. Returns what the page should show, and whether it does."""
    run = subprocess.run(['bash', '-c', line], cwd=folder, env=env, capture_output=True, text=True)
    got = run.stdout + run.stderr
    ok = like(want, got) and (run.returncode == 0 or 'error' in want)
    if not ok:
        print(f'{page} shows after: {line}\n{want}\nwhat happens (exit code {run.returncode}):\n{got}')
    return want if ok else got, bool(ok)


def main():
    env = dict(os.environ, PYTHON=sys.executable, TREE=root, LC_ALL='C.UTF-8')
    if rest:
        env['PATH'] = tools() + os.pathsep + env['PATH']
    with open(os.path.join(root, page), encoding='utf-8') as f:
        text = f.read()
    bad = seen = at = 0
    for language, content in blocks(text):
        named = re.match(r'(?:#|//|/\*) ([\w./-]+\.\w+)( \*/)?\n', content)
        if content.startswith('$ '):
            for shown in re.split(r'^\$ ', content, flags=re.M)[1:]:
                line, _, want = shown.partition('\n')
                if rest or line.startswith('tikc '):
                    prints, ok = command(line if rest else line.replace('tikc', tikc, 1), want, env)
                    bad, seen = bad + (not ok), seen + 1
                    at = text.index(f'$ {line}\n{want}', at) + len(f'$ {line}\n')
                    text = text[:at] + prints + text[at + len(want):]
        elif rest and language == 'diff':
            apply = subprocess.run(['git', 'apply', '-'], input=content, cwd=folder, env=dict(env, GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.abspath(folder))),
                                   text=True, capture_output=True)
            bad += apply.returncode != 0
            print(apply.stderr, end='')
        elif rest and named:
            write(named.group(1), content)
    if bad and 'TIKC_UPDATE' in os.environ:
        with open(os.path.join(root, page), 'w', encoding='utf-8') as f:
            f.write(text)
    return bad > 0 or seen == 0


if __name__ == '__main__':
    sys.exit(main())
