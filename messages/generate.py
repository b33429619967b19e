#!/usr/bin/env python3
"""Turns the catalogue into a sorted C table.

usage: generate.py OUT PREFIX[,PREFIX…] en.json fr.json

Only ids that start with one of the prefixes go into the binary. A text that one language
lacks, or whose placeholders differ, stops the build.
"""
import json
import re
import sys


def load(path):
    def unique(pairs):
        seen = dict(pairs)
        if len(seen) != len(pairs):
            names = [name for name, _ in pairs]
            sys.exit(f"{path}: given twice: {sorted({n for n in names if names.count(n) > 1})}")
        return seen

    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique)


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n\t\t  "')
    return f'"{escaped}"'


def check(catalogues, paths):
    wrong = []
    ids = set().union(*catalogues)
    for id in sorted(ids):
        texts = [c.get(id) for c in catalogues]
        for path, text in zip(paths, texts):
            if not isinstance(text, str) or not text:
                wrong.append(f"{path}: {id} is missing")
        # "One is waiting" needs no number.
        spare = {"n"} if id.endswith(".one") else set()
        if len({frozenset(set(re.findall(r"\{(\w+)\}", t)) - spare) for t in texts if t}) > 1:
            wrong.append(f"{id}: the placeholders differ")
    if wrong:
        sys.exit("\n".join(wrong))
    return ids


def main():
    out, prefixes, *paths = sys.argv[1:]
    catalogues = [load(path) for path in paths]
    ids = sorted(i for i in check(catalogues, paths) if i.startswith(tuple(prefixes.split(","))))
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "text/msg.h"\n\nconst struct message messages[] = {\n')
        for id in ids:
            texts = ",\n\t\t  ".join(literal(c[id]) for c in catalogues)
            file.write(f'\t{{ "{id}",\n\t\t{{ {texts} }} }},\n')
        file.write("};\n\nconst size_t messages_len = sizeof messages / sizeof *messages;\n")


main()
