/** Blocks of MkDocs, with indented content: `!!! note`, `??? tip` (details) and `=== "One"` (tabs). */
import { asideKind } from './alerts.ts'
import { codeRanges } from './shortcodes.ts'

const ANY = /^[ \t]*(?:!!!|\?\?\?|===)/m
const MARK =
  /^([ \t]*)(!!!|\?\?\?\+?|===[!+]?)(?:[ \t]+([A-Za-z][\w-]*)(?:[ \t]+[a-z][\w-]*)*)?(?:[ \t]+"(.*)")?[ \t]*$/
const INDENT = 4
const MAX_DEPTH = 20

export function withoutMkdocsBlocks(text: string, depth = 0): string {
  if (!ANY.test(text) || depth > MAX_DEPTH) return text
  const isCode = codeRanges(text)
  const lines = text.split('\n')
  const written: string[] = []
  let offset = 0
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!
    const start = offset
    offset += line.length + 1
    const [, indent = '', mark = '', type, title] = MARK.exec(line.trimEnd()) ?? []
    const isBlock = mark !== '' && (mark.startsWith('=') ? title !== undefined : type !== undefined)
    const block = isBlock && !isCode(start + indent.length) ? blockBelow(lines, at, widthOf(indent)) : []
    if (block.length === 0) {
      written.push(line)
      continue
    }
    at += block.length
    offset += block.reduce((sum, each) => sum + each.length + 1, 0)
    const inner = block.map((each) => withoutIndent(each, widthOf(indent) + INDENT)).join('\n')
    const content = withoutMkdocsBlocks(inner, depth + 1)
    const shown = htmlOf({ mark, type, title }, content)
    written.push(...shown.split('\n').map((each) => (each.trim() ? indent + each : each)))
  }
  return written.join('\n')
}

function htmlOf(
  { mark, type = '', title }: { mark: string; type: string | undefined; title: string | undefined },
  content: string,
): string {
  const label = title ?? type.charAt(0).toUpperCase() + type.slice(1).replaceAll('-', ' ')
  if (mark.startsWith('=')) return `\n<strong>${label}</strong>\n\n${content}\n`
  if (mark.startsWith('?')) {
    const open = mark.endsWith('+') ? '<details open>' : '<details>'
    return `\n${open}\n<summary>${label}</summary>\n\n${content}\n\n</details>\n`
  }
  const heading = label === '' ? '' : `<strong>${label}</strong>\n\n`
  return `\n<aside class="${asideKind(type)}">\n\n${heading}${content}\n\n</aside>\n`
}

function blockBelow(lines: string[], at: number, indent: number): string[] {
  let end = at + 1
  for (let next = end; next < lines.length; next += 1) {
    const line = lines[next]!
    if (line.trim() === '') continue
    if (widthOf(/^[ \t]*/.exec(line)?.[0] ?? '') < indent + INDENT) break
    end = next + 1
  }
  return lines.slice(at + 1, end)
}

const widthOf = (blanks: string) => blanks.replaceAll('\t', ' '.repeat(INDENT)).length

function withoutIndent(line: string, width: number): string {
  let left = width
  let at = 0
  for (; at < line.length && left > 0 && /[ \t]/.test(line[at]!); at += 1)
    left -= line[at] === '\t' ? INDENT : 1
  return line.slice(at)
}
