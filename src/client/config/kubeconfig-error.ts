const BRAND = Symbol.for("kubets.KubeconfigError");

/** One fault in a kubeconfig. */
export interface KubeconfigFault {
  /** The file's name as it was given; "kubeconfig" for a text. */
  readonly file: string;
  /** The entry, with its place in the file: `users[2] "admin"`; "" for the file as a whole. */
  readonly entry: string;
  /** The field in the entry: "client-certificate-data", "exec.apiVersion"; "" for the entry as a whole. */
  readonly field: string;
  /** What is wrong with it, and what to do. */
  readonly problem: string;
}

/** A kubeconfig cannot be used. The message has a line for each fault: `config: users[2] "admin": token: must be a string, is a number`. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly [BRAND] = true;
  constructor(
    /** In the order of the files and their entries. Not empty. */
    readonly faults: readonly KubeconfigFault[],
  ) {
    super(faults.map(textOf).join("\n"));
  }
}

export function isKubeconfigError(error: unknown): error is KubeconfigError {
  return typeof error === "object" && error !== null && BRAND in error;
}

const textOf = ({ file, entry, field, problem }: KubeconfigFault): string =>
  [file, entry, field, problem].filter((part) => part !== "").join(": ");
