import type { FieldsOf } from "../../machinery/meta/received.js";
import type { CustomResourceDefinitionStatus, CustomResourceDefinition } from "../../api/types/apiextensions/v1.js";
import { validateCustomResourceDefinition } from "../../api/validation/apiextensions/index.js";
import { formatFieldError } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type CrdOptions, crdOf } from "./crd.js";
import type { Kind } from "./declaration.js";

/**
 * Checks a kind as kube-apiserver checks a CustomResourceDefinition: names, rules in CEL and what they cost, patterns, defaults,
 * paths. As there, a pattern that is none hides the problems of rules and defaults. A server finds a rule that does not compile at the first write alone.
 * `options` are what the definition has beside the kind: kinds of the groups of Kubernetes need an annotation. Throws an Error that has
 * all problems, one a line.
 */
export function checkDeclaration(kind: Kind<unknown>, options?: CrdOptions): void {
  const definition: KubeObject = {
    ...crdOf(kind, options),
    status: { storedVersions: [kind.declaration.storageVersion] } satisfies FieldsOf<CustomResourceDefinitionStatus>,
  } satisfies FieldsOf<CustomResourceDefinition>;
  const problems = validateCustomResourceDefinition(definition);
  if (problems.length === 0) return;
  const { kind: name, group } = kind.declaration;
  throw new Error([`checkDeclaration: ${name} of ${group}:`, ...problems.map(formatFieldError)].join("\n"));
}
