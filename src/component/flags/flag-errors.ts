import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { goQuoteChar } from "../../base/text/go-errors.js";
import type { FlagSpec } from "./flag-set.js";

/** A command line that does not fit its flags, in pflag's words. The error boundary adds a reference to the help. */
export class FlagError extends Error {
  override readonly name = "FlagError";
  constructor(
    message: string,
    /** The unknown name, if the error is about one. */
    readonly typed?: string,
  ) {
    super(message);
  }
}

export const unknownFlag = (name: string): FlagError => new FlagError(`unknown flag: --${name}`, name);

export const unknownShorthand = (char: string, shorthands: string): FlagError =>
  new FlagError(`unknown shorthand flag: ${goQuoteChar(char)} in -${shorthands}`);

export const badSyntax = (argument: string): FlagError => new FlagError(`bad flag syntax: ${argument}`);

export const needsArgument = (name: string): FlagError => new FlagError(`flag needs an argument: --${name}`);

export const shorthandNeedsArgument = (char: string, shorthands: string): FlagError =>
  new FlagError(`flag needs an argument: ${goQuoteChar(char)} in -${shorthands}`);

export function invalidArgument(spec: FlagSpec, value: string, cause: unknown): FlagError {
  const short = spec.short !== undefined && spec.deprecatedShort === undefined ? `-${spec.short}, ` : "";
  const reason = errorMessage(cause);
  return new FlagError(`invalid argument ${goQuote(value)} for ${goQuote(`${short}--${spec.name}`)} flag: ${reason}`);
}
