import { text } from "../../machinery/meta/access.js";
import type { Field, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import { fieldNumberProblem } from "../../machinery/wire/protobuf/check-field-numbers.js";
import type { Kind } from "./declaration.js";

/** What the OpenAPI names of Kubernetes' own types begin with. */
const KUBERNETES = "io.k8s.";
const META = "k8s.io/apimachinery/pkg/apis/meta/v1";

/** The message of a scalar that is one, as the folder of its generated.proto and its name; else protobuf's own type. */
const SCALARS: Readonly<Record<ScalarSchema["scalar"], string | readonly [folder: string, name: string]>> = {
  string: "string",
  bool: "bool",
  int32: "int32",
  int64: "int64",
  float64: "double",
  bytes: "bytes",
  time: [META, "Time"],
  microTime: [META, "MicroTime"],
  duration: [META, "Duration"],
  quantity: ["k8s.io/apimachinery/pkg/api/resource", "Quantity"],
  intOrString: ["k8s.io/apimachinery/pkg/util/intstr", "IntOrString"],
  any: ["k8s.io/apimachinery/pkg/runtime", "RawExtension"],
};

/**
 * The .proto file (proto2) of a kind in a version, by default the stored one, as go-to-protobuf writes those of Kubernetes: the kind, its list and the structs in
 * it. It imports the generated.proto files of k8s.io/apimachinery. Throws a TypeError for a kind without protobuf numbers, and where two structs
 * have one name.
 */
export function protoOf({ declaration }: Kind<unknown>, version: string = declaration.storageVersion): string {
  const { group, kind, listKind, versions } = declaration;
  const declared = versions.find(({ name }) => name === version);
  if (declared === undefined) throw new TypeError(`kind ${kind} has no version ${version}`);
  const { content } = declared;
  const problem = fieldNumberProblem(content);
  if (problem !== undefined || content.fields.every(({ protobuf }) => protobuf === undefined)) {
    throw new TypeError(`kind ${kind} ${version}: ${problem ?? "its fields have no protobuf numbers"}`);
  }
  const file = new ProtoFile();
  file.message(kind, commentOf(content), [`optional ${file.imported(META, "ObjectMeta")} metadata = 1;`], content);
  file.message(listKind, "", [
    `optional ${file.imported(META, "ListMeta")} metadata = 1;`,
    `repeated ${kind} items = 2;`,
  ]);
  return file.text([...group.split(".").toReversed(), version].filter((part) => part !== "").join("."));
}

const commentOf = ({ openApi }: Schema): string => text(openApi?.description);

class ProtoFile {
  readonly #imports = new Set<string>();
  readonly #messages = new Map<string, { readonly text: string; readonly fields: readonly Field[] | undefined }>();

  /** The name of a message of another file. */
  imported(folder: string, name: string): string {
    this.#imports.add(folder);
    return `.${folder.replaceAll("/", ".")}.${name}`;
  }

  /** Adds a message with these fields, and those of a struct behind them. */
  message(name: string, comment: string, given: readonly string[], struct?: StructSchema): void {
    const known = this.#messages.get(name);
    if (known !== undefined) {
      if (struct !== undefined && known.fields === struct.fields) return;
      throw new TypeError(`two structs have the name ${name}, which is that of one message`);
    }
    // The entry keeps a struct that contains itself from being written again.
    this.#messages.set(name, { text: "", fields: struct?.fields });
    const fields = [...given, ...(struct?.fields ?? []).map((field) => this.#field(field))];
    const body = fields.map((field) => indented(field)).join("\n\n");
    this.#messages.set(name, { text: `${commented(comment)}message ${name} {\n${body}\n}\n`, fields: struct?.fields });
  }

  text(name: string): string {
    const imports = [...this.#imports].toSorted().map((folder) => `import "${folder}/generated.proto";\n`);
    const messages = [...this.#messages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message.text);
    return ['syntax = "proto2";\n', `package ${name};\n`, imports.join(""), ...messages].filter(Boolean).join("\n");
  }

  #field({ name, schema, protobuf }: Field): string {
    const comment = commented(commentOf(schema));
    if (schema.type === "map") return `${comment}map<string, ${this.#typeOf(schema.values)}> ${name} = ${protobuf};`;
    const [label, held] =
      schema.type === "list" ? (["repeated", schema.items] as const) : (["optional", schema] as const);
    return `${comment}${label} ${this.#typeOf(held)} ${name} = ${protobuf};`;
  }

  #typeOf(schema: Schema): string {
    if (schema.type === "struct" && schema.definition.startsWith(KUBERNETES)) {
      const parts = schema.definition.slice(KUBERNETES.length).split(".");
      return this.imported(`k8s.io/${parts.slice(0, -1).join("/")}`, schema.name);
    }
    if (schema.type === "struct") {
      this.message(schema.name, commentOf(schema), [], schema);
      return schema.name;
    }
    if (schema.type !== "scalar") throw new TypeError(`protobuf cannot say a ${schema.type} in a list or a map`);
    const type = SCALARS[schema.scalar];
    return typeof type === "string" ? type : this.imported(...type);
  }
}

const commented = (comment: string): string =>
  comment
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `// ${line}\n`)
    .join("");

const indented = (lines: string): string =>
  lines
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
