// A Worker with Hono. It stores event ids in D1: create table events (id text primary key)
import { type EventStore, handleOnce, verify, WebhookError } from 'headless-content-api/webhooks'
import { Hono } from 'hono'

type Env = { Bindings: { WEBHOOK_SECRET: string; DB: D1Database } }

const app = new Hono<Env>()

app.post('/hooks', async (c) => {
  const { id, type, payload } = await verify(c.req.raw, c.env.WEBHOOK_SECRET)
  await handleOnce(id, storeIn(c.env.DB), () => {
    if (type !== 'article.ready') return
    // Here: fetch the post from payload.fetch.path with your API key, and store it.
    console.log(`${payload.slug} is ready at ${payload.fetch.path}`)
  })
  return c.body(null, 204)
})

app.onError((error, c) => {
  if (error instanceof WebhookError) return c.text(error.message, 401)
  console.error(error)
  return c.text('Internal error', 500)
})

function storeIn(db: D1Database): EventStore {
  return {
    async claim(id) {
      const { meta } = await db.prepare('insert or ignore into events (id) values (?)').bind(id).run()
      return meta.changes === 1
    },
    release: (id) => db.prepare('delete from events where id = ?').bind(id).run(),
  }
}

export default app
