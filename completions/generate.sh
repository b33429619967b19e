#!/bin/sh
# generate.sh PARLEY FOLDER: the shells' completions, from the tables of the program.
set -e
export LC_ALL=C PARLEY_CONFIG=/dev/null ASAN_OPTIONS=detect_leaks=0
"$1" completion bash > "$2/parley"
"$1" completion zsh > "$2/_parley"
"$1" completion fish > "$2/parley.fish"
