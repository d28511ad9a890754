"""Writes the snippets of a page into a directory: `snippets.py PAGE DIRECTORY`.

A block whose info string has a second word goes into the file of that name, behind the blocks before it.
"""

import re
import sys
from pathlib import Path

page, directory = Path(sys.argv[1]), Path(sys.argv[2])
blocks = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
for name, text in blocks:
    with open(directory / name, "a") as file:
        file.write(text)
print(*dict.fromkeys(name for name, _ in blocks))
