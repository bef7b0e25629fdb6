import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { parseExactJson } from "../json/exact-json.js";
import { isJsonObject } from "../../meta/json.js";
import type { Status } from "../../errors/status-error.js";

/** The numbers of the streams of a remote command: the first byte of each WebSocket message, or the digit of a base64 one. */
export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** The `streamtype` header of the streams of a remote command over SPDY, and of a forwarded port. */
export type StreamType = "stdin" | "stdout" | "stderr" | "error" | "resize" | "data";

export const STREAM_TYPE = "streamtype";

/** The newest protocol of exec and attach, over SPDY and over WebSockets; V1 is the oldest. */
export const V5 = "v5.channel.k8s.io";
export const V4 = "v4.channel.k8s.io";
export const V3 = "v3.channel.k8s.io";
export const V2 = "v2.channel.k8s.io";
/** Over SPDY the oldest protocol has no name. */
export const V1 = "channel.k8s.io";

/** The protocols that a client offers over SPDY, newest first. */
export const SPDY_PROTOCOLS: readonly string[] = [V5, V4, V3, V2, V1];

/** A WebSocket subprotocol of exec and attach, for a server. */
export interface ChannelProtocol {
  readonly name: string;
  /** Messages are text: a digit for the channel, then base64. */
  readonly base64: boolean;
  /** The error channel has a Status; else it has plain text, and nothing for success. */
  readonly status: boolean;
  /** Channel 255 closes a channel. */
  readonly halfClose: boolean;
}

/** The WebSocket subprotocols that kube-apiserver and kubelets support; "" stands for a client that offers none. */
export const CHANNEL_PROTOCOLS: readonly ChannelProtocol[] = [
  { name: V5, base64: false, status: true, halfClose: true },
  { name: V4, base64: false, status: true, halfClose: false },
  { name: `v4.base64.${V1}`, base64: true, status: true, halfClose: false },
  { name: V1, base64: false, status: false, halfClose: false },
  { name: `base64.${V1}`, base64: true, status: false, halfClose: false },
  { name: "", base64: false, status: false, halfClose: false },
];

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Encodes a size for the resize stream: Go's JSON with a line break. */
export const encodeTerminalSize = ({ width, height }: TerminalSize): Uint8Array =>
  Buffer.from(`{"Width":${width},"Height":${height}}\n`);

const NON_ZERO_EXIT_CODE = "NonZeroExitCode";
const EXIT_CODE = "ExitCode";

/** The Status on an error stream; it has no kind and no code. */
export type ExitStatus = Omit<Status, "apiVersion" | "kind" | "code">;

/** Makes the Status on the error stream of a program that has ended with `code`. */
export function exitStatus(code: number): ExitStatus {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: NON_ZERO_EXIT_CODE,
    details: { causes: [{ reason: EXIT_CODE, message: String(code) }] },
  };
}

const BRAND = Symbol.for("kubets.RemoteCommandExitError");

/** The remote program has exited with a code other than 0. */
export class RemoteCommandExitError extends Error {
  override readonly name = "RemoteCommandExitError";
  readonly [BRAND] = true;

  constructor(
    /** 1 to 255. */
    readonly code: number,
  ) {
    super(`command terminated with exit code ${code}`);
  }
}

export function isRemoteCommandExit(error: unknown): error is RemoteCommandExitError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/**
 * Decodes the error stream of protocol 4 and later: undefined for success, a {@link RemoteCommandExitError}, or an error with the
 * Status' message. An invalid Status becomes an error in client-go's words.
 */
export function remoteCommandError(message: Uint8Array): Error | undefined {
  const text = Buffer.from(message).toString("utf8");
  const status = parseStatus(text);
  if (status instanceof Error) return status;
  if (status["status"] === "Success") return undefined;
  if (status["status"] !== "Failure") return protocolError("unknown error");
  if (status["reason"] !== NON_ZERO_EXIT_CODE) return new Error(textOf(status["message"]));
  const { details } = status;
  if (!isJsonObject(details)) return protocolError("details must be set");
  const causes = Array.isArray(details["causes"]) ? details["causes"].filter((one) => isJsonObject(one)) : [];
  const cause = causes.find((one) => one["reason"] === EXIT_CODE);
  if (cause === undefined) return protocolError(`no ${EXIT_CODE} cause given`);
  const value = textOf(cause["message"]);
  if (!/^\d+$/.test(value) || Number(value) > 255) return protocolError(`invalid exit code value ${goQuote(value)}`);
  return new RemoteCommandExitError(Number(value));
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function parseStatus(text: string): Record<string, unknown> | Error {
  let value: unknown;
  try {
    ({ value } = parseExactJson(text, 10_000));
  } catch (error) {
    return protocolError(`${errorMessage(error)} in ${goQuote(text)}`);
  }
  // Go decodes null into a Status without fields.
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return protocolError(`json: cannot unmarshal ${kind} into Go value of type v1.Status in ${goQuote(text)}`);
}

const protocolError = (text: string): Error => new Error(`error stream protocol error: ${text}`);
