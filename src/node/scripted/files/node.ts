import type { Program } from "../program.js";
import type { FileContent } from "./file-content.js";

/** Seconds since the epoch, and the permission bits. */
interface Attributes {
  mode: number;
  uid: number;
  gid: number;
  mtime: number;
}

export interface DirectoryNode extends Attributes {
  readonly kind: "directory";
  readonly entries: Map<string, FileNode>;
  /** It was removed, and takes no more entries: another container may still be in it. */
  isGone?: boolean;
}

export interface RegularNode extends Attributes {
  readonly kind: "file";
  content: FileContent;
  /** Its bytes are those of a ConfigMap or the like, which counts them: they do not count as the container's. */
  readonly isShared?: boolean;
  /** It was removed: a program may still write to it. */
  isGone?: boolean;
  /** What runs when the file is executed; its content says nothing. */
  readonly program?: Program;
}

export interface LinkNode extends Attributes {
  readonly kind: "link";
  readonly target: string;
}

/** A file whose bytes are made when they are read and dropped, or taken elsewhere, when they are written. */
export interface DeviceNode extends Attributes {
  readonly kind: "device";
  /** Where it is a regular file to `ls` and `tar`: its length in bytes. Else a character device. */
  readonly size?: number;
  read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): Promise<void> | void;
}

export type FileNode = DirectoryNode | RegularNode | LinkNode | DeviceNode;

/** The length that `ls` and `tar` show. */
export function sizeOf(node: FileNode): number {
  if (node.kind === "file") return node.content.size;
  if (node.kind === "device") return node.size ?? 0;
  return node.kind === "link" ? Buffer.byteLength(node.target) : 4096;
}
