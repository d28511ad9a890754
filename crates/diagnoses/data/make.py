"""Makes icd10cm.gz out of the PyPI package that README.md names.

python3 make.py simple_icd_10_cm-1.5.0-py3-none-any.whl
"""

import gzip
import io
import os
import re
import sys
import xml.etree.ElementTree as ET
import zipfile

TABULAR = "simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml"
CODES = "simple_icd_10_cm/data/code-list-April-2026.txt"
# "stroke (I63.-)": what another entry says it leaves to one code, or to all below one heading.
MENTION = re.compile(r"(.+?)\s*\(([A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{0,4})?)-?\)")


def text(element):
    """The text of an element on one line, without the separators of the file."""
    words = " ".join((element.text or "").split())
    if "\t" in words or "|" in words:
        sys.exit(f"a separator within {words!r}")
    return words


def notes(entry, *kinds):
    return [text(note) for kind in kinds for element in entry.findall(kind) for note in element.findall("note")]


def compact(code):
    return code.replace(".", "")


class Lists:
    """What the tabular list says, entry by entry; which seventh characters there are, the list of codes says."""

    def __init__(self, tabular, codes):
        self.valid = set(codes)
        self.entries = {}  # code without its dot -> description, terms, characters to add
        self.mentions = {}  # code without its dot -> terms
        self.sets = {}  # characters to add, and what they mean -> number
        for entry in ET.fromstring(tabular).iterfind("chapter/section/diag"):
            self.walk(entry, None)

    def walk(self, entry, seventh):
        code, description = compact(text(entry.find("name"))), text(entry.find("desc"))
        seventh = seventh if entry.find("sevenChrDef") is None else entry.find("sevenChrDef")
        below = entry.findall("diag")
        added = ""
        if seventh is not None and not below:
            stem = code.ljust(6, "X")
            extensions = [(e.get("char"), text(e)) for e in seventh.findall("extension")]
            meanings = "|".join(char + meaning for char, meaning in sorted(extensions) if stem + char in self.valid)
            added = str(self.sets.setdefault(meanings, len(self.sets)))
        self.entries[code] = (description, notes(entry, "inclusionTerm", "includes"), added)
        for note in notes(entry, "excludes1", "excludes2"):
            if mention := MENTION.fullmatch(note):
                self.mentions.setdefault(compact(mention[2]), []).append(mention[1])
        for child in below:
            self.walk(child, seventh)

    def file(self):
        lines = list(self.sets) + [""]
        for code, (description, terms, added) in sorted(self.entries.items()):
            # What is said already, in whatever case, is left out.
            said, kept = {description.casefold()}, ([], [])
            for which, candidates in enumerate((terms, self.mentions.get(code, []))):
                for term in candidates:
                    if term.casefold() not in said:
                        said.add(term.casefold())
                        kept[which].append(term)
            lines.append("\t".join([code, added, description, "|".join(kept[0]), "|".join(kept[1])]).rstrip("\t"))
        return "\n".join(lines) + "\n"


def main():
    with zipfile.ZipFile(sys.argv[1]) as package:
        codes = package.read(CODES).decode().split()
        lists = Lists(package.read(TABULAR), codes)
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, filename="", mtime=0) as packed:
        packed.write(lists.file().encode())
    with open(os.path.join(os.path.dirname(__file__), "icd10cm.gz"), "wb") as out:
        out.write(raw.getvalue())


main()
