/**
 * Ids and slugs become file names and URL paths: accepting only the service's form keeps a response from writing outside
 * the store's folder or the built site.
 */

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SLUG = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.~-]{1,200}$/u
const SHOWN = 100

/** @throws Error unless it is a UUID in lower case */
export const checkId = (id: unknown): string => checked('id', ID, id)

/** @throws Error unless it is 1 to 200 letters, marks, digits, `-`, `_`, `.` and `~`, and neither `.` nor `..` */
export const checkSlug = (slug: unknown): string => checked('slug', SLUG, slug)

function checked(name: string, form: RegExp, value: unknown): string {
  if (typeof value === 'string' && form.test(value)) return value
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN)
  throw new Error(`The service answered with a malformed ${name}: ${shown}`)
}
