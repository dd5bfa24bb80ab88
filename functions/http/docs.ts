/** docs/build/pages.ts renders the pages before each start and deployment. */
import { secureHeaders } from 'hono/secure-headers'
import { AppError } from '../../src/core/errors.ts'
import { findAsset } from './assets.ts'
import { createApp, type Http } from './env.ts'
import { onError } from './errors.ts'
import { refuseMethods } from './methods.ts'

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}
const SELF = ["'self'"]
const NONE = ["'none'"]

export const docs = createApp()
export const llms = createApp()

docs.use(refuseMethods(docs, onError))
// Response headers are set in reverse order of the middleware.
docs.use(policy())
docs.get('/', toFirstPage)
docs.get('/:page{[a-z-]*}', async (c) => {
  // Matches the trailing slash.
  if (!c.req.param('page')) return toFirstPage(c)
  const path = `/docs/${c.req.param('page')}`
  c.header('Link', `<${path}.md>; rel="alternate"; type="text/markdown"`)
  return serveFile(c, `${path}.html`)
})
docs.get('/:page{[a-z-]+\\.md}', (c) => {
  c.header('Link', `<${c.req.path.slice(0, -3)}>; rel="canonical"`)
  return serveFile(c, c.req.path)
})
docs.get('/:file{[a-z0-9.-]+\\.(?:css|js)}', (c) => {
  const folder = /^(console|theme)\./.test(c.req.param('file')) ? 'console' : 'docs'
  return serveFile(c, `/${folder}/${c.req.param('file')}`)
})
docs.all('*', missing)

llms.use(refuseMethods(llms, onError))
llms.get('/', (c) => serveFile(c, '/llms.txt'))

function toFirstPage(c: Http) {
  return c.redirect('/docs/quick-start')
}

function policy() {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      scriptSrc: SELF,
      styleSrc: SELF,
      connectSrc: NONE,
      imgSrc: ['data:'],
      formAction: NONE,
      frameAncestors: NONE,
      baseUri: NONE,
    },
    referrerPolicy: 'same-origin',
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  })
}

async function serveFile(c: Http, path: string): Promise<Response> {
  const found = await findAsset(c, path)
  if (!found) return missing(c)
  c.header('Cache-Control', 'private, max-age=300')
  c.header('Vary', 'Accept-Encoding')
  c.header('ETag', found.headers.get('ETag') ?? undefined)
  if (found.status === 304) return c.body(null, 304)
  c.header('Content-Type', TYPES[path.split('.').pop()!])
  return c.body(found.body!)
}

async function missing(c: Http): Promise<Response> {
  const page = await findAsset(c, '/docs/_missing.html', {})
  if (!page) throw new AppError('not_found')
  c.header('Cache-Control', 'no-store')
  c.header('Link', undefined)
  c.header('Content-Type', TYPES.html)
  return c.body(page.body!, 404)
}
