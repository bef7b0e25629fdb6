import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../../helpers/api-caller.js";
import { type ApiserverFolder, makeApiserverFolder, startApiserver } from "../../helpers/apiserver-folder.js";
import { kubeadm } from "../../helpers/kubeadm-command-line.js";

let folder: ApiserverFolder;

beforeAll(async () => {
  folder = await makeApiserverFolder();
});

afterAll(() => folder.dispose());

/** The warnings of a log, without times and process ids. */
const warningsIn = (log: string): readonly string[] =>
  log
    .split("\n")
    .filter((line) => /^W\d{4} /.test(line))
    .map((line) => line.replace(/^.*?\] /, ""));

/** What k3s passes to kube-apiserver. */
const k3s = (etcd: string): readonly string[] => [
  "--advertise-address=127.0.0.1",
  "--advertise-port=6443",
  "--allow-privileged=true",
  "--anonymous-auth=false",
  "--api-audiences=https://kubernetes.default.svc.cluster.local,k3s",
  "--authorization-mode=Node,RBAC",
  "--bind-address=127.0.0.1",
  "--cert-dir=temporary-certs",
  "--client-ca-file=ca.crt",
  "--egress-selector-config-file=egress.yaml",
  "--enable-admission-plugins=NodeRestriction",
  "--enable-aggregator-routing=true",
  "--enable-bootstrap-token-auth=true",
  `--etcd-servers=${etcd}`,
  "--kubelet-certificate-authority=ca.crt",
  "--kubelet-client-certificate=apiserver-kubelet-client.crt",
  "--kubelet-client-key=apiserver-kubelet-client.key",
  "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
  "--profiling=false",
  "--proxy-client-cert-file=front-proxy-client.crt",
  "--proxy-client-key-file=front-proxy-client.key",
  "--requestheader-allowed-names=system:auth-proxy",
  "--requestheader-client-ca-file=front-proxy-ca.crt",
  "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  "--requestheader-group-headers=X-Remote-Group",
  "--requestheader-username-headers=X-Remote-User",
  "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
  "--service-account-key-file=sa.pub",
  "--service-account-signing-key-file=sa.key",
  "--service-cluster-ip-range=10.43.0.0/16",
  "--service-node-port-range=30000-32767",
  "--storage-backend=etcd3",
  "--tls-cert-file=apiserver.crt",
  "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
  "--tls-private-key-file=apiserver.key",
];

/** The command line of START-9. */
const book = (etcd: string): readonly string[] => [
  "--authorization-mode=Node,RBAC",
  "--cloud-provider=",
  "--cloud-config=",
  "--v=3",
  "--vmodule=",
  "--audit-policy-file=audit.yaml",
  "--audit-log-path=audit.log",
  "--authorization-webhook-config-file=",
  "--authentication-token-webhook-config-file=",
  "--cert-dir=kubernetes",
  "--egress-selector-config-file=egress.yaml",
  "--client-ca-file=ca.crt",
  "--kubelet-client-certificate=apiserver-kubelet-client.crt",
  "--kubelet-client-key=apiserver-kubelet-client.key",
  "--service-account-key-file=sa.pub",
  "--service-account-lookup=true",
  "--service-account-issuer=https://kubernetes.default.svc",
  "--service-account-jwks-uri=https://kubernetes.default.svc/openid/v1/jwks",
  "--service-account-signing-key-file=sa.key",
  "--enable-admission-plugins=NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,Priority,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ResourceQuota,NodeRestriction",
  "--disable-admission-plugins=",
  "--admission-control-config-file=",
  "--bind-address=127.0.0.1",
  "--tls-cert-file=apiserver.crt",
  "--tls-private-key-file=apiserver.key",
  "--storage-backend=etcd3",
  "--storage-media-type=application/vnd.kubernetes.protobuf",
  `--etcd-servers=${etcd}`,
  "--service-cluster-ip-range=10.0.0.0/24",
  "--feature-gates=AllAlpha=false",
  "--external-hostname=localhost",
  "--requestheader-username-headers=X-Remote-User",
  "--requestheader-group-headers=X-Remote-Group",
  "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  "--requestheader-client-ca-file=front-proxy-ca.crt",
  "--requestheader-allowed-names=system:auth-proxy",
  "--proxy-client-cert-file=front-proxy-client.crt",
  "--proxy-client-key-file=front-proxy-client.key",
  "--cors-allowed-origins=/127.0.0.1:([0-9]+)?$/,/localhost(:[0-9]+)?$/",
];

const ENDPOINTS =
  "--enable-aggregator-routing has no effect: API servers behind this one are always reached at the addresses of their endpoints";

test.each([
  ["kubeadm", kubeadm, { anonymous: 403, clusterIp: "10.96.0.1" }, []],
  ["k3s", k3s, { anonymous: 401, clusterIp: "10.43.0.1" }, [ENDPOINTS]],
  [
    "START-9: the book",
    book,
    { anonymous: 403, clusterIp: "10.0.0.1" },
    [
      "--cloud-config has no effect: Kubernetes has dropped it, use a cloud-controller-manager",
      "--cloud-provider has no effect: Kubernetes has dropped it, use a cloud-controller-manager",
    ],
  ],
])(
  "kubets apiserver starts with the kube-apiserver command line of %s, and warns about flags without effect (START-5, WEB-1)",
  async (_, flags, seen, warnings) => {
    // Each has an etcd prefix of its own, so that the services of one are not those of another.
    const server = await startApiserver(folder, [...flags(folder.etcd), `--etcd-prefix=/${seen.clusterIp}`]);
    const [anonymous, service] = await Promise.all([
      call(server.anonymous, "GET", "/api/v1/namespaces"),
      call(server.admin, "GET", "/api/v1/namespaces/default/services/kubernetes"),
    ]);
    const created = await call(server.admin, "POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "a" },
    });
    const { code, stderr } = await server.stop();
    expect({ anonymous: anonymous.status, clusterIp: service.at("spec.clusterIP") }).toEqual(seen);
    expect(created.status).toBe(201);
    expect(code).toBe(0);
    expect(warningsIn(stderr)).toEqual(warnings);
    const milestones = [
      "Version: v1.37.1",
      `Serving securely on 127.0.0.1:${server.port}`,
      `Stopped listening on 127.0.0.1:${server.port}`,
    ];
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^.*?\] /, ""));
    expect(lines.filter((line) => milestones.includes(line))).toEqual(milestones);
  },
);
