/** Examples of manifests that can be applied unchanged, by kind, of the groups rbac.authorization.k8s.io, certificates.k8s.io and coordination.k8s.io. */
export const access: Readonly<Record<string, string>> = {
  "rbac.authorization.k8s.io/ClusterRole": `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: node-reader
rules:
- apiGroups: [""]
  resources: ["nodes"]
  verbs: ["get", "list", "watch"]
- nonResourceURLs: ["/metrics"]
  verbs: ["get"]
`,
  "rbac.authorization.k8s.io/ClusterRoleBinding": `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: operators-view
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: view
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: operators
`,
  "rbac.authorization.k8s.io/Role": `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: settings-editor
rules:
- apiGroups: [""]
  resources: ["configmaps"]
  resourceNames: ["settings"]
  verbs: ["get", "update", "patch"]
`,
  "rbac.authorization.k8s.io/RoleBinding": `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: robot-edits-settings
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: edit
subjects:
- kind: ServiceAccount
  name: robot
  namespace: default
`,
  "certificates.k8s.io/CertificateSigningRequest": `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata:
  name: jane
spec:
  signerName: kubernetes.io/kube-apiserver-client
  usages: ["client auth"]
  expirationSeconds: 86400
  # openssl req -new -key jane.key -subj "/CN=jane/O=developers" | base64 -w0
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0dBZ0VBTUNReEV6QVJCZ05WQkFvTUNtUmxkbVZzYjNCbGNuTXhEVEFMQmdOVkJBTU1CR3BoYm1VdwpXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBUm1BS2NPRGF2MjA0QjFoMkM1T3ZYUXVvNmpldTBuCm9oTnltWmpNUGNIL09BQUJLWCtldjhCSVJNY0VJQVRmUllRSHRDV05tRThZWCs3OWYvWGVIUlZ0b0FBd0NnWUkKS29aSXpqMEVBd0lEU1FBd1JnSWhBT3JVR2dvV29mbkN6cU1xL3FNRGRRSG5yb3Bhdmg4cTluTlRpWVVSY3o5UApBaUVBNU5ZMWFHd2tpa1FwVmxlaGRrdnFxQzhxRDlvZFozSGNLc1pJc3Y4MDJ0OD0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==
`,
  "certificates.k8s.io/ClusterTrustBundle": `apiVersion: certificates.k8s.io/v1
kind: ClusterTrustBundle
metadata:
  name: company-roots
spec:
  trustBundle: |
    -----BEGIN CERTIFICATE-----
    MIIBgDCCASegAwIBAgIUIHfiNfMLfdf1/0vh4i33ZDUHDA8wCgYIKoZIzj0EAwIw
    FTETMBEGA1UEAwwKZXhhbXBsZS1jYTAgFw0yNjExMzAxMjExMjFaGA8yMTI2MTEw
    NjEyMTEyMVowFTETMBEGA1UEAwwKZXhhbXBsZS1jYTBZMBMGByqGSM49AgEGCCqG
    SM49AwEHA0IABPL6tlPPKBs7UcktdMxkkp4EjWDhEe62vjf0raUHw+JtkjeCuTmp
    RHwiO5vjqiW4cLK4YPQo7Wdr77qclwKKIvWjUzBRMB0GA1UdDgQWBBS26WHlwbaw
    VYEMz6pxoaD+Gv5MzTAfBgNVHSMEGDAWgBS26WHlwbawVYEMz6pxoaD+Gv5MzTAP
    BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBiYdEzXZZ9K5UxHasFF
    wAHXzmO3OJdHeLw9lAYGjk6CAiBENQYIuQ8GxSEkYCMzxPpwPA7knt6nObVuCpMV
    vzvW3Q==
    -----END CERTIFICATE-----
`,
  "coordination.k8s.io/Lease": `apiVersion: coordination.k8s.io/v1
kind: Lease
metadata:
  name: web-operator
spec:
  holderIdentity: web-operator-0
  leaseDurationSeconds: 15
  acquireTime: "2026-01-01T00:00:00.000000Z"
  renewTime: "2026-01-01T00:00:00.000000Z"
  leaseTransitions: 1
`,
};
