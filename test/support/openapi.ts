import type { Document } from './openapi-document.ts'
import { call } from './site.ts'

export * from './openapi-document.ts'

export async function readDocument(root: string): Promise<Document> {
  return (await call(`${root}/openapi.json`)).json<Document>()
}

/** Everything in the answer except its request id. */
export async function wholeOf(response: Response) {
  const headers = Object.fromEntries(response.headers)
  delete headers['x-request-id']
  return { status: response.status, headers, body: await response.text() }
}
