/** `--media`: the new URL of an import's images, and the folder that contains them. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Failure } from '../../transfer/failure.ts'
import type { Io } from '../io.ts'
import { readImageSize, type Size } from './image-size.ts'

export type Media = {
  /** URL prefix of the media: `--media URL`, or the site's; null if they keep their addresses. */
  base: string | null
  /** True if images from other hosts should be there, too. */
  takesForeign: boolean
  dir: string | null
}

export type MediaFile = { exists: boolean; size: Size | null }

/** @throws Failure for more than one URL or folder, or a missing folder */
export async function readMedia(io: Io, values: string[], siteBase: string): Promise<Media> {
  const urls = values.filter((value) => /^https?:\/\//i.test(value))
  const dirs = values.filter((value) => !urls.includes(value))
  if (urls.length > 1 || dirs.length > 1) throw new Failure('--media takes one URL and one folder')
  const [url] = urls
  const [dir] = dirs
  if (dir !== undefined && !(await isFolder(resolve(io.cwd, dir)))) {
    throw new Failure(`--media ${dir} is neither an http or https URL nor a folder`)
  }
  return {
    base: url === undefined ? (dir === undefined ? null : siteBase) : baseUrl('--media', url),
    takesForeign: url !== undefined,
    dir: dir === undefined ? null : resolve(io.cwd, dir),
  }
}

export function baseUrl(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new Failure(`${flag} ${text} is not an http or https URL`)
  }
  return url.href.replace(/\/+$/, '')
}

export async function mediaFile(dir: string, path: string): Promise<MediaFile> {
  const file = join(dir, join('/', decoded(path)))
  try {
    if (!(await stat(file)).isFile()) return { exists: false, size: null }
    return { exists: true, size: await readImageSize(file) }
  } catch {
    return { exists: false, size: null }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
