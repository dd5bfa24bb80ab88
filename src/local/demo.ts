/** Creates only missing parts, so that a restart or another database gives the same site, and edits are kept. */
import { demoGuides, demoPosts, demoSite, demoTrainingRows } from './demo-content.ts'

export type Demo = { siteId: string; apiKey: string }

type DemoOptions = {
  baseUrl: string
  manageUrl: string
  operatorToken: string
  previous?: Demo
  signal?: AbortSignal
}

/** @throws Error with the API's response when it refuses something */
export async function prepareDemo({
  baseUrl,
  manageUrl,
  operatorToken,
  previous,
  signal,
}: DemoOptions): Promise<Demo> {
  const manage = client(manageUrl, operatorToken, signal)
  const siteId = (await findSite(manage, previous)) ?? (await manage('POST', '/sites', demoSite)).id
  if (typeof siteId !== 'string') throw new Error('The management API gave no id for the demo site')
  const site = `/sites/${siteId}`
  const previousKey =
    previous?.siteId === siteId && (await isAccepted(baseUrl, previous, signal)) ? previous.apiKey : undefined
  const apiKey = previousKey ?? String((await manage('POST', `${site}/keys`, { name: 'Demo' })).key)

  const read = client(`${baseUrl}${site}`, apiKey, signal)
  if ((await read('GET', '/posts?pageSize=1')).total === 0)
    await manage('PUT', `${site}/posts`, { posts: demoPosts })
  if (!(await exists(`${baseUrl}${site}/guides/${demoGuides[0]?.slug}`, apiKey, signal))) {
    await manage('PUT', `${site}/guides`, { guides: demoGuides })
  }
  if (!(await text(`${baseUrl}${site}/training/export`, apiKey, signal))) {
    await manage('POST', `${site}/training-rows`, { rows: demoTrainingRows })
  }
  return { siteId, apiKey }
}

type Json = Record<string, unknown>
type Request = (method: string, path: string, body?: unknown) => Promise<Json>

function client(root: string, token: string, signal?: AbortSignal): Request {
  return async (method, path, body) => {
    const response = await fetch(`${root}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    })
    if (!response.ok) throw new Error(`${method} ${root}${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Json
  }
}

async function findSite(manage: Request, previous?: Demo): Promise<string | undefined> {
  let path = '/sites?limit=100'
  let named: string | undefined
  for (;;) {
    const { items, next } = (await manage('GET', path)) as { items: Json[]; next: string | null }
    for (const { id, name, domain } of items) {
      if (id === previous?.siteId) return String(id)
      if (name === demoSite.name && domain === demoSite.domain) named ??= String(id)
    }
    if (!next) return named
    path = `/sites?limit=100&cursor=${encodeURIComponent(next)}`
  }
}

function isAccepted(baseUrl: string, { siteId, apiKey }: Demo, signal?: AbortSignal): Promise<boolean> {
  return exists(`${baseUrl}/sites/${siteId}/posts?pageSize=1`, apiKey, signal)
}

async function exists(url: string, apiKey: string, signal?: AbortSignal): Promise<boolean> {
  const response = await get(url, apiKey, signal)
  await response.body?.cancel()
  return response.ok
}

async function text(url: string, apiKey: string, signal?: AbortSignal): Promise<string> {
  const response = await get(url, apiKey, signal)
  return response.ok ? response.text() : ''
}

function get(url: string, apiKey: string, signal?: AbortSignal): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal })
}
