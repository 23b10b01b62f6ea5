#!/bin/sh
# lintian.sh FOLDER: what lintian says of the packages in FOLDER; fails for an error or a warning. Each that is wrong or meant has
# its reason in debian/matterctl.lintian-overrides or debian/source/lintian-overrides.
set -eu
folder=$1
lintian --fail-on error,warning --info --display-info --suppress-tags initial-upload-closes-no-bugs "$folder"/matterctl_*_*.changes
