#!/usr/bin/env bash
# Finds a Chromium, or installs the distribution's when that needs nobody's leave.
set -euo pipefail

for p in /usr/lib/chromium/chromium /usr/lib/chromium-browser/chromium-browser /opt/google/chrome/chrome \
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
  [ -x "$p" ] && exit 0
done
# Playwright's own builds, where its installer puts them.
cache=${PLAYWRIGHT_BROWSERS_PATH:-${XDG_CACHE_HOME:-$HOME/.cache}/ms-playwright}
compgen -G "$cache/chromium-*" >/dev/null && exit 0

if ! command -v apt-get >/dev/null; then
  echo "No Chromium found. browserhive init will try to download one; tests need it installed." >&2
  exit 0
fi
install="apt-get update && apt-get install -y --no-install-recommends chromium"
if [ "$(id -u)" != 0 ]; then
  echo "No Chromium found. Have root run this once, then run make again:" >&2
  echo "  $install" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends chromium
