import { type IncomingMessage, request as httpRequest } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { ConnectedAgent } from "../../../../client/transport/connected-agent.js";
import type { ProgramIo } from "../../program.js";
import { type Reached, reach } from "./reach.js";

/** A request of a program. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | undefined;
  /**
   * Of https, asked for once the connection stands and where its other end speaks TLS; left out: the authorities that Node knows, and no
   * certificate of the client's. What it throws is thrown.
   */
  readonly tls?: () => TlsChoice | Promise<TlsChoice>;
  /** Where the host is, in the place of its name. */
  readonly address?: string | undefined;
  readonly signal: AbortSignal;
  readonly onAddress?: (address: string) => void | Promise<void>;
  /** Called once the connection stands, and with TLS after its handshake. */
  readonly onConnect?: (reached: Reached) => void | Promise<void>;
}

export interface TlsChoice {
  /** PEM. */
  readonly ca?: Uint8Array;
  readonly cert?: Uint8Array;
  readonly key?: Uint8Array;
  readonly isInsecure?: boolean;
}

/** The server's certificate is not the expected one, or the server does not speak TLS. */
export class TlsError extends Error {
  override readonly name = "TlsError";

  constructor(
    message: string,
    /** Node's, such as SELF_SIGNED_CERT_IN_CHAIN. */
    readonly code: string,
  ) {
    super(message);
  }
}

export interface HttpAnswer extends Reached {
  readonly response: IncomingMessage;
  readonly port: number;
}

/** A head of an answer is no longer, in bytes. */
const LONGEST_HEAD = 256 * 1024;

/**
 * Sends a request and resolves with the head of its answer. Rejects as {@link reach} does, with a {@link TlsError}, with Node's error of a
 * connection that broke, and with the signal's reason. What only stands in for a program is asked without TLS: it has no certificate.
 */
export async function exchange(io: ProgramIo, call: HttpCall): Promise<HttpAnswer> {
  const { url, signal, method, body } = call;
  const host = hostOf(url);
  const port = portOf(url);
  const { onAddress } = call;
  const reached = await reach(io, call.address ?? host, port, { signal, ...(onAddress && { onAddress }) });
  const isGuarded = url.protocol === "https:" && reached.standIn === undefined;
  const connection = isGuarded
    ? await secured(reached.connection, host, await choiceOf(call, reached))
    : reached.connection;
  await call.onConnect?.(reached);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = httpRequest({
      method,
      path: `${url.pathname}${url.search}`,
      headers: call.headers.flat(),
      setHost: false,
      agent: new ConnectedAgent(Promise.resolve(connection)),
      maxHeaderSize: LONGEST_HEAD,
      signal,
    });
    sent.once("response", resolve);
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    sent.end(body);
  });
  return { ...reached, response, port };
}

async function choiceOf({ tls }: HttpCall, { connection }: Reached): Promise<TlsChoice> {
  try {
    return (await tls?.()) ?? {};
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** Formats the head of an answer, a line for each header. */
export function headLines({
  response: { httpVersion, statusCode, statusMessage = "", rawHeaders },
}: HttpAnswer): readonly string[] {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return lines;
}

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? HTTPS_PORT : HTTP_PORT) : Number(port);

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

function secured(socket: Duplex, host: string, choice: TlsChoice): Promise<Duplex> {
  const { ca, cert, key, isInsecure = false } = choice;
  const bytes = {
    ...(ca && { ca: Buffer.from(ca) }),
    ...(cert && { cert: Buffer.from(cert) }),
    ...(key && { key: Buffer.from(key) }),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error & { readonly code?: string }): void => {
      socket.destroy();
      reject(new TlsError(error.message, error.code ?? ""));
    };
    try {
      const name = isIP(host) === 0 ? { servername: host } : {};
      const connection = connectTls({ socket, host, ...name, ...bytes, rejectUnauthorized: !isInsecure });
      connection.once("error", fail).once("secureConnect", () => {
        connection.off("error", fail).on("error", () => {});
        resolve(connection);
      });
    } catch (error) {
      // A certificate that cannot be read.
      fail(error as Error);
    }
  });
}
