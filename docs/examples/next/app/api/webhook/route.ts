import { verify, WebhookError } from 'headless-content-api/webhooks'
import { revalidateTag } from 'next/cache'
import { LIST_TAG, tagOf } from '../../../content'

/** The site's webhook, with the events of published posts switched on. A repeated or late event does no harm. */
export async function POST(request: Request): Promise<Response> {
  try {
    const { type, payload } = await verify(request, process.env.WEBHOOK_SECRET!)
    if (type === 'post.updated' && payload.previousSlug) expire(tagOf(payload.previousSlug))
    if (
      type === 'post.published' ||
      type === 'post.updated' ||
      type === 'post.unpublished' ||
      type === 'post.deleted'
    ) {
      expire(tagOf(payload.slug))
      expire(LIST_TAG)
    }
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.message, { status: 401 })
    throw error
  }
}

/** Expires at once. With the profile `max`, the next visitor would still get the old page, even of a deleted post. */
const expire = (tag: string) => revalidateTag(tag, { expire: 0 })
