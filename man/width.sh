#!/bin/sh
# width.sh man PAGE… | help PARLEY: fails with the lines that take more than 80 columns, of manual
# pages as they are shown, or of every --help in both languages.
export LC_ALL=C.UTF-8 PARLEY_CONFIG=/dev/null
what=$1
shift

shown() {
	if [ "$what" = man ]; then
		mandoc -Tutf8 -Owidth=80 "$@" | sed 's/.\x08//g'
		return
	fi
	for lang in en fr; do
		"$1" --help --lang "$lang"
		"$1" help --names | while read -r verb; do
			# shellcheck disable=SC2086 # a verb may be two words
			"$1" $verb --help --lang "$lang"
			"$1" help ${verb%% *} --lang "$lang"
		done
	done
}

# What is shown is never empty, so grep finds a line unless all are too wide.
shown "$@" | grep -E '^.{81,}$' && exit 1
shown "$@" | grep -q .
