import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJson } from "../../../src/machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { emitKyaml } from "../../../src/machinery/text/yaml/kyaml.js";
import { emitYaml } from "../../../src/machinery/text/yaml/emit.js";
import { cutToWidth, displayWidth, withoutCodes } from "../../../src/printers/colours/display-width.js";
import { paintJson, paintKyaml, paintYaml } from "../../../src/printers/colours/paint-document.js";
import { paintDescription } from "../../../src/printers/colours/paint-description.js";
import { paintDiff } from "../../../src/printers/colours/paint-diff.js";
import { conditionTone } from "../../../src/printers/colours/tones.js";

/** Keys in angles, values in braces, nothing in parentheses. */
const marks = {
  key: (text: string) => `«${text}»`,
  value: (text: string) => `{${text}}`,
  nothing: (text: string) => `(${text})`,
};

test.each<[string, unknown, string]>([
  ["keys and scalars", { a: 1, b: true, c: null, d: "x" }, "«a»: {1}\n«b»: {true}\n«c»: (null)\n«d»: x\n"],
  ["what only looks like a number is text", { a: "1", b: "true" }, '«a»: "1"\n«b»: "true"\n'],
  ["lists", { a: [1, "x", { b: 2 }] }, "«a»:\n- {1}\n- x\n- «b»: {2}\n"],
  ["addresses hold no key", { a: ["http://x:80/", "k=v"] }, "«a»:\n- http://x:80/\n- k=v\n"],
  ["keys in quotes", { "a: b": 1, "1": 2 }, "«\"1\"»: {2}\n«'a: b'»: {1}\n"],
  ["keys with colons", { "a:b": 1 }, "«a:b»: {1}\n"],
  ["a block is text, and ends", { a: "k: 1\n\n  l: 2\n", b: 3 }, "«a»: |\n  k: 1\n\n    l: 2\n«b»: {3}\n"],
  ["a block in a list", { a: ["k: 1\nl: 2\n", 3] }, "«a»:\n- |\n  k: 1\n  l: 2\n- {3}\n"],
  [
    "a block below a key in a list",
    { a: [{ b: "k: 1\nl: 2", c: 4 }] },
    "«a»:\n- «b»: |-\n    k: 1\n    l: 2\n  «c»: {4}\n",
  ],
])("colours in YAML: %s", (_name, value, painted) => {
  expect(paintYaml(emitYaml(value as KubeObject), marks)).toBe(painted);
});

test("colours in YAML leave quoted text over several lines without keys", () => {
  const text = "a: 'it''s\n  b: 1'\nc: \"x \\\"\n  d: 2\"\ne: 3\n";
  expect(paintYaml(text, marks)).toBe("«a»: 'it''s\n  b: 1'\n«c»: \"x \\\"\n  d: 2\"\n«e»: {3}\n");
});

test("colours in JSON and KYAML mark keys, numbers and null, and nothing in quotes", () => {
  const value = { a: 'say "1": 2', b: [1.5, true, "null"], c: { d: null } };
  const painted = `{«"a"»:"say \\"1\\": 2",«"b"»:[{1.5},{true},"null"],«"c"»:{«"d"»:(null)}}`;
  expect(paintJson(encodeJson(value), marks)).toBe(painted);
  expect(paintKyaml(emitKyaml({ kind: "A", num: 1, text: "k: 1" } as KubeObject), marks)).toBe(
    '---\n{\n  «kind»: "A",\n  «num»: {1},\n  «text»: "k: 1",\n}\n',
  );
});

test("colours add control codes and nothing else, whatever the object", () => {
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
  const theme = { key: red, value: red, nothing: red };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      fc.pre(!JSON.stringify(object).includes("\\u001b"));
      for (const [text, paint] of [
        [emitYaml(object as KubeObject), paintYaml],
        [encodeJson(object, { indent: 4 }), paintJson],
        [emitKyaml(object as KubeObject), paintKyaml],
      ] as const) {
        expect(withoutCodes(paint(text, theme))).toBe(text);
      }
    }),
    { numRuns: 100 },
  );
});

const describedLines = (text: string): readonly string[] =>
  paintDescription(text, {
    key: (key) => `«${key}»`,
    heading: (line) => `#${line}`,
    cell: (column, value) => (value === "" ? "" : `${column}=${value}`),
    condition: (type, status) => `${type} is ${status}`,
  }).split("\n");

test("colours in a description mark keys, headings above lines of dashes, and warnings", () => {
  const text = [
    "Name:         web",
    "Start Time:   <none>",
    "Conditions:",
    "  Type    Status",
    "  ----    ------",
    "  Ready   False",
    "Events:",
    "  Warning  Failed  5s  Error: see Notes: x",
    "https://example.com: y",
  ].join("\n");
  expect(describedLines(text)).toEqual([
    "«Name:»         Name=web",
    "«Start Time:»   Start Time=<none>",
    "«Conditions:»",
    "#  Type    Status",
    "  ----    ------",
    "  «Ready»   Ready is False",
    "«Events:»",
    "  TYPE=Warning  Failed  5s  Error: see Notes: x",
    "https://example.com: y",
  ]);
});

test("colours mark conditions alike in a pod, in a node's wider table, and in a custom resource", () => {
  const pod = "Conditions:\n  Type             Status\n  Ready            True \nVolumes:  <none>";
  expect(describedLines(pod)).toEqual([
    "«Conditions:»",
    "#  Type             Status",
    "  «Ready»            Ready is True ",
    "«Volumes:»  Volumes=<none>",
  ]);
  const node =
    "Conditions:\n  Type             Status  LastHeartbeatTime  Reason\n  ----             ------  -----------------  ------\n  MemoryPressure   False   Wed, 01 Jan 2026   Fine: yes";
  expect(describedLines(node)).toEqual([
    "«Conditions:»",
    "#  Type             Status  LastHeartbeatTime  Reason",
    "  ----             ------  -----------------  ------",
    "  «MemoryPressure»   MemoryPressure is False   Wed, 01 Jan 2026   Fine: yes",
  ]);
  const custom =
    "Status:\n  Conditions:\n    Message:  all well\n    Status:   True\n    Type:     Ready\n    Message:  none\n    Status:   False\n    Type:     Stalled\n  Phase:      Running";
  expect(describedLines(custom)).toEqual([
    "«Status:»",
    "  «Conditions:»",
    "    «Message:»  Message=all well",
    "    «Status:»   Ready is True",
    "    «Type:»     «Ready»",
    "    «Message:»  Message=none",
    "    «Status:»   Stalled is False",
    "    «Type:»     «Stalled»",
    "  «Phase:»      Phase=Running",
  ]);
});

test("colours mark container names alike in a pod, in a template, and in a custom resource", () => {
  const pod = "Init Containers:\n  prepare:\n    Image:  a\nContainers:\n  web-1:\n    Environment:\n      key:  x";
  expect(describedLines(pod)).toEqual([
    "«Init Containers:»",
    "  #prepare:",
    "    «Image:»  Image=a",
    "«Containers:»",
    "  #web-1:",
    "    «Environment:»",
    "      key:  x",
  ]);
  const template = "Pod Template:\n  Containers:\n   web:\n    Image:  a\n  Volumes:  <none>";
  expect(describedLines(template)).toEqual([
    "«Pod Template:»",
    "  «Containers:»",
    "   #web:",
    "    «Image:»  Image=a",
    "  «Volumes:»  Volumes=<none>",
  ]);
  const custom = "Spec:\n  Containers:\n    Image:  a\n    Name:   web\n    Ports:\n      Container Port:  80";
  expect(describedLines(custom)).toEqual([
    "«Spec:»",
    "  «Containers:»",
    "    «Image:»  Image=a",
    "    «Name:»   #web",
    "    «Ports:»",
    "      «Container Port:»  Container Port=80",
  ]);
});

test.each<[string, string, string | undefined]>([
  ["Ready", "True", "good"],
  ["Ready", "False", "busy"],
  ["MemoryPressure", "False", "good"],
  ["MemoryPressure", "True", "bad"],
  ["Failed", "True", "bad"],
  ["Suspended", "True", "busy"],
  ["Ready", "Unknown", "busy"],
  ["Ready", "<none>", "muted"],
  ["", "True", undefined],
])("colours show the condition %s: %s as %s", (type, status, tone) => {
  expect(conditionTone(type, status)).toBe(tone);
});

test("colours in a diff mark lines of a hunk, also those that look like file names", () => {
  const text =
    "diff -u -N a b\n--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n--- was\n+++ is\n--- c\n\\ No newline at end of file\n";
  const mark =
    (sign: string) =>
    (line: string): string =>
      `${sign}${line}`;
  expect(paintDiff(text, { added: mark("A"), removed: mark("R"), place: mark("P"), file: mark("F") })).toBe(
    "Fdiff -u -N a b\nF--- a\nF+++ b\nP@@ -1,2 +1,2 @@\n same\nR--- was\nA+++ is\nF--- c\n\\ No newline at end of file\n",
  );
});

test.each<[string, string, number]>([
  ["ASCII", "web-1", 5],
  ["Chinese", "数据库", 6],
  ["Japanese in full and half width", "カｶ", 3],
  ["Korean", "한국", 4],
  ["Cyrillic", "ключ", 4],
  ["a mark on a letter", "e\u0301", 1],
  ["a picture", "🚀", 2],
  ["colours", "\u001b[31mred\u001b[39m", 3],
  ["a control character, which is shown as ^G", "\u0007", 2],
  ["one of C1, which is shown as \\x9b", "\u009b", 4],
])("the display width of a text counts %s by its columns", (_name, text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test.each<[string, number, string]>([
  ["fits", 4, "fits"],
  ["does not", 5, "does…"],
  ["数据库", 6, "数据库"],
  ["数据库", 5, "数据…"],
  ["数据库", 4, "数…"],
  ["x", 0, ""],
  ["\u001b[31mdoes not\u001b[39m end", 5, "\u001b[31mdoes…\u001b[39m"],
  ["\u0007\u0007bell", 4, "\u0007…"],
])("a text that %s is cut to %i columns", (text, columns, cut) => {
  expect(cutToWidth(text, columns)).toBe(cut);
});
