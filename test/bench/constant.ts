/** The limits: Hono routes that answer a constant, at once or after one call to Redis without a client. */
import { Hono } from 'hono'

const app = new Hono<{ Bindings: { BODY: string; REDIS_URL: string; REDIS_TOKEN: string } }>()

app.get('/constant', (c) => c.body(c.env.BODY, 200, { 'Content-Type': 'application/json' }))

app.get('/called', async (c) => {
  const { BODY, REDIS_URL, REDIS_TOKEN } = c.env
  const headers = { Authorization: `Bearer ${REDIS_TOKEN}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${REDIS_URL}/pipeline`, { method: 'POST', headers, body: '[["PING"]]' })
  await response.json()
  return c.body(BODY, 200, { 'Content-Type': 'application/json' })
})

export default app
