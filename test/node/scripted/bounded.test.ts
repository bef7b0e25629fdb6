import { describe, expect, test } from "vitest";
import { BytePipe } from "../../../src/node/byte-pipe.js";
import { serverLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { startScripted } from "../../helpers/scripted-container.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const MIB = 1024 * 1024;
/** A variable of a megabyte. */
const LONG = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8; do x=$x$x$x$x; done";
const BOMB = 'sh -c "$0" "$0" & sh -c "$0" "$0" & wait';

interface Row {
  readonly name: string;
  readonly script: string;
  readonly stdout?: string;
  readonly stderr?: string | RegExp;
  readonly code?: number;
}

/** What takes the shell long, and ends by itself. */
const LONG_WORK: readonly Row[] = [
  { name: "a case", script: "case $(printf %03000d 0) in *0*0*0*0*0*1) ;; *) echo no;; esac", stdout: "no\n" },
  { name: "an expansion", script: "x=$(printf %03000d 0); y=${x%%*0*0*0*0*0*1}; echo ${#y}", stdout: "3000\n" },
  {
    name: "patterns over a long value",
    script: `${LONG}; y=\${x%%*a*a*a*a*1}; z=\${x#*b}; case $x in *a*a*ab) ;; *) echo \${#y} \${#z};; esac`,
    stdout: "1048576 1048576\n",
  },
  {
    name: "a string that is doubled",
    script: "x=aaaaaaaa; for i in $(seq 30); do x=$x$x; done 2>/dev/null; echo ${#x}",
    stdout: "8388608\n",
  },
  { name: "a list of && ", script: "yes ': &&' | head -n 4000 > /s; echo : >> /s; sh /s; echo $?", stdout: "0\n" },
  {
    name: "parentheses in parentheses",
    script: "yes '(' | head -c 1M > /s; sh /s",
    stderr: "/s: 200: Syntax error: nested too deeply\n",
    code: 2,
  },
  {
    name: "words in words",
    script: "yes '${a:-' | head -c 100k > /s; sh /s",
    stderr: /^\/s: \d+: Syntax error: nested too deeply\n$/,
    code: 2,
  },
  {
    name: "arithmetic that is nested",
    script: "x=$(yes '(' | head -n 30000); echo $(($x))",
    stderr: "sh: 1: arithmetic expression: nested too deeply\n",
    code: 2,
  },
  { name: "arithmetic that is long", script: "x=$(yes '1+' | head -n 30000); echo $(($x 1))", stdout: "30001\n" },
  {
    name: "a division by zero that && leaves out",
    script: "echo $((0 && 1 / 0)) $((1 || 1 % 0)) $((1 / 0))",
    stderr: "sh: 1: division by zero\n",
    code: 2,
  },
  {
    name: "eval in eval",
    script: 'x=\'eval "$x"\'; eval "$x"; echo $?',
    stdout: "2\n",
    stderr: "sh: 1: eval: maximum nesting level exceeded (1000)\n",
  },
  {
    name: "a function in itself",
    script: "f() { f; }; f; echo $?; g() { [ $1 = 0 ] || g $(($1 - 1)); }; g 900; echo $?",
    stdout: "2\n0\n",
    stderr: "sh: 1: f: maximum nesting level exceeded (1000)\n",
  },
  {
    name: "a variable that holds its own name",
    script: "x=x; echo $((x))",
    stderr: "sh: 1: arithmetic expression: nested too deeply\n",
    code: 2,
  },
  { name: "a power", script: "echo $((3 ** 9223372036854775807))", stdout: "-6148914691236517205\n" },
  {
    name: "a long here-document",
    script: "(echo 'cat <<E | wc -l'; seq 100000; echo E) > /s; sh /s",
    stdout: "100000\n",
  },
  {
    name: "a text that is replaced in a long value",
    script: `${LONG}; y=\${x//a/bb}; echo \${#y}`,
    stdout: "2097152\n",
  },
  {
    name: "a pattern that is replaced in a long value",
    script: `${LONG}; y=\${x//[a-c]?/b}; echo \${#y}`,
    stdout: "524288\n",
  },
  {
    name: "a value that would grow without an end",
    script: `${LONG}; y=\${x//a/$x}; echo $?`,
    stdout: "2\n",
    stderr: "sh: 1: Out of space\n",
  },
  { name: "braces", script: "bash -c 'echo {1..20000} {a,b}{a,b}{a,b}{a,b}{a,b}{a,b} | wc -w'", stdout: "20064\n" },
  {
    name: "a long line of words",
    script: "seq 20000 > /l; mapfile -t a < /l; IFS=: read -ra b < /l; echo ${#a[@]} ${#b[@]}",
    stdout: "20000 1\n",
  },
  {
    name: "a regular expression in a condition",
    script: `${LONG}; [[ $x =~ (a+)+$ ]]; echo $?; [[ a =~ [^a]{1000}{10} ]]; echo $?`,
    stdout: "2\n2\n",
    stderr: "sh: 1: [[: text too long for the regular expression\nsh: 1: [[: Regular expression too big\n",
  },
  {
    name: "jobs that are killed",
    script: "for i in $(seq 300); do while :; do :; done & kill $!; done; wait; echo $i",
    stdout: "300\n",
  },
  {
    name: "a trap that brings its own signal",
    script: "n=0; trap 'n=$((n+1)); [ $n -lt 1200 ] && kill -TERM $$' TERM; kill -TERM $$; echo $n",
    stdout: "1200\n",
  },
  { name: "a trap of the end in one", script: "trap 'trap \"echo again\" EXIT; exit 5' EXIT; exit 3", code: 5 },
  { name: "negations", script: "set -- $(yes '!' | head -n 20000); test \"$@\" a; echo $?", stdout: "0\n" },
  {
    name: "conditions in conditions",
    script: "set -- $(yes '(' | head -n 20000); test \"$@\" a",
    stderr: "sh: 1: test: parentheses nested too deeply\n",
    code: 2,
  },
  {
    name: "arrays that are not closed",
    script: "(printf 'export '; printf 'a[%.0s ' $(seq 5000); echo) > /s; sh /s 2>/dev/null; echo $?",
    stdout: "2\n",
  },
  { name: "a wide number", script: "printf %999999999d 1 | head -c 3", stdout: "   " },
  {
    name: "a wide number as a value",
    script: "x=$(printf %0999999999d 1); echo $?",
    stdout: "2\n",
    stderr: "sh: 1: Out of space\n",
  },
  { name: "digits that are no time", script: "sleep $(printf %0100000d 1)x", stderr: /^sleep: invalid time/, code: 1 },
  { name: "a path of slashes", script: "basename $(printf /%.0s $(seq 20000))x", stdout: "x\n" },
  { name: "empty lines before a word", script: "x=$(yes '' | head -c 1M; echo x); echo ${#x}", stdout: "1048577\n" },
  {
    name: "folders in folders",
    script: "mkdir -p $(printf a/%.0s $(seq 1500)); rm -r a; mkdir -p $(printf a/%.0s $(seq 5000))",
    stderr: /File name too long\n$/,
    code: 1,
  },
  {
    name: "a regular expression that is too big",
    script: "grep -E '[^a]{1000}{10}' /etc/hosts",
    stderr: "grep: Regular expression too big\n",
    code: 2,
  },
  {
    name: "a line that is too long for a regular expression",
    script: `${LONG}; echo $x | grep -E '(a+)+$'`,
    stderr: "grep: line too long for the regular expression\n",
    code: 2,
  },
  { name: "a text in a long line", script: `${LONG}; echo \${x}b | grep -c -F ab`, stdout: "1\n" },
  {
    name: "an argument that is too long",
    script: `${LONG}; cat $x; echo $?`,
    stdout: "126\n",
    stderr: "sh: 1: cat: Argument list too long\n",
  },
  { name: "jobs that have ended", script: "for i in $(seq 1000); do : & done; wait; echo $i", stdout: "1000\n" },
];

describe("a script with long work delays no request, and ends with a shell error", () => {
  test.each(LONG_WORK)("$name", async ({ script, stdout = "", stderr = "", code = 0 }) => {
    await inShortTurns(async () => {
      const { sh } = await startScripted({}, {}, serverLimits());
      const output = await sh(script);
      expect(output).toMatchObject({ stdout, code });
      if (typeof stderr === "string") expect(output.stderr).toBe(stderr);
      else expect(output.stderr).toMatch(stderr);
    });
  });
});

describe("a container that uses more than it may", () => {
  const OOM: readonly (readonly [name: string, script: string])[] = [
    ["lines that are kept", "yes | tail -n 100000000"],
    ["words", "set -- $(yes | head -c 8M)"],
    ["arguments that are doubled", 'set -- a; while :; do set -- "$@" "$@"; done'],
    ["variables", "x=$(printf %0100000d 0); i=0; while :; do i=$((i+1)); eval v$i=$x; done"],
    ["a script", "yes ': &&' | head -c 1M > /s; sh /s"],
    ["braces", "bash -c 'echo {1..99999999}'"],
    ["functions", 'x=$(printf ": %.0s" $(seq 500)); i=0; while :; do i=$((i+1)); eval "f$i() { $x; }"; done'],
    ["local variables", "x=$(printf %0100000d 0); f() { local v=$x$x; f; }; f"],
    ["an array", "x=$(printf %0100000d 0); while :; do a+=($x); done"],
    ["lines of an array", "mapfile a < <(yes $(printf %01000d 0))"],
    ["inputs that stay open", 'head -c 1M /dev/zero > /z; for i in $(seq 3 200); do eval "exec $i</z"; done'],
    ["paths of links", "mkdir /t; cd /t; for i in 1 2 3 4 5 6 7 8 9; do ln -s /t $i; done; echo /t/*/*/*/*/*/*/*/*/*"],
  ];

  test.each(OOM)("is OOMKilled for %s, and its memory is freed", async (_name, script) => {
    await inShortTurns(async () => {
      const limits = serverLimits();
      const container = await startScripted({}, { limits: () => ({ memoryBytes: 8 * MIB }) }, limits);
      expect((await container.sh(script)).code).toBe(137);
      expect(await container.started.exited).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
      expect([limits.memory.used, limits.files.used, limits.processes.used, limits.users.size]).toEqual([0, 0, 0, 0]);
    });
  });

  test.each([
    ["programs that start others", `sh -c '${BOMB}' '${BOMB}'; sleep 0.01`],
    ["functions in the background", "f() { f | f & }; f; sleep 0.01; while :; do f; done"],
    ["sleeping programs", "while :; do sleep 100000 & done"],
    ["a pipeline", `x=cat; for i in $(seq 600); do x="$x | cat"; done; eval "$x"`],
    ["command substitutions", "echo 'y=$(sh /s)' > /s; sh /s"],
    ["process substitutions", "echo 'cat <(sh /s)' > /s; sh /s"],
  ])("cannot fork for %s", async (_name, script) => {
    await inShortTurns(async () => {
      const limits = serverLimits();
      const { sh, started, runtime } = await startScripted({}, {}, limits);
      const client = new AbortController();
      const errors: string[] = [];
      const said = new Promise<void>((resolve) => {
        void runtime
          .exec(started.id, ["sh", "-c", script], {
            stdin: new BytePipe(),
            stdout: async () => {},
            stderr: async (chunk) => {
              errors.push(Buffer.from(chunk).toString("utf8"));
              if (errors.join("").includes("can't fork")) resolve();
            },
            tty: false,
            signal: client.signal,
          })
          .then(() => resolve());
      });
      await said;
      expect(errors.join("")).toContain(": can't fork: Resource temporarily unavailable\n");
      expect(limits.processes.used).toBeLessThanOrEqual(512);
      client.abort();
      expect((await sh("echo others run")).stdout).toBe("others run\n");
    });
  });

  test("refuses a further exec with an error", async () => {
    const { exec } = await startScripted({}, {}, serverLimits({ processes: 0 }));
    await expect(exec(["true"])).rejects.toThrow(/unable to start container process: Resource temporarily unavailable/);
  });

  test("still starts its main program when others run too many programs", async () => {
    const limits = serverLimits({ processes: 1 });
    const [first, second] = [await startScripted({}, {}, limits), await startScripted({}, {}, limits)];
    expect((await first.exec(["true"])).code).toBe(0);
    expect((await second.exec(["true"])).code).toBe(0);
    expect(limits.processes.used).toBe(0);
  });

  test("is killed when all containers together have used the memory, and it has most", async () => {
    const limits = serverLimits({ memory: 7 * MIB });
    const [small, large] = [await startScripted({}, {}, limits), await startScripted({}, {}, limits)];
    const script = `x=$(printf %01000000d 0); a=$x; b=$x; c=$x; d=$x; echo held > /tmp/held; sleep infinity`;
    const holding = large.sh(script);
    while ((await large.exec(["cat", "/tmp/held"])).code !== 0);
    expect((await small.sh("x=$(printf %01000000d 0); y=$x; echo ${#y}")).stdout).toBe("1000000\n");
    expect((await holding).code).toBe(137);
    expect(await large.started.exited).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
  });

  test("is evicted when all containers together have used the space for files, and it has most", async () => {
    const limits = serverLimits({ files: 4 * MIB });
    const [small, large] = [await startScripted({}, {}, limits), await startScripted({}, {}, limits)];
    await large.sh("head -c 3M /dev/zero > /tmp/f");
    expect(await small.sh("head -c 2M /dev/zero > /tmp/f; ls -s /tmp > /dev/null; wc -c /tmp/f")).toMatchObject({
      stdout: "2097152 /tmp/f\n",
    });
    expect(await large.started.exited).toMatchObject({
      exitCode: 137,
      eviction: expect.stringMatching(
        /^The node was low on resource: ephemeral-storage. Container c was using 3\d{3}Ki/,
      ),
    });
    expect((await small.sh("rm /tmp/f; echo $?")).stdout).toBe("0\n");
    expect(limits.files.used).toBeLessThan(MIB);
  });

  test("that writes small pieces uses no more memory than their bytes", async () => {
    const { sh } = await startScripted({ capacity: MIB }, {}, serverLimits());
    const script = "cd /tmp; for i in $(seq 2000); do printf %s $i >> f; done; wc -c f; tail -c 4 f; head -c 5 f";
    expect((await sh(script)).stdout).toBe("6893 f\n200012345");
  });
});
