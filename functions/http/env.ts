/** What a request carries through the middleware. */
import type { Context as HonoContext } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import type { Context, EventMessage } from '../../src/context.ts'
import type { Grant } from '../../src/keys.ts'

export type Bindings = { WEBHOOK_EVENTS: Queue<EventMessage> } & Record<string, unknown>

export type Env = {
  Bindings: Bindings
  Variables: RequestIdVariables & {
    ctx: Context
    /** Set by the API key middleware; routes behind it have it. */
    grant: Grant
  }
}

export type Http = HonoContext<Env>
