/** Runs the command line as an operator does: a process of its own. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TOKEN } from './manage-server.ts'

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts')

export type Run = { code: number | null; stdout: string; stderr: string }

/** Runs `admin` with `args`; nothing of a service is seen but what `localDir` and `environment` hold. */
export function admin(
  args: string[],
  localDir = '/nonexistent',
  environment: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: {
        ...process.env,
        LOCAL_DIR: localDir,
        NODE_OPTIONS: '',
        HCA_URL: '',
        HCA_TOKEN: '',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Runs `admin` against a server, with --json, and parses the one value it writes. */
export async function adminJson(url: string, ...args: string[]) {
  const run = await admin(['--url', url, '--token', TOKEN, ...args, '--json'])
  return { ...run, json: JSON.parse(run.stdout) }
}

/** A folder with the given files, removed at the end of the `using` scope. */
export async function folderOf(files: Record<string, string | Uint8Array>) {
  const path = await mkdtemp(join(tmpdir(), 'admin-'))
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), content)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
