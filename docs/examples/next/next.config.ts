import type { NextConfig } from 'next'

/** For requests with a preview cookie. */
const forPreviews = {
  source: '/blog/:slug',
  has: [{ type: 'cookie' as const, key: 'preview' }],
  headers: [
    { key: 'Referrer-Policy', value: 'no-referrer' },
    { key: 'X-Robots-Tag', value: 'noindex' },
  ],
}

export default { headers: async () => [forPreviews] } satisfies NextConfig
