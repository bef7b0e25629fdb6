/** The only module that imports gRPC. */
import { isIP, type Socket } from "node:net";
import { checkServerIdentity } from "node:tls";
import {
  Client,
  connectivityState,
  ChannelCredentials,
  type ChannelOptions,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import type { HttpConnectProxy } from "../../../client/transport/http-connect.js";
import { errorMessage } from "../../../base/text/error-message.js";

export interface GrpcAddress {
  /** "127.0.0.1:2379" */
  readonly target: string;
  /** Absent: no TLS. */
  readonly tls?: GrpcTls;
  /** Leads to the target. Absent: the machine's network does. */
  readonly proxy?: HttpConnectProxy;
}

/** PEM texts. */
export interface GrpcTls {
  /** Absent: Node's root certificates. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface GrpcMethod<In, Out> {
  readonly path: string;
  readonly request: { encode(message: In): Uint8Array };
  readonly response: { decode(bytes: Uint8Array): Out };
}

/** A call that failed. */
export class GrpcFailure extends Error {
  override readonly name = "GrpcFailure";
  constructor(
    /** The name of gRPC's status code: "UNAVAILABLE". */
    readonly code: keyof typeof status,
    readonly details: string,
    /** True when the request never left this process. */
    readonly unsent: boolean,
  ) {
    super(`${code}: ${details}`);
  }
}

/** A bidirectional stream of messages. */
export interface GrpcStream<In, Out> {
  send(message: In): void;
  /**
   * The received messages, with back-pressure. Throws {@link GrpcFailure}; ends when the server ends the stream without an
   * error.
   */
  readonly messages: AsyncIterable<Out>;
  /** Makes {@link messages} fail with CANCELLED. */
  cancel(): void;
}

const OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  // etcd closes connections that ping more often than every five seconds.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1000,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.use_local_subchannel_pool": 1,
};

const CLOSING = "the store is closing";

/** The connection to one address. It connects with the first call and again after it breaks. */
export class GrpcChannel {
  readonly #client: Client;

  constructor(readonly address: GrpcAddress) {
    const { target, tls, proxy } = address;
    const secured =
      tls === undefined ? { credentials: credentials.createInsecure(), options: {} } : secure(target, tls);
    const channel = proxy === undefined ? { target, ...secured } : proxied(target, secured, proxy);
    this.#client = new Client(channel.target, channel.credentials, { ...OPTIONS, ...channel.options });
  }

  /** Sends one request and returns its answer. Throws {@link GrpcFailure}, at the latest after `timeoutMilliseconds`. */
  async call<In, Out>(
    method: GrpcMethod<In, Out>,
    request: In,
    options: { timeoutMilliseconds: number; signal?: AbortSignal; headers?: Readonly<Record<string, string>> },
  ): Promise<Out> {
    const { timeoutMilliseconds, signal, headers = {} } = options;
    // gRPC compares a deadline with the process's own time.
    const deadline = Date.now() + timeoutMilliseconds;
    await this.#connect(deadline, signal);
    return new Promise((resolve, reject) => {
      let call: ClientUnaryCall | undefined;
      // bun's HTTP/2 tells of a cancelled call when its deadline is over.
      const cancel = (): void => {
        call?.cancel();
        reject(new GrpcFailure("CANCELLED", CLOSING, false));
      };
      call = this.#client.makeUnaryRequest(
        method.path,
        (message: In) => Buffer.from(method.request.encode(message)),
        (bytes) => method.response.decode(bytes),
        request,
        metadataOf(headers),
        { deadline },
        (error, answer) => {
          signal?.removeEventListener("abort", cancel);
          if (error !== null) reject(failureOf(error));
          else if (answer === undefined) reject(new GrpcFailure("INTERNAL", "no answer", false));
          else resolve(answer);
        },
      );
      signal?.addEventListener("abort", cancel);
    });
  }

  /** Opens a stream with `headers` and without a deadline. */
  open<In, Out>(method: GrpcMethod<In, Out>, headers: Readonly<Record<string, string>>): GrpcStream<In, Out> {
    const stream = this.#client.makeBidiStreamRequest(
      method.path,
      (message: In) => Buffer.from(method.request.encode(message)),
      (bytes) => method.response.decode(bytes),
      metadataOf(headers),
    );
    // The reader gets the error. Without a listener, one that comes between two reads would end the process.
    stream.on("error", () => {});
    return {
      send: (message) => void stream.write(message),
      messages: received(stream),
      cancel: () => stream.cancel(),
    };
  }

  close(): void {
    this.#client.close();
  }

  /** Resolves when the channel is connected, or has failed to connect; the call then reports the reason. */
  async #connect(deadline: number, signal: AbortSignal | undefined): Promise<void> {
    const channel = this.#client.getChannel();
    for (;;) {
      if (signal?.aborted === true) throw new GrpcFailure("CANCELLED", CLOSING, true);
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.READY || state === connectivityState.TRANSIENT_FAILURE) return;
      if (state === connectivityState.SHUTDOWN || Date.now() >= deadline) {
        throw new GrpcFailure("UNAVAILABLE", `cannot connect to ${this.address.target} in time`, true);
      }
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal?.removeEventListener("abort", done);
          resolve();
        };
        signal?.addEventListener("abort", done);
        channel.watchConnectivityState(state, deadline, done);
      });
    }
  }
}

function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

interface Secured {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/** "127.0.0.1" of "127.0.0.1:2379". */
const hostOf = (target: string): string => target.slice(0, target.lastIndexOf(":")).replace(/^\[|\]$/g, "");

/** A channel that connects to the proxy, and through it to the target. */
function proxied(target: string, { credentials: inner, options }: Secured, proxy: HttpConnectProxy) {
  const { place, address } = proxy;
  const connection = { host: hostOf(target), port: Number(target.slice(target.lastIndexOf(":") + 1)) };
  return {
    target: "path" in place ? `unix:${address}` : address,
    credentials: new ProxiedCredentials(inner, target, (socket) => proxy.tunnel(socket, connection)),
    options: {
      "grpc.default_authority": target,
      "grpc.ssl_target_name_override": connection.host,
      ...options,
    },
  };
}

/** Credentials that make of each connection to a proxy one to the target, before they secure it. */
class ProxiedCredentials extends ChannelCredentials {
  constructor(
    private readonly inner: ChannelCredentials,
    private readonly target: string,
    private readonly tunnel: (socket: Socket) => Promise<Socket>,
  ) {
    super();
  }

  override _isSecure(): boolean {
    return this.inner._isSecure();
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    ...[, options, callCredentials]: Parameters<ChannelCredentials["_createSecureConnector"]>
  ): SecureConnector {
    const inner = this.inner._createSecureConnector({ scheme: "dns", path: this.target }, options, callCredentials);
    return {
      connect: async (socket) => inner.connect(await this.tunnel(socket)),
      waitForReady: () => inner.waitForReady(),
      getCallCredentials: () => inner.getCallCredentials(),
      destroy: () => inner.destroy(),
    };
  }
}

type SecureConnector = ReturnType<ChannelCredentials["_createSecureConnector"]>;

function secure(target: string, tls: GrpcTls): Secured {
  const host = hostOf(target);
  const files = [tls.ca ?? null, tls.key ?? null, tls.cert ?? null] as const;
  if (isIP(host) === 0) return { credentials: credentials.createSsl(...files), options: {} };
  // grpc-js would send the IP address as a TLS server name, which TLS forbids and Node warns of.
  return {
    credentials: credentials.createSsl(...files, {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    }),
    options: { "grpc.ssl_target_name_override": "etcd" },
  };
}

async function* received<Out>(stream: AsyncIterable<Out>): AsyncGenerator<Out, void> {
  try {
    yield* stream;
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): GrpcFailure {
  if (!isServiceError(error)) {
    return new GrpcFailure("UNKNOWN", errorMessage(error), false);
  }
  const { code, details } = error;
  return new GrpcFailure(
    (status[code] ?? "UNKNOWN") as keyof typeof status,
    details.replace(/\. Resolution note: $/, ""),
    code === status.UNAVAILABLE && /^(No connection established|Name resolution failed)/.test(details),
  );
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}
