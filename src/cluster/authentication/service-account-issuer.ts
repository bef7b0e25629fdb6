import { createPublicKey } from "node:crypto";
import { pemBlocks, pemText } from "../../machinery/crypto/pem.js";
import { type VerificationKey, verificationKey } from "../../machinery/crypto/jwt/jws.js";
import { type TokenIssuer, verificationKeysOf } from "../../server/request/token-issuer.js";
import type { ServiceAccountTokenOptions } from "../options/authentication-options.js";
import { readText } from "../../base/files/read-file.js";
import { watchFile } from "../reload/watch-files.js";
import type { AuthenticationSurroundings } from "./authentication-surroundings.js";

/** The issuer of service account tokens, whose key files may change. */
export interface OpenedTokenIssuer {
  readonly issuer: TokenIssuer;
  /** Watches the files of keys. */
  watch(): void;
  close(): void;
}

/** Opens the issuer that the options configure. Rejects with an Error that names a file without keys, but never quotes its content. */
export async function openTokenIssuer(
  base: TokenIssuer,
  options: ServiceAccountTokenOptions,
  { timers, faults }: Pick<AuthenticationSurroundings, "timers" | "faults">,
): Promise<OpenedTokenIssuer> {
  const { issuers = [], keyFiles = [], keysUrl } = options;
  const [url = base.url, ...otherUrls] = issuers.length > 0 ? issuers : [base.url];
  const texts = new Map<string, string>();
  const byFile = new Map<string, readonly VerificationKey[]>();
  for (const path of keyFiles) {
    const text = await readText(path);
    texts.set(path, text);
    byFile.set(path, publicKeysIn(path, text));
  }
  const own = verificationKeysOf(base);
  const all = () => distinct([...own, ...[...byFile.values()].flat()]);
  let keys = all();
  let stops: readonly (() => void)[] = [];
  const issuer: TokenIssuer = {
    url,
    otherUrls,
    audiences: options.audiences ?? (issuers.length > 0 ? issuers : base.audiences),
    key: base.key,
    get verificationKeys() {
      return keys;
    },
    longestSeconds: options.maxTokenExpirationSeconds,
    extendsExpiration: options.extendTokenExpiration ?? true,
    keysUrl,
    looksUpSecrets: base.looksUpSecrets ?? true,
  };
  return {
    issuer,
    watch() {
      stops = keyFiles.map((path) => {
        const take = (text: string): void => {
          byFile.set(path, publicKeysIn(path, text));
          keys = all();
        };
        const tell = faults.of(`service account key file ${JSON.stringify(path)}`);
        return watchFile({ path, timers, take, tell }, texts.get(path) ?? "");
      });
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}

/** Every public key, private key and certificate of a PEM text, as client-go's keyutil reads them. */
export function publicKeysIn(path: string, pem: string): readonly VerificationKey[] {
  const keys = [...pemBlocks(pem)].flatMap(({ type, bytes }) => {
    try {
      return [verificationKey(createPublicKey(pemText(type, bytes)))];
    } catch {
      return [];
    }
  });
  if (keys.length > 0) return keys;
  throw new Error(`error reading public key file ${path}: data does not contain any valid RSA or ECDSA public keys`);
}

const distinct = (keys: readonly VerificationKey[]): readonly VerificationKey[] => [
  ...new Map(keys.map((key) => [key.id, key])).values(),
];
