import type { NextConfig } from 'next'

/** Of a page that is asked for with the cookie of a preview. */
const forPreviews = {
  source: '/blog/:slug',
  has: [{ type: 'cookie' as const, key: 'preview' }],
  headers: [
    { key: 'Referrer-Policy', value: 'no-referrer' },
    { key: 'X-Robots-Tag', value: 'noindex' },
  ],
}

export default { headers: async () => [forPreviews] } satisfies NextConfig
