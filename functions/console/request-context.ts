/**
 * The request whose page is being rendered, for components that need its site or URL. `hono/jsx-renderer` has the same,
 * but brings Hono's renderer for browsers along: 7 KiB gzipped.
 */
import type { Http } from '../http/env.ts'

let current: Http | null = null

/** Renders a page with `c` as its request. Rendering is synchronous, so no other request comes in between. */
export function renderWith<Page>(c: Http, render: () => Page): Page {
  current = c
  try {
    return render()
  } finally {
    current = null
  }
}

/** For components. @throws Error outside of rendering, which includes what follows an `await` */
export function useRequestContext(): Http {
  if (!current) throw new Error('No page is being rendered')
  return current
}
