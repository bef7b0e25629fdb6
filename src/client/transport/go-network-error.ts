import { dictionary } from "../../base/collections/dictionary.js";
import { goQuote } from "../../base/text/go-quote.js";
import { errnoText, errorCode } from "../../base/files/path-error.js";

/** An error with Go's text. {@link goNetworkReason} returns it unchanged. */
export class NetworkFailure extends Error {
  override readonly name = "NetworkFailure";

  constructor(
    message: string,
    /** The system's error code, such as ECONNREFUSED, if there is one. */
    readonly code?: string,
  ) {
    super(message);
  }
}

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
}

/** The known addresses of a connection. */
export interface ConnectedSocket {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Go's text for a network error of Node. `socket` supplies the addresses that Go prints for a broken connection. */
export function goNetworkReason(error: unknown, socket?: ConnectedSocket): string {
  if (error instanceof NetworkFailure) return error.message;
  if (error instanceof AggregateError) return goNetworkReason(error.errors[0], socket);
  if (!(error instanceof Error)) return String(error);
  const { syscall, hostname, message } = error as SystemError;
  // An aborted signal's own reason has a number.
  const code = errorCode(error) ?? "";
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname ?? ""}${nameServer()}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostname ?? ""}${nameServer()}: server misbehaving`;
  if (syscall === "connect") return connectReason(error);
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || message.includes("wrong version number")) {
    return "http: server gave HTTP response to HTTPS client";
  }
  const alert = /alert (?:number )?(\d+)/.exec(message)?.[1] ?? alertNumber(code);
  if (alert !== undefined) return `remote error: tls: ${TLS_ALERTS[alert] ?? `unknown alert(${alert})`}`;
  if (code.startsWith("HPE_")) return malformed(error);
  // Node reports a connection that the peer closed without an answer as "socket hang up".
  if (message === "socket hang up" || code === "UND_ERR_SOCKET") return "EOF";
  if (message.startsWith("Client network socket disconnected")) return "EOF";
  const ends = socket?.remoteAddress
    ? ` tcp ${endpoint(socket.localAddress, socket.localPort)}->${endpoint(socket.remoteAddress, socket.remotePort)}`
    : "";
  if (code === "ECONNRESET" && syscall === "read") return `read${ends && `${ends}: read`}: connection reset by peer`;
  if (message === "i/o timeout" && ends !== "") return `read${ends}: i/o timeout`;
  if (code === "ECONNRESET") return "EOF";
  return errnoText(error);
}

function connectReason(error: Error): string {
  const { address, port } = error as SystemError;
  const to = port === undefined ? `unix ${address ?? ""}` : `tcp ${endpoint(address, port)}`;
  return `dial ${to}: connect: ${errnoText(error)}`;
}

function endpoint(address = "", port = 0): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Go's resolver names the DNS server in its errors. */
function nameServer(): string {
  // Loading node:dns reads the resolver's configuration and takes milliseconds, so only an error does it.
  const [first] = process.getBuiltinModule("node:dns").getServers();
  if (first === undefined) return "";
  if (/]:\d+$|^[\d.]+:\d+$/.test(first)) return ` on ${first}`;
  return ` on ${endpoint(first, 53)}`;
}

function malformed(error: Error): string {
  const raw = (error as SystemError).rawPacket;
  const line = raw ? (Buffer.from(raw).toString("latin1").split(/\r?\n/, 1)[0] ?? "") : "";
  return `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${goQuote(line)}`;
}

function alertNumber(code: string): string | undefined {
  const match = /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13)_ALERT_(.+)$/.exec(code)?.[1];
  return match === undefined ? undefined : ALERT_NAMES[match];
}

const ALERT_NAMES: Readonly<Record<string, string>> = dictionary({
  HANDSHAKE_FAILURE: "40",
  BAD_CERTIFICATE: "42",
  CERTIFICATE_REVOKED: "44",
  CERTIFICATE_EXPIRED: "45",
  CERTIFICATE_UNKNOWN: "46",
  UNKNOWN_CA: "48",
  ACCESS_DENIED: "49",
  PROTOCOL_VERSION: "70",
  INTERNAL_ERROR: "80",
  UNRECOGNIZED_NAME: "112",
  CERTIFICATE_REQUIRED: "116",
});

const TLS_ALERTS: Readonly<Record<string, string>> = dictionary({
  40: "handshake failure",
  42: "bad certificate",
  43: "unsupported certificate",
  44: "revoked certificate",
  45: "expired certificate",
  46: "unknown certificate",
  48: "unknown certificate authority",
  49: "access denied",
  70: "protocol version not supported",
  80: "internal error",
  112: "unrecognized name",
  116: "certificate required",
});
