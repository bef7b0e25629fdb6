const CONTEXT_NOT_FOUND = Symbol.for("kubets.ContextNotFound");
const CONFIGURATION_INVALID = Symbol.for("kubets.ConfigurationInvalid");

/** The context does not exist in any kubeconfig file. */
export class ContextNotFoundError extends Error {
  override readonly name = "ContextNotFoundError";
  readonly [CONTEXT_NOT_FOUND] = true;
  constructor(readonly context: string) {
    super(`context was not found for specified context: ${context}`);
  }
}

/** All errors of the entries in use, in the order of the checks. */
export class ConfigurationInvalidError extends AggregateError {
  override readonly name = "ConfigurationInvalidError";
  readonly [CONFIGURATION_INVALID] = true;
  constructor(errors: readonly Error[]) {
    super(errors, `invalid configuration: ${aggregate(errors)}`);
  }
}

export const isContextNotFound = (error: unknown): error is ContextNotFoundError => has(error, CONTEXT_NOT_FOUND);
export const isConfigurationInvalid = (error: unknown): error is ConfigurationInvalidError =>
  has(error, CONFIGURATION_INVALID);

function has(error: unknown, brand: symbol): boolean {
  return typeof error === "object" && error !== null && brand in error;
}

function aggregate(errors: readonly Error[]): string {
  const messages = [...new Set(errors.map((error) => error.message))];
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}
