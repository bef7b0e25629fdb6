const CONTEXT_NOT_FOUND = Symbol.for("kubets.ContextNotFound");
const CONFIGURATION_INVALID = Symbol.for("kubets.ConfigurationInvalid");
const EMPTY_CONFIGURATION = Symbol.for("kubets.EmptyConfiguration");

/** The current context, or the one asked for, is in no file. */
export class ContextNotFoundError extends Error {
  override readonly name = "ContextNotFoundError";
  readonly [CONTEXT_NOT_FOUND] = true;
  constructor(readonly context: string) {
    super(`context was not found for specified context: ${context}`);
  }
}

/** Everything wrong with the parts of the kubeconfig in use, in the order they were checked. */
export class ConfigurationInvalidError extends Error {
  override readonly name = "ConfigurationInvalidError";
  readonly [CONFIGURATION_INVALID] = true;
  constructor(readonly errors: readonly Error[]) {
    super(`invalid configuration: ${aggregate(errors)}`);
  }
}

/** Nothing says where the server is. */
export class EmptyConfigurationError extends Error {
  override readonly name = "EmptyConfigurationError";
  readonly [EMPTY_CONFIGURATION] = true;
  constructor(message: string = INCOMPLETE) {
    super(message);
  }
}

const INCOMPLETE = `Missing or incomplete configuration info.  Please point to an existing, complete config file:


  1. Via the command-line flag --kubeconfig
  2. Via the KUBECONFIG environment variable
  3. In your home directory as ~/.kube/config

To view or setup config directly use the 'config' command.`;

export const isContextNotFound = (error: unknown): error is ContextNotFoundError => has(error, CONTEXT_NOT_FOUND);
export const isConfigurationInvalid = (error: unknown): error is ConfigurationInvalidError =>
  has(error, CONFIGURATION_INVALID);
export const isEmptyConfiguration = (error: unknown): error is EmptyConfigurationError =>
  has(error, EMPTY_CONFIGURATION);

function has(error: unknown, brand: symbol): boolean {
  return typeof error === "object" && error !== null && brand in error;
}

function aggregate(errors: readonly Error[]): string {
  const messages = [...new Set(errors.map((error) => error.message))];
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}
