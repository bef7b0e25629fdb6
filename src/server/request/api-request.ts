import type { ServedApi } from "../../api/facts/index.js";
import type { CancellationToken } from "../../base/async/cancellation.js";
import { headerValue } from "../../base/text/header-text.js";
import type { LogValues } from "../../machinery/text/klog/klog.js";
import type { Exchange } from "./exchange.js";
import type { RequestAudit } from "./request-audit.js";
import { parseRequestInfo, type RequestInfo } from "./request-info.js";
import { ANONYMOUS, type User } from "./user.js";

const NONE: ReadonlyMap<string, string> = new Map();

/** A request on its way through the filter chain. It is immutable: a filter passes on a changed copy. */
export class ApiRequest implements CancellationToken {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  /** What the server serves, as of the request's arrival: it stays the same to the request's end. */
  readonly api: ServedApi;
  readonly user: User;
  /** Milliseconds since the epoch when the request arrived, by the server's clock. */
  readonly received: number;
  readonly warnings: Warnings;
  /** What admission plugins note for the request's audit event. */
  readonly annotations: AuditAnnotations;
  /** Names the request in logs and in the answer's Audit-Id header. */
  readonly auditId: string;
  /**
   * What filters add to the answer, whoever writes it, and parts of the server to the request's line in the log, where it is logged: all copies of the
   * request share it.
   */
  readonly added: {
    headers: Readonly<Record<string, string>> | undefined;
    line: LogValues[] | undefined;
    /** Where the failure was made that the request is answered with, as V8 writes the frames of a stack; "" where the line should not say it. */
    stack: string | undefined;
  };
  /** Called when a watch has sent the state that it begins with, or when another server takes the request over. It may be called again. */
  readonly onInitialized: (() => void) | undefined;
  /** The request's audit record; undefined where none is kept. */
  readonly audit: RequestAudit | undefined;
  readonly #ending: RequestParts["ending"];

  constructor(parts: RequestParts) {
    this.exchange = parts.exchange;
    this.info = parts.info;
    this.api = parts.api;
    this.user = parts.user;
    this.received = parts.received;
    this.warnings = parts.warnings;
    this.annotations = parts.annotations;
    this.auditId = parts.auditId;
    this.added = parts.added;
    this.onInitialized = parts.onInitialized;
    this.audit = parts.audit;
    this.#ending = parts.ending;
  }

  /** Aborts when the client disconnects, the server stops, the request's deadline has passed, or it is answered. */
  get signal(): AbortSignal {
    return (this.#ending ?? this.exchange).signal;
  }

  /**
   * True once the client has disconnected or the request's deadline has passed: what still works for it ends at its next step. A
   * server that stops cancels nothing.
   */
  get isCancelled(): boolean {
    return this.#ending?.isCancelled ?? this.exchange.left === true;
  }

  get isRevoked(): boolean {
    return this.exchange.isRevoked === true;
  }

  /** Milliseconds until the request's deadline; undefined for one without. */
  get timeLeft(): number | undefined {
    return this.#ending?.timeLeft;
  }

  /** Adds headers, by lower-case names, to whatever answer the request gets. The answer's own come first. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.added.headers = this.added.headers === undefined ? headers : { ...this.added.headers, ...headers };
  }

  /** Every request has some copies: they are made of one shape, without a spread. */
  with(changes: Changes): ApiRequest {
    return new ApiRequest({
      exchange: changes.exchange ?? this.exchange,
      info: changes.info ?? this.info,
      api: this.api,
      user: changes.user ?? this.user,
      received: this.received,
      warnings: this.warnings,
      annotations: this.annotations,
      auditId: this.auditId,
      added: this.added,
      onInitialized: changes.onInitialized ?? this.onInitialized,
      audit: changes.audit ?? this.audit,
      ending: changes.ending ?? this.#ending,
    });
  }
}

type RequestParts = Pick<
  ApiRequest,
  "exchange" | "info" | "api" | "user" | "received" | "warnings" | "annotations" | "auditId" | "added"
> & {
  readonly onInitialized?: ApiRequest["onInitialized"];
  readonly audit?: RequestAudit | undefined;
  /** Overrides the exchange's signal. The signal is created on first use. */
  readonly ending?: (CancellationToken & { readonly timeLeft: number }) | undefined;
};

type Changes = Partial<Pick<RequestParts, "exchange" | "info" | "user" | "onInitialized" | "audit" | "ending">>;

/** Handles a request to its end. A thrown StatusError becomes the answer unless the handler has responded already. */
export type Handler = (request: ApiRequest) => Promise<void>;

/** Wraps a handler in another. In a chain, the first filter is the first to see a request. */
export type Filter = (next: Handler) => Handler;

/** Wraps `last` in the filters, the first one outermost. */
export function chain(filters: readonly Filter[], last: Handler): Handler {
  return filters.reduceRight((next, filter) => filter(next), last);
}

export function newApiRequest(exchange: Exchange, api: ServedApi, received: number, auditId: string): ApiRequest {
  return new ApiRequest({
    exchange,
    info: parseRequestInfo(exchange.method, exchange.path, exchange.query),
    api,
    user: ANONYMOUS,
    received,
    warnings: new Warnings(),
    annotations: new AuditAnnotations(),
    auditId,
    added: { headers: undefined, line: undefined, stack: undefined },
  });
}

/**
 * The limit of all warnings together, in characters. Beyond it each text is cut to {@link CUT_TEXT} and the last ones are
 * dropped.
 */
const ALL_TEXTS = 4096;
const CUT_TEXT = 256;

/**
 * The texts of `Warning:` headers, each once, in order. Clients limit the size of an answer's head, so these are limited
 * too.
 */
export class Warnings {
  #texts: Set<string> | undefined;

  /** A text with control characters, which no header may hold, is left out, as kube-apiserver leaves it out. */
  add(text: string): void {
    if (text !== "" && !/\p{Cc}/u.test(text)) (this.#texts ??= new Set()).add(text);
  }

  /** Header values: `299 - "text"`. */
  headerValues(): readonly string[] {
    if (this.#texts === undefined) return [];
    return fitting(this.#texts).map((text) => headerValue(`299 - "${text.replace(/(["\\])/g, "\\$1")}"`));
  }
}

/**
 * Truncates as kube-apiserver does: it cuts every text up to the one that exceeds the limit and keeps later ones while there
 * is room.
 */
function fitting(all: ReadonlySet<string>): readonly string[] {
  const texts = [...all].map((text) => Array.from(text));
  let total = 0;
  const tooMany = texts.findIndex(({ length }) => (total += length) > ALL_TEXTS);
  if (tooMany < 0) return [...all];
  const kept: string[] = [];
  total = 0;
  for (const [index, text] of texts.entries()) {
    if (index > tooMany && total >= ALL_TEXTS) break;
    const cut = text.slice(0, CUT_TEXT);
    total += cut.length;
    kept.push(cut.join(""));
  }
  return kept;
}

/** The audit annotations of a request, by key. The first value of a key wins. */
export class AuditAnnotations {
  #values: Map<string, string> | undefined;

  /** Returns the value that the key has now: the given one, or an earlier one. */
  add(key: string, value: string): string {
    this.#values ??= new Map();
    const held = this.#values.get(key);
    if (held === undefined) this.#values.set(key, value);
    return held ?? value;
  }

  entries(): ReadonlyMap<string, string> {
    return this.#values ?? NONE;
  }
}
