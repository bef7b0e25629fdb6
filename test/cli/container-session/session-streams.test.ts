import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { isRaw, openSessionStreams } from "../../../src/cli/container-session/session-streams.js";
import { StandardInput } from "../../../src/cli/container-session/standard-input.js";
import type { Streams } from "../../../src/cli/connect/factory.js";

interface FakeTerminal {
  readonly streams: Streams;
  readonly input: PassThrough;
  readonly out: PassThrough & { columns: number; rows: number };
  /** What raw mode was set to, and the programs that were run. */
  readonly calls: (boolean | string)[];
}

function fakeTerminal(isTTY = true): FakeTerminal {
  const calls: (boolean | string)[] = [];
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: (raw: boolean) => void calls.push(raw) });
  const out = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  return { streams: { in: input, out, err: new PassThrough() }, input, out, calls };
}

const open = (terminal: FakeTerminal, raw: boolean, signal = new AbortController().signal) =>
  openSessionStreams({
    streams: terminal.streams,
    stdin: true,
    raw,
    signal,
    host: {
      platform: "linux",
      clock: systemClock,
      pid: 1,
      runProgram: async (file, args) => {
        terminal.calls.push([file, ...args].join(" "));
        return { code: 0 };
      },
    },
  });

async function readAll(input: AsyncIterable<Uint8Array> | undefined): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input ?? []) chunks.push(chunk);
  return chunks;
}

test("a session in raw mode does not translate line feeds, and leaves raw mode once", async () => {
  const terminal = fakeTerminal();
  const session = await open(terminal, true);
  expect(terminal.calls).toEqual([true, "stty -opost"]);
  session.close();
  session.close();
  expect(terminal.calls).toEqual([true, "stty -opost", false]);
});

test("a signal makes the session leave raw mode at once and ends its input", async () => {
  const terminal = fakeTerminal();
  const ending = new AbortController();
  const { streams } = await open(terminal, true, ending.signal);
  const reading = readAll(streams.stdin);
  ending.abort();
  expect(terminal.calls.at(-1)).toBe(false);
  expect(await reading).toEqual([]);
});

test("a session whose signal aborted before it began leaves raw mode", async () => {
  const terminal = fakeTerminal();
  await open(terminal, true, AbortSignal.abort());
  expect(terminal.calls.at(-1)).toBe(false);
});

test("a session without raw mode leaves the terminal alone, and keeps stderr separate", async () => {
  const terminal = fakeTerminal();
  const { streams } = await open(terminal, false);
  expect(terminal.calls).toEqual([]);
  expect(streams).toMatchObject({ tty: false, sizes: undefined });
  expect(streams.stderr).toBeDefined();
});

test("a session reports the terminal's first size, then only the newest after changes", async () => {
  const terminal = fakeTerminal();
  const { streams, close } = await open(terminal, true);
  const sizes = streams.sizes?.[Symbol.asyncIterator]();
  if (sizes === undefined) throw new Error("there are no sizes");
  expect((await sizes.next()).value).toEqual({ width: 80, height: 24 });
  for (const columns of [90, 100]) {
    terminal.out.columns = columns;
    terminal.out.emit("resize");
  }
  expect((await sizes.next()).value).toEqual({ width: 100, height: 24 });
  const waiting = sizes.next();
  close();
  expect((await waiting).done).toBe(true);
});

test.each([
  ["a terminal, with -i and -t", { stdin: true, tty: true }, true, true, []],
  [
    "no terminal",
    { stdin: true, tty: true },
    false,
    false,
    ["Unable to use a TTY - input is not a terminal or the right kind of file"],
  ],
  ["-t without -i", { stdin: false, tty: true }, true, false, []],
  ["-i alone", { stdin: true, tty: false }, true, false, []],
] as const)("whether a session uses raw mode, and what it warns about: %s", (_case, wanted, isTTY, raw, lines) => {
  const said: string[] = [];
  expect(isRaw(wanted, fakeTerminal(isTTY).streams, (line) => said.push(line))).toBe(raw);
  expect(said).toEqual(lines);
});

test("a session reads input only as fast as the connection takes it", async () => {
  const input = new PassThrough({ highWaterMark: 10 });
  const reader = new StandardInput(input)[Symbol.asyncIterator]();
  input.write("0123456789");
  expect(input.write("more")).toBe(false);
  expect(Buffer.from((await reader.next()).value ?? []).toString()).toMatch(/^0123456789/);
});

test("an error of the input ends the session's input", async () => {
  const input = new PassThrough();
  const reading = readAll(new StandardInput(input));
  input.destroy(new Error("read EIO"));
  expect(await reading).toEqual([]);
});
