/** A literal, or a name, that is written on one line. */
interface Atom {
  readonly form: "atom";
  readonly text: string;
}

/** A string, which may be split behind its line breaks where it is the value of a property. */
interface TextCode {
  readonly form: "text";
  readonly value: string;
}

interface ObjectCode {
  readonly form: "object";
  readonly entries: readonly (readonly [key: string, value: Code])[];
  /** The printer gives each property its own line, even where one line could hold all. */
  readonly isOpen: boolean;
}

interface ArrayCode {
  readonly form: "array";
  readonly items: readonly Code[];
}

interface CallCode {
  readonly form: "call";
  readonly name: string;
  readonly args: readonly Code[];
}

/** An expression of TypeScript. */
export type Code = Atom | TextCode | ObjectCode | ArrayCode | CallCode;

export const atom = (text: string): Code => ({ form: "atom", text });
export const textCode = (value: string): Code => ({ form: "text", value });
export const callCode = (name: string, ...args: readonly Code[]): Code => ({ form: "call", name, args });
export const objectCode = (entries: ObjectCode["entries"], isOpen = false): Code => ({
  form: "object",
  entries,
  isOpen,
});

/** The literal of a JSON value. */
export function jsonCode(value: unknown): Code {
  if (typeof value === "string") return textCode(value);
  if (typeof value === "bigint") return atom(`${value}n`);
  if (typeof value === "number") return atom(String(value).replace("e+", "e"));
  if (Array.isArray(value)) return { form: "array", items: value.map(jsonCode) };
  if (typeof value !== "object" || value === null) return atom(String(value));
  return objectCode(Object.entries(value).map(([key, held]) => [key, jsonCode(held)]));
}

const WIDTH = 80;
const INDENT = "  ";
/** The printer leaves a string behind a key that is shorter than this: a new line would win little. */
const SHORT_KEY = 5;

/** A declaration, "export const widgets = ...;", in the layout that the usual formatters have by default. */
export function constant(head: string, value: Code): string {
  const start = `${head} = `;
  return `${start}${print(value, "", start.length, 1)};`;
}

/** An import of names. */
export function importOf(kind: "import" | "import type", names: readonly string[], from: string): string {
  const line = `${kind} { ${names.join(", ")} } from "${from}";`;
  if (line.length <= WIDTH) return line;
  return [`${kind} {`, ...names.map((name) => `${INDENT}${name},`), `} from "${from}";`].join("\n");
}

/** The type of a kind's objects in a version, "export type Widget = ObjectOf<typeof widgets, "v1">;". */
export function objectType(name: string, kind: string, version: string): string {
  const args = [`typeof ${kind}`, JSON.stringify(version)];
  const line = `export type ${name} = ObjectOf<${args.join(", ")}>;`;
  if (line.length <= WIDTH) return line;
  return `export type ${name} = ObjectOf<\n${INDENT}${args.join(`,\n${INDENT}`)}\n>;`;
}

/** The entries of a kind in ApiKinds. */
export function apiKinds(kind: string): string {
  const parts = [`${INDENT}interface ApiKinds`, `extends ApiKindsOf<typeof ${kind}> {}`];
  const isLong = parts.join(" ").length > WIDTH;
  return ['declare module "kubets" {', parts.join(isLong ? `\n${INDENT}${INDENT}` : " "), "}"].join("\n");
}

/** Prints code behind `used` columns of a line that is indented by `pad`; `behind` columns follow it on its last line. */
function print(code: Code, pad: string, used: number, behind: number): string {
  const flat = flatOf(code);
  if (flat !== undefined && used + flat.length + behind <= WIDTH) return flat;
  switch (code.form) {
    case "atom":
      return code.text;
    case "text":
      return quoted(code.value);
    case "object":
      return broken(
        "{",
        code.entries.map((entry) => printProperty(entry, pad + INDENT)),
        "}",
        pad,
      );
    case "array":
      return printArray(code, pad);
    case "call":
      return printCall(code, pad, used);
  }
}

const broken = (open: string, lines: readonly string[], close: string, pad: string): string =>
  lines.length === 0 ? open + close : [open, ...lines.map((line) => `${pad}${INDENT}${line},`), pad + close].join("\n");

function printProperty([key, value]: ObjectCode["entries"][number], pad: string): string {
  if (value.form === "atom" && value.text === key) return key;
  const head = `${keyOf(key)}:`;
  const used = pad.length + head.length + 1;
  if (movesToNextLine(key, value, used)) return `${head}\n${pad}${INDENT}${printMoved(value, pad + INDENT)}`;
  return `${head} ${print(value, pad, used, 1)}`;
}

/** Whether the printer puts a value that does not fit behind its key on the next line: a string, a name, a call of a short argument. */
function movesToNextLine(key: string, value: Code, used: number): boolean {
  const flat = flatOf(value);
  if (flat === undefined || used + flat.length + 1 <= WIDTH) return false;
  if (value.form === "text") return keyOf(key).length >= SHORT_KEY || value.value.trimEnd().includes("\n");
  if (value.form !== "call" || value.args.length !== 1) return false;
  const [only] = value.args;
  return only?.form === "atom" && only.text.length <= WIDTH / 4;
}

function printMoved(value: Code, pad: string): string {
  const flat = flatOf(value) ?? "";
  if (value.form !== "text" || pad.length + flat.length + 1 <= WIDTH) return flat;
  const lines = value.value.split(/(?<=\n)/);
  return lines.map(quoted).join(` +\n${pad}`);
}

function printArray({ items }: ArrayCode, pad: string): string {
  if (!items.every((item) => item.form === "atom" && /^-?[\d.]/.test(item.text))) {
    return broken(
      "[",
      items.map((item) => print(item, pad + INDENT, pad.length + INDENT.length, 1)),
      "]",
      pad,
    );
  }
  const lines = [""];
  for (const item of items) {
    const next = `${flatOf(item) ?? ""},`;
    const last = lines.at(-1) ?? "";
    const joined = last === "" ? next : `${last} ${next}`;
    if (pad.length + INDENT.length + joined.length <= WIDTH) lines[lines.length - 1] = joined;
    else lines.push(next);
  }
  return ["[", ...lines.map((line) => `${pad}${INDENT}${line}`), `${pad}]`].join("\n");
}

/** A call whose last argument alone is broken, where the others fit before it; else each argument has a line. */
function printCall({ name, args }: CallCode, pad: string, used: number): string {
  const last = args.at(-1);
  const others = args.slice(0, -1).map(flatOf);
  if (last !== undefined && isHugged(args) && others.every((flat) => flat !== undefined)) {
    const head = `${name}(${others.map((flat) => `${flat}, `).join("")}`;
    if (used + head.length < WIDTH) return `${head}${printBroken(last, pad)})`;
  }
  return broken(
    `${name}(`,
    args.map((arg) => print(arg, pad + INDENT, pad.length + INDENT.length, 1)),
    ")",
    pad,
  );
}

function isHugged(args: readonly Code[]): boolean {
  const last = args.at(-1);
  const isList = last?.form === "object" || last?.form === "array";
  return isList && flatOf(last) !== "{}" && flatOf(last) !== "[]" && args.at(-2)?.form !== last.form;
}

/** An object or an array over several lines. */
const printBroken = (code: Code, pad: string): string => print(code, pad, WIDTH, 0);

/** The code on one line; undefined where it needs more. */
function flatOf(code: Code): string | undefined {
  switch (code.form) {
    case "atom":
      return code.text;
    case "text":
      return quoted(code.value);
    case "object": {
      if (code.entries.length === 0) return "{}";
      if (code.isOpen) return undefined;
      const values = flatItems(code.entries.map(([, value]) => value));
      return values && `{ ${code.entries.map(([key], index) => `${keyOf(key)}: ${values[index]}`).join(", ")} }`;
    }
    case "array": {
      if (code.items.length > 1 && code.items.every(holdsMany)) return undefined;
      const items = flatItems(code.items);
      return items === undefined ? undefined : `[${items.join(", ")}]`;
    }
    case "call": {
      const args = flatItems(code.args);
      return args === undefined ? undefined : `${code.name}(${args.join(", ")})`;
    }
  }
}

function flatItems(items: readonly Code[]): readonly string[] | undefined {
  const flat = items.map(flatOf);
  return flat.every((one) => one !== undefined) ? flat : undefined;
}

/** Whether formatters give each item of a list its own line, where all items are like this one. */
const holdsMany = (code: Code): boolean =>
  (code.form === "object" && code.entries.length > 1) || (code.form === "array" && code.items.length > 1);

function keyOf(name: string): string {
  // `__proto__: value` would set the prototype.
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A string literal, in the quotes that need fewer escapes. */
function quoted(value: string): string {
  const literal = JSON.stringify(value);
  if (value.split('"').length <= value.split("'").length) return literal;
  return `'${literal.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
