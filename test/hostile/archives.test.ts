import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { extractArchive, type SkippedEntry } from "../../src/actions/copy/archive/extract-archive.js";
import type { TarHeader } from "../../src/machinery/wire/tar/tar-entry.js";
import { tarEnd, tarHeaderBlocks } from "../../src/machinery/wire/tar/write-header.js";
import { startScripted } from "../helpers/scripted-container.js";

const MEGABYTE = 1024 ** 2;
const TEN_GIGABYTES = 10 * 1024 ** 3;
const MILLION = 1_000_000;
const MOST_GROWTH = 30 * MEGABYTE;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubets-hostile-"));
  mkdirSync(join(root, "work"));
});
afterEach(() => rmSync(root, { recursive: true }));

function headerOf(entry: Partial<TarHeader> & { readonly name: string }): Uint8Array {
  const rest = { mode: 0o644, uid: 0, gid: 0, userName: "", groupName: "", modified: 0, linkName: "" };
  return tarHeaderBlocks({ type: "file", size: 0, ...rest, ...entry });
}

const REST = Buffer.concat([headerOf({ name: "data/rest", size: 4 }), Buffer.from("rest"), new Uint8Array(508)]);

/** So many zeros, always the same ones. */
function* zeros(size: number): Generator<Uint8Array> {
  const chunk = new Uint8Array(MEGABYTE);
  for (let left = size; left > 0; left -= chunk.length) yield chunk;
}

/** A million entries, a thousand in a chunk. */
function* million(entry: (index: number) => Uint8Array): Generator<Uint8Array> {
  for (let index = 0; index < MILLION; index += 1000) {
    yield Buffer.concat(Array.from({ length: 1000 }, (_, offset) => entry(index + offset)));
  }
}

/** What memory is held at the end of the work, in bytes more than before. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const held = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = held();
  await work();
  return held() - before;
}

describe("copying with cp from a container that sends an archive", () => {
  async function extract(parts: () => Generator<Uint8Array>, destination = "out"): Promise<Map<string, number>> {
    const skipped = new Map<string, number>();
    const onSkipped = async ({ reason }: SkippedEntry): Promise<void> =>
      void skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    const chunks = (async function* () {
      yield* parts();
    })();
    const cwd = join(root, "work");
    await extractArchive(chunks, { prefix: "data", destination, cwd, platform: "linux", onSkipped });
    return skipped;
  }

  test("with a million links and names outside writes only what is inside, in constant memory", async () => {
    const link = headerOf({ name: "data/link", type: "symlink", linkName: "/etc/passwd" });
    const outside = headerOf({ name: "data/../../precious" });
    let skipped = new Map<string, number>();
    const grown = await growth(async () => {
      skipped = await extract(function* () {
        yield* million((index) => (index % 2 === 0 ? link : outside));
        yield REST;
        yield tarEnd();
      });
    });
    expect(skipped).toEqual(
      new Map([
        ["symlink", MILLION / 2],
        ["outside", MILLION / 2],
      ]),
    );
    expect(grown).toBeLessThan(MOST_GROWTH);
    expect(readdirSync(root)).toEqual(["work"]);
    expect(readFileSync(join(root, "work/out/rest"), "utf8")).toBe("rest");
  });

  test("with the same file a thousand times writes it anew each time", async () => {
    const thousand = function* (): Generator<Uint8Array> {
      for (let index = 0; index < 1000; index++) yield headerOf({ name: "data/file" });
      yield tarEnd();
    };
    expect(await growth(() => extract(thousand))).toBeLessThan(MOST_GROWTH);
    expect(readdirSync(join(root, "work/out"))).toEqual(["file"]);
  });

  test("with 10 GB of zeros for a place outside writes only what is inside, in constant memory", async () => {
    const grown = await growth(() =>
      extract(function* () {
        yield headerOf({ name: "data/../../zeros", size: TEN_GIGABYTES });
        yield* zeros(TEN_GIGABYTES);
        yield REST;
        yield tarEnd();
      }),
    );
    expect(grown).toBeLessThan(MOST_GROWTH);
    expect(readdirSync(root)).toEqual(["work"]);
    expect(readFileSync(join(root, "work/out/rest"), "utf8")).toBe("rest");
  });

  test("with 10 GB of zeros ends once the disk is full, without reading on", async () => {
    let sent = 0;
    const full = extract(function* () {
      yield headerOf({ name: "data", size: TEN_GIGABYTES });
      for (const chunk of zeros(TEN_GIGABYTES)) {
        sent += chunk.length;
        yield chunk;
      }
    }, "/dev/full");
    await expect(full).rejects.toThrow("write /dev/full: no space left on device");
    expect(sent).toBeLessThan(10 * MEGABYTE);
  });
});

describe("copying with cp into a container that has 8 MB", () => {
  /** As GNU's tar, the container's goes on behind what it cannot write. */
  async function extractThere(parts: () => Generator<Uint8Array>): Promise<{ code: number; full: boolean }> {
    const container = await startScripted({ capacity: 8 * MEGABYTE });
    let full = false;
    const stdin = (async function* () {
      yield* parts();
    })();
    const code = await container.runtime.exec(container.started.id, ["tar", "-xmf", "-", "-C", "/tmp"], {
      stdin,
      stdout: async () => undefined,
      stderr: async (chunk) => void (full ||= String(chunk).includes("No space left on device")),
      tty: false,
      signal: new AbortController().signal,
    });
    return { code, full };
  }

  test("fails for 10 GB of zeros where the container is full, in constant memory", async () => {
    const parts = function* (): Generator<Uint8Array> {
      yield headerOf({ name: "zeros", size: TEN_GIGABYTES });
      yield* zeros(TEN_GIGABYTES);
      yield tarEnd();
    };
    const grown = await growth(async () => expect(await extractThere(parts)).toEqual({ code: 2, full: true }));
    expect(grown).toBeLessThan(MOST_GROWTH);
  });

  test("fails for a hundred thousand empty files where the container is full", async () => {
    const parts = function* (): Generator<Uint8Array> {
      for (let index = 0; index < 100_000; index++) yield headerOf({ name: `file-${index}` });
      yield tarEnd();
    };
    const grown = await growth(async () => expect(await extractThere(parts)).toEqual({ code: 2, full: true }));
    expect(grown).toBeLessThan(MOST_GROWTH);
  });
});
