/** Something the user can put right; the message is one line that says how. */
export class NamedClusterError extends Error {
  override readonly name = "NamedClusterError";
}

export const namedClusterError = (message: string): NamedClusterError => new NamedClusterError(message);
