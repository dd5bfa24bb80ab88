import { describe, expect, it } from 'vitest'
import { call } from '../support/site.ts'

describe('/', () => {
  it.each(['GET', 'HEAD'])('redirects a browser to the console by %s, and is not cached', async (method) => {
    const { status, headers } = await call('/', { method })
    expect([status, headers.get('Location'), headers.get('Cache-Control')]).toEqual([
      302,
      '/console/overview',
      'no-store',
    ])
  })
})
