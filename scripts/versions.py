"""Versions of tools in short form, for the scripts that print figures."""

import re


def version(said):
    """Returns name and version of a tool, from the line of its --version that has the number."""
    for name, pattern in [("nextpnr-ecp5", r"nextpnr-([\w.-]+)\)"), ("ecppack", r"ecppack Version ([\w.-]+)")]:
        if found := re.findall(pattern, said):
            return f"{name} {found[-1]}"
    return " ".join(said.split()[:2])
