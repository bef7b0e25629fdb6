import { RE2JS } from "re2js";
import { codePoints } from "../evaluator/cost.js";
import { ConstantError, type FunctionDeclaration, type Overload } from "../functions/declaration.js";
import { BOOL, BYTES, INT, listType, mapType, STRING, type Type, typeParameter } from "../types/type.js";
import { spendSteps } from "../values/meter.js";
import { CelValue, ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";

/** Compiles a pattern of RE2, whose matching takes time in proportion to text and pattern. Throws what RE2 says of a bad one. */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}

/** Go's words for a pattern that is none. */
export function patternFault(pattern: string, error: unknown): string {
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  return `error parsing regexp: ${reason.includes("`") ? reason : `${reason}: \`${pattern}\``}`;
}

function matches(text: string, pattern: string): Value {
  spendSteps(PATTERN_STEPS + pattern.length);
  try {
    return find(compilePattern(pattern), text, pattern);
  } catch (error) {
    return new ErrorValue(patternFault(pattern, error));
  }
}

/** What it takes to compile a pattern, beside its length. */
const PATTERN_STEPS = 50;

function find(compiled: RE2JS, text: string, pattern: string): boolean {
  spendSteps((text.length * pattern.length) / 8);
  return compiled.matcher(text).find();
}

function constantPattern([, pattern]: readonly (Value | undefined)[]): Overload["call"] | undefined {
  if (typeof pattern !== "string") return undefined;
  try {
    const compiled = compilePattern(pattern);
    return (text: Value): Value => (typeof text === "string" ? find(compiled, text, pattern) : NO_SUCH_OVERLOAD);
  } catch (error) {
    throw new ConstantError(patternFault(pattern, error));
  }
}

function stringTest(name: string, id: string, test: (text: string, part: string) => boolean): FunctionDeclaration {
  const call = (text: string, part: string): Value => {
    spendSteps(text.length / 64);
    return test(text, part);
  };
  return { name, overloads: [{ id, args: [STRING, STRING], result: BOOL, member: true, call }] };
}

/** The size of everything that has one. */
export function size(value: Value): Value {
  if (typeof value === "string") {
    spendSteps(value.length / 64);
    return codePoints(value);
  }
  if (value instanceof Uint8Array) return value.length;
  return (value instanceof CelValue ? value.size : undefined) ?? NO_SUCH_OVERLOAD;
}

const SIZED: readonly (readonly [string, Type])[] = [
  ["bytes", BYTES],
  ["list", listType(typeParameter("A"))],
  ["map", mapType(typeParameter("A"), typeParameter("B"))],
  ["string", STRING],
];

export const STRINGS: readonly FunctionDeclaration[] = [
  {
    name: "size",
    overloads: SIZED.flatMap(([name, type]): Overload[] => [
      { id: `size_${name}`, args: [type], result: INT, call: size },
      { id: `${name}_size`, args: [type], result: INT, member: true, call: size },
    ]),
  },
  stringTest("contains", "contains_string", (text, part) => text.includes(part)),
  stringTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
  stringTest("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  {
    name: "matches",
    overloads: [
      { id: "matches", args: [STRING, STRING], result: BOOL, call: matches, specialize: constantPattern },
      {
        id: "matches_string",
        args: [STRING, STRING],
        result: BOOL,
        member: true,
        call: matches,
        specialize: constantPattern,
      },
    ],
  },
];
