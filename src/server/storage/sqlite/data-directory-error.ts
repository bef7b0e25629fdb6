export type DataDirectoryProblem = "in-use" | "damaged" | "newer" | "no-driver" | "unusable" | "full" | "unwritable";

/** The directory cannot be used as storage, or cannot be written ("full", "unwritable"). The message is one line for the operator. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
  constructor(
    readonly problem: DataDirectoryProblem,
    message: string,
  ) {
    super(message);
  }
}

export function damagedDirectory(directory: string, detail: string): DataDirectoryError {
  return new DataDirectoryError(
    "damaged",
    `data directory ${directory} is damaged (${detail}) and was left as it is: restore it from a copy or remove it`,
  );
}

/** The error of a failed commit or checkpoint. `detail` is the text of SQLite or of the operating system. */
export function failedWrite(directory: string, detail: string): DataDirectoryError {
  if (/\bfull\b|ENOSPC|EDQUOT|no space/i.test(detail)) {
    return new DataDirectoryError(
      "full",
      `data directory ${directory} is full (${detail}): nothing can be written until space is freed; reading goes on`,
    );
  }
  return new DataDirectoryError(
    "unwritable",
    `data directory ${directory} cannot be written (${detail}): check its disk and permissions; reading goes on`,
  );
}
