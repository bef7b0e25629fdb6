/** A reason, and the tests that fail for it: `file/section/name`, or a whole `file/section`. */
export interface KnownFailures {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** What fails, and why. A test that is listed and passes is a failure too. */
export const KNOWN_FAILURES: readonly KnownFailures[] = [
  {
    reason: "cel-go, and so Kubernetes, has ints for enumerations, not types",
    tests: [
      "enums/strong_proto2/literal_global",
      "enums/strong_proto2/literal_nested",
      "enums/strong_proto2/literal_zero",
      "enums/strong_proto2/type_global",
      "enums/strong_proto2/type_nested",
      "enums/strong_proto2/select_default",
      "enums/strong_proto2/field_type",
      "enums/strong_proto2/assign_standalone_int",
      "enums/strong_proto2/convert_unnamed_to_int",
      "enums/strong_proto2/convert_int_inrange",
      "enums/strong_proto2/convert_int_big",
      "enums/strong_proto2/convert_int_neg",
      "enums/strong_proto2/convert_string",
      "enums/strong_proto3/literal_global",
      "enums/strong_proto3/literal_nested",
      "enums/strong_proto3/literal_zero",
      "enums/strong_proto3/type_global",
      "enums/strong_proto3/type_nested",
      "enums/strong_proto3/select_default",
      "enums/strong_proto3/select",
      "enums/strong_proto3/select_big",
      "enums/strong_proto3/select_neg",
      "enums/strong_proto3/field_type",
      "enums/strong_proto3/assign_standalone_int",
      "enums/strong_proto3/assign_standalone_int_big",
      "enums/strong_proto3/assign_standalone_int_neg",
      "enums/strong_proto3/convert_unnamed_to_int",
      "enums/strong_proto3/convert_int_inrange",
      "enums/strong_proto3/convert_int_big",
      "enums/strong_proto3/convert_int_neg",
      "enums/strong_proto3/convert_string",
    ],
  },
  {
    reason: "extensions of protocol buffers' messages are read by macros that Kubernetes does not have",
    tests: ["proto2_ext/has_ext", "proto2_ext/get_ext"],
  },
  {
    reason: "google.protobuf.Any holds encoded messages, of which Kubernetes' expressions see none",
    tests: [
      "comparisons/eq_wrapper/eq_proto2_any_unpack_equal",
      "comparisons/eq_wrapper/eq_proto2_any_unpack_not_equal",
      "comparisons/eq_wrapper/eq_proto2_any_unpack_bytewise_fallback_not_equal",
      "comparisons/eq_wrapper/eq_proto2_any_unpack_bytewise_fallback_equal",
      "comparisons/eq_wrapper/eq_proto3_any_unpack_equal",
      "comparisons/eq_wrapper/eq_proto3_any_unpack_not_equal",
      "comparisons/eq_wrapper/eq_proto3_any_unpack_bytewise_fallback_not_equal",
      "comparisons/eq_wrapper/eq_proto3_any_unpack_bytewise_fallback_equal",
      "comparisons/ne_literal/ne_proto2_any_unpack",
      "comparisons/ne_literal/ne_proto2_any_unpack_bytewise_fallback",
      "comparisons/ne_literal/ne_proto3_any_unpack",
      "comparisons/ne_literal/ne_proto3_any_unpack_bytewise_fallback",
      "dynamic/any/literal",
    ],
  },
  {
    reason: "cel-go, and so Kubernetes, answers -1 where the suite wants an error",
    tests: ["string_ext/value_errors/indexof_out_of_range", "string_ext/value_errors/lastindexof_out_of_range"],
  },
  {
    reason: "cel-go, and so Kubernetes, counts all milliseconds of a duration, not those above the whole second",
    tests: ["timestamps/duration_converters/get_milliseconds"],
  },
  {
    reason: "cel-go, and so Kubernetes, infers null for a list that ends in null",
    tests: [
      "type_deductions/legacy_nullable_types/null_assignable_to_message_parameter_candidate",
      "type_deductions/legacy_nullable_types/null_assignable_to_duration_parameter_candidate",
      "type_deductions/legacy_nullable_types/null_assignable_to_timestamp_parameter_candidate",
      "type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate",
    ],
  },
];
