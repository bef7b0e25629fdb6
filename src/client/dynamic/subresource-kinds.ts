import type { TokenRequest } from "../../api/types/authentication/v1.js";
import type { Scale } from "../../api/types/autoscaling/v1.js";
import type { Binding } from "../../api/types/core/v1.js";
import type { Eviction } from "../../api/types/policy/v1.js";
import type { Status } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { Stored } from "./stored.js";

/** The subresources that have a kind of their own, and that kind. Of all others (status, resize, approval, ...) it is the object's. */
export interface SubresourceKinds {
  scale: Scale;
  eviction: Eviction;
  binding: Binding;
  token: TokenRequest;
}

/** What is sent to a subresource of T's resource; to the resource itself, which is `undefined`, T. */
export type SubresourceOf<T extends ApiObject, Name extends string | undefined> = Name extends keyof SubresourceKinds
  ? SubresourceKinds[Name]
  : T;

/** What a subresource answers. Evictions and bindings are acknowledged by a Status. */
export type AnswerOf<T extends ApiObject, Name extends string | undefined> = Name extends "eviction" | "binding"
  ? Status
  : Stored<SubresourceOf<T, Name>>;
