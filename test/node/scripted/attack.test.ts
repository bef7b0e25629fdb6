import { writeSync } from "node:fs";
import { expect, test } from "vitest";
import { startScripted } from "../../helpers/scripted-container.js";
import { TurnProbe } from "../../hostile/turn-probe.js";

const big = "x=aaaaaaaaaaaaaaaa; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; echo ${#x};"; // 1 MiB
const SCRIPTS: [string, string][] = [
  ["case", "case $(printf %03000d 0) in *0*0*0*0*0*1) ;; esac"],
  ["suffix", "x=$(printf %03000d 0); echo ${#x}; y=${x%%*0*0*0*0*0*1}; echo ${#y}"],
  ["suffixbig", `${big} y=\${x%%*a*a*a*a*a*1}; echo \${#y}; case $x in *a*a*a*ab) ;; esac; z=\${x#*b}; echo \${#z}`],
  ["double", "x=aaaaaaaa; i=0; while [ $i -lt 30 ]; do x=$x$x; i=$((i+1)); done; echo ${#x}"],
  ["fork bomb", `sh -c 'sh -c "$0" "$0" & sh -c "$0" "$0" & wait' 'sh -c "$0" "$0" & sh -c "$0" "$0" & wait'`],
  ["sleeps", "while :; do sleep 100000 & done"],
  ["tail", "yes | tail -n 100000000"],
  ["split", "set -- $(yes | head -c 8M); echo $#"],
  ["newlines", "x=$(yes '' | head -c 4M; echo x); echo ${#x}"],
  ["echo", `${big} x=$x$x$x$x; echo "$x" > /dev/null; echo $x | wc -c; printf '%s\\n' "$x" | wc -c`],
  ["escapes", `x='\\\\n\\\\n\\\\n\\\\n'; i=0; while [ $i -lt 17 ]; do x=$x$x; i=$((i+1)); done; echo "$x" | wc -c; printf "$x" | wc -c; printf %b "$x" | wc -c`],
  ["width", "printf %999999999d 1 | head -c 10; x=$(printf %999999999d 1); echo $?"],
  ["and", "yes ': &&' | head -n 200000 > /s; echo : >> /s; sh /s; echo $?"],
  ["and8M", "yes ': &&' | head -n 1600000 > /s; echo : >> /s; sh /s; echo $?"],
  ["comments", "yes '#' | head -c 8M > /s; sh /s; echo $?"],
  ["word", "(echo -n 'x='; yes '\\a' | head -n 400000) | tr -d x > /s; yes 'a\\' | head -c 8M > /s; sh /s; echo $?"],
  ["parens", "yes '(' | head -c 1M > /s; sh /s; echo $?"],
  ["arith", "x=$(yes '(' | head -n 1000000); echo $(($x)); echo $?; x=$(yes '1+' | head -n 1000000); echo $(( $x 1)); x=$(yes '-' | head -n 1000000); echo $(( $x 1))"],
  ["eval", `x='eval "$x"'; eval "$x"; echo $?`],
  ["subst", `x='echo $(eval "$x")'; eval "$x"; echo $?`],
  ["trap", `trap 'kill -TERM $$' TERM; kill -TERM $$; i=0; while [ $i -lt 100 ]; do i=$((i+1)); done; exit 3`],
  ["exittrap", `trap 'trap "echo again" EXIT; exit 5' EXIT; exit 3`],
  ["test", `set -- $(yes -- '-e /a -a' | head -n 300000); test "$@" -n a; echo $?`],
  ["nots", `set -- $(yes '!' | head -n 300000); test "$@" a; echo $?; set -- $(yes '(' | head -n 300000); test "$@" a; echo $?`],
  ["sleepregex", "sleep $(printf %0100000d 1)x"],
  ["slashes", `basename $(printf /%.0s $(seq 60000))x; rm $(printf /%.0s $(seq 60000))x`],
  ["mkdirs", `mkdir -p $(printf a/%.0s $(seq 1500)); mkdir -p $(printf a/%.0s $(seq 60000)); rm -r a; echo $?`],
  ["links", "mkdir -p /t; cd /t; i=0; while [ $i -lt 20 ]; do ln -s /t l$i; i=$((i+1)); done; echo /t/*/*/*/*/*/*/*/* | wc -c"],
  ["files", "cd /tmp; i=0; while [ $i -lt 20000 ]; do echo $i > $i; i=$((i+1)); done; ls | wc -l; echo * | wc -c; ls -l | wc -c; rm -r /tmp"],
  ["variables", "x=$(printf %0100000d 0); i=0; while :; do eval v$i=$x; i=$((i+1)); done"],
  ["positional", `set -- a; while :; do set -- "$@" "$@"; done`],
  ["jobs", "i=0; while [ $i -lt 20000 ]; do : & i=$((i+1)); done; wait; echo $i"],
  ["subshelltraps", "i=0; while [ $i -lt 20000 ]; do (trap : TERM); i=$((i+1)); done; echo $i"],
  ["grep", `${big} echo $x | grep '(a+)+$'; grep -c '\\pL{1000}\\pL{1000}' /etc/hosts; grep "$(printf %05000d 0)" /etc/hosts`],
  ["read", "yes '\\' | head -c 7M | tr -d x; x=1; cat /dev/zero | head -c 7M | (read y; echo ${#y})"],
  ["copy", "cp /dev/zero /f; ls -l /f; tail -c 5 /f | wc -c; wc /f"],
  ["pending", "(echo '{'; yes : | head -n 3000) | sh; echo $?"],
  ["background", "while true; do : & done"],
  ["pipes", "x='yes | cat'; i=0; while [ $i -lt 9 ]; do x=\"$x | cat\"; i=$((i+1)); done; eval \"$x\" | head -c 10M | wc -c"],
  ["export", `${big} export x; echo hi | cat; echo $?; env | wc -c; export -p | wc -c`],
  ["ifs", `x=$(seq 200000); for i in $x; do :; done; echo $i`],
];

test("attacks", { timeout: 600_000 }, async () => {
  for (const [name, script] of SCRIPTS) {
    if (process.env.ONLY !== undefined && !process.env.ONLY.split(",").includes(name)) continue;
    const { runtime, started } = await startScripted();
    const out: Uint8Array[] = [];
    const err: Uint8Array[] = [];
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), 15_000);
    const probe = new TurnProbe();
    const begun = performance.now();
    let code: number | string;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 50);
    try {
      code = await runtime.exec(started.id, ["sh", "-c", script], {
        stdout: async (chunk) => void (out.length < 20 && out.push(Buffer.copyBytesFrom(chunk, 0, 100))),
        stderr: async (chunk) => void (err.length < 20 && err.push(Buffer.copyBytesFrom(chunk, 0, 100))),
        tty: false,
        signal: limit.signal,
      });
    } catch (error) {
      code = String(error);
    }
    const took = performance.now() - begun;
    await new Promise((done) => setTimeout(done, 20));
    const { longest } = probe.read();
    probe.stop();
    clearInterval(watch);
    clearTimeout(timer);
    const text = (list: Uint8Array[]) => JSON.stringify(Buffer.concat(list).toString("utf8").slice(0, 150));
    const end = await Promise.race([started.exited, new Promise((done) => setTimeout(done, 1))]);
    writeSync(1, `${longest > 40 ? "!!" : "  "} ${name}: code ${code} turn ${longest.toFixed(0)} ms, ${took.toFixed(0)} ms, rss ${(most / 1e6).toFixed(0)}, ${text(out)} ${text(err)} ${end ? JSON.stringify(end) : ""}\n`);
    await runtime.signal(started.id, "SIGKILL");
    await started.exited;
    await runtime.remove(started.id);
  }
  expect(1).toBe(1);
});
