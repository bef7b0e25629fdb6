import type { PluginPolicy } from "../../client/auth/plugin-policy.js";

/** The user's preferences, whatever the version of the file. */
export interface Preference {
  readonly defaults: readonly CommandDefaults[];
  readonly aliases: readonly Alias[];
  readonly pluginPolicy: PluginPolicy;
}

/** The default of one flag. */
export interface OptionDefault {
  /** Without dashes. */
  readonly name: string;
  /** The value as it is written on a command line. */
  readonly default: string;
}

export interface CommandDefaults {
  /** The command as it is typed: "get", "set env". */
  readonly command: string;
  readonly options: readonly OptionDefault[];
}

/** `kubectl NAME ...` stands for `kubectl COMMAND PREPENDARGS ... APPENDARGS` with some flags given. */
export interface Alias {
  readonly name: string;
  readonly command: string;
  readonly prependArgs: readonly string[];
  readonly appendArgs: readonly string[];
  readonly options: readonly OptionDefault[];
}
