/** Requests to copy, and example responses as text. */
import { html } from 'hono/html'
import type { Html } from './reference.ts'
import type { Document, Operation, Response } from './reference-document.ts'

/** Arguments of the npm client. */
const CLIENT_ROOT = '/api/v1'

export function requestOf({ servers }: Document, operation: Operation): Html {
  const isRead = servers[0]?.url === CLIENT_ROOT
  const call = clientOf(operation)
  return html`<div class="snippet">${partOf('curl', curlOf(operation, isRead))}${isRead && partOf('Client', call, call)}</div>`
}

/** Examples of success. Those of errors stand at their status. */
export function responseExamples({ responses }: Operation): Html[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? examplesOf(content, `${status} response`) : [],
  )
}

export const payloadExamples = ({ requestBody }: Operation): Html[] =>
  examplesOf(requestBody?.content ?? {}, 'Payload')

const examplesOf = (content: NonNullable<Response['content']>, title: string) =>
  Object.entries(content).flatMap(([type, { example }]) =>
    example === undefined ? [] : exampleOf(example, type, title),
  )

export const exampleOf = (example: unknown, type: string, title: string): Html =>
  html`<div class="snippet">${partOf(title, exampleText(example, type))}</div>`

/** Copies `text`, or the first code of the snippet. */
const partOf = (title: string, code: string, text = '') =>
  html`<div class="snippet-head"><p>${title}</p><button type="button" class="button small" data-copy="${text}" hidden>Copy<span class="visually-hidden"> ${title}</span></button></div><pre tabindex="0" aria-label="${title}"><code>${code}</code></pre>`

function curlOf({ method, path, parameters = [], requestBody }: Operation, isRead: boolean): string {
  const base = isRead ? '$API' : '$MANAGE'
  const url = path
    .replace(/^\/(api|manage)\/v1/, base)
    .replace('{siteId}', '$SITE')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleValue(name, path))
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? name))}`)
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const lines = [
    `curl -s${method === 'get' ? '' : `X ${method.toUpperCase()}`} -H "Authorization: Bearer ${isRead ? '$KEY' : '$TOKEN'}"`,
    type && `  -H "Content-Type: ${type}"`,
    media?.example !== undefined &&
      `  -d '${JSON.stringify(media.example, null, 2).replaceAll('\n', '\n  ').replaceAll("'", `'\\''`)}'`,
    `  "${url}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
  ]
  return lines.filter(Boolean).join(' \\\n')
}

/** The slugs are those of the example responses. */
function exampleValue(name: string, path: string): string {
  if (name !== 'slug') return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  return path.includes('/guides/') ? 'adjusting-rim-brakes' : 'how-to-clean-a-chain'
}

function clientOf({ operationId, path, parameters = [] }: Operation): string {
  const inPath = parameters.filter((parameter) => parameter.in === 'path' && parameter.name !== 'siteId')
  return `await client.${operationId}(${inPath.map(({ name }) => `'${exampleValue(name, path)}'`).join(', ')})`
}

function exampleText(example: unknown, type: string): string {
  return typeof example === 'string' && type !== 'application/json'
    ? example.trimEnd()
    : JSON.stringify(example, null, 2)
}
