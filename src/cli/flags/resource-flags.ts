import { parseGoBool } from "../../base/text/go-literals.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Factory } from "../connect/factory.js";
import { klogWarning } from "../../machinery/text/klog/klog.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

export { filenameFlags, readFilenames, recursiveFilenameFlags, requireFilenames } from "./filename-flags.js";

// Flags that several commands about resources share, and how they are read.

export const selectorFlag: FlagSpec = {
  name: "selector",
  short: "l",
  type: "string",
  usage: "Label selector: '=', '==', '!=', 'in', 'notin' (-l key1=value1,key2 in (a,b)). All of it must hold",
};

export const fieldManagerFlag = (manager: string): FlagSpec => ({
  name: "field-manager",
  type: "string",
  default: manager,
  usage: "Name under which the server records who set which field",
});

export const dryRunFlag: FlagSpec = {
  name: "dry-run",
  type: "string",
  default: "none",
  bare: "unchanged",
  usage:
    'Must be "none", "server", or "client". With client nothing is sent, with server everything is done but nothing is kept',
};

export type DryRunStrategy = "none" | "client" | "server";

/** Reads --dry-run. Deprecated values are accepted with a warning. */
export function readDryRun(flags: Flags, factory: Factory): DryRunStrategy {
  const value = flags.string("dry-run");
  if (value === "none" || value === "client" || value === "server") return value;
  if (value === "unchanged") {
    warn(714, "--dry-run is deprecated and can be replaced with --dry-run=client.", factory);
    return "client";
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    const error = new Error(`Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
    throw withMistyped(error, () => ({ typed: value, known: ["none", "server", "client"] }));
  }
  const strategy = bool ? "client" : "none";
  const text = `--dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=${strategy}.`;
  warn(bool ? 728 : 731, text, factory);
  return strategy;
}

/** `line` is where kubectl's own helpers.go says it. */
const warn = (line: number, message: string, { streams, clock }: Factory): void => {
  streams.err.write(klogWarning(`helpers.go:${line}`, message, new Date(clock.now())));
};

/** Adds the dry run to the word for an operation: "created (dry run)". */
export function withDryRun(operation: string, strategy: DryRunStrategy): string {
  if (strategy === "none") return operation;
  return `${operation} ${strategy === "client" ? "(dry run)" : "(server dry run)"}`;
}

export const validateFlag: FlagSpec = {
  name: "validate",
  type: "string",
  default: "strict",
  bare: "strict",
  usage:
    "Must be one of: strict (or true), warn, ignore (or false). What happens to unknown and duplicate fields: refuse, warn, or drop them silently",
};

export const saveConfigFlag: FlagSpec = {
  name: "save-config",
  type: "bool",
  usage: "Record the configuration in an annotation, for a later apply",
};

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export function readFieldValidation(flags: Flags): FieldValidation {
  const value = flags.string("validate");
  switch (value) {
    case "strict":
      return "Strict";
    case "warn":
      return "Warn";
    case "ignore":
      return "Ignore";
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    const text = `invalid - validate option ${goQuote(value)}; must be one of: strict (or true), warn, ignore (or false)`;
    throw new Error(text);
  }
  return bool ? "Strict" : "Ignore";
}

export function warnCannotValidate({ streams, clock }: Factory): void {
  const text = "cannot perform warn validation if server-side field validation is unsupported, skipping validation";
  streams.err.write(klogWarning("schema.go:145", text, new Date(clock.now())));
}
