/** The form that edits an article, as a browser reads and sends it. */
import { browse, decode } from './console.ts'
import { ORIGIN } from './site.ts'

/** A text as a browser sees it: without carriage returns. */
const asRead = (text: string) => decode(text.replace(/\r\n?/g, '\n'))

/** The fields of the form on a page by name, with each line break as CR LF, as a browser sends them. */
export function formOn({ text }: { text: string }): Record<string, string> {
  const [, form = ''] = /<form [^>]*class="fields edit"[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? []
  const fields: [string, string][] = []
  for (const [, attributes = ''] of form.matchAll(/<input ([^>]*)>/g)) {
    const value = asRead(/ value="([^"]*)"/.exec(` ${attributes}`)?.[1] ?? '')
    const isHidden = attributes.includes('type="hidden"')
    fields.push([/name="([^"]*)"/.exec(attributes)![1]!, isHidden ? value : value.replace(/[\r\n]/g, '')])
  }
  for (const [, name, value = ''] of form.matchAll(
    /<textarea [^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/textarea>/g,
  ))
    fields.push([name!, asRead(value).replace(/^\n/, '')])
  for (const [, name, options = ''] of form.matchAll(
    /<select [^>]*name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
  ))
    fields.push([name!, /<option value="([^"]*)" selected/.exec(options)?.[1] ?? ''])
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replace(/\r\n|\r|\n/g, '\r\n')]))
}

type Fields = Record<string, string>

/** Opens the form that edits an article; `save` sends it with changes, in the encoding that its page names. */
export async function openForm(site: { id: string }, below = 'posts/one') {
  const { at, open } = await browse(site, '/content')
  const path = at(`/${below}/edit`)
  const page = await open(path)
  const fields = formOn(page)
  const send = (texts: Fields, to = path) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(texts)) body.append(name, value)
    return open(to, { method: 'POST', body, headers: { Origin: ORIGIN } })
  }
  return { page, path, open, fields, send, save: (changes: Fields = {}) => send({ ...fields, ...changes }) }
}
