import { GrpcChannel, GrpcFailure, type GrpcMethod } from "../../etcd/grpc-channel.js";
import { type Transformer, TransformError } from "../transformer.js";

/** A key management service, by which values are encrypted. */
export interface Plugin {
  /** As the configuration names it. */
  readonly name: string;
  readonly transformer: Transformer;
  /** Rejects while the plugin does not do its work. An answer holds for some seconds. */
  check(): Promise<void>;
  close(): void;
}

/** Failures that may pass: the plugin is away, slow or busy. */
const TRANSIENT: ReadonlySet<string> = new Set([
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
  "CANCELLED",
  "RESOURCE_EXHAUSTED",
  "ABORTED",
]);

/** The connection to a KMS plugin, which listens on a Unix socket. */
export class PluginChannel {
  readonly #channel: GrpcChannel;
  readonly #closing = new AbortController();

  /** `endpoint` is "unix:///run/kms.sock"; every call takes `timeoutMilliseconds` at most. */
  constructor(
    endpoint: string,
    private readonly timeoutMilliseconds: number,
  ) {
    this.#channel = new GrpcChannel({ target: `unix:${new URL(endpoint).pathname}` });
  }

  /** Rejects with a {@link TransformError} in grpc-go's words. */
  async call<In, Out>(method: GrpcMethod<In, Out>, request: In): Promise<Out> {
    const { timeoutMilliseconds } = this;
    try {
      return await this.#channel.call(method, request, { timeoutMilliseconds, signal: this.#closing.signal });
    } catch (error) {
      if (!(error instanceof GrpcFailure)) throw error;
      const { code, details } = error;
      throw new TransformError(`rpc error: code = ${goCode(code)} desc = ${details}`, TRANSIENT.has(code));
    }
  }

  close(): void {
    this.#closing.abort();
    this.#channel.close();
  }
}

/** "DEADLINE_EXCEEDED" is DeadlineExceeded in Go, and CANCELLED Canceled. */
function goCode(code: string): string {
  if (code === "CANCELLED") return "Canceled";
  return code
    .split("_")
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join("");
}
