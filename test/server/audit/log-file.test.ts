import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LineSink } from "../../../src/server/audit/backends/log-backend.js";
import { type LogFileOptions, openLogFile } from "../../../src/server/audit/backends/log-file.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 2, 15, 4, 5);

let folder: string;
let path: string;
let time: number;
let faults: unknown[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-audit-log-"));
  path = join(folder, "audit.log");
  time = START;
  faults = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (options: Partial<LogFileOptions> = {}): Promise<LineSink> =>
  openLogFile(
    { path, maxSize: 20, maxAge: 0, maxBackups: 0, compress: false, ...options },
    { clock: { now: () => time }, report: (error) => faults.push(error) },
  );

/** Writes each line a second later than the one before, and closes the file. */
async function write(options: Partial<LogFileOptions>, ...lines: readonly string[]): Promise<void> {
  const log = await open(options);
  for (const line of lines) {
    await log.write([line]);
    time += 1000;
  }
  await log.close();
}

const files = (): readonly string[] => readdirSync(folder).sort();
const contentOf = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("the audit log file", () => {
  test("is created with its folders, readable for its owner alone, and appended to later", async () => {
    path = join(folder, "a", "b", "audit.log");
    await write({}, "one\n");
    await write({}, "two\n");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("contains lines in the order in which they were given", async () => {
    const log = await open({ maxSize: 0 });
    const lines = Array.from({ length: 500 }, (_, index) => `${index}\n`);
    await Promise.all(lines.map((line) => log.write([line])));
    await log.close();
    expect(contentOf("audit.log")).toBe(lines.join(""));
  });

  test("that cannot be opened is named in the error", async () => {
    path = join(folder, "audit.log", "audit.log");
    writeFileSync(join(folder, "audit.log"), "");
    await expect(open()).rejects.toThrow(/^ensureLogFile: /);
  });

  test("on a full disk rejects the lines that it cannot write", async () => {
    const full = await openLogFile(
      { path: "/dev/full", maxSize: 0, maxAge: 0, maxBackups: 0, compress: false },
      { clock: { now: () => time }, report: () => {} },
    );
    await expect(full.write(["line\n"])).rejects.toThrow("write /dev/full: no space left on device");
    await full.close();
  });
});

describe("rotating the audit log file", () => {
  test("renames a file that would become too large, by time, and starts a new one", async () => {
    await write({}, "aaaaaaaaa\n", "bbbbbbbbb\n", "ccccccccc\n", "ddddddddd\n", "eeeeeeeee\n");
    expect(files()).toEqual(["audit-2026-01-02T15-04-07.000.log", "audit-2026-01-02T15-04-09.000.log", "audit.log"]);
    expect(contentOf("audit-2026-01-02T15-04-07.000.log")).toBe("aaaaaaaaa\nbbbbbbbbb\n");
    expect(contentOf("audit-2026-01-02T15-04-09.000.log")).toBe("ccccccccc\nddddddddd\n");
    expect(contentOf("audit.log")).toBe("eeeeeeeee\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("loses none of many lines that are written at once", async () => {
    const log = await open({ maxSize: 50 });
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    await Promise.all(
      lines.map((line) => {
        time += 1000;
        return log.write([line]);
      }),
    );
    await log.close();
    const all = files().map(contentOf);
    expect(all.join("").split("\n").sort()).toEqual(lines.join("").split("\n").sort());
    expect(all.every((text) => text.length <= 50)).toBe(true);
  });

  test("counts bytes that an earlier process has written", async () => {
    writeFileSync(path, "aaaaaaaaaaaaaaa\n");
    await write({}, "bbbbbbbbb\n");
    expect(files()).toEqual(["audit-2026-01-02T15-04-05.000.log", "audit.log"]);
  });

  test("writes a line that is larger than the limit into a file of its own", async () => {
    await write({}, "a\n", `${"b".repeat(30)}\n`, "c\n");
    expect(files().map(contentOf)).toEqual(["a\n", `${"b".repeat(30)}\n`, "c\n"]);
  });

  test("keeps at most the given number of old files", async () => {
    await write({ maxSize: 2, maxBackups: 2 }, "a\n", "b\n", "c\n", "d\n");
    expect(files().map(contentOf)).toEqual(["b\n", "c\n", "d\n"]);
  });

  test("keeps old files for the given number of days, by the times in their names", async () => {
    await write({ maxSize: 2 }, "a\n", "b\n");
    const [old = ""] = files();
    utimesSync(join(folder, old), 0, 0);
    await write({ maxSize: 2, maxAge: 1 }, "c\n");
    expect(files()).toContain(old);
    time += 2 * DAY;
    await write({ maxSize: 2, maxAge: 1 }, "d\n");
    expect(files()).not.toContain(old);
    expect(contentOf("audit.log")).toBe("d\n");
  });

  test("compresses old files, and keeps their modes", async () => {
    await write({ maxSize: 2, compress: true }, "a\n", "b\n");
    expect(files()).toEqual(["audit-2026-01-02T15-04-06.000.log.gz", "audit.log"]);
    const packed = join(folder, files()[0] ?? "");
    expect(gunzipSync(readFileSync(packed)).toString()).toBe("a\n");
    expect(statSync(packed).mode & 0o777).toBe(0o600);
  });

  test("touches no other program's file", async () => {
    const others = [
      "audit-2026.log",
      "audit-x.log",
      "other-2020-01-02T15-04-05.000.log",
      "audit-2020-01-02T15-04-05.000.txt",
    ];
    for (const name of others) writeFileSync(join(folder, name), "");
    await write({ maxSize: 2, maxAge: 1, maxBackups: 1, compress: true }, "a\n", "b\n", "c\n");
    expect(files()).toEqual(expect.arrayContaining(others));
    expect(faults).toEqual([]);
  });

  test("never happens without a limit", async () => {
    await write({ maxSize: 0 }, ...Array.from({ length: 50 }, () => "aaaaaaaaa\n"));
    expect(files()).toEqual(["audit.log"]);
  });
});
