"""Opens a file many times, as training code does, with the harness's watch where it is asked for.

    python3 opens.py HARNESS FILE TIMES    # prints how long that took, in ms
"""

import sys
import time

sys.path.insert(0, sys.argv[1])
from mlcli_harness.watch import report_at_end  # noqa: E402

report_at_end([])
began = time.perf_counter()
for _ in range(int(sys.argv[3])):
    open(sys.argv[2]).close()
print((time.perf_counter() - began) * 1000)
