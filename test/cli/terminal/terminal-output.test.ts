import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { guardTerminal, OwnCodes, shownOn } from "../../../src/cli/terminal/terminal-output.js";
import { writeOutput } from "../../../src/cli/write-output.js";
import { displayWidth } from "../../../src/printers/colours/display-width.js";

function screen(isTTY: boolean) {
  const codes = new OwnCodes(systemRandom);
  const stream = guardTerminal(Object.assign(new PassThrough(), { isTTY }), codes);
  return { codes, stream, read: (): string => String(stream.read() ?? "") };
}

const FOREIGN = "a\u001b[31mb\u001b]0;title\u0007c\rd\u009b2Je\u007ff\r\n\tg";
const SHOWN = "a^[[31mb^[]0;title^Gc\\rd\\x9b2Je^?f\r\n\tg";

describe("text of servers and containers on a terminal", () => {
  test("is written with visible control characters, and keeps tabs and line ends", () => {
    const { stream, read } = screen(true);
    stream.write(FOREIGN);
    expect(read()).toBe(SHOWN);
  });

  test("is escaped in the same way by writeOutput and shownOn", async () => {
    const { stream, read } = screen(true);
    await writeOutput(stream, FOREIGN);
    expect(read()).toBe(SHOWN);
    expect(shownOn(stream, FOREIGN)).toBe(SHOWN);
  });

  test("is written unchanged to a pipe", async () => {
    const { stream, read } = screen(false);
    stream.write(FOREIGN);
    await writeOutput(stream, FOREIGN);
    expect(read()).toBe(FOREIGN + FOREIGN);
  });

  test("is written unchanged when it is bytes, as of a log, a session or a raw request", async () => {
    const { stream, read } = screen(true);
    stream.write(Buffer.from(FOREIGN));
    await writeOutput(stream, Buffer.from(FOREIGN));
    expect(read()).toBe(FOREIGN + FOREIGN);
  });
});

describe("control sequences that the program itself writes", () => {
  test("reach the terminal, while the same sequences in text of others are escaped", () => {
    const { codes, stream, read } = screen(true);
    const red = codes.marked("\u001b[31m");
    stream.write(`${codes.marked("\r")}${red}x\u001b[31my\u001b[${codes.marked("\u001b[39m")}\u001b[1m`);
    expect(read()).toBe("\r\u001b[31mx^[[31my^[[\u001b[39m^[[1m");
  });

  test("have no width, so that tables stay aligned", () => {
    const { codes } = screen(true);
    expect(displayWidth(`${codes.marked("\u001b[1m")}NAME${codes.marked("\u001b[22m")}`)).toBe(4);
  });

  test("are escaped when another run of the program marked them", () => {
    const { codes, stream, read } = screen(true);
    codes.marked("\u001b[31m");
    stream.write(new OwnCodes(systemRandom).marked("\u001b[31m"));
    expect(read()).toMatch(/^\^\[\[31m(\^[A-H]){22}$/);
  });
});
