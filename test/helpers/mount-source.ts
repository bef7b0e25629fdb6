import type { MountSource } from "../../src/node/agent/volumes/volume-mounts.js";

/** A pod "web" with these volumes. Every object that it refers to has these entries and fields. */
export function mountSource(
  data: Readonly<Record<string, string>> = {},
  volumes: readonly object[] = [],
  fields: object = {},
): MountSource {
  const found = { metadata: { uid: JSON.stringify(data), resourceVersion: "7" }, data, ...fields };
  const get = async (): Promise<object> => found;
  return {
    client: { of: () => ({ get, namespace: () => ({ get }) }) } as unknown as MountSource["client"],
    pod: { metadata: { name: "web", namespace: "default" }, spec: { volumes } } as MountSource["pod"],
    podIp: "10.0.0.2",
    hostIp: "10.0.0.1",
    capacity: {},
    claimed: new Map(),
    signal: new AbortController().signal,
    token: async () => "token",
  };
}
