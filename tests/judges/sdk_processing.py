"""Prints the script with which AWS's SDK, 3 or 2, starts the code of a processing job: ENTRY."""

import sys

try:
    from sagemaker.core.processing import FrameworkProcessor
except ImportError:
    from sagemaker.processing import FrameworkProcessor

processor = FrameworkProcessor.__new__(FrameworkProcessor)
processor.command = ["python3"]
print(processor._generate_framework_script(sys.argv[1]), end="")
