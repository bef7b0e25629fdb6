import type { FieldsOf, ReceivedObject } from "../../../machinery/meta/received.js";
import type * as v1 from "../../types/apiextensions/v1.js";

// The parts of a definition as they came: their fields have any type, for a schema may hold anything.

export type Definition = ReceivedObject<v1.CustomResourceDefinition>;
export type Spec = FieldsOf<v1.CustomResourceDefinitionSpec>;
export type Names = FieldsOf<v1.CustomResourceDefinitionNames>;
export type Version = FieldsOf<v1.CustomResourceDefinitionVersion>;
export type Validation = FieldsOf<v1.CustomResourceValidation>;
export type Subresources = FieldsOf<v1.CustomResourceSubresources>;
export type Scale = FieldsOf<v1.CustomResourceSubresourceScale>;
export type Column = FieldsOf<v1.CustomResourceColumnDefinition>;
export type SelectableField = FieldsOf<v1.SelectableField>;
export type Conversion = FieldsOf<v1.CustomResourceConversion>;
export type Webhook = FieldsOf<v1.WebhookConversion>;
export type ClientConfig = FieldsOf<v1.WebhookClientConfig>;
export type Schema = FieldsOf<v1.JSONSchemaProps>;
export type Rule = FieldsOf<v1.ValidationRule>;
