import {
  badSyntax,
  invalidArgument,
  needsArgument,
  shorthandNeedsArgument,
  unknownFlag,
  unknownShorthand,
} from "./flag-errors.js";
import type { Flags, FlagSpec, GivenFlag } from "./flag-set.js";
import type { FlagTable } from "./flag-table.js";
import { bareValue, defaultFlagValue, type FlagValue, parseFlagValue } from "./flag-value.js";

/** A command line after parsing. */
export interface ParsedFlags {
  readonly flags: ParsedFlagSet;
  readonly args: readonly string[];
  /** How many operands stood before `--`, or -1 without one. */
  readonly argsLenAtDash: number;
  /** What pflag says of deprecated flags, one line each. */
  readonly notices: readonly string[];
}

/**
 * Reads a command line by pflag's grammar, flags and operands mixed. `presets` are set before it, as if they had been given.
 * @throws FlagError
 */
export function parseFlags(table: FlagTable, argv: readonly string[], presets: readonly GivenFlag[] = []): ParsedFlags {
  const parser = new FlagParser(table, [...argv]);
  parser.preset(presets);
  parser.run();
  return { flags: parser.flags, args: parser.args, argsLenAtDash: parser.argsLenAtDash, notices: parser.notices };
}

class FlagParser {
  readonly args: string[] = [];
  readonly notices: string[] = [];
  readonly flags: ParsedFlagSet;
  argsLenAtDash = -1;

  constructor(
    readonly table: FlagTable,
    readonly rest: string[],
  ) {
    this.flags = new ParsedFlagSet(table);
  }

  preset(presets: readonly GivenFlag[]): void {
    for (const { name, text } of presets) {
      const spec = this.table.named(name);
      if (spec !== undefined) this.#set(spec, text);
    }
  }

  run(): void {
    for (let argument = this.rest.shift(); argument !== undefined; argument = this.rest.shift()) {
      if (argument === "--") {
        this.argsLenAtDash = this.args.length;
        this.args.push(...this.rest.splice(0));
      } else if (argument.startsWith("--")) {
        this.#long(argument);
      } else if (argument.startsWith("-") && argument.length > 1) {
        this.#shorts(argument.slice(1));
      } else {
        this.args.push(argument);
      }
    }
  }

  #long(argument: string): void {
    const body = argument.slice(2);
    if (body.startsWith("-") || body.startsWith("=")) throw badSyntax(argument);
    const equals = body.indexOf("=");
    const name = equals < 0 ? body : body.slice(0, equals);
    const spec = this.table.named(name);
    if (spec === undefined) throw unknownFlag(name);
    const value = equals < 0 ? (bareValue(spec) ?? this.rest.shift()) : body.slice(equals + 1);
    if (value === undefined) throw needsArgument(name);
    this.#set(spec, value);
  }

  #shorts(group: string): void {
    for (let letters = group; letters !== ""; ) {
      const letter = String.fromCodePoint(letters.codePointAt(0) ?? 0);
      const spec = this.table.short(letter);
      if (spec === undefined) throw unknownShorthand(letter, letters);
      const bare = bareValue(spec);
      let value: string | undefined;
      let left = "";
      if (letters.length > 2 && letters[1] === "=") value = letters.slice(2);
      else if (bare !== undefined) [value, left] = [bare, letters.slice(1)];
      else if (letters.length > 1) value = letters.slice(1);
      else value = this.rest.shift();
      if (value === undefined) throw shorthandNeedsArgument(letter, letters);
      if (spec.deprecatedShort !== undefined) {
        this.notices.push(`Flag shorthand -${letter} has been deprecated, ${spec.deprecatedShort}`);
      }
      this.#set(spec, value);
      letters = left;
    }
  }

  #set(spec: FlagSpec, value: string): void {
    const before = this.flags.given.get(spec.name);
    try {
      this.flags.given.set(spec.name, parseFlagValue(spec, value, before));
      this.flags.order.push({ name: spec.name, text: value });
    } catch (error) {
      throw invalidArgument(spec, value, error);
    }
    if (spec.deprecated !== undefined) this.notices.push(`Flag --${spec.name} has been deprecated, ${spec.deprecated}`);
  }
}

/** The values of one invocation. Reading a flag the command does not declare is a programming error and throws. */
export class ParsedFlagSet implements Flags {
  /** Only what the user gave. */
  readonly given = new Map<string, FlagValue>();
  readonly order: GivenFlag[] = [];

  constructor(readonly table: FlagTable) {}

  bool(name: string): boolean {
    return this.#read(name, ["bool"], "boolean");
  }

  number(name: string): number {
    return this.#read(name, ["int", "int32", "int64", "count", "float64", "level"], "number");
  }

  duration(name: string): number {
    return this.#read(name, ["duration", "goDuration"], "number");
  }

  string(name: string): string {
    return this.#read(name, ["string", "moduleSpec"], "string");
  }

  strings(name: string): readonly string[] {
    const value = this.#value(name, ["stringSlice", "stringArray", "mapStringString", "stringToString"]);
    return Array.isArray(value) ? value : [];
  }

  changed(name: string): boolean {
    return this.given.has(name);
  }

  has(name: string): boolean {
    return this.table.named(name) !== undefined;
  }

  #value(name: string, types: readonly string[]): FlagValue {
    const spec = this.table.named(name);
    if (spec === undefined) throw new Error(`flag accessed but not defined: ${name}`);
    if (!types.includes(spec.type)) throw new Error(`trying to get ${types[0]} value of flag of type ${spec.type}`);
    return this.given.get(spec.name) ?? defaultFlagValue(spec);
  }

  #read(name: string, types: readonly string[], as: "boolean"): boolean;
  #read(name: string, types: readonly string[], as: "number"): number;
  #read(name: string, types: readonly string[], as: "string"): string;
  #read(name: string, types: readonly string[], as: string): FlagValue {
    const value = this.#value(name, types);
    if (typeof value !== as) throw new Error(`flag ${name} is not a ${as}`);
    return value;
  }
}
