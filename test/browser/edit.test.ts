import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { inChromium } from './in-chromium.ts'
import { signIn } from './pages.ts'

type Stored = { post: { title: string; contentHtml: string; tags: string[] } }

inChromium('editing', (world) => {
  let context: BrowserContext
  let page: Page
  let site: string

  beforeAll(async () => {
    site = `/sites/${world.service.demo.siteId}`
    context = await world.browser.newContext({ baseURL: world.service.origin })
    page = await context.newPage()
    await signIn(page, world.service)
  })

  const put = (slug: string, fields: object = {}) =>
    world.manage('PUT', `${site}/posts/${slug}`, {
      title: 'To be edited',
      contentHtml: '<p>Before</p>',
      ...fields,
    })
  /** As HTML, whatever was edited before. */
  const edit = async (slug: string, on = page) => {
    await on.context().clearCookies({ name: 'console_format' })
    await on.goto(`/console${site}/content/posts/${slug}/edit`)
  }

  const unfold = (title: string, on = page) => on.locator('summary', { hasText: title }).click()

  it('shows the preview while typing, asks before unsaved text is left, and saves once', async () => {
    await put('typed')
    await edit('typed')
    await page.getByLabel('Content', { exact: true }).fill('<p>After</p>\n<b>words')
    const preview = page.frameLocator('iframe.preview:not(.loading)')
    await preview.getByText('Line 2: <b> is not closed').waitFor()
    await preview.getByText('After').waitFor()
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect.poll(() => asked).toEqual(['beforeunload'])
    expect(page.url()).toContain('/typed/edit')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/edit')) sent.push(request.url())
    })
    await page.evaluate(`const save = document.querySelector('.edit-bar button'); save.click(); save.click()`)
    await page.getByText('Saved.').waitFor()
    expect(sent).toHaveLength(1)
    expect(asked).toHaveLength(1)
    await page.getByText('words').first().waitFor()
    // The previews left no history entries: one step back is the form.
    await page.goBack()
    await page.waitForURL('**/typed/edit')
  })

  it('a new post is written in the editor: Enter leaves the title, Ctrl+S creates the draft', async () => {
    await page.goto(`/console${site}/content/new/posts`)
    await page.locator('#title:focus').waitFor()
    await page.keyboard.type('Straight wheels')
    await page.keyboard.press('Enter')
    await page.keyboard.type('# True')
    await page.keyboard.press('Control+s')
    await page.waitForURL('**/posts/straight-wheels/edit?as=markdown')
    expect(await page.getByLabel('Content', { exact: true }).inputValue()).toBe('# True')
    await page.getByText(/^Saved \d/).waitFor()
    await page.goto(`/console${site}/content/new/posts`)
    expect(await page.getByText('Unsaved text').count()).toBe(0)
  })

  it('a new post without a title returns to its title, by Ctrl+S and by Save', async () => {
    for (const isShortcut of [true, false]) {
      const tab = await context.newPage()
      await tab.goto(`/console${site}/content/new/posts`)
      await tab.getByLabel('Content', { exact: true }).fill('Text')
      if (isShortcut) await tab.keyboard.press('Control+s')
      else await tab.getByRole('button', { name: 'Save' }).click()
      await tab.getByText('Title is required.').waitFor()
      await tab.locator('#title:focus').waitFor()
      await tab.keyboard.type(`Refused once ${isShortcut}`)
      await tab.keyboard.press('Control+s')
      await tab.getByText(/^Saved \d/).waitFor()
      expect(await tab.getByText('Title is required.').count()).toBe(0)
      await tab.close()
    }
  })

  it('text typed while Ctrl+S creates or renames a post stays in the form, and is offered after a reload', async () => {
    const tab = await context.newPage()
    tab.on('dialog', (dialog) => void dialog.accept())
    const field = (name: string) => tab.getByLabel(name, { exact: true })
    const saveSlowly = async (meanwhile: string) => {
      await tab.route(/\/(new\/posts|edit)$/, async (route) => {
        await field('Content').fill(meanwhile)
        await route.continue()
      })
      await tab.keyboard.press('Control+s')
      await tab.getByText(/^Saved \d/).waitFor()
      await tab.unroute(/\/(new\/posts|edit)$/)
      expect(await field('Content').inputValue()).toBe(meanwhile)
    }
    await tab.goto(`/console${site}/content/new/posts`)
    await field('Title').fill('Slowly')
    await saveSlowly('created meanwhile')
    await unfold('Address', tab)
    await field('Slug').fill('slow')
    await saveSlowly('renamed meanwhile')
    await tab.reload()
    expect(tab.url()).toContain('/posts/slow/edit')
    await tab.getByRole('button', { name: 'Restore' }).click()
    await expect.poll(() => field('Content').inputValue()).toBe('renamed meanwhile')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'Slowly', level: 1 }).waitFor()
    const { post } = await world.manage<Stored>('GET', `${site}/posts/slow`)
    expect(post.contentHtml).toContain('renamed meanwhile')
    await tab.close()
  })

  it('a save during Ctrl+S waits for it: Ctrl+S again stores the last text, and Save follows', async () => {
    const content = page.getByLabel('Content', { exact: true })
    const stored = () => world.manage<Stored>('GET', `${site}/posts/twice`)
    const saveDuring = async (text: string, saveAgain: () => Promise<void>) => {
      let typing: Promise<void> | undefined
      await page.route(/\/(new\/posts|edit)$/, async (route) => {
        typing ??= content.fill(text).then(saveAgain)
        await typing
        await route.continue()
      })
      await content.press('Control+s')
      await expect.poll(async () => (await stored()).post?.contentHtml).toContain(text)
      await page.unrouteAll({ behavior: 'wait' })
    }
    await page.goto(`/console${site}/content/new/posts`)
    await page.getByLabel('Title', { exact: true }).fill('Twice')
    await saveDuring('typed during Ctrl+S', () => content.press('Control+s'))
    await page.getByText(/^Saved \d/).waitFor()
    await saveDuring('typed before Save', () => page.getByRole('button', { name: 'Save' }).click())
    await page.getByText('Saved.', { exact: true }).waitFor()
  })

  it('says so when Ctrl+S has no response, and keeps the text', async () => {
    await put('unanswered')
    await edit('unanswered')
    const content = page.getByLabel('Content', { exact: true })
    await content.fill('<p>Not sent</p>')
    await page.route(/\/edit$/, (route) => route.abort())
    await content.press('Control+s')
    await page.getByText('The service did not respond.').waitFor()
    expect(await content.inputValue()).toBe('<p>Not sent</p>')
    await page.unrouteAll({ behavior: 'wait' })
    await content.press('Control+s')
    await page.getByText(/^Saved \d/).waitFor()
  })

  it('offers the text of another new post only until this one is saved', async () => {
    const tab = await context.newPage()
    tab.on('dialog', (dialog) => void dialog.accept())
    const open = () => tab.goto(`/console${site}/content/new/posts`)
    const title = tab.getByLabel('Title', { exact: true })
    await open()
    await title.fill('Abandoned')
    await open()
    await tab.getByRole('button', { name: 'Restore' }).waitFor()
    await title.fill('Another one')
    await title.press('Control+s')
    await tab.getByText(/^Saved \d/).waitFor()
    expect(await tab.getByText('Unsaved text').count()).toBe(0)
    await tab.close()
  })

  it('counts the same words in HTML and in Markdown', async () => {
    await put('counted', {
      contentHtml: `<p>One <a href="https://a.example/b-c">two</a> caf&eacute;&nbsp;three.</p>
        <ol><li>four</li><li>snake_case</li></ol><pre><code class="language-js">five</code></pre>
        <p><img src="https://a.example/c.png" alt="not counted"></p>`,
    })
    await edit('counted')
    await page.getByText('7 words', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Markdown', exact: true }).click()
    await page.locator('[name=contentMarkdown]').waitFor()
    await page.getByText('7 words', { exact: true }).waitFor()
  })

  it('counts the words, and Ctrl+S saves and stays, with what others saved meanwhile', async () => {
    await put('keys')
    await edit('keys')
    await page.getByText('1 word', { exact: true }).waitFor()
    const content = page.getByLabel('Content', { exact: true })
    await content.fill("<p>It's <b>four</b> words now</p>")
    await page.getByText('4 words', { exact: true }).waitFor()
    await content.press('Control+s')
    await page.getByText(/^Saved \d/).waitFor()
    const { post } = await world.manage<Stored>('GET', `${site}/posts/keys`)
    expect(post.contentHtml).toBe("<p>It's <b>four</b> words now</p>")
    await world.manage('PUT', `${site}/posts/keys`, { ...post, tags: ['theirs'] })
    await content.press('End')
    await content.pressSequentially(' more')
    await content.press('Control+s')
    await expect.poll(() => page.getByLabel('Tags').inputValue()).toBe('theirs')
    expect(await content.inputValue()).toBe("<p>It's <b>four</b> words now</p> more")
    // It can still be undone, and nothing unsaved is left.
    await content.press('Control+z')
    expect(await content.inputValue()).not.toContain('more')
    await content.press('Control+Shift+z')
    const stored = await world.manage<Stored>('GET', `${site}/posts/keys`)
    expect(stored.post).toMatchObject({ contentHtml: await content.inputValue(), tags: ['theirs'] })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL('**/posts/keys')
  })

  it('Ctrl+S shows a refusal and a conflict as the button does, and follows a new slug', async () => {
    await put('refused')
    await edit('refused')
    const slug = page.getByLabel('Slug', { exact: true })
    await unfold('Address')
    await slug.fill('a b')
    await slug.press('Control+s')
    await page.getByText('Slug must be 1 to 200').waitFor()
    await slug.fill('renamed')
    await slug.press('Control+s')
    await page.waitForURL('**/posts/renamed/edit?as=html')
    await world.manage('PUT', `${site}/posts/renamed`, { title: 'Theirs', contentHtml: '<p>Before</p>' })
    const title = page.getByLabel('Title', { exact: true })
    await title.fill('Mine')
    await title.press('Control+s')
    await page.getByRole('heading', { name: 'Changed by someone else' }).waitFor()
    await page.getByLabel('Your version').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
  })

  it('offers unsaved text after a reload, and not once it is saved', async () => {
    await put('kept')
    const tab = await context.newPage()
    tab.on('dialog', (dialog) => void dialog.accept())
    const field = (name: string) => tab.getByLabel(name, { exact: true })
    await edit('kept', tab)
    await field('Title').fill('Half a')
    await field('Tags').fill('typed')
    await tab.reload()
    expect(await field('Title').inputValue()).toBe('To be edited')
    await world.manage('PUT', `${site}/posts/kept`, { title: 'To be edited', contentHtml: '<p>Theirs</p>' })
    await tab.getByRole('button', { name: 'Restore' }).click()
    await expect.poll(() => field('Title').inputValue()).toBe('Half a')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'Half a', level: 1 }).waitFor()
    const { post } = await world.manage<Stored>('GET', `${site}/posts/kept`)
    expect(post).toMatchObject({ contentHtml: '<p>Theirs</p>', tags: ['typed'] })
    await edit('kept', tab)
    await field('Title').fill('Half a title')
    await field('Title').press('Control+s')
    await tab.getByText(/^Saved \d/).waitFor()
    await edit('kept', tab)
    expect(await tab.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    await tab.close()
  })

  it('offers unsaved text only to the person who typed it', async () => {
    await put('private')
    const { id } = await world.manage('POST', '/operators', { name: 'Somebody else', role: 'editor' })
    const { token } = await world.manage<{ token: string }>('POST', `/operators/${id}/tokens`, {})
    const own = await world.browser.newContext({ baseURL: world.service.origin })
    const tab = await own.newPage()
    tab.on('dialog', (dialog) => void dialog.accept())
    const reopenAs = async (operatorToken: string) => {
      await own.clearCookies()
      await signIn(tab, { ...world.service, operatorToken })
      await edit('private', tab)
    }
    const restore = tab.getByRole('button', { name: 'Restore' })
    await reopenAs(world.service.operatorToken)
    await tab.getByLabel('Title', { exact: true }).fill('Mine')
    await tab.reload()
    await restore.waitFor()
    await reopenAs(token)
    expect(await restore.count()).toBe(0)
    await reopenAs(world.service.operatorToken)
    await restore.waitFor()
    await own.close()
  })

  it('a schedule begins with tomorrow morning, has presets, and refuses the past where it is typed', async () => {
    await put('timed')
    await page.goto(`/console${site}/content/posts/timed`)
    await page.locator('main summary', { hasText: 'Schedule' }).click()
    const field = page.getByLabel('Publish at', { exact: true })
    const isAt = (at: string) => `${at}T09:00`
    const tomorrow = await page.evaluate<string>(
      `(() => { const at = new Date(); at.setDate(at.getDate() + 1); return at.toLocaleDateString('sv') })()`,
    )
    expect(await field.inputValue()).toBe(isAt(tomorrow))
    await field.fill('2020-01-01T09:00')
    await page.getByRole('button', { name: 'Schedule' }).click()
    expect(
      await field.evaluate(
        (input) => (input as unknown as { validity: { rangeUnderflow: boolean } }).validity.rangeUnderflow,
      ),
    ).toBe(true)
    await page.getByRole('button', { name: 'Tomorrow 9:00' }).click()
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByText(/Scheduled for .*, 9:00/).waitFor()
  })

  it('the toolbar and its keys write HTML or Markdown around the selection, and can be undone', async () => {
    await put('tools', { contentHtml: '<p>one</p>' })
    await edit('tools')
    const content = page.getByLabel('Content', { exact: true })
    const field = `document.querySelector('.edit-content textarea')`
    expect(await page.evaluate(`document.activeElement === ${field}`)).toBe(true)
    const select = (text: string) =>
      page.evaluate(`{
        const at = ${field}.value.indexOf(${JSON.stringify(text)})
        ${field}.focus()
        ${field}.setSelectionRange(at, at + ${text.length})
      }`)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await select('one')
    await content.press('Control+b')
    expect(await content.inputValue()).toBe('<p><strong>one</strong></p>')
    await press('Bold')
    expect(await content.inputValue()).toBe('<p>one</p>')
    await content.press('Control+k')
    expect(await content.inputValue()).toBe('<p><a href="https://">one</a></p>')
    await page.keyboard.type('/two')
    expect(await content.inputValue()).toBe('<p><a href="/two">one</a></p>')
    for (let step = 0; step < 9; step++) await content.press('Control+z')
    expect(await content.inputValue()).toBe('<p>one</p>')
    await page.getByRole('button', { name: 'Markdown' }).click()
    await page.waitForURL('**/edit?as=markdown')
    await content.fill('one\ntwo\nthree')
    await select('one')
    await press('H2 heading')
    expect(await content.inputValue()).toBe('## one\n\ntwo\nthree')
    await select('two\nthree')
    await press('List')
    expect(await content.inputValue()).toBe('## one\n\n- two\n- three')
    await page.frameLocator('iframe.preview:not(.loading)').getByRole('listitem').first().waitFor()
    await content.press('Control+s')
    await page.getByText(/^Saved \d/).waitFor()
    const { post } = await world.manage<Stored>('GET', `${site}/posts/tools`)
    expect(post.contentHtml).toBe('<h2 id="one">one</h2>\n<ul>\n<li>two</li>\n<li>three</li>\n</ul>')
    // The next editor opens with the last format.
    await page.getByRole('button', { name: 'HTML' }).click()
    await page.waitForURL('**/edit?as=html')
  })

  it('keeps a text that is too long to be sent, and says so', async () => {
    await put('long')
    await edit('long')
    await page.evaluate(`document.querySelector('form.edit').dataset.maxBytes = 1000`)
    const content = page.getByLabel('Content', { exact: true })
    await content.fill('ä'.repeat(501))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect
      .poll(() => page.evaluate(`document.querySelector('#contentHtml').validationMessage`))
      .toMatch(/^At most .* MiB\.$/)
    expect(page.url()).toContain('/long/edit')
    await content.fill('<p>Before</p>')
  })

  it('works without a script: the button shows the preview, and Enter saves', async () => {
    await put('plain')
    const plain = await world.browser.newContext({ baseURL: world.service.origin, javaScriptEnabled: false })
    await plain.addCookies(await context.cookies())
    const tab = await plain.newPage()
    await edit('plain', tab)
    await tab.getByLabel('Content', { exact: true }).fill('<p>Typed</p>')
    await tab.getByRole('button', { name: 'Update preview' }).click()
    await tab.frameLocator('iframe.preview').getByText('Typed').waitFor()
    await tab.getByLabel('Title', { exact: true }).fill('Edited')
    await unfold('Address', tab)
    await tab.getByLabel('Language', { exact: true }).press('Enter')
    await tab.getByText('Saved.').waitFor()
    await tab.getByRole('heading', { name: 'Edited', level: 1 }).waitFor()
    await plain.close()
  })

  it('a focused field is not covered by the bar, whichever way the focus moves', async () => {
    await put('keyboard')
    await page.setViewportSize({ width: 1280, height: 600 })
    await edit('keyboard')
    for (const title of ['Address', 'Quality', 'SEO']) await unfold(title)
    await page.getByLabel('Keywords').focus()
    const covered = []
    for (let stop = 0; stop < 16; stop++) {
      await page.keyboard.press('Shift+Tab')
      covered.push(
        await page.evaluate(`(() => {
          const { bottom } = document.querySelector('.edit-bar').getBoundingClientRect()
          const field = document.activeElement
          return field.matches('.edit-more *, .edit-content *') && field.getBoundingClientRect().top < bottom && field.name
        })()`),
      )
    }
    expect(covered.filter(Boolean)).toEqual([])
  })

  it('the title of a post keeps its width next to any buttons, and the printed page has only the article', async () => {
    await put('wide', { title: 'A title of several words that could be squeezed', status: 'published' })
    await page.goto(`/console${site}/content/posts/wide`)
    for (const width of [641, 768, 1024, 1280, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      const head = async () => {
        const title = (await page.locator('h1').boundingBox())!
        const actions = (await page.locator('.article-way > .actions').boundingBox())!
        return { isWide: title.width / width >= 0.4, isAbove: actions.y >= title.y + title.height }
      }
      await expect.poll(head).toEqual({ isWide: true, isAbove: true })
    }
    await page.emulateMedia({ media: 'print' })
    for (const hidden of ['.top', '.tabs', '.article-way .actions', '.folded'])
      await page.locator(hidden).first().waitFor({ state: 'hidden' })
    for (const shown of ['h1', '.reading', '#fields']) await page.locator(shown).waitFor()
    await page.emulateMedia({ media: null })
  })
})
