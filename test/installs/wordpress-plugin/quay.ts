/** A WordPress with the plugin, connected to the service through a proxy that can answer instead. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { installWordPress } from '../../cli/wordpress/real/wordpress.ts'
import { type Instead, startCountingProxy } from '../../support/counting-proxy.ts'
import type { Service } from '../../support/service.ts'
import { startImageServer } from './image-server.ts'

const PLUGIN = join(import.meta.dirname, '../../../docs/receivers/wordpress/headless-content')
const PASSWORD = 'the-password'

export type Site = Awaited<ReturnType<Service['makeSite']>>

/** A post as the database has it. */
export type WordPressPost = {
  id: number
  title: string
  body: string
  excerpt: string
  slug: string
  status: string
  /** Null for a post that a killed process has only started. */
  author: string | null
  tags: string[]
  categories: string[]
  /** File name of the featured image. */
  image: string | null
  alt: string
  metas: Record<string, string>
}

type Line = { what: string; why: string; slug: string; post: number }
type Report = { counts: Record<string, number>; problem: string; more: boolean }

const POSTS = `
  global $wpdb;
  $names = fn ($id, $taxonomy) => array_map('html_entity_decode', wp_get_object_terms($id, $taxonomy, ['fields' => 'names']));
  return array_map(fn ($post) => [
    'id' => (int) $post->ID, 'title' => $post->post_title, 'body' => $post->post_content, 'excerpt' => $post->post_excerpt,
    'slug' => urldecode($post->post_name), 'status' => $post->post_status,
    'author' => (get_userdata($post->post_author) ?: null)?->user_login,
    'tags' => $names($post->ID, 'post_tag'), 'categories' => $names($post->ID, 'category'),
    'image' => ($image = get_post_thumbnail_id($post->ID)) ? basename(get_attached_file($image)) : null,
    'alt' => $image ? get_post_meta($image, '_wp_attachment_image_alt', true) : '',
    'metas' => (object) array_map(fn ($values) => $values[0], get_post_meta($post->ID)),
  ], $wpdb->get_results("SELECT * FROM $wpdb->posts WHERE post_type = 'post' ORDER BY ID"));`

function startPhp(root: string, code: string, path = '/') {
  const script = join(import.meta.dirname, 'run.php')
  const child = spawn('php', ['-d', 'display_errors=stderr', script, root, path])
  child.stdin.end(code)
  return child
}

/** The result of PHP within the WordPress of a folder. */
async function runPhp<Answer>(root: string, code: string, path = '/'): Promise<Answer> {
  const child = startPhp(root, code, path)
  const [printed, problems] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (problems) throw new Error(problems)
  return JSON.parse(printed) as Answer
}

/** A value as PHP. */
export function php(value: unknown): string {
  return `json_decode(base64_decode('${Buffer.from(JSON.stringify(value)).toString('base64')}'), true)`
}

/** A network of two sites with the plugin active. */
export async function startNetwork() {
  const wordpress = await installWordPress({
    content: join(import.meta.dirname, 'install.php'),
    muPlugins: [],
    plugins: [PLUGIN],
  })
  const { root } = wordpress
  await runPhp(
    root,
    `
    global $wpdb;
    require_once ABSPATH . 'wp-admin/includes/network.php';
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    foreach ($wpdb->tables('ms_global') as $table => $name) $wpdb->$table = $name;
    install_network();
    populate_network(1, '127.0.0.1', 'admin@quay.example', 'Quays', '/', false);`,
  )
  const config = join(root, 'wp-config.php')
  const constants = `define('MULTISITE', true); define('SUBDOMAIN_INSTALL', false); define('DOMAIN_CURRENT_SITE', '127.0.0.1');
    define('PATH_CURRENT_SITE', '/'); define('SITE_ID_CURRENT_SITE', 1); define('BLOG_ID_CURRENT_SITE', 1);`
  await writeFile(config, (await readFile(config, 'utf8')).replace('<?php', `<?php ${constants}`))
  await runPhp(
    root,
    `
    wp_insert_site(['domain' => '127.0.0.1', 'path' => '/second/', 'user_id' => 1, 'title' => 'Second']);
    return activate_plugin('headless-content/headless-content.php', '', true);`,
  )
  return {
    run: <Answer>(path: string, code: string) => runPhp<Answer>(root, code, path),
    [Symbol.asyncDispose]: wordpress[Symbol.asyncDispose],
  }
}

export async function startQuay(service: Service) {
  const images = await startImageServer()
  let interrupt: (url: string) => Instead | undefined = () => undefined
  const proxy = await startCountingProxy(service.origin, (url) => interrupt(url))
  const wordpress = await installWordPress({
    content: join(import.meta.dirname, 'install.php'),
    muPlugins: [join(import.meta.dirname, 'images.php')],
    plugins: [PLUGIN],
    constants: { IMAGES_OF_THE_TEST: images.url },
    processes: 6,
  })
  const { url, root } = wordpress
  const sessions = new Map<string, string>()
  const run = <Answer>(code: string) => runPhp<Answer>(root, code)
  const posts = () => run<WordPressPost[]>(POSTS)

  return {
    url,
    images,
    run,
    posts,
    /** Starts following the feed, in a process to be killed. */
    startFollowing: () => startPhp(root, 'return HeadlessContent\\follow_feed(true);'),
    follow: () =>
      run<Report>(
        '$report = HeadlessContent\\follow_feed(true); return ["counts" => (object) $report["counts"]] + $report;',
      ),
    post: async (slug: string) => (await posts()).filter((post) => post.metas && post.slug === slug)[0],
    log: () => run<Line[]>('return HeadlessContent\\read_option(HeadlessContent\\LOG);'),
    state: () => run<Record<string, never>>('return HeadlessContent\\feed_state();'),
    /** Answers instead of the service from now on. */
    answer(instead: (url: string) => Instead | undefined) {
      interrupt = instead
    },
    asked: () => proxy.take().map((passed) => passed.url),
    /**
     * Configures the plugin for a site, without posts from another. Events arrive if `hasWebhook`.
     * @returns the webhook's secret
     */
    async connect(site: Site, settings: Record<string, unknown> = {}, hasWebhook = false): Promise<string> {
      interrupt = () => undefined
      images.asked.clear()
      const { secret } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
        url: hasWebhook ? `${url}/wp-json/headless-content/v1/events` : 'http://127.0.0.1:9/',
      })
      await run(`
        foreach (get_posts(['post_type' => ['post', 'attachment'], 'post_status' => ['any', 'trash', 'auto-draft'], 'numberposts' => -1]) as $post) {
          wp_delete_post($post->ID, true);
        }
        HeadlessContent\\unschedule_feed();
        delete_option('headless_content_feed');
        delete_option('headless_content_log');
        update_option('headless_content_settings', ${php({
          base_url: `${proxy.origin}/api/v1`,
          ...{ site_id: site.id, api_key: site.key, webhook_secret: secret, ...settings },
        })});
        HeadlessContent\\schedule_feed();`)
      return secret
    },
    /** The cookies of a user, who signs in once. */
    async signIn(user: string): Promise<string> {
      const cookies = sessions.get(user) ?? (await signIn(url, user))
      sessions.set(user, cookies)
      return cookies
    },
    async stop() {
      await wordpress[Symbol.asyncDispose]()
      proxy.close()
      images.close()
    },
  }
}

async function signIn(url: string, user: string): Promise<string> {
  const response = await fetch(`${url}/wp-login.php`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: 'wordpress_test_cookie=WP%20Cookie%20check' },
    body: new URLSearchParams({ log: user, pwd: PASSWORD, testcookie: '1' }),
  })
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!)
  if (!cookies.some((cookie) => cookie.startsWith('wordpress_logged_in')))
    throw new Error(`${user} is not signed in: ${response.status}`)
  return cookies.join('; ')
}
