#!/usr/bin/env bash
# Makes the two fonts of this directory again, from Debian's fonts-noto-core and PyPI's fonttools.
set -euo pipefail
cd "$(dirname "$0")"

readonly FONTTOOLS=4.68.0
# Latin, Greek and Cyrillic with their marks, punctuation, currencies, signs, and the replacement character.
readonly LETTERS=U+0020-007E,U+00A0-024F,U+0259,U+02B0-02FF,U+0300-036F,U+0370-03FF,U+0400-052F,U+1E00-1EFF
readonly SIGNS=U+2010-205E,U+2070-209F,U+20A0-20BF,U+2100-214F,U+2190-2199,U+2200-22FF,U+25A0-25FF,U+FFFD
# What Noto Sans lacks and notes of labs have: comparisons, arrows, boxes and ticks. They are of one weight.
readonly MATH=U+2190-2194,U+221A,U+221D,U+221E,U+223C,U+2245,U+2248,U+2260,U+2264,U+2265,U+226A,U+226B
readonly SYMBOLS=U+25A0,U+25A1,U+25B2,U+25BC,U+25CF,U+2610-2612,U+2713,U+2717

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && apt-get download -qq fonts-noto-core && dpkg-deb -x fonts-noto-core_*.deb .)
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check "fonttools==$FONTTOOLS"

subset() { # font, characters: text is drawn glyph by glyph, at any size, so what lays it out and hints are left out
  "$scratch/venv/bin/pyftsubset" "$scratch/usr/share/fonts/truetype/noto/$1.ttf" --unicodes="$2" \
    --layout-features= --no-hinting --name-IDs='*' --no-recalc-timestamp --output-file="$scratch/$1.ttf" \
    --drop-tables+=GDEF,GPOS,GSUB,MATH,gasp,meta
}
subset NotoSansMath-Regular "$MATH"
subset NotoSansSymbols2-Regular "$SYMBOLS"
for weight in Regular Bold; do
  subset "NotoSans-$weight" "$LETTERS,$SIGNS"
  (cd "$scratch" && SOURCE_DATE_EPOCH=1608854400 venv/bin/pyftmerge --output-file=merged.ttf \
    "NotoSans-$weight.ttf" NotoSansMath-Regular.ttf NotoSansSymbols2-Regular.ttf)
  mv "$scratch/merged.ttf" "NotoSans-$weight.ttf"
done
