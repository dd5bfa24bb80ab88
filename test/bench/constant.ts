/** The limit: a Hono route that answers a constant. */
import { Hono } from 'hono'

const app = new Hono<{ Bindings: { BODY: string } }>()

app.get('/constant', (c) => c.body(c.env.BODY, 200, { 'Content-Type': 'application/json' }))

export default app
