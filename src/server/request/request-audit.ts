import type { Status } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { ApiRequest, Filter } from "./api-request.js";
import type { User } from "./user.js";

/** A layer of the server whose share of a slow request's time the audit event records. */
export type AuditedLayer =
  | "authentication"
  | "authorization"
  | "impersonation"
  | "mutating-webhook"
  | "validating-webhook"
  | "response-write";

/** Collects the facts about a request for the audit log. A request that no policy records has none, so that reporting to it costs nothing. */
export interface RequestAudit {
  /** Whether the record has the object of the answer. */
  readonly keepsAnswer: boolean;
  /** The object of the body as it was decoded, with the schema of its version. It may change afterwards. */
  decoded(object: KubeObject, schema: StructSchema | undefined): void;
  /** The body of a patch: JSON, or YAML of an apply. */
  patched(body: Uint8Array): void;
  /** The Status that the request is answered. */
  status(status: Status): void;
  /** The JSON of the answer. */
  answered(body: Uint8Array): void;
  /** As {@link answered}, for JSON that is made in parts: returns the same parts. */
  answeredIn(parts: Iterable<Uint8Array>): Iterable<Uint8Array>;
  /** The request goes on as another user. `constraint` names the verb of the right that allowed it; "" for the right to act as the user whatever the request is. */
  impersonated(user: User, constraint: string): void;
  /** A fault of the server ended the request. */
  panicked(error: unknown): void;
  /** Starts to measure a layer; the returned function ends that. */
  measure(layer: AuditedLayer): () => void;
}

/** Records requests by a policy. */
export interface RequestAuditing {
  /** Runs behind authentication, because policies name users. */
  readonly filter: Filter;
  /** Wraps the answer to a request that does not get as far as {@link filter}: its credentials, or the time that it asks for, are wrong. */
  refusing(answer: RefuseRequest): RefuseRequest;
}

/** Answers a request with an error Status. */
export type RefuseRequest = (request: ApiRequest, status: Status) => Promise<void>;
