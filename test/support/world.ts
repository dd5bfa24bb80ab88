/** The Worker in a world where a part is missing: the same code, called with another environment. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import worker from '../../functions/worker.ts'
import { bindings } from './context.ts'
import { ORIGIN, type TestSite } from './site.ts'

/** GET below the site, by a Worker whose variables are changed as said. */
export async function getIn(
  changes: Record<string, string>,
  site: TestSite,
  below: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = new Request(`${ORIGIN}/api/v1${site.path}${below}`, {
    headers: { Authorization: `Bearer ${site.key}`, ...headers },
  })
  const execution = createExecutionContext()
  const response = await worker.fetch(request, { ...bindings, ...changes }, execution)
  await waitOnExecutionContext(execution)
  return response
}
