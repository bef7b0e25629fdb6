import type { FlagSection } from "../component-flag.js";

const ALWAYS_TLS = "kubelets are always asked over TLS";
const ONE_LOG = "the log is on stderr";
const NO_CLOUD = "use a cloud-controller-manager";
const NO_PLAIN_PORT = "the one port is --secure-port";
const NO_TUNNELS = "use --egress-selector-config-file";
const NO_PASSWORDS = "passwords are not checked";

/** Flags of earlier versions of kube-apiserver, with which older texts and tools start it. */
export const droppedSection: FlagSection = {
  name: "dropped",
  flags: [
    dropped("add-dir-header", "bool", ONE_LOG),
    dropped("address", "string", NO_PLAIN_PORT),
    dropped("admission-control", "stringSlice", "use --enable-admission-plugins and --disable-admission-plugins"),
    dropped("alsologtostderr", "bool", ONE_LOG),
    refused("authorization-rbac-super-user", "bind the user to the ClusterRole cluster-admin"),
    refused("basic-auth-file", NO_PASSWORDS),
    dropped("cloud-config", "string", NO_CLOUD),
    dropped("cloud-provider", "string", NO_CLOUD),
    dropped("cloud-provider-gce-l7lb-src-cidrs", "stringSlice", NO_CLOUD),
    dropped("cloud-provider-gce-lb-src-cidrs", "stringSlice", NO_CLOUD),
    dropped("deserialization-cache-size", "int", "there is no such cache"),
    dropped("enable-swagger-ui", "bool", "read /openapi/v2 and /openapi/v3"),
    dropped("etcd-quorum-read", "bool", "reads are always consistent"),
    dropped("experimental-bootstrap-token-auth", "bool", "use --enable-bootstrap-token-auth"),
    refused("experimental-encryption-provider-config", "use --encryption-provider-config"),
    refused("experimental-keystone-ca-file", NO_PASSWORDS),
    refused("experimental-keystone-url", NO_PASSWORDS),
    dropped("feature-gate", "string", "use --feature-gates"),
    dropped("identity-lease-duration-seconds", "int", "it is an hour"),
    dropped("identity-lease-renew-interval-seconds", "int", "it is ten seconds"),
    dropped("insecure-bind-address", "string", NO_PLAIN_PORT),
    dropped("insecure-port", "int", NO_PLAIN_PORT),
    dropped("kubelet-https", "bool", ALWAYS_TLS),
    dropped("log-backtrace-at", "string", ONE_LOG),
    dropped("log-dir", "string", ONE_LOG),
    dropped("log-file", "string", ONE_LOG),
    dropped("log-file-max-size", "int", ONE_LOG),
    dropped("logtostderr", "bool", ONE_LOG),
    dropped("long-running-request-regexp", "string", "requests are known by their verbs"),
    dropped("master-service-namespace", "string", "the Service kubernetes is in the namespace default"),
    dropped("one-output", "bool", ONE_LOG),
    dropped("port", "int", NO_PLAIN_PORT),
    dropped("portal-net", "string", "use --service-cluster-ip-range"),
    dropped("public-address-override", "string", "use --advertise-address"),
    dropped("repair-malformed-updates", "bool", "malformed updates are refused"),
    dropped("service-account-api-audiences", "stringSlice", "use --api-audiences"),
    dropped("service-node-ports", "string", "use --service-node-port-range"),
    dropped("skip-headers", "bool", ONE_LOG),
    dropped("skip-log-headers", "bool", ONE_LOG),
    dropped("ssh-keyfile", "string", NO_TUNNELS),
    dropped("ssh-user", "string", NO_TUNNELS),
    dropped("stderrthreshold", "string", ONE_LOG),
    dropped("storage-version", "string", "use --runtime-config"),
    dropped("storage-versions", "string", "use --runtime-config"),
    dropped("target-ram-mb", "int", "caches are limited by bytes"),
    refused("tls-ca-file", "use --client-ca-file"),
  ],
};

type SimpleType = "bool" | "int" | "string" | "stringSlice";

function dropped<const Name extends string, const Type extends SimpleType>(name: Name, type: Type, instead: string) {
  return { name, type, usage: "A flag of earlier versions.", dropped: instead, hidden: true } as const;
}

/** A dropped flag that decided who may do what. The API server refuses it: its user would believe that it is obeyed. */
function refused<const Name extends string>(name: Name, reason: string) {
  const refusal = `Kubernetes has dropped it, ${reason}`;
  return { name, type: "string", usage: "A flag of earlier versions.", refused: refusal, hidden: true } as const;
}
