import { type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { INIT_CONTAINERS } from "../../defaults/old-names.js";
import { withoutAnnotations, withChild } from "../copies.js";

/**
 * A pod template as it comes out of any conversion, in either direction: its internal form has one name for the service
 * account, a security context always, and no init containers in annotations.
 * Source: kubernetes pkg/apis/core/v1/conversion.go.
 */
export function convertPodTemplate(template: ReadonlyFields): ReadonlyFields {
  return withChild(withoutAnnotations(template as KubeObject, INIT_CONTAINERS), "spec", (spec) => {
    const { serviceAccount, ...rest } = spec;
    const account = text(spec.serviceAccountName) || text(serviceAccount);
    return {
      ...rest,
      ...(account !== "" && { serviceAccountName: account, serviceAccount: account }),
      securityContext: spec.securityContext ?? {},
    };
  });
}
