#!/usr/bin/env bash
# Packs the GPU benchmark for a Linux machine that has an NVIDIA card and its driver, but no Node and no network:
#
#   npm run build:paper && bash bench/gpu-pack.sh DIR OUT      # here: DIR holds the data sets, OUT is made anew
#   OUT/run bench/gpu.mjs data [CASE ...]                      # there
#
# OUT takes about 45 MB, as one archive that is unpacked on first use. It needs Debian's libvulkan1 and xz here.
set -eu
usage='usage: bash bench/gpu-pack.sh DIR OUT'
data=$(cd "${1:?$usage}" && pwd); out=${2:?$usage}
from=$(cd "$(dirname "$0")/.." && pwd)
[ -f "$from/paper/dist/datasets.js" ] || { echo 'build first: npm run build:paper' >&2; exit 1; }
[ ! -e "$out" ] || { echo "$out: already exists" >&2; exit 1; }
all=$(mktemp -d); trap 'rm -rf "$all"' EXIT
mkdir -p "$out" "$all/bench" "$all/paper" "$all/data" "$all/node_modules/webgpu/dist" "$all/lib"
cp -r "$from/dist" "$from/package.json" "$all/"
cp "$from"/bench/*.mjs "$from"/bench/*.py "$all/bench/"
cp -r "$from/paper/dist" "$from/paper/package.json" "$all/paper/"
rm -rf "$all/dist/studio"; find "$all" \( -name '*.map' -o -name '*.d.ts' \) -delete
cp "$from"/node_modules/webgpu/{package.json,index.js} "$all/node_modules/webgpu/"
cp -r "$from/node_modules/webgpu/dist/linux-x64" "$all/node_modules/webgpu/dist/"
for name in $(cd "$from" && node -p "Object.keys(require('./package.json').dependencies).join(' ')"); do
  cp -r "$from/node_modules/$name" "$all/node_modules/$name"
done
ln -s .. "$all/node_modules/pc-ae"; ln -s ../paper "$all/node_modules/pc-ae-paper"
cp -r "$data/mnist" "$all/data/"
cp "$(node -p process.execPath)" "$all/node"; strip "$all/node" 2>/dev/null || true
cp -L "$(ldconfig -p | awk '/libvulkan.so.1 /{print $NF; exit}')" "$all/lib/"
cat > "$out/run" <<'RUN'
#!/usr/bin/env bash
# run SCRIPT [ARGS]: unpacks what lies beside it, once, and starts the script there.
set -eu
here=$(cd "$(dirname "$0")" && pwd); box=${TMPDIR:-/tmp}/pcae-gpu
[ -d "$box" ] || { mkdir -p "$box.part"; tar -xJf "$here/all.tar.xz" -C "$box.part"; mv "$box.part" "$box"; }
# The GLX library finds no driver where there is no X.
printf '{"file_format_version":"1.0.1","ICD":{"library_path":"libEGL_nvidia.so.0","api_version":"1.4.0"}}' > "$box/icd.json"
export VK_DRIVER_FILES="${VK_DRIVER_FILES:-$box/icd.json}"
export VK_ICD_FILENAMES="$VK_DRIVER_FILES" LD_LIBRARY_PATH="$box/lib:/usr/local/nvidia/lib64:${LD_LIBRARY_PATH:-}"
cd "$box"
exec ./node "$@"
RUN
chmod +x "$out/run"
tar -C "$all" -cf - . | xz -T0 -6 > "$out/all.tar.xz"
du -sh "$out"
