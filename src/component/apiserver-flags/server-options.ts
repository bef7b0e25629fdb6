import type { OptionGroup } from "../option-group.js";
import { admissionOptions } from "./admission.js";
import { enablementOptions } from "./api-enablement.js";
import { authenticationOptions } from "./authentication.js";
import { authorizationOptions } from "./authorization.js";
import { egressOptions } from "./egress.js";
import { deletionOptions, etcdOptions, storageOptions } from "./etcd.js";
import { conductOptions, inFlightOptions } from "./generic.js";
import { sizeOptions } from "./own.js";
import { http2Options, listeningOptions, tlsOptions } from "./secure-serving.js";

/** The options of a server in code that flags have too: from this table come the types of `startServer`, and what each program reads of its flags. */
export const serverOptionTable = {
  /** How the server answers and stops. Default: as kube-apiserver without flags. */
  conduct: conductOptions,
  /**
   * How many requests run at once; more wait for a place, and beyond that they are answered 429. Watches, connections into pods and members of
   * system:masters are not counted. 0 is no limit. Default: kube-apiserver's, 400 reads and 200 writes.
   */
  inFlight: inFlightOptions,
  /** Where an etcd is, for the storage "etcd". */
  etcd: etcdOptions,
  /** How objects are deleted. Default: as kube-apiserver without flags. */
  deletion: deletionOptions,
  ...storageOptions,
  ...sizeOptions,
  ...listeningOptions,
  /** How connections of HTTP/2 are served. Default: as kube-apiserver without flags. */
  http2: http2Options,
  tls: tlsOptions,
  authentication: authenticationOptions,
  authorization: authorizationOptions,
  admission: admissionOptions,
  ...egressOptions,
  ...enablementOptions,
} as const satisfies OptionGroup;
