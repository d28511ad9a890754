#!/usr/bin/env bash
# Makes the two fonts of this directory again, from Debian's fonts-noto-core and PyPI's fonttools.
set -euo pipefail
cd "$(dirname "$0")"

readonly FONTTOOLS=4.68.0
# Latin, Greek and Cyrillic with their marks, punctuation, currencies, signs, and the replacement character.
readonly LETTERS=U+0020-007E,U+00A0-024F,U+0259,U+02B0-02FF,U+0300-036F,U+0370-03FF,U+0400-052F,U+1E00-1EFF
readonly SIGNS=U+2010-205E,U+2070-209F,U+20A0-20BF,U+2100-214F,U+2190-2199,U+2200-22FF,U+25A0-25FF,U+FFFD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && apt-get download -qq fonts-noto-core && dpkg-deb -x fonts-noto-core_*.deb .)
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check "fonttools==$FONTTOOLS"
for weight in Regular Bold; do
  # Text is drawn glyph by glyph, at any size: what lays out text and what hints small sizes is left out.
  SOURCE_DATE_EPOCH=0 "$scratch/venv/bin/pyftsubset" "$scratch/usr/share/fonts/truetype/noto/NotoSans-$weight.ttf" \
    --unicodes="$LETTERS,$SIGNS" --layout-features= --no-hinting --name-IDs='*' \
    --drop-tables+=GDEF,GPOS,GSUB,gasp --no-recalc-timestamp --output-file="NotoSans-$weight.ttf"
done
