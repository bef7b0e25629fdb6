import { describe, expect, test } from "vitest";
import { atOnce, type Steps } from "../../../src/base/async/steps.js";
import { Glob } from "../../../src/node/scripted/shell/expansion/glob.js";
import { startScripted } from "../../helpers/scripted-container.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const globOf = (pattern: string): Glob => Glob.of([{ text: pattern, quoted: false }]);
const matches = (pattern: string, text: string): boolean => atOnce(globOf(pattern).matches(text));

const rows: readonly (readonly [pattern: string, text: string, expected: boolean])[] = [
  ["", "", true],
  ["*", "", true],
  ["a*", "abc", true],
  ["*c", "abc", true],
  ["a*a", "a", false],
  ["*ab*ab*", "abab", true],
  ["*ab*ab*", "aab", false],
  ["a?c", "abc", true],
  ["?", "", false],
  ["[a-c]", "b", true],
  ["[!a-c]", "b", false],
  ["[^a-c]", "d", true],
  ["[]a]", "]", true],
  ["[!]a]", "]", false],
  ["[a-]", "-", true],
  ["[z-a]", "m", false],
  ["[[:digit:]x]", "7", true],
  ["[[:digit:]x]", "d", false],
  ["[[:none:]]", ":]", true],
  ["[a", "[a", true],
  ["[\\]]", "]", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["\\\\*", "\\a", true],
  ["a.c", "abc", false],
  ["*.tar.*", "a.tar.gz", true],
];

describe("matching a shell pattern", () => {
  test.each(rows)("%j against %j: %j", (pattern, text, expected) => expect(matches(pattern, text)).toBe(expected));

  test("has the result of a simple search without shortcuts, on whole texts and at both ends", () => {
    const random = seededRandom("globs");
    const pick = (from: string): string => from[(random.bytes(1)[0] ?? 0) % from.length] ?? "";
    for (let run = 0; run < 500; run += 1) {
      const pattern = Array.from({ length: (random.bytes(1)[0] ?? 0) % 8 }, () => pick("ab**?[")).join("");
      const closed = pattern.replaceAll("[", "[a-a]");
      const text = Array.from({ length: (random.bytes(1)[0] ?? 0) % 10 }, () => pick("aab")).join("");
      const glob = globOf(closed);
      const where = `${closed} ${text}`;
      expect(matches(closed, text), where).toBe(slowly(closed, text));
      const beginnings = Array.from({ length: text.length + 1 }, (_, end) => end).filter((end) =>
        slowly(closed, text.slice(0, end)),
      );
      const ends = Array.from({ length: text.length + 1 }, (_, length) => length).filter((length) =>
        slowly(closed, text.slice(text.length - length)),
      );
      expect(atOnce(glob.edge(text, { longest: false, fromEnd: false })), where).toBe(beginnings[0]);
      expect(atOnce(glob.edge(text, { longest: true, fromEnd: false })), where).toBe(beginnings.at(-1));
      expect(atOnce(glob.edge(text, { longest: false, fromEnd: true })), where).toBe(ends[0]);
      expect(atOnce(glob.edge(text, { longest: true, fromEnd: true })), where).toBe(ends.at(-1));
    }
  });

  test.each(["*0*0*1*0", "*[0-9]?*0*[!0]*?", "*0000000000000001*"])(
    "takes steps in proportion to the text: %s",
    (pattern) => {
      const edge = { longest: true, fromEnd: true };
      for (const work of [
        (text: string) => globOf(pattern).matches(text),
        (text: string) => globOf(pattern).edge(text, edge),
      ]) {
        const [once, twice] = [1, 2].map((times) => stepsOf(work("0".repeat(20_000 * times))));
        expect(once).toBeGreaterThan(0);
        expect(twice).toBeLessThanOrEqual(2.2 * (once ?? 0));
      }
    },
  );

  test("takes a quoted pattern literally, in case, in an expansion and among file names", async () => {
    const { sh } = await startScripted();
    const script = `cd /tmp; touch 'a*' ab; p='a*'; x='a*b'
      case ab in "$p") echo quoted;; $p) echo plain;; esac
      echo \${x#"$p"} \${x#$p} "\${x##*\\*}" a"*" $p a\\*`;
    expect(await sh(script)).toEqual({ stdout: "plain\nb ab b a* a* ab a*\n", stderr: "", code: 0 });
  });
});

/** Whether the pattern matches, by trying everything. */
function slowly(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("*"))
    return Array.from({ length: text.length + 1 }, (_, at) => at).some((at) =>
      slowly(pattern.slice(1), text.slice(at)),
    );
  const length = pattern.startsWith("[") ? "[a-a]".length : 1;
  const one = pattern.startsWith("[") ? "a" : pattern.slice(0, 1);
  return text !== "" && (one === "?" || one === text[0]) && slowly(pattern.slice(length), text.slice(1));
}

function stepsOf(work: Steps<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps += 1;
  return steps;
}
