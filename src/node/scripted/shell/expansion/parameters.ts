import type { Steps } from "../../../../base/async/steps.js";
import { FatalError } from "../control-flow.js";
import { expanded, type ExpansionScope, joined, lengthOf, listPieces, worked } from "./expansion.js";
import type { Piece } from "./fields.js";
import type { PatternPiece } from "./glob.js";
import { charactersOf, countCharacters, firstChanged, replaced, withoutMatch } from "./parameter-values.js";
import type { Index, ParameterPart, Word } from "../parse/syntax.js";

/** The functions that expand the words inside the braces of a parameter. */
export interface WordExpansions {
  word(word: Word, scope: ExpansionScope): Promise<string>;
  pattern(word: Word, scope: ExpansionScope): Promise<readonly PatternPiece[]>;
  pieces(word: Word, scope: ExpansionScope): Promise<readonly Piece[]>;
  arithmetic(expression: Word, scope: ExpansionScope): Promise<bigint>;
  /** The key of an array's element. */
  key(name: string, index: Word, scope: ExpansionScope): Promise<string>;
}

const TARGET = /^([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^]*)\])?$/;

/** Expands $name, ${name...} and ${name[index]...} to pieces. */
export async function parameterPieces(
  part: ParameterPart,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<readonly Piece[]> {
  if (part.form === "indirect") return parameterPieces(await indirect(part, scope, words), scope, words);
  const { operator = "", word = [], form, quoted } = part;
  const values = listed(part, scope);
  const isGiven = /^:?[-=+?]$/.test(operator);
  if (values === undefined) {
    const value = await valueOf(part, scope, words);
    if (value === undefined && !isGiven && scope.refusesUnset) throw new FatalError(`${part.name}: parameter not set`);
    if (form === "length") {
      const length = await worked(countCharacters(value ?? ""), value?.length ?? 0, scope);
      return [expanded(String(length), quoted, scope)];
    }
    if (isGiven) return given(part, value, scope, words);
    return [expanded(await operated(value ?? "", part, scope, words), quoted, scope)];
  }
  if (form === "length") return [expanded(String(values.length), quoted, scope)];
  if (isGiven) {
    const isSet = operator.startsWith(":") ? values.some((value) => value !== "") : values.length > 0;
    if (operator.endsWith("+") === isSet)
      return operator.endsWith("+") ? defaultPieces(word, quoted, scope, words) : list(part, values, scope);
    if (operator.endsWith("+")) return [];
    if (operator.endsWith("-")) return defaultPieces(word, quoted, scope, words);
    return given(part, undefined, scope, words);
  }
  if (operator === ":") return list(part, await slice(part, values, scope, words), scope);
  if (operator === "") return list(part, values, scope);
  const changed: string[] = [];
  for (const value of values) changed.push(await operated(value, part, scope, words));
  return list(part, changed, scope);
}

/** The values of $@, of all of an array, of its keys, or the names that begin so; undefined where it is one value. */
function listed({ name, index, form }: ParameterPart, scope: ExpansionScope): readonly string[] | undefined {
  if (form === "names") return scope.namesFrom(name);
  if (name === "@" || name === "*") return scope.positional;
  if (index !== "@" && index !== "*") return undefined;
  const array = scope.array(name);
  if (array !== undefined) return form === "keys" ? [...array.elements.keys()] : [...array.elements.values()];
  const scalar = scope.parameter(name);
  return scalar === undefined ? [] : [form === "keys" ? "0" : scalar];
}

function list(
  { name, index, quoted }: ParameterPart,
  values: readonly string[],
  scope: ExpansionScope,
): Promise<readonly Piece[]> {
  const isJoined = quoted && (name === "*" || index === "*");
  const work = function* (): Steps<readonly Piece[]> {
    const pieces = yield* listPieces(values, quoted, scope);
    return isJoined ? [{ text: joined(pieces, scope.separators.joining), quoted, splits: false }] : pieces;
  };
  return worked(work(), values.length, scope);
}

async function valueOf(
  { name, index }: ParameterPart,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<string | undefined> {
  if (index === undefined || typeof index === "string") return scope.parameter(name);
  const array = scope.array(name);
  const key = await words.key(name, index, scope);
  if (array === undefined) return key === "0" ? scope.parameter(name) : undefined;
  return array.elements.get(key);
}

/** The parameter that the value of this one names. */
async function indirect(part: ParameterPart, scope: ExpansionScope, words: WordExpansions): Promise<ParameterPart> {
  const target = (await valueOf(part, scope, words)) ?? "";
  const [, name, inBrackets] = TARGET.exec(target) ?? [];
  if (name === undefined) throw new FatalError(`${target}: invalid variable name`);
  const { form: _form, index: _index, ...rest } = part;
  const index: Index | undefined =
    inBrackets === undefined
      ? undefined
      : inBrackets === "@" || inBrackets === "*"
        ? inBrackets
        : [{ kind: "text", text: inBrackets, quoted: true }];
  return { ...rest, name, ...(index !== undefined && { index }) };
}

/** ${name:-word} and its kin. */
async function given(
  part: ParameterPart,
  value: string | undefined,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<readonly Piece[]> {
  const { name, operator = "", word = [], quoted } = part;
  const isSet = operator.startsWith(":") ? value !== undefined && value !== "" : value !== undefined;
  switch (operator.slice(-1)) {
    case "-":
      return isSet ? [expanded(value ?? "", quoted, scope)] : defaultPieces(word, quoted, scope, words);
    case "+":
      return isSet ? defaultPieces(word, quoted, scope, words) : [expanded("", quoted, scope)];
    case "=": {
      if (isSet) return [expanded(value ?? "", quoted, scope)];
      const assigned = await words.word(word, scope);
      if (part.index === undefined || typeof part.index === "string") scope.assign(name, assigned);
      else scope.assignElement(name, await words.key(name, part.index, scope), assigned);
      return [expanded(assigned, quoted, scope)];
    }
    default: {
      if (isSet) return [expanded(value ?? "", quoted, scope)];
      const message =
        (await words.word(word, scope)) || `parameter not set${operator.startsWith(":") ? " or null" : ""}`;
      throw new FatalError(`${name}: ${message}`);
    }
  }
}

/** The pieces of the word of ${name:-word}: what is not quoted in it is split. */
async function defaultPieces(
  word: Word,
  quoted: boolean,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<readonly Piece[]> {
  const pieces = await words.pieces(word, scope);
  lengthOf(pieces);
  if (pieces.length === 0 && quoted && word.length === 0) return [expanded("", quoted, scope)];
  return pieces.map((piece) => ({
    ...piece,
    quoted: quoted || piece.quoted,
    splits: !quoted && !piece.quoted,
  }));
}

/** One value with what an operator takes from it, puts into it or makes of it. */
async function operated(
  value: string,
  part: ParameterPart,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<string> {
  const { operator = "", word = [] } = part;
  if (operator === "") return value;
  switch (operator.charAt(0)) {
    case "^":
      return operator === "^^" ? value.toUpperCase() : firstChanged(value, (char) => char.toUpperCase());
    case ",":
      return operator === ",," ? value.toLowerCase() : firstChanged(value, (char) => char.toLowerCase());
    case ":": {
      const whole = await worked(charactersOf(value), value.length, scope);
      const [from, to] = await bounds(part, whole.length, scope, words);
      return typeof whole === "string" ? whole.slice(from, to) : whole.slice(from, to).join("");
    }
    case "/":
      return replaced(
        value,
        operator,
        await words.pattern(word, scope),
        await words.word(part.second ?? [], scope),
        scope,
      );
    default:
      return withoutMatch(value, operator, await words.pattern(word, scope), scope);
  }
}

/** ${@:1:2} and ${a[@]:1:2}. Of the positional parameters 0 is the shell's name. */
async function slice(
  part: ParameterPart,
  values: readonly string[],
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<readonly string[]> {
  const isPositional = part.name === "@" || part.name === "*";
  const all = isPositional ? [scope.name, ...values] : values;
  const [from, to] = await bounds(part, all.length, scope, words);
  return all.slice(from, to);
}

async function bounds(
  { word = [], second }: ParameterPart,
  length: number,
  scope: ExpansionScope,
  words: WordExpansions,
): Promise<readonly [from: number, to: number]> {
  const offset = Number(await words.arithmetic(word, scope));
  const from = offset < 0 ? length + offset : offset;
  if (from < 0 || from > length) return [0, 0];
  if (second === undefined) return [from, length];
  const count = Number(await words.arithmetic(second, scope));
  return [from, Math.max(from, count < 0 ? length + count : Math.min(length, from + count))];
}
