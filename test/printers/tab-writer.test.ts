import { describe, expect, it } from "vitest";
import { TabWriter } from "../../src/printers/tab-writer.js";

function align(...flushes: string[]): string[] {
  const printed: string[] = [];
  const writer = new TabWriter((text) => printed.push(text));
  for (const text of flushes) {
    writer.write(text);
    writer.flush();
  }
  return printed;
}

describe("TabWriter", () => {
  it("makes a column as wide as its widest cell and three spaces, six at least", () => {
    expect(align("a\tb\nlong-name\tc\n")).toEqual(["a           b\nlong-name   c\n"]);
    expect(align("a\tb\n")).toEqual(["a     b\n"]);
  });

  it("pads empty cells and leaves the last one as it is", () => {
    expect(align("A\tB\tC\nx\t\tz\nx\ty\t\n")).toEqual(["A     B     C\nx           z\nx     y     \n"]);
  });

  it("counts characters, not bytes", () => {
    expect(align("日本日本日\tb\n😀\tb\n")).toEqual(["日本日本日   b\n😀       b\n"]);
  });

  it("ends a column where a line has no cell in it", () => {
    expect(align("a\tb\tc\nx\ty\nlonglonglong\ty\n")).toEqual([
      "a              b     c\nx              y\nlonglonglong   y\n",
    ]);
  });

  it("keeps column widths of earlier flushes, for a watch", () => {
    expect(align("long-name\tb\n", "a\tb\n")).toEqual(["long-name   b\n", "a           b\n"]);
  });

  it("prints what it holds at a line without a tab", () => {
    const printed: string[] = [];
    const writer = new TabWriter((text) => printed.push(text));
    writer.write("a\tb\n");
    expect(printed).toEqual([]);
    writer.write("alone\n");
    expect(printed).toEqual(["a     b\nalone\n"]);
  });
});
