import { type OptionGroup, sectionOf } from "../option-group.js";
import { notNegative, parsePortRange, portRangeFault } from "./values.js";

const NO_ELECTION = "components elect their leaders themselves";
const NO_PEERS = "requests are not handed to API servers of other versions";

/** The options for what kube-apiserver, and no other server, does for Kubernetes. */
export const kubernetesOptions = {
  /** Whether pods may have privileged containers. */
  allowPrivileged: { name: "allow-privileged", type: "bool", usage: "Whether pods may have privileged containers." },
  /** "lease" or "none". */
  endpointReconcilerType: {
    name: "endpoint-reconciler-type",
    type: "string",
    default: "lease",
    usage: "Who keeps the endpoints of the Service kubernetes: lease, the servers that share the etcd; none, nobody.",
  },
  /** In milliseconds; 0 for ever. */
  eventTtl: {
    name: "event-ttl",
    type: "duration",
    default: "1h0m0s",
    usage: "How long events are kept.",
    faults: notNegative("--event-ttl can not be negative value"),
  },
  /** 0 for none. */
  kubernetesServiceNodePort: {
    name: "kubernetes-service-node-port",
    type: "int",
    default: "0",
    usage: "The node port of the Service kubernetes; with 0 it has none.",
  },
  /** The key that signs tokens of service accounts. */
  serviceAccountSigningKeyFile: {
    name: "service-account-signing-key-file",
    type: "string",
    usage: "The private key that signs tokens of service accounts.",
    isFile: true,
  },
  /** A block of IPv4 addresses. */
  serviceClusterIpRange: {
    name: "service-cluster-ip-range",
    type: "string",
    usage: "The block of IPv4 addresses that services get theirs from; without it, 10.0.0.0/24.",
  },
  serviceNodePortRange: {
    name: "service-node-port-range",
    type: "string",
    typeName: "portRange",
    default: "30000-32767",
    check: portRangeFault,
    usage: "The ports that services of type NodePort get theirs from, as FIRST-LAST or FIRST+COUNT.",
    read: parsePortRange,
  },
} as const satisfies OptionGroup;

/** The options for the server's connections to kubelets. */
export const kubeletOptions = {
  caFile: {
    name: "kubelet-certificate-authority",
    type: "string",
    usage: "The CA that kubelets' certificates are checked with, a PEM file; without it, none is checked.",
    isFile: true,
  },
  certFile: {
    name: "kubelet-client-certificate",
    type: "string",
    usage: "The certificate to show to kubelets, a PEM file.",
    isFile: true,
  },
  keyFile: {
    name: "kubelet-client-key",
    type: "string",
    usage: "The key of the certificate to show to kubelets.",
    isFile: true,
  },
  addressTypes: {
    name: "kubelet-preferred-address-types",
    type: "stringSlice",
    default: "[Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]",
    usage: "Which of a Node's addresses the server connects to; the first type that the Node has counts.",
  },
} as const satisfies OptionGroup;

/** The options for how the server forwards requests to the services of APIServices. */
export const aggregatorOptions = {
  rejectForwardingRedirect: {
    name: "aggregator-reject-forwarding-redirect",
    type: "bool",
    default: "true",
    usage: "Whether redirects of API servers behind this one are kept from clients.",
  },
  certFile: {
    name: "proxy-client-cert-file",
    type: "string",
    usage: "The certificate to show to API servers behind this one, a PEM file; it is read again when it changes.",
    isFile: true,
  },
  keyFile: {
    name: "proxy-client-key-file",
    type: "string",
    usage: "The key of the certificate to show to API servers behind this one.",
    isFile: true,
  },
} as const satisfies OptionGroup;

export const miscSection = sectionOf("misc", { kubernetesOptions, kubeletOptions, aggregatorOptions }, [
  {
    name: "apiserver-count",
    type: "int",
    default: "1",
    hidden: true,
    deprecated: "apiserver-count is deprecated and will be removed in a future version.",
    usage: "How many API servers there are.",
    withoutEffect: "servers that share an etcd find each other in it",
  },
  {
    name: "coordinated-leadership-lease-duration",
    type: "duration",
    default: "15s",
    usage: "How long a leader that the server chose may be silent.",
    withoutEffect: NO_ELECTION,
  },
  {
    name: "coordinated-leadership-renew-deadline",
    type: "duration",
    default: "10s",
    usage: "How long the server tries to renew the lease of its election.",
    withoutEffect: NO_ELECTION,
  },
  {
    name: "coordinated-leadership-retry-period",
    type: "duration",
    default: "2s",
    usage: "How long the server rests between two tries.",
    withoutEffect: NO_ELECTION,
  },
  {
    name: "enable-aggregator-routing",
    type: "bool",
    usage: "Reach API servers behind this one at the addresses of their endpoints.",
    withoutEffect: "API servers behind this one are always reached at the addresses of their endpoints",
  },
  {
    name: "enable-logs-handler",
    type: "bool",
    usage: "Serve the files of --logs-folder at /logs to those who may read them.",
    deprecated: "Log handler functionality is deprecated",
    deprecatedUntil: "1.36",
  },
  {
    name: "kubelet-port",
    type: "int",
    typeName: "uint",
    default: "10250",
    hidden: true,
    deprecated: "kubelet-port is deprecated and will be removed.",
    usage: "The port of kubelets whose Node does not say it.",
    withoutEffect: "the port of a kubelet is the one that its Node says, else 10250",
  },
  {
    name: "kubelet-read-only-port",
    type: "int",
    typeName: "uint",
    default: "10255",
    hidden: true,
    deprecated: "kubelet-read-only-port is deprecated and will be removed.",
    usage: "The port of kubelets without TLS.",
    withoutEffect: "kubelets are never asked without TLS",
  },
  {
    name: "kubelet-timeout",
    type: "duration",
    default: "5s",
    usage: "How long a kubelet may take to answer.",
    withoutEffect: "Kubernetes 1.37 does not read it, and connections to kubelets have the time limits of Go's clients",
  },
  {
    name: "max-connection-bytes-per-sec",
    type: "int64",
    default: "0",
    usage: "How many bytes a second a connection into a pod may carry; 0 is no limit.",
    withoutEffect: "connections into pods are not slowed down",
  },
  {
    name: "peer-advertise-ip",
    type: "string",
    usage: "The address at which other API servers reach this one.",
    withoutEffect: NO_PEERS,
  },
  {
    name: "peer-advertise-port",
    type: "string",
    usage: "The port at which other API servers reach this one.",
    withoutEffect: NO_PEERS,
  },
  {
    name: "peer-ca-file",
    type: "string",
    usage: "The CA that certificates of other API servers are checked with, a PEM file.",
    withoutEffect: NO_PEERS,
  },
  {
    name: "service-account-signing-endpoint",
    type: "string",
    usage: "A Unix socket at which another program signs tokens of service accounts.",
    refused: "tokens are signed by the server, with the key of --service-account-signing-key-file",
  },
]);
