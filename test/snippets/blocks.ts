/** The code blocks of the guide's pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Block = { language: string; code: string }

const GUIDE = join(import.meta.dirname, '../../docs/guide')

export const PAGES = readdirSync(GUIDE)
  .filter((file) => file.endsWith('.md'))
  .sort()

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(GUIDE, page), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
    language: language!,
    code: code!,
  }))
}

/** The file name in the first line of a block: `// sync.mjs` or `// receiver.mjs: WEBHOOK_SECRET=…`. */
export function fileOf({ code }: Block): string | undefined {
  return /^\/\/ ([\w.-]+)/.exec(code)?.[1]
}
