import type { CommandEntry } from "../command.js";
import type { Presets } from "../command-node.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { Host } from "../connect/host.js";

/** A command line and its context; the preferences of kuberc turn it into another one. */
export interface CommandLine {
  /** The tree of commands, with the alias that the line uses, if any. */
  readonly root: CommandEntry;
  readonly globals: readonly FlagSpec[];
  readonly argv: readonly string[];
  readonly host: Host;
  readonly presets?: Presets;
}
