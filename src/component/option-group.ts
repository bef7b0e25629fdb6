import { resolve } from "node:path";
import type { ComponentFlag, FlagSection } from "./component-flag.js";
import type { Flags } from "./flags/flag-set.js";

/**
 * One option of a server, declared once: a flag, and the field of the group that has the same value in code. The type of the field comes from
 * the row: that of `read`'s result, of `oneOf`, or of the flag's type. A duration is a number of milliseconds.
 */
export type Option = ComponentFlag & OptionParts;

interface OptionParts {
  /** The value names a file, or each of the values does. A flag's relative path begins at the working directory. */
  readonly isFile?: true;
  /** The values that there are; each of a list is one of them. */
  readonly oneOf?: readonly string[];
  /** The group means nothing without it. */
  readonly isNeeded?: true;
  /** Makes the field's value of the flag's; undefined leaves the field out. `file` makes a path absolute. */
  read?(given: unknown, file: (path: string) => string): unknown;
  /** Returns the texts of the flag that say the field's value; {@link read} has the opposite. */
  write?(value: unknown): readonly string[];
  /** Returns what is wrong with the field's value, in kube-apiserver's words. */
  faults?(value: unknown): readonly string[];
}

/** Options by their fields; a group in a group is a field that has fields. */
export interface OptionGroup {
  readonly [field: string]: Option | OptionGroup;
}

/** The options of a group in code. Each field has the comment of its row. */
export type OptionsOf<G extends OptionGroup> = Fields<G, NeededOf<G>> &
  Partial<Fields<G, Exclude<keyof G, NeededOf<G>>>>;

type Fields<G extends OptionGroup, Names extends keyof G> = { readonly [Field in Names]: FieldOf<G[Field]> };

type NeededOf<G extends OptionGroup> = {
  [Field in keyof G]: G[Field] extends { isNeeded: true } ? Field : never;
}[keyof G];

type FieldOf<Entry> = Entry extends Option ? ValueOf<Entry> : Entry extends OptionGroup ? OptionsOf<Entry> : never;

type ValueOf<O extends Option> = O extends { read: (...given: never[]) => infer Value }
  ? Exclude<Value, undefined>
  : O["type"] extends "stringSlice" | "stringArray" | "mapStringString" | "stringToString"
    ? readonly TextOf<O>[]
    : O["type"] extends "bool"
      ? boolean
      : O["type"] extends "string"
        ? TextOf<O>
        : number;

type TextOf<O> = O extends { oneOf: readonly (infer Text)[] } ? Text : string;

const isOption = (entry: Option | OptionGroup): entry is Option => typeof entry["name"] === "string";

/** Returns the rows of a group and of the groups in it. */
export const rowsOf = (group: OptionGroup): readonly Option[] =>
  Object.values(group).flatMap((entry) => (isOption(entry) ? [entry] : rowsOf(entry)));

/**
 * Reads the options whose flags were given. Others are missing in the result, so that the defaults of the code apply; an empty
 * text counts as not given. A nested group is present when one of its flags was given. Flags that the program does not have are
 * left out.
 */
export function readOptions<G extends OptionGroup>(group: G, flags: Flags, cwd: string): OptionsOf<G> {
  return new Reader(flags, cwd, false).read(group) as OptionsOf<G>;
}

/** As {@link readOptions}, but a flag that was not given has its default, unless that is empty. */
export function readWithDefaults<G extends OptionGroup>(group: G, flags: Flags, cwd: string): OptionsOf<G> {
  return new Reader(flags, cwd, true).read(group) as OptionsOf<G>;
}

class Reader {
  constructor(
    private readonly flags: Flags,
    private readonly cwd: string,
    private readonly withDefaults: boolean,
  ) {}

  read(group: OptionGroup): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const [field, entry] of Object.entries(group)) {
      const value = isOption(entry) ? this.#value(entry) : this.#group(entry);
      if (value !== undefined) values[field] = value;
    }
    return values;
  }

  #group(group: OptionGroup): unknown {
    return rowsOf(group).some((option) => this.#counts(option)) ? this.read(group) : undefined;
  }

  /** Whether a value of the flag makes the group that it is in. */
  #counts({ name }: Option): boolean {
    return this.flags.has(name) && (this.withDefaults || this.flags.changed(name));
  }

  #value(option: Option): unknown {
    const { name, isNeeded } = option;
    if (!this.flags.has(name) || !(isNeeded === true || this.#counts(option))) return undefined;
    const given = this.#given(option);
    const isEmpty = given === "" || (Array.isArray(given) && given.length === 0 && !this.flags.changed(name));
    if (isEmpty && isNeeded !== true) return undefined;
    return option.read === undefined ? given : option.read(given, this.#file);
  }

  #given({ name, type, isFile }: Option): unknown {
    const path = (text: string): string => (isFile === true && text !== "" ? this.#file(text) : text);
    if (type === "bool") return this.flags.bool(name);
    if (type === "duration" || type === "goDuration") return this.flags.duration(name);
    if (type === "string" || type === "moduleSpec") return path(this.flags.string(name));
    return isList(type) ? this.flags.strings(name).map(path) : this.flags.number(name);
  }

  readonly #file = (path: string): string => resolve(this.cwd, path);
}

const isList = (type: Option["type"]): boolean =>
  type === "stringSlice" || type === "stringArray" || type === "mapStringString" || type === "stringToString";

/** Returns the arguments by which another process of the program gets the values. */
export function argumentsOf(group: OptionGroup, values: object): readonly string[] {
  return eachValue(group, values).flatMap(({ option, value }) => textsOf(option, value).map(argumentOf(option)));
}

const argumentOf =
  ({ name }: Option) =>
  (text: string): string =>
    `--${name}=${text}`;

function textsOf(option: Option, value: unknown): readonly string[] {
  if (option.write !== undefined) return option.write(value);
  if (Array.isArray(value)) {
    if (option.type === "stringSlice") return [value.map((one) => csvField(String(one))).join(",")];
    return value.map(String);
  }
  if (option.type === "duration" || option.type === "goDuration") return [`${String(value)}ms`];
  return [String(value)];
}

const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns the faults of the values, by their rows. */
export function optionFaults(group: OptionGroup, values: object): readonly string[] {
  return eachValue(group, values).flatMap(({ option, value }) => option.faults?.(value) ?? []);
}

/** The options that have a value, in the order of the group's rows. */
function eachValue(
  group: OptionGroup,
  values: object,
): readonly { readonly option: Option; readonly value: unknown }[] {
  return Object.entries(group).flatMap(([field, entry]) => {
    const value: unknown = (values as Readonly<Record<string, unknown>>)[field];
    if (value === undefined) return [];
    return isOption(entry) ? [{ option: entry, value }] : eachValue(entry, value as object);
  });
}

/** A section of a program's help: the rows of its options, and further flags, in the order of their names. */
export function sectionOf(name: string, options: OptionGroup, others: readonly ComponentFlag[]): FlagSection {
  const flags: ComponentFlag[] = [...rowsOf(options), ...others];
  flags.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { name, flags };
}
