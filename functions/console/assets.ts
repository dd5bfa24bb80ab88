/** The console's one stylesheet and one script, at URLs that change with their content. */
import { Hono } from 'hono'
import { sha256Hex } from '../../src/digest.ts'
import { AppError } from '../../src/errors.ts'
import type { Env } from '../http/env.ts'
import stylesheet from './assets/console.css?raw'
import script from './assets/console.js?raw'

const ROOT = '/console/assets'

type Asset = { file: string; type: string; text: string }
type Assets = { stylesheet: Asset; script: Asset }

let made: Assets | undefined

export const assets = new Hono<Env>()

assets.get('/:file', async (c) => {
  const asset = Object.values(await prepare()).find(({ file }) => file === c.req.param('file'))
  if (!asset) throw new AppError('not_found')
  c.header('Content-Type', asset.type)
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  return c.body(asset.text)
})

export async function assetUrls() {
  const { stylesheet, script } = await prepare()
  return { stylesheet: `${ROOT}/${stylesheet.file}`, script: `${ROOT}/${script.file}` }
}

async function prepare(): Promise<Assets> {
  made ??= {
    stylesheet: await asset('css', 'text/css; charset=utf-8', stylesheet),
    script: await asset('js', 'text/javascript; charset=utf-8', script),
  }
  return made
}

async function asset(extension: string, type: string, text: string): Promise<Asset> {
  const hash = (await sha256Hex(text)).slice(0, 12)
  return { file: `console-${hash}.${extension}`, type, text }
}
