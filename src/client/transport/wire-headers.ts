import { goQuote } from "../../base/text/go-quote.js";
import { headerValue } from "../../base/text/header-text.js";
import { NetworkFailure } from "./go-network-error.js";

/** The largest size of an answer's head in bytes, as in Go's client. */
export const LARGEST_HEAD = 10 * 2 ** 20;

type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * Encodes headers as Go sends them: text beyond ASCII as UTF-8. Throws a {@link NetworkFailure} for a value with control characters, as Go does, such as a line break at the end of a token.
 */
export function wireHeaders(headers: Headers): Record<string, string | string[]> {
  const encode = (name: string, value: string): string => {
    if (Buffer.from(value).some((byte) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f)) {
      throw new NetworkFailure(`net/http: invalid header field value for ${goQuote(canonical(name))}`);
    }
    return headerValue(value);
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? encode(name, value) : value.map((one) => encode(name, one)),
    ]),
  );
}

const canonical = (name: string): string => name.replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());
