import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepPrivate, makeOwnFolder, makePrivateFile, privacyFaults } from "../../../src/base/files/private-files.js";

describe("creating files and folders that only the user may read", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kubets-private-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const mode = (...path: string[]): string => (statSync(join(folder, ...path)).mode & 0o777).toString(8);

  test("gives new folders the mode 0700 or the requested one, and keeps the mode of existing ones", () => {
    mkdirSync(join(folder, "given"));
    chmodSync(join(folder, "given"), 0o777);
    makeOwnFolder(join(folder, "given", "a", "b"));
    makeOwnFolder(join(folder, "given", "a"), 0o755);
    expect([mode("given"), mode("given", "a"), mode("given", "a", "b")]).toEqual(["777", "700", "700"]);
    makeOwnFolder(join(folder, "programs", "x"), 0o755);
    expect([mode("programs"), mode("programs", "x")]).toEqual(["755", "755"]);
  });

  test("throws for a path that is not a folder or cannot become one", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => makeOwnFolder(join(folder, "file"))).toThrow(/EEXIST/);
    expect(() => makeOwnFolder(join(folder, "file", "x"))).toThrow(/ENOTDIR/);
  });

  test.skipIf(process.platform !== "linux")(
    "throws, and does not retry without end, below a folder where no entry can be made",
    () => {
      expect(() => makeOwnFolder("/proc/no/such/folder")).toThrow(/ENOENT|no such file/);
    },
  );

  test("creates a private file, and makes an existing one private without changing its content", () => {
    makePrivateFile(join(folder, "new"));
    writeFileSync(join(folder, "open"), "text");
    chmodSync(join(folder, "open"), 0o666);
    makePrivateFile(join(folder, "open"));
    expect([mode("new"), mode("open")]).toEqual(["600", "600"]);
    expect(readFileSync(join(folder, "open"), "utf8")).toBe("text");
    keepPrivate(join(folder, "missing"));
  });

  test("throws for a mode that is too open, with the command that corrects it", () => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "open"), "");
    chmodSync(join(folder, "open"), 0o640);
    makePrivateFile(join(folder, "closed"));
    expect(privacyFaults(folder)).toEqual([
      `the folder ${folder} is open to other users (its mode is 755); close it with: chmod 700 ${folder}`,
      `the file ${join(folder, "open")} is open to other users (its mode is 640); close it with: chmod 600 ${join(folder, "open")}`,
    ]);
    expect(privacyFaults(join(folder, "missing"))).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)("throws for a file of another user", () => {
    writeFileSync(join(folder, "theirs"), "", { mode: 0o600 });
    chownSync(join(folder, "theirs"), 65534, 65534);
    expect(privacyFaults(folder)).toEqual([
      `the file ${join(folder, "theirs")} belongs to another user (65534), who can read and change it`,
    ]);
  });
});
