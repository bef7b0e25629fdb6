import { releaseOf } from "../../../src/api/facts/index.js";
import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PodTemplateSpec } from "../../../src/api/types/core/v1.js";
import { goDump } from "../../../src/controllers/template-hash/go-dump.js";
import { podTemplateHash, revisionHash } from "../../../src/controllers/template-hash/template-hash.js";
import { canonicalizeQuantity } from "../../../src/machinery/text/quantity/quantity.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";
import { arbitraryOf, filledObject } from "../../helpers/arbitrary-object.js";

// The program is of Kubernetes 1.36.
const release = await releaseOf("1.36");

const { foreignClient } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: "go-hashes") => { readonly command?: readonly string[]; readonly missing?: string };
};
const { command, missing } = foreignClient("go-hashes");
if (missing !== undefined) process.stdout.write(`Kubernetes' own hashes are skipped: ${missing}\n`);

interface Question {
  readonly template?: PodTemplateSpec;
  readonly data?: string;
  readonly collisionCount?: number;
}

/** What the program answers to each. */
function ask(questions: readonly Question[], ...args: readonly string[]): string[] {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const output = execFileSync(command?.[0] ?? "", args, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  return output.trimEnd().split("\n");
}

const schema = release.definitions.structOf("io.k8s.api.core.v1.PodTemplateSpec") as StructSchema;
/** A template has neither times nor managed fields. */
const omit = ({ name }: { readonly name: string }): boolean => /Timestamp$|^managedFields$/.test(name);
const sample = (count: number, seed: number): PodTemplateSpec[] =>
  fc.sample(arbitraryOf(schema, { omit }), { numRuns: count, seed }) as PodTemplateSpec[];

describe.skipIf(command === undefined)("hashes of k8s.io/api 0.36, run in Go, and ours", () => {
  test("start from the same dump of a template with every field", () => {
    const template = filledObject(schema, 1, { omit }) as PodTemplateSpec;
    const [dumped = ""] = ask([{ template }], "dump");
    expect(goDump(schema, template)).toBe(dumped);
  });

  test("are equal for 2,000 templates", () => {
    const questions = sample(2000, 7).map((template, index) => ({
      template,
      ...(index % 3 > 0 && { collisionCount: index % 3 === 1 ? 0 : index }),
    }));
    const ours = questions.map(({ template, collisionCount }) => podTemplateHash(template, collisionCount, release));
    const theirs = ask(questions);
    const different = questions.filter((_, index) => !isDeepStrictEqual(ours[index], theirs[index]));
    expect(different.slice(0, 1)).toEqual([]);
  });

  test("are equal for a template with a quantity of every size and suffix", () => {
    const texts = [
      "0",
      "1",
      "100m",
      "1500m",
      "64Mi",
      "8Gi",
      "10Ti",
      "100Ti",
      "8Ei",
      "1k",
      "1e3",
      "12E",
      "1n",
      "-5",
      "3.5",
    ];
    const questions = texts.map((text) => ({
      template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: canonicalizeQuantity(text) } } }] } },
    }));
    expect(questions.map(({ template }) => podTemplateHash(template, undefined, release))).toEqual(ask(questions));
  });

  test("are equal for ControllerRevisions", () => {
    const questions = sample(50, 8).map((template, collisionCount) => ({
      data: JSON.stringify(template),
      ...(collisionCount > 0 && { collisionCount }),
    }));
    expect(questions.map(({ data, collisionCount }) => revisionHash(data, collisionCount))).toEqual(ask(questions));
  });
});
