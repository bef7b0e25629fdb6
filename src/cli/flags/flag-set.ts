/** How a flag reads its value, in pflag's words; `usage` lines print the type names pflag prints. */
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

export interface FlagSpec {
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  readonly type: FlagType;
  /** As pflag would print it in `(default ...)`; parsed with the flag's own parser. */
  readonly default?: string;
  /** Our own prose; a word in backquotes names the value. */
  readonly usage: string;
  /** pflag's NoOptDefVal: the value when the flag stands alone (`--dry-run`, `--cascade`); bool has "true". */
  readonly bare?: string;
  /** Inherited by subcommands. */
  readonly persistent?: boolean;
  readonly hidden?: boolean;
  /** Message printed when it is used; a deprecated flag is hidden. */
  readonly deprecated?: string;
  readonly deprecatedShort?: string;
}

/** The flags of one invocation after parsing. Reading a flag that was not declared, or as another type, throws. */
export interface Flags {
  bool(name: string): boolean;
  /** int, int32, int64, count, float64. */
  number(name: string): number;
  /** Milliseconds. */
  duration(name: string): number;
  string(name: string): string;
  /** stringSlice and stringArray. */
  strings(name: string): readonly string[];
  /** True when the user gave it, whatever the value. */
  changed(name: string): boolean;
  has(name: string): boolean;
}
