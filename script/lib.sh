# Shared by the scripts beside it; sourced, not run.
# shellcheck shell=bash
set -euo pipefail
this=$(realpath -- "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What Debian calls the things we need, by why they are needed.
build_packages=(
	gcc libc6-dev make meson ninja-build pkg-config
	libuv1-dev node-llhttp libssl-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev
	libsodium-dev libinih-dev libutf8proc-dev libncurses-dev libwslay-dev libzstd-dev libpcre2-dev
	libyaml-dev zlib1g-dev
)
# Whose AddressSanitizer and fuzzer are used: with those of Debian's gcc and of older clangs, looking for leaks
# takes four seconds a program on arm64, and their check of returned frames minutes.
clang=clang-19
test_packages=(
	libcmocka-dev libjansson-dev clang-format $clang "lib${clang/-/-rt-}-dev" "${clang/clang/llvm}"
	ccache curl jq openssl procps sqlite3 strace util-linux zstd
)

bench_packages=(wrk redis-server nginx libnginx-mod-nchan sqlite3 postgresql)

# What was compiled in one clone serves every other: paths are kept relative to the clone.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# npm's packages, by the checksum of their lock file, for every clone.
modules_kept=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/parley-modules

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# help_for "$@": with --help, prints the comment that the script starts with, and exits.
help_for() {
	case ${1-} in
	-h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$this"; exit 0 ;;
	esac
}

missing_packages() {
	local name
	for name in "$@"; do
		dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q ' installed$' || echo "$name"
	done
}

# install_packages NAME…: those that are missing, and nothing when none is.
install_packages() {
	command -v dpkg-query >/dev/null || {
		say "This is not Debian; taken as installed: $*"
		return 0
	}
	local missing as_root=()
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	say "Installing: ${missing[*]}"
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || die "Not root and no sudo; please install: ${missing[*]}"
		as_root=(sudo)
	fi
	# Another installation may be under way: it is waited for.
	as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600)
	local install=(install --no-install-recommends "${missing[@]}")
	"${as_root[@]}" "${install[@]}" >&2 ||
		{ "${as_root[@]}" update >&2 && "${as_root[@]}" "${install[@]}" >&2; }
}

need_build() { install_packages "${build_packages[@]}"; }

# Not `npm ci`: it refuses a lock file without the binaries of systems we never run on.
# Debian's Node trusts the system's certificates, among them that of a company's proxy; another Node
# has to be told to, and one that is too old for the flag would refuse to start.
npm_install() {
	(
		if node --use-system-ca -e 0 2>/dev/null; then
			export NODE_OPTIONS="${NODE_OPTIONS:-} --use-system-ca"
		fi
		cd "$1" && npm install --no-save --no-audit --no-fund --loglevel=error >&2
	)
}

# need_modules DIR: the npm packages of its lock file, installed anew when that changes, or linked from where an
# earlier clone left them.
need_modules() {
	command -v node >/dev/null || install_packages nodejs
	command -v npm >/dev/null || install_packages npm
	local sum stamp=$1/node_modules/.lock-sum kept
	sum=$(sha256sum <"$1/package-lock.json" | cut -d ' ' -f 1)
	[ "$(cat "$stamp" 2>/dev/null)" = "$sum" ] && return 0
	kept=$modules_kept/$sum-$(node -p 'process.versions.node')
	if [ -e "$kept" ]; then
		touch "$kept"
		rm -rf "$1/node_modules"
		cp -al "$kept" "$1/node_modules" 2>/dev/null && return 0
		rm -rf "$1/node_modules" # another file system has no links
	fi
	say "Installing the packages of $1/package-lock.json"
	npm_install "$1"
	# Debian 12's own Node is older than some packages want, and npm leaves those out in
	# silence. The newer one that came along installs the rest.
	if [ -x "$1/node_modules/.bin/node" ]; then
		PATH=$PWD/$1/node_modules/.bin:$PATH npm_install "$1"
	fi
	echo "$sum" >"$stamp"
	modules_keep "$1/node_modules" "$kept" || true
}

# modules_keep FROM TO: links for the next clone; those that no clone took for a month go.
modules_keep() {
	mkdir -p "$modules_kept" && rm -rf "$2.$$" && cp -al "$1" "$2.$$" 2>/dev/null &&
		mv -T "$2.$$" "$2" 2>/dev/null
	rm -rf "$2.$$"
	find "$modules_kept" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
}

need_node() { need_modules tests; }

# A newer Node than Debian 12 has, which the page's packages bring.
newer_node() {
	[ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ] || return 0
	need_modules web
	export PATH=$PWD/web/node_modules/.bin:$PATH
}

# A browser, and what drives it.
need_browser() {
	need_modules tests/e2e
	newer_node
	command -v chromium >/dev/null || install_packages chromium
	# Half the work for most tests; without it they run in the whole browser.
	command -v chromium-headless-shell >/dev/null || install_packages chromium-headless-shell || true
}

page_is_fresh() {
	[ -e web/dist/index.html ] && [ -z "$(find web/src web/public web/index.html \
		web/package-lock.json web/*.ts web/svelte.config.js messages \
		src/mcp/tools.json src/cli/connect/agents.json -type f \
		! -name '*.d.ts' -newer web/dist/index.html -print -quit)" ]
}

# The page in web/dist, which the program embeds; quick when nothing of it has changed.
build_page() {
	page_is_fresh && return 0
	(
		flock 9
		page_is_fresh && exit 0
		need_modules web
		say "Building the page"
		cd web && quietly npm run --silent build
	) 9>web/.lock
}

# quietly COMMAND…: its output only when it fails.
quietly() {
	local output
	output=$("$@" 2>&1) || { local status=$?; say "$output"; return $status; }
}

# set_up DIR OPTION…: a build folder with these options; quick when it stands already.
set_up() {
	local dir=$1
	shift
	if [ -e "$dir/build.ninja" ]; then
		[ $# = 0 ] || quietly meson configure "$dir" "$@"
	else
		say "Setting up $dir"
		quietly meson setup "$dir" "$@"
	fi
}

build_parley() {
	need_build && build_page || return
	if [ ! -e build/build.ninja ]; then
		set_up build -Dtests=false || return
	elif ! grep -q -- -flto build/build.ninja; then
		set_up build -Dlto=true -Dc_link_args= || return # script/test had set it up
	fi
	ninja -C build --quiet parley >&2
}
