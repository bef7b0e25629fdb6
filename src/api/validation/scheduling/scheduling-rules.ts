import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { FieldRules, TypeRules } from "../declarative/field-rules.js";

// The marks of scheduling.k8s.io/v1beta1 and v1alpha3 in 1.37 (K37-063). Both versions have the same.

const HIGHEST_USER_PRIORITY = 1_000_000_000;

const shortName = { required: true, format: dns1123LabelErrors } as const;
const longName = { format: dns1123SubdomainErrors } as const;
const pathSegment = { required: true, format: pathSegmentErrors } as const;
const emptyStruct: TypeRules = { fields: {} };

/** The rules of a field that is a pointer to a struct. */
export const pointerTo = (type: TypeRules): FieldRules => ({ pointer: true, struct: () => type });

/** A policy that is all at once (`gang`) or one by one; it does not change from one to the other. */
const schedulingPolicy = (gang: TypeRules): TypeRules => ({
  union: ["basic", "gang"],
  fields: {
    basic: { ...pointerTo(emptyStruct), immutable: true },
    gang: { ...pointerTo(gang), update: ["NoSet", "NoUnset"] },
  },
});

const podGroupPolicy = schedulingPolicy({ fields: { minCount: { required: true, minimum: 1 } } });
const compositePolicy = schedulingPolicy({ fields: { minGroupCount: { required: true, minimum: 1 } } });

export const disruptionMode: TypeRules = {
  union: ["single", "all"],
  fields: { single: pointerTo(emptyStruct), all: pointerTo(emptyStruct) },
};

export const schedulingConstraints: TypeRules = {
  fields: {
    topology: {
      maxItems: 1,
      items: () => ({ fields: { key: { required: true, format: qualifiedNameErrors } } }),
    },
  },
};

export const resourceClaims: FieldRules = {
  maxItems: 4,
  keys: ["name"],
  items: () => ({
    union: ["resourceClaimName", "resourceClaimTemplateName"],
    fields: {
      name: shortName,
      resourceClaimName: { ...longName, pointer: true },
      resourceClaimTemplateName: { ...longName, pointer: true },
    },
  }),
};

const priorities: Readonly<Record<string, FieldRules>> = {
  disruptionMode: { ...pointerTo(disruptionMode), immutable: true },
  priorityClassName: { ...longName, immutable: true },
  priority: { pointer: true, immutable: true, maximum: HIGHEST_USER_PRIORITY },
  preemptionPolicy: {
    pointer: true,
    immutable: true,
    gate: "PodGroupPreemptionPolicy",
    enum: ["PreemptLowerPriority", "Never"],
  },
};

const podGroupParts: Readonly<Record<string, FieldRules>> = {
  schedulingPolicy: { struct: () => podGroupPolicy },
  schedulingConstraints: {
    ...pointerTo(schedulingConstraints),
    immutable: true,
    gate: "TopologyAwareWorkloadScheduling",
  },
  resourceClaims: { ...resourceClaims, immutable: true },
  ...priorities,
};

const compositeParts: Readonly<Record<string, FieldRules>> = {
  schedulingPolicy: { struct: () => compositePolicy },
  schedulingConstraints: { ...pointerTo(schedulingConstraints), immutable: true },
  ...priorities,
};

const templates = (type: () => TypeRules): FieldRules => ({
  keys: ["name"],
  maxItems: 8,
  update: ["NoAddItem", "NoRemoveItem"],
  items: type,
});

const podGroupTemplate: TypeRules = { fields: { name: shortName, ...podGroupParts } };
const compositeTemplate: TypeRules = {
  fields: {
    name: shortName,
    ...compositeParts,
    podGroupTemplates: templates(() => podGroupTemplate),
    compositePodGroupTemplates: templates(() => compositeTemplate),
  },
};

const workloadRef: TypeRules = { fields: { workloadName: { ...longName, required: true }, templateName: shortName } };
const parent = { ...longName, pointer: true, immutable: true } as const;

export const workloadRules: TypeRules = {
  fields: {
    spec: {
      struct: () => ({
        union: ["podGroupTemplates", "compositePodGroupTemplates"],
        fields: {
          controllerRef: {
            ...pointerTo({ fields: { apiGroup: longName, kind: pathSegment, name: pathSegment } }),
            immutable: true,
          },
          podGroupTemplates: templates(() => podGroupTemplate),
          compositePodGroupTemplates: { ...templates(() => compositeTemplate), gate: "CompositePodGroup" },
        },
      }),
    },
  },
};

export const podGroupRules: TypeRules = {
  fields: {
    spec: {
      struct: () => ({
        fields: {
          parentCompositePodGroupName: { ...parent, gate: "CompositePodGroup" },
          workloadRef: { ...pointerTo(workloadRef), immutable: true },
          ...podGroupParts,
        },
      }),
    },
    status: {
      struct: () => ({
        fields: {
          resourceClaimStatuses: {
            keys: ["name"],
            maxItems: 4,
            items: () => ({ fields: { resourceClaimName: { ...longName, pointer: true } } }),
          },
        },
      }),
    },
  },
};

export const compositePodGroupRules: TypeRules = {
  fields: {
    spec: {
      struct: () => ({
        fields: {
          parentCompositePodGroupName: parent,
          workloadRef: { ...pointerTo(workloadRef), required: true, immutable: true },
          ...compositeParts,
          schedulingPolicy: { struct: () => compositePolicy, immutable: true },
        },
      }),
    },
  },
};
