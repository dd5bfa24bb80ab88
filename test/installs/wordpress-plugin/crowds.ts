/** Many drafts, many processes, and processes that are killed. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { depthOf } from '../../support/depth.ts'
import { randomFrom } from '../../support/random.ts'
import { eventually } from '../../support/webhook.ts'
import { php } from './quay.ts'
import type { Stage } from './stage.ts'

const KILLS = depthOf('wordpressPlugin')
const SEED = Number(process.env.KILL_SEED ?? 1)

/** Posts that were started and are incomplete. */
const HALVES = `global $wpdb; return $wpdb->get_var("SELECT COUNT(DISTINCT p.ID) FROM $wpdb->posts p LEFT JOIN $wpdb->postmeta m
  ON m.post_id = p.ID AND m.meta_key = '_headless_content_writing' WHERE p.post_type = 'post' AND (p.post_status = 'auto-draft' OR m.meta_id > 0)");`

export function crowds(on: Stage): void {
  it('creates 200 posts from 200 drafts, with concurrent readers of the feed', async () => {
    const { site } = await on.connected({}, true)
    const slugs = Array.from({ length: 200 }, (_, number) => `draft-${number}`)
    const image = { url: `${on.quay.images.url}/shared.png` }
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (const slug of slugs.filter((_, at) => at % 5 === writer)) await on.putReady(site, slug, { image })
    })
    const asking = Array.from({ length: 3 }, async () => {
      for (let run = 0; run < 3; run++) await on.quay.follow()
    })
    const started = Date.now()
    await Promise.all([...writers, ...asking])
    await eventually(async () => {
      const report = await on.quay.follow()
      return report.more ? null : true
    })
    process.stderr.write(`200 drafts taken ${Date.now() - started} ms after the first was put\n`)
    const posts = await on.quay.posts()
    expect(posts.map(({ slug, status }) => `${slug} ${status}`).sort()).toEqual(
      slugs.map((slug) => `${slug} draft`).sort(),
    )
    expect(on.quay.images.asked.get('/shared.png')).toBe(1)
    expect(new Set(posts.map(({ metas }) => metas._thumbnail_id)).size).toBe(1)
    // Each by two processes at once, without the lock of the feed.
    const article = await on.quay.run('return HeadlessContent\\fetch_article("draft-7");')
    await on.quay.run(
      `foreach (get_posts(['name' => 'draft-7', 'post_status' => 'any']) as $post) wp_delete_post($post->ID, true);`,
    )
    await Promise.all(
      Array.from({ length: 6 }, () => on.quay.run(`return HeadlessContent\\take(${php(article)});`)),
    )
    expect((await on.quay.posts()).filter(({ slug }) => slug === 'draft-7')).toHaveLength(1)
  })

  it(`continues after ${KILLS} kills, without duplicate posts, images or requests, seed ${SEED}`, async () => {
    const { site } = await on.connected()
    const random = randomFrom(SEED)
    const slugs = Array.from({ length: 30 }, (_, number) => `killed-${number}`)
    let kills = 0
    let halves = 0
    for (let round = 0; kills < KILLS; round++) {
      for (const slug of slugs)
        await on.putReady(site, slug, {
          ...{ title: `Round ${round} of ${slug}`, contentHtml: `<p>${round}</p>`, tags: [`tag-${round}`] },
          image: { url: `${on.quay.images.url}/${round}-${slug}.png` },
        })
      for (let ended = false; !ended; ) {
        const child = on.quay.startFollowing()
        const exited = once(child, 'exit')
        if (kills < KILLS && (await isAmongPosts(1 + Math.floor(random() * 6), exited))) {
          // Most of the work on a post comes after its image.
          await Promise.race([sleep(random() * 200), exited])
          if (child.kill('SIGKILL')) kills++
          halves += Number(await on.quay.run<string>(HALVES)) > 0 ? 1 : 0
        }
        const [code] = await exited
        ended = code === 0 && !(await on.quay.follow()).more
      }
      const posts = (await on.quay.posts()).filter(({ status }) => status !== 'auto-draft')
      expect(posts.map(({ title, tags, status }) => [title, tags, status]).sort()).toEqual(
        slugs.map((slug) => [`Round ${round} of ${slug}`, [`tag-${round}`], 'draft']).sort(),
      )
      // A file that a killed process left has its name.
      expect(posts.map(({ image }) => image?.replace(/(-[0-9]+)-[1-9]\.png$/, '$1.png')).sort()).toEqual(
        slugs.map((slug) => `${round}-${slug}.png`).sort(),
      )
      expect(posts.filter(({ metas }) => metas._headless_content_question)).toEqual([])
    }
    const images = await on.quay.run<string[]>(
      `global $wpdb; return $wpdb->get_col("SELECT m.meta_value FROM $wpdb->posts p JOIN $wpdb->postmeta m ON m.post_id = p.ID AND m.meta_key = '_headless_content_image_url' WHERE p.post_status = 'inherit'");`,
    )
    expect(new Set(images).size).toBe(images.length)
    process.stderr.write(`${kills} kills: ${halves} in the middle of a post\n`)
    expect(halves).toBeGreaterThan(0)
  })

  /**
   * Waits for this many image downloads.
   * @returns false if the process ends before
   */
  async function isAmongPosts(images: number, exited: Promise<unknown>): Promise<boolean> {
    const count = () => [...on.quay.images.asked.values()].reduce((sum, each) => sum + each, 0)
    const wanted = count() + images
    let hasEnded = false
    exited.then(() => {
      hasEnded = true
    })
    while (!hasEnded && count() < wanted) await sleep(5)
    return !hasEnded
  }
}
