import { type PaxRecords, parsePaxRecords } from "./pax-records.js";
import { type RawHeader, readHeaderBlock, sparse, withRecords } from "./read-header.js";
import { BLOCK, invalidHeader, paddingOf, TarError, type TarHeader, unexpectedEnd } from "./tar-entry.js";

/** Takes bytes from a sequence of chunks. Holds one chunk at a time, and copies only what lies across chunks. */
class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** How many bytes were taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Between 1 and `most` bytes; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#chunk = value;
    }
    const taken = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(taken.length);
    this.#offset += taken.length;
    return taken;
  }

  /** Exactly `length` bytes; undefined when not one is left. Throws when the chunks end before. */
  async exactly(length: number): Promise<Uint8Array | undefined> {
    const first = await this.some(length);
    if (first === undefined || first.length === length) return first;
    const whole = new Uint8Array(length);
    whole.set(first);
    let filled = first.length;
    while (filled < length) {
      const more = await this.some(length - filled);
      if (more === undefined) throw unexpectedEnd();
      whole.set(more, filled);
      filled += more.length;
    }
    return whole;
  }

  /** Drops `length` bytes. Throws when the chunks end before. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const dropped = await this.some(left);
      if (dropped === undefined) throw unexpectedEnd();
      left -= dropped.length;
    }
  }

  /** Ends the sequence: nothing more is read. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** An entry of an archive that is read. */
export interface TarEntry {
  readonly header: TarHeader;
  /** The bytes before the content, counted from the archive's first one. */
  readonly offset: number;
  /** The content. Read it before the next entry, or not at all: what is left is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Long names and PAX records may have so many bytes. */
const LONGEST = 1024 * 1024;

/**
 * The entries of an archive (ustar, PAX, GNU's long names) in their order. Holds one chunk and one header at a time, whatever the
 * archive says. Ends at its two blocks of zeros, and reads nothing behind them. Throws a TarError for a damaged archive, for one that
 * ends before its zeros, and for a sparse file. What the entries are called is not checked.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void, undefined> {
  const reader = new ChunkReader(chunks);
  try {
    for (;;) {
      const header = await nextHeader(reader);
      if (header === undefined) return;
      const offset = reader.offset;
      yield { header: publicHeader(header), offset, content: content(reader, header.length) };
      const read = reader.offset - offset;
      await reader.skip(header.length - read + paddingOf(header.length));
    }
  } finally {
    await reader.close();
  }
}

async function* content(reader: ChunkReader, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let left = length; left > 0; ) {
    const chunk = await reader.some(left);
    if (chunk === undefined) throw unexpectedEnd();
    left -= chunk.length;
    yield chunk;
  }
}

const publicHeader = ({ flag: _flag, length: _length, ...header }: RawHeader): TarHeader => header;

/** The next entry's header, with what the headers before it say of it. */
async function nextHeader(reader: ChunkReader): Promise<RawHeader | undefined> {
  let records: PaxRecords = new Map();
  let longName: string | undefined;
  let longLink: string | undefined;
  for (;;) {
    const block = await nextBlock(reader);
    if (block === undefined) return undefined;
    const header = readHeaderBlock(block);
    switch (header.flag) {
      case "x":
        records = parsePaxRecords(await special(reader, header));
        break;
      case "g":
        await special(reader, header);
        break;
      case "L":
        longName = untilNul(await special(reader, header));
        break;
      case "K":
        longLink = untilNul(await special(reader, header));
        break;
      case "S":
        throw sparse(longName ?? header.name);
      default:
        return withRecords(
          { ...header, name: longName ?? header.name, linkName: longLink ?? header.linkName },
          records,
        );
    }
  }
}

/** Undefined at the end of the archive. */
async function nextBlock(reader: ChunkReader): Promise<Uint8Array | undefined> {
  const block = await reader.exactly(BLOCK);
  if (block === undefined) throw unexpectedEnd();
  if (!isZero(block)) return block;
  const second = await reader.exactly(BLOCK);
  if (second === undefined || isZero(second)) return undefined;
  throw invalidHeader();
}

const isZero = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

async function special(reader: ChunkReader, { length }: RawHeader): Promise<Uint8Array> {
  if (length > LONGEST) throw new TarError("archive/tar: header field too long");
  const bytes = length === 0 ? new Uint8Array(0) : await reader.exactly(length);
  if (bytes === undefined) throw unexpectedEnd();
  // The bytes may lie in a chunk that is read on.
  const kept = bytes.slice();
  await reader.skip(paddingOf(length));
  return kept;
}

function untilNul(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}
