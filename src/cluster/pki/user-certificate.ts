import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import { issueCertificate, issuerOf, type KeyPair } from "./certificate.js";
import { CA_NAME, type ClusterPki } from "./cluster-pki.js";
import { keyMaker } from "./key-maker.js";

/** Who a client's certificate is for. */
export interface UserIdentity {
  readonly user: string;
  /** Beside system:authenticated, which every user with credentials is in. */
  readonly groups?: readonly string[];
}

const YEAR = 365 * 86_400_000;

/** A certificate of a user and its key, valid for a year by the first clock and by the second. Throws where the server has no key of its CA. */
export function userCertificate(
  { ca }: Pick<ClusterPki, "ca">,
  { user, groups = [] }: UserIdentity,
  clocks: readonly Clock[],
  random: Random,
): KeyPair {
  if (user === "") throw new Error("a user has a name: give `user`");
  if (ca.key === "") throw new Error("the server was not given the key of its clients' CA, so it can make no users");
  const times = clocks.map((clock) => clock.now());
  const validity = { notBefore: Math.min(...times) - 60_000, notAfter: Math.max(...times) + YEAR };
  const keys = keyMaker(random);
  return issueCertificate(
    { commonName: user, organizations: groups, ...validity, serial: random.bytes(16), usage: "client" },
    issuerOf(ca, CA_NAME, keys),
    keys,
  );
}
