"""Runs the checks of Python's streams against the cluster of $KUBECONFIG, whose pod "web" can be entered."""

from kubernetes import client, config

config.load_kube_config()

from checks import check, equal, run_checks  # noqa: E402
from kubernetes.stream import portforward, stream  # noqa: E402

core = client.CoreV1Api()
WHERE = {"name": "web", "namespace": "default"}


def execute(command, **more):
    options = {"stderr": True, "stdin": False, "stdout": True, "tty": False, **more}
    return stream(core.connect_get_namespaced_pod_exec, command=command, **WHERE, **options)


@check("a command's output is its answer")
def output():
    return equal(execute(["echo", "hi"]), "hi\n")


@check("both outputs and the exit code of a command that fails")
def fails():
    session = execute(["sh", "-c", "echo out; echo err >&2; exit 3"], _preload_content=False)
    session.run_forever(timeout=30)
    return equal((session.read_stdout(), session.read_stderr(), session.returncode), ("out\n", "err\n", 3))


@check("what a command reads is what was written to it")
def reads():
    session = execute(["head", "-n", "1"], stdin=True, _preload_content=False)
    session.write_stdin("a line\n")
    session.run_forever(timeout=30)
    return equal((session.read_stdout(), session.returncode), ("a line\n", 0))


@check("a terminal is one output, with line ends of its own")
def terminal():
    return equal(execute(["sh", "-c", "echo out; echo err >&2"], tty=True), "out\r\nerr\r\n")


@check("bytes that are no text arrive unchanged")
def binary():
    session = execute(["head", "-c", "100000", "/dev/zero"], _preload_content=False, binary=True)
    session.run_forever(timeout=30)
    return equal(session.read_stdout(), b"\0" * 100000)


@check("a socket to a port of the pod carries bytes both ways")
def forwarded():
    forward = portforward(core.connect_get_namespaced_pod_portforward, ports="7", **WHERE)
    socket = forward.socket(7)
    socket.setblocking(True)
    socket.settimeout(30)
    socket.sendall(b"through")
    return equal(socket.recv(100), b"through")


run_checks()
