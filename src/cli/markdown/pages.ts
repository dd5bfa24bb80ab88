/** By what Obsidian finds a file: its name alone, whatever its case and normal form, without the extension if it is a page. */
import { basename } from 'node:path'

export function pageName(path: string): string {
  return fileName(path).replace(/\.(?:mdx?|markdown|html?)$/, '')
}

export function fileName(path: string): string {
  return basename(path).normalize('NFC').toLowerCase()
}

/** Whether there is one of that name, as it is written in a link. */
export function pagesOf(files: string[], others: string[]): (name: string) => boolean {
  const pages = new Set(files.map(pageName))
  const names = new Set(others.map(fileName))
  return (name) => pages.has(pageName(name)) || names.has(fileName(name))
}
