/** Serves files from the Worker, so that they get its headers and log line. */
import type { Http } from './env.ts'

const texts = new Map<string, string>()

export async function assetText(c: Http, path: string): Promise<string> {
  const text = texts.get(path) ?? (await (await readAsset(c, path)).text())
  texts.set(path, text)
  return text
}

export async function serveDocument(c: Http) {
  const { body } = await readAsset(c, c.req.path)
  // Private, because some shared caches ignore the host in their key.
  c.header('Cache-Control', 'private, max-age=300')
  c.header('Vary', 'Accept-Encoding')
  c.header('Content-Type', 'application/json')
  return c.body(body!)
}

/** 304 if the client has it. Null if there is none. */
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
