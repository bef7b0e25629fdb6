import { goQuote } from "../../base/text/go-quote.js";
import { encodeString } from "../../machinery/wire/json/json-encoder.js";
import type { AuditLevel, AuditStage } from "./audit-event.js";

/** The parts of one event. The texts are encoded JSON. */
export interface EventParts {
  readonly level: AuditLevel;
  readonly auditId: string;
  readonly stage: AuditStage;
  /** The fields from requestURI to user, and those from sourceIPs to userAgent: they are the same in every event of a request. */
  readonly request: string;
  readonly source: string;
  /** With a comma behind it; "" where nobody is impersonated. */
  readonly impersonated: string;
  /** Objects; undefined ones are left out. */
  readonly objectRef: string | undefined;
  readonly responseStatus: string | undefined;
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  /** Milliseconds since the epoch. */
  readonly received: number;
  readonly staged: number;
  /** In the order of their keys. */
  readonly annotations: readonly (readonly [string, string])[];
  readonly legacy: LegacyParts;
}

/** The further fields in a line of the format "legacy". */
export interface LegacyParts {
  readonly ip: string | undefined;
  readonly method: string;
  readonly user: Person;
  readonly impersonated: Person | undefined;
  readonly userAgent: string;
  readonly namespace: string;
  readonly uri: string;
  readonly code: number | undefined;
}

interface Person {
  readonly name: string;
  readonly groups: readonly string[];
}

/** An event of audit.k8s.io/v1. It is encoded when a backend first needs it, once for all backends. */
export class RecordedEvent {
  #json: string | undefined;

  constructor(readonly parts: EventParts) {}

  /** The event as kube-apiserver writes it, without a line end. */
  get json(): string {
    return (this.#json ??= eventJson(this.parts));
  }

  /** The event without the objects of request and answer, with a note that says so. */
  truncated(): RecordedEvent {
    const annotations = [...this.parts.annotations.filter(([key]) => key !== TRUNCATED), [TRUNCATED, "true"] as const];
    return new RecordedEvent({
      ...this.parts,
      requestObject: undefined,
      responseObject: undefined,
      annotations: annotations.sort(([a], [b]) => (a < b ? -1 : 1)),
    });
  }
}

const TRUNCATED = "audit.k8s.io/truncated";

function eventJson(parts: EventParts): string {
  const { level, auditId, stage, objectRef, responseStatus, requestObject, responseObject, annotations } = parts;
  const notes = annotations.map(([key, value]) => `${encodeString(key)}:${encodeString(value)}`).join(",");
  return (
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"${level}","auditID":${encodeString(auditId)},"stage":"${stage}",` +
    `${parts.request},${parts.impersonated}${parts.source}` +
    field("objectRef", objectRef) +
    field("responseStatus", responseStatus) +
    field("requestObject", requestObject) +
    field("responseObject", responseObject) +
    `"requestReceivedTimestamp":"${microTime(parts.received)}","stageTimestamp":"${microTime(parts.staged)}"` +
    `${notes === "" ? "" : `,"annotations":{${notes}}`}}`
  );
}

const field = (name: string, json: string | undefined): string => (json === undefined ? "" : `"${name}":${json},`);

/** Formats milliseconds since the epoch as apimachinery's MicroTime. */
export const microTime = (milliseconds: number): string => {
  const micros = Math.round((milliseconds - Math.floor(milliseconds)) * 1000) % 1000;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
};

/** The line of an event in the format "legacy", without a line end. */
export function legacyLine({ parts }: RecordedEvent): string {
  const { auditId, stage, received, legacy } = parts;
  const { ip = "<unknown>", method, user, impersonated, userAgent, namespace, uri, code } = legacy;
  const hasUser = user.name !== "";
  const values = [
    ["id", goQuote(auditId)],
    ["stage", goQuote(stage)],
    ["ip", goQuote(ip)],
    ["method", goQuote(method)],
    ["user", goQuote(hasUser ? user.name : "<none>")],
    ["groups", goQuote(hasUser && user.groups.length > 0 ? quotedList(user.groups) : "<none>")],
    ["as", goQuote(impersonated?.name ?? "<self>")],
    ["asgroups", goQuote(impersonated === undefined ? "<lookup>" : quotedList(impersonated.groups))],
    ["user-agent", goQuote(userAgent)],
    ["namespace", goQuote(namespace === "" ? "<none>" : namespace)],
    ["uri", goQuote(uri)],
    ["response", `"${code ?? "<deferred>"}"`],
  ];
  return `${nanoTime(received)} AUDIT: ${values.map(([name, value]) => `${name}=${value}`).join(" ")}`;
}

const quotedList = (texts: readonly string[]): string => texts.map(goQuote).join(",");

/** Go's RFC3339Nano, which leaves out zeros at the end. */
function nanoTime(milliseconds: number): string {
  const [seconds = "", fraction = ""] = microTime(milliseconds).slice(0, -1).split(".");
  let length = fraction.length;
  while (length > 0 && fraction[length - 1] === "0") length -= 1;
  return length === 0 ? `${seconds}Z` : `${seconds}.${fraction.slice(0, length)}Z`;
}
