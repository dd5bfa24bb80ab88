/** Clients of orval, for the service at ORIGIN. */
const client = (root: string) => ({
  input: { target: `../../../functions/public/${root}/v1/openapi.json` },
  output: {
    target: `./generated/orval-${root}.ts`,
    client: 'fetch',
    httpClient: 'fetch',
    urlEncodeParameters: true,
    baseUrl: `${process.env.ORIGIN}/${root}/v1`,
  },
})

export default { api: client('api'), manage: client('manage') }
