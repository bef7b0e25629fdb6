import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, linkSync, utimesSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTar } from "../../../../src/machinery/wire/tar/read-tar.js";
import { BLOCK, paddingOf, type TarHeader } from "../../../../src/machinery/wire/tar/tar-entry.js";
import { tarEnd, tarHeaderBlocks } from "../../../../src/machinery/wire/tar/write-header.js";
import { randomBelow } from "../../../../src/base/numbers/random-below.js";
import { seededRandom } from "../../../helpers/seeded-random.js";

const HEADER: TarHeader = {
  name: "a",
  type: "file",
  size: 0,
  mode: 0o644,
  uid: 1000,
  gid: 1000,
  userName: "me",
  groupName: "us",
  modified: 1_700_000_000,
  linkName: "",
};

/** An archive's bytes, in chunks of `size`. */
async function* chunksOf(archive: Uint8Array, size = 4096): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < archive.length; from += size) yield archive.subarray(from, from + size);
}

interface ReadEntry extends TarHeader {
  readonly text: string;
}

async function entriesOf(archive: Uint8Array, chunkSize?: number): Promise<readonly ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for await (const { header, content } of readTar(chunksOf(archive, chunkSize))) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk.slice());
    entries.push({ ...header, text: Buffer.concat(chunks).toString() });
  }
  return entries;
}

const fileBlocks = (header: Partial<TarHeader>, text = ""): Uint8Array =>
  Buffer.concat([
    tarHeaderBlocks({ ...HEADER, size: Buffer.byteLength(text), ...header }),
    Buffer.from(text),
    new Uint8Array(paddingOf(Buffer.byteLength(text))),
  ]);

const archiveOf = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat([...parts, tarEnd()]);

let folder: string;
const LONG = `${"deep/".repeat(40)}file.txt`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-tar-"));
  const tree = join(folder, "tree");
  mkdirSync(join(tree, "deep/".repeat(40)), { recursive: true });
  mkdirSync(join(tree, "empty"));
  writeFileSync(join(tree, "hello.txt"), "hello\n");
  writeFileSync(join(tree, LONG), "long\n");
  writeFileSync(join(tree, "größe – 日本.txt"), "names\n");
  writeFileSync(join(tree, "blocks"), "x".repeat(BLOCK * 3));
  symlinkSync("hello.txt", join(tree, "link"));
  symlinkSync(`${"far/".repeat(30)}away`, join(tree, "long-link"));
  linkSync(join(tree, "hello.txt"), join(tree, "second"));
  chmodSync(join(tree, "hello.txt"), 0o4755);
  utimesSync(join(tree, "blocks"), 1_600_000_000, 1_600_000_000);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("reading tar archives that GNU tar wrote", () => {
  it.each(["gnu", "posix", "ustar"])("works for the format %s", async (format) => {
    const listed = format === "ustar" ? ["--exclude=long-link"] : [];
    const archive = execFileSync("tar", [`--format=${format}`, "--sort=name", ...listed, "-cf", "-", "tree"], {
      cwd: folder,
    });
    for (const size of [1, 511, 4096, archive.length]) {
      const entries = new Map((await entriesOf(archive, size)).map((entry) => [entry.name, entry]));
      expect(entries.get("tree/hello.txt")).toMatchObject({ type: "file", text: "hello\n", mode: 0o4755 });
      expect(entries.get(`tree/${LONG}`)?.text).toBe("long\n");
      expect(entries.get("tree/größe – 日本.txt")?.text).toBe("names\n");
      expect(entries.get("tree/blocks")).toMatchObject({ size: 3 * BLOCK, modified: 1_600_000_000 });
      expect(entries.get("tree/empty/")?.type).toBe("directory");
      expect(entries.get("tree/link")).toMatchObject({ type: "symlink", linkName: "hello.txt", size: 0 });
      expect(entries.get("tree/second")).toMatchObject({ type: "hardlink", linkName: "tree/hello.txt" });
      if (format !== "ustar") expect(entries.get("tree/long-link")?.linkName).toBe(`${"far/".repeat(30)}away`);
    }
  });

  it("skips contents that the caller does not take", async () => {
    const archive = execFileSync("tar", ["--sort=name", "-cf", "-", "tree"], { cwd: folder });
    const names: string[] = [];
    for await (const { header, content } of readTar(chunksOf(archive, 700))) {
      names.push(header.name);
      // Half of the contents are begun and left.
      if (names.length % 2 === 0) for await (const _chunk of content) break;
    }
    expect(names).toEqual((await entriesOf(archive)).map(({ name }) => name));
  });
});

describe("writing tar archives", () => {
  const rows: readonly Partial<TarHeader>[] = [
    { name: "plain" },
    { name: "exactly-100-".padEnd(100, "x") },
    { name: `${"p".repeat(155)}/${"n".repeat(100)}` },
    { name: `${"p".repeat(156)}/${"n".repeat(100)}` },
    { name: LONG },
    { name: "größe/日本" },
    { name: "n".repeat(300) },
    { name: "ab/".repeat(90) + "end" },
    { name: "folder", type: "directory" },
    { name: "link", type: "symlink", linkName: "t".repeat(100) },
    { name: "link", type: "symlink", linkName: "t".repeat(101) },
    { name: "link", type: "symlink", linkName: "../ä" },
    { name: "ids", uid: 3_000_000, gid: 4_000_000 },
    { name: "names", userName: "u".repeat(40), groupName: "grüppe" },
    { name: "before", modified: -5 },
    { name: "bits", mode: 0o7777 },
  ];

  it.each(rows)("that we read back unchanged: %j", async (row) => {
    const [entry] = await entriesOf(archiveOf(fileBlocks(row)));
    expect(entry).toEqual({ ...HEADER, ...row, text: "" });
  });

  it.each(rows)("that GNU tar reads: %j", (row) => {
    const archive = archiveOf(fileBlocks(row));
    const listed = execFileSync("tar", ["--list", "--verbose", "--numeric-owner", "--quoting-style=literal"], {
      input: archive,
      env: { ...process.env, LC_ALL: "C.UTF-8" },
      stdio: ["pipe", "pipe", "pipe"],
    }).toString();
    expect(listed.split("\n")[0]).toContain(row.name);
    if (row.uid !== undefined) expect(listed).toContain(`${row.uid}/${row.gid}`);
  });

  it("with sizes beyond 8 GB", async () => {
    const size = 9 * 1024 ** 3;
    const blocks = tarHeaderBlocks({ ...HEADER, size });
    const entries = readTar(chunksOf(blocks));
    expect((await entries.next()).value?.header.size).toBe(size);
  });
});

/** Changes a header's bytes, and its checksum with them. */
function patched(block: Uint8Array, from: number, bytes: string, checked = true): Uint8Array {
  const copy = Buffer.from(block);
  copy.write(bytes, from, "latin1");
  if (!checked) return copy;
  copy.fill(" ", 148, 156);
  const sum = copy.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return copy;
}

const special = (flag: string, text: string, size = text.length): Uint8Array =>
  Buffer.concat([
    patched(tarHeaderBlocks({ ...HEADER, name: "records", size }), 156, flag),
    Buffer.from(text),
    new Uint8Array(paddingOf(text.length)),
  ]);

const INVALID = "archive/tar: invalid tar header";

describe("reading damaged and hostile tar archives", () => {
  const file = fileBlocks({ name: "file" }, "content");
  const rows: readonly { readonly name: string; readonly bytes: Uint8Array; readonly error: string }[] = [
    { name: "a wrong checksum", bytes: patched(file, 148, "000000", false), error: INVALID },
    { name: "a wrong number", bytes: patched(file, 124, "00000009999"), error: INVALID },
    {
      name: "a negative size",
      bytes: patched(file, 124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
      error: INVALID,
    },
    {
      name: "a size beyond all numbers",
      bytes: patched(file, 124, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
      error: INVALID,
    },
    { name: "a header that is cut", bytes: file.subarray(0, 300), error: "unexpected EOF" },
    { name: "a content that is cut", bytes: file.subarray(0, BLOCK + 3), error: "unexpected EOF" },
    { name: "no end", bytes: file, error: "unexpected EOF" },
    { name: "nothing at all", bytes: new Uint8Array(0), error: "unexpected EOF" },
    { name: "one block of zeros before others", bytes: Buffer.concat([new Uint8Array(BLOCK), file]), error: INVALID },
    { name: "a sparse file of GNU tar", bytes: patched(file, 156, "S"), error: "sparse file" },
    {
      name: "a sparse file of PAX",
      bytes: Buffer.concat([special("x", "22 GNU.sparse.major=1\n"), file]),
      error: "sparse file",
    },
    { name: "PAX records that count wrong", bytes: special("x", "99 path=a\n"), error: INVALID },
    { name: "PAX records that count backwards", bytes: special("x", "2 path=a\n"), error: INVALID },
    { name: "PAX records without a value", bytes: special("x", "8 path\n\n"), error: INVALID },
    { name: "a PAX path with a NUL", bytes: special("x", "12 path=a\0b\n"), error: INVALID },
    {
      name: "a PAX size that is no number",
      bytes: Buffer.concat([special("x", "13 size=1e99\n"), file]),
      error: INVALID,
    },
    { name: "endless PAX records", bytes: special("x", "", 2 * 1024 ** 3), error: "header field too long" },
    { name: "an endless name", bytes: special("L", "", 2 * 1024 ** 3), error: "header field too long" },
    { name: "noise", bytes: Buffer.alloc(2048, "noise"), error: INVALID },
  ];

  it.each(rows)("refuses $name", async ({ bytes, error }) => {
    await expect(entriesOf(bytes, 100)).rejects.toThrow(error);
  });

  it("ends at the blocks of zeros, whatever follows", async () => {
    const zeros = (async function* () {
      yield archiveOf(file);
      for (;;) yield new Uint8Array(1 << 20);
    })();
    let count = 0;
    for await (const _entry of readTar(zeros)) count += 1;
    expect(count).toBe(1);
  });

  it("does nothing but refuse two thousand randomly changed archives", async () => {
    const source = seededRandom("tar");
    const random = (below: number): number => randomBelow(source, below);
    const whole = Buffer.from(
      archiveOf(file, fileBlocks({ name: LONG }, "y".repeat(900)), special("L", `${"n".repeat(200)}\0`), file),
    );
    for (let round = 0; round < 2000; round++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change < 1 + (round % 4); change++) {
        const at = random(bytes.length);
        bytes[at] = random(256);
        // Half of them get past the checksum.
        if (round % 2 === 0 && at % BLOCK < 345) {
          const block = at - (at % BLOCK);
          patched(bytes.subarray(block, block + BLOCK), 0, "").forEach((byte, index) => (bytes[block + index] = byte));
        }
      }
      const cut = round % 3 === 0 ? random(bytes.length) : bytes.length;
      const error = await entriesOf(bytes.subarray(0, cut), 1 + random(2000)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error !== undefined) expect(error).toHaveProperty("name", "TarError");
    }
  });
});
