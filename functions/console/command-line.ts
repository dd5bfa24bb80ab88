/** Lines of the command line that do something to this deployment. */
import type { Http } from '../http/env.ts'

/** Without an address the command line means the service on the same laptop. */
export function commandLine(c: Http, words: string): string {
  const { origin, hostname } = new URL(c.req.url)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  // No token: the shell has it in HCA_TOKEN, and a list of processes would show a flag.
  const address = isLocal ? '' : `HCA_URL=${origin} \\\n  `
  return `${address}npm run -s admin -- ${words}`
}
