/** Examples of manifests that can be applied unchanged, by kind, of the groups networking.k8s.io and discovery.k8s.io. */
export const networking: Readonly<Record<string, string>> = {
  "networking.k8s.io/Ingress": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  ingressClassName: example
  tls:
  - hosts: ["web.example.com"]
    secretName: web-tls
  rules:
  - host: web.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: web
            port:
              name: http
`,
  "networking.k8s.io/IngressClass": `apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata:
  name: example
spec:
  controller: example.com/ingress-controller
`,
  "networking.k8s.io/IPAddress": `# The server makes these for the cluster IPs of Services.
apiVersion: networking.k8s.io/v1
kind: IPAddress
metadata:
  name: 192.0.2.20
  labels:
    ipaddress.kubernetes.io/managed-by: example.com
spec:
  parentRef:
    resource: services
    namespace: default
    name: kubernetes
`,
  "networking.k8s.io/NetworkPolicy": `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: database
spec:
  podSelector:
    matchLabels:
      app: database
  policyTypes: ["Ingress"]
  ingress:
  - from:
    - podSelector:
        matchLabels:
          app: web
    ports:
    - port: 5432
`,
  "networking.k8s.io/ServiceCIDR": `apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata:
  name: more-addresses
spec:
  cidrs: ["10.97.0.0/24"]
`,
  "discovery.k8s.io/EndpointSlice": `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: legacy-database-1
  labels:
    kubernetes.io/service-name: legacy-database
addressType: IPv4
endpoints:
- addresses: ["192.0.2.10"]
  conditions:
    ready: true
ports:
- name: postgres
  port: 5432
`,
};
