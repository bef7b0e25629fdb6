/** The type of an archive's entry. `special` are devices, FIFOs and unknown types. */
export type TarEntryType = "file" | "directory" | "symlink" | "hardlink" | "special";

/** The header of one file in an archive, without its content. */
export interface TarHeader {
  /** As the archive has it: with "/" as separator, possibly absolute or with "..". Never holds a NUL. */
  readonly name: string;
  readonly type: TarEntryType;
  /** Bytes of content; 0 for all but files. */
  readonly size: number;
  /** Permission bits, with set-user-ID, set-group-ID and the sticky bit: at most 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly userName: string;
  readonly groupName: string;
  /** Seconds since 1970, possibly with a fraction. */
  readonly modified: number;
  /** The target of a link, else "". */
  readonly linkName: string;
}

/** The size of an archive's blocks in bytes. */
export const BLOCK = 512;

/** The number of bytes that fill the last block of a content of `size` bytes. */
export const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** The archive is damaged, or has an unsupported format. Messages are those of Go's archive/tar, where it has one. */
export class TarError extends Error {
  override readonly name = "TarError";
}

export const invalidHeader = (): TarError => new TarError("archive/tar: invalid tar header");
export const unexpectedEnd = (): TarError => new TarError("unexpected EOF");
