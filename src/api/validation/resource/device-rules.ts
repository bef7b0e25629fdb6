import { dns1123LabelErrors, dns1123SubdomainErrors, cIdentifierErrors } from "../../../machinery/validation/names.js";
import type { FieldError } from "../../../machinery/errors/field-error.js";
import { absent, object, objects, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type {
  Device,
  DeviceDerivedAttribute,
  DeviceRequestAllocationResult,
  NodeAllocatableMapping,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
  ResourceSliceSpec,
} from "../../types/resource/v1.js";
import type { FieldRules, TypeRules } from "../declarative/field-rules.js";
import { validateDeclared } from "../declarative/validate-declared.js";

// The marks of the fields that resource.k8s.io gained in 1.37 (K37-033).

const LONGEST_DOMAIN = 63;
const LONGEST_NAME = 32;

/** k8s-resource-fully-qualified-name: "example.com/model". */
function fullyQualifiedErrors(value: string): string[] {
  const [domain = "", name, ...others] = value.split("/");
  if (name === undefined) {
    return [...nameErrors(value), "a fully qualified name must be a domain and a name separated by a slash"];
  }
  if (others.length > 0) return [];
  return [
    ...(domain === "" ? ["prefix must not be empty"] : []),
    ...(domain.length > LONGEST_DOMAIN ? [`may not be more than ${LONGEST_DOMAIN} bytes`] : []),
    ...(domain === "" ? [] : dns1123SubdomainErrors(domain).map((message) => `prefix: ${message}`)),
    ...(name === "" ? ["name must not be empty"] : nameErrors(name)),
  ];
}

const nameErrors = (name: string): string[] => [
  ...(name.length > LONGEST_NAME ? [`may not be more than ${LONGEST_NAME} bytes`] : []),
  ...cIdentifierErrors(name),
];

const skipNodeOperations: FieldRules<readonly string[]> = {
  values: { enum: ["NodePrepareResources", "NodeUnprepareResources", "*"] },
};

const sliceRules: TypeRules<ResourceSliceSpec> = {
  fields: {
    partitionTypeAttribute: {
      pointer: true,
      gate: "DRAPartitionableDevicesType",
      format: fullyQualifiedErrors,
    },
    skipNodeOperations,
    devices: {
      items: {
        fields: {
          consumesCounters: {
            items: {
              fields: { compatibilityGroups: { maxItems: 2, values: { format: dns1123LabelErrors } } },
            },
          },
        },
      },
    },
  },
};

const derivedAttributes: FieldRules<DeviceDerivedAttribute[]> = {
  maxItems: 32,
  items: {
    fields: { name: { required: true, format: fullyQualifiedErrors }, expression: { required: true } },
  },
};

const claimRules: TypeRules<ResourceClaimSpec> = {
  fields: {
    devices: {
      struct: {
        fields: {
          requests: {
            items: {
              fields: {
                exactly: { pointer: true, struct: { fields: { derivedAttributes } } },
                firstAvailable: { items: { fields: { derivedAttributes } } },
              },
            },
          },
        },
      },
    },
  },
};

export const sliceRuleErrors = (
  slice: ReceivedObject<ResourceSlice>,
  old: ReceivedObject<ResourceSlice> | undefined,
  { gates }: ServerTraits,
): FieldError[] => [
  ...validateDeclared(sliceRules, slice.spec, old?.spec, "spec", { gates, isUpdate: old !== undefined }),
  ...objects(slice.spec?.devices).flatMap((device, index) => mappingErrors(device, `spec.devices[${index}]`)),
];

/** How much of a resource of the node a device uses: by the capacity that is asked for, or by the number of devices. */
const mappingRules: TypeRules<NodeAllocatableMapping> = { union: ["capacityKey", "deviceMultiplier"], fields: {} };

const mappingErrors = ({ nodeAllocatableResources }: Received<Device>, path: string): FieldError[] =>
  Object.entries(object(nodeAllocatableResources)).flatMap(([name, resource]) => {
    const { mapping } = object(resource);
    if (absent(mapping)) return [];
    const at = `${path}.nodeAllocatableResources[${name}].mapping`;
    return validateDeclared(mappingRules, mapping, undefined, at, { isUpdate: false });
  });

const resultRules: TypeRules<DeviceRequestAllocationResult> = { fields: { skipNodeOperations } };

/** Applies the declared rules to a device that was allocated to a claim, always as to a new value, because an allocation never changes. */
export const resultRuleErrors = (result: Received<DeviceRequestAllocationResult>, path: string): FieldError[] =>
  validateDeclared(resultRules, result, undefined, path, { isUpdate: false });

/** Validates a claim's spec by its declared rules, always as a new value, because the spec never changes. */
export const claimRuleErrors = (claim: ReceivedObject<ResourceClaim>): FieldError[] =>
  validateDeclared(claimRules, claim.spec, undefined, "spec", { isUpdate: false });

export const claimTemplateRuleErrors = ({ spec }: ReceivedObject<ResourceClaimTemplate>): FieldError[] =>
  validateDeclared(claimRules, spec?.spec, undefined, "spec.spec", { isUpdate: false });
