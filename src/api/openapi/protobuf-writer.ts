import { WireWriter } from "../../machinery/wire/protobuf/wire-writer.js";

/** Writes one message of proto3, which leaves zero values out; nested ones have a writer of their own and are put in whole. */
export class ProtobufWriter extends WireWriter {
  string(field: number, value: string): this {
    return value === "" ? this : this.text(field, value);
  }

  bool(field: number, value: boolean): this {
    return value ? this.integer(field, value) : this;
  }
}
