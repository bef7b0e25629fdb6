import { execFileSync, spawn } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import {
  CompactedError,
  KeyExistsError,
  type Kv,
  UnavailableError,
  UnreadableValue,
} from "../../../../src/server/storage/kv.js";
import { ManualTime } from "../../../helpers/manual-time.js";
import { useFolder } from "./folder.js";
import { PATIENCE } from "../../../helpers/patience.js";

const pod = (name: string, rest: object = {}): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name, namespace: "default", uid: `uid-${name}` },
      ...rest,
    }),
  );

const keyOf = (name: string): string => `/registry/pods/default/${name}`;
const PODS = "core/pods/default";

const textOf = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString();
const until = (check: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(check, { timeout: PATIENCE, interval: 20 });

describe("the folder of file storage (T16)", () => {
  const folder = useFolder();
  const { open } = folder;
  const at = (path: string): string => join(folder.path(), path);
  const read = (path: string): Promise<string> => readFile(at(path), "utf8");
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const valueOf = async (kv: Kv, name: string): Promise<Uint8Array | undefined> =>
    (await kv.get(keyOf(name))).kv?.value;

  test("has folders with the mode 0700 and files with 0600 (B-FS-01)", async () => {
    const { kv } = await open();
    await kv.create(keyOf("a"), pod("a"));
    await kv.create("/other", Buffer.from("x"));
    const modes: string[] = [];
    for (const name of [".", ...(await readdir(folder.path(), { recursive: true }))]) {
      const { mode } = await stat(at(name));
      modes.push((mode & 0o170777).toString(8));
    }
    expect([...new Set(modes)].sort()).toEqual(["100600", "40700"]);
  });

  test("is named in the error when it cannot be created (B-FS-01)", async () => {
    await open();
    await write("file", "");
    await expect(open({ directory: at("file/below") })).rejects.toThrow("unable to write data dir: ");
  });

  test("has the objects after a restart, and no older revisions", async () => {
    const first = await open();
    const { revision } = await first.kv.create(keyOf("a"), pod("a", { spec: { n: 1 } }));
    const { revision: last } = await first.kv.create("/other", Buffer.from([0, 255]));
    await first.kv.close();
    const { kv } = await open();
    expect(await kv.currentRevision()).toBeGreaterThan(last);
    expect(textOf(await valueOf(kv, "a"))).toBe(textOf(pod("a", { spec: { n: 1 } })));
    expect((await kv.get("/other")).kv?.value).toEqual(Buffer.from([0, 255]));
    await expect(kv.list("", { revision })).rejects.toBeInstanceOf(CompactedError);
    const watch = kv.watch("", last, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await expect(watch.next()).rejects.toBeInstanceOf(CompactedError);
  });

  test("continues with higher revisions, although the process was killed or the mark is lost", async () => {
    const first = await open();
    for (let n = 0; n < 30; n++) await first.kv.create(keyOf(`a${n}`), pod(`a${n}`));
    const last = await first.kv.currentRevision();
    const mark = Number(await read(".kubets/revision"));
    expect(mark).toBeGreaterThanOrEqual(last);
    await first.kv.close();
    await write(".kubets/revision", `${mark}\n`);
    const second = await open();
    expect(await second.kv.currentRevision()).toBe(mark + 1);
    await second.kv.close();
    await rm(at(".kubets"), { recursive: true });
    const third = await open();
    expect(await third.kv.currentRevision()).toBeGreaterThan(mark + 1);
  });

  test("keeps a time to live over a restart", async () => {
    const time = new ManualTime();
    const first = await open({ clock: time, timers: time });
    await first.kv.create(keyOf("a"), pod("a"), { ttlSeconds: 100 });
    await first.kv.create("/other", Buffer.from("x"), { ttlSeconds: 100 });
    await first.kv.close();
    expect(await read(`${PODS}/a.yaml`)).toMatch(/^# expires: \d{4}-/);
    time.pass(60_000);
    const { kv } = await open({ clock: time, timers: time });
    expect(await kv.count("/")).toBe(2);
    time.pass(41_000);
    await until(async () => expect(await kv.count("/")).toBe(0));
    expect(await readdir(at(PODS))).toEqual([]);
  });

  test("may have half-written files after a crash, which are ignored, and removed at the start", async () => {
    const first = await open();
    await first.kv.create(keyOf("a"), pod("a"));
    await first.kv.close();
    await write(".kubets/new-1-1", "kind: P");
    await write(".kubets/new-1-2", "x");
    const { kv, warnings } = await open();
    expect(await kv.count("/")).toBe(1);
    expect(await readdir(at(PODS))).toEqual(["a.yaml"]);
    expect((await readdir(at(".kubets"))).sort()).toEqual([".gitignore", "lock", "revision", "values", "written"]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ["is half-written", `${PODS}/a.yaml`, "kind: Pod\napiVersion: v", "metadata is missing"],
    ["is no YAML", `${PODS}/a.yaml`, "{", "yaml: line 1: did not find expected node content"],
    ["is not UTF-8", `${PODS}/a.yaml`, Buffer.from([0xff, 0xfe]), "it is not UTF-8 text"],
    ["has another name inside", `${PODS}/a.yaml`, pod("b"), 'metadata.name is "b", and the file is that of "a"'],
    ["is of another kind", `${PODS}/a.yaml`, textOf(pod("a")).replace("Pod", "Service"), "it holds a Service of v1"],
    ["is that of an object, spelt otherwise", `${PODS}/%61.yaml`, pod("a"), `the file of this object is`],
  ])(
    "with a file that %s does not serve it, and reads of its object fail (B-FS-04)",
    async (_, path, content, reason) => {
      const first = await open();
      await first.kv.create(keyOf("good"), pod("good"));
      await first.kv.close();
      await writeFile(at(path), content);
      const { kv, warnings } = await open();
      expect(warnings.join()).toContain(reason);
      const value = await valueOf(kv, "a");
      expect(value).toBeInstanceOf(UnreadableValue);
      expect((value as UnreadableValue).problem).toContain("failed walking filepath ");
      expect((value as UnreadableValue).problem).toContain(at(path));
      const { revision } = await kv.get(keyOf("a"));
      await expect(kv.create(keyOf("a"), pod("a"))).rejects.toThrow("failed walking filepath ");
      await expect(kv.update(keyOf("a"), pod("a"), revision)).rejects.toBeInstanceOf(UnavailableError);
      await expect(kv.delete(keyOf("a"), revision)).rejects.toBeInstanceOf(UnavailableError);
      expect(await readFile(at(path))).toEqual(Buffer.from(content));
      expect(textOf(await valueOf(kv, "good"))).toBe(textOf(pod("good")));
    },
  );

  test("may have files of other types, which are not read", async () => {
    const first = await open();
    await first.kv.create(keyOf("a"), pod("a"));
    await first.kv.close();
    await rename(at(`${PODS}/a.yaml`), at("elsewhere"));
    await symlink(at("elsewhere"), at(`${PODS}/a.yaml`));
    execFileSync("mkfifo", [at(`${PODS}/pipe.yaml`)]);
    const { kv, warnings } = await open();
    expect(warnings).toEqual([
      `failed walking filepath ${at(`${PODS}/a.yaml`)}: it is not a regular file`,
      `failed walking filepath ${at(`${PODS}/pipe.yaml`)}: it is not a regular file`,
    ]);
    expect(await valueOf(kv, "a")).toBeInstanceOf(UnreadableValue);
  });

  test("with two files for one object uses the one with its name, and reports both", async () => {
    const first = await open();
    await first.kv.create(keyOf("a"), pod("a"));
    await first.kv.close();
    await write(`${PODS}/%61.yaml`, textOf(pod("a", { other: true })));
    const { kv, warnings } = await open();
    expect(textOf(await valueOf(kv, "a"))).toBe(textOf(pod("a")));
    expect(warnings).toEqual([
      `file ${at(`${PODS}/%61.yaml`)} is not served: the file of this object is ${at(`${PODS}/a.yaml`)}`,
    ]);
    expect(await read(`${PODS}/%61.yaml`)).toContain("other");
  });

  test("may have files of other programs, which are not touched", async () => {
    await (await open()).kv.close();
    await write("README.md", "# objects");
    await write(".git/config", "x");
    await write(`${PODS}/notes.txt`, "x");
    await write("kustomization.yaml", "resources: []");
    const { kv, warnings } = await open();
    expect(await kv.count("")).toBe(0);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`file ${at("kustomization.yaml")} is not served: objects are in `);
    expect(await read("README.md")).toBe("# objects");
  });

  describe("edited by hand, without an API server,", () => {
    test("has a readable edit applied as it is, and watches get it", async () => {
      const { kv, warnings } = await open();
      const { revision } = await kv.create(keyOf("a"), pod("a"));
      const watch = kv.watch("", revision, { signal: new AbortController().signal })[Symbol.asyncIterator]();
      await writeFile(at(`${PODS}/a.yaml`), textOf(pod("a", { spec: 1 })));
      await write(`${PODS}/b.yaml`, textOf(pod("b")));
      const keys: string[] = [];
      while (keys.length < 2)
        keys.push(
          ...((await watch.next()).value?.events ?? []).map(
            ({ type, key }: { type: string; key: string }) => `${type} ${key}`,
          ),
        );
      expect(keys.sort()).toEqual([`create ${keyOf("b")}`, `update ${keyOf("a")}`]);
      expect(textOf(await valueOf(kv, "a"))).toContain('"spec":1');
      await rm(at(`${PODS}/a.yaml`));
      await until(async () => expect(await valueOf(kv, "a")).toBeUndefined());
      expect(warnings).toEqual([]);
    });

    test("keeps an edit that the storage has not seen yet", async () => {
      const time = new ManualTime();
      const { kv } = await open({ clock: time, timers: time });
      const { revision } = await kv.create(keyOf("a"), pod("a"));
      const edited = textOf(pod("a", { spec: 1 }));
      await writeFile(at(`${PODS}/a.yaml`), edited);
      await write(`${PODS}/b.yaml`, textOf(pod("b")));
      await expect(kv.update(keyOf("a"), pod("a", { spec: 2 }), revision)).rejects.toMatchObject({
        outcome: "not-done",
      });
      await expect(kv.delete(keyOf("a"), revision)).rejects.toThrow("was changed by another program");
      await expect(kv.create(keyOf("b"), pod("b"))).rejects.toThrow("was changed by another program");
      expect(await read(`${PODS}/a.yaml`)).toBe(edited);
      expect(await kv.currentRevision()).toBe(revision);
      expect((await readdir(at(PODS))).sort()).toEqual(["a.yaml", "b.yaml"]);
    });

    test("has no event for a file that is touched or rewritten unchanged", async () => {
      const { kv } = await open();
      const { revision } = await kv.create(keyOf("a"), pod("a"));
      const text = await read(`${PODS}/a.yaml`);
      await rm(at(`${PODS}/a.yaml`));
      await writeFile(at(`${PODS}/a.yaml`), `# a note\n${text}`);
      await utimes(at(`${PODS}/a.yaml`), 1, 1);
      await until(async () =>
        expect((await kv.update(keyOf("a"), pod("a", { spec: 3 }), revision)).revision).toBe(revision + 1),
      );
    });

    test("loses the objects of a removed subfolder, but not when the root is removed", async () => {
      const { kv } = await open();
      const { revision } = await kv.create(keyOf("a"), pod("a"));
      await kv.create(
        "/registry/namespaces/default",
        Buffer.from('{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default"}}'),
      );
      await rm(at("core/pods"), { recursive: true });
      await until(async () => expect(await valueOf(kv, "a")).toBeUndefined());
      await kv.create(keyOf("b"), pod("b"));
      await rename(folder.path(), `${folder.path()}-away`);
      try {
        await expect(kv.update(keyOf("b"), pod("b"), revision + 3)).rejects.toThrow(
          `folder ${folder.path()} was removed or replaced`,
        );
        await expect(kv.check()).rejects.toBeInstanceOf(UnavailableError);
        expect(textOf(await valueOf(kv, "b"))).toBe(textOf(pod("b")));
      } finally {
        await rename(`${folder.path()}-away`, folder.path());
      }
      await kv.check();
      await expect(kv.create(keyOf("b"), pod("b"))).rejects.toBeInstanceOf(KeyExistsError);
      await kv.create(keyOf("c"), pod("c"));
    });
  });

  test("stays unchanged for Git while nothing changes", async () => {
    const first = await open();
    for (const name of ["a", "b"]) await first.kv.create(keyOf(name), pod(name, { text: "yes\n", n: 1e21 }));
    await first.kv.create("/other", Buffer.from("x"));
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: folder.path(),
        encoding: "utf8",
      });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "objects");
    expect(git("ls-files").trim().split("\n")).toEqual([`${PODS}/a.yaml`, `${PODS}/b.yaml`]);
    await first.kv.close();
    const { kv } = await open();
    expect(git("status", "--porcelain")).toBe("");
    const { kv: a } = await kv.get(keyOf("a"));
    await kv.update(keyOf("a"), pod("a", { text: "no", n: 1e21 }), a?.revision ?? 0);
    expect(git("diff", "--numstat").trim()).toBe(`1\t2\t${PODS}/a.yaml`);
    git("checkout", "-q", ".");
    await until(async () => expect(textOf(await valueOf(kv, "a"))).toContain('"text":"yes\\n"'));
    expect(git("status", "--porcelain")).toBe("");
  });

  describe("is locked", () => {
    test("against a second storage, and the error names the process", async () => {
      await open();
      await expect(open()).rejects.toThrow(
        `folder ${folder.path()} is in use by process ${process.pid}; stop that, or use another folder`,
      );
    });

    test("but not after its process has ended, or when another process has its id", async () => {
      await (await open()).kv.close();
      const child = spawn(process.execPath, ["-e", ""]);
      await new Promise((resolve) => child.on("close", resolve));
      const host = hostname();
      for (const owner of [
        { pid: child.pid, host, started: "1" },
        { pid: process.pid, host, started: "1" },
      ]) {
        await write(".kubets/lock", JSON.stringify(owner));
        await (await open()).kv.close();
      }
      expect((await readdir(at(".kubets"))).filter((name) => name.startsWith("lock"))).toEqual([]);
    });

    test("also for another machine, and the error tells how to remove the lock", async () => {
      await (await open()).kv.close();
      await write(".kubets/lock", JSON.stringify({ pid: 1, host: "elsewhere", started: "1" }));
      await expect(open()).rejects.toThrow(
        `in use by process 1 on elsewhere; when that has ended, remove ${at(".kubets/lock")}`,
      );
      await write(".kubets/lock", "?");
      await expect(open()).rejects.toThrow(
        `in use by another process; when there is none, remove ${at(".kubets/lock")}`,
      );
    });
  });

  test("keeps names too long for a file, and values that YAML cannot hold, beside the other files", async () => {
    const long = "a".repeat(253);
    const first = await open();
    await first.kv.create(keyOf(long), pod(long));
    const { revision } = await first.kv.create(keyOf("a"), Buffer.from([0x6b, 0x38, 0x73, 0]));
    expect(await readdir(at(".kubets/values"))).toHaveLength(2);
    await first.kv.update(keyOf("a"), pod("a"), revision);
    expect(await readdir(at(PODS))).toEqual(["a.yaml"]);
    expect(await readdir(at(".kubets/values"))).toHaveLength(1);
    await first.kv.close();
    const { kv } = await open();
    expect(textOf(await valueOf(kv, long))).toBe(textOf(pod(long)));
    expect(textOf(await valueOf(kv, "a"))).toBe(textOf(pod("a")));
  });
});
