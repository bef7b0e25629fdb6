/** Examples of manifests that can be applied unchanged, by kind, of the groups storage.k8s.io, node.k8s.io and resource.k8s.io. */
export const storage: Readonly<Record<string, string>> = {
  "storage.k8s.io/CSIDriver": `apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata:
  name: disks.example.com
spec:
  attachRequired: true
  podInfoOnMount: false
  volumeLifecycleModes: ["Persistent"]
`,
  "storage.k8s.io/CSINode": `# Kubelets write these for the drivers on their nodes.
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata:
  name: worker-7
spec:
  drivers:
  - name: disks.example.com
    nodeID: machine-7
    topologyKeys: ["topology.kubernetes.io/zone"]
`,
  "storage.k8s.io/CSIStorageCapacity": `apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata:
  name: disks-zone-a
storageClassName: fast
nodeTopology:
  matchLabels:
    topology.kubernetes.io/zone: zone-a
capacity: 200Gi
`,
  "storage.k8s.io/StorageClass": `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: fast
provisioner: disks.example.com
parameters:
  type: ssd
reclaimPolicy: Delete
volumeBindingMode: WaitForFirstConsumer
allowVolumeExpansion: true
`,
  "storage.k8s.io/VolumeAttachment": `# The attach-detach controller makes these, and the driver attaches the volume.
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata:
  name: archive-on-worker-7
spec:
  attacher: disks.example.com
  nodeName: worker-7
  source:
    persistentVolumeName: archive
`,
  "storage.k8s.io/VolumeAttributesClass": `apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata:
  name: high-throughput
driverName: disks.example.com
parameters:
  iops: "4000"
  throughput: "250"
`,
  "node.k8s.io/RuntimeClass": `apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata:
  name: sandboxed
handler: sandbox
overhead:
  podFixed:
    cpu: 100m
    memory: 64Mi
`,
  "resource.k8s.io/DeviceClass": `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: large-gpu
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
`,
  "resource.k8s.io/ResourceClaim": `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: one-gpu
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: large-gpu
        count: 1
`,
  "resource.k8s.io/ResourceClaimTemplate": `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: gpu-for-each-pod
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: large-gpu
`,
  "resource.k8s.io/ResourceSlice": `# Drivers publish their devices in these.
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: worker-7-gpus
spec:
  driver: gpu.example.com
  nodeName: worker-7
  pool:
    name: worker-7
    generation: 1
    resourceSliceCount: 1
  devices:
  - name: gpu-0
    capacity:
      memory:
        value: 40Gi
`,
};
