"""The golden model as the reference, to try the plug-in without Sail. It shares authors with the hardware, but no code."""

import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from riscof_weft import weft  # noqa: E402


class weft_model(weft):
    """Runs every test on the golden model."""

    __model__ = "weft_model"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.engine = "model"

    def runTests(self, testList, cgf_file=None):
        super().runTests(testList)
