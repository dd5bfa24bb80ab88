/** Requests a published file as the Worker does when the caches are empty. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import worker from '../../functions/worker.ts'
import { bindings } from './context.ts'
import { ORIGIN } from './site.ts'

type Options = { method?: string; headers?: Record<string, string>; key?: string }

export async function askCanonical(
  path: string,
  { method = 'GET', headers = {}, key }: Options = {},
  env = bindings,
): Promise<Response> {
  const execution = Object.assign(createExecutionContext(), { props: { isCanonical: true } })
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      'CF-Connecting-IP': crypto.randomUUID(),
      ...(key && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
  })
  const response = await worker.fetch(request, env, execution)
  await waitOnExecutionContext(execution)
  return response
}
