import { describe, expect, it } from "vitest";
import { create, type CreateRow, rowName } from "./workload-kinds.js";

const VOLUME_ROWS: readonly CreateRow[] = [
  [{}, []],
  [{ name: "", emptyDir: {} }, ["spec.volumes[0].name: Required value"]],
  [
    { name: "V", emptyDir: {} },
    [
      "spec.volumes[0].name: Invalid value: \"V\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { emptyDir: { sizeLimit: "-1" } },
    ["spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
  ],
  [{ emptyDir: { sizeLimit: "1Gi", medium: "Memory" } }, []],
  [
    { emptyDir: {}, hostPath: { path: "/x" } },
    ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
  ],
  [{ hostPath: { path: "" } }, ["spec.volumes[0].hostPath.path: Required value"]],
  [
    { hostPath: { path: "/a/../b" } },
    ["spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"],
  ],
  [
    { hostPath: { path: "/a", type: "Dir" } },
    [
      'spec.volumes[0].hostPath.type: Unsupported value: "Dir": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [{ hostPath: { path: "/a", type: "Directory" } }, []],
  [
    { gitRepo: { repository: "" } },
    ["spec.volumes[0].gitRepo.repository: Required value"],
    ["spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"],
  ],
  [
    { gitRepo: { repository: "r", directory: "/abs" } },
    ['spec.volumes[0].gitRepo.directory: Invalid value: "/abs": must be a relative path'],
    ["spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"],
  ],
  [
    { gitRepo: { repository: "r", directory: "../up" } },
    ["spec.volumes[0].gitRepo.directory: Invalid value: \"../up\": must not contain '..'"],
    ["spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"],
  ],
  [{ gcePersistentDisk: { pdName: "" } }, ["spec.volumes[0].persistentDisk.pdName: Required value"]],
  [
    { gcePersistentDisk: { pdName: "d", partition: 256 } },
    ["spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive"],
  ],
  [
    { gcePersistentDisk: { pdName: "d" }, emptyDir: {} },
    ["spec.volumes[0].gcePersistentDisk: Forbidden: may not specify more than 1 volume type"],
  ],
  [{ awsElasticBlockStore: { volumeID: "" } }, ["spec.volumes[0].awsElasticBlockStore.volumeID: Required value"]],
  [
    { awsElasticBlockStore: { volumeID: "v", partition: -1 } },
    ["spec.volumes[0].awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive"],
  ],
  [{ secret: {} }, ["spec.volumes[0].secret.secretName: Required value"]],
  [
    { secret: { secretName: "s", defaultMode: 512 } },
    [
      "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [
    { secret: { secretName: "s", items: [{}] } },
    ["spec.volumes[0].secret.items[0].key: Required value", "spec.volumes[0].secret.items[0].path: Required value"],
  ],
  [
    { secret: { secretName: "s", items: [{ key: "k", path: "/a" }] } },
    ['spec.volumes[0].secret.items[0].path: Invalid value: "/a": must be a relative path'],
  ],
  [
    { secret: { secretName: "s", items: [{ key: "k", path: "..a" }] } },
    ["spec.volumes[0].secret.items[0].path: Invalid value: \"..a\": must not start with '..'"],
  ],
  [
    { secret: { secretName: "s", items: [{ key: "k", path: "a/../b" }] } },
    ["spec.volumes[0].secret.items[0].path: Invalid value: \"a/../b\": must not contain '..'"],
  ],
  [
    { secret: { secretName: "s", items: [{ key: "k", path: "a", mode: 1000 }] } },
    [
      "spec.volumes[0].secret.items[0].mode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [{ configMap: {} }, ["spec.volumes[0].configMap.name: Required value"]],
  [
    { configMap: { name: "c", defaultMode: -1 } },
    [
      "spec.volumes[0].configMap.defaultMode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [
    { configMap: { name: "c", items: [{ key: "", path: "p" }] } },
    ["spec.volumes[0].configMap.items[0].key: Required value"],
  ],
  [{ configMap: { name: "c", items: [{ key: "k", path: "p" }] } }, []],
  [
    { nfs: { server: "", path: "" } },
    [
      "spec.volumes[0].nfs.server: Required value",
      "spec.volumes[0].nfs.path: Required value",
      'spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path',
    ],
  ],
  [{ nfs: { server: "s", path: "rel" } }, ['spec.volumes[0].nfs.path: Invalid value: "rel": must be an absolute path']],
  [{ nfs: { server: "s", path: "/abs" } }, []],
  [
    { iscsi: { targetPortal: "", iqn: "", lun: 0 } },
    ["spec.volumes[0].iscsi.targetPortal: Required value", "spec.volumes[0].iscsi.iqn: Required value"],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "foo", lun: 0 } },
    ['spec.volumes[0].iscsi.iqn: Invalid value: "foo": must be valid format starting with iqn, eui, or naa'],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2015-02.example.com:test", lun: 256 } },
    ["spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive"],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.bad", lun: 1 } },
    ['spec.volumes[0].iscsi.iqn: Invalid value: "iqn.bad": must be valid format'],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "eui.0123456789ABCDEF", lun: 1, chapAuthDiscovery: true } },
    ["spec.volumes[0].iscsi.secretRef: Required value"],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "naa.1", lun: 1 } },
    ['spec.volumes[0].iscsi.iqn: Invalid value: "naa.1": must be valid format'],
  ],
  [
    { iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2015-02.example.com:test", lun: 1, initiatorName: "bad" } },
    ['spec.volumes[0].iscsi.initiatorname: Invalid value: "bad": must be valid format starting with iqn, eui, or naa'],
  ],
  [
    {
      name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      iscsi: {
        targetPortal: "1.2.3.4:3260",
        iqn: "iqn.2015-02.example.com:test",
        lun: 1,
        initiatorName: "iqn.2015-02.example.com:init",
      },
    },
    [
      'spec.volumes[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ],
  ],
  [
    { glusterfs: { endpoints: "", path: "" } },
    ["spec.volumes[0].glusterfs.endpoints: Required value", "spec.volumes[0].glusterfs.path: Required value"],
    ["spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+"],
  ],
  [
    { flocker: {} },
    ["spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required"],
    ["spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { flocker: { datasetName: "a", datasetUUID: "b" } },
    [
      'spec.volumes[0].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
    ],
    ["spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { flocker: { datasetName: "a/b" } },
    ["spec.volumes[0].flocker.datasetName: Invalid value: \"a/b\": must not contain '/'"],
    ["spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [{ persistentVolumeClaim: { claimName: "" } }, ["spec.volumes[0].persistentVolumeClaim.claimName: Required value"]],
  [{ persistentVolumeClaim: { claimName: "c" } }, []],
  [
    { rbd: { monitors: [], image: "" } },
    ["spec.volumes[0].rbd.monitors: Required value", "spec.volumes[0].rbd.image: Required value"],
    ["spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+"],
  ],
  [
    { rbd: { monitors: ["m"], image: "i" } },
    [],
    ["spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+"],
  ],
  [{ cinder: { volumeID: "" } }, ["spec.volumes[0].cinder.volumeID: Required value"]],
  [{ cinder: { volumeID: "v", secretRef: {} } }, ["spec.volumes[0].cinder.secretRef.name: Required value"]],
  [
    { cephfs: { monitors: [] } },
    ["spec.volumes[0].cephfs.monitors: Required value"],
    ["spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+"],
  ],
  [
    { cephfs: { monitors: ["m"] }, emptyDir: {} },
    ["spec.volumes[0].cephFS: Forbidden: may not specify more than 1 volume type"],
    ["spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+"],
  ],
  [
    { quobyte: { registry: "", volume: "" } },
    [
      "spec.volumes[0].quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas",
      "spec.volumes[0].quobyte.volume: Required value",
    ],
    ["spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { quobyte: { registry: "a", volume: "v" } },
    [
      'spec.volumes[0].quobyte.registry: Invalid value: "a": must be a host:port pair or multiple pairs separated by commas',
    ],
    ["spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { quobyte: { registry: "a:1,b:2", volume: "v" } },
    [],
    ["spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    {
      quobyte: {
        registry: "a:1",
        volume: "v",
        tenant: "ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
      },
    },
    ["spec.volumes[0].quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters"],
    ["spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { downwardAPI: { items: [{}] } },
    [
      "spec.volumes[0].downwardAPI.path: Required value",
      "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
    ],
  ],
  [{ downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.labels" } }] } }, []],
  [
    { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "spec.nodeName" } }] } },
    [
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
    ],
  ],
  [
    { downwardAPI: { items: [{ path: "p", resourceFieldRef: { resource: "limits.cpu" } }] } },
    ["spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value"],
  ],
  [{ downwardAPI: { items: [{ path: "p", resourceFieldRef: { containerName: "c", resource: "limits.cpu" } }] } }, []],
  [
    {
      downwardAPI: {
        items: [
          {
            path: "p",
            fieldRef: { fieldPath: "metadata.name" },
            resourceFieldRef: { containerName: "c", resource: "limits.cpu" },
          },
        ],
      },
    },
    [
      'spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
    ],
  ],
  [
    { downwardAPI: { defaultMode: 999, items: [{ path: "/p", mode: 999, fieldRef: { fieldPath: "metadata.name" } }] } },
    [
      "spec.volumes[0].downwardAPI.defaultMode: Invalid value: 999: must be a number between 0 and 0777 (octal), both inclusive",
      'spec.volumes[0].downwardAPI.path: Invalid value: "/p": must be a relative path',
      "spec.volumes[0].downwardAPI.mode: Invalid value: 999: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [
    { downwardAPI: {}, emptyDir: {} },
    ["spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    { fc: {} },
    ["spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"],
  ],
  [
    { fc: { targetWWNs: ["a"] } },
    ["spec.volumes[0].fc.lun: Required value: lun is required if targetWWNs is specified"],
  ],
  [
    { fc: { targetWWNs: ["a"], lun: 256 } },
    ["spec.volumes[0].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive"],
  ],
  [
    { fc: { targetWWNs: ["a"], wwids: ["b"], lun: 1 } },
    ['spec.volumes[0].fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously'],
  ],
  [{ fc: { wwids: ["b"] } }, []],
  [{ flexVolume: { driver: "" } }, ["spec.volumes[0].flexVolume.driver: Required value"]],
  [
    { flexVolume: { driver: "d", options: { "x.kubernetes.io/y": "z" } } },
    [
      'spec.volumes[0].flexVolume.options[x.kubernetes.io/y]: Invalid value: "x.kubernetes.io/y": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [
    { flexVolume: { driver: "d", options: { "K8S.IO": "z" } } },
    [
      'spec.volumes[0].flexVolume.options[K8S.IO]: Invalid value: "K8S.IO": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [{ flexVolume: { driver: "d", options: { a: "z" } } }, []],
  [
    { azureFile: { secretName: "", shareName: "" } },
    ["spec.volumes[0].azureFile.secretName: Required value", "spec.volumes[0].azureFile.shareName: Required value"],
  ],
  [{ vsphereVolume: { volumePath: "" } }, ["spec.volumes[0].vsphereVolume.volumePath: Required value"]],
  [
    { photonPersistentDisk: { pdID: "" } },
    ["spec.volumes[0].photonPersistentDisk.pdID: Required value"],
    ["spec.volumes[0].photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+"],
  ],
  [{ portworxVolume: { volumeID: "" } }, ["spec.volumes[0].portworxVolume.volumeID: Required value"]],
  [
    { azureDisk: { diskName: "", diskURI: "" } },
    [
      "spec.volumes[0].azureDisk.diskName: Required value",
      "spec.volumes[0].azureDisk.diskURI: Required value",
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  [
    { azureDisk: { diskName: "d", diskURI: "https://x", kind: "Managed" } },
    [
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [
    { azureDisk: { diskName: "d", diskURI: "https://x", kind: "Other", cachingMode: "Big" } },
    [
      'spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Big": supported values: "None", "ReadOnly", "ReadWrite"',
      'spec.volumes[0].azureDisk.kind: Unsupported value: "Other": supported values: "Dedicated", "Managed", "Shared"',
    ],
  ],
  [{ azureDisk: { diskName: "d", diskURI: "https://x" } }, []],
  [
    { storageos: {} },
    ["spec.volumes[0].storageos.volumeName: Required value"],
    ["spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { storageos: { volumeName: "V", volumeNamespace: "N", secretRef: {} } },
    [
      "spec.volumes[0].storageos.volumeName: Invalid value: \"V\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.volumes[0].storageos.volumeNamespace: Invalid value: \"N\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.volumes[0].storageos.secretRef.name: Required value",
    ],
    ["spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ],
  [
    { scaleIO: { gateway: "", system: "", volumeName: "" } },
    [
      "spec.volumes[0].scaleIO.gateway: Required value",
      "spec.volumes[0].scaleIO.system: Required value",
      "spec.volumes[0].scaleIO.volumeName: Required value",
    ],
    ["spec.volumes[0].scaleIO: deprecated in v1.16, non-functional in v1.22+"],
  ],
  [{ csi: { driver: "" } }, ["spec.volumes[0].csi.driver: Required value"]],
  [
    { csi: { driver: "A_b" } },
    [
      "spec.volumes[0].csi.driver: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { csi: { driver: "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" } },
    ["spec.volumes[0].csi.driver: Too long: may not be more than 63 bytes"],
  ],
  [
    { csi: { driver: "d", nodePublishSecretRef: {} } },
    ["spec.volumes[0].csi.nodePublishSecretRef.name: Required value"],
  ],
  [
    { csi: { driver: "d", nodePublishSecretRef: { name: "S" } } },
    [
      "spec.volumes[0].csi.name: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [{ csi: { driver: "Driver.io", nodePublishSecretRef: { name: "s" } } }, []],
  [{ image: {} }, ["spec.volumes[0].image.reference: Required value"]],
  [
    { image: { reference: "r", pullPolicy: "X" } },
    ['spec.volumes[0].image.pullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"'],
  ],
  [{ image: { reference: "r" } }, []],
  [{ projected: {} }, []],
  [
    { projected: { defaultMode: 512, sources: [] } },
    [
      "spec.volumes[0].projected.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ],
  ],
  [{ projected: { sources: [{ secret: {} }] } }, ["spec.volumes[0].projected.sources[0].secret.name: Required value"]],
  [
    {
      projected: {
        sources: [
          { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
          { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
        ],
      },
    },
    ['spec.volumes[0].projected: Invalid value: "s": conflicting duplicate paths'],
    ['volume "v" (Projected): overlapping paths: "p" (Secret "s") with "p" (ConfigMap "c")'],
  ],
  [
    { projected: { sources: [{ secret: { name: "s" }, configMap: { name: "c" } }] } },
    ["spec.volumes[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source"],
  ],
  [
    {
      projected: {
        sources: [
          {
            downwardAPI: {
              items: [
                { path: "p", fieldRef: { fieldPath: "metadata.name" } },
                { path: "p", fieldRef: { fieldPath: "metadata.uid" } },
              ],
            },
          },
        ],
      },
    },
    ['spec.volumes[0].projected: Invalid value: "p": conflicting duplicate paths'],
    ['volume "v" (Projected): overlapping paths: "p" (DownwardAPI) with "p" (DownwardAPI)'],
  ],
  [{ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }, []],
  [
    { projected: { sources: [{ serviceAccountToken: { path: "", expirationSeconds: 599 } }] } },
    [
      "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
      "spec.volumes[0].projected.path: Required value",
    ],
  ],
  [
    { projected: { sources: [{ serviceAccountToken: { path: "../t", expirationSeconds: 4294967297 } }] } },
    [
      "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      "spec.volumes[0].projected.path: Invalid value: \"../t\": must not contain '..'",
    ],
  ],
  [{ ephemeral: {} }, ["spec.volumes[0].ephemeral.volumeClaimTemplate: Required value"]],
  [
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    [
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
    ],
  ],
  [
    {
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      },
    },
    [],
  ],
  [
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "n" },
          spec: { accessModes: ["Other"], resources: { requests: { storage: "0" } } },
        },
      },
    },
    [
      "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Other": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
  ],
  [
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { "a b": "c" } },
          spec: {
            accessModes: ["ReadWriteOncePod", "ReadWriteOnce"],
            storageClassName: "S",
            volumeMode: "Tape",
            resources: { requests: { storage: "1" } },
          },
        },
      },
    },
    [
      "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName: Invalid value: \"S\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ],
  ],
  [
    {
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ["ReadWriteOnce"],
            dataSource: { kind: "X", name: "" },
            resources: { requests: { storage: "1" } },
          },
        },
      },
    },
    [
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource.name: Required value",
      "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: \"X\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    ],
  ],
];

describe("validation of a pod's volumes", () => {
  it.each(VOLUME_ROWS.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for the volume: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("volume", fields)).toEqual({ errors, warnings });
    },
  );
});
