import { own } from "../../base/collections/own.js";
import { parseGoDuration } from "../../base/text/go-literals.js";
import { type FieldError, invalidValue, notSupported, required, tooMany } from "../../machinery/errors/field-error.js";
import { parseQuantity, QuantityError } from "../../machinery/text/quantity/quantity.js";

type Check = (value: unknown, path: string) => readonly FieldError[];
type Fields = Readonly<Record<string, Check>>;

const HIGHEST_CODE = 255;
/** YAML can name a list any number of times: what is looked at is bounded, not the text. */
const MOST_CONTAINERS = 256;
const MOST_LINES = 2000;

/** Finds the faults of stages, with paths below `path`. */
export function validateStages(stages: unknown, path: string): readonly FieldError[] {
  if (!isObject(stages))
    return [invalidValue(path, stages, 'must be an object: container names, or "*", with their stages')];
  const names = Object.keys(stages);
  if (names.length > MOST_CONTAINERS) return [tooMany(path, names.length, MOST_CONTAINERS)];
  return Object.entries(stages).flatMap(([name, container]) => CONTAINER(container, `${path}.${name}`));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const struct =
  (fields: Fields, ...needed: readonly string[]): Check =>
  (value, path) => {
    if (!isObject(value)) return [invalidValue(path, value, "must be an object")];
    const missing = needed.filter((name) => value[name] === undefined).map((name) => required(`${path}.${name}`));
    const found = Object.entries(value).flatMap(([name, one]) => {
      const check = own(fields, name);
      return check === undefined ? [notSupported(path, name, Object.keys(fields))] : check(one, `${path}.${name}`);
    });
    return [...missing, ...found];
  };

const text: Check = (value, path) => (typeof value === "string" ? [] : [invalidValue(path, value, "must be a string")]);

const texts: Check = (value, path) => {
  if (!Array.isArray(value)) return [invalidValue(path, value, "must be a list of strings")];
  if (value.length > MOST_LINES) return [tooMany(path, value.length, MOST_LINES)];
  return value.flatMap((one, index) => text(one, `${path}[${index}]`));
};

const duration: Check = (value, path) => {
  const milliseconds = typeof value === "string" ? parseGoDuration(value) : undefined;
  if (milliseconds !== undefined && milliseconds >= 0) return [];
  return [invalidValue(path, value, 'must be a duration, such as "1m30s"')];
};

const period: Check = (value, path) => {
  const milliseconds = typeof value === "string" ? (parseGoDuration(value) ?? 0) : 0;
  return milliseconds >= 1 ? [] : [invalidValue(path, value, 'must be a duration of at least 1ms, such as "10s"')];
};

const durationOrNever: Check = (value, path) => {
  if (value === "never" || duration(value, path).length === 0) return [];
  return [invalidValue(path, value, 'must be a duration, such as "1m30s", or "never"')];
};

const integer =
  (least: number, most: number): Check =>
  (value, path) => {
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return [];
    const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
    return [invalidValue(path, value, `must be an integer ${range}`)];
  };

const quantity: Check = (value, path) => {
  try {
    if (typeof value === "string" && parseQuantity(value).unscaled >= 0n) return [];
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
  }
  return [invalidValue(path, value, 'must be a quantity, such as "250m" or "64Mi"')];
};

const EXIT: Fields = { after: duration, code: integer(0, HIGHEST_CODE), reason: text, message: text };

const CONTAINER = struct({
  startDelay: duration,
  pullFailure: struct({ for: duration, message: text }),
  startFailure: struct({ runs: integer(0, Infinity), message: text }),
  crashes: struct({ ...EXIT, runs: integer(0, Infinity) }, "runs"),
  exit: struct(EXIT),
  readyAfter: durationOrNever,
  stopDelay: durationOrNever,
  usage: struct({ cpu: quantity, memory: quantity, "ephemeral-storage": quantity }),
  logs: texts,
  logEvery: struct({ period, line: text }, "period", "line"),
  exec: struct({ stdout: text, stderr: text, code: integer(0, HIGHEST_CODE) }),
});
