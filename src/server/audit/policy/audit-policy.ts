import { readFileSync } from "node:fs";
import { errnoText } from "../../../base/files/path-error.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { readConfigurationDocument } from "../../../machinery/text/yaml/configuration-document.js";
import { decodeManifest } from "../../../machinery/text/yaml/documents.js";
import { formatFieldErrors } from "../../../machinery/errors/field-error.js";
import { type ConfigurationFormat, decodeConfiguration } from "../../../machinery/wire/configuration-document.js";
import type { Schema } from "../../../machinery/schema/schema.js";
import { anyJson } from "../../../machinery/schema/build-schema.js";
import { fileStruct, FLAG, TEXT, TYPE_META } from "../../authz/file-schema.js";
import type { AuditLevel, AuditStage } from "../audit-event.js";
import { policyFaults } from "./policy-faults.js";

/** A Policy of audit.k8s.io/v1: it decides which requests are audited, and at which level. The first rule that matches a request wins. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  /** Stages that no request has an event of, beside those of the rules. */
  readonly omitStages?: readonly AuditStage[] | undefined;
  /** Whether objects are recorded without metadata.managedFields where their rule says nothing about it. */
  readonly omitManagedFields?: boolean | undefined;
}

/** Requests that match everything that the rule names. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[] | undefined;
  readonly userGroups?: readonly string[] | undefined;
  readonly verbs?: readonly string[] | undefined;
  readonly resources?: readonly AuditedResources[] | undefined;
  /** "" is for requests without a namespace. */
  readonly namespaces?: readonly string[] | undefined;
  /** Paths, with a * at their end where they stand for all that begin so. */
  readonly nonResourceURLs?: readonly string[] | undefined;
  readonly omitStages?: readonly AuditStage[] | undefined;
  readonly omitManagedFields?: boolean | undefined;
}

/**
 * Resources of a group: "pods", "pods/log", "pods/*", or a * before the slash for a subresource of them all; every one where none is named. The
 * group "*" is every group.
 */
export interface AuditedResources {
  readonly group?: string | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
}

/**
 * Reads a policy file. Throws in kube-apiserver's words. `warn` gets the unknown fields and the keys that are set twice, all of
 * which are ignored.
 */
export function readPolicyFile(file: string, warn: (text: string) => void): AuditPolicy {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw failed(`failed to read file path "${file}": open ${file}: ${errnoText(error)}`, error);
  }
  try {
    return readPolicy(decodeManifest(bytes), warn);
  } catch (error) {
    throw failed(`${errorMessage(error)}: from file ${file}`, error);
  }
}

/** Checks a policy that was given in code. Throws as {@link readPolicyFile} does. */
export function checkPolicy(policy: AuditPolicy): AuditPolicy {
  try {
    return checked(policy);
  } catch (error) {
    throw new Error(`audit.policy: ${errorMessage(error)}`, { cause: error });
  }
}

const failed = (reason: string, cause: unknown): Error => new Error(`loading audit policy file: ${reason}`, { cause });

function readPolicy(text: string, warn: (text: string) => void): AuditPolicy {
  let policy: AuditPolicy;
  try {
    const { object, strictError } = decodeConfiguration<AuditPolicy>(readConfigurationDocument(text), FORMAT);
    policy = object;
    if (strictError !== "") warn(`Audit policy contains errors, falling back to lenient decoding: ${strictError}`);
  } catch (error) {
    throw new Error(`failed decoding: ${errorMessage(error)}`, { cause: error });
  }
  return checked({ ...policy, rules: policy.rules ?? [] });
}

function checked(policy: AuditPolicy): AuditPolicy {
  const faults = policyFaults(policy);
  if (faults.length > 0) throw new Error(formatFieldErrors(faults));
  if (policy.rules.length === 0) throw new Error("loaded illegal policy with 0 rules");
  return policy;
}

const listOf = (items: Schema): Schema => ({ type: "list", items });

const TEXTS = listOf(TEXT);
const RESOURCES = fileStruct("v1.GroupResources", { group: TEXT, resources: TEXTS, resourceNames: TEXTS });
const RULE = fileStruct("v1.PolicyRule", {
  level: TEXT,
  users: TEXTS,
  userGroups: TEXTS,
  verbs: TEXTS,
  resources: listOf(RESOURCES),
  namespaces: TEXTS,
  nonResourceURLs: TEXTS,
  omitStages: TEXTS,
  omitManagedFields: FLAG,
});

const FORMAT: ConfigurationFormat = {
  group: "audit.k8s.io",
  kind: "Policy",
  versions: new Map([
    [
      "v1",
      fileStruct("v1.Policy", {
        ...TYPE_META,
        metadata: anyJson,
        rules: listOf(RULE),
        omitStages: TEXTS,
        omitManagedFields: FLAG,
      }),
    ],
  ]),
  scheme: "k8s.io/apiserver/pkg/audit/scheme.go:30",
};
