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

describe("replacing a start-up file of a shell", () => {
  test("keeps the file's mode", () => {
    writeFileSync(path, "old");
    chmodSync(path, 0o751);
    edit("new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o7777).toBe(0o751);
  });

  // Root alone may give a file away.
  test.skipIf(!isRoot)("keeps the file's owner when root changes it", () => {
    writeFileSync(path, "old");
    chownSync(path, 1234, 2345);
    edit("new");
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  });

  test("makes a new file, so that a reader has either the old content or the new one", () => {
    writeFileSync(path, "old");
    const before = statSync(path).ino;
    edit("new");
    expect(statSync(path).ino).not.toBe(before);
    expect(readdirSync(folder)).toEqual(["rc"]);
  });

  test("goes through symbolic links to the file, and keeps them", () => {
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

describe("writing a start-up file that does not exist", () => {
  test("creates it with its folders", () => {
    const deep = join(folder, "a/b/rc");
    expect(readEdited(deep).content).toBeUndefined();
    edit("new", deep);
    expect(readFileSync(deep, "utf8")).toBe("new");
    expect(statSync(deep).mode & 0o133).toBe(0);
  });

  test("creates it at the target of a symbolic link, and removing it keeps the link", () => {
    symlinkSync("missing", path);
    edit("new");
    expect(readFileSync(join(folder, "missing"), "utf8")).toBe("new");
    edit(undefined);
    expect(readdirSync(folder)).toEqual(["rc"]);
    expect(readlinkSync(path)).toBe("missing");
  });

  test("creates nothing when a link points into a missing folder, which may be an unmounted disk", () => {
    symlinkSync("disk/rc", path);
    expect(() => edit("new")).toThrow(`write ${path}: no such file or directory`);
    expect(readdirSync(folder)).toEqual(["rc"]);
  });
});

describe("a start-up file stays unchanged, without a temporary file, when it is", () => {
  test("changed by another program since it was read", () => {
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

  test("a file with a second hard link, which would keep the old content", () => {
    writeFileSync(path, "old");
    linkSync(path, join(folder, "second"));
    expect(() => edit("new")).toThrow(`write ${path}: the file has 2 hard links`);
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  test("a folder, or a link to itself", () => {
    mkdirSync(path);
    expect(() => readEdited(path)).toThrow(`read ${path}: is a directory`);
    const loop = join(folder, "loop");
    symlinkSync("loop", loop);
    expect(() => readEdited(loop)).toThrow(`open ${loop}: too many levels of symbolic links`);
  });

  // Windows has no such devices.
  test.skipIf(process.platform === "win32")("a device behind a link", () => {
    symlinkSync("/dev/null", path);
    expect(() => readEdited(path)).toThrow(`open ${path}: not a regular file`);
  });

  // Root may write every file.
  test.skipIf(isRoot)("read-only, or in a read-only folder", () => {
    writeFileSync(path, "old", { mode: 0o444 });
    expect(() => edit("new")).toThrow(`write ${path}: permission denied`);
    chmodSync(path, 0o644);
    chmodSync(folder, 0o555);
    expect(() => edit("new")).toThrow(`write ${path}: permission denied`);
    chmodSync(folder, 0o755);
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["rc"], "old"]);
  });

  // /proc is Linux's.
  test.skipIf(process.platform !== "linux")("in a folder that accepts no files", () => {
    expect(() => edit("new", "/proc/kubets-rc")).toThrow(/^write \/proc\/kubets-rc: /);
    expect(() => lstatSync("/proc/kubets-rc")).toThrow("ENOENT");
  });
});
