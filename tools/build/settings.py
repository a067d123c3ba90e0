"""The environment variables a build obeys: all of them, read here and nowhere else."""

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

CUDA_CHOICES = ("auto", "0", "1", "prebuilt")
# What the CPU backend may ask of a processor: AVX-512, AVX2 and FMA (2013 and later), nothing special, or the first of
# these that this machine has.
CPU_ARCHS = ("auto", "x86-64-v4", "x86-64-v3", "x86-64")
SANITIZERS = ("address", "undefined", "thread", "leak")


class BuildError(Exception):
    """A build that cannot go on; its text is the one sentence the user sees."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for. `cc` and `cxx` are empty where the build may choose; flags come last."""

    cuda: str = "auto"
    archs: str = ""
    cpu_arch: str = "auto"
    sanitize: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    cxx: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    cxxflags: tuple[str, ...] = ()
    jobs: int = 0

    @property
    def variant(self) -> str:
        """The folder under build/ that only builds with these compilers and sanitizers share."""
        words = (*self.cc, *self.cxx, *self.cflags, *self.cxxflags, "+".join(self.sanitize))
        return "-".join(re.sub(r"[^\w.+]+", "_", word) for word in words if word) or "release"


def _choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BuildError(f"{name} is {value!r}; it can be {', '.join(allowed)}")
    return value


def _jobs(value: str) -> int:
    if not value.isdigit():
        raise BuildError(
            f"GPUARRAY_JOBS is {value!r}; it is the number of compilers to run at once"
        )
    return int(value)


def read_settings(env: Mapping[str, str] = os.environ) -> Settings:
    """Settings from `env`; a value that means nothing is a BuildError naming the variable."""
    names = env.get("GPUARRAY_SANITIZE", "").replace("+", ",").split(",")
    wanted = sorted({name.strip() for name in names if name.strip()})
    return Settings(
        cuda=_choice("GPUARRAY_CUDA", env.get("GPUARRAY_CUDA") or "auto", CUDA_CHOICES),
        archs=env.get("GPUARRAY_CUDA_ARCHS", "").strip(),
        cpu_arch=_choice("GPUARRAY_CPU_ARCH", env.get("GPUARRAY_CPU_ARCH") or "auto", CPU_ARCHS),
        sanitize=tuple(_choice("GPUARRAY_SANITIZE", name, SANITIZERS) for name in wanted),
        cc=tuple(shlex.split(env.get("CC", ""))),
        cxx=tuple(shlex.split(env.get("CXX", ""))),
        cflags=tuple(shlex.split(env.get("CFLAGS", ""))),
        cxxflags=tuple(shlex.split(env.get("CXXFLAGS", ""))),
        jobs=_jobs(env.get("GPUARRAY_JOBS") or "0"),
    )
