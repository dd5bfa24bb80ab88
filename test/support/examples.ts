/** The examples of docs/examples, each in a folder with its tools and the package of this checkout. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const EXAMPLES = resolve('docs/examples')
export const TOOLS = join(EXAMPLES, 'node_modules')
const PACKAGE = 'headless-content-api'

export const hasTools = existsSync(TOOLS)
export const hasOwnTools = (name: string) => existsSync(join(EXAMPLES, name, 'node_modules'))

const run = promisify(execFile)

export async function copyExample(name: string) {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`))
  const modules = join(dir, 'node_modules')
  // The bundler of Next.js follows no link out of the project, so its tools are copied.
  const filter = (file: string) => !/\/\.next$/.test(file)
  cpSync(join(EXAMPLES, name), dir, { recursive: true, verbatimSymlinks: true, filter })
  if (!hasOwnTools(name)) {
    mkdirSync(modules)
    for (const each of readdirSync(TOOLS)) {
      if (each !== PACKAGE) symlinkSync(join(TOOLS, each), join(modules, each))
    }
  }
  rmSync(join(modules, PACKAGE), { recursive: true, force: true })
  await installPackage(join(modules, PACKAGE))
  return {
    dir,
    /**
     * Runs a tool of the example, or of this checkout.
     * @throws with its output unless it succeeds
     */
    async run(tool: string, args: string[], env: Record<string, string> = {}) {
      const PATH = [join(modules, '.bin'), resolve('node_modules/.bin'), process.env.PATH].join(':')
      const quiet = {
        NODE_ENV: 'production',
        NO_COLOR: '1',
        ASTRO_TELEMETRY_DISABLED: '1',
        NEXT_TELEMETRY_DISABLED: '1',
      }
      await run(tool, args, { cwd: dir, env: { ...process.env, PATH, ...quiet, ...env } }).catch(
        ({ stdout, stderr }) => {
          throw new Error(`${tool} ${args.join(' ')}:\n${stdout}${stderr}`)
        },
      )
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** Compiled as for publication. */
async function installPackage(dir: string): Promise<void> {
  mkdirSync(dir)
  cpSync('src/sdk/package.json', join(dir, 'package.json'))
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  await run('node_modules/.bin/tsc', ['-p', 'src/sdk', '--outDir', join(dir, 'dist')])
}
