/**
 * What describes an answer, for its type and for the OpenAPI documents: its schema, its headers. The Worker never checks
 * what it sends: marked `@__PURE__`, the call is left out of its bundle, and its start does not build any of it.
 */
export function wireShape<Schema>(build: () => Schema): Schema {
  return build()
}
