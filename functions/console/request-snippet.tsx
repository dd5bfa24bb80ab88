/** Requests and commands, ready to run. */
import type { Http } from '../http/env.ts'
import { Snippet } from './parts/copy.tsx'
import { useRequestContext } from './site.ts'

export function FirstRequest({ apiKey, path = '/posts?pageSize=3' }: { apiKey?: string; path?: string }) {
  return <RequestSnippet title="First request" path={path} apiKey={apiKey} />
}

type RequestSnippetProps = {
  title: string
  /** Below the path of the site, such as `/posts`. */
  path: string
  apiKey?: string | undefined
}

export function RequestSnippet({ title, path, apiKey = '$API_KEY' }: RequestSnippetProps) {
  const c = useRequestContext()
  const url = `${baseUrl(c)}/sites/${c.get('site').id}${path}`
  return <Snippet title={title} text={`curl -H "Authorization: Bearer ${apiKey}" \\\n"${url}"`} />
}

export function baseUrl(c: Http): string {
  return `${new URL(c.req.url).origin}/api/v1`
}

/** An `npm run admin` command, ready to run against this deployment. */
export function CommandSnippet({ title, command }: { title: string; command: string }) {
  const { origin, hostname } = new URL(useRequestContext().req.url)
  // The command line defaults to the service on the same machine.
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  // The token comes from HCA_TOKEN: a flag would show in the process list.
  const environment = isLocal ? '' : `HCA_URL=${origin} \\\n  `
  return <Snippet title={title} text={`${environment}npm run -s admin -- ${command}`} />
}
