import type { Program } from "../program.js";

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

/** A file whose bytes are generated when it is read; what is written to it is discarded or passed on. */
export interface DeviceNode extends Attributes {
  readonly kind: "device";
  /** Where it is a regular file to `ls` and `tar`: its length in bytes. Else a character device. */
  readonly size?: number;
  read(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): Promise<void> | void;
}

export type FileNode = DirectoryNode | RegularNode | LinkNode | DeviceNode;

/** Computes the size that `ls` and `tar` print. */
export function sizeOf(node: FileNode): number {
  if (node.kind === "file") return node.content.size;
  if (node.kind === "device") return node.size ?? 0;
  return node.kind === "link" ? Buffer.byteLength(node.target) : 4096;
}

/** Small pieces are put together in blocks of this size, in bytes. */
const BLOCK = 64 * 1024;
const SMALLEST_BLOCK = 64;

/** The bytes of a file. Small pieces that are appended take at most one block of memory more than their bytes. */
export class FileContent {
  readonly #chunks: Uint8Array[] = [];
  /** The last chunk, while more fits into it. */
  #block = new Uint8Array();
  #blockUsed = 0;
  #size = 0;

  /** `bytes` are kept as they are. */
  constructor(bytes?: Uint8Array) {
    if (bytes === undefined || bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    // A large chunk that has its memory alone is kept as it is.
    if (bytes.length >= BLOCK / 2 && bytes.length === bytes.buffer.byteLength) {
      this.#finishBlock();
      this.#chunks.push(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      if (this.#blockUsed === this.#block.length) this.#grow(bytes.length - at);
      const part = bytes.subarray(at, at + this.#block.length - this.#blockUsed);
      this.#block.set(part, this.#blockUsed);
      this.#blockUsed += part.length;
      at += part.length;
    }
  }

  /** The chunks from a byte on, those too that are appended meanwhile. */
  *read(from = 0): Generator<Uint8Array, void> {
    let skip = from;
    /** Of the chunk at `index`, so many bytes are shown or skipped. A block becomes the chunk at its place when it is full. */
    let shown = 0;
    for (let index = 0; ; ) {
      const isBlock = index === this.#chunks.length;
      const chunk = isBlock ? this.#block.subarray(0, this.#blockUsed) : this.#chunks[index];
      if (chunk !== undefined && shown < chunk.length) {
        const part = chunk.subarray(shown);
        shown = chunk.length;
        if (skip < part.length) yield part.subarray(skip);
        skip = Math.max(0, skip - part.length);
      } else if (isBlock) return;
      else {
        index += 1;
        shown = 0;
      }
    }
  }

  #grow(needed: number): void {
    // A block that is full is a chunk, or is made larger.
    if (this.#block.length < BLOCK && this.#blockUsed > 0) {
      const larger = new Uint8Array(Math.min(BLOCK, Math.max(2 * this.#block.length, this.#blockUsed + needed)));
      larger.set(this.#block);
      this.#block = larger;
      return;
    }
    this.#finishBlock();
    this.#block = new Uint8Array(Math.min(BLOCK, Math.max(SMALLEST_BLOCK, needed)));
  }

  #finishBlock(): void {
    if (this.#blockUsed > 0) this.#chunks.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = new Uint8Array();
    this.#blockUsed = 0;
  }
}
