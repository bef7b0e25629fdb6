import { describe, expect, test } from "vitest";
import { AccessDecisions } from "../../../../src/machinery/cel/kubernetes/access.js";
import { AUTHORIZER_TYPE, AuthorizerValue } from "../../../../src/machinery/cel/kubernetes/authorizer.js";
import { kubernetesEnvironment, KUBERNETES_PROGRAM } from "../../../../src/machinery/cel/kubernetes/environment.js";
import type { Evaluation } from "../../../../src/machinery/cel/program.js";
import { INT, listType, STRING } from "../../../../src/machinery/cel/types/type.js";

const environment = kubernetesEnvironment().extend({
  variables: [
    { name: "authorizer", type: AUTHORIZER_TYPE },
    { name: "text", type: STRING },
    { name: "texts", type: listType(STRING) },
    { name: "ints", type: listType(INT) },
  ],
});

const authorizer = new AuthorizerValue({ name: "ann", groups: [] }, new AccessDecisions(() => ({ decision: "allow" })));

/** About as long as rules may take: 30 milliseconds. */
const stepLimit = 1_000_000;

function evaluate(expression: string, text: string): Evaluation {
  const { ast } = environment.compile(expression);
  const texts = Array.from({ length: 1000 }, () => text);
  const ints = Array.from({ length: 30_000 }, (_, index) => index);
  return environment.program(ast!, { ...KUBERNETES_PROGRAM, stepLimit }).evaluate({ authorizer, text, texts, ints });
}

const LONG = 100_000;

/** Calls whose cost says little of the work that they are. */
const WORK: readonly (readonly [what: string, expression: string, text: string])[] = [
  ["a pattern that reads on behind each of its matches", "text.findAll('a.*b|a').size() > 0", "a".repeat(20_000)],
  ["nested repetitions with an alternative", "text.findAll('(a+)+b|a').size() > 0", "a".repeat(20_000)],
  [
    "URLs whose hosts are asked for",
    "[url(text)].all(u, ints.all(i, u.getHostname() != ''))",
    `http://${"h".repeat(LONG)}/`,
  ],
  [
    "long URLs that are compared",
    "[url(text)].all(u, [url(text)].all(v, ints.all(i, u == v)))",
    `/${"p".repeat(LONG)}`,
  ],
  ["queries", "[url(text)].all(u, ints.all(i, u.getQuery().size() > 0))", `/p?${"a=b&".repeat(5000)}`],
  ["numbers of ten thousand digits", "[quantity('1e9999')].all(q, ints.all(i, q.compareTo(quantity('1')) > 0))", ""],
  ["sums of such numbers", "[quantity('1e9999')].all(q, ints.all(i, !q.add(1).isInteger()))", ""],
  ["numbers of ten thousand digits that are read", "texts.all(t, isQuantity(t))", "1e9999"],
  [
    "versions with many identifiers",
    "[semver(text)].all(v, ints.all(i, v.compareTo(v) == 0))",
    `1.0.0-${Array.from({ length: 10_000 }, () => "a").join(".")}`,
  ],
  ["long names of service accounts", "ints.all(i, authorizer.serviceAccount(text, text) != null)", "a".repeat(LONG)],
  ["long texts that are addresses", "texts.all(t, !isIP(t))", `::${"1".repeat(LONG)}`],
  ["long texts that have formats", "texts.all(t, format.labelValue().validate(t).hasValue())", "a".repeat(LONG)],
  ["lists that are searched", "ints.all(i, ints.indexOf(-1) < 0)", ""],
];

describe("evaluating Kubernetes' CEL functions is bounded:", () => {
  test.each(WORK)("%s end an evaluation", (_, expression, text) => {
    const { ended, value } = evaluate(expression, text);
    expect(ended).toBeOneOf(["steps", "cost"]);
    expect(value).toMatchObject({ message: expect.stringMatching(/^operation (interrupted|cancelled)/) });
  });

  test.each([
    ["every character of a long text matches", "text.findAll('.').size() == 10000", "a".repeat(10_000)],
    ["words are found", "text.findAll('[a-z]+').size() == 5000", "ab ".repeat(5000)],
    ["a word is found at the end", "text.find('x+$') == 'x'", `${"a".repeat(LONG)}x`],
    ["a long URL is read", "url(text).getHost() == 'h'", `http://h/${"p".repeat(LONG)}`],
    ["quantities are added", "ints.map(i, i < 10000, quantity('1Gi').add(i)).size() == 10000", ""],
    ["many elements are summed", "ints.sum() == 449985000 && ints.isSorted() && ints.max() == 29999", ""],
  ])("%s stays within the limits", (_, expression, text) => {
    expect(evaluate(expression, text).value).toBe(true);
  });
});
