/** What hears of a copy. Texts are kubectl's lines; bytes are what a program in the container writes. */
export interface CopyMessages {
  out(text: string | Uint8Array): Promise<void>;
  err(text: string | Uint8Array): Promise<void>;
  /** Of a file: how many of its bytes are copied, of how many where that is known. */
  progress(path: string, done: number, size?: number): void;
}
