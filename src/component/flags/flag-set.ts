/** The type of a flag's value, by pflag's names, which `usage` lines print. */
export type FlagType =
  | "bool"
  | "int"
  | "int32"
  | "int64"
  | "float64"
  | "duration"
  | "string"
  | "stringSlice"
  | "stringArray"
  | "count"
  /** klog's own: a verbosity, a list of pattern=N, and a duration read by Go's flag package, not pflag. */
  | "level"
  | "moduleSpec"
  | "goDuration";

export type FlagSpec = SimpleFlagSpec | PairsFlagSpec;

/** `key=value` pairs, several in one value or the flag given again: component-base's type, and pflag's. */
export type PairsType = "mapStringString" | "stringToString";

/** A flag whose few commands bring its parser (`pairs.ts`), so that the others start without it. */
interface PairsFlagSpec extends CommonFlagSpec {
  readonly type: PairsType;
  /** The pairs given `before`, and those of the text; each key once. @throws with Go's text */
  readonly parse: (text: string, before: readonly string[]) => readonly string[];
}

interface SimpleFlagSpec extends CommonFlagSpec {
  readonly type: FlagType;
}

interface CommonFlagSpec {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** As pflag would print it in `(default ...)`; parsed with the flag's own parser. */
  readonly default?: string;
  /** Our own prose; a word in backquotes names the value. */
  readonly usage: string;
  /** pflag's NoOptDefVal: the value when the flag stands alone (`--dry-run`, `--cascade`); bool has "true". */
  readonly bare?: string;
  /** Inherited by subcommands. */
  readonly persistent?: boolean;
  readonly hidden?: boolean;
  /** The environment variable that must be "true" for the flag to be there at all: kubectl's way to show what is alpha. */
  readonly gate?: string;
  /** cobra's MarkFlagRequired: the command does not run without it, and completion offers it first. */
  readonly required?: boolean;
  /** Message printed when it is used; a deprecated flag is hidden. */
  readonly deprecated?: string;
  readonly deprecatedShort?: string;
  /** Loads what a value of this flag needs, before the command runs: code that few command lines need, so that the rest start without it. */
  readonly load?: (value: string) => Promise<void>;
}

/** A flag as it was given. */
export interface GivenFlag {
  readonly name: string;
  /** The text of the value, or the meaning of a flag without one. */
  readonly text: string;
}

/** The flags of one invocation after parsing. Reading a flag that was not declared, or as another type, throws. */
export interface Flags {
  bool(name: string): boolean;
  /** Returns the value of a flag of type int, int32, int64, count or float64. */
  number(name: string): number;
  /** Milliseconds. */
  duration(name: string): number;
  string(name: string): string;
  /** Returns the values of a stringSlice or stringArray; of pairs as `key=value`, each key once. */
  strings(name: string): readonly string[];
  /** True when the user gave it, whatever the value. */
  changed(name: string): boolean;
  has(name: string): boolean;
  /** In the order of the command line, each time it was given. */
  readonly order: readonly GivenFlag[];
}
