// What expressions of users may cost, in the units of CEL's cost model. The names are kube-apiserver's.
// Sources: k8s.io/apiserver/pkg/apis/cel/config.go, and apiextensions-apiserver's validation of schemas.

/** The cost limit of one evaluation: of a rule of a CustomResourceDefinition, or of an expression of a policy. */
export const PER_CALL_LIMIT = 1_000_000;

/**
 * What all rules of one object may cost together. The expressions of one evaluation of a policy have as much: its validations with their
 * messages, and again its audit annotations.
 */
export const RUNTIME_COST_BUDGET = 10_000_000;

/** The cost budget of all matchConditions of one webhook, or of one evaluation of a policy. */
export const RUNTIME_COST_BUDGET_MATCH_CONDITIONS = 2_500_000;

/** The limit of the estimated cost of one rule of a schema, with all the values that it runs on. */
export const STATIC_ESTIMATED_COST_LIMIT = 10_000_000;

/** The limit of the estimated costs of all rules of a schema together. */
export const STATIC_ESTIMATED_CRD_COST_LIMIT = 100_000_000;
