/** Clients of @hey-api/openapi-ts. */
export default ['api', 'manage'].map((root) => ({
  input: `../../../functions/public/${root}/v1/openapi.json`,
  output: `generated/hey-api-${root}`,
  logs: { file: false },
}))
