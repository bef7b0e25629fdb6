import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pemText } from "../../src/machinery/crypto/pem.js";

/** A line of test/interop/go-x509/chains.jsonl, which the program beside it makes. Bytes are DER in base64. */
export interface CertificateChain {
  readonly name: string;
  readonly usage: "server" | "client";
  /** What a client asked the server for. */
  readonly host?: string;
  readonly roots: readonly string[];
  readonly chain: readonly string[];
  readonly key: string;
  /** Go's error at {@link JUDGED_AT}; "" for a chain that it takes. */
  readonly verdict: string;
}

/** What the chains were judged at, in milliseconds since the epoch. */
export const JUDGED_AT = Date.UTC(2026, 5, 1, 12);

export const chainsText = readFileSync(join(import.meta.dirname, "../interop/go-x509/chains.jsonl"), "utf8");

export const certificateChains = chainsText
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as CertificateChain);

export function chainOf(usage: CertificateChain["usage"], name: string): CertificateChain {
  const found = certificateChains.find((each) => each.usage === usage && each.name === name);
  if (found === undefined) throw new Error(`no chain ${JSON.stringify(name)}`);
  return found;
}

export const pemOf = (der: readonly string[]): string =>
  der.map((each) => pemText("CERTIFICATE", Buffer.from(each, "base64"))).join("");

/** In PEM. */
export const keyOf = ({ key }: CertificateChain): string => pemText("PRIVATE KEY", Buffer.from(key, "base64"));
