/** The console as a browser sees it: cookies, forms and pages. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import worker from '../../functions/worker.ts'
import { bindings } from './context.ts'
import { decode } from './html.ts'
import { ORIGIN, operatorToken } from './site.ts'

export { decode } from './html.ts'

/** The settings of a site as the form of each page sends them, as `makeSite` made it. */
export const SETTINGS_FORM = {
  name: 'Test',
  domain: 'site.example.com',
  defaultLanguage: 'en',
  plan: 'free',
  dailyQuota: '',
}
export const PUBLISHING_FORM = {
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
  feedContent: 'excerpt',
  previewUrl: '',
}

type Form = Record<string, string> | string[][]
type Visit = {
  cookie?: string
  /** Posted as a form of the console's own page. A name may repeat in a list of pairs. */
  form?: Form
  /** A raw body, instead of a form. */
  body?: BodyInit
  method?: string
  headers?: Record<string, string>
  origin?: string
  world?: Record<string, string>
  /** All its variables: visits with equal variables reach one isolate. */
  env?: typeof bindings
}

/** A request of a browser; redirects are not followed. */
export async function visit(
  path: string,
  {
    cookie,
    form,
    body,
    method,
    headers,
    origin = ORIGIN,
    world,
    env = { ...bindings, ...world },
  }: Visit = {},
) {
  const execution = createExecutionContext()
  const request = new Request(origin + path, {
    method: method ?? (form ? 'POST' : 'GET'),
    headers: {
      ...(cookie && { Cookie: cookie }),
      ...(form && { Origin: origin }),
      ...headers,
    },
    ...(form && { body: new URLSearchParams(form) }),
    ...(body && { body }),
  })
  const response = await worker.fetch(request, env, execution)
  const text = await response.text()
  await waitOnExecutionContext(execution)
  return {
    status: response.status,
    headers: response.headers,
    location: response.headers.get('Location'),
    text,
  }
}

/** Tries to sign in, by default from an address of its own. */
export function trySignIn(token: string, options: Visit & { address?: string; next?: string } = {}) {
  const { address = crypto.randomUUID(), next, ...rest } = options
  return visit(`/console/sign-in${next ? `?${new URLSearchParams({ next })}` : ''}`, {
    form: { token },
    headers: { 'CF-Connecting-IP': address },
    ...rest,
  })
}

/** The URL of a redirect without its signature (`functions/console/actions/signed-notices.ts`). */
export const unsigned = (location: string | null) => location?.replace(/&sig=[0-9a-f]{32}(?=#|$)/, '') ?? null

/** A cookie of a new session. */
export async function signIn(): Promise<string> {
  return cookieOf(await trySignIn(operatorToken))
}

/** The Cookie header a browser would send. */
export function cookieOf({ headers }: { headers: Headers }): string {
  return headers.getSetCookie()[0]!.split(';')[0]!
}

let operator: string | undefined

/** The pages of a site below a path, in the browser of an operator whose session all tests share. */
export async function browse({ id }: { id: string }, below = '') {
  operator ??= await signIn()
  const cookie = operator
  const at = (path = '') => `/console/sites/${id}${below}${path}`
  const open = (path = '', options: Visit = {}) =>
    visit(path.startsWith('/console') ? path : at(path), { cookie, ...options })
  return {
    at,
    open,
    read: async (path = '', options: Visit = {}) => wordsOf(await open(path, options)),
    /** Posts a form, and follows the redirect. */
    async submit(path = '', form: Form = {}, options: Visit = {}) {
      const answer = await open(path, { form, ...options })
      const page = answer.location ? await open(answer.location) : answer
      return { ...answer, page, words: wordsOf(page) }
    },
  }
}

export function wordsOf({ text }: { text: string }): string {
  const body = text
    .replace(/^[\s\S]*<body>/, '')
    .replace(/<\/?bdi>/g, '')
    .replace(/<[^>]+>/g, ' ')
  return decode(body).replace(/\s+/g, ' ').trim()
}

/** The error next to a field; null if there is none. */
export function errorBeside(field: string, { text }: { text: string }): string | null {
  const words = new RegExp(`id="${field}-error">([^<]*)<`).exec(text)?.[1]
  return words === undefined ? null : decode(words)
}

/** The value of a text field. */
export function filledIn(field: string, { text }: { text: string }): string | undefined {
  const input = new RegExp(`<(?:input|textarea) id="${field}"[^>]*>(?:\n([^<]*))?`).exec(text)
  const value = / value="([^"]*)"/.exec(input?.[0] ?? '')?.[1] ?? input?.[1]
  return value === undefined ? undefined : decode(value)
}

/** The initial values of a form, which its hidden field keeps. */
export function openedIn({ text }: { text: string }): string {
  return decode(/name="opened" value="([^"]*)"/.exec(text)![1]!)
}

/** The form of a page whose path ends like this, or with this button, and its hidden fields. A name may repeat in the pairs. */
export function formIn({ text }: { text: string }, pathOrButton: string) {
  const forms = [...text.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
  const isWanted = (action: string, inner: string) =>
    decode(action).split('?')[0]!.endsWith(pathOrButton) || inner.includes(`>${pathOrButton}<`)
  const [, action = '', inner = ''] = forms.find(([, action, inner]) => isWanted(action!, inner!)) ?? []
  const inputs = inner.matchAll(
    /<(?:input type="hidden"|button type="submit") name="([^"]*)" value="([^"]*)"/g,
  )
  const pairs = [...inputs].map(([, name, value]) => [decode(name!), decode(value!)])
  return { action: decode(action), pairs, fields: Object.fromEntries(pairs) as Record<string, string> }
}

/** The POST of the conflict page, with the saved value (0) or the typed one (1) chosen for each field. */
export function chooseIn({ text }: { text: string }, choices: Record<string, 0 | 1>) {
  const [, action = '', form = ''] =
    /<form method="post" action="([^"]*)" class="conflicts"[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? []
  const inputs = [...form.matchAll(/<input type="(hidden|radio)" name="([^"]*)" value="([^"]*)"/g)].map(
    ([, type, name, value]) => ({ type, name: decode(name!), value: decode(value!) }),
  )
  const chosen = Object.entries(choices).map(([field, which]) => {
    const radios = inputs.filter(({ type, name }) => type === 'radio' && name === field)
    return [field, radios[which]!.value]
  })
  const hidden = inputs.filter(({ type }) => type === 'hidden').map(({ name, value }) => [name, value])
  return {
    action: decode(action),
    fields: Object.fromEntries([...hidden, ...chosen]) as Record<string, string>,
  }
}
