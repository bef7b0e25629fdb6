import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { isConfigurationInvalid, isContextNotFound } from "../client/config/config-errors.js";
import { isTransportError } from "../client/transport/transport-error.js";
import { isStatusError, type Status, type StatusError } from "../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../machinery/meta/gvk.js";
import { isNoMatchError, NoResourceMatchError } from "../machinery/rest-mapper.js";
import { ExitError } from "./errors.js";

/** The result of a failed command: the text for stderr ("" prints nothing) and the exit code. */
export interface Report {
  readonly text: string;
  readonly code: number;
}

/**
 * Turns an error into text and an exit code, as kubectl's CheckErr does. No other code does that. With `tty` the text has the error's
 * `advice`: what to do, or where exactly the fault is.
 */
export function reportError(thrown: unknown, tty = false): Report {
  const error = onlyOne(thrown);
  if (error instanceof ExitError) return { text: terminated(error.message), code: error.exitCode };
  // On the whole where several may have gone wrong.
  const advice = tty ? adviceOf(error) || adviceOf(thrown) : "";
  return { text: terminated(textOf(error)) + terminated(advice), code: exitCodeOf(thrown) };
}

/** An error may carry the `exitCode` of the command it ended. */
function exitCodeOf(error: unknown): number {
  const carried = error instanceof Error && "exitCode" in error ? error.exitCode : undefined;
  return typeof carried === "number" ? carried : 1;
}

/** An aggregate of one is that one, and a configuration with one fault is such an aggregate; a missing context is none. */
function onlyOne(error: unknown): unknown {
  if (!(error instanceof AggregateError) || error.errors.length !== 1) return error;
  const [only] = error.errors as readonly unknown[];
  return isContextNotFound(only) ? error : only;
}

function textOf(error: unknown): string {
  if (isStatusError(error) && error.reason === "Invalid") return invalidText(error);
  if (isConfigurationInvalid(error) || hasMissingContext(error)) {
    return multiline("Error in configuration: ", ownErrors(error), error.message);
  }
  if (isNoMatchError(error) && error instanceof NoResourceMatchError) return noSuchResource(error.partialResource);
  if (error instanceof AggregateError) return error.errors.map((inner) => `${plainMessage(inner)}\n`).join("");
  const standard = standardMessage(error);
  if (standard !== undefined) return standard;
  const message = messageOf(error);
  return message.startsWith("error: ") ? message : `error: ${message}`;
}

/** client-go calls every list of errors with a missing context an invalid configuration. */
const hasMissingContext = (error: unknown): error is AggregateError =>
  error instanceof AggregateError && ownErrors(error).some(isContextNotFound);

/** The errors of a list, those of a configuration in it one by one. */
const ownErrors = ({ errors }: AggregateError): readonly unknown[] =>
  errors.flatMap((error: unknown) => (isConfigurationInvalid(error) ? error.errors : [error]));

/** The Kind "name" is invalid: one cause on the same line, several as a list. Equal causes are shown once. */
function invalidText(error: StatusError): string {
  const { details, message = "" }: Status = error.status;
  if (details === undefined) return message === "" ? "The request is invalid" : `The request is invalid: ${message}`;
  const { kind = "", name = "", causes = [] } = details;
  let text = "The request is invalid";
  if (kind !== "" || name !== "") text = `The ${kind} ${goQuote(name)} is invalid`;
  else if (message !== "" && causes.length === 0) text += `: ${message}`;
  if (causes.length === 0) return text;
  const lines = new Set(causes.map((cause) => `${cause.field ?? ""}: ${cause.message ?? ""}`));
  return listed(`${text}: `, [...lines]);
}

function multiline(prefix: string, errors: readonly unknown[], otherwise: string): string {
  const messages = [...new Set(errors.map(plainMessage))];
  return messages.length === 0 ? prefix + otherwise : listed(prefix, messages);
}

function listed(prefix: string, lines: readonly string[]): string {
  return lines.length === 1 ? `${prefix}${lines[0]}\n` : `${prefix}\n${lines.map((line) => `* ${line}\n`).join("")}`;
}

/** Errors of a server and of the way to it have words of their own, alone and in a list. */
function standardMessage(error: unknown): string | undefined {
  if (isStatusError(error)) {
    if (error.reason === "Unauthorized") return `error: You must be logged in to the server (${error.message})`;
    const reason = error.reason === "" ? "" : ` (${error.reason})`;
    return `Error from server${reason}: ${error.message}`;
  }
  if (!isTransportError(error) || error.op === "") return undefined;
  if (error.reason.includes("connection refused")) {
    return `The connection to the server ${hostOf(error.url)} was refused - did you specify the right host or port?`;
  }
  return `Unable to connect to the server: ${error.reason}`;
}

/** How one error of several reads: without the "error: " a lone one gets. */
function plainMessage(error: unknown): string {
  return standardMessage(error) ?? messageOf(error);
}

/** Returns the leaves of nested aggregates, in order. */
export function flatten(error: AggregateError): readonly unknown[] {
  return error.errors.flatMap((inner: unknown) => (inner instanceof AggregateError ? flatten(inner) : [inner]));
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    const messages = [...new Set(flatten(error).map(messageOf))];
    return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
  }
  return errorMessage(error);
}

/** Errors may carry `advice`, a line for people: the document, line and column, or what to do next. */
function adviceOf(error: unknown): string {
  return typeof error === "object" && error !== null && "advice" in error && typeof error.advice === "string"
    ? error.advice
    : "";
}

/** "127.0.0.1:6443" out of the URL that was asked. */
function hostOf(url: string): string {
  return /^[a-z+]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? url;
}

function noSuchResource({ group, version, resource }: GroupVersionResource): string {
  const places = [group && `group ${goQuote(group)}`, version && `version ${goQuote(version)}`].filter(Boolean);
  const where = places.length === 0 ? "" : ` in ${places.join(" and ")}`;
  return `the server doesn't have a resource type ${goQuote(resource)}${where}`;
}

function terminated(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
