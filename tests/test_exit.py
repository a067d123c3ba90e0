"""Whatever a program holds when it ends, the interpreter goes silently, with status 0.

Each test is a program of its own. `gp` is gpuarray with the device under test as the default one; `np` is NumPy.
"""

import os
import subprocess
import sys
import textwrap

import pytest

START = """
import sys, atexit, threading, gc
import numpy as np
import gpuarray as gp
gp.set_default_device(sys.argv[1])
"""

PROGRAMS = {
    "arrays in globals": """
        a = gp.arange(1000.0)
        view, scalar, empty = a[::2], a.sum(), gp.zeros((0, 3))
        pair = gp.divmod(a, 3)
        rows, flat, flags, ufunc = iter(a.reshape(10, 100)), a.flat, a.flags, gp.add
        next(rows)
        walk = (x for x in a)
        next(walk)
    """,
    "pending work": """
        a = gp.ones((1000, 1000), "f4")
        for _ in range(20):
            a = gp.sin(a) @ a * 1e-3
    """,
    "reference cycles": """
        class Node:
            def __del__(self):
                self.array + 1
        def make(n):
            node = Node()
            node.me, node.array, node.view = node, gp.ones(n), gp.ones(n)[::2]
            return node
        kept = [make(n) for n in (1, 1000, 100000)]
        for n in (1, 1000, 100000):
            make(n)
        gc.disable()
    """,
    "handlers at exit": """
        def work(name):
            a = gp.arange(10) * 2
            assert int(a.sum()) == 90 and repr(a).startswith("array"), name
            gp.synchronize()
        atexit.register(work, "first")
        kept = gp.ones(100)
        atexit.register(lambda: kept.__iadd__(1))
    """,
    "finalisers at the very end": """
        import builtins, weakref
        class Late:
            def __init__(self):
                self.array = gp.ones(1000)
            def __del__(self):
                self.array *= 2
                assert float(self.array[0]) == 2
        late, builtins.late, sys.late = Late(), Late(), Late()
        builtins.array, sys.array = gp.ones(10), gp.ones(10)[1:]
        weakref.finalize(late, print, end="")
    """,
    "imported and exported memory": """
        class Owner:
            def __init__(self, array):
                self.__array_interface__ = array.__array_interface__
                self.array = array
        host = np.arange(1000.0)
        imported = [gp.asarray(host), gp.asarray(host[::2]), gp.asarray(Owner(host)), gp.asarray(memoryview(host))]
        a = gp.arange(1000.0)
        exported = [np.asarray(a), np.array(a), a.get(), a.__dlpack__(), gp.from_dlpack(a)]
        imported.append(gp.from_dlpack(host))
        if a.device == "cpu":
            exported += [memoryview(a), np.frombuffer(a), np.from_dlpack(a)]
            back = gp.asarray(exported[0])
            cycle = [back]
            cycle.append(cycle)
        sums = [x.sum() for x in imported]
    """,
    "streams and events": """
        stream, other, event = gp.cuda.Stream(), gp.cuda.Stream(), gp.cuda.Event()
        stream.__enter__()
        a = gp.ones(100000) * 2
        with other:
            b = a + 1
            other.record(event)
        local = threading.local()
        local.stream, local.array = gp.cuda.Stream(), a + b
    """,
    "a stream that is current and nobody's": """
        gp.cuda.Stream().__enter__()
        a = gp.ones(100000) * 2
        for _ in range(20):
            gp.cuda.Stream()
            assert float((a + gp.ones(100000)).sum()) == 300000
    """,
    "modules are gone": """
        a, b = gp.ones(1000), gp.ones(1000)[::2]
        sys.kept = [a + 1, gp.cuda.Stream(), gp.add, a.flat]
        for name in [name for name in sys.modules if name.split(".")[0] in ("gpuarray", "numpy")]:
            del sys.modules[name]
        del gp, np
    """,
    "running threads": """
        def work():
            while True:
                a = gp.ones(100000)
                (a + a).sum().item()
                repr(a)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        (gp.ones(1000) + 1).sum().item()
    """,
    "a thread that outlives the main one": """
        def work():
            threading.main_thread().join()
            a = gp.arange(100000)
            assert int((a + 1).sum()) == 5000050000
        threading.Thread(target=work).start()
    """,
    "an exit from within": """
        a = gp.ones(1000)
        def leave(depth):
            b = a * depth
            with gp.cuda.Stream():
                c = b + 1
                if depth == 0:
                    sys.exit(0)
                leave(depth - 1)
        leave(5)
    """,
    "settings": """
        gp.set_memory_tracing(True)
        sys.kept = gp.ones(1000)
        gp.set_memory_limit(10**9)
        gp.set_default_device(None)
    """,
    "failures before": """
        a = gp.arange(4)
        for call in (lambda: a[9], lambda: a + gp.ones(3), lambda: gp.empty(10**14), lambda: a["x"]):
            try:
                call()
            except Exception as error:
                sys.last = error
    """,
}


# Starting a device takes long: what does not stand in another's way shares a process.
ALONE = (
    "modules are gone",
    "running threads",
    "a thread that outlives the main one",
    "an exit from within",
)
TOGETHER = "everything else"


def indented(name):
    """A program as a function that keeps its names."""
    body = textwrap.indent(textwrap.dedent(PROGRAMS[name]), "    ")
    return f"def run():\n{body}\n    kept_names.append(locals())\nrun()\n"


@pytest.mark.parametrize("name", [*ALONE, TOGETHER])
def test_exit_is_silent(name, device):
    program = START + textwrap.dedent(PROGRAMS.get(name, "kept_names = []"))
    if name == TOGETHER:
        program += "\n" + "".join(indented(other) for other in PROGRAMS if other not in ALONE)
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program, str(device)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
