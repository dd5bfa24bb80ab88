/** What a request carries through the middleware. */
import type { Context as HonoContext } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import type { Context, EventMessage } from '../../src/context.ts'
import type { ApiKeyAuth, CachedAuth } from '../../src/keys.ts'
import type { Quota } from '../../src/quota.ts'
import type { SiteRow } from '../../src/sites.ts'

export type Bindings = { WEBHOOK_EVENTS: Queue<EventMessage> } & Record<string, unknown>

/** Who is signed in to the console: somebody whom Cloudflare Access names, or who holds the operator's token. */
export type Person = { email: string | null; by: 'access' | 'token' }

export type Env = {
  Bindings: Bindings
  Variables: RequestIdVariables & {
    ctx: Context
    /** Set by the API key middleware; routes behind it have it. */
    grant: ApiKeyAuth
    /** The grant comes from this memory of a key, and the gate has not been asked yet whether it holds. */
    recalled: { key: string; memory: CachedAuth } | null
    /** As of the counting of this request; not set where it was not counted. */
    quota?: Quota
    /** Set by the console's session; the pages behind it have it. */
    person: Person
    /** Set by the console for the pages of a site. */
    site: SiteRow
  }
}

export type Http = HonoContext<Env>
