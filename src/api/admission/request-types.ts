import { declaredTypes } from "../../machinery/cel/types/provider.js";
import {
  BOOL,
  DYN,
  INT,
  listType,
  mapType,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
} from "../../machinery/cel/types/type.js";

export const REQUEST_TYPE = objectType("kubernetes.AdmissionRequest");
export const NAMESPACE_TYPE = objectType("kubernetes.Namespace");

const KIND = objectType("kubernetes.GroupVersionKind");
const RESOURCE = objectType("kubernetes.GroupVersionResource");
const USER = objectType("kubernetes.UserInfo");
const METADATA = objectType("kubernetes.NamespaceMetadata");
const SPEC = objectType("kubernetes.NamespaceSpec");
const STATUS = objectType("kubernetes.NamespaceStatus");
const CONDITION = objectType("kubernetes.NamespaceCondition");

const STRINGS = listType(STRING);

/** The fields of each type, as kube-apiserver declares them by hand. `UID` is its spelling. */
const TYPES: ReadonlyMap<Type, Readonly<Record<string, Type>>> = new Map([
  [KIND, { group: STRING, version: STRING, kind: STRING }],
  [RESOURCE, { group: STRING, version: STRING, resource: STRING }],
  [USER, { username: STRING, uid: STRING, groups: STRINGS, extra: mapType(STRING, STRINGS) }],
  [
    REQUEST_TYPE,
    {
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: USER,
      dryRun: BOOL,
      options: DYN,
    },
  ],
  [
    METADATA,
    {
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: mapType(STRING, STRING),
      annotations: mapType(STRING, STRING),
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: STRINGS,
    },
  ],
  [SPEC, { finalizers: STRINGS }],
  [CONDITION, { status: STRING, type: STRING, lastTransitionTime: TIMESTAMP, message: STRING, reason: STRING }],
  [STATUS, { conditions: listType(CONDITION), phase: STRING }],
  [NAMESPACE_TYPE, { metadata: METADATA, spec: SPEC, status: STATUS }],
]);

/** The types of `request` and `namespaceObject`. They count when an expression is compiled; its values are plain JSON. */
export const REQUEST_TYPES = declaredTypes(TYPES);
