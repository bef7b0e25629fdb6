import { absent, type Fields, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { defaultEndpointSlice } from "../defaults/discovery.js";
import { compact, without, withChildren } from "./copies.js";
import type { VersionTable } from "./version-table.js";

const ZONE = "topology.kubernetes.io/zone";
const HOSTNAME = "kubernetes.io/hostname";

/**
 * Converts discovery.k8s.io/v1beta1, where a map holds an endpoint's topology; v1 has fields for some of its keys, and keeps the
 * others in a map.
 */
export const DISCOVERY_BETA: VersionTable = {
  "discovery.k8s.io/v1beta1/EndpointSlice": {
    conversion: {
      toHub: (slice) => withChildren(slice, "endpoints", endpointFromBeta),
      fromHub: (slice) => withChildren(slice, "endpoints", endpointToBeta),
    },
    applyDefaults: defaultEndpointSlice,
  },
};

function endpointFromBeta(beta: ReadonlyFields): ReadonlyFields {
  if (absent(beta.topology)) return beta;
  const { [ZONE]: zone, [HOSTNAME]: hostname, ...others } = object(beta.topology);
  const nodeName = beta.nodeName ?? hostname;
  // A host name that is not the node's stays where it was.
  const topology = hostname === nodeName ? others : compact({ ...others, [HOSTNAME]: hostname });
  return compact({
    ...without(beta, ["topology"]),
    nodeName,
    zone,
    deprecatedTopology: Object.keys(topology).length > 0 ? topology : undefined,
  });
}

function endpointToBeta(endpoint: ReadonlyFields): ReadonlyFields {
  const { deprecatedTopology, zone, ...beta } = endpoint;
  const { nodeName } = endpoint;
  if (absent(deprecatedTopology) && absent(zone) && absent(nodeName)) return beta;
  const topology: Fields = { ...object(deprecatedTopology) };
  if (!absent(zone)) topology[ZONE] = zone;
  if (!absent(nodeName) && text(topology[HOSTNAME]) === "") topology[HOSTNAME] = nodeName;
  return { ...beta, topology };
}
