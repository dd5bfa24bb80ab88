/**
 * The entrypoint that makes bodies, behind the cache that all isolates share. Only what every cache promises is assumed: it
 * gives back what was stored under the URL, and may forget it. A body is stored some time after it was sent, or never.
 */
import { post } from '../../functions/api/posts.ts'
import { type BodyProps, KEPT, makeBody } from '../../functions/http/bodies.ts'
import type { Loaders } from '../../functions/http/resource.ts'
import type { Isolate } from './actor.ts'

/** The loader of the only resource that the model's readers ask for. */
export type PostLoader = typeof post.load

type Options = { props: BodyProps }

/** In place of `exports.Bodies`. */
export function bodiesOf({ bindings, sharedBodies }: Isolate, load: PostLoader) {
  const loaders = { post: { ...post, load } } as unknown as Loaders
  return ({ props }: Options) => ({
    async fetch(url: string, init: RequestInit) {
      const known = await sharedBodies.get(url).catch(() => null)
      if (known !== null) return new Response(known, { headers: KEPT })
      const execution = { props, waitUntil() {} }
      const response = await makeBody(loaders, new Request(url, init), bindings, execution)
      if (!response.headers.get('Cache-Control')!.includes('immutable')) return response
      const body = await response.text()
      sharedBodies.put(url, body).catch(() => {})
      return new Response(body, { headers: KEPT })
    },
  })
}
