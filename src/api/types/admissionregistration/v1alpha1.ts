// Made by tools/generate-api-types.mjs of the API facts.
import type {
  MatchCondition as AdmissionregistrationV1MatchCondition,
  OperationType,
  ReinvocationPolicyType,
  ScopeType,
} from "../admissionregistration/v1.js";
import type { LabelSelector, ListMeta, ObjectMeta } from "../meta/v1.js";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type ParameterNotFoundActionType = "Allow" | "Deny";

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export interface ApplyConfiguration {
  expression?: string;
}

export interface JSONPatch {
  expression?: string;
}

export type MatchCondition = Record<string, never>;

export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: MatchPolicyType;
}

/**
 * MutatingAdmissionPolicy of admissionregistration.k8s.io/v1alpha1, since Kubernetes 1.32. Cluster-scoped; resource `mutatingadmissionpolicies`.
 * @deprecated since Kubernetes 1.35, removed in 1.38.
 */
export interface MutatingAdmissionPolicy {
  kind?: "MutatingAdmissionPolicy";
  apiVersion?: "admissionregistration.k8s.io/v1alpha1";
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
}

/**
 * MutatingAdmissionPolicyBinding of admissionregistration.k8s.io/v1alpha1, since Kubernetes 1.32. Cluster-scoped; resource `mutatingadmissionpolicybindings`.
 * @deprecated since Kubernetes 1.35, removed in 1.38.
 */
export interface MutatingAdmissionPolicyBinding {
  kind?: "MutatingAdmissionPolicyBinding";
  apiVersion?: "admissionregistration.k8s.io/v1alpha1";
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingAdmissionPolicyBinding[];
}

export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingAdmissionPolicy[];
}

export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  mutations?: Mutation[];
  failurePolicy?: FailurePolicyType;
  matchConditions?: AdmissionregistrationV1MatchCondition[];
  reinvocationPolicy?: ReinvocationPolicyType;
}

export interface Mutation {
  patchType: PatchType;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
}

export interface NamedRuleWithOperations {
  resourceNames?: string[];
  operations?: OperationType[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: ScopeType;
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: ParameterNotFoundActionType;
}

export interface Variable {
  name: string;
  expression: string;
}
