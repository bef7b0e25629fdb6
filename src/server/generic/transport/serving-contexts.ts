import { constants } from "node:crypto";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { once } from "../../../base/async/once.js";
import type { PemPair } from "../../../machinery/crypto/key-pair.js";
import { certificatesIn } from "../../../machinery/crypto/certificates.js";
import { refusesTickets } from "./client-hello.js";
import { EVERY_CLIENT_FAILS } from "../../../machinery/crypto/sent-certificates.js";
import { type NamedPair, NamedCertificates } from "./named-certificates.js";
import { protocolOptions, type TlsProtocol } from "./tls-protocol.js";

/** The certificates that a server presents to clients. */
export interface ShownPairs extends PemPair {
  /** Pairs for clients that ask for a server by name. */
  readonly named?: readonly NamedPair[];
}

export interface ServingContextsOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** Left out: what the runtime speaks by default. */
  readonly protocol?: TlsProtocol | undefined;
  /** The authorities of clients, PEM. */
  readonly authorities: () => string;
}

interface Context {
  readonly options: SecureContextOptions;
  readonly context: SecureContext;
  /** Makes no session tickets of its own: a session's id of 32 bytes stands for one. Made when a client first needs it. */
  readonly ticketless: () => SecureContext;
}

/** Sessions are resumed in the context of the server name that they were made in. */
const SESSION_ID_CONTEXT = "kubets";

/** The TLS contexts of a server: one for each certificate that it shows, all with the same authorities of clients. */
export class ServingContexts {
  readonly #options: ServingContextsOptions;
  #pairs: ShownPairs;
  #contexts: NamedCertificates<Context> | undefined;
  #plain: Context;

  /** Throws for pairs that OpenSSL or Go would not serve. */
  constructor(options: ServingContextsOptions, pairs: ShownPairs) {
    this.#options = options;
    this.#pairs = pairs;
    [this.#plain, this.#contexts] = this.#made(pairs);
  }

  /** What the server is made with. */
  get serverOptions() {
    return {
      ...this.#plain.options,
      // Without it a server has one certificate, and nothing is chosen.
      ...(this.#contexts !== undefined && {
        SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) =>
          done(null, this.#contexts?.for(name).context),
      }),
    };
  }

  /** From now on new connections get these pairs. Throws, and changes nothing, for pairs that cannot be served. */
  show(server: Http2SecureServer, pairs: ShownPairs): void {
    const [plain, contexts] = this.#made(pairs);
    server.setSecureContext(plain.options);
    this.#pairs = pairs;
    [this.#plain, this.#contexts] = [plain, contexts];
  }

  /** Takes the authorities as they are now. */
  renew(server: Http2SecureServer): void {
    this.show(server, this.#pairs);
  }

  /**
   * Serves clients that cannot use session tickets without them. OpenSSL 3.0 decodes the client's certificate for each of two tickets, which
   * is a third of the cost of a handshake. Node can leave tickets out by a context alone, so that the first bytes of a connection choose the
   * context before Node's TLS reads them. `patience` is how long a client may be silent, in milliseconds.
   */
  chooseBeforeTls(server: Http2SecureServer, patience: number): void {
    const [secure] = server.listeners("connection");
    // bun's TLS sends no tickets to such clients by itself.
    if (secure === undefined || !("_sharedCreds" in server) || process.versions["bun"] !== undefined) return;
    server.removeListener("connection", secure as (socket: Socket) => void);
    server.on("connection", (socket: Socket) => {
      const drop = (): void => void socket.destroy();
      const begin = (first: Buffer): void => {
        socket.pause();
        socket.off("end", drop).setTimeout(0);
        socket.off("timeout", drop);
        socket.unshift(first);
        const { context, ticketless } = this.#plain;
        Object.assign(server, { _sharedCreds: refusesTickets(first) ? ticketless() : context });
        Reflect.apply(secure, server, [socket]);
        Object.assign(server, { _sharedCreds: context });
      };
      // A client that hangs up before its first byte is no error of the server.
      socket.on("error", () => {}).once("end", drop);
      socket.setTimeout(patience, drop);
      socket.once("data", begin);
    });
  }

  #made(pairs: ShownPairs): [Context, NamedCertificates<Context> | undefined] {
    const served = (pair: PemPair): Context => this.#contextOf(pair);
    if (pairs.named === undefined || pairs.named.length === 0) return [served(pairs), undefined];
    const contexts = new NamedCertificates(pairs, pairs.named, served);
    return [contexts.withoutName(this.#options.host), contexts];
  }

  #contextOf({ certificate: cert, key }: PemPair): Context {
    const { protocol, authorities } = this.#options;
    const ca = authorities();
    const options: SecureContextOptions = {
      cert: withIssuer(cert, ca),
      key,
      ca,
      crl: EVERY_CLIENT_FAILS,
      sessionIdContext: SESSION_ID_CONTEXT,
      ...(protocol !== undefined && protocolOptions(protocol)),
    };
    const withoutTickets = { ...options, secureOptions: constants.SSL_OP_NO_TICKET };
    const ticketless = once(() => createSecureContext(withoutTickets));
    return { options, context: createSecureContext(options), ticketless };
  }
}

/**
 * A certificate with the one of the authorities that issued it, as OpenSSL would send it: to look for the issuer of a certificate that stands
 * alone, OpenSSL verifies it in every handshake.
 */
function withIssuer(certificate: string, authorities: string): string {
  const [leaf, ...others] = certificatesIn(certificate);
  if (leaf === undefined || others.length > 0) return certificate;
  const issuer = (authorities === "" ? [] : certificatesIn(authorities)).find(
    (one) => leaf.checkIssued(one) && leaf.verify(one.publicKey),
  );
  return issuer === undefined || issuer.fingerprint256 === leaf.fingerprint256
    ? certificate
    : `${leaf.toString()}${issuer.toString()}`;
}
