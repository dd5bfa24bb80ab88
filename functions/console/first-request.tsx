/** The API's address, and a request that works in a shell as it stands. */
import type { Http } from '../http/env.ts'
import { Snippet } from './parts/copy.tsx'

export function FirstRequest({ c, apiKey }: { c: Http; apiKey: string }) {
  const url = `${baseUrl(c)}/sites/${c.get('site').id}/posts?pageSize=3`
  const line = `curl -H "Authorization: Bearer ${apiKey}" \\\n  "${url}"`
  return <Snippet title="First request" text={line} />
}

export function baseUrl(c: Http): string {
  return `${new URL(c.req.url).origin}/api/v1`
}
