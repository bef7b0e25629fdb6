import { releaseOf } from "../../src/api/facts/index.js";
import { type ServerTraits, serverGates } from "../../src/api/gates/feature-gates.js";

/** What rules ask of a server of a version of Kubernetes ("1.37"), with these gates changed. */
export async function serverTraits(
  version: string,
  changed: Readonly<Record<string, boolean>> = {},
): Promise<ServerTraits> {
  const release = await releaseOf(version);
  return { release, gates: serverGates(version, changed) };
}

/** A server of 1.36. */
export const v36 = await serverTraits("1.36");
/** A server of 1.37. */
export const v37 = await serverTraits("1.37");
