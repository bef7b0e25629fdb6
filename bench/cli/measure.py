# Runs the commands it is told, one at a time, and answers with what each cost: Node has no figures for a single child.
# A line of JSON each way: {"argv", "env", "stdout"?} -> {"code", "wall", "cpu" in milliseconds, "rss" in megabytes, "stderr"}.
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

for line in sys.stdin:
    task = json.loads(line)
    with tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        child = subprocess.Popen(task["argv"], env=task["env"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - started
        errors.seek(0)
        answer = {
            "code": os.waitstatus_to_exitcode(status),
            "wall": wall * 1000,
            "cpu": (usage.ru_utime + usage.ru_stime) * 1000,
            "rss": usage.ru_maxrss / 1024,
            "stderr": errors.read().decode(errors="replace")[:2000],
        }
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
