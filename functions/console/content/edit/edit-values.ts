/** Converts article fields to form texts and back. */
import type * as z from 'zod/mini'
import type { GUIDE_FIELDS } from '../../../../src/content/guides/guide.ts'
import { suggestSlug } from '../../../../src/content/model/slug.ts'
import type { POST_FIELDS } from '../../../../src/content/posts/fields.ts'
import { AppError, type Issue } from '../../../../src/core/errors.ts'
import { toFormIssue, type Values } from '../../forms/form.ts'
import { toLines } from '../../forms/three-way-merge.ts'
import type { Control, Editable, GUIDE_CONTROLS, POST_CONTROLS } from './controls.ts'

type Body = Record<string, unknown>
type Kind = Control['kind']

/** Form texts by control, as a browser would send them back unchanged. */
export function toValues(editables: Editable[], article: Body): Values {
  return Object.fromEntries(
    editables.map(({ name, control, ...place }) => [name, toText(control.kind, valueAt(article, place))]),
  )
}

function valueAt(article: Body, { field, member }: Pick<Editable, 'field' | 'member'>): unknown {
  const value = article[field]
  return member === null ? value : (value as Body | null | undefined)?.[member]
}

function toText(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return ''
  switch (kind) {
    case 'text':
    case 'html':
      return toLines(String(value))
    case 'list':
      return (value as string[]).map(toLine).join('\n')
    case 'people':
      return (value as Person[]).map(({ name, url }) => toLine(url ? `${name} <${url}>` : name)).join('\n')
    default:
      return toLine(String(value))
  }
}

type Given = Record<'line' | 'text' | 'html' | 'choice', string> & { list: string[]; people: Person[] }
type Refused<Table, Controls> = {
  [Name in keyof Table & keyof Controls]: [Controls[Name], Table[Name]] extends [
    { kind: infer K extends Kind },
    { input: infer Input },
  ]
    ? NonNullable<z.input<Input>> extends Given[K]
      ? never
      : Name
    : never
}[keyof Table & keyof Controls]

type Misfit =
  | Refused<typeof POST_FIELDS, typeof POST_CONTROLS>
  | Refused<typeof GUIDE_FIELDS, typeof GUIDE_CONTROLS>

/** Fails to compile if a schema refuses the value of its control, such as a number in a text field. */
true satisfies [Misfit] extends [never] ? true : Misfit

type Person = { name: string; url?: string | null | undefined }

/** Browsers drop line breaks in a one-line field. */
const toLine = (text: string) => text.trim().replace(/\s*[\r\n]+\s*/g, ' ')

const linesOf = (text: string) =>
  toLines(text)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** @returns undefined for an empty field */
function toInput(kind: Kind, text: string, stored: unknown): unknown {
  if (kind === 'html') return withBreaksOf(toLines(text), stored)
  if (text.trim() === '') return undefined
  switch (kind) {
    case 'list':
      return linesOf(text)
    case 'people':
      return linesOf(text).map(toPerson)
    case 'text':
      return withBreaksOf(toLines(text), stored)
    default:
      return toLine(text)
  }
}

/** `Ada Lovelace <https://ada.example>` */
function toPerson(line: string): Person {
  const [, name = line, url] = /^(.*?)\s*<([^<>]*)>$/.exec(line) ?? []
  return url === undefined ? { name } : { name, url: url.trim() }
}

/** Keeps CRLF line ends if the stored text has them. */
function withBreaksOf(text: string, stored: unknown): string {
  const hadCrLf = typeof stored === 'string' && /\r\n/.test(stored) && !/(^|[^\r])\n/.test(stored)
  return hadCrLf ? text.replaceAll('\n', '\r\n') : text
}

/** The new value of each changed field. Unchanged members of an object field are kept. */
export function toEdit(editables: Editable[], article: Body, changed: Values): Body {
  const edit: Body = {}
  for (const { name, field, member, control } of editables) {
    if (!Object.hasOwn(changed, name)) continue
    const value = toInput(control.kind, changed[name]!, valueAt(article, { field, member }))
    if (member === null) edit[field] = value
    else edit[field] = { ...((edit[field] ?? article[field]) as Body | null), [member]: value }
  }
  for (const [field, value] of Object.entries(edit))
    edit[field] = field === 'image' ? imageOf(value as Body, article) : value
  return edit
}

/** The fields of a draft that does not exist yet. */
export function toNew(editables: Editable[], values: Values): Body {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  const { title, ...fields } = toEdit(editables, {}, Object.fromEntries(filled))
  const slug = fields.slug ?? suggestSlug(String(title ?? ''))
  if (slug !== '' || title === undefined)
    return { contentHtml: '', ...fields, title, ...(slug !== '' && { slug }) }
  const message = 'is required, because the title has no letters or digits'
  throw new AppError('invalid_body', { path: 'slug', message })
}

/** Drops the size of a replaced image. */
function imageOf({ url, alt, ...size }: Body, { image }: Body): Body | undefined {
  if (url === undefined && alt === undefined) return undefined
  const isSame = (image as Body | null | undefined)?.url === url
  return { url, alt, ...(isSame && size) }
}

/** Maps an issue to its control: `authors[1].url must …` belongs to the authors and names the line. */
export function placeIn(editables: Editable[], { path, message }: Issue): Issue {
  const isIn = ({ name }: Editable) =>
    path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
  const editable = editables.find(isIn) ?? editables.find(({ field }) => field === path)
  if (!editable) return toFormIssue({ path, message })
  const [, line, part] = /^\[(\d+)\](?:\.(\w+))?/.exec(path.slice(editable.name.length)) ?? []
  const where = line && `in line ${Number(line) + 1}${part ? ` (${part})` : ''} `
  return { path: editable.name, message: `${where ?? ''}${message}` }
}
