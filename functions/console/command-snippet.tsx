/** An `npm run admin` command, ready to run against this deployment. */
import { Snippet } from './parts/copy.tsx'
import { useRequestContext } from './site.ts'

export function CommandSnippet({ title, command }: { title: string; command: string }) {
  const { origin, hostname } = new URL(useRequestContext().req.url)
  // The command line defaults to the service on the same machine.
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  // The token comes from HCA_TOKEN: a flag would show in the process list.
  const environment = isLocal ? '' : `HCA_URL=${origin} \\\n  `
  return <Snippet title={title} text={`${environment}npm run -s admin -- ${command}`} />
}
