#!/bin/sh
# completion.sh MATTERCTL: how long the tabulator takes in a house of 1,000 nodes. Fails if that is more than 30 ms.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-completion.XXXXXX")
matterctl=$1
MATTERCTL_HOME=$work/home XDG_STATE_HOME=$work/state
export MATTERCTL_HOME XDG_STATE_HOME
"$matterctl" simulate on-off-light --count 50 --port 17100 --discriminator 0 --mdns none --state "$work/house" \
    > "$work/house.log" 2>&1 &
house=$!
trap 'kill $house 2> /dev/null; wait $house || true; rm -rf "$work"' EXIT
n=0
until grep -q "^#49 port" "$work/house.log"; do
    n=$((n + 1))
    [ $n -lt 100 ] || { cat "$work/house.log" >&2; exit 1; }
    sleep 0.1
done
for i in $(seq 0 49); do
    "$matterctl" commission --passcode 20202021 --discriminator "$i" --address "[::1]:$((17100 + i))" \
        --attestation skip --progress none --name "light number $i" > "$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
done
"$matterctl" acl ls "light number 7" > "$work/out"
python3 - "$matterctl" "$MATTERCTL_HOME/fabrics/home" <<'EOF'
import json, os, pathlib, statistics, subprocess, sys, time, zlib

# Further records, like those of the first fifty: a header with a checksum of itself and of the contents.
fabric = pathlib.Path(sys.argv[2])
record = (fabric / "nodes/0000000000000001.json").read_text().split("\n", 1)[1]
for number in range(51, 1001):
    contents = json.loads(record)
    contents.update(nodeId=number, name=f"light number {number}", room=f"room {number % 20}")
    body = json.dumps(contents, separators=(",", ":"))
    begin = f'{{"matterctl":1,"length":{len(body)},'
    head = begin + f'"crc32":"{zlib.crc32((begin + body).encode()):08x}"}}'
    path = fabric / f"nodes/{number:016X}.json"
    path.write_text(head + "\n" + body)
    os.chmod(path, 0o600)
assert len(subprocess.run([sys.argv[1], "node", "ls"], check=True, capture_output=True, text=True).stdout.splitlines()) == 1000

for words in (
    ["on", ""], ["lock", ""], ["invoke", "light number 7", "1/on-off/"], ["tog"], ["off", "--room", ""],
    ["acl", "revoke", "light number 7", "e"], ["level", "light number 7", ""],
):
    times = []
    for _ in range(21):
        start = time.perf_counter()
        answer = subprocess.run([sys.argv[1], "---complete", "fish", *words], check=True, capture_output=True, text=True)
        times.append((time.perf_counter() - start) * 1000)
    assert len(answer.stdout.splitlines()) > 1, answer
    median = statistics.median(times)
    print(f"completion of {' '.join(words)!r} among 1,000 nodes: {median:.1f} ms")
    if median > 30:
        sys.exit("more than 30 ms")
EOF
