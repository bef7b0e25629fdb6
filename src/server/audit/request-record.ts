import type { FieldsOf } from "../../machinery/meta/received.js";
import { errorMessage } from "../../base/text/error-message.js";
import { headerText } from "../../base/text/header-text.js";
import type { Stopwatch } from "../../base/time/timers.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { Status } from "../../machinery/errors/status-error.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { encodeObjectText } from "../../machinery/wire/encode.js";
import { encodeJson, encodeString } from "../../machinery/wire/json/json-encoder.js";
import { RequestAttributes } from "../authz/request-attributes.js";
import type { ApiRequest } from "../request/api-request.js";
import type { AuditedLayer, RequestAudit } from "../request/request-audit.js";
import type { User } from "../request/user.js";
import type { AuditBackend } from "./backends/audit-backend.js";
import { compactJson, withoutManagedFields } from "./embedded-json.js";
import { patchJson } from "./patch-json.js";
import type { AppliedRule } from "./policy/policy-rules.js";
import type { AuditStage } from "./audit-event.js";
import { type EventParts, type LegacyParts, RecordedEvent } from "./recorded-event.js";
import { sourceAddresses } from "./source-addresses.js";

/** The parts of the server that the audit record of a request uses. */
export interface RecordSurroundings {
  readonly sink: AuditBackend;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly stopwatch: () => Stopwatch;
  /** Called once for each event. */
  readonly count: () => void;
}

/** How much of a User-Agent is kept, in characters. */
const LONGEST_USER_AGENT = 1024;
/** Requests that take longer, in milliseconds, say in which layers of the server. */
const SLOW = 500;

/** The audit record of a request. Each stage sends one event from it. */
export class RequestRecord implements RequestAudit {
  readonly keepsAnswer: boolean;
  readonly #keepsRequest: boolean;
  readonly #fixed: Pick<EventParts, "level" | "auditId" | "request" | "source" | "received">;
  readonly #legacy: Omit<LegacyParts, "impersonated" | "namespace" | "code">;
  readonly #objectRef: ObjectReference | undefined;
  #impersonated: User | undefined;
  #constraint = "";
  #status: RecordedStatus | undefined;
  #panic: string | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #parts: Uint8Array[] | undefined;
  #layers: Map<AuditedLayer, number> | undefined;
  #completed: boolean | Promise<boolean> | undefined;

  constructor(
    private readonly request: ApiRequest,
    private readonly rule: AppliedRule,
    private readonly surroundings: RecordSurroundings,
  ) {
    const { exchange, user, received, auditId } = request;
    const { level } = rule;
    const attributes = new RequestAttributes(request);
    this.keepsAnswer = level === "RequestResponse";
    this.#keepsRequest = this.keepsAnswer || level === "Request";
    this.#objectRef = attributes.isResourceRequest ? referenceOf(attributes) : undefined;
    const addresses = sourceAddresses(exchange);
    const userAgent = shortened(headerText(exchange.headers["user-agent"] ?? ""));
    const { verb } = attributes;
    this.#fixed = {
      level,
      auditId,
      request: `"requestURI":${encodeString(exchange.uri)},"verb":${encodeString(verb)},"user":${userJson(user)}`,
      source:
        (addresses.length === 0 ? "" : `"sourceIPs":${encodeJson(addresses)},`) +
        (userAgent === "" ? "" : `"userAgent":${encodeString(userAgent)},`),
      received,
    };
    this.#legacy = { ip: addresses[0], method: verb, user, userAgent, uri: exchange.uri };
  }

  /** Sends the event of a stage, unless the policy omits it. Returns, or resolves to, false where a backend failed whose mode fails requests. */
  process(stage: AuditStage): boolean | Promise<boolean> {
    if (this.rule.omitStages.has(stage)) return true;
    this.surroundings.count();
    return this.surroundings.sink.process([new RecordedEvent(this.#eventAt(stage))]);
  }

  /** Sends the event of the last stage, once. */
  complete(): boolean | Promise<boolean> {
    return (this.#completed ??= this.#complete());
  }

  #complete(): boolean | Promise<boolean> {
    if (this.#panic !== undefined) {
      const message = `APIServer panic'd: ${this.#panic}`;
      this.#status = { status: "Failure", message, reason: "InternalError", code: 500 };
      return this.process("Panic");
    }
    this.#status ??= { status: "Success", message: "Connection closed early", code: 200 };
    this.#noteLatency();
    return this.process("ResponseComplete");
  }

  get hasStatus(): boolean {
    return this.#status !== undefined;
  }

  decoded(object: KubeObject, schema: StructSchema | undefined): void {
    const { metadata } = object;
    const reference = this.#objectRef;
    if (reference !== undefined && metadata !== undefined) {
      for (const field of ["namespace", "name", "uid", "resourceVersion"] as const) {
        reference[field] ||= metadata[field] ?? "";
      }
    }
    if (!this.#keepsRequest || schema === undefined) return;
    this.#requestObject = encodeObjectText(this.rule.omitManagedFields ? unmanaged(object) : object, schema);
  }

  patched(body: Uint8Array): void {
    if (this.#keepsRequest) this.#requestObject = patchJson(body);
  }

  status({ status, message, reason, details, code }: Status): void {
    this.#status = { status, message, reason, details, code };
  }

  /** The code of the answer's head. */
  code(code: number): void {
    this.#status = { ...this.#status, code };
  }

  answered(body: Uint8Array): void {
    this.#parts = [body];
  }

  answeredIn(parts: Iterable<Uint8Array>): Iterable<Uint8Array> {
    const kept: Uint8Array[] = [];
    this.#parts = kept;
    return (function* () {
      for (const part of parts) {
        kept.push(part);
        yield part;
      }
    })();
  }

  impersonated(user: User, constraint: string): void {
    this.#impersonated = user;
    this.#constraint = constraint;
  }

  panicked(error: unknown): void {
    this.#panic = errorMessage(error);
  }

  measure(layer: AuditedLayer): () => void {
    const elapsed = this.surroundings.stopwatch();
    return () => this.#took(layer, elapsed());
  }

  /** The time between the request's arrival and its record. */
  authenticatedBy(now: number): void {
    this.#took("authentication", now - this.request.received);
  }

  #took(layer: AuditedLayer, milliseconds: number): void {
    if (milliseconds <= 0) return;
    this.#layers ??= new Map();
    const before = this.#layers.get(layer) ?? 0;
    // Validating webhooks are asked at the same time.
    this.#layers.set(layer, layer === "validating-webhook" ? Math.max(before, milliseconds) : before + milliseconds);
  }

  #noteLatency(): void {
    const total = this.surroundings.now() - this.request.received;
    if (total <= SLOW || this.#layers === undefined) return;
    for (const [layer, milliseconds] of [...this.#layers, ["total", total] as const]) {
      this.request.annotations.add(`apiserver.latency.k8s.io/${layer}`, goDurationText(milliseconds));
    }
  }

  #eventAt(stage: AuditStage): EventParts {
    const impersonated = this.#impersonated;
    return {
      ...this.#fixed,
      stage,
      impersonated: impersonated === undefined ? "" : impersonatedJson(impersonated, this.#constraint),
      objectRef: this.#objectRef && textsJson(this.#objectRef),
      responseStatus: this.#status && statusJson(this.#status),
      requestObject: this.#requestObject,
      responseObject: this.#answerJson(),
      staged: stage === "RequestReceived" ? this.request.received : this.surroundings.now(),
      annotations: sorted(this.request.annotations.entries()),
      legacy: {
        ...this.#legacy,
        impersonated,
        namespace: this.#objectRef?.namespace ?? "",
        code: this.#status && (this.#status.code ?? 0),
      },
    };
  }

  #answerJson(): string | undefined {
    if (this.#responseObject === undefined && this.#parts !== undefined) {
      const text = Buffer.concat(this.#parts).toString("utf8").trimEnd();
      this.#parts = undefined;
      // The answer of a client that asked for ?pretty.
      const compact = text.startsWith("{\n") ? compactJson(text) : text;
      this.#responseObject = this.rule.omitManagedFields ? withoutManagedFields(compact) : compact;
    }
    return this.#responseObject;
  }
}

/** What is recorded of a Status. */
type RecordedStatus = {
  readonly [Field in "status" | "message" | "reason" | "details" | "code"]?: Status[Field] | undefined;
};

/** In the order in which it is written. */
interface ObjectReference {
  readonly resource: string;
  namespace: string;
  name: string;
  uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  resourceVersion: string;
  readonly subresource: string;
}

const referenceOf = (attributes: RequestAttributes): ObjectReference => ({
  resource: attributes.resource,
  namespace: attributes.namespace,
  name: attributes.name,
  uid: "",
  apiGroup: attributes.apiGroup,
  apiVersion: attributes.apiVersion,
  resourceVersion: "",
  subresource: attributes.subresource,
});

/** The JSON of an object without the members that are empty texts. */
function textsJson(object: object): string {
  const members = Object.entries(object).filter(([, value]) => value !== "");
  return `{${members.map(([name, value]) => `"${name}":${encodeString(String(value))}`).join(",")}}`;
}

/** A UserInfo of authentication.k8s.io/v1. */
function userJson({ name, uid = "", groups, extra = {} }: User): string {
  const extras = sorted(Object.entries(extra));
  const members = [
    ...(name === "" ? [] : [`"username":${encodeString(name)}`]),
    ...(uid === "" ? [] : [`"uid":${encodeString(uid)}`]),
    ...(groups.length === 0 ? [] : [`"groups":${encodeJson(groups)}`]),
    ...(extras.length === 0
      ? []
      : [`"extra":{${extras.map(([key, values]) => `${encodeString(key)}:${encodeJson(values)}`).join(",")}}`]),
  ];
  return `{${members.join(",")}}`;
}

const impersonatedJson = (user: User, constraint: string): string =>
  `"impersonatedUser":${userJson(user)},` +
  (constraint === "" ? "" : `"authenticationMetadata":{"impersonationConstraint":${encodeString(constraint)}},`);

function statusJson({ status = "", message = "", reason = "", details, code = 0 }: RecordedStatus): string {
  const texts = Object.entries({ status, message, reason } satisfies FieldsOf<Status>).filter(
    ([, value]) => value !== "",
  );
  const members = texts.map(([name, value]) => `,"${name}":${encodeString(value)}`).join("");
  const detailed = details === undefined ? "" : `,"details":${encodeJson(details)}`;
  return `{"metadata":{}${members}${detailed}${code === 0 ? "" : `,"code":${code}`}}`;
}

const sorted = <T>(entries: Iterable<readonly [string, T]>): readonly (readonly [string, T])[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

const shortened = (userAgent: string): string =>
  userAgent.length > LONGEST_USER_AGENT ? `${userAgent.slice(0, LONGEST_USER_AGENT)}...TRUNCATED` : userAgent;

function unmanaged(object: KubeObject): KubeObject {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } satisfies FieldsOf<ApiObject>;
}
