import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { readEdited, writeEdited } from "../../../src/commands/completion/edited-file.js";

const isRoot = process.getuid?.() === 0;
if (isRoot) process.stdout.write("files that may not be written are not tested: root may write all of them\n");
else process.stdout.write("whether a file keeps its owner is not tested: root alone can give files to others\n");

let folder: string;
let path: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "kubets-edited-")));
  path = join(folder, "rc");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const edit = (content: string | undefined, file = path): void =>
  writeEdited(readEdited(file), content === undefined ? undefined : Buffer.from(content), systemRandom);

describe("a file that is replaced", () => {
  test("keeps its mode", () => {
    writeFileSync(path, "old");
    chmodSync(path, 0o751);
    edit("new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o7777).toBe(0o751);
  });

  // Root alone may give a file away.
  test.skipIf(!isRoot)("keeps its owner, where another user changes it", () => {
    writeFileSync(path, "old");
    chownSync(path, 1234, 2345);
    edit("new");
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  });

  test("is another file than before, so that a reader has the old content or the new one", () => {
    writeFileSync(path, "old");
    const before = statSync(path).ino;
    edit("new");
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(["rc"]);
  });

  test("keeps the links that lead to it", () => {
    mkdirSync(join(folder, "dotfiles"));
    writeFileSync(join(folder, "dotfiles", "rc"), "old");
    symlinkSync("dotfiles/rc", join(folder, "second"));
    symlinkSync("second", path);
    expect(readEdited(path).target).toBe(join(folder, "dotfiles", "rc"));
    edit("new");
    expect([readlinkSync(path), readlinkSync(join(folder, "second"))]).toEqual(["second", "dotfiles/rc"]);
    expect(readFileSync(join(folder, "dotfiles", "rc"), "utf8")).toBe("new");
  });
});

describe("a file that does not exist", () => {
  test("is created, with its folders", () => {
    const deep = join(folder, "a/b/rc");
    expect(readEdited(deep).content).toBeUndefined();
    edit("new", deep);
    expect(readFileSync(deep, "utf8")).toBe("new");
    expect(statSync(deep).mode & 0o133).toBe(0);
  });

  test("is created and removed at the target of a link to it: the link is kept", () => {
    symlinkSync("missing", path);
    edit("new");
    expect(readFileSync(join(folder, "missing"), "utf8")).toBe("new");
    edit(undefined);
    expect(readdirSync(folder)).toEqual(["rc"]);
    expect(readlinkSync(path)).toBe("missing");
  });

  test("is not created when a link to it points into a missing folder, which may be a disk that is not mounted", () => {
    symlinkSync("disk/rc", path);
    expect(() => edit("new")).toThrow(`write ${path}: no such file or directory`);
    expect(readdirSync(folder)).toEqual(["rc"]);
  });
});

describe("a file is not changed when it cannot be replaced, and no temporary file is left:", () => {
  test("one that has changed since it was read", () => {
    writeFileSync(path, "old");
    const read = readEdited(path);
    writeFileSync(path, "edited");
    expect(() => writeEdited(read, Buffer.from("new"), systemRandom)).toThrow(
      `${path} was changed by another program in the meantime`,
    );
    expect(readFileSync(path, "utf8")).toBe("edited");
    rmSync(path);
    expect(() => writeEdited(read, Buffer.from("new"), systemRandom)).toThrow("in the meantime");
    expect(existsSync(path)).toBe(false);
  });

  test("one with a second name, which would keep the old content", () => {
    writeFileSync(path, "old");
    linkSync(path, join(folder, "second"));
    expect(() => edit("new")).toThrow(`write ${path}: the file has 2 hard links`);
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  test("a folder, and a link to itself", () => {
    mkdirSync(path);
    expect(() => readEdited(path)).toThrow(`read ${path}: is a directory`);
    const loop = join(folder, "loop");
    symlinkSync("loop", loop);
    expect(() => readEdited(loop)).toThrow(`open ${loop}: too many levels of symbolic links`);
  });

  // Windows has no such devices.
  test.skipIf(process.platform === "win32")("a device behind a link, which is not a file", () => {
    symlinkSync("/dev/null", path);
    expect(() => readEdited(path)).toThrow(`open ${path}: not a regular file`);
  });

  // Root may write every file.
  test.skipIf(isRoot)("a read-only file, and one in a read-only folder", () => {
    writeFileSync(path, "old", { mode: 0o444 });
    expect(() => edit("new")).toThrow(`write ${path}: permission denied`);
    chmodSync(path, 0o644);
    chmodSync(folder, 0o555);
    expect(() => edit("new")).toThrow(`write ${path}: permission denied`);
    chmodSync(folder, 0o755);
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["rc"], "old"]);
  });

  // /proc is Linux's.
  test.skipIf(process.platform !== "linux")("a file in a folder that accepts no files", () => {
    expect(() => edit("new", "/proc/kubets-rc")).toThrow(/^write \/proc\/kubets-rc: /);
    expect(() => lstatSync("/proc/kubets-rc")).toThrow("ENOENT");
  });
});
