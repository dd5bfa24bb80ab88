// WEBHOOK_SECRET=whsec_… node express.mjs
import express from 'express'
import { handleOnce, memoryStore, verify, WebhookError } from 'headless-content-api/webhooks'

// Of one process, until it ends. With several, claim ids in a table where they are unique.
const events = memoryStore()
const app = express()

// The raw body is what is signed: express.json() must not have parsed it.
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
