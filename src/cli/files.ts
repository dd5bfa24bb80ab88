/**
 * The files that importers read. workerd treats paths as URLs: it decodes `%20`, trims spaces and lists encoded names. So
 * names are quoted on its disk, `my post.md` as `my=20post.md`.
 */
import { type Dirent, readFileSync as readNowFrom } from 'node:fs'
import fs from 'node:fs/promises'

const isWorkerd = navigator.userAgent === 'Cloudflare-Workers'

export const onDisk = (path: string) =>
  isWorkerd ? encodeURIComponent(path).replaceAll('%2F', '/').replaceAll('%', '=') : path

const named = (path: string) => (isWorkerd ? decodeURIComponent(path.replaceAll('=', '%')) : path)

export const open = (path: string) => fs.open(onDisk(path))
export const stat = (path: string) => fs.stat(onDisk(path))
export const readFile = (path: string) => fs.readFile(onDisk(path))
export const readText = (path: string) => fs.readFile(onDisk(path), 'utf8')
export const readTextSync = (path: string) => readNowFrom(onDisk(path), 'utf8')
export const realpath = async (path: string) => named(await fs.realpath(onDisk(path)))

export async function readdir(path: string): Promise<Dirent[]> {
  const entries = await fs.readdir(onDisk(path), { withFileTypes: true })
  for (const entry of entries) entry.name = named(entry.name)
  return entries
}
