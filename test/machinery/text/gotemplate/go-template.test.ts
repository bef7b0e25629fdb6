import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../../src/base/text/byte-text.js";
import { decodeJson } from "../../../../src/machinery/wire/json/json-decoder.js";
import { GoTemplate } from "../../../../src/machinery/text/gotemplate/go-template.js";
import { formatNodes } from "../../../../src/machinery/text/gotemplate/nodes.js";
import { parseTemplate } from "../../../../src/machinery/text/gotemplate/parser.js";
import type { JsonObject } from "../../../../src/machinery/meta/json.js";

interface Case {
  readonly template: string;
  /** What is printed, before an error too. */
  readonly output?: string;
  /** The same in hexadecimal, of output that is not UTF-8. */
  readonly outputHex?: string;
  readonly parseError?: string;
  readonly error?: string;
}

function testdata(name: string): string {
  return readFileSync(new URL(`../../../testdata/gotemplate/${name}`, import.meta.url), "utf8");
}

// What kubectl 1.36.3 prints and says: patch --local -f object.json --type=merge -p '{}' -o go-template=TEMPLATE.
const object = decodeJson(testdata("object.json")).value as JsonObject;
const cases = JSON.parse(testdata("kubectl.json")) as Case[];
const strict = JSON.parse(testdata("kubectl-strict.json")) as Case[];

/** What a template does, as a case has it. */
function run(template: string, missingKeyIsError = false): Case {
  let parsed: GoTemplate;
  try {
    parsed = new GoTemplate(template, { missingKeyIsError });
  } catch (error) {
    return { template, parseError: (error as Error).message };
  }
  let output = "";
  try {
    parsed.execute(object, (text) => {
      output += text;
    });
  } catch (error) {
    return { template, output, error: (error as Error).message };
  }
  const bytes = Buffer.from(bytesOf(output));
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { template, output: text } : { template, outputHex: bytes.toString("hex") };
}

describe("a Go template", () => {
  it.each(cases)("prints or fails as kubectl's: $template", (row) => {
    expect(run(row.template)).toEqual(row);
  });

  it.each(strict)("prints or fails as kubectl's with --allow-missing-template-keys=false: $template", (row) => {
    expect(run(row.template, true)).toEqual(row);
  });

  it.each(cases.filter(({ parseError }) => parseError === undefined))(
    "is the same after printing and parsing: $template",
    ({ template }) => {
      const options = { name: "output", hasFunction: () => true };
      for (const nodes of parseTemplate(template, options).values()) {
        const printed = formatNodes(nodes);
        const again = parseTemplate(printed, options).get("output") ?? [];
        expect(formatNodes(again)).toBe(printed);
      }
    },
  );
});
