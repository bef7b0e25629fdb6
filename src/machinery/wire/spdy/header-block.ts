import { createInflate, type Inflate } from "node:zlib";

/** Words of the dictionary, each with its length before it. */
const WORDS =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get";

const STATUS = "status|200 OK|version|HTTP/1.1|url|public|set-cookie|keep-alive|origin";

const TEXT =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The preset dictionary of the zlib streams in SPDY/3 header blocks, as the protocol's third draft defines it (section 2.6.10.1). */
export function headerDictionary(): Buffer {
  const words = [...WORDS.split(" "), ...STATUS.split("|")].flatMap((word) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    return [length, Buffer.from(word)];
  });
  return Buffer.concat([...words, Buffer.from(TEXT)]);
}

/** The dictionary's Adler-32, by which a zlib stream names it. */
const DICTIONARY_ID = 0xe3c6a7c2;

export type Headers = Readonly<Record<string, string>>;

/** The largest size of a header block, compressed or not. Kubernetes' headers are shorter than 100 bytes. */
export const LARGEST_HEADER_BLOCK = 64 * 1024;

/**
 * Encodes the header blocks of one direction as parts of one zlib stream. The blocks are stored without compression, because they
 * are short. Each ends with an empty block, as zlib's flush leaves it, because Go's inflater returns no bytes before.
 */
export class HeaderEncoder {
  #begun = false;

  encode(headers: Headers): Buffer {
    const block = blockOf(headers);
    const parts: Buffer[] = [];
    if (!this.#begun) {
      const start = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
      start.writeUInt32BE(DICTIONARY_ID, 2);
      parts.push(start);
      this.#begun = true;
    }
    for (let from = 0; from < block.length; from += 0xffff) {
      const part = block.subarray(from, from + 0xffff);
      parts.push(storedHead(part.length), part);
    }
    return Buffer.concat([...parts, storedHead(0)]);
  }
}

/** Decodes the header blocks of one direction. Call it for one block after the other, in order. */
export class HeaderDecoder {
  #inflate: Inflate | undefined;
  #output: Buffer[] = [];
  #length = 0;
  #failure: Error | undefined;

  /** Rejects for a block that cannot be inflated, is too long, or holds no headers. The connection is then of no use. */
  async decode(block: Uint8Array): Promise<Headers> {
    const inflate = (this.#inflate ??= this.#create());
    await new Promise<void>((resolve, reject) => {
      const failed = (error: Error): void => {
        this.close();
        reject(error);
      };
      inflate.once("error", failed);
      inflate.write(block, (error) => {
        if (error) return;
        inflate.off("error", failed);
        if (this.#failure === undefined) resolve();
        else failed(this.#failure);
      });
    });
    const output = Buffer.concat(this.#output);
    this.#output = [];
    this.#length = 0;
    return headersOf(output);
  }

  close(): void {
    this.#inflate?.destroy();
  }

  #create(): Inflate {
    const inflate = createInflate({ dictionary: headerDictionary() });
    inflate.on("data", (chunk: Buffer) => {
      this.#length += chunk.length;
      if (this.#length <= LARGEST_HEADER_BLOCK) return void this.#output.push(chunk);
      // No more of it is inflated.
      this.#failure ??= new Error("spdy: the header block is too long");
      return void inflate.destroy();
    });
    // Errors after the one that decode() waits for.
    inflate.on("error", () => {});
    return inflate;
  }
}

/** Begins a stored block of zlib, which is not the last. */
function storedHead(length: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 0xffff, 3);
  return head;
}

function blockOf(headers: Headers): Buffer {
  const entries = Object.entries(headers);
  const texts = entries.flatMap(([name, value]) => [Buffer.from(name.toLowerCase()), Buffer.from(value)]);
  const parts = texts.flatMap((text) => [uint32(text.length), text]);
  return Buffer.concat([uint32(entries.length), ...parts]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Several values of a name are joined with a comma. */
function headersOf(block: Buffer): Headers {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new Error("spdy: the header block breaks off");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new Error("spdy: the header block breaks off");
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    headers.set(name, text().replaceAll("\0", ", "));
  }
  return Object.fromEntries(headers);
}
