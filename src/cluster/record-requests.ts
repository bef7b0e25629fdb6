import { requestEntityTooLarge } from "../machinery/errors/status-error.js";
import type { Exchange } from "../server/request/exchange.js";
import type { Filter } from "../server/request/api-request.js";
import { WrappedExchange } from "../server/request/wrapped-exchange.js";

/** One request as it arrived. */
export interface RequestRecord {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Lower-case names; "host" of every version of HTTP. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
  readonly user: string;
}

const ANY_SIZE = 64 * 1024 * 1024;

/** Makes a filter that reports every request with its body before it is handled. Requests from this process itself are left out. */
export function recordRequests(tell: (request: RequestRecord) => void): Filter {
  return (next) => async (request) => {
    const { exchange } = request;
    if (exchange.clientCertificate?.commonName === "system:apiserver") return next(request);
    const bytes = exchange.method === "GET" ? undefined : await exchange.body(ANY_SIZE);
    const query = exchange.query.size === 0 ? "" : `?${exchange.query}`;
    tell({
      method: exchange.method,
      path: exchange.path + query,
      headers: exchange.authority === undefined ? exchange.headers : { host: exchange.authority, ...exchange.headers },
      body: bytes,
      user: exchange.clientCertificate?.commonName ?? "",
    });
    if (bytes === undefined) return next(request);
    return next(request.with({ exchange: new ReplayedExchange(exchange, bytes) }));
  };
}

/** An exchange whose body was read already. */
class ReplayedExchange extends WrappedExchange {
  constructor(
    inner: Exchange,
    private readonly bytes: Uint8Array,
  ) {
    super(inner);
  }

  override body(limit: number): Promise<Uint8Array> {
    if (this.bytes.length > limit) return Promise.reject(requestEntityTooLarge(`limit is ${limit}`));
    return Promise.resolve(this.bytes);
  }

  override async *bodyChunks(): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}
