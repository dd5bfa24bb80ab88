/** Obsidian finds files by name only, ignoring case, normal form, and the extension of pages. */
import { basename } from 'node:path'

export function pageName(path: string): string {
  return fileName(path).replace(/\.(?:mdx?|markdown|html?)$/, '')
}

export function fileName(path: string): string {
  return basename(path).normalize('NFC').toLowerCase()
}

export function pagesOf(files: string[], others: string[]): (name: string) => boolean {
  const pages = new Set(files.map(pageName))
  const names = new Set(others.map(fileName))
  return (name) => pages.has(pageName(name)) || names.has(fileName(name))
}
