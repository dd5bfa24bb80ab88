/** Files that are deployed with the Worker. It serves them itself, so that they have its headers and its log line. */
import type { Http } from './env.ts'

const texts = new Map<string, string>()

/** The text of the file at this path below `functions/public`, which an isolate reads once. */
export async function assetText(c: Http, path: string): Promise<string> {
  const text = texts.get(path) ?? (await (await readAsset(c, path)).text())
  texts.set(path, text)
  return text
}

/** Answers with the OpenAPI document of the door that it is mounted in. */
export async function document(c: Http) {
  const { body } = await readAsset(c, c.req.path)
  // Not public: there are shared caches whose keys know no host.
  c.header('Cache-Control', 'private, max-age=300')
  c.header('Vary', 'Accept-Encoding')
  c.header('Content-Type', 'application/json')
  return c.body(body!)
}

async function readAsset(c: Http, path: string): Promise<Response> {
  const response = await c.env.ASSETS.fetch(new URL(path, c.req.url))
  if (!response.ok) throw new Error(`No asset ${path}: ${response.status}`)
  return response
}
