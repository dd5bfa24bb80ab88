/** The console's stylesheet and script, those of lists and of previews, at URLs that change with their content. */
import { createMiddleware } from 'hono/factory'
import { sha256Hex } from '../../src/foundation/digest.ts'
import { AppError } from '../../src/foundation/errors.ts'
import { assetText } from '../http/assets.ts'
import { createApp } from '../http/create-app.ts'
import type { Env, Http } from '../http/env.ts'

const ROOT = '/console/assets'

type Asset = { file: string; type: string; text: string }
type Assets = { stylesheet: Asset; script: Asset; list: Asset; preview: Asset }

let made: Assets | undefined

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

export async function assetUrls(c: Http) {
  const { stylesheet, script, list, preview } = await prepare(c)
  return {
    stylesheet: `${ROOT}/${stylesheet.file}`,
    script: `${ROOT}/${script.file}`,
    list: `${ROOT}/${list.file}`,
    preview: `${ROOT}/${preview.file}`,
  }
}

async function prepare(c: Http): Promise<Assets> {
  made ??= {
    stylesheet: await asset(c, 'console', 'css'),
    script: await asset(c, 'console', 'js'),
    list: await asset(c, 'list', 'js'),
    preview: await asset(c, 'preview', 'css'),
  }
  return made
}

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

async function asset(c: Http, name: string, extension: keyof typeof TYPES): Promise<Asset> {
  const text = await assetText(c, `/console/${name}.${extension}`)
  const hash = (await sha256Hex(text)).slice(0, 12)
  return { file: `${name}-${hash}.${extension}`, type: TYPES[extension], text }
}
