/** What Hono's context of a request has. */
import type { Hono, Context as HonoContext } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import type { Context } from '../../src/context.ts'
import type { Identity } from '../../src/people/operator-tokens.ts'
import type { SessionEnd } from '../../src/people/sessions.ts'
import type { QueueMessage } from '../../src/queue-message.ts'
import type { SiteRow } from '../../src/sites/sites.ts'

export type Bindings = {
  WEBHOOK_EVENTS: Queue<QueueMessage>
  ASSETS: Fetcher
  EMAIL?: SendEmail
} & Record<string, unknown>

/** Who is signed in to the console: through Cloudflare Access, or with a token. */
export type Person = Identity & {
  by: 'access' | 'token'
  /** What its session is called in the list of them. */
  session: string | null
}

export type Env = {
  Bindings: Bindings
  Variables: RequestIdVariables & {
    /** All of it, for the Worker's requests to itself. */
    app: Hono<Env>
    /** Not set for a path that no app takes. */
    ctx: Context
    /** Set by the console's session for the pages behind it. */
    person: Person
    /** Set instead if the browser has had a session. */
    sessionEnd: SessionEnd
    /** Set instead for somebody whom Access has signed in but who is not an operator. */
    unknownAddress: string
    /** Set by the console for the pages of a site. */
    site: SiteRow
  }
}

export type Http = HonoContext<Env>
