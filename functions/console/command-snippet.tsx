/** A command of `npm run admin` that works on this deployment as it is shown. */
import { Snippet } from './parts/copy.tsx'
import { useRequestContext } from './request-context.ts'

export function CommandSnippet({ title, command }: { title: string; command: string }) {
  const { origin, hostname } = new URL(useRequestContext().req.url)
  // Without HCA_URL the command line talks to the service on the same machine.
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1'
  // The shell has the token in HCA_TOKEN: a flag would show in the list of processes.
  const environment = isLocal ? '' : `HCA_URL=${origin} \\\n  `
  return <Snippet title={title} text={`${environment}npm run -s admin -- ${command}`} />
}
