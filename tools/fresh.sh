#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs ./run on a machine that has nothing yet, as a newcomer does.
set -euo pipefail

usage () {
  cat <<'TEXT'
usage: tools/fresh.sh RELEASE [VERB...]              tools/fresh.sh trixie demo
       tools/fresh.sh RELEASE package                install the packages in a second bare tree, and use them there
       tools/fresh.sh --again RELEASE COMMAND...     in the tree of the last run: --again trixie ./run info

Makes a bare Debian tree of RELEASE (bookworm, trixie), clones HEAD of this repository into a copy of it, and runs
./run VERB there as an ordinary user who may use sudo; says how long that took, and ends with its exit status. Wants root
and debootstrap. Every run begins with a new copy, which stays for --again.

The tree and downloaded packages are kept in ${XDG_CACHE_HOME:-~/.cache}/gst-plugins-cl/fresh; a folder removed there is
made anew. Packages come from $DEBIAN_MIRROR, or the mirror of this machine's apt, or deb.debian.org, through this
machine's proxy and with its certificates.
TEXT
}

die () { printf 'fresh: %s\n' "$*" >&2; exit 1; }

again=false
case ${1:-} in
  '' | -h | --help) usage; exit 0 ;;
  --again) again=true; shift ;;
esac
[ $# -gt 0 ] || { usage >&2; exit 1; }
release=$1
shift
[[ $release =~ ^[a-z]+$ ]] || die "not a release of Debian: $release"
[ "$(id -u)" -eq 0 ] || die "needs root: sudo tools/fresh.sh $release $*"

repository=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gst-plugins-cl/fresh
pristine=$cache/$release packages=$cache/$release.packages scratch=$cache/$release.run
mkdir -p "$packages"

find_mirror () {
  local known=${DEBIAN_MIRROR:-}
  # The security archive has the same origin, but another label.
  # shellcheck disable=SC2016 # apt's own variable
  [ -n "$known" ] || known=$(
    apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 2>/dev/null | sort -u | head -n 1) || true
  printf '%s\n' "${known:-http://deb.debian.org/debian}"
}

# Copies this machine's settings for its mirror.
take_over_network () {
  local tree=$1
  cp /etc/resolv.conf /etc/hosts "$tree/etc/"
  {
    ! command -v apt-config >/dev/null || apt-config dump | grep -E '^Acquire::(https?|Check)[:-]' || true
    [ -z "${http_proxy:-}" ] || printf 'Acquire::http::Proxy "%s";\n' "$http_proxy"
    [ -z "${https_proxy:-}" ] || printf 'Acquire::https::Proxy "%s";\n' "$https_proxy"
  } >"$tree/etc/apt/apt.conf.d/90host"
  if cp /usr/local/share/ca-certificates/*.crt "$tree/usr/local/share/ca-certificates/" 2>/dev/null; then
    chroot "$tree" update-ca-certificates >/dev/null 2>&1
  fi
}

make_pristine () {
  command -v debootstrap >/dev/null || die "debootstrap is not installed"
  printf 'fresh: making a tree of %s\n' "$release" >&2
  rm -rf "$pristine.part"
  local proxy=''
  ! command -v apt-config >/dev/null || eval "$(apt-config shell proxy Acquire::http::Proxy)"
  http_proxy=${http_proxy:-$proxy} debootstrap --variant=minbase --include=sudo,ca-certificates,apt-utils \
    --cache-dir="$packages" "$release" "$pristine.part" "$(find_mirror)" >"$cache/$release.log" 2>&1 ||
    { tail -n 15 "$cache/$release.log" >&2; die "debootstrap failed ($cache/$release.log)"; }
  chroot "$pristine.part" useradd --create-home --shell /bin/bash user
  printf 'user ALL=(ALL) NOPASSWD: ALL\n' >"$pristine.part/etc/sudoers.d/user"
  rm -f "$pristine.part"/var/cache/apt/archives/*.deb
  mv "$pristine.part" "$pristine"
}

# enter COMMAND...: runs a command as the user, in the repository. Its mounts and processes live in namespaces that end with it.
enter () {
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount --pid --fork --kill-child bash -euc '
    tree=$1 packages=$2
    shift 2
    mount -t proc proc "$tree/proc"
    mount --rbind /sys "$tree/sys"
    mount --rbind /dev "$tree/dev"
    mount -t tmpfs tmpfs "$tree/run"
    mount --bind "$packages" "$tree/var/cache/apt/archives"
    exec chroot --userspec=user:user --groups=user,sudo,video "$tree" env -i HOME=/home/user USER=user LANG=C.UTF-8 \
      TERM="${TERM:-dumb}" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
      bash -c "cd ~/gst-plugins-cl && exec \"\$@\"" enter "$@"
  ' enter "$scratch" "$packages" "$@"
}

new_tree () {
  rm -rf --one-file-system "$scratch"
  cp -a --reflink=auto "$pristine" "$scratch"
  take_over_network "$scratch"
}

# Installs the packages of ./run package with apt, in a tree without a build, and runs debian/tests.
use_packages () {
  local made=$scratch/home/user/gst-plugins-cl/build/packages kept test
  kept=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder's name of now
  trap "rm -rf '$kept'" EXIT
  cp "$made"/*.deb "$kept/"
  cp -r "$made"/gst-plugins-cl-*/debian/tests "$kept/tests"
  new_tree
  mkdir -p "$scratch/home/user/gst-plugins-cl"
  cp -r "$kept"/. "$scratch/home/user/gst-plugins-cl/"
  chroot "$scratch" chown -R user:user /home/user
  enter bash -euc 'sudo apt-get -q update && sudo apt-get -qy install ./*.deb $(sed -n "s/^Depends: @, //p" tests/control | tr -d ,)' \
    >"$cache/$release.install.log" 2>&1 || { tail -n 15 "$cache/$release.install.log" >&2; die "the packages cannot be installed"; }
  for test in $(sed -n 's/^Tests: //p' "$kept/tests/control" | tr -d ,); do
    printf 'fresh: debian/tests/%s\n' "$test" >&2
    enter bash -c 'AUTOPKGTEST_TMP=$(mktemp -d) exec bash "tests/$1"' use "$test" || die "debian/tests/$test fails"
  done
}

if $again; then
  [ -d "$scratch" ] || die "$release was not run yet"
  [ $# -gt 0 ] || set -- bash
  enter "$@"
  exit
fi

exec 9>"$cache/$release.lock"
flock -n 9 || die "$release runs already"
[ -d "$pristine" ] || make_pristine
new_tree
git clone --quiet --no-hardlinks "$repository" "$scratch/home/user/gst-plugins-cl"
chroot "$scratch" chown -R user:user /home/user
[ $# -gt 0 ] || set -- demo

status=0
TIMEFORMAT="fresh: ./run $* on a bare $release: %0R s, in which processors worked for %0U + %0S s"
time enter ./run "$@" || status=$?
[ "$status" -ne 0 ] || [ "$*" != package ] || use_packages
exit "$status"
