// WEBHOOK_SECRET=whsec_… node express.mjs
import express from 'express'
import { handleOnce, memoryStore, verify, WebhookError } from 'headless-content-api/webhooks'

// In memory, for one process. With several, claim ids in a table with a unique key.
const events = memoryStore()
const app = express()

// The signature covers the raw body, so express.json() must not parse it first.
app.post('/hooks', express.raw({ type: '*/*' }), async ({ headers, body = '' }, response) => {
  const { id, type, payload } = await verify({ headers, body }, process.env.WEBHOOK_SECRET)
  await handleOnce(id, events, () => {
    if (type !== 'article.ready') return
    // Here: fetch the post from payload.fetch.path with your API key, and store it.
    console.log(`${payload.slug} is ready at ${payload.fetch.path}`)
  })
  response.sendStatus(204)
})

app.use((error, _request, response, next) => {
  if (error instanceof WebhookError) response.status(401).send(error.message)
  else next(error)
})

app.listen(process.env.PORT ?? 9000)
