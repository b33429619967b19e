#!/usr/bin/env python3
"""Turns the built page into assembler and a table in C.

usage: embed.py OUT.c OUT.d WEB_DIST OPENAPI

Each file goes in twice, as it is and gzipped beside OUT.c. Without a built page a plain one
stands in that says how to build it. OUT.d names the files and their folders, and the folder
that WEB_DIST is in: ninja sees a page that is built anew or for the first time.
"""
import gzip
import hashlib
import os
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}
NOT_BUILT = ("<!doctype html><html lang=en><meta charset=utf-8><title>Parley</title>"
             "<p>This server was built without its page: run script/build.\n")


def found(dist):
    """Path on the server → file, for everything in the built page."""
    files = {}
    for folder, _, names in os.walk(dist):
        for name in names:
            full = os.path.join(folder, name)
            if os.path.splitext(name)[1] in TYPES:
                files["/" + os.path.relpath(full, dist).replace(os.sep, "/")] = full
    return files


def write_new(path, text):
    """Leaves a file alone that has this text already: nothing is compiled again for it."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    out, depfile, dist, openapi = sys.argv[1:]
    beside = os.path.splitext(os.path.abspath(out))[0]
    files = found(dist)
    if "/index.html" not in files:
        plain = beside + ".html"
        with open(plain, "w", encoding="utf-8") as file:
            file.write(NOT_BUILT)
        files = {"/index.html": plain}
    files["/openapi.json"] = openapi
    inputs = sorted(files.values())

    embeds, rows = [], []
    for number, (path, full) in enumerate(sorted(files.items())):
        full = os.path.abspath(full)
        with open(full, "rb") as file:
            data = file.read()
        packed = f"{beside}.{number}.gz"
        with open(packed, "wb") as file:
            file.write(gzip.compress(data, 9, mtime=0))
        embeds += [f'EMBED(file{number}, "{full}")', f'EMBED(pack{number}, "{packed}")']
        tag = hashlib.sha256(data).hexdigest()[:20]
        always = "true" if path.startswith("/assets/") else "false"
        rows.append(f'\t{{ "{path}", "{TYPES[os.path.splitext(path)[1]]}", "{tag}", {always},\n'
                    f"\t\tfile{number}_start, file{number}_end, "
                    f"pack{number}_start, pack{number}_end }},")

    write_new(out, "/* Made by embed.py. */\n#include \"serve/page.h\"\n\n"
              + ";\n".join(embeds) + ";\n\nconst struct page_file page_files[] = {\n"
              + "\n".join(rows) + "\n\t{ 0 },\n};\n")
    with open(depfile, "w", encoding="utf-8") as file:
        watched = [os.path.dirname(dist)] + [folder for folder, _, _ in os.walk(dist)]
        names = [name.replace(" ", "\\ ") for name in inputs + watched]
        file.write(f"{out}: {' '.join(names)}\n")


main()
