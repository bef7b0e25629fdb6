import type { Dice } from "../dice.js";
import {
  ANY_REFUSAL_OR_SUCCESS,
  APPLY_PATCH,
  type HostileRequest,
  type Hostility,
  typed,
  YAML_TYPE,
} from "../hostility.js";
import { mutateBytes } from "../mutate.js";
import { MAPS } from "../targets.js";

const HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: standing}\n";

/** Documents that grow when their aliases are followed: nine to the power of `levels`. */
function bomb(dice: Dice): string {
  const levels = 6 + dice.below(6);
  const width = 9 + dice.below(8);
  const map = dice.chance(0.4);
  const start = map ? "a0: &a0 {k: v}" : `a0: &a0 [${"x,".repeat(width)}]`;
  const lines = [start];
  for (let level = 1; level <= levels; level++) {
    const before = `*a${level - 1}`;
    const items = Array.from({ length: width }, (_, index) => (map ? `k${index}: ${before}` : before)).join(", ");
    lines.push(`a${level}: &a${level} ${map ? `{${items}}` : `[${items}]`}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The same by merge keys. */
function mergeBomb(dice: Dice): string {
  const levels = 5 + dice.below(3);
  const lines = [`a0: &a0 {${Array.from({ length: 20 }, (_, index) => `k${index}: v`).join(", ")}}`];
  for (let level = 1; level <= levels; level++) {
    lines.push(`a${level}: &a${level}\n  <<: [${Array.from({ length: 12 }, () => `*a${level - 1}`).join(", ")}]`);
  }
  return `${lines.join("\n")}\n`;
}

function send(dice: Dice, body: string | Uint8Array, expected: readonly number[]): HostileRequest {
  const [method, path, type] = dice.pick([
    ["POST", `${MAPS}?dryRun=All`, YAML_TYPE],
    ["PUT", `${MAPS}/standing?dryRun=All`, YAML_TYPE],
    ["PATCH", `${MAPS}/standing?dryRun=All&fieldManager=hostile`, APPLY_PATCH],
  ] as const);
  return { method, path, headers: typed(type), body, expected };
}

export const aliasBombs: Hostility = {
  name: "YAML alias bombs",
  share: 250,
  make: (dice) => send(dice, HEAD + (dice.chance(0.75) ? bomb(dice) : mergeBomb(dice)), [400]),
};

const BROKEN: readonly string[] = [
  "a: *nobody\n",
  "a: &a [*a]\n",
  "a: &a {b: *a}\n",
  "a: &a\n  <<: *a\n",
  "a: {<<: 1}\n",
  "a: {<<: [1]}\n",
  "a: [1\n",
  "a: {b: 1\n",
  'a: "b\n',
  "a: 'b\n",
  "a:\n\t- b\n",
  "a: b: c\n",
  "- a\nb: c\n",
  "a: !!int x\n",
  "a: !!float x\n",
  "a: !!bool x\n",
  "a: !!binary '!'\n",
  "a: .nan\n",
  "a: .inf\n",
  "? [a]\n: b\n",
  "? {a: b}\n: c\n",
  "%YAML 9.9\n---\na: b\n",
  "%YAML 1.1\n%YAML 1.1\n---\na: b\n",
  "@a\n",
  "`a\n",
  "a: |9z\n",
  'a: "\\q"\n',
  'a: "\\xZZ"\n',
  "a: \u0001\n",
  "a: &\n",
  "a: *\n",
  "a: !<\n",
  "--- a\n... b\n",
];

/** YAML that is none, or that JSON cannot say. */
export const brokenYaml: Hostility = {
  name: "YAML that is none",
  share: 300,
  make: (dice) => send(dice, dice.pick(BROKEN), [400]),
};

const ODD: readonly string[] = [
  "a: !!python/object/apply:os.system ['ls']\n",
  "a: !<tag:example.com,2026:x> b\n",
  "a: !local {b: c}\n",
  "a: !!set {x, y}\n",
  "a: !!omap [x: 1]\n",
  "a: !!binary AAEC\n",
  "a: !!timestamp 2026-01-02\n",
  "data: {a: yes}\n",
  "data: {a: 0o17}\n",
  "data: {a: 1_000}\n",
  "data: {1: a, 0x2: b, .5: c, true: d}\n",
  "data: {~: a}\n",
  "---\n---\n---\na: b\n",
  "a: b\n---\n*nobody\n",
  "a: b\n...\n@\n",
  "? a\n",
  "a: >+2\n   b\n  c\n",
  "a: |-\n\n\n",
  "<<: {data: {x: y}}\n",
  "data: &d {x: y}\nbinaryData: *d\n",
  "\ufeffdata: {x: y}\n",
  "# nothing\n",
  "",
  "null\n",
  "{}\n",
  "[]\n",
  "a\n",
  `${"- ".repeat(900)}a\n`,
  `${"{a: ".repeat(900)}1${"}".repeat(900)}\n`,
  `a: ${"'".repeat(20_001)}\n`,
  `${"&a ".repeat(3)}b\n`,
  `a: ${"!".repeat(20_000)}\n`,
  `a: ${"#".repeat(20_000)}\n`,
  `${"a".repeat(20_000)}: b\n`,
  `? ${"a".repeat(20_000)}\n: b\n`,
  `a: "${"\\u0041".repeat(5000)}"\n`,
  `a: ${" ".repeat(20_000)}b\n`,
  `a: |\n${" \n".repeat(10_000)}`,
  `${"a:\n".repeat(2000)}`,
  `[${"a,".repeat(10_000)}]\n`,
  `{${"a: *b,".repeat(1000)}}\n`,
  `${"---\n".repeat(5000)}`,
];

/** Tags, documents, merge keys, and what a parser may spend itself on. */
export const oddYaml: Hostility = {
  name: "odd YAML",
  share: 300,
  make(dice) {
    const text = (dice.chance(0.5) ? HEAD : "") + dice.pick(ODD);
    return send(
      dice,
      dice.chance(0.5) ? text : mutateBytes(Buffer.from(text.slice(0, 5000)), dice),
      ANY_REFUSAL_OR_SUCCESS,
    );
  },
};
