/** Files that are deployed with the Worker. It serves them itself, so that they get its headers and log line. */
import type { Http } from './env.ts'

const texts = new Map<string, string>()

/** The text of a file in `functions/public`. An isolate reads it once. */
export async function assetText(c: Http, path: string): Promise<string> {
  const text = texts.get(path) ?? (await (await readAsset(c, path)).text())
  texts.set(path, text)
  return text
}

/** Serves the OpenAPI document of the app in which it is mounted. */
export async function serveDocument(c: Http) {
  const { body } = await readAsset(c, c.req.path)
  // Not public: some shared caches do not have the host in their key.
  c.header('Cache-Control', 'private, max-age=300')
  c.header('Vary', 'Accept-Encoding')
  c.header('Content-Type', 'application/json')
  return c.body(body!)
}

/** A file in `functions/public`, or 304 if the request has it already. Null if there is none. */
export async function findAsset(c: Http, path: string, headers = conditionsOf(c)): Promise<Response | null> {
  const response = await c.env.ASSETS.fetch(new URL(path, c.req.url), { headers })
  if (response.ok || response.status === 304) return response
  await response.body?.cancel()
  return null
}

function conditionsOf(c: Http): Record<string, string> {
  const tag = c.req.header('If-None-Match')
  return tag ? { 'If-None-Match': tag } : {}
}

async function readAsset(c: Http, path: string): Promise<Response> {
  const response = await c.env.ASSETS.fetch(new URL(path, c.req.url))
  if (!response.ok) throw new Error(`No asset ${path}: ${response.status}`)
  return response
}
