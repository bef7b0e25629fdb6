import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { Preconditions, DeleteOptions } from "../../../api/types/meta/v1.js";
import type { CancellationToken } from "../../../base/async/cancellation.js";
import type { GroupVersionKind, GroupVersionResource } from "../../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { AdmissionPhases } from "../../admission/chain.js";
import {
  AdmissionRecord,
  type AdmissionRequest,
  type AdmissionSubject,
  type ObjectVersions,
  type Operation,
} from "../../admission/attributes.js";
import type { AdmitChange, AdmitCreate, AdmitDelete, AdmitUpdate } from "../../registry/resource.js";
import type { ApiRequest, Warnings, AuditAnnotations } from "../../request/api-request.js";
import type { RequestAudit } from "../../request/request-audit.js";
import type { User } from "../../request/user.js";
import type { DeleteRequestOptions } from "../options/delete-options.js";
import type { ServedResource } from "../served-resource.js";
import { type AdmittedBody, AdmittedVersions } from "./admitted-versions.js";

/** Runs admission for one request, through the registry's interfaces. Attributes are made only for phases that run. */
export class Admitter {
  readonly #target: { readonly group: string; readonly resource: string; readonly subresource: string };
  readonly #shared: SharedAttributes;

  constructor(
    private readonly request: ApiRequest,
    private readonly resource: ServedResource,
    dryRun: boolean,
    body?: AdmittedBody,
  ) {
    const { info } = request;
    this.#target = { group: info.apiGroup, resource: info.resource, subresource: info.subresource };
    this.#shared = new SharedAttributes(request, resource, dryRun, body);
  }

  /** Admission of a POST. */
  get create(): AdmitCreate {
    const { mutate, validate } = this.#phases("CREATE");
    const record = (object: KubeObject) => {
      const name = this.request.info.name || (object.metadata?.name ?? "");
      return this.#record("CREATE", name, { object, options: () => this.#writeOptions("CreateOptions") });
    };
    return {
      mutate: mutate && ((draft) => mutate(record(draft))),
      validate: validate && ((object) => validate(record(object))),
      settled: this.#settled,
      isCharged: this.#isCharged,
    };
  }

  /** Admission of a PUT or PATCH. */
  get update(): AdmitUpdate {
    return { create: this.create, update: this.change, settled: this.#settled, isCharged: this.#isCharged };
  }

  /** Admission of a PUT or PATCH that cannot create the object. */
  get change(): AdmitChange {
    const { mutate, validate } = this.#phases("UPDATE");
    const record = (object: KubeObject, oldObject: KubeObject) =>
      this.#record("UPDATE", this.request.info.name, {
        object,
        oldObject,
        options: () => this.#writeOptions("UpdateOptions"),
      });
    return {
      mutate: mutate && ((draft, old) => mutate(record(draft, old))),
      validate: validate && ((object, old) => validate(record(object, old))),
    };
  }

  /** Admission of a DELETE of one object or of a collection. For a collection kube-apiserver names no object in the attributes. */
  remove(options: DeleteRequestOptions): AdmitDelete {
    const phases = this.#phases("DELETE");
    if (phases.mutate === undefined && phases.validate === undefined) return undefined;
    return async (oldObject) => {
      const details = { oldObject, options: () => deleteOptionsOf(options) };
      const record = () => this.#record("DELETE", this.request.info.name, details);
      await phases.mutate?.(record());
      await phases.validate?.(record());
    };
  }

  /** Admission of a connection, such as an exec. `options` are its options as an object. */
  async connect(options: KubeObject): Promise<void> {
    const { mutate, validate } = this.#phases("CONNECT");
    const record = () => this.#record("CONNECT", this.request.info.name, { object: options });
    await mutate?.(record());
    await validate?.(record());
  }

  readonly #settled = (): void => this.#shared.settle();
  readonly #isCharged = (): boolean => this.#shared.isAwaited;

  #phases(operation: Operation): AdmissionPhases {
    return this.resource.admission.phases(operation, this.#target);
  }

  #record(
    operation: Operation,
    name: string,
    details: Pick<AdmissionSubject, "object" | "oldObject" | "options">,
  ): AdmissionRecord {
    return new AdmissionRecord(this.#shared, { operation, name, namespace: this.#namespace(name), ...details });
  }

  /** Returns the namespace of the request. A Namespace object is in the namespace of its own name. */
  #namespace(name: string): string {
    const { group, resource } = this.#target;
    if (group === "" && resource === "namespaces") return name;
    return this.resource.facts.namespaced ? this.request.info.namespace : "";
  }

  /** Returns the query's options as kube-apiserver passes them to plugins: a PATCH has those of the operation that it turned out to be. */
  #writeOptions(kind: "CreateOptions" | "UpdateOptions"): JsonObject {
    const { query } = this.request.exchange;
    const options: Record<string, JsonValue> = { kind, apiVersion: META_VERSION } satisfies FieldsOf<ApiObject>;
    if (this.#shared.dryRun) options["dryRun"] = ["All"];
    for (const field of ["fieldManager", "fieldValidation"]) {
      const value = query.get(field) ?? "";
      if (value !== "") options[field] = value;
    }
    return options;
  }
}

/** A class, because a request's signal is made when a plugin asks for it, and a literal with a getter costs each write. */
class SharedAttributes implements AdmissionRequest {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly user: User;
  readonly warnings: Warnings;
  readonly annotations: AuditAnnotations;
  readonly schema: StructSchema | undefined;
  #versions: ObjectVersions | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(
    private readonly request: ApiRequest,
    private readonly served: ServedResource,
    readonly dryRun: boolean,
    private readonly body: AdmittedBody | undefined,
  ) {
    const { codec } = served;
    const { info, user, warnings, annotations } = request;
    this.kind = body?.kind ?? codec.gvk;
    this.resource = { group: info.apiGroup, version: info.apiVersion, resource: info.resource };
    this.subresource = info.subresource;
    this.user = user;
    this.warnings = warnings;
    this.annotations = annotations;
    this.schema = body === undefined ? codec.hub.schema : body.schema;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get audit(): RequestAudit | undefined {
    return this.request.audit;
  }

  get isCancelled(): boolean {
    return this.request.isCancelled;
  }

  get token(): CancellationToken | undefined {
    return this.isAwaited ? undefined : this.request;
  }

  get timeLeft(): number | undefined {
    return this.request.timeLeft;
  }

  /** True while a plugin waits for the news whether the object is stored. */
  get isAwaited(): boolean {
    return (this.#listeners?.length ?? 0) > 0;
  }

  whenSettled(listener: () => void): void {
    (this.#listeners ??= []).push(listener);
  }

  settle(): void {
    for (const listener of this.#listeners?.splice(0) ?? []) listener();
  }

  get versions(): ObjectVersions {
    this.#versions ??= new AdmittedVersions(this.request.api, this.served, this.subresource, this.body, this.request);
    return this.#versions;
  }
}

const META_VERSION = "meta.k8s.io/v1";

function deleteOptionsOf(options: DeleteRequestOptions): JsonObject {
  const { dryRun, gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = options;
  const { uid, resourceVersion } = preconditions ?? {};
  return {
    kind: "DeleteOptions",
    apiVersion: META_VERSION,
    ...(gracePeriodSeconds !== undefined && ({ gracePeriodSeconds } satisfies FieldsOf<DeleteOptions>)),
    ...(preconditions !== undefined &&
      ({
        preconditions: {
          ...(uid !== undefined && ({ uid } satisfies FieldsOf<Preconditions>)),
          ...(resourceVersion !== undefined && ({ resourceVersion } satisfies FieldsOf<Preconditions>)),
        },
      } satisfies FieldsOf<DeleteOptions>)),
    ...(orphanDependents !== undefined && ({ orphanDependents } satisfies FieldsOf<DeleteOptions>)),
    ...(propagationPolicy !== undefined && ({ propagationPolicy } satisfies FieldsOf<DeleteOptions>)),
    ...(dryRun && ({ dryRun: ["All"] } satisfies FieldsOf<DeleteOptions>)),
  } satisfies FieldsOf<ApiObject>;
}
