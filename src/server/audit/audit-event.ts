import type { Status } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";

/** The levels of auditing: how much is recorded of a request. */
export const AUDIT_LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;

export type AuditLevel = (typeof AUDIT_LEVELS)[number];

/** The points in a request's life at which there is an event. */
export const AUDIT_STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

export type AuditStage = (typeof AUDIT_STAGES)[number];

/** An Event of audit.k8s.io/v1. What is empty is left out, as on the wire. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: AuditLevel;
  /** The same in all events of a request, and the answer's header Audit-Id. */
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditedUser;
  readonly impersonatedUser?: AuditedUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint?: string };
  /** Those that proxies name first; the connection's last. */
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly resourceVersion?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: Partial<Status>;
  /** Of the levels Request and RequestResponse: the object of the body, with its defaults, or a patch. */
  readonly requestObject?: JsonObject;
  /** Of the level RequestResponse. */
  readonly responseObject?: JsonObject;
  /** Times are in RFC 3339, with microseconds. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface AuditedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Called with each event. If it returns a promise, the request waits for it. An error is reported, and the request continues. */
export type AuditFunction = (event: AuditEvent) => void | Promise<void>;
