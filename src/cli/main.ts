/** The operator's command line: `npm run -s admin -- <noun> <verb> …`, a client of /manage/v1. */
import { run } from './run.ts'

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const { stdout, stderr, env } = process
process.exitCode = await run(process.argv.slice(2), { stdout, stderr, env, cwd: process.cwd(), fetch })
