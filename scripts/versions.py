"""What tools say of their version, in short; shared by the scripts that print figures."""

import re


def version(said):
    """Name and version of a tool, from the line of its --version that has the number."""
    for name, pattern in [("nextpnr-ecp5", r"nextpnr-([\w.-]+)\)"), ("ecppack", r"ecppack Version ([\w.-]+)")]:
        if found := re.findall(pattern, said):
            return f"{name} {found[-1]}"
    return " ".join(said.split()[:2])
