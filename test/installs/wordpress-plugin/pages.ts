/** The plugin's pages, its removal, and a network of sites. */
import { expect, it } from 'vitest'
import { php, startNetwork } from './quay.ts'
import type { Stage } from './stage.ts'

export function pages(on: Stage): void {
  it('shows and saves its settings for administrators only, and never a complete key', async () => {
    const { site, secret } = await on.connected()
    const page = async (path: string, user: string) => {
      const headers = { Cookie: await on.quay.signIn(user) }
      const response = await fetch(`${on.quay.url}/wp-admin/${path}`, { headers, redirect: 'manual' })
      return { status: response.status, html: await response.text() }
    }
    const { html } = await page('admin.php?page=headless-content', 'admin')
    expect(html).toContain(`${on.quay.url}/wp-json/headless-content/v1/events`)
    expect(html).toContain(`••••••••${site.key.slice(-4)}`)
    for (const hidden of [site.key, secret, site.key.slice(0, -4)]) expect(html).not.toContain(hidden)
    for (const name of ['headless-content', 'headless-content-log'])
      expect((await page(`admin.php?page=${name}`, 'ann')).status).toBe(403)

    const nonce = /name="_wpnonce" value="([^"]+)"/.exec(html)![1]!
    const settings = () => on.quay.run<Record<string, string>>('return HeadlessContent\\settings();')
    const save = async (user: string, fields: Record<string, string>) =>
      (
        await fetch(`${on.quay.url}/wp-admin/admin-post.php`, {
          ...{ method: 'POST', redirect: 'manual', headers: { Cookie: await on.quay.signIn(user) } },
          body: new URLSearchParams({ action: 'headless_content_settings', ...fields }),
        })
      ).status
    const before = await settings()
    const right = {
      base_url: 'https://content.example.com/',
      site_id: site.id,
      api_key: site.key,
      take: 'all',
      status: 'pending',
    }
    expect(await save('admin', right)).toBe(403)
    expect(await save('ann', { ...right, _wpnonce: nonce })).toBe(403)
    const wrongs: Record<string, string>[] = [
      ...[{ base_url: 'http://content.example.com' }, { base_url: 'https://a:b@content.example.com' }],
      ...[
        { site_id: '1' },
        { api_key: 'a b c d e f g' },
        { webhook_secret: 'whsec_x' },
        { base_url: 'file:///etc/passwd' },
      ],
    ]
    for (const wrong of wrongs) {
      expect(await save('admin', { ...right, ...wrong, _wpnonce: nonce })).toBe(302)
      expect((await page('admin.php?page=headless-content', 'admin')).html).toContain(' must be ')
    }
    const { api_key: _, ...withoutKey } = right
    // The stored key goes to no other server.
    expect(await save('admin', { ...withoutKey, _wpnonce: nonce })).toBe(302)
    const { html: pageHtml } = await page('admin.php?page=headless-content', 'admin')
    expect(/must be entered again for another server/.exec(pageHtml)).not.toBeNull()
    expect(await settings()).toEqual(before)
  })

  it("saves an administrator's settings, and syncs at once", async () => {
    const { site } = await on.connected()
    await on.putReady(site, 'asked-for')
    const cookie = await on.quay.signIn('admin')
    const headers = { Cookie: cookie, Referer: `${on.quay.url}/wp-admin/admin.php?page=headless-content` }
    const html = await (await fetch(headers.Referer, { headers })).text()
    const nonces = [...html.matchAll(/name="_wpnonce" value="([^"]+)"/g)].map(([, nonce]) => nonce!)
    const post = async (fields: Record<string, string>) => {
      const sent = { method: 'POST', headers, body: new URLSearchParams(fields) }
      return (await fetch(`${on.quay.url}/wp-admin/admin-post.php`, sent)).text()
    }
    const { base_url } = await on.quay.run<{ base_url: string }>('return HeadlessContent\\settings();')
    const given = {
      base_url: base_url.replace('/api/v1', ''),
      site_id: site.id,
      take: 'ready',
      status: 'pending',
    }
    const saved = await post({ action: 'headless_content_settings', _wpnonce: nonces[0]!, ...given })
    expect(saved).toContain('Saved.')
    expect(await on.quay.run('return HeadlessContent\\settings();')).toMatchObject({
      ...{ base_url, api_key: site.key, status: 'pending' },
    })
    const synced = await post({ action: 'headless_content_sync', _wpnonce: nonces[1]! })
    expect(synced).toMatch(/Synced: (1 made|nothing new)/)
    expect(await on.untilThere('asked-for', 'pending')).toMatchObject({ slug: 'asked-for' })
  })

  it('warns about a closed REST API and plain permalinks, and still imports posts by cron', async () => {
    const { site } = await on.connected({}, true)
    const page = async () => {
      const headers = { Cookie: await on.quay.signIn('admin') }
      return (await fetch(`${on.quay.url}/wp-admin/admin.php?page=headless-content`, { headers })).text()
    }
    expect(await page()).not.toContain('notice-warning')
    await on.quay.run(`update_option('permalink_structure', ''); update_option('quay_closed', '1');`)
    try {
      const html = await page()
      expect(html).toContain('Events do not arrive: the REST API is closed to guests')
      expect(html).toContain('401 quay_closed')
      expect(html).toContain('Permalinks are plain')
      await on.putReady(site, 'by-cron')
      await on.quay.run(`
        wp_clear_scheduled_hook('headless_content_wake');
        do_action('headless_content_feed');`)
      expect(await on.untilThere('by-cron')).toMatchObject({ slug: 'by-cron' })
    } finally {
      await on.quay.run(`update_option('permalink_structure', '/%postname%/'); delete_option('quay_closed');`)
    }
  })

  it('keeps the posts, and nothing of its own, when it is uninstalled', async () => {
    const { site } = await on.connected()
    await on.putReady(site, 'left', { image: { url: `${on.quay.images.url}/left.png` }, tags: ['left'] })
    await on.quay.follow()
    const remains = `
      global $wpdb;
      return [
        'options' => $wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%headless_content%' OR (option_name = 'cron' AND option_value LIKE '%headless_content%')"),
        'metas' => $wpdb->get_col("SELECT meta_key FROM $wpdb->postmeta WHERE meta_key LIKE '%headless_content%'"),
      ];`
    const there = await on.quay.run<{ options: string[]; metas: string[] }>(remains)
    expect([there.options.length > 3, there.metas.length > 5]).toEqual([true, true])
    await on.quay.run(`
      deactivate_plugins('headless-content/headless-content.php');
      return uninstall_plugin('headless-content/headless-content.php');`)
    expect(await on.quay.run(remains)).toEqual({ options: [], metas: [] })
    const [post] = await on.quay.posts()
    expect(post).toMatchObject({ slug: 'left', status: 'draft', image: 'left.png', tags: ['left'] })
    await on.quay.run(`return activate_plugin('headless-content/headless-content.php');`)
  })

  it('keeps the sites of a network separate, and leaves nothing in any of them', async () => {
    await using network = await startNetwork()
    const paths = ['/', '/second/']
    const titles = `return array_map(fn ($post) => $post->post_title, get_posts(['post_status' => 'draft']));`
    for (const [at, path] of paths.entries()) {
      const site = await on.service.makeSite()
      await on.putReady(site, `of-site-${at}`)
      const settings = { base_url: `${on.service.origin}/api/v1`, site_id: site.id, api_key: site.key }
      await network.run(
        path,
        `update_option('headless_content_settings', ${php(settings)}); HeadlessContent\\schedule_feed();`,
      )
    }
    for (const path of paths) await network.run(path, 'return HeadlessContent\\follow_feed(true);')
    expect(await network.run('/', titles)).toEqual(['Title of of-site-0'])
    expect(await network.run('/second/', titles)).toEqual(['Title of of-site-1'])
    await network.run(
      '/',
      `deactivate_plugins('headless-content/headless-content.php', false, true);
      return uninstall_plugin('headless-content/headless-content.php');`,
    )
    for (const [at, path] of paths.entries()) {
      const remains = `
        global $wpdb;
        return $wpdb->get_var("SELECT (SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE '%headless_content%' OR (option_name = 'cron'
          AND option_value LIKE '%headless_content%')) + (SELECT COUNT(*) FROM $wpdb->postmeta WHERE meta_key LIKE '%headless_content%')");`
      expect(await network.run(path, remains)).toBe('0')
      expect(await network.run(path, titles)).toEqual([`Title of of-site-${at}`])
    }
  })
}
