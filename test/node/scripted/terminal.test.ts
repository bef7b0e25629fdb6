import { describe, expect, test } from "vitest";
import { Terminal } from "../../../src/node/scripted/terminal.js";

interface Row {
  readonly name: string;
  readonly typed: string;
  /** What the program reads; "" for an end of input. */
  readonly read?: readonly string[];
  readonly screen: string;
  readonly signals?: readonly string[];
}

const rows: readonly Row[] = [
  { name: "shows keys and passes a line on at its end", typed: "ab\r", read: ["ab\n"], screen: "ab\r\n" },
  { name: "passes lines on one by one", typed: "a\rb\r", read: ["a\n", "b\n"], screen: "a\r\nb\r\n" },
  { name: "keeps a line that is not ended", typed: "ab", screen: "ab" },
  { name: "erases a character", typed: "ab\x7fc\r", read: ["ac\n"], screen: "ab\b \bc\r\n" },
  { name: "erases a character of several bytes at once", typed: "é\x7fe\r", read: ["e\n"], screen: "é\b \be\r\n" },
  { name: "erases nothing before the line", typed: "\x7fa\r", read: ["a\n"], screen: "a\r\n" },
  { name: "erases a word", typed: "a bc\x17d\r", read: ["a d\n"], screen: "a bc\b \b\b \bd\r\n" },
  { name: "erases the line", typed: "ab\x15c\r", read: ["c\n"], screen: "ab\b \b\b \bc\r\n" },
  {
    name: "interrupts by Ctrl-C and drops the line",
    typed: "ab\x03c\r",
    read: ["c\n"],
    screen: "ab^Cc\r\n",
    signals: ["SIGINT"],
  },
  { name: "quits by Ctrl-\\", typed: "\x1c", screen: "^\\", signals: ["SIGQUIT"] },
  { name: "ends the input by Ctrl-D, and goes on", typed: "\x04a\r", read: ["", "a\n"], screen: "a\r\n" },
  { name: "passes a line on by Ctrl-D", typed: "ab\x04", read: ["ab"], screen: "ab" },
  {
    name: "drops what a line has beyond 4,095 bytes, and ends it",
    typed: `${"a".repeat(4095)}bc\r`,
    read: [`${"a".repeat(4095)}\n`],
    screen: `${"a".repeat(4095)}bc\r\n`,
  },
  { name: "shows other control characters", typed: "\x01\x1b\r", read: ["\x01\x1b\n"], screen: "^A^[\r\n" },
];

/** A terminal, what is on its screen and the signals that it has sent. */
function terminal() {
  const screen: Uint8Array[] = [];
  const signals: string[] = [];
  const made = new Terminal(
    async (chunk) => void screen.push(chunk),
    (signal) => void signals.push(signal),
  );
  return { made, signals, screen: () => Buffer.concat(screen).toString("utf8") };
}

describe("a container's terminal in cooked mode", () => {
  test.each(rows)("$name", async ({ typed, read = [], screen, signals = [] }) => {
    const one = terminal();
    for (const byte of Buffer.from(typed)) await one.made.receive(Uint8Array.of(byte));
    one.made.input.end();
    for (const expected of read) {
      const chunk = await one.made.input.read();
      expect(Buffer.from(chunk ?? []).toString("utf8")).toBe(expected);
    }
    expect(await one.made.input.read()).toBeUndefined();
    expect(one.screen()).toBe(screen);
    expect(one.signals).toEqual(signals);
  });

  test("in raw mode passes on every key, and writes output unchanged", async () => {
    const one = terminal();
    Object.assign(one.made.modes, {
      echo: false,
      canonical: false,
      signals: false,
      returnsAreLineFeeds: false,
      writesReturns: false,
    });
    await one.made.receive(Buffer.from("a\x03\r\x04"));
    await one.made.write(Buffer.from("x\ny"));
    expect(Buffer.from((await one.made.input.read()) ?? []).toString("latin1")).toBe("a\x03\r\x04");
    expect(one.screen()).toBe("x\ny");
    expect(one.signals).toEqual([]);
  });

  test("passes keys one by one while a program reads them so, first those of a line that was begun", async () => {
    const one = terminal();
    await one.made.receive(Buffer.from("ab"));
    const restore = one.made.takeKeys();
    await one.made.receive(Buffer.from("c\x03\x04\r"));
    restore();
    await one.made.receive(Buffer.from("d\x7fe\r"));
    const read = async () => Buffer.from((await one.made.input.read()) ?? []).toString("latin1");
    expect([await read(), await read(), await read()]).toEqual(["ab", "c\x03\x04\n", "e\n"]);
    expect([one.screen(), one.signals]).toEqual(["abd\b \be\r\n", []]);
  });

  test("reports changes of its size to the program", () => {
    const one = terminal();
    one.made.resize({ width: 80, height: 24 });
    expect(one.signals).toEqual([]);
    one.made.resize({ width: 100, height: 40 });
    expect([one.signals, one.made.size]).toEqual([["SIGWINCH"], { width: 100, height: 40 }]);
  });
});
