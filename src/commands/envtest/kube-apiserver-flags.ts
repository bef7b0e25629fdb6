import type { FlagSpec, FlagType } from "../../cli/flags/flag-set.js";
import { pairsOfType } from "../../cli/flags/pairs.js";

/** A flag of kube-apiserver that this server takes so that command lines for kube-apiserver work, and that changes nothing. */
const without = (name: string, type: FlagType, value: string, why: string): FlagSpec => ({
  name,
  type,
  default: value,
  usage: `No effect here: ${why}.`,
});

/** The flags of kube-apiserver that the stand-in takes. */
export const kubeApiserverFlags: readonly FlagSpec[] = [
  {
    name: "admission-control-config-file",
    type: "string",
    default: "",
    usage: "A file with the configuration of admission plugins (AdmissionConfiguration).",
  },
  {
    name: "advertise-address",
    type: "string",
    default: "",
    usage: "The address that the endpoints of the Service kubernetes name; without it, --bind-address.",
  },
  {
    name: "api-audiences",
    type: "stringSlice",
    default: "[]",
    usage: "The audiences that tokens of service accounts must be for; without it, the issuers.",
  },
  { name: "bind-address", type: "string", default: "127.0.0.1", usage: "The address to listen on." },
  {
    name: "cert-dir",
    type: "string",
    default: "/var/run/kubernetes",
    usage: "The folder of apiserver.crt and apiserver.key, which are made where they are missing.",
  },
  {
    name: "client-ca-file",
    type: "string",
    default: "",
    usage: "The CAs that sign clients' certificates: the common name is the user, the organizations are the groups.",
  },
  {
    name: "disable-admission-plugins",
    type: "stringSlice",
    default: "[]",
    usage: "Admission plugins not to run, of those that run by default.",
  },
  {
    name: "enable-admission-plugins",
    type: "stringSlice",
    default: "[]",
    usage: "Admission plugins to run beside those that run by default.",
  },
  { name: "etcd-cafile", type: "string", default: "", usage: "The CA that signed etcd's certificate, a PEM file." },
  { name: "etcd-certfile", type: "string", default: "", usage: "The certificate to show to etcd, a PEM file." },
  { name: "etcd-keyfile", type: "string", default: "", usage: "The key of the certificate to show to etcd." },
  { name: "etcd-prefix", type: "string", default: "/registry", usage: "What every key in etcd begins with." },
  {
    name: "etcd-servers",
    type: "stringSlice",
    default: "[]",
    usage:
      "Where objects are kept, scheme://host:port: in that etcd, or in this process's memory where kubets' stand-in for etcd answers.",
  },
  {
    name: "runtime-config",
    type: "stringSlice",
    default: "[]",
    usage: "API versions to serve or not to serve, as key=true or key=false.",
  },
  { name: "secure-port", type: "int", default: "6443", usage: "The port to listen on, with TLS." },
  {
    name: "service-account-issuer",
    type: "stringArray",
    default: "[]",
    usage: "The issuer in the tokens of service accounts, a URL.",
  },
  {
    name: "service-account-key-file",
    type: "stringArray",
    default: "[]",
    usage: "A key or certificate that tokens of service accounts are checked with; without it, the signing key.",
  },
  {
    name: "service-account-signing-key-file",
    type: "string",
    default: "",
    usage: "The private key that signs tokens of service accounts.",
  },
  {
    name: "service-cluster-ip-range",
    type: "stringSlice",
    default: "[10.0.0.0/24]",
    usage: "The block of IPv4 addresses that services get theirs from.",
  },
  {
    name: "storage-media-type",
    type: "string",
    default: "application/json",
    usage: "The form that objects are kept in: application/json or application/vnd.kubernetes.protobuf.",
  },
  { name: "tls-cert-file", type: "string", default: "", usage: "The certificate to serve with, a PEM file." },
  { name: "tls-private-key-file", type: "string", default: "", usage: "The key of the certificate to serve with." },
  {
    name: "watch-cache",
    type: "bool",
    default: "true",
    usage: "Whether lists and watches are answered from memory; without it, each asks the storage.",
  },
  without("allow-privileged", "bool", "true", "privileged containers are always allowed"),
  without(
    "authorization-mode",
    "stringSlice",
    "[AlwaysAllow]",
    "there is no authorizer yet, and every user with a certificate or a token may do everything",
  ),
  without("default-watch-cache-size", "int", "100", "the history of watches is limited by bytes"),
  without("enable-priority-and-fairness", "bool", "true", "requests wait in no queue"),
  without("endpoint-reconciler-type", "string", "lease", "there is one API server"),
  {
    ...without("feature-gates", "string", "", "features are on and off as 1.36 has them by default"),
    ...pairsOfType("mapStringString"),
  },
  without("logging-format", "string", "text", "the log is text"),
  without("max-mutating-requests-inflight", "int", "200", "requests wait in no queue"),
  without("max-requests-inflight", "int", "400", "requests wait in no queue"),
  without("profiling", "bool", "true", "there are no profiles"),
  without("request-timeout", "duration", "1m0s", "requests end after a minute"),
  { name: "v", short: "v", type: "level", default: "0", usage: "No effect here: the log has faults alone." },
  without("vmodule", "moduleSpec", "", "the log has faults alone"),
  { name: "version", type: "bool", default: "false", usage: "Print the version and quit." },
  { name: "help", short: "h", type: "bool", default: "false", usage: "Print this help." },
];
