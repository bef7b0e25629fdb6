import type { ScopedResourceSelectorRequirement } from "../../../../api/types/core/v1.js";
import { type FieldError, formatFieldErrors, required } from "../../../../machinery/errors/field-error.js";

/** As a ResourceQuotaConfiguration (apiserver.config.k8s.io/v1). */
export interface ResourceQuotaConfiguration {
  readonly limitedResources?: readonly LimitedResource[];
}

/** What objects of a resource may use only where a quota of their namespace covers it. */
export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of the names of amounts: an amount with one of them in its name needs a quota that has it. */
  readonly matchContains?: readonly string[];
  /** An object in one of these scopes needs a quota of such a scope. */
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

/** Throws an Error in kube-apiserver's words for a configuration that cannot be used. */
export function checkResourceQuotaConfiguration({ limitedResources = [] }: ResourceQuotaConfiguration): void {
  const errors: FieldError[] = [];
  for (const [index, { resource = "" }] of limitedResources.entries()) {
    if (resource === "") errors.push(required(`limitedResources[${index}].resource`));
  }
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
}
