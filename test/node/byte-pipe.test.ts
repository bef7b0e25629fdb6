import { describe, expect, test } from "vitest";
import { BytePipe } from "../../src/node/byte-pipe.js";

const textOf = (chunk: Uint8Array | undefined): string | undefined => chunk && Buffer.from(chunk).toString();

describe("a pipe between two programs of a container", () => {
  test("gives bytes to the next reader, not to one whose signal has aborted", async () => {
    const pipe = new BytePipe();
    const gone = new AbortController();
    const first = pipe.read(gone.signal);
    const second = pipe.read();
    gone.abort(new Error("interrupted"));
    await expect(first).rejects.toThrow("interrupted");
    await pipe.write(Buffer.from("line"));
    expect(textOf(await second)).toBe("line");
  });

  test("gives bytes to the next reader also when the first aborts after it was woken", async () => {
    const pipe = new BytePipe();
    const gone = new AbortController();
    const first = pipe.read(gone.signal);
    const second = pipe.read();
    void pipe.write(Buffer.from("line"));
    gone.abort(new Error("interrupted"));
    await expect(first).rejects.toThrow("interrupted");
    expect(textOf(await second)).toBe("line");
  });

  test("ends the wait of a writer whose signal aborts", async () => {
    const pipe = new BytePipe();
    const gone = new AbortController();
    const written = pipe.write(Buffer.alloc(1024 * 1024), gone.signal);
    gone.abort(new Error("interrupted"));
    await expect(written).rejects.toThrow("interrupted");
  });
});
