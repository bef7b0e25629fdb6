/** Texts of errno, as programs print them. */
const TEXTS = {
  ENOENT: "No such file or directory",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  ENOSPC: "No space left on device",
  EINVAL: "Invalid argument",
  EFBIG: "File too large",
  ENAMETOOLONG: "File name too long",
  EROFS: "Read-only file system",
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EXDEV: "Invalid cross-device link",
} as const;

export type FileErrorCode = keyof typeof TEXTS;

/** Thrown when the file system refuses an operation. The message is errno's text. */
export class FileError extends Error {
  override readonly name = "FileError";

  constructor(
    readonly code: FileErrorCode,
    readonly path: string,
  ) {
    super(TEXTS[code]);
  }
}
