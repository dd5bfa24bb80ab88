/** Finds out what an uploaded file is, by its name and first bytes. */
import type { importSources } from '../../core/enums.ts'
import { FORMAT, REPEATING_FORMAT } from '../../transfer/export.ts'

export type ImportSource = (typeof importSources)[number]

const HEAD_BYTES = 64 * 1024
const MARKDOWN = /\.(?:md|mdx|markdown)$/i
const ZIP = /\.zip$/i
/** A file, an empty archive, or a part of one. */
const ZIP_SIGNATURES = ['PK\u0003\u0004', 'PK\u0005\u0006']

export const isZip = (bytes: Uint8Array) => ZIP_SIGNATURES.includes(latin1(bytes.subarray(0, 4)))

/** A zip counts as Markdown, until it is unpacked. @returns the reason if it is nothing that we import */
export function kindOf(name: string, bytes: Uint8Array): { source: ImportSource } | { problem: string } {
  if (isZip(bytes)) return { source: 'markdown' }
  if (ZIP.test(name)) return { problem: 'it is not a zip file' }
  if (MARKDOWN.test(name)) return { source: 'markdown' }
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)).trimStart()
  if (/^(?:<\?xml|<rss|<!--)/i.test(head) || /\.(?:xml|wxr)$/i.test(name)) return { source: 'wordpress' }
  const isExport = [FORMAT, REPEATING_FORMAT].some((format) => head.startsWith(`{"format":"${format}"`))
  if (isExport || /\.(?:ndjson|jsonl)$/i.test(name)) return { source: 'ndjson' }
  if (/^[{[]/.test(head) || /\.json$/i.test(name)) return { source: 'ghost' }
  return { problem: 'this kind of file cannot be read' }
}

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes)
