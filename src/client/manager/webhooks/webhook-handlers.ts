import type { AdmissionRequest } from "../../../api/types/admission/v1.js";
import type { TokenReviewSpec, TokenReviewStatus } from "../../../api/types/authentication/v1.js";
import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "../../../api/types/authorization/v1.js";
import type { ApiObject } from "../../../machinery/meta/object.js";

/** A request that the API server asks an admission webhook about. */
export interface AdmissionCall {
  /** As the API server sent it: operation, user, kinds, both objects, dryRun. */
  readonly request: AdmissionRequest;
  /** Aborts when the API server no longer waits. */
  readonly signal: AbortSignal;
  /** Adds a warning that the client of the API server sees. */
  warn(text: string): void;
  /** Adds an annotation to the API server's audit record. The server puts the webhook's name before the key. */
  annotate(key: string, value: string): void;
}

/** What a handler of an admission webhook answers: nothing, or the object as it shall be, from which the patch is made. */
export type AdmissionResult = void | { readonly object: ApiObject };

/** Allows a request by returning. It refuses one by throwing an AdmissionRefusal; what else it throws refuses with code 500. */
export type AdmissionHandler = (call: AdmissionCall) => AdmissionResult | Promise<AdmissionResult>;

/** Fills in what an object leaves out, by changing it (controller-runtime's CustomDefaulter). Called for creates and updates. */
export type DefaultObject<T> = (object: T, call: AdmissionCall) => void | Promise<void>;

/** Judges changes of an object (controller-runtime's CustomValidator). An operation without a function is allowed. */
export interface ValidateObject<T> {
  create?(object: T, call: AdmissionCall): void | Promise<void>;
  update?(object: T, before: T, call: AdmissionCall): void | Promise<void>;
  /** Called with the object that shall go. */
  delete?(object: T, call: AdmissionCall): void | Promise<void>;
}

/** Converts objects of one version to the hub version of their kind and back. Both get a copy, which they may change and return. */
export interface VersionConversion<Hub, Spoke> {
  toHub(object: Spoke): Hub;
  fromHub(object: Hub): Spoke;
}

/** A kind's hub version, and the conversions of its other versions by name. */
export interface KindConversion {
  readonly group: string;
  readonly kind: string;
  /** "v2", the version that every other one converts to and from. */
  readonly hub: string;
  readonly versions: Map<string, VersionConversion<ApiObject, ApiObject>>;
}

/** Says whose token it is. */
export type AuthenticationHandler = (
  spec: TokenReviewSpec,
  call: { readonly signal: AbortSignal },
) => TokenReviewStatus | Promise<TokenReviewStatus>;

/** Says whether a user may do something. */
export type AuthorizationHandler = (
  spec: SubjectAccessReviewSpec,
  call: { readonly signal: AbortSignal },
) => SubjectAccessReviewStatus | Promise<SubjectAccessReviewStatus>;

/** The requests that an admission webhook of one kind is for, from which its configuration is written. */
export interface AdmissionRule {
  readonly phase: "mutating" | "validating";
  readonly apiVersion: string;
  readonly kind: string;
  readonly operations: readonly ("CREATE" | "UPDATE" | "DELETE")[];
}

/** What answers the reviews of one path. */
export type WebhookHandler =
  | { readonly type: "admission"; readonly handle: AdmissionHandler; readonly rule?: AdmissionRule | undefined }
  | { readonly type: "conversion"; readonly kinds: readonly KindConversion[] }
  | { readonly type: "authentication"; readonly handle: AuthenticationHandler }
  | { readonly type: "authorization"; readonly handle: AuthorizationHandler };
