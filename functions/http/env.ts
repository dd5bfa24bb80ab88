import { Hono, type Context as HonoContext } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import type { Context } from '../../src/context.ts'
import type { Identity } from '../../src/people/operator-tokens.ts'
import type { SessionEnd } from '../../src/people/sessions.ts'
import type { QueueMessage } from '../../src/queue-message.ts'
import type { SiteRow } from '../../src/sites/sites.ts'

export type Bindings = {
  WEBHOOK_EVENTS: Queue<QueueMessage>
  IMPORTS: Queue<QueueMessage>
  ASSETS: Fetcher
  EMAIL?: SendEmail
} & Record<string, unknown>

export type Person = Identity & {
  by: 'access' | 'token'
  session: string | null
}

export type Env = {
  Bindings: Bindings
  Variables: RequestIdVariables & {
    app: Hono<Env>
    /** Unset when no app matches the path. */
    ctx: Context
    person: Person
    /** Set instead of `person` when the browser's session has ended. */
    sessionEnd: SessionEnd
    /** Set instead of `person` when Access has signed in somebody who is not an operator. */
    unknownAddress: string
    site: SiteRow
    /** The name of the person of the page, for its breadcrumbs. */
    personName: string
  }
}

export type Http = HonoContext<Env>

export const createApp = () => new Hono<Env>()
