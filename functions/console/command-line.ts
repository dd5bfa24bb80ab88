/** Lines of the command line that do something to this deployment. */
import type { Http } from '../http/env.ts'

/** Without an address the command line means the service on the same laptop. */
export function commandLine(c: Http, words: string): string {
  const { origin, hostname } = new URL(c.req.url)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  const address = isLocal ? '' : `--url ${origin}/manage/v1 --token "$OPERATOR_TOKEN" \\\n  `
  return `npm run -s admin -- ${address}${words}`
}
