import {
  validateAdmissionPolicyBinding,
  validateMutatingAdmissionPolicyBinding,
} from "../../api/validation/admissionregistration/admission-policy-binding.js";
import { STATIC_SUFFIX } from "../../api/validation/admissionregistration/admission-rules.js";
import {
  validateAdmissionPolicy,
  validateMutatingAdmissionPolicy,
} from "../../api/validation/admissionregistration/admission-policy.js";
import { validateWebhookConfiguration } from "../../api/validation/admissionregistration/webhooks.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { absent, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ManifestPlugin } from "../../server/admission/configuration/manifest-folder.js";

/** A kind of admissionregistration.k8s.io/v1 that manifest files may contain. */
export interface ManifestKind {
  readonly kind: string;
  readonly resource: string;
  readonly validate: (object: KubeObject) => readonly FieldError[];
  /** Throws for what the API allows and files do not. */
  readonly check: (object: KubeObject, name: string, file: string) => void;
}

interface PluginKinds {
  /** The policies before their bindings. */
  readonly kinds: readonly ManifestKind[];
  /** Where Kubernetes' program declares its scheme, as errors name it. */
  readonly scheme: string;
}

const webhooks = (kind: string, resource: string): PluginKinds => ({
  kinds: [{ kind, resource, validate: validateWebhookConfiguration, check: checkWebhooks }],
  scheme: "pkg/admission/plugin/webhook/manifest/loader/loader.go:41",
});

const policies = (
  prefix: "Mutating" | "Validating",
  validate: ManifestKind["validate"],
  validateBinding: ManifestKind["validate"],
): PluginKinds => {
  const kind = `${prefix}AdmissionPolicy`;
  const plural = prefix.toLowerCase();
  return {
    kinds: [
      {
        kind,
        resource: `${plural}admissionpolicies`,
        validate,
        check: (policy, name) => checkPolicy(kind, policy, name),
      },
      {
        kind: `${kind}Binding`,
        resource: `${plural}admissionpolicybindings`,
        validate: validateBinding,
        check: checkBinding,
      },
    ],
    scheme: "pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35",
  };
};

export const MANIFEST_KINDS: Readonly<Record<ManifestPlugin, PluginKinds>> = {
  MutatingAdmissionPolicy: policies(
    "Mutating",
    validateMutatingAdmissionPolicy,
    validateMutatingAdmissionPolicyBinding,
  ),
  MutatingAdmissionWebhook: webhooks("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  ValidatingAdmissionPolicy: policies("Validating", validateAdmissionPolicy, validateAdmissionPolicyBinding),
  ValidatingAdmissionWebhook: webhooks("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
};

/** A webhook of a file is reached by its URL: services may not be there when the server starts. */
function checkWebhooks(configuration: KubeObject, name: string, file: string): void {
  for (const webhook of objects(configuration["webhooks"])) {
    const { service, url } = object(webhook["clientConfig"]);
    const which = `webhook ${goQuote(text(webhook["name"]))} in ${goQuote(name)} (file ${goQuote(file)})`;
    if (!absent(service)) {
      throw new Error(
        `${which}: clientConfig.service is not supported for static manifests; use clientConfig.url instead`,
      );
    }
    if (text(url) === "") throw new Error(`${which}: clientConfig.url is required for static manifests`);
  }
}

function checkPolicy(kind: string, { spec }: KubeObject, name: string): void {
  if (absent(object(spec)["paramKind"])) return;
  throw new Error(`${kind} ${goQuote(name)}: spec.paramKind is not supported for static manifests`);
}

function checkBinding({ spec }: KubeObject, name: string): void {
  const { policyName, paramRef } = object(spec);
  const binding = `binding ${goQuote(name)}`;
  const policy = text(policyName);
  if (policy === "") throw new Error(`${binding} must reference a policy (spec.policyName)`);
  if (!policy.endsWith(STATIC_SUFFIX)) {
    throw new Error(`${binding}: spec.policyName ${goQuote(policy)} must end with ${goQuote(STATIC_SUFFIX)}`);
  }
  if (!absent(paramRef)) throw new Error(`${binding}: spec.paramRef is not supported for static manifests`);
}

/**
 * Checks the name of a manifest's object. Throws where it is empty, lacks the suffix of static manifests, or was used before.
 * `seen` maps each name to its file.
 */
export function checkManifestName(name: string, file: string, seen: Map<string, string>): void {
  if (name === "") throw new Error(`resource in file ${goQuote(file)} must have a name`);
  if (!name.endsWith(STATIC_SUFFIX)) {
    throw new Error(`${goQuote(name)} in file ${goQuote(file)} must have a name ending with ${goQuote(STATIC_SUFFIX)}`);
  }
  const before = seen.get(name);
  if (before !== undefined) {
    throw new Error(
      `duplicate name ${goQuote(name)} found in file ${goQuote(file)} (previously seen in ${goQuote(before)})`,
    );
  }
  seen.set(name, file);
}
