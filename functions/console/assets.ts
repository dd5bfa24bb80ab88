/** The console's stylesheets and scripts, at URLs that change with their content. */
import { createMiddleware } from 'hono/factory'
import { AppError } from '../../src/core/errors.ts'
import { sha256Hex } from '../../src/core/ids.ts'
import { assetText } from '../http/assets.ts'
import { createApp, type Env, type Http } from '../http/env.ts'

const ROOT = '/console/assets'

const FILES = {
  theme: 'theme.css',
  stylesheet: 'console.css',
  article: 'article.css',
  script: 'console.js',
  search: 'search.js',
  list: 'list.js',
  edit: 'edit.js',
  draft: 'draft.js',
  toolbar: 'toolbar.js',
} as const

type Name = keyof typeof FILES
type Asset = { file: string; type: string; text: string }

let made: Record<Name, Asset> | undefined

export const assets = createApp()

assets.get('/:file', async (c) => {
  const asset = Object.values(await prepare(c)).find(({ file }) => file === c.req.param('file'))
  if (!asset) throw new AppError('not_found')
  c.header('Content-Type', asset.type)
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  return c.body(asset.text)
})

/** A sandboxed preview has an opaque origin, so its stylesheet is cross-origin. */
export const embeddable = createMiddleware<Env>(async function embeddable(c, next) {
  await next()
  c.header('Cross-Origin-Resource-Policy', 'cross-origin')
})

export async function assetUrls(c: Http): Promise<Record<Name, string>> {
  const assets = Object.entries(await prepare(c))
  return Object.fromEntries(assets.map(([name, { file }]) => [name, `${ROOT}/${file}`])) as Record<
    Name,
    string
  >
}

async function prepare(c: Http): Promise<Record<Name, Asset>> {
  made ??= Object.fromEntries(
    await Promise.all(Object.entries(FILES).map(async ([name, path]) => [name, await asset(c, path)])),
  ) as Record<Name, Asset>
  return made
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

async function asset(c: Http, path: string): Promise<Asset> {
  const [name = '', extension] = path.split('.')
  const text = await assetText(c, `/console/${path}`)
  const hash = (await sha256Hex(text)).slice(0, 12)
  return { file: `${name}-${hash}.${extension}`, type: TYPES[extension as keyof typeof TYPES], text }
}
