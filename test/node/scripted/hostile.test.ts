import { describe, expect, test } from "vitest";
import { BytePipe } from "../../../src/node/byte-pipe.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { startScripted } from "../../helpers/scripted-container.js";

/** Programs that never end by themselves and never wait for anything outside. */
const ENDLESS = [
  "while true; do :; done",
  "until false; do true; done",
  "f() { while true; do g; done; }; g() { local x=$1; }; f",
  "for ((;;)); do [[ a == b ]]; done",
  "while read -r x; do a[0]=$x; done < <(yes)",
  "while true; do echo x; done > /dev/null",
  "yes > /dev/null",
  "cat /dev/zero > /dev/null",
  "wc -c /dev/zero",
  "sha256sum /dev/urandom",
  "seq 1 999999999999 > /dev/null",
  "tail -c 5 /dev/zero",
  "cat /dev/zero | cat | cat > /dev/null",
  "(while true; do true; done) & wait",
  "sleep infinity",
  "cat",
];

describe("a script that never ends", () => {
  test.each(ENDLESS)("lets other programs run, and ends when its client disconnects: %s", async (script) => {
    const { runtime, started, sh, exec } = await startScripted();
    const client = new AbortController();
    const running = runtime.exec(started.id, ["sh", "-c", script], {
      stdin: new BytePipe(),
      stdout: async () => {},
      tty: false,
      signal: client.signal,
    });
    expect((await sh("echo beside")).stdout).toBe("beside\n");
    client.abort();
    expect(await running).toBeGreaterThan(0);
    expect((await exec(["ps"])).stdout).toMatch(/^ +PID USER +COMMAND\n +1 root +main\n +\d+ root +ps\n$/);
  });
});

test("shell aliases that expand to more and more aliases end with an error of the script", async () => {
  const { sh } = await startScripted();
  const doubling = 'for n in $(seq 40); do alias a$n="a$((n + 1)) x; a$((n + 1)) y"; done';
  expect(await sh(`${doubling}\na1`)).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^sh: 2: Syntax error: a\d+: aliases too long\n$/),
    code: 2,
  });
});

test("a pattern on which other engines backtrack for minutes delays nothing", async () => {
  const { sh } = await startScripted();
  expect(await sh(`echo ${"a".repeat(40)}b | grep -E -c '(a+)+$'`)).toEqual({ stdout: "0\n", stderr: "", code: 1 });
});

describe("an endless value in the shell", () => {
  test.each([
    ["of a command substitution", "x=$(cat /dev/zero); echo $? ${#x}", "2 0\n", "sh: 1: Out of space\n"],
    ["of a nested one", "x=$(echo $(yes)); echo $? ${#x}", "2 0\n", "sh: 1: Out of space\n"],
    ["of a loop in one", "x=$(while true; do seq 9999; done); echo $?", "2\n", "sh: 1: Out of space\n"],
    ["of a line that is read", "cat /dev/zero | read x; echo $?", "2\n", "sh: 1: Out of space\n"],
    ["of a line of a script", "sh < /dev/zero; echo $?", "1\n", "sh: Out of space\n"],
  ])("is refused beyond the shell's limit: %s", async (_, script, stdout, stderr) => {
    const { sh } = await startScripted();
    expect(await sh(script)).toEqual({ stdout, stderr, code: 0 });
  });

  test("is accepted up to 8 MiB", async () => {
    const { sh } = await startScripted();
    expect(await sh("x=$(yes | head -c 8M); echo $?")).toEqual({ stdout: "0\n", stderr: "", code: 0 });
  });
});

const WORDS = [
  "echo",
  "cat",
  "if",
  "then",
  "fi",
  "while",
  "do",
  "done",
  "for",
  "in",
  "case",
  "esac",
  "{",
  "}",
  "(",
  ")",
  ";",
  ";;",
  "&",
  "&&",
  "||",
  "|",
  "!",
  ">",
  ">>",
  "<",
  "2>&1",
  "<<",
  "$",
  "${",
  "$(",
  "$((",
  "`",
  "'",
  '"',
  "\\",
  "\n",
  " ",
  "a",
  "b=1",
  "*",
  "?",
  "[",
  "]",
  "#",
  "$x",
  "${x:-",
  "exit 3",
  "break 2",
  "set -e",
  "cd /",
  "..",
  "/tmp/f",
  "-",
  "%",
  "[[",
  "]]",
  "((",
  "))",
  "function",
  "f()",
  "f",
  "<<<",
  "<<-E",
  "${x//",
  "${!x",
  "$'",
  "a=(",
  "a[",
  "}",
  ";&",
  "&>",
  "< <(",
  "=~",
  "local x=1",
  "return",
  "\0",
  "é",
];

/** Every byte of what `make` gives is possible input; none of it may break the runtime. */
describe("random input for scripted containers", () => {
  test("runs or refuses 1,000 scripts of random words", async () => {
    const random = seededRandom("scripts");
    const { runtime, started, exec } = await startScripted();
    for (let run = 0; run < 1000; run += 1) {
      const words = Array.from(
        { length: 1 + ((random.bytes(1)[0] ?? 0) % 14) },
        () => WORDS[(random.bytes(1)[0] ?? 0) % WORDS.length] ?? "",
      );
      const script = words.join((random.bytes(1)[0] ?? 0) % 2 === 0 ? " " : "");
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), 500);
      const code = await runtime.exec(started.id, [run % 2 === 0 ? "sh" : "bash", "-c", script], {
        stdout: async () => {},
        stderr: async () => {},
        tty: false,
        signal: limit.signal,
      });
      clearTimeout(timer);
      expect(Number.isInteger(code), JSON.stringify(script)).toBe(true);
    }
    expect((await exec(["ps"])).stdout).toMatch(/^ +PID USER +COMMAND\n +1 root +main\n +\d+ root +ps\n$/);
  });

  test("refuses 500 broken archives, or unpacks them below the folder", async () => {
    const random = seededRandom("archives");
    const { exec, bytes, sh } = await startScripted();
    await sh("mkdir -p /tmp/in/d; echo x > /tmp/in/d/f; ln -s /etc /tmp/in/l; cd /tmp/in; tar cf /tmp/a.tar d l");
    const archive = await bytes(["cat", "/tmp/a.tar"]);
    const before = (await sh("ls / /etc /root")).stdout;
    for (let run = 0; run < 500; run += 1) {
      const copy = Buffer.from(
        archive.subarray(0, archive.length - (run % 3 === 0 ? (random.bytes(1)[0] ?? 0) * 16 : 0)),
      );
      for (let change = 0; change < 4; change += 1)
        copy[Buffer.from(random.bytes(2)).readUInt16LE() % 2048] = random.bytes(1)[0] ?? 0;
      const { code } = await exec(["sh", "-c", "rm -rf /tmp/out; mkdir /tmp/out; tar -xmf - -C /tmp/out"], copy);
      expect([0, 2]).toContain(code);
    }
    expect((await sh("ls / /etc /root")).stdout).toBe(before);
  });
});
