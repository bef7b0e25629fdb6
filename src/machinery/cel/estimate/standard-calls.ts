import {
  type CallEstimate,
  type EstimateCall,
  type EstimatedCall,
  ONE,
  product,
  type Range,
  scaled,
  sum,
} from "./call-estimate.js";

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;

/** One look at all of a text. */
const traversal = (size: Range): Range => scaled(size, PER_CHARACTER);

const sizesOf = (call: EstimatedCall): readonly [first: Range, second: Range] => [
  call.sizeOf(call.args[0]),
  call.sizeOf(call.args[1]),
];

function converted(size: Range, resultSize: Range): CallEstimate {
  return { cost: traversal(size), resultSize };
}

/** The shorter of the two decides. Of two values of which one may be empty the comparison may cost nothing. */
const comparison: EstimateCall = (call) => {
  const [a, b] = sizesOf(call);
  const max = Math.min(a.max, b.max);
  return { cost: traversal({ min: max > 0 ? 1 : 0, max }) };
};

const secondSize: EstimateCall = (call) => ({ cost: traversal(call.sizeOf(call.args[1])) });

const joined: EstimateCall = (call) => {
  const resultSize = sum(...sizesOf(call));
  return { cost: traversal(resultSize), resultSize };
};

/** The calls of the standard library that do not cost 1, by their overloads. Source: cel-go's checker/cost.go. */
export const STANDARD_ESTIMATES: ReadonlyMap<string, EstimateCall> = new Map<string, EstimateCall>([
  ["string_format", (call) => ({ cost: traversal(call.sizeOf(call.args[0])) })],
  [
    "string_to_bytes",
    (call) => {
      const size = call.sizeOf(call.args[0]);
      return converted(size, { min: size.min, max: size.max * 4 });
    },
  ],
  [
    "bytes_to_string",
    (call) => {
      const size = call.sizeOf(call.args[0]);
      return converted(size, { min: Math.floor(size.min / 4), max: size.max });
    },
  ],
  [
    "strings_quote",
    (call) => {
      const size = call.sizeOf(call.args[0]);
      return converted(size, { min: size.min + 2, max: size.max * 2 + 2 });
    },
  ],
  ["starts_with_string", secondSize],
  ["ends_with_string", secondSize],
  ["in_list", (call) => ({ cost: call.sizeOf(call.args[1]) })],
  [
    "matches_string",
    (call) => {
      const [text, pattern] = sizesOf(call);
      return { cost: product(traversal(sum(text, ONE)), scaled(pattern, PER_PATTERN_CHARACTER)) };
    },
  ],
  [
    "contains_string",
    (call) => {
      const [text, part] = sizesOf(call);
      return { cost: product(traversal(text), traversal(part)) };
    },
  ],
  ["add_string", joined],
  ["add_bytes", joined],
  ["add_list", (call) => ({ cost: ONE, resultSize: sum(...sizesOf(call)) })],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name): [string, EstimateCall][] => [
    [`${name}_string`, comparison],
    [`${name}_bytes`, comparison],
  ]),
  ["equals", comparison],
  ["not_equals", comparison],
]);
