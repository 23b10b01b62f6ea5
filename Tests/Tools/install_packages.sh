#!/bin/sh
# Installs the Debian packages that are not there yet, and says which; with sudo unless root.
set -eu
missing=
for package in "$@"; do
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true) in
    "install ok installed") ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0
echo "installing$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
# shellcheck disable=SC2086
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing > /dev/null
