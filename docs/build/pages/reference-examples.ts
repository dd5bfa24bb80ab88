/** Requests to copy, and example responses as text. */
import { html } from 'hono/html'
import type { Document, Operation } from './reference-document.ts'

/** Arguments of the npm client. */
const CLIENT_ROOT = '/api/v1'

export function requestOf({ servers }: Document, operation: Operation) {
  const root = servers[0]?.url ?? ''
  const isRead = root === CLIENT_ROOT
  return html`<details class="snippet languages-of" open><summary>curl</summary><pre tabindex="0" aria-label="curl"><code>${curlOf(operation, isRead)}</code></pre></details>
${isRead && html`<details class="snippet languages-of"><summary>Client</summary><pre tabindex="0" aria-label="Client"><code>${clientOf(operation)}</code></pre></details>`}`
}

function curlOf({ method, path, parameters = [], requestBody }: Operation, isRead: boolean): string {
  const base = isRead ? '$API' : '$MANAGE'
  const url = path
    .replace(/^\/(api|manage)\/v1/, base)
    .replace('{siteId}', '$SITE')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleValue(name))
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? name))}`)
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const lines = [
    `curl -s${method === 'get' ? '' : `X ${method.toUpperCase()}`} -H "Authorization: Bearer ${isRead ? '$KEY' : '$TOKEN'}"`,
    type && `  -H "Content-Type: ${type}"`,
    media?.example !== undefined && `  -d '${JSON.stringify(media.example).replaceAll("'", `'\\''`)}'`,
    `  "${url}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
  ]
  return lines.filter(Boolean).join(' \\\n')
}

const exampleValue = (name: string) =>
  name === 'slug' ? 'how-to-clean-a-chain' : name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

function clientOf({ operationId, parameters = [] }: Operation): string {
  const path = parameters.filter((parameter) => parameter.in === 'path' && parameter.name !== 'siteId')
  return `await client.${operationId}(${path.map(({ name }) => `'${exampleValue(name)}'`).join(', ')})`
}

export function exampleText(example: unknown, type: string): string {
  return typeof example === 'string' && type !== 'application/json'
    ? example.trimEnd()
    : JSON.stringify(example, null, 2)
}
