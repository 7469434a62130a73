"""forbidden.py TIKC SOURCE FOLDER: files and folders without permission give exit code 3, a sentence, and
leave nothing. Permission is taken away by becoming another user when the test runs as root."""
import os
import shutil
import subprocess
import sys
import tempfile

tikc, source, folder = sys.argv[1:]
# Not TMPDIR, which may be closed to other users.
work = tempfile.mkdtemp(prefix='tikc-forbidden-', dir='/tmp')
os.chmod(work, 0o755)
secret = os.path.join(work, 'secret.tik')
shutil.copy(source, secret)
os.chmod(secret, 0)
public = os.path.join(work, 'public.tik')
shutil.copy(source, public)
os.chmod(public, 0o644)
closed = os.path.join(work, 'closed')
os.mkdir(closed, 0o555)


def become_nobody():
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def expect(args, text):
    r = subprocess.run([tikc] + args, preexec_fn=become_nobody, capture_output=True, text=True, cwd=work)
    if r.returncode != 3 or text not in r.stderr:
        sys.exit('tikc %s: exit %d\n%s' % (args, r.returncode, r.stderr))


def nobody_can_run():
    try:
        return subprocess.run([tikc, '--version'], preexec_fn=become_nobody, capture_output=True, cwd=work).returncode == 0
    except OSError:
        return False


try:
    if not nobody_can_run():
        print('skipped: other users may not run', tikc)
        sys.exit(0)
    expect(['check', secret], 'Permission denied [file-read]')
    expect(['build', public, '-o', os.path.join(closed, 'k.tkb')], 'Permission denied [file-write]')
    expect(['run', public, '--out', 'dst_gm=' + os.path.join(closed, 'y.npy')], 'Permission denied [file-write]')
    if os.listdir(closed):
        sys.exit('something is left: %s' % os.listdir(closed))
finally:
    os.chmod(closed, 0o755)
    shutil.rmtree(work)
