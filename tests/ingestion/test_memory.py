"""Free memory goes back to the system."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

HOLDS_ON = """
from ingestion.memory import give_back

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

texts = [str(number) * 100 for number in range(200_000)]  # some 100 MB in small pieces
last = texts[-1]
del texts
held = resident()
give_back()
print(held - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_what_is_free_goes_back():
    told = subprocess.run([sys.executable, "-c", HOLDS_ON], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(told.stdout) > 50_000_000
