// app/hooks/route.ts
import { handleOnce, memoryStore, verify, WebhookError } from 'headless-content-api/webhooks'

// In memory, for one process. With several, claim ids in a table with a unique key.
const events = memoryStore()

export async function POST(request: Request): Promise<Response> {
  try {
    const { id, type, payload } = await verify(request, process.env.WEBHOOK_SECRET!)
    await handleOnce(id, events, () => {
      if (type !== 'article.ready') return
      // Here: fetch the post from payload.fetch.path with your API key, and store it.
      console.log(`${payload.slug} is ready at ${payload.fetch.path}`)
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.message, { status: 401 })
    throw error
  }
}
