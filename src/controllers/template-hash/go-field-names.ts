/** Go's names of fields whose JSON name is not theirs with a small first letter, in the structs that a pod template is made of. */
const NAMES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  apiGroup: "APIGroup",
  apiVersion: "APIVersion",
  awsElasticBlockStore: "AWSElasticBlockStore",
  cephfs: "CephFS",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
  csi: "CSI",
  diskURI: "DataDiskURI",
  dnsConfig: "DNSConfig",
  dnsPolicy: "DNSPolicy",
  fc: "FC",
  fsGroup: "FSGroup",
  fsGroupChangePolicy: "FSGroupChangePolicy",
  fsType: "FSType",
  gcePersistentDisk: "GCEPersistentDisk",
  gmsaCredentialSpec: "GMSACredentialSpec",
  gmsaCredentialSpecName: "GMSACredentialSpecName",
  grpc: "GRPC",
  httpGet: "HTTPGet",
  httpHeaders: "HTTPHeaders",
  ip: "IP",
  iqn: "IQN",
  iscsi: "ISCSI",
  iscsiInterface: "ISCSIInterface",
  metadata: "ObjectMeta",
  nfs: "NFS",
  os: "OS",
  pdName: "PDName",
  rbd: "RBD",
  seLinuxChangePolicy: "SELinuxChangePolicy",
  seLinuxOptions: "SELinuxOptions",
  serviceAccount: "DeprecatedServiceAccount",
  sslEnabled: "SSLEnabled",
  storageos: "StorageOS",
  tcpSocket: "TCPSocket",
  tty: "TTY",
  uid: "UID",
  wwids: "WWIDs",
};

/** Names that hold for one struct only. */
const NAMES_OF_STRUCTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  __proto__: null as never,
  GlusterfsVolumeSource: { endpoints: "EndpointsName" },
  RBDVolumeSource: { image: "RBDImage", monitors: "CephMonitors", pool: "RBDPool", user: "RadosUser" },
};

/** The Go name of a struct's field that has this name in JSON. */
export function goFieldName(struct: string, field: string): string {
  return NAMES_OF_STRUCTS[struct]?.[field] ?? NAMES[field] ?? `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
}
