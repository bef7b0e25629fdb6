import { describe, expect, test } from "vitest";
import { BytePipe } from "../../../src/node/byte-pipe.js";
import { serverLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { startScripted } from "../../helpers/scripted-container.js";
import { inShortTurns } from "../../helpers/short-turns.js";

const MIB = 1024 * 1024;

interface Row {
  readonly name: string;
  readonly script: string;
  readonly stdout?: string;
  readonly stderr?: string | RegExp;
  readonly code?: number;
}

/** What takes a program long, and ends by itself. */
const LONG_WORK: readonly Row[] = [
  {
    name: "a line of 10 MB",
    script:
      "head -c 10M /dev/zero | tr '\\0' a > /l; sed 's/b/c/;s/^a/x/' /l | cut -c1-3; grep -c b /l; awk '{print length($0)}' /l",
    stdout: "xaa\n0\n10485760\n",
  },
  {
    name: "a line of 200,000 fields",
    script:
      "yes 'x,' | head -c 600000 | tr -d '\\n' > /l; cut -d, -f199999 /l; awk -F, '{print NF}' /l; tr , '\\n' < /l | wc -l",
    stdout: "x\n200001\n200000\n",
  },
  {
    name: "200,000 substitutions in a line",
    script: "yes ab | head -c 300000 | tr -d '\\n' > /l; sed 's/a/xy/g' /l | wc -c; awk '{print gsub(/b/,\"\")}' /l",
    stdout: "300000\n100000\n",
  },
  {
    name: "a pattern that makes other engines backtrack",
    script:
      "printf '%040d\\n' 0 > /l; sed -E 's/(0+)+1/x/' /l; awk '/(0*)*1/' /l; grep -E '(0|0)*1' /l; expr $(cat /l) : '\\(0*\\)*1'",
    stdout: `${"0".repeat(40)}\n\n`,
    code: 1,
  },
  {
    name: "a pattern that is too large",
    script: "sed -E 's/(((a{99}){99}){99})/x/' /etc/hosts",
    stderr: "sed: -e expression #1, char 24: Regular expression too big\n",
    code: 1,
  },
  {
    name: "a line that is too long for a pattern",
    script: "head -c 1M /dev/zero | tr '\\0' a > /l; sed -E 's/(a|b)*c/x/' /l",
    stderr: "sed: line too long for the regular expression\n",
    code: 2,
  },
  {
    name: "a script that is nested",
    script: "awk \"BEGIN{print $(printf '(%.0s' $(seq 5000))1}\"",
    stderr: "awk: line 1: nested too deeply\n",
    code: 2,
  },
  {
    name: "functions that call themselves",
    script: "awk 'function f(n){return f(n+1)} BEGIN{f(1)}'",
    stderr: "awk: function call nesting too deep\n",
    code: 2,
  },
  { name: "a loop of awk", script: "awk 'BEGIN{while(i<100000)i++;print i}'", stdout: "100000\n" },
  { name: "a loop of sed", script: "echo x | sed ':a;s/x/xx/;/x\\{500\\}/q;ta' 2>&1 | wc -c", stdout: "501\n" },
  {
    name: "2,000 lines in an order",
    script: "seq 2000 | sort -r | sort -n | tail -n 1; seq 2000 | awk '{a[$1 % 1000]++} END {print length(a)}'",
    stdout: "2000\n1000\n",
  },
  {
    name: "brackets without an end",
    script: "sed \"s/$(printf '[[:%.0s' $(seq 5000))/x/\" /etc/hosts 2>&1 | tail -c 12",
    stdout: "`s' command\n",
  },
  {
    name: "texts that share nothing",
    script: "seq 1 2000 > /a; seq 7001 9000 > /b; diff /a /b | wc -l",
    stdout: "4002\n",
  },
  { name: "a wide number of awk", script: "awk 'BEGIN{printf \"%99999d\", 1}' | wc -c", stdout: "99999\n" },
  {
    name: "folders in folders",
    script: "mkdir -p $(printf a/%.0s $(seq 1500)); find a | wc -l; find a -delete; ls a",
    stdout: "1500\n",
    stderr: /No such file/,
    code: 2,
  },
];

describe("a scripted program with long work delays no request", () => {
  test.each(LONG_WORK)("$name", async ({ script, stdout = "", stderr = "", code = 0 }) => {
    await inShortTurns(async () => {
      const { sh } = await startScripted({}, {}, serverLimits());
      const output = await sh(script);
      if (typeof stderr === "string") expect(output).toEqual({ stdout, stderr, code });
      else expect(output).toMatchObject({ stdout, code, stderr: expect.stringMatching(stderr) as unknown });
    });
  });
});

/** Programs that never end by themselves. */
const ENDLESS = [
  "yes | sed s/y/z/",
  "yes | sed -n ':a;s/y/y/;ba'",
  "yes | awk '{print $1}'",
  "awk 'BEGIN{for(;;);}'",
  "yes | xargs -n1 true",
  "yes | base64 | od -c | rev | fold -w 3 | nl",
  "cat /dev/zero | cmp - /dev/zero",
  "awk 'BEGIN{while (\"yes\" | getline) n++}'",
];

describe("a scripted program that never ends", () => {
  test.each(ENDLESS)("ends when its client disconnects, and lets other programs run: %s", async (script) => {
    const { runtime, started, sh, exec } = await startScripted();
    const client = new AbortController();
    const running = runtime.exec(started.id, ["sh", "-c", `${script} > /dev/null`], {
      stdin: new BytePipe(),
      stdout: async () => {},
      stderr: async () => {},
      tty: false,
      signal: client.signal,
    });
    expect((await sh("echo beside")).stdout).toBe("beside\n");
    client.abort();
    expect(await running).toBeGreaterThan(0);
    expect((await exec(["ps"])).stdout).toMatch(/^ +PID USER +COMMAND\n +1 root +main\n +\d+ root +ps\n$/);
  });

  test.each([
    ["sed", ":a;ba", "/etc/hosts"],
    ["awk", "BEGIN{for(;;);}"],
    ["sort", "/dev/urandom"],
  ])("ends at SIGTERM: %s", async (...command) => {
    const { runtime, started } = await startScripted({}, { command });
    await runtime.signal(started.id, "SIGTERM");
    expect((await started.exited).exitCode).toBe(143);
  });
});

/** Lines of a kilobyte. */
const LONG_LINES = "yes $(printf %01000d 0)";

describe("a container of 16 MiB is OOMKilled, and its memory freed, by", () => {
  test.each([
    ["sort", `${LONG_LINES} | sort`],
    ["tac", `${LONG_LINES} | tac`],
    ["sed, which appends all lines", `${LONG_LINES} | sed -n ':a;N;ba'`],
    ["sed, which holds all lines", `${LONG_LINES} | sed -n H`],
    ["a line without an end", "cat /dev/zero | sed p"],
    ["an array of awk", "awk 'BEGIN{x=sprintf(\"%0999d\",1);for(;;)a[i++]=x}'"],
    ["a text of awk that is doubled", "awk 'BEGIN{s=\"x\";for(;;)s=s s}'"],
    ["fields of awk", "awk 'BEGIN{$99999999=1}'"],
    ["a width of awk", "awk 'BEGIN{printf \"%999999999d\", 1}'"],
    ["a variable of awk that grows by little", "awk 'BEGIN{x=sprintf(\"%048d\",1);for(;;)s=s x}'"],
    ["diff", "yes $(printf %01000d 0) | head -c 17M > /a; diff /a /a"],
  ])("%s", async (_name, script) => {
    await inShortTurns(async () => {
      const limits = serverLimits();
      const container = await startScripted({}, { limits: () => ({ memoryBytes: 16 * MIB }) }, limits);
      expect((await container.sh(script)).code).toBe(137);
      expect(await container.started.exited).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
      expect([limits.memory.used, limits.files.used, limits.processes.used, limits.users.size]).toEqual([0, 0, 0, 0]);
    });
  });
});

test("a scripted program frees memory at its end and while it runs", async () => {
  const limits = serverLimits();
  const { sh } = await startScripted({}, {}, limits);
  await sh("true");
  const before = limits.memory.used;
  const script =
    "seq 3000 | sort -n | sed 'H;$!d;x' | awk '{a[NR]=$0} END {print length(a)}'; seq 300 | xargs -n 100 | awk '{s=s $0}'; find / -name x";
  expect((await sh(script)).stdout).toBe("3001\n");
  expect(limits.memory.used).toBe(before);
});
