/** An AuthorizationConfiguration of apiserver.config.k8s.io, with its defaults. Times are in milliseconds. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

export interface AuthorizerConfiguration {
  /** "Webhook", "Node", "RBAC", "ABAC", "AlwaysAllow" or "AlwaysDeny", once it is validated. */
  readonly type: string;
  readonly name: string;
  readonly webhook: WebhookConfiguration | undefined;
}

export interface WebhookConfiguration {
  readonly authorizedTtl: number;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTtl: number;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile: string | undefined };
  readonly matchConditions: readonly { readonly expression: string }[];
}
