/** Flags of a program as Go's libraries read them: --name=value, --name value, --flag, -D. */
export interface ProgramFlags {
  text(name: string): string;
  isSet(name: string): boolean;
  isOn(name: string): boolean;
  /** What is no flag. */
  readonly words: readonly string[];
}

/** The defaults of the flags that take a value, and of those that are on or off. */
export interface FlagTable {
  readonly texts: Readonly<Record<string, string>>;
  readonly switches: Readonly<Record<string, boolean>>;
  /** Short names of switches: { D: "debug" }. */
  readonly short?: Readonly<Record<string, string>>;
}

/** An unknown flag, or an invalid value. The message is pflag's. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** Throws a {@link FlagError}. */
export function programFlags(args: readonly string[], table: FlagTable): ProgramFlags {
  const texts = new Map(Object.entries(table.texts));
  const switches = new Map(Object.entries(table.switches));
  const given = new Set<string>();
  const words: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      words.push(...rest);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const { name, value } = flagOf(word, table.short ?? {});
    given.add(name);
    if (switches.has(name)) switches.set(name, value === undefined || booleanOf(name, value));
    else if (!texts.has(name)) throw new FlagError(`unknown flag: --${name}`);
    else {
      const text = value ?? rest.shift();
      if (text === undefined) throw new FlagError(`flag needs an argument: --${name}`);
      texts.set(name, text);
    }
  }
  return {
    text: (name) => texts.get(name) ?? "",
    isSet: (name) => given.has(name),
    isOn: (name) => switches.get(name) === true,
    words,
  };
}

interface GivenFlag {
  readonly name: string;
  /** Behind the equals sign; undefined without one. */
  readonly value: string | undefined;
}

function flagOf(word: string, short: Readonly<Record<string, string>>): GivenFlag {
  const equals = word.indexOf("=");
  const flag = equals < 0 ? word : word.slice(0, equals);
  const value = equals < 0 ? undefined : word.slice(equals + 1);
  if (flag.startsWith("--")) return { name: flag.slice(2), value };
  const letter = flag.slice(1);
  if (!Object.hasOwn(short, letter)) {
    throw new FlagError(`unknown shorthand flag: '${letter.slice(0, 1)}' in ${flag}`);
  }
  return { name: short[letter] ?? "", value };
}

function booleanOf(name: string, value: string): boolean {
  const parsed = BOOLEANS.get(value);
  if (parsed !== undefined) return parsed;
  const quoted = JSON.stringify(value);
  throw new FlagError(
    `invalid argument ${quoted} for "--${name}" flag: strconv.ParseBool: parsing ${quoted}: invalid syntax`,
  );
}

/** Throws cobra's error for required flags that were not given. */
export function checkRequired(flags: ProgramFlags, names: readonly string[]): void {
  const missing = names.filter((name) => !flags.isSet(name));
  if (missing.length > 0)
    throw new FlagError(`required flag(s) ${missing.map((name) => JSON.stringify(name)).join(", ")} not set`);
}
