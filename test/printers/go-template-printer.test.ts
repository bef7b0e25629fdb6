import { beforeAll, describe, expect, it } from "vitest";
import { loadFormat, printerFor, type PrintRequest } from "../../src/printers/formats.js";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { key: "<v>" } };

function request(output: string, more: Partial<PrintRequest> = {}): PrintRequest {
  return {
    output,
    template: "",
    allowMissingTemplateKeys: true,
    showManagedFields: false,
    readFile: (path) => `${path}: {{.kind}}`,
    ...more,
  };
}

function print(asked: PrintRequest): string {
  let text = "";
  printerFor(asked).print(object, (piece) => {
    text += piece;
  });
  return text;
}

describe("-o go-template", () => {
  beforeAll(() => loadFormat("go-template={{.}}"));

  it.each(["go-template", "template"])("with %s takes the template itself", (format) => {
    expect(print(request(`${format}={{.metadata.name}}`))).toBe("x");
    expect(print(request(format, { template: "{{.metadata.name}}" }))).toBe("x");
  });

  it.each(["go-template-file", "templatefile"])("with %s takes a file", (format) => {
    expect(print(request(`${format}=f`))).toBe("f: ConfigMap");
    expect(print(request(format, { template: "g" }))).toBe("g: ConfigMap");
  });

  it("is used for --template alone", () => {
    expect(print(request("", { template: "{{.data.key}}" }))).toBe("<v>");
  });

  it("allows missing keys unless told not to", () => {
    expect(print(request("template={{.data.nope}}"))).toBe("<no value>");
    expect(() => print(request("template={{.data.nope}}", { allowMissingTemplateKeys: false }))).toThrow(
      'error executing template "{{.data.nope}}": template: output:1:7: executing "output" at <.data.nope>: map has no entry for key "nope"',
    );
  });

  it("refuses a template that does not parse, and a missing one", () => {
    expect(() => print(request("template={{.a"))).toThrow(
      "error parsing template {{.a, template: output:1: unclosed action",
    );
    expect(() => print(request("template"))).toThrow("template format specified but no template given");
  });

  it("prints the object in the error when the template does not fit", () => {
    let text = "";
    const printer = printerFor(request("template=a {{.kind.x}} b"));
    expect(() =>
      printer.print(object, (piece) => {
        text += piece;
      }),
    ).toThrow("can't evaluate field x in type interface {}");
    expect(text).toBe(
      'a Error executing template: template: output:1:9: executing "output" at <.kind.x>: can\'t evaluate field x in type interface {}. Printing more information for debugging the template:\n' +
        "\ttemplate was:\n\t\ta {{.kind.x}} b\n" +
        '\traw data was:\n\t\t{"apiVersion":"v1","data":{"key":"\\u003cv\\u003e"},"kind":"ConfigMap","metadata":{"name":"x"}}\n' +
        "\tobject given to template engine was:\n\t\tmap[apiVersion:v1 data:map[key:<v>] kind:ConfigMap metadata:map[name:x]]\n\n",
    );
  });
});
