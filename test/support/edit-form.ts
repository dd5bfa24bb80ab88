/** The form that edits an article, as a browser reads and sends it. */
import { decode, visit } from './console.ts'

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

/** Opens the form; `save` sends it with changes, in the encoding that its page names. */
export async function openForm(path: string, cookie: string) {
  const page = await visit(path, { cookie })
  const fields = formOn(page)
  return { page, fields, save: (changes: Fields = {}) => send(path, cookie, { ...fields, ...changes }) }
}

export function send(path: string, cookie: string, fields: Fields, headers: Fields = {}) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return visit(path, { cookie, method: 'POST', body, headers: { Origin: 'https://api.test', ...headers } })
}
