import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { forbidden, invalid, type StatusError } from "../../machinery/errors/status-error.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { ValidDeleteOptions } from "./resource.js";
import type { RequestScope } from "./scope.js";
import { namespaceOf, type StoreConfig } from "./store-config.js";

/** What a user needs the right to do beside "delete". */
const VERB = "unsafe-delete-ignore-read-errors";
const FIELD = "ignoreStoreReadErrorWithClusterBreakingPotential";

/** Whether a deletion asks to ignore read errors, and the server permits that. */
export const ignoresReadErrors = ({ deletion }: StoreConfig, options: ValidDeleteOptions): boolean =>
  options.ignoresReadErrors === true && deletion?.unreadable === true;

/** Checks an unsafe deletion. Throws in kube-apiserver's words for options that cannot be combined with it, and for users without the right. */
export async function requireUnsafeDeletion(
  config: StoreConfig,
  scope: RequestScope,
  name: string,
  options: ValidDeleteOptions,
): Promise<void> {
  const faults = ["propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"]
    .filter((field) => options[field as keyof ValidDeleteOptions] !== undefined)
    .map((field) => invalidValue(FIELD, true, `cannot be set together with .${field}`));
  if (faults.length > 0) throw ofOptions(faults);
  const { group, resource, authorization } = config;
  const failed = (reason: string): StatusError => forbidden({ group, resource }, name, reason);
  const attributes = {
    user: scope.user,
    verb: VERB,
    isResourceRequest: true,
    apiGroup: group,
    apiVersion: parseGroupVersion(scope.apiVersion).version,
    resource,
    subresource: "",
    namespace: namespaceOf(config, scope),
    name,
    path: "",
  };
  const { decision, reason = "", error } = await authorization.authorize(attributes);
  if (decision === "allow") return;
  throw failed(
    error === undefined
      ? `not permitted to do ${goQuote(VERB)}, reason: ${reason}`
      : `error while checking permission for ${goQuote(VERB)}, ${errorMessage(error)}`,
  );
}

/** 422 for an unsafe deletion of a whole collection. */
export const notOfCollections = (): StatusError =>
  ofOptions([invalidValue(FIELD, true, "is not allowed with DELETECOLLECTION, try again after removing the option")]);

const ofOptions = (faults: FieldError[]): StatusError =>
  invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", faults);
