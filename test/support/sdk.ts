/** The client in workerd, in front of the Worker itself. */
import { exports } from 'cloudflare:workers'
import { formatChangeCursor } from '../../src/content/changes.ts'
import { type ClientOptions, createClient, type Entry, type Store } from '../../src/sdk/client.ts'
import { inspected } from './guard.ts'
import { ORIGIN, type TestSite } from './site.ts'

type Exchange = { request: string; tag: string | null; status: number }

/** Stands between the client and the service: forwards, or answers itself. */
type Between = (request: Request, pass: () => Promise<Response>) => Promise<Response>

export function connect(
  site: TestSite,
  { between = (_, pass) => pass(), ...options }: Partial<ClientOptions> & { between?: Between } = {},
) {
  const exchanges: Exchange[] = []
  const client = createClient({
    url: ORIGIN,
    site: site.id,
    key: site.key,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const response = await between(request, async () =>
        inspected(request, await exports.default.fetch(request)),
      )
      exchanges.push({
        request: `${request.method} ${pathname.replace(/^\/api\/v1(\/sites\/[^/]+)?/, '')}${search}`,
        tag: request.headers.get('If-None-Match'),
        status: response.status,
      })
      return response
    },
    ...options,
  })
  /** Statuses since the last call. */
  const statuses = () => exchanges.splice(0).map(({ status }) => status)
  return { client, exchanges, statuses }
}

/** The content of a store, by resource and slug, with titles. */
export async function copyIn(store: Store): Promise<string[]> {
  const entries: Entry[] = []
  for await (const entry of store.list()) entries.push(entry)
  return entries.map(({ resource, content }) => `${resource} ${content.slug}: ${content.title}`).sort()
}

/** Resets the store to a cursor that the service refuses. */
export async function expireCursor(store: Store): Promise<void> {
  const from = (await store.state())!
  const state = JSON.parse(from)
  const longAgo = Date.now() - 91 * 86_400_000
  const cursor = await formatChangeCursor({ id: state.site }, { sequence: longAgo, caughtUp: longAgo })
  await store.commit({ from, to: JSON.stringify({ ...state, cursor }), put: [], remove: [] })
}
