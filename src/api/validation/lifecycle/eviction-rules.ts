import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { PodSpec } from "../../types/core/v1.js";
import type { Eviction, EvictionRequest, EvictionRequestTarget } from "../../types/lifecycle/v1alpha1.js";
import type { FieldRules, FieldsRules, TypeRules } from "../declarative/field-rules.js";
import { prefixedLabelKeyErrors, reservedDomainErrors, uuidErrors } from "../declarative/formats.js";

// The marks of lifecycle.k8s.io/v1alpha1 in 1.37 (K37-062), and those of a pod's responders.

/** Responders that a pod may name; an Eviction has one more, that of Kubernetes itself. */
const MOST_POD_RESPONDERS = 10;
export const MOST_RESPONDERS = MOST_POD_RESPONDERS + 1;
const HIGHEST_PRIORITY = 100_000;

const RESERVED_PRIORITIES = 1000;

const reservedPriorityErrors = (value: unknown, path: string): FieldError[] =>
  typeof value === "number" && value >= 0 && value < RESERVED_PRIORITIES
    ? [invalidValue(path, value, "priorities 0-999 are reserved for responders with *.k8s.io suffix")]
    : [];

const labelKey: FieldRules<string> = { required: true, format: prefixedLabelKeyErrors };
const intent: FieldRules<string> = { required: true, enum: ["Eviction", "Withdrawn"] };
const once: FieldRules<string> = { pointer: true, update: ["NoModify", "NoUnset"] };

const target: FieldRules<EvictionRequestTarget> = {
  immutable: true,
  struct: {
    union: ["pod"],
    fields: {
      pod: {
        pointer: true,
        struct: {
          fields: {
            name: { required: true, format: dns1123SubdomainErrors },
            uid: { required: true, format: uuidErrors },
          },
        },
      },
    },
  },
};

const progress: FieldsRules<{ conditions?: object[]; observedGeneration?: number | bigint }> = {
  conditions: { maxItems: 100 },
  observedGeneration: { pointer: true, minimum: 1, update: ["NoUnset"], monotonic: true },
};

export const evictionRequestRules: TypeRules<EvictionRequest> = {
  fields: {
    spec: {
      struct: {
        fields: { target, requester: { ...labelKey, immutable: true, custom: reservedDomainErrors }, intent },
      },
    },
    status: { struct: { fields: progress } },
  },
};

const priority: FieldRules<number> = { required: true, pointer: true, minimum: 0, maximum: HIGHEST_PRIORITY };

/** The responders that a pod names, in its spec (K37-025). */
export const podResponderRules: TypeRules<PodSpec> = {
  fields: {
    evictionResponders: {
      keys: ["name"],
      maxItems: MOST_POD_RESPONDERS,
      items: {
        fields: {
          name: { ...labelKey, custom: reservedDomainErrors },
          priority: { ...priority, custom: reservedPriorityErrors },
        },
      },
    },
  },
};

export const evictionRules: TypeRules<Eviction> = {
  fields: {
    spec: { struct: { fields: { target } } },
    status: {
      struct: {
        fields: {
          ...progress,
          requesters: { keys: ["name"], maxItems: 100, items: { fields: { name: labelKey, intent } } },
          targetResponders: {
            keys: ["name"],
            maxItems: MOST_RESPONDERS,
            items: {
              fields: {
                name: labelKey,
                priority: { ...priority, update: ["NoModify", "NoUnset"] },
                state: { required: true, enum: ["Inactive", "Active", "Interrupted", "Canceled", "Completed"] },
              },
            },
          },
          responders: {
            keys: ["name"],
            maxItems: MOST_RESPONDERS,
            items: {
              fields: {
                name: labelKey,
                startTime: once,
                completionTime: once,
                message: { pointer: true, maxLength: 4000 },
              },
            },
          },
        },
      },
    },
  },
};
