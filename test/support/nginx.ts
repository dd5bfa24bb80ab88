/** An installed nginx; none is downloaded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const USUAL = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx']

/** NGINX_PATH, or the usual place; undefined if there is none. */
export const nginxPath: string | undefined = process.env.NGINX_PATH || USUAL.find((path) => existsSync(path))

/** Starts it with these directives in its only `server`. */
export async function startNginx(directives: string) {
  const dir = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${dir}/${each};`,
  )
  const configuration = `
    daemon off; master_process off; pid ${dir}/pid; error_log stderr;
    events {}
    http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; ${directives} } }`
  writeFileSync(join(dir, 'nginx.conf'), configuration)
  const child = spawn(nginxPath!, ['-p', dir, '-c', join(dir, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit')
  const origin = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await fetch(origin).catch(() => null)); tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`nginx does not start: ${errors}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    origin,
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
