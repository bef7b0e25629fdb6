import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { archiveFiles } from "../../../../src/actions/copy/archive/archive-files.js";
import { extractArchive, type SkippedEntry } from "../../../../src/actions/copy/archive/extract-archive.js";
import { isOwnName } from "../../../../src/base/files/path-component.js";
import { randomBelow } from "../../../../src/base/numbers/random-below.js";
import { paddingOf, type TarHeader } from "../../../../src/machinery/wire/tar/tar-entry.js";
import { tarEnd, tarHeaderBlocks } from "../../../../src/machinery/wire/tar/write-header.js";
import { seededRandom } from "../../../helpers/seeded-random.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubets-extract-"));
  mkdirSync(join(root, "work"));
  writeFileSync(join(root, "precious"), "precious");
});
afterEach(() => rmSync(root, { recursive: true }));

type Entry = Partial<TarHeader> & { readonly name: string; readonly text?: string };

function* blocksOf(entries: Iterable<Entry>): Generator<Uint8Array> {
  for (const { text = "", ...entry } of entries) {
    const size = entry.type === undefined || entry.type === "file" ? Buffer.byteLength(text) : 0;
    const header = {
      type: "file",
      mode: 0o6777,
      uid: 0,
      gid: 0,
      userName: "",
      groupName: "",
      modified: 0,
      linkName: "",
    } as const;
    yield Buffer.concat([
      // What our own writer refuses to write.
      entry.type === "special" ? fifo(entry.name) : tarHeaderBlocks({ ...header, size, ...entry }),
      Buffer.from(size === 0 ? "" : text),
      new Uint8Array(paddingOf(size)),
    ]);
  }
  yield tarEnd();
}

function fifo(name: string): Uint8Array {
  const block = Buffer.from(
    tarHeaderBlocks({
      name,
      type: "file",
      size: 0,
      mode: 0o644,
      uid: 0,
      gid: 0,
      userName: "",
      groupName: "",
      modified: 0,
      linkName: "",
    }),
  );
  block.write("6", 156);
  block.fill(" ", 148, 156);
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
    "latin1",
  );
  return block;
}

async function* from(blocks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* blocks;
}

/** Extracts what the container's tar makes of /data into `destination`, and answers what was skipped. */
async function extract(
  entries: Iterable<Entry>,
  destination = "out",
  prefix = "data",
): Promise<readonly SkippedEntry[]> {
  const skipped: SkippedEntry[] = [];
  const cwd = join(root, "work");
  const onSkipped = (entry: SkippedEntry): void => void skipped.push(entry);
  await extractArchive(from(blocksOf(entries)), { prefix, destination, cwd, platform: "linux", onSkipped });
  return skipped;
}

const inWork = (path: string): string => join(root, "work", path);
const textOf = (path: string): string => readFileSync(inWork(path), "utf8");

describe("extracting a tar archive", () => {
  it("creates the destination folder and puts the archive's files into it", async () => {
    await extract([
      { name: "data/", type: "directory" },
      { name: "data/a.txt", text: "a" },
      { name: "data/sub/b.txt", text: "b" },
      { name: "data/empty/", type: "directory" },
    ]);
    expect(textOf("out/a.txt")).toBe("a");
    expect(textOf("out/sub/b.txt")).toBe("b");
    expect(readdirSync(inWork("out/empty"))).toEqual([]);
  });

  it("writes an archive of one file to the destination's name, and creates the folders above it", async () => {
    await extract([{ name: "data", text: "one" }], "new/place/file");
    expect(textOf("new/place/file")).toBe("one");
  });

  it("replaces the whole text of an existing file", async () => {
    writeFileSync(inWork("file"), "much longer than before");
    await extract([{ name: "data", text: "new" }], "file");
    expect(textOf("file")).toBe("new");
  });

  it("does not take file permissions from the archive", async () => {
    await extract([{ name: "data/a", mode: 0o6777, text: "#!" }]);
    expect(statSync(inWork("out/a")).mode & 0o7111).toBe(0);
  });

  it("into a symbolic link writes below the folder that the link points to", async () => {
    mkdirSync(inWork("real"));
    symlinkSync("real", inWork("out"));
    await extract([{ name: "data/a", text: "a" }]);
    expect(textOf("real/a")).toBe("a");
  });

  it("of one file into a symbolic link writes to the file that the link points to", async () => {
    symlinkSync("real", inWork("out"));
    await extract([{ name: "data", text: "a" }]);
    expect(textOf("real")).toBe("a");
  });

  it("writes a hard link of the archive as a copy of its file", async () => {
    const linked = { type: "hardlink", linkName: "data/a" } as const;
    expect(
      await extract([
        { name: "data/a", text: "a" },
        { name: "data/b", ...linked },
      ]),
    ).toEqual([]);
    expect(textOf("out/b")).toBe("a");
    expect(statSync(inWork("out/a")).nlink).toBe(1);
  });
});

describe("an archive entry that the extraction skips", () => {
  it.each([
    { entry: { name: "data/l", type: "symlink", linkName: "/etc" }, reason: "symlink", path: "out/l" },
    { entry: { name: "data/p", type: "special" }, reason: "special", path: "out/p" },
    { entry: { name: "data/h", type: "hardlink", linkName: "etc/passwd" }, reason: "hardlink", path: "out/h" },
    { entry: { name: "data/h", type: "hardlink", linkName: "data/../../precious" }, reason: "hardlink", path: "out/h" },
    { entry: { name: "data/../../x", text: "x" }, reason: "outside", path: "../x" },
    { entry: { name: "data/../../../../x", type: "directory" }, reason: "outside", path: "../../../x" },
    { entry: { name: "data/a/../../../x", text: "x" }, reason: "outside", path: "../x" },
  ] as const)(
    "is reported with the reason, and all other entries are extracted: $entry",
    async ({ entry, reason, path }) => {
      const skipped = await extract([entry, { name: "data/rest", text: "rest" }]);
      expect(skipped).toMatchObject([{ reason, path }]);
      expect(textOf("out/rest")).toBe("rest");
      expect(readdirSync(root).sort()).toEqual(["precious", "work"]);
      expect(readdirSync(inWork("out"))).toEqual(["rest"]);
    },
  );

  it.each(["/etc/passwd", "etc/passwd", "../data/x", "dat"])(
    "ends the copy with an error when its name is outside of the copied path: %s",
    async (name) => {
      await expect(extract([{ name, text: "x" }])).rejects.toThrow("tar contents corrupted");
    },
  );
});

describe("a destination folder that does not exist", () => {
  it("is created with its parents, also when several copies create it at the same time", async () => {
    await Promise.all(["a/b/one", "a/b/two", "a/b/one"].map((to) => extract([{ name: "data/f", text: "x" }], to)));
    expect([textOf("a/b/one/f"), textOf("a/b/two/f")]).toEqual(["x", "x"]);
  });

  it("is refused when its parent is a file", async () => {
    writeFileSync(inWork("file"), "");
    await expect(extract([{ name: "data/f" }], "file/a/b")).rejects.toThrow("mkdir file: not a directory");
  });

  it.runIf(process.platform === "linux")("is refused below /proc", async () => {
    await expect(extract([{ name: "data/f" }], "/proc/nope/deep")).rejects.toThrow(
      "mkdir /proc/nope: no such file or directory",
    );
  });
});

describe("existing files and links below the destination", () => {
  beforeEach(() => mkdirSync(inWork("out")));

  it.each([
    { what: "a link to a folder", make: () => symlinkSync(root, inWork("out/l")), name: "data/l/precious" },
    { what: "a link to a file", make: () => symlinkSync("../../precious", inWork("out/l")), name: "data/l" },
    { what: "a link to nothing", make: () => symlinkSync("../../new", inWork("out/l")), name: "data/l" },
    { what: "a link further up", make: () => symlinkSync(root, inWork("out/l")), name: "data/l/deep/er/file" },
    {
      what: "a link, for a folder",
      make: () => symlinkSync(root, inWork("out/l")),
      name: "data/l/",
      type: "directory",
    },
  ] as const)("are never written through to a place outside: $what", async ({ make, name, ...type }) => {
    make();
    await expect(extract([{ name, text: "x", ...type }])).rejects.toThrow("out/l is a symbolic link");
    expect(readdirSync(root).sort()).toEqual(["precious", "work"]);
    expect(readFileSync(join(root, "precious"), "utf8")).toBe("precious");
  });

  it("are not written to when they are a pipe, on which a write would wait for a reader", async () => {
    execFileSync("mkfifo", [inWork("out/pipe")]);
    await expect(extract([{ name: "data/pipe", text: "x" }])).rejects.toThrow(
      "out/pipe is a device, a pipe or a socket",
    );
  });

  it.each([
    {
      what: "a folder where a file comes",
      make: () => mkdirSync(inWork("out/x")),
      name: "data/x",
      error: "open out/x: is a directory",
    },
    {
      what: "a file where a folder comes",
      make: () => writeFileSync(inWork("out/x"), ""),
      name: "data/x/y",
      error: "mkdir out/x: not a directory",
    },
  ])("end the copy with Go's error message when an entry cannot replace them: $what", async ({ make, name, error }) => {
    make();
    await expect(extract([{ name, text: "x" }])).rejects.toThrow(error);
  });
});

describe("extracting on Windows", () => {
  it.each([
    ["con", false],
    ["COM1.txt", false],
    ["file:stream", false],
    ["dots.", false],
    ["console", true],
    ["a.con", true],
  ] as const)(
    "a name that Windows reserves for a device is refused, others are accepted: %s, accepted: %s",
    (name, own) => {
      expect(isOwnName(name, "win32")).toBe(own);
      expect(isOwnName(name, "linux")).toBe(true);
    },
  );
});

describe("two thousand generated hostile archives", () => {
  const PARTS = ["..", ".", "a", "b", "l", "l2", "", "/", "..\\..", "precious", "\u001b[2J", "con", "...", " "];

  it("never make the extraction write outside of the destination", async () => {
    const source = seededRandom("archives");
    const pick = <T>(list: readonly T[]): T => list[randomBelow(source, list.length)] as T;
    const name = (): string =>
      `data${"/".repeat(randomBelow(source, 2))}${Array.from({ length: 1 + randomBelow(source, 5) }, () => pick(PARTS)).join("/")}`;
    mkdirSync(inWork("out"));
    for (let round = 0; round < 2000; round++) {
      if (round % 100 === 0) {
        rmSync(inWork("out"), { recursive: true });
        mkdirSync(inWork("out"));
        symlinkSync(root, inWork("out/l"));
        symlinkSync("../../precious", inWork("out/l2"));
      }
      const entries = Array.from({ length: 1 + randomBelow(source, 4) }, (): Entry => {
        const type = pick(["file", "file", "directory", "symlink", "hardlink", "special"] as const);
        return { name: name(), type, text: "hostile", linkName: pick([name(), root, "../../precious", "data/l2"]) };
      });
      const error: unknown = await extract(entries).catch((thrown: unknown) => thrown);
      if (error instanceof Error) expect(["PathError", "UnsafeTargetError", "Error"]).toContain(error.name);
    }
    expect(readdirSync(root).sort()).toEqual(["precious", "work"]);
    expect(readdirSync(inWork(".")).sort()).toEqual(["out"]);
    expect(readFileSync(join(root, "precious"), "utf8")).toBe("precious");
    for (const entry of readdirSync(inWork("out"), { recursive: true, encoding: "utf8" })) {
      if (entry === "l" || entry === "l2" || entry.startsWith("l/")) continue;
      expect(lstatSync(inWork(`out/${entry}`)).isSymbolicLink()).toBe(false);
    }
  });
});

describe("archiveFiles()", () => {
  const archived = async (path: string, name: string): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of archiveFiles(path, { name, cwd: inWork("."), onSkipped: () => undefined }))
      chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it("writes an archive that GNU tar extracts completely, with symbolic links and unusual names", async () => {
    mkdirSync(inWork("in/empty"), { recursive: true });
    mkdirSync(inWork("in/sub"));
    for (const file of ["b", "a [1]*", "back\\slash", "größe", `sub/${"n".repeat(200)}`])
      writeFileSync(inWork(`in/${file}`), file);
    symlinkSync("b", inWork("in/link"));
    mkdirSync(inWork("there"));
    execFileSync("tar", ["-xmf", "-", "-C", inWork("there")], { input: await archived("in", "name") });
    execFileSync("diff", ["-r", "--no-dereference", inWork("in"), inWork("there/name")]);
  });

  it("throws an error that names a file whose name is not UTF-8", async () => {
    mkdirSync(inWork("in"));
    writeFileSync(Buffer.concat([Buffer.from(inWork("in/caf")), Buffer.of(0xe9)]), "x");
    await expect(archived("in", "name")).rejects.toThrow("in/caf\\xe9: the name is not UTF-8");
  });

  it("archives a file of 3 MB", async () => {
    writeFileSync(inWork("large"), Buffer.alloc(3_000_001, "x"));
    execFileSync("tar", ["-xf", "-", "-C", inWork(".")], { input: await archived("large", "copy") });
    expect(statSync(inWork("copy")).size).toBe(3_000_001);
  });

  it("skips a named pipe and reports its path", async () => {
    mkdirSync(inWork("in"));
    execFileSync("mkfifo", [inWork("in/pipe")]);
    writeFileSync(inWork("in/z"), "z");
    const skipped: string[] = [];
    const chunks = archiveFiles("in", { name: "in", cwd: inWork("."), onSkipped: (path) => void skipped.push(path) });
    const archive: Uint8Array[] = [];
    for await (const chunk of chunks) archive.push(chunk);
    expect(skipped).toEqual(["in/pipe"]);
    expect(execFileSync("tar", ["-tf", "-"], { input: Buffer.concat(archive) }).toString()).toBe("in/z\n");
  });

  it("archives nothing for a missing path, and throws when a file shrinks while it is read", async () => {
    await expect(archived("none", "none")).resolves.toHaveLength(1024);
    writeFileSync(inWork("shrinks"), Buffer.alloc(1_000_000));
    const chunks = archiveFiles("shrinks", { name: "x", cwd: inWork("."), onSkipped: () => undefined });
    await chunks.next();
    writeFileSync(inWork("shrinks"), "");
    await expect(
      (async () => {
        for await (const _chunk of chunks);
      })(),
    ).rejects.toThrow(/^archive\/tar: missed writing \d+ bytes$/);
    expect(existsSync(inWork("shrinks"))).toBe(true);
  });
});
