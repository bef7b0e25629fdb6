import type { Http2SecureServer } from "node:http2";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import type { PemPair } from "../../../machinery/signature/key-pair.js";
import { type NamedPair, NamedCertificates } from "./named-certificates.js";
import { protocolOptions, type TlsProtocol } from "./tls-protocol.js";

/** What a server shows to those who connect. */
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
    this.complete(server);
  }

  /** Takes the authorities as they are now. */
  renew(server: Http2SecureServer): void {
    this.show(server, this.#pairs);
  }

  /** Node makes a server's own context without what it does for others: an authority that is no root would be trusted by none. */
  complete(server: Http2SecureServer): void {
    if ("_sharedCreds" in server) Object.assign(server, { _sharedCreds: this.#plain.context });
  }

  #made(pairs: ShownPairs): [Context, NamedCertificates<Context> | undefined] {
    const served = (pair: PemPair): Context => this.#contextOf(pair);
    if (pairs.named === undefined || pairs.named.length === 0) return [served(pairs), undefined];
    const contexts = new NamedCertificates(pairs, pairs.named, served);
    return [contexts.withoutName(this.#options.host), contexts];
  }

  #contextOf({ certificate: cert, key }: PemPair): Context {
    const { protocol, authorities } = this.#options;
    const options: SecureContextOptions = {
      cert,
      key,
      ca: authorities(),
      // As in Go, an authority is trusted by itself: one that another authority signed needs no certificate of that one.
      allowPartialTrustChain: true,
      sessionIdContext: SESSION_ID_CONTEXT,
      ...(protocol !== undefined && protocolOptions(protocol)),
    };
    return { options, context: createSecureContext(options) };
  }
}
