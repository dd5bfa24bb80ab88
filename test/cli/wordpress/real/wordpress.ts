/**
 * A real WordPress: Debian's files in a temporary folder, a database of its own, and PHP's built-in server.
 * `apt-get install --no-install-recommends wordpress php-cli php-mysql mariadb-server` installs everything.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../support/free-port.ts'

const FILES = '/usr/share/wordpress'
const { MARIADB_HOST = '127.0.0.1', MARIADB_PORT = '3306' } = process.env
const USER = 'quay'

/** A post or page in SQL; see fields.php. */
export type Row = {
  id: number
  kind: 'posts' | 'guides'
  wordpressStatus: string
  hasPassword: boolean
  slug: string
  title: string
  excerpt: string
  status: 'draft' | 'published'
  publishedAt: string | null
  dateModified: string
  author: string
  categories: string[]
  tags: string[]
  boats: string[]
  image: string | null
  imageAlt: string | null
  content: string
}

/** The reason why there can be no WordPress here, or null. */
export async function whyNoWordPress(): Promise<string | null> {
  if (!existsSync(join(FILES, 'wp-load.php'))) return 'the package wordpress is not installed'
  try {
    await php(['-r', `new mysqli('${MARIADB_HOST}', 'root', '', null, ${MARIADB_PORT});`])
    return null
  } catch {
    return `php-cli and php-mysql are not installed, or no MariaDB at ${MARIADB_HOST}:${MARIADB_PORT} takes root without a password`
  }
}

export async function startWordPress() {
  const site = await installWordPress({ content: script('content'), muPlugins: [script('plugin')] })
  const { password } = JSON.parse(site.printed) as { password: string }
  return {
    ...site,
    user: USER,
    password,
    /** The file of Tools → Export. */
    exported: () => php([script('export'), site.root]),
    /** Posts and pages from SQL, ordered by id. */
    rows: async (): Promise<Row[]> =>
      JSON.parse(await php([script('fields'), MARIADB_HOST, site.database, MARIADB_PORT])),
  }
}

type Installation = {
  /** A PHP script that installs the site, given its folder. */
  content: string
  muPlugins: string[]
  plugins?: string[]
  /** Additional constants of wp-config.php. */
  constants?: Record<string, string | boolean>
  /** The number of concurrent requests that PHP's server answers. */
  processes?: number
}

export async function installWordPress({
  content,
  muPlugins,
  plugins = [],
  constants = {},
  processes = 1,
}: Installation) {
  const folder = await mkdtemp(join(tmpdir(), 'wordpress-'))
  const database = `wordpress_${randomUUID().replaceAll('-', '')}`
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const root = join(folder, 'site')
  let server: ChildProcess | undefined
  const close = async () => {
    // Including its child processes.
    if (server?.pid) process.kill(-server.pid)
    await sql(`DROP DATABASE IF EXISTS ${database}`)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await cp(FILES, root, {
      recursive: true,
      dereference: true,
      filter: (path) => !path.endsWith('.htaccess'),
    })
    await mkdir(join(root, 'wp-content/mu-plugins'), { recursive: true })
    await mkdir(join(root, 'wp-content/uploads'), { recursive: true })
    for (const file of muPlugins) await copyFile(file, join(root, 'wp-content/mu-plugins', basename(file)))
    for (const plugin of plugins)
      await cp(plugin, join(root, 'wp-content/plugins', basename(plugin)), { recursive: true })
    await writeFile(join(root, 'wp-config.php'), configOf(database, url, constants))
    await sql(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    const printed = await php([content, root])
    server = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', root, script('router')], {
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, ...(processes > 1 && { PHP_CLI_SERVER_WORKERS: String(processes) }) },
    })
    await answers(url)
    return {
      url,
      root,
      database,
      /** The output of `content`. */
      printed,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function script(name: string): string {
  return join(import.meta.dirname, `${name}.php`)
}

async function php(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('php', ['-d', 'display_errors=stderr', ...args], {
    maxBuffer: 64 * 2 ** 20,
  })
  return stdout
}

function sql(statement: string): Promise<string> {
  return php([
    '-r',
    `(new mysqli('${MARIADB_HOST}', 'root', '', null, ${MARIADB_PORT}))->query('${statement}');`,
  ])
}

function configOf(database: string, url: string, more: Installation['constants']): string {
  const constants = {
    DB_NAME: database,
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `${MARIADB_HOST}:${MARIADB_PORT}`,
    DB_CHARSET: 'utf8mb4',
    WP_HOME: url,
    WP_SITEURL: url,
    WP_ENVIRONMENT_TYPE: 'local',
    DISABLE_WP_CRON: true,
    // Nothing reaches the internet.
    WP_HTTP_BLOCK_EXTERNAL: true,
    ...more,
  }
  const defined = Object.entries(constants).map(
    ([name, value]) => `define('${name}', ${typeof value === 'string' ? `'${value}'` : value});`,
  )
  return [
    '<?php',
    ...defined,
    "$table_prefix = 'wp_';",
    "if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');",
    "require_once ABSPATH . 'wp-settings.php';",
  ].join('\n')
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`${url}/?rest_route=/`)
      if (response.ok) return
      throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`)
    } catch (error) {
      if (attempt === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
