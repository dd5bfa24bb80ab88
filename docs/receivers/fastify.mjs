// WEBHOOK_SECRET=whsec_… node fastify.mjs
import Fastify from 'fastify'
import { handleOnce, memoryStore, verify, WebhookError } from 'headless-content-api/webhooks'

// In memory, for one process. With several, claim ids in a table with a unique key.
const events = memoryStore()
const app = Fastify()

// The signature covers the raw body, so Fastify must not parse it.
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

app.post('/hooks', async ({ headers, body }, reply) => {
  const { id, type, payload } = await verify({ headers, body: body ?? '' }, process.env.WEBHOOK_SECRET)
  await handleOnce(id, events, () => {
    if (type !== 'article.ready') return
    // Here: fetch the post from payload.fetch.path with your API key, and store it.
    console.log(`${payload.slug} is ready at ${payload.fetch.path}`)
  })
  return reply.code(204).send()
})

app.setErrorHandler((error, _request, reply) => {
  if (error instanceof WebhookError) return reply.code(401).send(error.message)
  throw error
})

await app.listen({ port: Number(process.env.PORT ?? 9000) })
