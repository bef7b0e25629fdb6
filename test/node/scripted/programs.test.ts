import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../../helpers/eventually.js";
import { startScripted } from "../../helpers/scripted-container.js";

const rows: readonly (readonly [
  script: string,
  stdout: string,
  more?: { stdin?: string; stderr?: string; code?: number },
])[] = [
  ["cat", "abc", { stdin: "abc" }],
  ["cat /nope /etc/hostname", "web\n", { stderr: "cat: /nope: No such file or directory\n", code: 1 }],
  ["seq 20 | head -n 2", "1\n2\n"],
  ["seq 5 | head -3 | tail -1", "3\n"],
  ["printf abcdef | head -c 3", "abc"],
  ["printf abcdef | tail -c 2", "ef"],
  ["printf abcdef | tail -c+3", "cdef"],
  ["seq 4 | tail -n +3", "3\n4\n"],
  ["head -c 1M /dev/zero | wc -c", "1048576\n"],
  ["printf 'a b\\nc\\n' | wc", "2 3 6\n"],
  ["printf '\\377' | md5sum", "00594fd4f42ba43fc1ca0427a0576295  -\n"],
  ["printf '\\377\\0\\200' | wc -c", "3\n"],
  ["printf '%b' '\\0303\\0251'; echo '\\0342\\0202\\0254'; env printf '\\360\\237\\230\\200'", "é€\n😀"],
  ["printf abc | md5sum", "900150983cd24fb0d6963f7d28e17f72  -\n"],
  ["printf abc | sha256sum", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n"],
  ["mkdir /a && mkdir /a", "", { stderr: "mkdir: cannot create directory '/a': File exists\n", code: 1 }],
  [
    "mkdir -p /a/b && touch /a/b/c && rm -r /a && ls /a",
    "",
    { stderr: "ls: cannot access '/a': No such file or directory\n", code: 2 },
  ],
  ["mkdir /a; touch /a/b; rmdir /a", "", { stderr: "rmdir: failed to remove '/a': Directory not empty\n", code: 1 }],
  ["rm /etc", "", { stderr: "rm: cannot remove '/etc': Is a directory\n", code: 1 }],
  ["echo x > /tmp/a; cp /tmp/a /tmp/b; mv /tmp/b /tmp/c; cat /tmp/c; ls /tmp", "x\na\nc\n"],
  ["ln -s /etc/hostname /tmp/l; cat /tmp/l; readlink /tmp/l", "web\n/etc/hostname\n"],
  [
    "ln -s /tmp/a /tmp/b; ln -s /tmp/b /tmp/a; cat /tmp/a",
    "",
    { stderr: "cat: /tmp/a: Too many levels of symbolic links\n", code: 1 },
  ],
  ["echo abc > /tmp/f; stat -c '%s %a %n' /tmp/f", "4 644 /tmp/f\n"],
  ["env -i A=1 env", "A=1\n"],
  ["id -u; whoami; hostname; uname", "0\nroot\nweb\nLinux\n"],
  ["test 1 -lt 2 && [ -d /etc ] && [ ! -e /nope ] && [ a = a -a b != c ] && echo yes", "yes\n"],
  ["stty size", "", { stderr: "stty: 'standard input': Inappropriate ioctl for device\n", code: 1 }],
  ["sleep 0.01 && echo up", "up\n"],
  ["sleep x", "", { stderr: "sleep: invalid time interval 'x'\n", code: 1 }],
  ["printf '%s-%d|' a 1 b 2", "a-1|b-2|"],
  ["printf 'one\\ntwo\\n' | grep -v one; grep -c . /etc/hosts", "two\n8\n"],
  ["printf 'One\\ntwo\\n' | grep -i '^o.e$'; printf 'a.b\\naxb\\n' | grep -F a.b", "One\na.b\n"],
  ["basename /a/b.txt .txt", "b\n"],
  ["echo out | tee /tmp/t; cat /tmp/t", "out\nout\n"],
  ["env kill 99", "", { stderr: "kill: can't kill pid 99: No such process\n", code: 1 }],
  ["true; false", "", { code: 1 }],
];

describe("the usual programs of a scripted container", () => {
  test.each(rows.map(([script, stdout, more = {}]) => ({ script, stdout, ...more })))(
    "run: $script",
    async ({ script, stdout, stdin, stderr = "", code = 0 }) => {
      const { sh } = await startScripted();
      expect(await sh(script, stdin)).toEqual({ stdout, stderr, code });
    },
  );

  test('write files while there is space, and fail with "no space left"', async () => {
    const { sh } = await startScripted({ capacity: 100_000 });
    const { stderr, code } = await sh("cp /dev/zero /tmp/full");
    expect([stderr, code]).toEqual(["cp: cannot copy '/dev/zero': No space left on device\n", 1]);
    expect((await sh("rm /tmp/full; echo more > /tmp/x; cat /tmp/x")).stdout).toBe("more\n");
  });

  test("may be replaced, added to or left out by an image", async () => {
    const { exec } = await startScripted({
      programs: {
        greet: async (io) => (await io.stdout.write(`hello ${io.args.join(",")} ${io.env["WHO"] ?? ""}\n`), 7),
      },
      files: { "/data/x": "content" },
      env: { WHO: "you" },
      without: ["tar"],
      workingDir: "/data",
    });
    expect(await exec(["greet", "a", "b"])).toEqual({ stdout: "hello a,b you\n", stderr: "", code: 7 });
    expect(await exec(["cat", "x"])).toMatchObject({ stdout: "content" });
    await expect(exec(["tar", "cf", "-", "."])).rejects.toThrow('exec: "tar": executable file not found in $PATH');
  });

  test("that throw print the reason and exit with 1", async () => {
    const { exec } = await startScripted({
      programs: {
        bad: () => {
          throw new Error("broken");
        },
      },
    });
    expect(await exec(["bad"])).toEqual({ stdout: "", stderr: "bad: broken\n", code: 1 });
  });

  test("that exec started end with the container", async () => {
    const { runtime, started, exec, sh } = await startScripted();
    const running = sh("touch /tmp/begun; sleep infinity");
    await eventually(async () => expect((await exec(["cat", "/tmp/begun"])).code).toBe(0));
    await runtime.signal(started.id, "SIGTERM");
    expect((await started.exited).exitCode).toBe(0);
    expect((await running).code).toBe(137);
    await expect(exec(["true"])).rejects.toThrow("is not in running state");
  });
});

describe("the main program of a scripted container", () => {
  const main = async (script: string) => {
    const container = await startScripted({}, { command: ["sh", "-c", `${script}`] });
    await eventually(async () => expect((await container.exec(["cat", "/tmp/ready"])).code).toBe(0));
    return container;
  };

  test.each([
    ["handles a signal while it waits", "trap 'exit 7' TERM; touch /tmp/ready; sleep infinity & wait", "SIGTERM", 7],
    [
      "handles a signal between commands",
      "trap 'exit 8' TERM; touch /tmp/ready; while true; do sleep 0.01; done",
      "SIGTERM",
      8,
    ],
    ["ends at a signal that it does not handle", "touch /tmp/ready; sleep infinity", "SIGTERM", 143],
    ["ends at SIGKILL whatever it handles", "trap '' TERM; touch /tmp/ready; sleep infinity", "SIGKILL", 137],
  ])("%s", async (_name, script, name, exitCode) => {
    const { runtime, started } = await main(script);
    await runtime.signal(started.id, name);
    expect(await started.exited).toMatchObject({ exitCode });
  });

  test("handles a signal that comes just before it waits", async () => {
    const script = "trap 'exit 7' TERM; sleep infinity & wait $(kill -TERM $$)";
    const { started } = await startScripted({}, { command: ["sh", "-c", script] });
    expect(await started.exited).toMatchObject({ exitCode: 7 });
  });

  test("ends with all programs that it has started", async () => {
    const { started, runtime } = await main("sleep infinity & yes > /dev/null & touch /tmp/ready; sleep infinity");
    await runtime.signal(started.id, "SIGKILL");
    expect((await started.exited).exitCode).toBe(137);
    expect(await runtime.stats(started.id)).toBeUndefined();
  });
});

describe("the scripted tar", () => {
  const hasTar = spawnSync("tar", ["--version"]).status === 0;
  if (!hasTar) process.stdout.write("archives of GNU tar are skipped: there is no tar on PATH\n");

  test.skipIf(!hasTar)("exchanges archives with GNU tar", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubets-tar-"));
    try {
      const long = `${"deep/".repeat(30)}${"n".repeat(120)}`;
      const { sh, exec, bytes } = await startScripted();
      await sh(
        `cd /tmp; mkdir -p d/${"deep/".repeat(30)} d/empty; echo content > d/${long}; printf x > d/x; chmod 755 d/x; ln -s x d/link`,
      );
      const script = "cd /tmp; tar cf /tmp/out.tar d; sha256sum < /tmp/out.tar";
      const { stdout: sum } = await sh(script);
      writeFileSync(join(folder, "out.tar"), await bytes(["cat", "/tmp/out.tar"]));
      expect(spawnSync("sha256sum", [join(folder, "out.tar")], { encoding: "utf8" }).stdout.slice(0, 64)).toBe(
        sum.slice(0, 64),
      );
      expect(spawnSync("tar", ["-xf", "out.tar"], { cwd: folder, encoding: "utf8" })).toMatchObject({
        status: 0,
        stderr: "",
      });
      expect(readFileSync(join(folder, "d", long), "utf8")).toBe("content\n");
      expect(readFileSync(join(folder, "d/link"), "utf8")).toBe("x");

      mkdirSync(join(folder, "e"));
      writeFileSync(join(folder, "e", "f".repeat(200)), "long name");
      symlinkSync("target".repeat(30), join(folder, "e/link"));
      for (const format of ["gnu", "pax", "ustar"]) {
        const names = format === "ustar" ? ["--exclude=link", "--exclude=fff*"] : [];
        const archive = spawnSync("tar", ["-c", `--format=${format}`, ...names, "-f", "-", "e", "d/x"], {
          cwd: folder,
        }).stdout;
        expect(await exec(["tar", "-xmf", "-", "-C", "/root"], archive)).toEqual({ stdout: "", stderr: "", code: 0 });
        expect((await sh("cat /root/d/x")).stdout).toBe("x");
      }
      expect((await sh(`cat /root/e/${"f".repeat(200)}; readlink /root/e/link`)).stdout).toBe(
        `long name${"target".repeat(30)}\n`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const broken: readonly (readonly [name: string, script: string, stderr: string, stdin?: string])[] = [
    [
      "what is not there",
      "tar cf - /nope > /dev/null",
      "tar: Removing leading `/' from member names\ntar: /nope: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n",
    ],
    [
      "a folder that is not there",
      "tar -xf - -C /nope",
      "tar: /nope: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n",
    ],
    [
      "no archive",
      "tar -xf -",
      "tar: This does not look like a tar archive\ntar: Error is not recoverable: exiting now\n",
      "x".repeat(2000),
    ],
    [
      "half an archive",
      "cd /; tar cf - etc | head -c 700 | tar -xf - -C /tmp",
      "tar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now\n",
    ],
    ["no mode", "tar", "tar: You must specify one of the '-Acdtrux' options\n"],
  ];

  test.each(broken.map(([name, script, stderr, stdin]) => ({ name, script, stderr, stdin })))(
    "refuses $name",
    async ({ script, stderr, stdin }) => {
      const { sh } = await startScripted();
      expect(await sh(script, stdin)).toEqual({ stdout: "", stderr, code: 2 });
    },
  );

  test("keeps members below the folder", async () => {
    const { exec, sh } = await startScripted();
    const folder = mkdtempSync(join(tmpdir(), "kubets-tar-"));
    try {
      mkdirSync(join(folder, "in"));
      writeFileSync(join(folder, "evil"), "evil");
      const archive = spawnSync("tar", ["-cPf", "-", "../evil"], { cwd: join(folder, "in") }).stdout;
      const { stderr, code } = await exec(["tar", "-xf", "-", "-C", "/tmp"], archive);
      expect([stderr.split("\n")[0], code]).toEqual(["tar: ../evil: Member name contains '..'", 2]);
      expect((await sh("ls / /tmp")).stdout).not.toContain("evil");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
