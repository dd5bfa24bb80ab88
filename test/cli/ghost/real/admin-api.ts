/** Ghost's Admin API (https://ghost.org/docs/admin-api/), signed in as the owner. */

export type Row = Record<string, unknown> & { id: string; title: string }

/** Requests a path below `/ghost/api/admin/`: GET, or POST with a body, unless `method` is given. */
export type AdminApi = (
  path: string,
  body?: object,
  method?: 'POST' | 'PUT' | 'DELETE',
  // biome-ignore lint/suspicious/noExplicitAny: answers are whatever Ghost gives
) => Promise<any>

/** Sets Ghost up with an owner, whose password is random. */
export async function signIn(url: string): Promise<AdminApi> {
  const owner = { email: 'ann@pier.example', password: crypto.randomUUID() }
  let cookie = ''
  const api: AdminApi = async (path, body, method = 'POST') => {
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/ghost/api/admin/${path}`, {
      headers: { origin: url, cookie, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { method, body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 1_000)}`)
    cookie ||= response.headers.getSetCookie().map((each) => each.split(';')[0])[0] ?? ''
    return /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text
  }
  const setup = { name: "Ann O'Hara & Söhne", blogTitle: 'The Pier', ...owner }
  await api('authentication/setup/', { setup: [setup] })
  await api('session/', { username: owner.email, password: owner.password })
  return api
}
