import type { CancellationToken } from "../../base/async/cancellation.js";
import type { GroupVersionKind, GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { AuditAnnotations, Warnings } from "../request/api-request.js";
import type { RequestAudit } from "../request/request-audit.js";
import type { User } from "../request/user.js";
import { forbidden, type StatusError } from "../../machinery/errors/status-error.js";
import { type Reinvocation, SecondRound } from "./reinvocation.js";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One attempt of a write, or one connection, as admission plugins see it. */
export interface AdmissionAttributes {
  /** A PUT or an apply that makes a new object is a CREATE, and every other PUT and PATCH an UPDATE. */
  readonly operation: Operation;
  /** The kind of the request's body: for deployments/scale it is autoscaling/v1 Scale. */
  readonly kind: GroupVersionKind;
  /** The resource of the request's path. */
  readonly resource: GroupVersionResource;
  /** "" for the object itself. */
  readonly subresource: string;
  /** "" for mutating plugins while a generated name is not there yet, and for each object of a collection's deletion. */
  readonly name: string;
  /** "" for cluster-scoped resources. For a Namespace it is the Namespace's own name. */
  readonly namespace: string;
  /**
   * The new object of a create or an update, or the options of a connection; undefined for a delete. A kind that is stored is
   * in its hub's shape, the version that storage holds, whatever version the request has. Mutating plugins change it in
   * place. Validating plugins see the object as it would be stored; a change to it has no effect.
   */
  readonly object?: KubeObject | undefined;
  /** The current object of an update or a delete. It must not be changed. */
  readonly oldObject?: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions or DeleteOptions (meta.k8s.io/v1); undefined for a connection. */
  readonly options?: JsonObject | undefined;
  /** The request stores nothing, and a plugin must change nothing elsewhere. */
  readonly dryRun: boolean;
  readonly user: User;
  /** Aborts when the client disconnects, the server stops, the request's deadline has passed, or it is answered. */
  readonly signal: AbortSignal;
  /** Adds a text to the answer's `Warning:` headers. */
  addWarning(text: string): void;
  /**
   * Notes something for the request's audit event. `key` is a DNS subdomain, a slash and a name. Throws for another form, and
   * when the key has another value already.
   */
  addAnnotation(key: string, value: string): void;
  readonly reinvocation: Reinvocation;
  /** The objects in other versions than the hub's. */
  readonly versions: ObjectVersions;
  /** @internal The request's audit record. */
  readonly audit?: RequestAudit | undefined;
  /** Milliseconds until the request's deadline; undefined for one without. */
  readonly timeLeft: number | undefined;
  /**
   * Calls `listener` once the object is stored, or is known never to be. It is not called where that is not known, as when the storage
   * does not answer.
   */
  whenSettled(listener: () => void): void;
}

/** Converts the request's object between the versions of its kind. A result is a promise only for a kind that a webhook converts. */
export interface ObjectVersions {
  /**
   * The same resource, and the same subresource of it, at the other group versions that the server serves it at, with the kind
   * of a body there.
   */
  readonly equivalents: readonly EquivalentResource[];
  /** An object of the attributes in another version of its kind. It may share parts with the argument, which is not changed. */
  convert(object: KubeObject, kind: GroupVersionKind): KubeObject | Promise<KubeObject>;
  /** An object that is in the version of `kind` as its JSON reads: with the empty structs that Go writes. It may share parts with the argument. */
  view(object: KubeObject, kind: GroupVersionKind): JsonObject;
  /** The fields of the version of `kind`; undefined where they are not known. */
  schemaOf(kind: GroupVersionKind): StructSchema | undefined;
  /** The JSON of an object that is in the version of `kind`, as a client sees it. */
  encode(object: KubeObject, kind: GroupVersionKind): Uint8Array | Promise<Uint8Array>;
  /**
   * JSON as an object in the version of `kind`, without its defaults: unknown fields are left out. Throws an UnmarshalError for what
   * is not of that kind.
   */
  decode(value: JsonValue, kind: GroupVersionKind): KubeObject | Promise<KubeObject>;
  /** The way back: an object in the version of `kind`, with the defaults of its version, as the attributes have it. Takes it over. */
  restore(object: KubeObject, kind: GroupVersionKind): KubeObject | Promise<KubeObject>;
}

export interface EquivalentResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** The attributes that all attempts of one request share. */
export interface AdmissionRequest {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly dryRun: boolean;
  readonly user: User;
  readonly signal: AbortSignal;
  /** True once the client has disconnected or the deadline has passed. A server that stops cancels nothing. */
  readonly isCancelled: boolean;
  /** No further plugin runs for a request that is cancelled. */
  readonly token?: CancellationToken | undefined;
  /** Milliseconds until the request's deadline; undefined for one without. */
  readonly timeLeft: number | undefined;
  whenSettled?(listener: () => void): void;
  readonly warnings: Warnings;
  readonly annotations: AuditAnnotations;
  readonly audit?: RequestAudit | undefined;
  /** The shape of the objects that plugins see. */
  readonly schema: StructSchema | undefined;
  readonly versions: ObjectVersions;
}

/** The attributes that differ between the attempts of a request. */
export interface AdmissionSubject {
  readonly operation: Operation;
  readonly name: string;
  readonly namespace: string;
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  /** Makes {@link AdmissionAttributes.options}, which few plugins ask for. */
  readonly options?: (() => JsonObject) | undefined;
}

/** What the plugins of one phase of one try note; made when the first of them does. */
interface Notes {
  annotations?: Map<string, string>;
}

/** The attributes of one phase of one try. */
export class AdmissionRecord implements AdmissionAttributes {
  constructor(
    readonly request: AdmissionRequest,
    private readonly subject: AdmissionSubject,
    readonly reinvocation: SecondRound = new SecondRound(),
    private readonly notes: Notes = {},
  ) {}

  /** The same try with other objects, for plugins that must not reach the originals. */
  over(objects: Pick<AdmissionSubject, "object" | "oldObject">): AdmissionRecord {
    const { operation, name, namespace, options } = this.subject;
    const subject: AdmissionSubject = {
      operation,
      name,
      namespace,
      options,
      get object() {
        return objects.object;
      },
      get oldObject() {
        return objects.oldObject;
      },
    };
    return new AdmissionRecord(this.request, subject, this.reinvocation, this.notes);
  }

  get operation(): Operation {
    return this.subject.operation;
  }

  get kind(): GroupVersionKind {
    return this.request.kind;
  }

  get resource(): GroupVersionResource {
    return this.request.resource;
  }

  get subresource(): string {
    return this.request.subresource;
  }

  get name(): string {
    return this.subject.name;
  }

  get namespace(): string {
    return this.subject.namespace;
  }

  get object(): KubeObject | undefined {
    return this.subject.object;
  }

  get oldObject(): KubeObject | undefined {
    return this.subject.oldObject;
  }

  get options(): JsonObject | undefined {
    return this.subject.options?.();
  }

  get dryRun(): boolean {
    return this.request.dryRun;
  }

  get user(): User {
    return this.request.user;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get audit(): RequestAudit | undefined {
    return this.request.audit;
  }

  get versions(): ObjectVersions {
    return this.request.versions;
  }

  get timeLeft(): number | undefined {
    return this.request.timeLeft;
  }

  whenSettled(listener: () => void): void {
    this.request.whenSettled?.(listener);
  }

  addWarning(text: string): void {
    this.request.warnings.add(text);
  }

  addAnnotation(key: string, value: string): void {
    if (!ANNOTATION_KEY.test(key)) {
      throw new Error(
        `annotation key "${key}" is not of the form "DNS subdomain/name", as "levels.example.com/pod" is`,
      );
    }
    const annotations = (this.notes.annotations ??= new Map());
    const held = annotations.get(key);
    if (held !== undefined && held !== value) {
      throw new Error(`annotation "${key}" is "${held}" already and cannot become "${value}"`);
    }
    annotations.set(key, value);
    // A try after a conflict notes things again; the request keeps what the first one noted, as kube-apiserver does.
    this.request.annotations.add(key, value);
  }
}

const ANNOTATION_KEY =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Adds an audit annotation if it is valid. An invalid one does not fail the request. */
export function annotate(attributes: AdmissionAttributes, key: string, value: string): void {
  try {
    attributes.addAnnotation(key, value);
  } catch {
    // The key has no right form, or another value already.
  }
}

/** Makes the 403 of a plugin. As in kube-apiserver, an object without a name is named by its generateName, and "Unknown" without either. */
export function refused({ resource, name, object }: AdmissionAttributes, message: string): StatusError {
  const { name: given = "", generateName = "" } = object?.metadata ?? {};
  const { group, resource: plural } = resource;
  return forbidden({ group, resource: plural }, name || given || generateName || "Unknown", message);
}
