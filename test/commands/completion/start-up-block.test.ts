import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BlockText,
  findBlock,
  linesOf,
  withBlock,
  withNewLines,
  withoutBlock,
} from "../../../src/commands/completion/start-up-block.js";

const BLOCK: BlockText = { name: "completion of kubets", lines: ["one", "  two"], lineEnd: "\n" };
const OTHER: BlockText = { name: "completion of kubectl", lines: ["three"], lineEnd: "\n" };

/** The text once its block is taken out. */
function removed(text: string, name = BLOCK.name): string | undefined {
  const found = findBlock(text, name);
  if (found === undefined) throw new Error(`no ${name} in ${JSON.stringify(text)}`);
  return withoutBlock(text, found);
}

describe("adding our marked block to the end of a start-up file's text", () => {
  const FIRST = "# >>> completion of kubets (kubets completion install) >>>";
  const LAST = "# <<< completion of kubets <<<";

  test.each([
    ["of a text", "a\n", `a\n${FIRST}\none\n  two\n${LAST}\n`],
    ["of an empty file", "", `${FIRST}\none\n  two\n${LAST}\n`],
    [
      "of a text whose last line has no end",
      "a",
      `a\n# >>> completion of kubets (kubets completion install; ended the line above) >>>\none\n  two\n${LAST}\n`,
    ],
    [
      "of a file that is made for it",
      undefined,
      `# >>> completion of kubets (kubets completion install; made this file) >>>\none\n  two\n${LAST}\n`,
    ],
  ])("%s", (_name, text, expected) => {
    expect(withBlock(text, BLOCK)).toBe(expected);
  });

  test("uses CR LF when the text does", () => {
    const text = withBlock("a\r\n", { ...BLOCK, lineEnd: "\r\n" });
    expect(text).toBe(`a\r\n${FIRST}\r\none\r\n  two\r\n${LAST}\r\n`);
    expect(findBlock(text, BLOCK.name)?.lines).toEqual(BLOCK.lines);
  });
});

describe("removing our marked block from a start-up file gives back", () => {
  test.each(["", "a", "a\n", "a\n\n", "\n", "a\r\n", "a\r\nb", "\r\n", "# >>> other (tool) >>>\nx\n# <<< other <<<\n"])(
    "%j",
    (text) => {
      for (const lineEnd of ["\n", "\r\n"] as const) {
        expect(removed(withBlock(text, { ...BLOCK, lineEnd }))).toBe(text);
      }
    },
  );

  test("any text, also when more was written behind the block", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "#", ">", " ", "\n", "\r", "é") });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const cut = removed(withBlock(before, BLOCK) + after);
        const isJoined = before !== "" && !before.endsWith("\n") && after !== "";
        expect(cut).toBe(before + (isJoined ? "\n" : "") + after);
      }),
    );
  });

  test("no file, when the block was all of it", () => {
    expect(removed(withBlock(undefined, BLOCK))).toBeUndefined();
  });

  test("what others wrote into a file that the installation created", () => {
    expect(removed(`${withBlock(undefined, BLOCK)}a\n`)).toBe("a\n");
  });

  test("the block of another program, untouched", () => {
    const text = withBlock(withBlock("a", BLOCK), OTHER);
    expect(removed(text, OTHER.name)).toBe(withBlock("a", BLOCK));
  });

  test.each(["a", "a\n", "", undefined])(
    "%j without the blocks of two programs, whichever is removed first",
    (text) => {
      const both = withBlock(withBlock(text, BLOCK), OTHER);
      expect(removed(removed(both, OTHER.name) ?? "", BLOCK.name)).toBe(text);
      expect(removed(removed(both, BLOCK.name) ?? "", OTHER.name)).toBe(text);
    },
  );
});

test("replacing our marked block puts new lines in its place, and it can still be removed", () => {
  const text = `${withBlock("a", BLOCK)}b\n`;
  const found = findBlock(text, BLOCK.name);
  if (found === undefined) throw new Error("no block");
  const changed = withNewLines(text, found, { ...BLOCK, lines: ["new"] });
  expect(findBlock(changed, BLOCK.name)?.lines).toEqual(["new"]);
  expect(removed(changed)).toBe("a\nb\n");
});

test("the user is shown our marked block with its comments", () => {
  const text = withBlock("a\n", OTHER);
  const found = findBlock(text, OTHER.name);
  expect(found && linesOf(text, found)).toEqual([
    "# >>> completion of kubectl (kubets completion install) >>>",
    "three",
    "# <<< completion of kubectl <<<",
  ]);
});

describe("a marked block that was changed by hand", () => {
  const whole = withBlock("a\n", BLOCK);
  test.each([
    ["without an end", whole.replace(/# <<<.*\n/, ""), 2, "begins but does not end"],
    ["without a beginning", whole.replace(/# >>>.*\n/, ""), 4, "ends but does not begin"],
    ["twice", withBlock(whole, BLOCK), 6, "begins a second time"],
    ["inside of itself", withBlock(whole.replace(/# <<<.*\n/, ""), BLOCK), 5, "begins a second time"],
  ])("%s is an error that names the line", (_name, text, line, message) => {
    expect(() => findBlock(text, BLOCK.name)).toThrow(expect.objectContaining({ line, message }));
  });

  test("is not recognized when its comment lines have more words", () => {
    expect(findBlock(`echo "${whole}"`.replaceAll("\n", " "), BLOCK.name)).toBeUndefined();
  });
});
