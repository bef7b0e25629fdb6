// Made by tools/generate-api-types.mjs of the API facts.
import type { Base64, Condition, Int64, LabelSelector, ListMeta, ObjectMeta } from "../meta/v1.js";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type OperationType = "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

export type ParameterNotFoundActionType = "Allow" | "Deny";

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export type ReinvocationPolicyType = "IfNeeded" | "Never";

export type ScopeType = "*" | "Cluster" | "Namespaced";

export type SideEffectClass = "None" | "NoneOnDryRun" | "Some" | "Unknown";

export type ValidationAction = "Audit" | "Deny" | "Warn";

export interface ApplyConfiguration {
  expression?: string;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

export interface JSONPatch {
  expression?: string;
}

export interface MatchCondition {
  name: string;
  expression: string;
}

export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: MatchPolicyType;
}

/** MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, since Kubernetes 1.36. Cluster-scoped; resource `mutatingadmissionpolicies`. */
export interface MutatingAdmissionPolicy {
  kind?: "MutatingAdmissionPolicy";
  apiVersion?: "admissionregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: MutatingAdmissionPolicySpec;
}

/** MutatingAdmissionPolicyBinding of admissionregistration.k8s.io/v1, since Kubernetes 1.36. Cluster-scoped; resource `mutatingadmissionpolicybindings`. */
export interface MutatingAdmissionPolicyBinding {
  kind?: "MutatingAdmissionPolicyBinding";
  apiVersion?: "admissionregistration.k8s.io/v1";
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
  matchConditions?: MatchCondition[];
  reinvocationPolicy?: ReinvocationPolicyType;
}

export interface MutatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: FailurePolicyType;
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: SideEffectClass;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  reinvocationPolicy?: ReinvocationPolicyType;
  matchConditions?: MatchCondition[];
}

/** MutatingWebhookConfiguration of admissionregistration.k8s.io/v1, since Kubernetes 1.16. Cluster-scoped; resource `mutatingwebhookconfigurations`. */
export interface MutatingWebhookConfiguration {
  kind?: "MutatingWebhookConfiguration";
  apiVersion?: "admissionregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  webhooks?: MutatingWebhook[];
}

export interface MutatingWebhookConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: MutatingWebhookConfiguration[];
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

export interface RuleWithOperations {
  operations?: OperationType[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: ScopeType;
}

export interface ServiceReference {
  namespace: string;
  name: string;
  path?: string;
  port?: number;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

/** ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1, since Kubernetes 1.30. Cluster-scoped; resource `validatingadmissionpolicies`. */
export interface ValidatingAdmissionPolicy {
  kind?: "ValidatingAdmissionPolicy";
  apiVersion?: "admissionregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

/** ValidatingAdmissionPolicyBinding of admissionregistration.k8s.io/v1, since Kubernetes 1.30. Cluster-scoped; resource `validatingadmissionpolicybindings`. */
export interface ValidatingAdmissionPolicyBinding {
  kind?: "ValidatingAdmissionPolicyBinding";
  apiVersion?: "admissionregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingAdmissionPolicyBinding[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions: ValidationAction[];
}

export interface ValidatingAdmissionPolicyList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingAdmissionPolicy[];
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: FailurePolicyType;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
  variables?: Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: Int64;
  typeChecking?: TypeChecking;
  conditions?: Condition[];
}

export interface ValidatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: FailurePolicyType;
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects: SideEffectClass;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  matchConditions?: MatchCondition[];
}

/** ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1, since Kubernetes 1.16. Cluster-scoped; resource `validatingwebhookconfigurations`. */
export interface ValidatingWebhookConfiguration {
  kind?: "ValidatingWebhookConfiguration";
  apiVersion?: "admissionregistration.k8s.io/v1";
  metadata?: ObjectMeta;
  webhooks?: ValidatingWebhook[];
}

export interface ValidatingWebhookConfigurationList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ValidatingWebhookConfiguration[];
}

export interface Validation {
  expression: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
}

export interface Variable {
  name: string;
  expression: string;
}

export interface WebhookClientConfig {
  url?: string;
  service?: ServiceReference;
  caBundle?: Base64;
}
