import { expect, test } from "vitest";
import { TerminalScreen } from "../../../src/cli/terminal/terminal-screen.js";
import { DrivenTerminal } from "../../helpers/driven-terminal.js";

function open(size: { readonly columns?: number; readonly rows?: number } = {}, utf8 = true) {
  const terminal = new DrivenTerminal(size);
  const screen = new TerminalScreen({ out: terminal.streams.out, utf8, code: (sequence) => sequence });
  return { terminal, screen };
}

const settled = (): Promise<void> => new Promise(setImmediate);

test("the full-screen view cuts lines to the terminal's size, and restores the former screen at the end", async () => {
  const { terminal, screen } = open({ columns: 20, rows: 2 });
  screen.show(() => ["a line that is far too long", "│ └─ second", "third"]);
  await settled();
  expect(terminal.screen.text).toBe("a line that is far…\n│ └─ second");
  expect([terminal.screen.isAlternate, terminal.screen.showsCursor]).toEqual([true, false]);
  screen.leave();
  screen.leave();
  screen.draw();
  await settled();
  expect(terminal.screen.text).toBe("|");
  expect([terminal.screen.isAlternate, terminal.screen.showsCursor]).toEqual([false, true]);
  expect(terminal.written.split("\u001b[?1049l")).toHaveLength(2);
});

test("the full-screen view clears what a shorter drawing leaves of the one before", async () => {
  const { terminal, screen } = open();
  screen.show(() => ["first line", "second line"]);
  screen.show(() => ["1st"]);
  await settled();
  expect(terminal.screen.text).toBe("1st");
});

test("the full-screen view redraws at once when the terminal's size changes, but not after its end", async () => {
  const { terminal, screen } = open({ columns: 40, rows: 10 });
  screen.show(({ columns, rows }) => [`${columns} columns and ${rows} rows`, "0123456789012345678901234567890"]);
  terminal.resize(20, 4);
  await settled();
  expect(terminal.screen.text).toBe("20 columns and 4 r…\n012345678901234567…");
  screen.leave();
  await settled();
  const { written } = terminal;
  terminal.resize(30, 5);
  await settled();
  expect(terminal.written).toBe(written);
});

test.each([
  ["0 columns and 0 rows", 0, 0, "80x24"],
  ["1 column", 1, 24, ""],
])("the full-screen view uses 80x24 on a terminal of %s", async (_what, columns, rows, shown) => {
  const { terminal, screen } = open({ columns, rows });
  screen.show((size) => [`${size.columns}x${size.rows}`]);
  await settled();
  expect(terminal.screen.text).toBe(shown);
});

test("the full-screen view counts no width for colours, and ends them where it cuts a line", async () => {
  const { terminal, screen } = open({ columns: 10 });
  screen.show(() => ["\u001b[32mgreen and long\u001b[39m"]);
  await settled();
  expect(terminal.written).toContain("\u001b[32mgreen an…\u001b[39m\u001b[K");
});

test("the full-screen view without UTF-8 writes ASCII of the same width", async () => {
  const { terminal, screen } = open({ columns: 12 }, false);
  screen.show(() => ["├─ a │", "└─ 名é\u0301", "too long for it"]);
  await settled();
  expect(terminal.screen.text).toBe("|- a |\n`- ???\ntoo long f~");
});
