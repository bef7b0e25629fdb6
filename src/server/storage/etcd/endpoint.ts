import { readFile } from "node:fs/promises";
import type { GrpcAddress, GrpcTls } from "./grpc-channel.js";

/** PEM files, as kube-apiserver's --etcd-cafile, --etcd-certfile and --etcd-keyfile. */
export interface EtcdTlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/**
 * Parses endpoints. "https://host:port" uses TLS, "http://host:port" does not, and "host:port" does when there are
 * certificate files. The default port is 2379. Throws for an invalid address and for a file that cannot be read.
 */
export async function readEndpoints(endpoints: readonly string[], files: EtcdTlsFiles): Promise<GrpcAddress[]> {
  if (endpoints.length === 0) throw new Error("etcd: no address is given");
  if ((files.certFile === undefined) !== (files.keyFile === undefined)) {
    throw new Error("etcd: a client certificate and its key are needed together");
  }
  const tls = await readFiles(files);
  return endpoints.map((endpoint) => {
    const match = /^(?:(https?):\/\/)?((?:\[[0-9a-fA-F:.%]+\]|[^\s:/[\]]+))(?::([0-9]{1,5}))?\/?$/.exec(endpoint);
    const [, scheme, host = "", port = "2379"] = match ?? [];
    if (match === null) throw new Error(`etcd: "${endpoint}" is not an address such as https://127.0.0.1:2379`);
    const target = `${host}:${port}`;
    if (scheme === "http") return { target };
    if (scheme === "https") return { target, tls: tls ?? {} };
    return { target, ...(tls && { tls }) };
  });
}

async function readFiles({ caFile, certFile, keyFile }: EtcdTlsFiles): Promise<GrpcTls | undefined> {
  if (caFile === undefined && certFile === undefined) return undefined;
  return {
    ...(caFile !== undefined && { ca: await readFile(caFile) }),
    ...(certFile !== undefined && { cert: await readFile(certFile) }),
    ...(keyFile !== undefined && { key: await readFile(keyFile) }),
  };
}
