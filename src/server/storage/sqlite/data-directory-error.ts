export type DataDirectoryProblem = "in-use" | "damaged" | "newer" | "no-driver" | "unusable";

/** The folder cannot serve as storage; it was left as it was. The message is one line for a person to act on. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
  constructor(
    readonly problem: DataDirectoryProblem,
    message: string,
  ) {
    super(message);
  }
}
