/** Bindings and variables on Hono's request context. */
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

/** The signed-in console user: through Cloudflare Access or with a token. */
export type Person = Identity & {
  by: 'access' | 'token'
  /** The session's public id in the session list. */
  session: string | null
}

export type Env = {
  Bindings: Bindings
  Variables: RequestIdVariables & {
    /** The whole app, for the Worker's requests to itself. */
    app: Hono<Env>
    /** Unset when no app matches the path. */
    ctx: Context
    /** Set by the console's session middleware. */
    person: Person
    /** Set instead of `person` when the browser's session has ended. */
    sessionEnd: SessionEnd
    /** Set instead of `person` when Access has signed in somebody who is not an operator. */
    unknownAddress: string
    /** Set by the console on the pages of a site. */
    site: SiteRow
  }
}

export type Http = HonoContext<Env>
