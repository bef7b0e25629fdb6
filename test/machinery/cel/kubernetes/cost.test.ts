import { describe, expect, test } from "vitest";
import { estimateCost } from "../../../../src/machinery/cel/estimate/estimator.js";
import { MOST, type Range } from "../../../../src/machinery/cel/estimate/call-estimate.js";
import { AccessDecisions } from "../../../../src/machinery/cel/kubernetes/access.js";
import { AUTHORIZER_TYPE, AuthorizerValue } from "../../../../src/machinery/cel/kubernetes/authorizer.js";
import { estimateKubernetesCall } from "../../../../src/machinery/cel/kubernetes/call-estimate.js";
import { kubernetesEnvironment, KUBERNETES_PROGRAM } from "../../../../src/machinery/cel/kubernetes/environment.js";
import { JSON_PATCH } from "../../../../src/machinery/cel/kubernetes/mutation-types.js";
import { DYN, listType, STRING } from "../../../../src/machinery/cel/types/type.js";
import { ErrorValue } from "../../../../src/machinery/cel/values/value.js";

const environment = kubernetesEnvironment("1.37").extend({
  libraries: [JSON_PATCH],
  variables: [
    { name: "authorizer", type: AUTHORIZER_TYPE },
    { name: "text", type: STRING },
    { name: "list", type: listType(STRING) },
    { name: "any", type: DYN },
  ],
});

const decisions = new AccessDecisions(() => ({ decision: "allow" }));
const BINDINGS = {
  authorizer: new AuthorizerValue({ name: "ann", groups: [] }, decisions),
  text: "t".repeat(50),
  list: ["012345678901", "012345678901"],
  any: "0123456789",
};

/** `text` is at most 100 characters, `list` at most 20 elements of 30. */
const SIZES: Readonly<Record<string, Range>> = {
  text: { min: 0, max: 100 },
  list: { min: 0, max: 20 },
  "list.@items": { min: 0, max: 30 },
};

type Row = readonly [text: string, estimate: number | readonly [number, number], cost: number];

const INTS = "[1, 2, 3, 4, 5]";
const TEXTS = "['012345678901', '012345678901', '012345678901', '012345678901', '012345678901']";
const LONG = "'01234567890123456789012345678901234567890123456789'";
const SELECTOR = "'spec.nodeName=example-node-name.fully.qualified.domain.name.example.com'";
const [V4, V6] = ["cidr('192.168.0.0/16')", "cidr('2001:db8::/32')"];

/**
 * What Kubernetes estimates at the creation of a rule, and charges when it runs. Literals of lists are estimated at 10 and charged at
 * nothing, because they are made once, like durations and timestamps that are read from literals.
 */
const COSTS: readonly Row[] = [
  [`${INTS}.sum()`, 15, 5],
  [`${INTS}.isSorted()`, 15, 5],
  [`${INTS}.min()`, 15, 5],
  [`${TEXTS}.max()`, [15, MOST / 2], 5],
  ["[1.0, 2.0].sum()", 12, 2],
  ["[duration('1s'), duration('2s')].sum()", 14, 2],
  ["[b'012345678901'].isSorted()", [11, MOST / 10], 1],
  ["[[1, 2], [3]].indexOf([3])", 42, 3],
  ["[{'a': 1}].indexOf({'b': 1})", 71, 1],
  [`${INTS}.indexOf(3)`, 15, 5],
  [`${TEXTS}.lastIndexOf('x')`, [15, MOST / 2], 5],
  [`${LONG}.indexOf('123')`, 5, 5],
  // K37-241
  [`${INTS}.includes(3)`, 15, 5],
  [`${TEXTS}.includes('x')`, [15, MOST / 2], 5],
  [`${LONG}.includes('123')`, 50, 5],
  ["'abc'.indexOf('b')", 1, 0],
  ["list.isSorted()", [1, 81], 3],
  ["text.lastIndexOf('t')", [1, 11], 6],
  ["url('https:://kubernetes.io/').getScheme()", 4, 4],
  ["url('https:://kubernetes.io/').getQuery()", 4, 4],
  ["url('https:://kubernetes.io/') == url('https:://kubernetes.io/')", [7, 9], 7],
  ["url('https:://kubernetes.io/') == url('http://x.b')", 5, 5],
  ["isURL('https:://kubernetes.io/')", 1, 1],
  ["ip('192.168.0.1')", 2, 2],
  ["ip('192.168.0.1').family()", 3, 3],
  ["ip('192.168.0.1').isGlobalUnicast()", 3, 3],
  ["ip('192.168.0.1') == ip('192.168.0.1')", 5, 5],
  ["ip('2001:db8:3333:4444:5555:6666:7777:8888')", 4, 4],
  ["ip('2001:db8:3333:4444:5555:6666:7777:8888') == ip('192.168.0.1')", 7, 7],
  ["string(ip('192.168.0.1'))", 3, 3],
  ["isIP('192.168.0.1')", 2, 2],
  ["ip.isCanonical('192.168.0.1')", 3, 3],
  ["ip.isCanonical('2001:db8:3333:4444:5555:6666:7777:8888')", 8, 8],
  [V4, 2, 2],
  [`${V4}.ip()`, 3, 3],
  [`${V4}.masked()`, 3, 3],
  [`${V4}.prefixLength()`, 3, 3],
  [`${V4} == ${V6}`, 5, 5],
  [`${V4}.containsCIDR(cidr('192.0.0.0/30'))`, [7, 11], 7],
  [`${V4}.containsCIDR('192.0.0.0/30')`, [7, 11], 7],
  [`${V4}.containsIP(ip('192.0.0.1'))`, [4, 7], 4],
  [`${V4}.containsIP(ip('192.169.0.1'))`, [5, 8], 5],
  [`${V4}.containsIP('192.0.0.1')`, [4, 7], 4],
  [`${V6}.containsCIDR(cidr('2001:db8::/126'))`, [7, 11], 7],
  [`${V6}.containsCIDR('2001:db8::/32')`, [7, 11], 7],
  [`${V6}.containsIP('2001:db8::1')`, [5, 8], 5],
  ["isCIDR('192.168.0.0/16')", 2, 2],
  ["'abc'.lowerAscii()", 1, 1],
  ["text.upperAscii()", [1, 11], 6],
  ["text.trim().substring(1)", [1, 21], 11],
  ["'abc 123 def 123'.split(' ')", 3, 3],
  ["'abc 123 def 123'.split(' ', 1)", 3, 3],
  ["'abc 123 def 123'.replace('123', 'x')", 3, 3],
  ["['aa', 'bb', 'cc'].join(' ')", [11, MOST / 10], 2],
  ["'abc 123 def 123'.split(' ').join('')", [3, MOST / 10], 6],
  ["'abc 123'.find('[0-9]+')", 2, 2],
  ["'abc 123 def 123'.findAll('[0-9]*')", 4, 4],
  ["'abc 123 def 123'.findAll('[0-9]*', 1)", 4, 4],
  ["text.find('[0-9]+')", [3, 23], 13],
  ["text.find(text)", [2, 277], 80],
  ["quantity('12Mi')", 1, 1],
  ["isQuantity('20M')", 1, 1],
  ["quantity('200M') == quantity('200M')", 3, 3],
  ["quantity('200M') == quantity('0.2G') && quantity('0.2G') == quantity('200M')", [3, 6], 6],
  ["quantity('50M').isLessThan(quantity('50Mi'))", 3, 3],
  ["quantity('200M').compareTo(quantity('0.2G')) > 0", 4, 4],
  ["quantity('50k').add(quantity('20')) == quantity('50.02k')", 5, 5],
  ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000).asInteger() > 0", 7, 7],
  ["quantity('50').isInteger()", 2, 2],
  ["quantity('50.703k').asApproximateFloat() > 0.0", 3, 3],
  ["sign(quantity('50'))", 2, 2],
  ["semver('1.2.3')", 1, 1],
  ["semver('v1.2.3', true).major()", 2, 2],
  ["isSemver('1.2.3')", 1, 1],
  ["semver('1.2.3') == semver('1.2.3')", 3, 3],
  ["semver('1.0.0').isLessThan(semver('1.2.3'))", 3, 3],
  ["format.named('dns1123subdomain')", 1, 1],
  ["format.named('dns1123Subdomain').value().validate('my-name')", 34, 17],
  ["format.dns1123Label().validate('my-name')", 33, 9],
  ["format.uuid() == format.uuid()", [3, 9], 3],
  ["sets.contains([1], [1, 1])", 23, 3],
  ["sets.equivalent([1, 2], [1])", 25, 5],
  ["[3, 1, 2].sort()", 39, 29],
  ["authorizer.path('/healthz')", 2, 2],
  ["authorizer.group('apps').resource('deployments').subresource('status').namespace('test').name('backend')", 6, 6],
  [`authorizer.group('').resource('pods').fieldSelector(${SELECTOR})`, 1821, 1821],
  [`authorizer.group('').resource('pods').labelSelector(${SELECTOR})`, 1821, 1821],
  ["authorizer.path('/healthz').check('get').allowed()", 350_003, 350_003],
  ["authorizer.group('apps').resource('deployments').check('create').reason()", 350_004, 350_004],
  ["authorizer.serviceAccount('a', 'b').path('/').check('get').errored()", 350_004, 350_004],
  ["jsonpatch.escapeKey('/metadata/labels')", 2, 2],
  ["list.join(', ')", [1, 65], 7],
  // A text of which nothing is known may be of any size.
  ["isIP(any)", [1, MOST / 10], 2],
];

function estimateOf(text: string): Range {
  const { ast } = environment.compile(text);
  return estimateCost(ast!, environment, {
    presenceTestHasCost: false,
    sizeAt: (path) => SIZES[path.join(".")],
    estimateCall: estimateKubernetesCall,
  });
}

describe("the cost of Kubernetes' CEL functions", () => {
  test.each(COSTS)("for %s is estimated at %j and is %j", (text, estimate, cost) => {
    const [min, max] = typeof estimate === "number" ? [estimate, estimate] : estimate;
    expect(estimateOf(text)).toEqual({ min, max });
    const { ast } = environment.compile(text);
    const evaluation = environment.program(ast!, KUBERNETES_PROGRAM).evaluate(BINDINGS);
    expect(evaluation.value).not.toBeInstanceOf(ErrorValue);
    expect(evaluation.cost).toBe(cost);
  });
});
