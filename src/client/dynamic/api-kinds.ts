import type { BuiltInKinds } from "../../api/kinds/built-in-kinds.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { TokenRequest } from "../../api/types/authentication/v1.js";
import type { Scale } from "../../api/types/autoscaling/v1.js";
import type { Binding } from "../../api/types/core/v1.js";
import type { Eviction } from "../../api/types/policy/v1.js";
import type { Status } from "../../machinery/errors/status-error.js";
import type { Stored } from "./stored.js";

/**
 * The kinds whose types `client.of` knows, by `apiVersion/kind`: those of the newest version of Kubernetes, and what a program adds to them.
 *
 * ```ts
 * declare module "kubets" {
 *   interface ApiKinds {
 *     "example.com/v1/Widget": Widget;
 *   }
 * }
 * ```
 */
export interface ApiKinds extends BuiltInKinds {}

/** An apiVersion with a kind in {@link ApiKinds}: "v1", "apps/v1". */
export type ApiVersion = ApiVersionOf<keyof ApiKinds>;

type ApiVersionOf<Key> = Key extends `${infer Group}/${infer Version}/${string}`
  ? `${Group}/${Version}`
  : Key extends `${infer Version}/${string}`
    ? Version
    : never;

/** The kinds that {@link ApiKinds} has of an apiVersion. */
export type KindIn<V extends ApiVersion> = KindOf<keyof ApiKinds, V>;

type KindOf<Key, V extends string> = Key extends `${V}/${infer Kind}` ? Kind : never;

/** The type that {@link ApiKinds} has for a kind. */
export type ObjectOf<V extends ApiVersion, K extends KindIn<V>> = `${V}/${K}` extends infer Key extends keyof ApiKinds
  ? Extract<ApiKinds[Key], ApiObject>
  : never;

/** The kinds of an apiVersion that {@link ApiKinds} lists; any string for an apiVersion that it does not list. */
export type AnyKindIn<V extends string> = V extends ApiVersion ? KindIn<V> & string : string;

/** The type of a kind's objects: that of {@link ApiKinds}, else {@link KubeObject}. */
export type AnyObjectOf<V extends string, K extends string> = V extends ApiVersion
  ? K extends KindIn<V>
    ? ObjectOf<V, K>
    : KubeObject
  : KubeObject;

/** The subresources that have a kind of their own. Every other subresource (status, resize, approval, ...) has the object's kind. */
export interface SubresourceKinds {
  scale: Scale;
  eviction: Eviction;
  binding: Binding;
  token: TokenRequest;
}

/** The object that a client sends to a subresource of T's resource; T itself where `Name` is undefined. */
export type SubresourceOf<T extends ApiObject, Name extends string | undefined> = Name extends keyof SubresourceKinds
  ? SubresourceKinds[Name]
  : T;

/** The object with which the server answers a request to a subresource. It acknowledges evictions and bindings with a Status. */
export type AnswerOf<T extends ApiObject, Name extends string | undefined> = Name extends "eviction" | "binding"
  ? Status
  : Stored<SubresourceOf<T, Name>>;
