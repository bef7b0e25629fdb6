import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { CompositePodGroup } from "../../types/scheduling/v1alpha3.js";
import type {
  CompositePodGroupSchedulingPolicy,
  CompositePodGroupTemplate,
  DisruptionMode,
  PodGroup,
  PodGroupResourceClaim,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
  PodGroupTemplate,
  Workload,
  WorkloadReference,
} from "../../types/scheduling/v1beta1.js";
import type { FieldRules, FieldsRules, TypeRules, UpdateRule } from "../declarative/field-rules.js";

// The marks of scheduling.k8s.io/v1beta1 and v1alpha3 in 1.37 (K37-063). Both versions have the same.

const HIGHEST_USER_PRIORITY = 1_000_000_000;

const shortName: FieldRules<string> = { required: true, format: dns1123LabelErrors };
const longName: FieldRules<string> = { format: dns1123SubdomainErrors };
const pathSegment: FieldRules<string> = { required: true, format: pathSegmentErrors };
const emptyStruct: FieldRules<object> = { pointer: true, struct: { fields: {} } };

/** The rules of a field that is a pointer to a struct. */
const basicPolicy: FieldRules<object> = { ...emptyStruct, immutable: true };
const GANG_UPDATES: readonly UpdateRule[] = ["NoSet", "NoUnset"];

const podGroupPolicy: TypeRules<PodGroupSchedulingPolicy> = {
  union: ["basic", "gang"],
  fields: {
    basic: basicPolicy,
    gang: { pointer: true, struct: { fields: { minCount: { required: true, minimum: 1 } } }, update: GANG_UPDATES },
  },
};

const compositePolicy: TypeRules<CompositePodGroupSchedulingPolicy> = {
  union: ["basic", "gang"],
  fields: {
    basic: basicPolicy,
    gang: {
      pointer: true,
      struct: { fields: { minGroupCount: { required: true, minimum: 1 } } },
      update: GANG_UPDATES,
    },
  },
};

/** Also of a Job's pod groups, and of composite pod groups. */
export const disruptionMode: TypeRules<DisruptionMode> = {
  union: ["single", "all"],
  fields: { single: emptyStruct, all: emptyStruct },
};

export const schedulingConstraints: TypeRules<PodGroupSchedulingConstraints> = {
  fields: {
    topology: { maxItems: 1, items: { fields: { key: { required: true, format: qualifiedNameErrors } } } },
  },
};

export const resourceClaims: FieldRules<PodGroupResourceClaim[]> = {
  maxItems: 4,
  keys: ["name"],
  items: {
    union: ["resourceClaimName", "resourceClaimTemplateName"],
    fields: {
      name: shortName,
      resourceClaimName: { ...longName, pointer: true },
      resourceClaimTemplateName: { ...longName, pointer: true },
    },
  },
};

const constraints: FieldRules<PodGroupSchedulingConstraints> = {
  pointer: true,
  struct: schedulingConstraints,
  immutable: true,
};

const priorities: FieldsRules<
  Pick<PodGroupTemplate, "disruptionMode" | "priorityClassName" | "priority" | "preemptionPolicy">
> = {
  disruptionMode: { pointer: true, struct: disruptionMode, immutable: true },
  priorityClassName: { ...longName, immutable: true },
  priority: { pointer: true, immutable: true, maximum: HIGHEST_USER_PRIORITY },
  preemptionPolicy: {
    pointer: true,
    immutable: true,
    gate: "PodGroupPreemptionPolicy",
    enum: ["PreemptLowerPriority", "Never"],
  },
};

const podGroupParts: FieldsRules<Omit<PodGroupTemplate, "name">> = {
  schedulingPolicy: { struct: podGroupPolicy },
  schedulingConstraints: { ...constraints, gate: "TopologyAwareWorkloadScheduling" },
  resourceClaims: { ...resourceClaims, immutable: true },
  ...priorities,
};

const compositeParts: FieldsRules<
  Omit<CompositePodGroupTemplate, "name" | "podGroupTemplates" | "compositePodGroupTemplates">
> = {
  schedulingPolicy: { struct: compositePolicy },
  schedulingConstraints: constraints,
  ...priorities,
};

const templates: Pick<FieldRules, "keys" | "maxItems" | "update"> = {
  keys: ["name"],
  maxItems: 8,
  update: ["NoAddItem", "NoRemoveItem"],
};

const podGroupTemplate: TypeRules<PodGroupTemplate> = { fields: { name: shortName, ...podGroupParts } };
const compositeTemplate: TypeRules<CompositePodGroupTemplate> = {
  fields: {
    name: shortName,
    ...compositeParts,
    podGroupTemplates: { ...templates, items: podGroupTemplate },
    compositePodGroupTemplates: {
      ...templates,
      get items() {
        return compositeTemplate;
      },
    },
  },
};

const workloadRef: TypeRules<WorkloadReference> = {
  fields: { workloadName: { ...longName, required: true }, templateName: shortName },
};
const parent: FieldRules<string> = { ...longName, pointer: true, immutable: true };

export const workloadRules: TypeRules<Workload> = {
  fields: {
    spec: {
      struct: {
        union: ["podGroupTemplates", "compositePodGroupTemplates"],
        fields: {
          controllerRef: {
            pointer: true,
            struct: { fields: { apiGroup: longName, kind: pathSegment, name: pathSegment } },
            immutable: true,
          },
          podGroupTemplates: { ...templates, items: podGroupTemplate },
          compositePodGroupTemplates: { ...templates, items: compositeTemplate, gate: "CompositePodGroup" },
        },
      },
    },
  },
};

export const podGroupRules: TypeRules<PodGroup> = {
  fields: {
    spec: {
      struct: {
        fields: {
          parentCompositePodGroupName: { ...parent, gate: "CompositePodGroup" },
          workloadRef: { pointer: true, struct: workloadRef, immutable: true },
          ...podGroupParts,
        },
      },
    },
    status: {
      struct: {
        fields: {
          resourceClaimStatuses: {
            keys: ["name"],
            maxItems: 4,
            items: { fields: { resourceClaimName: { ...longName, pointer: true } } },
          },
        },
      },
    },
  },
};

export const compositePodGroupRules: TypeRules<CompositePodGroup> = {
  fields: {
    spec: {
      struct: {
        fields: {
          parentCompositePodGroupName: parent,
          workloadRef: { pointer: true, struct: workloadRef, required: true, immutable: true },
          ...compositeParts,
          schedulingPolicy: { struct: compositePolicy, immutable: true },
        },
      },
    },
  },
};
