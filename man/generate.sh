#!/bin/sh
# generate.sh PARLEY FOLDER LOCALE: every manual page, from the tables of the program.
set -e
export LC_ALL="$3" PARLEY_CONFIG=/dev/null ASAN_OPTIONS=detect_leaks=0
"$1" help --man > "$2/parley.1"
"$1" help --man parley.conf > "$2/parley.conf.5"
"$1" help --names | while read -r verb; do
	# shellcheck disable=SC2086 # a verb may be two words
	"$1" help --man $verb > "$2/parley-$(echo "$verb" | tr ' ' '-').1"
done
