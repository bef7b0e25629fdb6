import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseYaml, readYaml } from "../../../../src/machinery/text/yaml/read.js";
import { realTool } from "../../../helpers/real-tools.js";

// kubectl reads its preferences strictly, and says which keys a file sets twice: what it says is what we must say.

const PREFERENCE = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";

const documents: readonly (readonly [string, string])[] = [
  ["none", "x:\n  a: 1\n  b: 1\n"],
  ["a key at the top", "x: 1\nx: 2\n"],
  ["a key below", "x:\n  a: 1\n  b: 2\n  a: 3\n"],
  ["a key three times", "x:\n  a: 1\n  a: 2\n  a: 3\n"],
  ["a key in each item of a list", "x:\n- a: 1\n  a: 2\n- a: 3\n  a: 4\n"],
  ["one key in two maps", "x:\n  a: 1\ny:\n  a: 1\n"],
  ["a value that is a map", "x:\n  a: 1\n  a:\n    b: 2\n"],
  ["a value that is a list", "x:\n  a: 1\n  a:\n  - b\n"],
  ["a value that is left out", "x:\n  a: 1\n  a:\n  b: 1\n"],
  ["a value that is left out at the end", "x:\n  a: 1\n  a:"],
  ["a value that is a block", "x:\n  a: 1\n  a: |\n    text\n"],
  ["a value that begins on the next line", "x:\n  a: 1\n  a:\n    text\n"],
  ["a value with an anchor before it", "x:\n  a: 1\n  a: &n\n    text\n"],
  ["a value with a tag before it", "x:\n  a: 1\n  a: !!str\n    text\n"],
  ["an explicit key", "x:\n  ? a\n  : 1\n  ? a\n  :\n    2\n"],
  ["keys in quotes", "x:\n  a: 1\n  \"a\": 2\n  'a': 3\n"],
  ["a key with what Go escapes", 'x:\n  "a\\n\\"b": 1\n  "a\\n\\"b": 2\n'],
  ["a flow map", "x: {a: 1, a: 2}\n"],
  ["a flow map over lines", "x: {a: 1,\n  a:\n  2}\n"],
  ["a flow map without values", "x: {a, a}\n"],
  ["numbers", "x:\n  1: a\n  1: b\n"],
  ["a number and a text", 'x:\n  1: a\n  "1": b\n'],
  ["fractions", "x:\n  1.5: a\n  1.5: b\n"],
  ["true and true otherwise written", "x:\n  true: a\n  yes: b\n"],
  ["an alias counts again", "x: &x\n  a: 1\n  a: 2\ny: *x\n"],
  ["a merge after its key", "x: &x\n  a: 1\ny:\n  a: 2\n  <<: *x\n"],
  ["a merge before its key", "x: &x\n  a: 1\ny:\n  <<: *x\n  a: 2\n"],
  ["a merge of several", "x:\n  <<: [{b: 1}, {b: 2}]\n  b: 3\n"],
];

const CLEAN = new Set(["none", "one key in two maps", "a number and a text"]);

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl is not asked for repeated keys: ${kubectl.missing}\n`);

async function theirs(text: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "kubets-kuberc-"));
  try {
    const file = join(folder, "kuberc");
    await writeFile(file, text);
    const env = { HOME: folder, KUBECONFIG: "/dev/null", PATH: "/usr/bin:/bin" };
    const said = await new Promise<string>((resolve) => {
      execFile(kubectl.path, [`--kuberc=${file}`, "version", "--client"], { env }, (_, stdout, stderr) =>
        resolve(`${stdout}${stderr}`),
      );
    });
    return [...said.matchAll(/^ {2}(line \d+: key .* already set in map)/gm)].map(([, line]) => line as string);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf(kubectl.missing !== undefined)("repeated YAML keys are reported as kubectl reports them", () => {
  test.concurrent.for(documents)("%s", async ([name, document], { expect: expectHere }) => {
    const text = PREFERENCE + document;
    const said = await theirs(text);
    expectHere(readYaml(text).repeated).toEqual(said);
    expectHere(said.length > 0).toBe(!CLEAN.has(name));
  });
});

test.each(documents)(
  "YAML with repeated keys has the same value whether they are reported or not: %s",
  (_, document) => {
    expect(readYaml(document).value).toEqual(parseYaml(document));
  },
);
